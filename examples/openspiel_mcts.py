"""OpenSpiel's own Monte Carlo tree searches at a table of Splendor, against random play.

`--search mcts` sees everything hidden, since it searches from a copy of the state; `--search
ismcts` draws what its seat cannot know anew for each simulation.

    python examples/openspiel_mcts.py --search ismcts --simulations 200 --games 10
"""

from __future__ import annotations

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.bots import uniform_random

import bottega
from bottega.envs import openspiel


def main(arguments: list[str] | None = None) -> float:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--game", default="splendor", choices=bottega.games())
    options.add_argument("--search", default="mcts", choices=["mcts", "ismcts"])
    options.add_argument("--simulations", type=int, default=50)
    options.add_argument("--games", type=int, default=2)
    options.add_argument("--limit", type=int, default=400, help="decisions")
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args(arguments)

    name = openspiel.name(bottega.game(asked.game))
    game = pyspiel.load_game(name, {"players": 2, "seed": asked.seed, "limit": asked.limit})
    chance = np.random.RandomState(asked.seed)
    search = new_search(asked.search, game, asked.simulations, chance)
    total = 0.0
    for number in range(asked.games):
        seat = number % 2
        bots = [search, uniform_random.UniformRandomBot(1 - seat, chance)]
        total += play(game, bots if seat == 0 else bots[::-1])[seat]
        print(f"game {number + 1}: {asked.search} has {total:+.1f} in all", flush=True)
    return total / asked.games


def new_search(kind: str, game: pyspiel.Game, simulations: int, chance: np.random.RandomState):
    """One of OpenSpiel's searches, with random play-outs."""
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=chance)
    if kind == "mcts":
        return mcts.MCTSBot(game, 1.4, simulations, evaluator, random_state=chance)
    return ismcts.ISMCTSBot(
        game=game,
        uct_c=1.4,
        evaluator=evaluator,
        max_simulations=simulations,
        random_state=chance,
    )


def play(game: pyspiel.Game, bots: list) -> list[float]:
    """One game between bots; the returns."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        else:
            state.apply_action(bots[state.current_player()].step(state))
    return list(state.returns())


if __name__ == "__main__":
    main()
