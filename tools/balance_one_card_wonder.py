"""How often each wonder and each mat of One Card Wonder wins between greedy bots.

`python tools/balance_one_card_wonder.py` plays 10,000 games with two and with four players and
writes docs/balance-one-card-wonder.md; other numbers by option. Nothing may win less than 0.6 or
more than 1.6 times its even share.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bottega.bots.crowd import bots_worker, place
from bottega.bots.greedy import new_scratch
from bottega.engine.record import ENDED
from bottega.engine.runs import Outcomes, Plan
from bottega.games.one_card_wonder import GAME
from bottega.lab.simulate import wilson

PAGE = Path(__file__).parents[1] / "docs" / "balance-one-card-wonder.md"
LEAST, MOST = 0.6, 1.6  # times the even share
LIMIT = 3000  # decisions
CHUNK = 50
PROGRESS = Console(stderr=True)

Tally = dict[str, dict[int, list[int]]]  # kind of component, its number: games and wins


def play(plan: Plan, games: range) -> Tally:
    """Games between greedy bots, and who won with what."""
    scratch = new_scratch(GAME)
    work = bots_worker(plan, ["greedy"] * plan.players, scratch)
    tally: Tally = {"wonders": {}, "mats": {}, "seats": {}}
    for number in games:
        rows = Outcomes.empty(1, plan.players)
        work(number, rows.part(0, 1))
        for seat in range(plan.players):
            won = bool(rows.ends[0] == ENDED and rows.places[0, seat] == 1)
            player = place(scratch)["players"][seat]
            add(tally, "wonders", int(player["wonder"]), 1, won)
            add(tally, "mats", int(player["mat"]), 1, won)
            add(tally, "seats", seat, 1, won)
    return tally


def add(tally: Tally, kind: str, number: int, games: int, wins: int) -> None:
    row = tally.setdefault(kind, {}).setdefault(number, [0, 0])
    row[0] += games
    row[1] += wins


def measure(plan: Plan, threads: int) -> Tally:
    """All games, shared out over threads."""
    total: Tally = {}
    play(plan, range(1))  # compiles
    jobs = [range(at, min(at + CHUNK, plan.games)) for at in range(0, plan.games, CHUNK)]
    with ThreadPoolExecutor(threads) as pool:
        done = pool.map(lambda games: play(plan, games), jobs)
        for tally in track(done, f"{plan.players} players", len(jobs), console=PROGRESS):
            for kind, rows in tally.items():
                for number, (games, wins) in rows.items():
                    add(total, kind, number, games, wins)
    return total


def table_of(names: list[str], rows: dict[int, list[int]], players: int) -> tuple[list[str], bool]:
    """A Markdown table, best first, and whether all are within bounds."""
    lines = ["| | games | wins | 95 % interval | times even share |", "|---|---|---|---|---|"]
    fair = True
    order = sorted(rows, key=lambda number: -rows[number][1] / rows[number][0])
    for number in order:
        games, wins = rows[number]
        low, high = wilson(wins, games)
        times = players * wins / games
        fair &= LEAST <= times <= MOST
        mark = "" if LEAST <= times <= MOST else " **!**"
        lines.append(
            f"| {names[number]} | {games} | {wins / games:.1%} | {low:.1%} to {high:.1%} "
            f"| {times:.2f}{mark} |"
        )
    return lines, fair


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--players", default="2,4")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kit", default="default")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dry", action="store_true", help="print, do not write the page")
    asked = parser.parse_args()
    kit = GAME.kit(asked.kit)
    page = [
        "# One Card Wonder: balance",
        "",
        f"Kit {kit.name} {kit.hash}: {asked.games} games between greedy bots for each number of "
        f"players, seeds from {asked.seed}, default options (wonders are drafted, mats chosen). "
        "Made by `python tools/balance_one_card_wonder.py`. A wonder, mat or seat wins its even "
        "share when it wins once in as many games as there are players; nothing may win less than "
        f"{LEAST} or more than {MOST} times that.",
    ]
    fair = True
    for players in map(int, asked.players.split(",")):
        plan = Plan.make(GAME, players, asked.games, asked.seed, LIMIT, kit, {})
        tally = measure(plan, asked.threads)
        for kind, names in (
            ("wonders", [entry["name"] for entry in kit.words["wonders"]]),
            ("mats", [entry["name"] for entry in kit.words["mats"]]),
            ("seats", [f"Seat {seat}" for seat in range(players)]),
        ):
            lines, within = table_of(names, tally[kind], players)
            fair &= within or kind == "seats"
            page += ["", f"## {kind.capitalize()}, {players} players", "", *lines]
    text = "\n".join(page) + "\n"
    if asked.dry:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        print(PAGE)
    if not fair:
        sys.exit("something wins too often or too seldom")


if __name__ == "__main__":
    main()
