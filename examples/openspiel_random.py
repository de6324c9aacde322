"""Random play of a game loaded by OpenSpiel.

python examples/openspiel_random.py one-card-wonder --players 5
"""

from __future__ import annotations

import argparse
import random

import pyspiel

import bottega
from bottega.envs import openspiel


def main(arguments: list[str] | None = None) -> list[float]:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("game", nargs="?", default="splendor", choices=bottega.games())
    options.add_argument("--players", type=int)
    options.add_argument("--limit", type=int, default=2000, help="decisions")
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args(arguments)

    wanted = bottega.game(asked.game)
    players = asked.players or wanted.seats[0]
    game = pyspiel.load_game(
        openspiel.name(wanted),  # e.g. bottega_splendor
        {"players": players, "limit": asked.limit, "seed": asked.seed},
    )
    chance = random.Random(asked.seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, _ = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(outcomes[0])
        else:
            state.apply_action(chance.choice(state.legal_actions()))
    print(state)
    print(f"{state.move_number()} moves; returns {state.returns()}")
    return list(state.returns())


if __name__ == "__main__":
    main()
