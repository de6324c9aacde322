"""Measure the bots' levels against each other: `python tools/strength.py splendor --out FILE`.

Each pairing plays the same deals from every seat, until the 95 % interval of the first bot's wins
clears its even share, `--games` at most. All pairings are played side by side by processes, a
pairing that has had less time than the others first. A search counts iterations, so a game is the
same on any machine: `--out` keeps a line for each game, and a run that finds the file goes on where
the last one stopped. `--table FILES` turns the lines into the tables of docs/strength.md.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

import bottega
from bottega.bots import LEVELS
from bottega.bots.steering import GREEDY, steering
from bottega.lab import arena
from bottega.lab.lineup import Named
from bottega.lab.simulate import wilson

STRONGEST = max(LEVELS)
SOLO_GAMES = 100  # nobody to be compared with: a rate
# What is given four times, where level 4 does not search.
BUDGET = {"renaissance-man": 60, "artificium": 40}


def named(game: str, level: int, players: int) -> Named:
    """A level as a bot of the arena; one that searches, by its number of iterations."""
    step = steering(game, players).levels[level - 1]
    if step.iterations:
        return Named("search", iterations=step.iterations)
    return Named("greedy") if step == GREEDY else Named("search", level)


@dataclass
class Pairing:
    """A bot and those it meets, if any, and the games they have had."""

    game: str
    title: str
    bots: tuple[Named, ...]
    players: int = 2
    rows: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0  # that its games took in this run, those under way by a guess

    @property
    def contest(self) -> arena.Contest:
        return arena.Contest(self.game, self.players, self.bots, "gauntlet")

    def bouts(self, games: int) -> Iterator[arena.Bout]:
        """What is still to be played, at most."""
        has = {(row["deal"], row["turn"]) for row in self.rows}
        lineup = (0, *[1] * (self.players - 1))
        for bout in arena.bouts(self.contest, lineup, games):
            if (bout.deal, bout.turn) not in has:
                yield bout

    @property
    def usual(self) -> float:
        """How long a game takes, as far as is known."""
        return sum(row["seconds"] for row in self.rows) / len(self.rows) if self.rows else 10.0

    @property
    def decided(self) -> bool:
        return self.players > 1 and arena.clear(self.contest, self.rows, (0,))

    @property
    def line(self) -> str:
        """A line of the table."""
        wins, games = arena.won(self.rows, str(self.bots[0]))
        low, high = wilson(wins, games) if games else (0.0, 1.0)
        share = wins / max(1, games)
        return f"| {self.title} | {games} | {share:.1%} | {low:.1%} to {high:.1%} |"


def pairings(game: str) -> list[Pairing]:
    """What is measured."""
    levels = {level: named(game, level, 2) for level in sorted(LEVELS)}
    found = [
        Pairing(game, f"level {level} against level {level - 1}", (bot, levels[level - 1]))
        for level, bot in levels.items()
        if level > 1
    ]
    strongest, greedy = levels[STRONGEST], Named("greedy")
    if found[-1].bots == (strongest, greedy):
        found[-1].title += ", which is greedy"
    else:
        found.append(Pairing(game, f"level {STRONGEST} against greedy", (strongest, greedy)))
    budget = levels[4].iterations or BUDGET[game]
    once, fourfold = (Named("search", iterations=times * budget) for times in (1, 4))
    title = f"four times the budget: {4 * budget:,} iterations against {budget:,}"
    found.append(Pairing(game, title, (fourfold, once)))
    fewest, most = bottega.game(game).seats
    if most >= 4:
        title = f"level {STRONGEST} among three of level 3"
        found.append(Pairing(game, title, (named(game, STRONGEST, 4), named(game, 3, 4)), 4))
    if fewest == 1:
        found += [
            Pairing(game, f"solo, level {level}", (named(game, level, 1),), 1) for level in levels
        ]
    return found


def recall(found: list[Pairing], files: list[Path]) -> None:
    """Give the pairings the games that were played before."""
    games = defaultdict(list)
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            games[row["game"], row["pairing"], *sorted({*row["bots"]})].append(row)
    for pairing in found:
        names = sorted({str(bot) for bot in pairing.bots})
        pairing.rows = games[pairing.game, pairing.title, *names]


def warm(game: str) -> None:
    """Compile what plays a game, or load it: the clock of a pairing is not to count this."""
    match = bottega.game(game).new(2, 1)
    for bot in (Named("casual"), Named("greedy"), Named("search", iterations=1)):
        bot.make(0).choose(match, match.waiting[0])


def play(contest: arena.Contest, title: str, bout: arena.Bout) -> dict[str, Any]:
    """One game, in a process of the pool."""
    began = time.monotonic()
    row = arena.play(contest, bout)
    kept = {name: row[name] for name in ("deal", "turn", "bots", "scores", "won", "unfinished")}
    about = {"game": contest.game, "pairing": title}
    return {**about, **kept, "seconds": round(time.monotonic() - began, 1)}


def measure(
    found: list[Pairing], games: int, seconds: float, workers: int
) -> Iterator[tuple[Pairing, dict[str, Any]]]:
    """Play until every pairing is decided or has had its games, or the time is up."""
    todo = {
        id(pairing): pairing.bouts(SOLO_GAMES if pairing.players == 1 else games)
        for pairing in found
    }
    working: dict[Future[dict[str, Any]], tuple[Pairing, float]] = {}
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(warm, dict.fromkeys(pairing.game for pairing in found)))
        until = time.monotonic() + seconds
        while True:
            while len(working) < workers and time.monotonic() < until:
                due = [one for one in found if id(one) in todo and not one.decided]
                if not due:
                    break
                pairing = min(due, key=lambda one: one.seconds)
                bout = next(todo[id(pairing)], None)
                if bout is None:
                    del todo[id(pairing)]
                    continue
                guess = pairing.usual
                pairing.seconds += guess
                game = pool.submit(play, pairing.contest, pairing.title, bout)
                working[game] = pairing, guess
            if not working:
                return
            for done in wait(working, return_when=FIRST_COMPLETED).done:
                (pairing, guess), row = working.pop(done), done.result()
                pairing.seconds += row["seconds"] - guess
                pairing.rows.append(row)
                yield pairing, row


def table(found: list[Pairing]) -> str:
    """The results as Markdown."""
    lines = []
    for game in dict.fromkeys(pairing.game for pairing in found):
        lines += [f"\n### {bottega.game(game).title}\n"]
        lines += ["| pairing | games | wins | 95 % interval |", "|---|---|---|---|"]
        lines += [one.line for one in found if one.game == game and one.rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="GAME")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--only", action="append", default=[], help="words of a pairing's title")
    parser.add_argument("--seconds", type=float, default=1e9, help="no game begins after them")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("strength.jsonl"))
    parser.add_argument("--table", nargs="*", type=Path, help="print tables of earlier results")
    asked = parser.parse_args()
    found = [pairing for game in asked.names or bottega.games() for pairing in pairings(game)]
    if asked.table:
        recall(found, asked.table)
        print(table(found))
        return
    found = [one for one in found if not asked.only or any(it in one.title for it in asked.only)]
    if asked.out.exists():
        recall(found, [asked.out])
    told = Console(stderr=True)
    with asked.out.open("a", encoding="utf-8") as lines:
        for pairing, row in measure(found, asked.games, asked.seconds, asked.workers):
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            told.print(f"{pairing.game}: {pairing.line.strip('| ')}", highlight=False)
    print(table(found))


if __name__ == "__main__":
    main()
