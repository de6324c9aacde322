"""A random agent in one seat, against bots: at one table, then at many.

python examples/gymnasium_random.py splendor --players 3 --opponents greedy
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np

import bottega
from bottega.envs import gymnasium as seats


def main(arguments: list[str] | None = None) -> float:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("game", nargs="?", default="splendor", choices=bottega.games())
    options.add_argument("--players", type=int)
    options.add_argument("--opponents", default="random")
    options.add_argument("--tables", type=int, default=256)
    options.add_argument("--steps", type=int, default=300)
    options.add_argument("--limit", type=int, default=2000, help="decisions")
    asked = options.parse_args(arguments)

    name = seats.name(bottega.game(asked.game))  # e.g. bottega/Splendor-v0
    settings = {"players": asked.players, "opponents": asked.opponents, "limit": asked.limit}

    env = gymnasium.make(name, **settings)
    _, info = env.reset(seed=1)
    reward, over = 0.0, False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    print(f"one table: the game ended with {reward:+.2f}")

    envs = gymnasium.make_vec(name, num_envs=asked.tables, **settings)
    _, info = envs.reset(seed=1)
    chance = np.random.default_rng(1)
    rewards = []
    for _ in range(asked.steps):
        # The largest of random numbers, among those of legal actions.
        scores = chance.random(info["action_mask"].shape) * info["action_mask"]
        _, reward, terminated, truncated, info = envs.step(scores.argmax(axis=1))
        rewards += reward[terminated | truncated].tolist()
    mean = float(np.mean(rewards)) if rewards else 0.0
    print(f"{asked.tables} tables: {len(rewards)} games ended, with {mean:+.2f} on average")
    return mean


if __name__ == "__main__":
    main()
