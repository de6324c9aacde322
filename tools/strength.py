"""Measure the bots' levels against each other: `python tools/strength.py splendor --out FILE`.

Each pairing plays the same deals from every seat, until the 95 % interval of the first bot's
wins clears its even share, `--games` at most. Games are played side by side by processes, each
search on one thread (a search of so many iterations plays alike on any number of machines).
`--table FILES` turns the results into the tables of docs/strength.md.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import bottega
from bottega.bots import LEVELS
from bottega.bots.search import SearchBot
from bottega.lab import arena
from bottega.lab.lineup import Named
from bottega.lab.simulate import wilson

STRONGEST = max(LEVELS)


def named(game: str, level: int) -> Named:
    """A level as a bot of the arena; one that searches, by its number of iterations."""
    bot = LEVELS[level].make(0)
    if isinstance(bot, SearchBot):
        return Named("search", iterations=bot.budget(bottega.game(game)))
    return Named(bot.name)


def pairings(game: str) -> list[tuple[str, int, Named, Named]]:
    """What is measured: a title, the players, the bot and those it meets."""
    two = [
        (f"level {level} against level {level - 1}", 2, named(game, level), named(game, level - 1))
        for level in sorted(LEVELS)
        if level > 1
    ]
    two.append((f"level {STRONGEST} against greedy", 2, named(game, STRONGEST), Named("greedy")))
    few = named(game, 4).iterations or 0
    many = Named("search", iterations=4 * few)
    two.append(("four times the budget of level 4", 2, many, named(game, 4)))
    if bottega.game(game).seats[1] >= 4:
        two.append(
            (f"level {STRONGEST} among three of level 3", 4, named(game, STRONGEST), named(game, 3))
        )
    return two


class Processes:
    """The arena's hands: a pool of processes, for a while."""

    def __init__(self, pool: ProcessPoolExecutor, seconds: float) -> None:
        self.pool = pool
        self.until = time.monotonic() + seconds

    def play(self, contest: arena.Contest, bouts: Iterable[arena.Bout]) -> Iterator[dict[str, Any]]:
        games = [self.pool.submit(arena.play, contest, bout) for bout in bouts]
        for game in games:
            if time.monotonic() > self.until:
                for other in games:  # those at hand are played to their end
                    other.cancel()
            if not game.cancelled():
                yield game.result()


def measure(
    game: str, games: int, only: str, seconds: float, pool: ProcessPoolExecutor
) -> Iterator[dict[str, Any]]:
    """Play the pairings of a game, one after the other."""
    for title, players, one, two in pairings(game):
        if only not in title:
            continue
        hands = Processes(pool, seconds)
        contest = arena.Contest(game, players, (one, two), "gauntlet")
        results = arena.run(contest, games, hands, arena.Results(contest), until_clear=True)
        wins, played = arena.won(results.rows, str(one))
        low, high = wilson(wins, played) if played else (0.0, 1.0)
        yield {
            "game": game, "pairing": title, "players": players, "bot": str(one),
            "against": str(two), "games": played, "share": wins / max(1, played), "low": low,
            "high": high, "unfinished": len(results.rows) - played,
        }  # fmt: skip


def solo(game: str, games: int, only: str, pool: ProcessPoolExecutor) -> Iterator[dict[str, Any]]:
    """How often each level wins a solo game."""
    for level in sorted(LEVELS):
        title = f"solo, level {level}"
        if only not in title:
            continue
        wins = sum(pool.map(solo_game, repeat(game), repeat(level), range(games)))
        low, high = wilson(wins, games)
        yield {
            "game": game, "pairing": title, "players": 1,
            "bot": str(named(game, level)), "against": "", "games": games, "share": wins / games,
            "low": low, "high": high, "unfinished": 0,
        }  # fmt: skip


def solo_game(game: str, level: int, seed: int) -> int:
    match = bottega.game(game).new(1, seed, limit=arena.LIMIT)
    bot = named(game, level).make(seed)
    while not match.over:
        match.play(0, bot.choose(match, 0))
    return len(match.winners)


def table(rows: list[dict[str, Any]]) -> str:
    """The results as Markdown."""
    lines = ["| pairing | games | wins | 95 % interval |", "|---|---|---|---|"]
    for row in rows:
        interval = f"{row['low']:.1%} to {row['high']:.1%}"
        lines.append(f"| {row['pairing']} | {row['games']} | {row['share']:.1%} | {interval} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games_of", nargs="*", metavar="GAME")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--only", default="", help="pairings with these words in their titles")
    parser.add_argument("--seconds", type=float, default=1e9, help="for each pairing at most")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    parser.add_argument("--table", nargs="*", type=Path, help="print tables of earlier results")
    asked = parser.parse_args()
    if asked.table:
        rows = [json.loads(line) for file in asked.table for line in file.read_text().splitlines()]
        for game in dict.fromkeys(row["game"] for row in rows):
            print(f"\n### {bottega.game(game).title}\n")
            print(table([row for row in rows if row["game"] == game]))
        return
    with ProcessPoolExecutor(asked.workers) as pool:
        for game in asked.games_of or bottega.games():
            found = measure(game, asked.games, asked.only, asked.seconds, pool)
            for row in found:
                keep(row, asked.out)
            if bottega.game(game).seats[0] == 1:
                for row in solo(game, min(asked.games, 100), asked.only, pool):
                    keep(row, asked.out)


def keep(row: dict[str, Any], file: Path | None) -> None:
    print(json.dumps(row), flush=True)
    if file:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
