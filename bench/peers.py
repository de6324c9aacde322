"""Random legal play side by side: our Splendor, and OpenSpiel's leduc_poker driven from Python.

    pip install -e '.[bench]'
    python bench/peers.py [--json]

Both play whole games on one core, in turns, in the same process; legal moves are computed at
every step and dealing is included. OpenSpiel's moves include the cards that chance deals, ours
are decisions alone. Best of the repeats.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pyspiel
from rich import box
from rich.console import Console
from rich.table import Table

import bottega
from bottega.engine.runs import Outcomes, Plan, random_worker
from bottega.lab.bench import describe, machine, number

REPEATS = 5
SECONDS = 1.0  # that one repeat takes at least
GOAL = 10  # times as many moves

Play = Callable[[int], int]  # plays so many games; the number of moves


def splendor(players: int) -> Play:
    """Our compiled play-outs."""
    plan = Plan.make(bottega.game("splendor"), players, 1, 1, 0, "default", {})
    work = random_worker(plan)

    def play(games: int) -> int:
        outcomes = Outcomes.empty(games, players)
        work(0, outcomes.part(0, games))
        return outcomes.decisions

    return play


def open_spiel(name: str) -> Play:
    """OpenSpiel's usual loop: ask for the legal actions, choose one, apply it."""
    game = pyspiel.load_game(name)
    chance = random.Random(1).random

    def play(games: int) -> int:
        moves = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                # At chance nodes, too, any legal action: here all outcomes are equally likely.
                actions = state.legal_actions()
                state.apply_action(actions[int(chance() * len(actions))])
                moves += 1
        return moves

    return play


def compare(contenders: dict[str, Play]) -> dict[str, float]:
    """Moves a second of each, in turns, so that they meet the same conditions."""
    games = {name: enough(play) for name, play in contenders.items()}
    best = dict.fromkeys(contenders, 0.0)
    for _ in range(REPEATS):
        for name, play in contenders.items():
            best[name] = max(best[name], speed(play, games[name])[0])
    return best


def enough(play: Play) -> int:
    """How many games take the time of a repeat; the first call warms up."""
    games = 1
    play(games)
    while (spent := speed(play, games)[1]) < SECONDS:
        games = max(2 * games, round(1.1 * games * SECONDS / spent))
    return games


def speed(play: Play, games: int) -> tuple[float, float]:
    started = time.perf_counter()
    moves = play(games)
    spent = time.perf_counter() - started
    return moves / spent, spent


def show(figures: dict[str, Any]) -> None:
    console = Console(highlight=False)
    table = Table("Game", box=box.SIMPLE)
    table.add_column("moves/s, one core", justify="right")
    table.add_column(f"times {figures['peer']}", justify="right")
    for name, moves in figures["moves"].items():
        table.add_row(name, number(moves), f"{moves / figures['moves'][figures['peer']]:.1f}")
    console.print(table)
    console.print(f"Goal, {GOAL} times: {'met' if figures['met'] else 'missed'}.")
    console.print(f"[dim]{describe(figures['machine'])} open_spiel {figures['open_spiel']}.[/dim]")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--json", action="store_true", help="print JSON in place of a table")
    as_json = arguments.parse_args().json
    peer = "leduc_poker (OpenSpiel, from Python)"
    ours = {f"splendor, {players} players (Bottega)": splendor(players) for players in (2, 3, 4)}
    moves = compare(ours | {peer: open_spiel("leduc_poker")})
    figures = {
        "moves": moves,
        "peer": peer,
        "ratio": min(moves[name] for name in ours) / moves[peer],
        "met": all(moves[name] >= GOAL * moves[peer] for name in ours),
        "machine": machine(),
        "open_spiel": version("open_spiel"),
    }
    print(json.dumps(figures, indent=2)) if as_json else show(figures)


if __name__ == "__main__":
    main()
