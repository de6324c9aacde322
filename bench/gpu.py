"""The rules on a GPU: the same to the last bit as on the CPU, and how fast.

    python bench/gpu.py [GAME ...]

needs a CUDA GPU and numba-cuda (`pip install 'bottega[gpu]'`). For each game it checks that
play-outs and steps give the same results and the same records as on the CPU, and measures
play-outs and steps with masks and observations. A log of such a run is kept in `bench/results`.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numba
import numpy as np

import bottega
from bottega.engine.runs import Plan
from bottega.envs.cuda import cuda_playouts, find_cuda

LIMIT = 1000  # decisions a game; random play need not end by itself
TABLES = 65_536
STEPS = 100


def check_playouts(game: str, players: int, games: int = 4096) -> str:
    """Whole games: places, scores, lengths and ends."""
    one = bottega.playouts(game, games, players, seed=5, limit=LIMIT)
    two = bottega.playouts(game, games, players, seed=5, limit=LIMIT, device="cuda")
    parts = ("places", "scores", "lengths", "ends")
    same = all(np.array_equal(getattr(one, part), getattr(two, part)) for part in parts)
    return f"{games} play-outs {'identical' if same else 'DIFFER'} ({one.decisions} decisions)"


def check_steps(game: str, players: int, tables: int = 2048, steps: int = 300) -> str:
    """Batches on both, given the same actions: the records, masks and observations."""
    one = bottega.batch(game, tables, players, seed=3, limit=LIMIT)
    two = bottega.batch(game, tables, players, seed=3, limit=LIMIT, device="cuda")
    for step in range(steps):
        actions = np.array(one.random())
        one.step(actions)
        two.step(actions)
        if step % 50 == 49 and not same_batches(one, two):
            return f"steps DIFFER after {step + 1}"
    return f"{tables} tables x {steps} steps identical, masks and observations too"


def same_batches(one: Any, two: Any) -> bool:
    pairs = [(one.state, two.state), (one.legal(packed=True), two.legal(packed=True))]
    pairs.append((one.encode(), two.encode()))
    return all(host(a).tobytes() == host(b).tobytes() for a, b in pairs)


def host(array: Any) -> np.ndarray[Any, Any]:
    """An array on this side."""
    inner = getattr(array, "array", array)
    copy = inner.copy_to_host() if hasattr(inner, "copy_to_host") else np.asarray(inner)
    return np.ascontiguousarray(copy)


def time_playouts(game: str, players: int, seconds: float = 2.0) -> float:
    """Decisions a second in whole games of random legal play, dealing included."""
    found = bottega.game(game)
    games, rate = 1 << 16, 0.0
    for _ in range(7):
        plan = Plan.make(found, players, games, 1, LIMIT, "default", {})
        started = time.perf_counter()
        outcomes = cuda_playouts(plan)
        took = time.perf_counter() - started
        rate = max(rate, outcomes.decisions / took)
        if took > seconds:
            break
        games *= 2
    return rate


def time_steps(game: str, players: int, tables: int) -> float:
    """Steps a second with masks and observations, random legal actions chosen on the GPU."""
    cuda = find_cuda()
    batch = bottega.batch(game, tables, players, seed=1, limit=LIMIT, device="cuda")
    best = 0.0
    for repeat in range(4):
        cuda.synchronize()
        started = time.perf_counter()
        for _ in range(STEPS):
            batch.step(batch.random())
            batch.legal(packed=True)
            batch.encode()
        cuda.synchronize()
        if repeat:
            best = max(best, STEPS * tables / (time.perf_counter() - started))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    asked = parser.parse_args()
    device = find_cuda().get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    print(f"{name}; numba {numba.__version__}, numpy {np.__version__}", flush=True)
    for game in asked.games or bottega.games():
        seats = bottega.game(game).seats
        players = max(2, seats[0])
        started = time.perf_counter()
        for number in sorted({players, seats[1]}):
            print(f"{game}, {number} players: {check_playouts(game, number)}", flush=True)
            print(f"{game}, {number} players: {check_steps(game, number)}", flush=True)
        print(f"{game}: checked in {time.perf_counter() - started:.0f} s, compiling included")
        rate = time_playouts(game, players)
        print(f"{game}, {players} players: play-outs {rate / 1e6:,.0f} million decisions a second")
        for tables in (TABLES, 4 * TABLES):
            rate = time_steps(game, players, tables)
            print(
                f"{game}, {players} players: step + legal + encode {rate / 1e6:,.1f} million a "
                f"second, {tables} tables",
                flush=True,
            )


if __name__ == "__main__":
    main()
