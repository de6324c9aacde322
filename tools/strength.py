"""Measure the bots' levels against each other: `python tools/strength.py splendor --out FILE`.

Each pairing plays the same deals from every seat, `--games` at most; with `--until-clear`, until
the 95 % interval of the first bot's wins clears its even share. All pairings are played side by
side by processes, a pairing that has had less time than the others first. Where a search counts
iterations, a game is the same on any machine; where it counts seconds, they are of the work of its
one core, so that a busy machine does not change what is compared. `--out` keeps a line for each
game, and a run that finds the file goes on where the last one stopped. `--table FILES` turns the
lines into the tables of docs/strength.md.
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
from bottega.bots import LEVELS, SEARCHES, search
from bottega.lab import arena
from bottega.lab.lineup import Named
from bottega.lab.simulate import wilson

STRONGEST = max(LEVELS)
SOLO_GAMES = 100  # nobody to be compared with: a rate
SECONDS = 0.2  # for a decision, where time is compared
FOURFOLD = 4


def timed(name: str, times: float = 1) -> Named:
    return Named(name, seconds=times * SECONDS)


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
    levels = {level: Named("search", level) for level in sorted(LEVELS)}
    found = [
        Pairing(game, f"level {level} against level {level - 1}", (bot, levels[level - 1]))
        for level, bot in levels.items()
        if level > 1
    ]
    strongest, greedy = levels[STRONGEST], Named("greedy")
    found += [
        Pairing(game, "level 1 against random", (levels[1], Named("random"))),
        Pairing(game, "learned against greedy", (Named("learned"), greedy)),
        Pairing(game, "0.2 s against classic 0.2 s", (timed("search"), timed("classic"))),
        Pairing(game, "0.8 s against 0.2 s", (timed("search", FOURFOLD), timed("search"))),
        Pairing(game, "0.2 s against 0.05 s", (timed("search"), timed("search", 1 / FOURFOLD))),
    ]
    fewest, most = bottega.game(game).seats
    many = min(4, most)
    classic = Named("classic", STRONGEST)
    others = f"among {many - 1} of classic"
    found += [
        Pairing(game, f"level 5 {others} level 5", (strongest, classic), many),
        Pairing(game, f"0.2 s {others} 0.2 s", (timed("search"), timed("classic")), many),
    ]
    for players in range(max(3, fewest), most + 1):
        title = f"learned among {players - 1} greedy"
        found.append(Pairing(game, title, (Named("learned"), greedy), players))
        found += [
            Pairing(
                game,
                f"level {level} among {players - 1} of level {level - 1}",
                (bot, levels[level - 1]),
                players,
            )
            for level, bot in levels.items()
            if level > 1
        ]
    if fewest == 1:
        found += [Pairing(game, f"solo, level {level}", (bot,), 1) for level, bot in levels.items()]
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
    for bot in (Named("learned"), Named("greedy"), *(Named(n, iterations=1) for n in SEARCHES)):
        bot.make(0).choose(match, match.waiting[0])


def count_work() -> None:
    """Seconds of a search are those that it works itself, on its one core, however busy the machine
    is."""
    search.clock = time.thread_time


def play(contest: arena.Contest, title: str, bout: arena.Bout) -> dict[str, Any]:
    """One game, in a process of the pool."""
    began = time.monotonic()
    row = arena.play(contest, bout)
    kept = {name: row[name] for name in ("deal", "turn", "bots", "scores", "won", "unfinished")}
    about = {"game": contest.game, "pairing": title}
    return {**about, **kept, "seconds": round(time.monotonic() - began, 1)}


def measure(
    found: list[Pairing], games: int, seconds: float, workers: int, until_clear: bool
) -> Iterator[tuple[Pairing, dict[str, Any]]]:
    """Play until every pairing has had its games or, `until_clear`, is decided, or time is up."""
    todo = {
        id(pairing): pairing.bouts(SOLO_GAMES if pairing.players == 1 else games)
        for pairing in found
    }
    working: dict[Future[dict[str, Any]], tuple[Pairing, float]] = {}
    with ProcessPoolExecutor(workers, initializer=count_work) as pool:
        list(pool.map(warm, dict.fromkeys(pairing.game for pairing in found)))
        until = time.monotonic() + seconds
        while True:
            while len(working) < workers and time.monotonic() < until:
                due = [
                    one for one in found if id(one) in todo and not (until_clear and one.decided)
                ]
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
    parser.add_argument("--until-clear", action="store_true", help="no more than is needed")
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
    how = asked.games, asked.seconds, asked.workers, asked.until_clear
    with asked.out.open("a", encoding="utf-8") as lines:
        for pairing, row in measure(found, *how):
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            told.print(f"{pairing.game}: {pairing.line.strip('| ')}", highlight=False)
    print(table(found))


if __name__ == "__main__":
    main()
