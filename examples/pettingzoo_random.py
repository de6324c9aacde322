"""Random agents at a PettingZoo table.

python examples/pettingzoo_random.py artificium --players 4 --show
"""

from __future__ import annotations

import argparse

import bottega
from bottega.envs import pettingzoo as zoo


def main(arguments: list[str] | None = None) -> dict[str, float]:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("game", nargs="?", default="splendor", choices=bottega.games())
    options.add_argument("--players", type=int)
    options.add_argument("--limit", type=int, default=2000, help="decisions")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", action="store_true", help="print the board after every decision")
    asked = options.parse_args(arguments)

    module = getattr(zoo, zoo.name(bottega.game(asked.game)))  # e.g. splendor_v0
    mode = "human" if asked.show else None
    env = module.env(players=asked.players, limit=asked.limit, render_mode=mode)
    env.reset(seed=asked.seed)
    returns = dict.fromkeys(env.agents, 0.0)
    decisions = 0
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        returns[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(info["action_mask"]))
            decisions += 1
    print(f"{decisions} decisions; returns {returns}")
    return returns


if __name__ == "__main__":
    main()
