"""How often each wonder and each mat of One Card Wonder wins between greedy bots.

`python tools/balance_one_card_wonder.py` plays 10,000 games with two and with four players and
writes docs/balance-one-card-wonder.md; other numbers by option. Nothing may win less than 0.6 or
more than 1.6 times its even share.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bottega.bots import loops
from bottega.bots.greedy import Scratch
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.record import ENDED, blank
from bottega.engine.runs import Outcomes
from bottega.games.one_card_wonder import GAME

PAGE = Path(__file__).parents[1] / "docs" / "balance-one-card-wonder.md"
LEAST, MOST = 0.6, 1.6  # times the even share
LIMIT = 3000  # decisions
CHUNK = 50

Tally = dict[str, dict[int, list[int]]]  # kind of component, its number: games and wins


def play(kit: Kit, players: int, seeds: range, options: Any) -> Tally:
    """Games between greedy bots, and who won with what."""
    scratch = Scratch(GAME)
    between = GAME.code(loops.games_between)
    kinds = np.full(players, loops.GREEDY, np.int64)
    empty = blank(GAME.table)
    tally: Tally = {"wonders": {}, "mats": {}, "seats": {}}
    for seed in seeds:
        rows = Outcomes.empty(1, players)
        between(
            kit.record,
            kinds,
            scratch.tables,
            empty,
            scratch.masks,
            scratch.choosers,
            scratch.chances,
            scratch.standing,
            options,
            players,
            np.uint64(seed),
            LIMIT,
            *rows.part(0, 1),
        )
        table = scratch.tables[loops.DEPTH + 1]
        for seat in range(players):
            won = bool(rows.ends[0] == ENDED and rows.places[0, seat] == 1)
            player = table["players"][seat]
            for kind, number in (
                ("wonders", int(player["wonder"])),
                ("mats", int(player["mat"])),
                ("seats", seat),
            ):
                row = tally[kind].setdefault(number, [0, 0])
                row[0] += 1
                row[1] += won
    return tally


def measure(game: Game, kit: Kit, players: int, games: int, seed: int, threads: int) -> Tally:
    """All games, shared out over threads."""
    options = game.check_options({})
    total: Tally = {}
    done = 0
    started = time.monotonic()
    play(kit, players, range(seed, seed + 1), options)  # compiles
    jobs = [range(at, min(at + CHUNK, seed + games)) for at in range(seed, seed + games, CHUNK)]
    with ThreadPoolExecutor(threads) as pool:
        for tally in pool.map(lambda seeds: play(kit, players, seeds, options), jobs):
            for kind, rows in tally.items():
                for number, (seats, wins) in rows.items():
                    row = total.setdefault(kind, {}).setdefault(number, [0, 0])
                    row[0] += seats
                    row[1] += wins
            done += CHUNK
            spent = time.monotonic() - started
            print(
                f"\r{players} players: {min(done, games)}/{games}, {spent:.0f} s",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)
    return total


def interval(wins: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate."""
    z = 1.96
    rate = wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = (
        z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    )
    return centre - half, centre + half


def table_of(names: list[str], rows: dict[int, list[int]], players: int) -> tuple[list[str], bool]:
    """A Markdown table, best first, and whether all are within bounds."""
    lines = ["| | games | wins | 95 % interval | times even share |", "|---|---|---|---|---|"]
    fair = True
    order = sorted(rows, key=lambda number: -rows[number][1] / rows[number][0])
    for number in order:
        games, wins = rows[number]
        low, high = interval(wins, games)
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
        tally = measure(GAME, kit, players, asked.games, asked.seed, asked.threads)
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
