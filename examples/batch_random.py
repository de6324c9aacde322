"""Random play at thousands of tables at once.

python examples/batch_random.py renaissance-man --tables 65536 --steps 100
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import bottega


def main(arguments: list[str] | None = None) -> float:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("game", nargs="?", default="splendor", choices=bottega.games())
    options.add_argument("--players", type=int)
    options.add_argument("--tables", type=int, default=4096)
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    asked = options.parse_args(arguments)

    batch = bottega.batch(asked.game, asked.tables, asked.players, device=asked.device)
    batch.step(batch.random())  # compiles
    ended = 0
    started = time.perf_counter()
    for _ in range(asked.steps):
        batch.legal()  # what the waiting seats may do
        batch.encode()  # what they know
        batch.step(batch.random())  # a policy would choose here
        ended += int(np.asarray(batch.done).sum())
    spent = time.perf_counter() - started
    steps = asked.steps * len(batch)
    print(f"{steps} decisions, {ended} games ended, {steps / spent / 1e6:.2f} million a second")
    return steps / spent


if __name__ == "__main__":
    main()
