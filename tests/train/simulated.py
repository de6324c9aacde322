"""The search of a GPU in Numba's simulator, to be run in a process of its own.

    NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 python -m tests.train.simulated GAME PLAYERS ...

Prints a digest of what is found at some tables, a line a game, then what the interpreted search of
the CPU finds: the last digits of real numbers are the same only there.
"""

from __future__ import annotations

import hashlib
import sys
import warnings

import numpy as np

import bottega
from bottega.bots import guided, net
from bottega.bots.steering import steering
from bottega.train import searches
from bottega.train.searches import Forest, Searches
from tests.bots.test_net import random_net

TABLES, ITERATIONS, MOVES = 3, 9, 12


def digest(name: str, players: int, device: str) -> str:
    """What is found at some tables where a few random moves were made; one of them is left out."""
    game = bottega.game(name)
    kit, weights = game.kit(), net.compact(random_net(game))
    knobs = np.zeros(guided.KNOBS)
    usual = steering(name, players, guided=True).knobs
    knobs[: len(usual)] = usual
    knobs[guided.AHEAD] = 0.0
    knobs[guided.WIDTH] = 4.0
    knobs[[guided.LESSON, guided.KEPT]] = 2.0, 0.9
    batch = bottega.batch(name, TABLES, players, seed=3, threads=1)
    for _ in range(MOVES):
        batch.step(batch.random())
    choices = np.bitwise_count(batch.legal(packed=True)).sum(1) > 1
    seats = np.where(choices & (np.arange(TABLES) != 1), batch.waiting, -1)
    random = np.random.default_rng(5)
    seeds = random.integers(0, 1 << 62, TABLES)
    noise = random.gumbel(size=(TABLES, game.actions)).astype(np.float32)
    how = game, kit, TABLES, ITERATIONS, knobs
    if device == "cpu":
        search = Searches(*how)
        search.take(weights)
        found = search.search([batch.state], seats, seeds.astype(np.uint64), noise)
    else:
        found = on_gpu(how, weights).search([batch.state], seats, seeds, noise)
    asked = seats >= 0
    whole = hashlib.sha256()
    for array in (found.policy, found.worth, found.drawn, found.action):
        whole.update(np.ascontiguousarray(np.asarray(array)[asked]).tobytes())
    for at in np.flatnonzero(asked):
        whole.update(np.asarray(found.first)[at, :players].tobytes())
    return f"{name} {players} {int(asked.sum())}: {whole.hexdigest()}"


def on_gpu(how: tuple, weights: net.Net) -> Forest:
    """A forest that asks the same network, leaf by leaf."""
    sheet = net.new_sheet(weights)

    def answer() -> None:
        leaves = [getattr(array, "array", array) for array in forest.leaves]
        for at in np.flatnonzero(np.asarray(forest._actors) != guided.NOBODY):
            net.ask(weights, leaves[0][at], leaves[1][at, 0], sheet)
            leaves[2][at] = sheet.scores
            leaves[3][at] = sheet.chances

    forest = Forest(*how, answer)
    return forest


if __name__ == "__main__":
    # Words count modulo 2**64; the simulator's threads do not know that this is meant.
    warnings.simplefilter("ignore", RuntimeWarning)
    searches.BLOCK = 4  # the simulator starts a thread of Python for each
    for name, players in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        print(digest(name, int(players), "cuda"), digest(name, int(players), "cpu"), sep="\n")
