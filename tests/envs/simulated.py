"""The kernels of a GPU in Numba's simulator, to be run in a process of its own.

    NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 python -m tests.envs.simulated GAME PLAYERS ...

Prints a digest of everything that a batch and some play-outs on the simulated GPU give, a line a
game; `digests` gives the same lines for a batch on the CPU.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import bottega
from bottega.engine.runs import Outcomes, Plan
from bottega.envs import cuda
from bottega.envs.batch import Batch, make, playouts

TABLES, STEPS, LIMIT, GAMES = 3, 20, 15, 4


def digests(name: str, players: int, device: str) -> Iterator[str]:
    """What happens in a batch, and in play-outs."""
    game = bottega.game(name)
    batch = make(game, TABLES, players, device=device, seed=11, limit=LIMIT, threads=1)
    yield f"{name} {players}: {digest(batch_trace(batch))}"
    plan = Plan.make(game, players, GAMES, 5, LIMIT, "default", {})
    yield f"{name} {players} play-outs: {digest(outcomes(plan, device))}"


def batch_trace(batch: Batch) -> Iterator[Any]:
    for _ in range(STEPS):
        yield batch.waiting
        yield batch.legal(packed=True)
        yield batch.legal()
        yield batch.encode()
        batch.step(batch.random())
        yield from (batch.state, batch.rewards, batch.done, batch.truncated, batch.standings)


def outcomes(plan: Plan, device: str) -> Iterator[Any]:
    if device == "cuda":
        played = cuda.cuda_playouts(plan, blocks=1, block=2)
    else:
        played = playouts(plan.game, plan.games, plan.players, seed=plan.seed, limit=plan.limit)
    assert isinstance(played, Outcomes)
    yield from played.part(0, plan.games)


def digest(arrays: Iterator[Any]) -> str:
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


if __name__ == "__main__":
    # Words count modulo 2**64; the simulator's threads do not know that this is meant.
    warnings.simplefilter("ignore", RuntimeWarning)
    cuda.BLOCK = 4  # the simulator starts a thread of Python for each
    for name, players in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        print(*digests(name, int(players), "cuda"), sep="\n")
