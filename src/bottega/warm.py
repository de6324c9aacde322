"""Compiling everything that is compiled: at once (`bottega warm`), or as it is wanted by another
process (`python -m bottega.warm`, see `engine/elsewhere.py`).

What a function is compiled for is best said by calling it. So each step here calls one entry into
the rules, at a table of its own.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile

import numpy as np

import bottega
from bottega.bots import loops as bot_loops
from bottega.bots import net, waking
from bottega.bots.crowd import bots_worker
from bottega.bots.greedy import GreedyBot
from bottega.bots.policy import opinion
from bottega.bots.search import ClassicBot, SearchBot
from bottega.engine import loops, progress
from bottega.engine.compile import DOOR, compiling_doors
from bottega.engine.elsewhere import DONE, FAILED, FIRST
from bottega.engine.errors import BottegaError
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.engine.runs import Outcomes, Plan, random_worker

BEHIND = 10  # how far the other process stands behind everything else, as `nice` counts
GUESTS_SEEN = 80  # decisions after which somebody was invited, if anybody ever is

Step = Callable[[], object]


def at_hand(game: Game) -> bool:
    """Whether all that a table of people needs is compiled."""
    learned = (bot_loops.open_mind, *waking.GUIDED) if net.shipped(game) else ()
    doors = (value for value in vars(loops).values() if hasattr(value, DOOR))
    return waking.is_there(game, (bot_loops.open_greedy, *learned, *waking.PLAIN, *doors))


def table(game: Game) -> tuple[Match, int]:
    """A table at its start, where there is something to choose, and who chooses."""
    match = game.new(game.seats[1], seed=0)
    return match, match.waiting[0]


def invites(game: Game) -> bool:
    """Whether seats may act that owe nothing."""
    match, _ = table(game)
    chance = random.Random(0)
    for _ in range(GUESTS_SEEN):
        if match.over or match.invited:
            break
        seat = match.waiting[0]
        match.play(seat, chance.choice(match.legal_numbers(seat)))
    return bool(match.invited)


def bots_of(game: Game) -> Iterator[Step]:
    """What bots decide by: all levels are made of these."""
    match, seat = table(game)
    greedy = GreedyBot()
    yield lambda: greedy.choose(match, seat)
    if invites(game):
        yield lambda: greedy.consider(match, seat)
    if learned := net.shipped(game):
        yield lambda: opinion(match, seat, learned)
        guided = SearchBot(iterations=1)
        yield lambda: guided.think(match, seat)
        yield lambda: guided.choose(match, seat)
    plain = ClassicBot(iterations=1)
    yield lambda: plain.think(match, seat)
    yield lambda: plain.choose(match, seat)


def doors_of(game: Game) -> Iterator[Step]:
    """What a `Match` asks the rules."""
    match, seat = table(game)
    yield lambda: game.new(game.seats[1], seed=0)
    yield lambda: match.mask(seat)
    yield lambda: (match.waiting, match.invited)
    yield lambda: match.play(seat, match.legal_numbers(seat)[0])
    yield lambda: match.standings
    yield lambda: match.concealed(0, 0)
    yield lambda: match.chances(samples=1)
    yield lambda: match.encode(0)


def envs_of(game: Game) -> Iterator[Step]:
    """The environments: with one table, with many, and against bots."""
    from bottega.envs.episode import Episode, Rules
    from bottega.envs.seats import SeatTables

    episode = Episode(Rules(game), 0)
    yield lambda: episode.ask()
    yield lambda: episode.rules.settle(
        episode.rules.kit.record,
        episode.table,
        np.zeros((episode.rules.players, 2), np.int64),
        np.zeros(episode.rules.players, np.float32),
    )
    yield lambda: bottega.batch(game.name, 2)
    batch = bottega.batch(game.name, 2, threads=1)
    yield batch.legal
    yield batch.random
    yield lambda: batch.step(batch.random())
    yield batch.encode
    yield batch.judge
    seats = SeatTables(plan(game, 2), threads=1)
    yield lambda: seats.reset(0)


def runs_of(game: Game) -> Iterator[Step]:
    """Many games at once."""
    what = plan(game, 2)
    rows = Outcomes.empty(1, what.players).part(0, 1)
    yield lambda: random_worker(what)(0, rows)
    yield lambda: bots_worker(what, ["random"] * what.players)(0, rows)


def plan(game: Game, games: int) -> Plan:
    return Plan.make(game, None, games, 0, 10_000, "default", {})


# By the part of the package to which their doors belong. `lab` has none: its loops are compiled
# whenever they are called.
STEPS = {"bots": bots_of, "engine": doors_of, "envs": envs_of, "lab": runs_of}


class Wish:
    """A part of the package for a game, compiled step by step."""

    def __init__(self, game: str, part: str) -> None:
        self.game = game
        self.part = part
        self._steps: Iterator[Step] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wish) and (self.game, self.part) == (other.game, other.part)

    __hash__ = None  # type: ignore[assignment]

    def step(self) -> bool:
        """Compile one entry more; whether there was one."""
        if self._steps is None:
            self._steps = STEPS[self.part](bottega.game(self.game))
        entry = next(self._steps, None)
        if entry is None:
            return False
        with compiling_doors(self.part):
            entry()
        return True


class Wishes:
    """What is wanted, the next first."""

    def __init__(self) -> None:
        self._wishes: list[Wish] = []
        self._there = threading.Condition()

    def add(self, line: str) -> None:
        """A wish as `elsewhere` writes it. What is wanted first overtakes all the others."""
        game, part, *how = line.split()
        wish = Wish(game, part)
        with self._there:
            if wish in self._wishes:
                wish = self._wishes.pop(self._wishes.index(wish))
            ahead = takewhile(lambda other: other.game == game, self._wishes)
            self._wishes.insert(len(list(ahead)) if FIRST in how else len(self._wishes), wish)
            self._there.notify()

    def first(self) -> Wish:
        """What is wanted most; waits for it."""
        with self._there:
            self._there.wait_for(lambda: self._wishes)
            return self._wishes[0]

    def remove(self, wish: Wish) -> None:
        with self._there:
            self._wishes.remove(wish)


def work(wishes: Wishes, done: Callable[..., object]) -> None:
    """Fulfil wishes, step by step; a wish that comes first is next. `done` hears of each step, and
    with one word more of the end of a wish."""
    while True:
        wish = wishes.first()
        end = DONE
        try:
            if wish.step():
                done(wish.game, wish.part)
                continue
        except Exception:  # a game that is known only to who wished, say; the others go on
            traceback.print_exc()
            end = FAILED
        wishes.remove(wish)
        done(wish.game, wish.part, end)


def serve(lines: Iterable[str]) -> None:
    """Another process that compiles what it is told, and ends with whoever tells it."""
    progress.silent = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    wishes = Wishes()
    worker = threading.Thread(
        target=work, args=[wishes, lambda *kept: print(*kept, flush=True)], daemon=True
    )
    worker.start()
    for line in lines:
        wishes.add(line)
    os._exit(0)  # in the midst of compiling, too


def check_kept(game: Game) -> None:
    """Refuse to compile what cannot be kept."""
    game.code(loops.open_begin)
    if not game.code.keeps:
        raise BottegaError(
            "there is no folder to keep machine code in; NUMBA_CACHE_DIR can name one"
        )


def everything(games: list[str], jobs: int, done: Callable[[int], object] = lambda _: None) -> None:
    """Compile all there is for some games, each in a process of its own, so many at a time;
    `done` hears of each of the `len(STEPS)` parts of a game that is done."""
    processes: list[subprocess.Popen[str]] = []

    def compile_all(game: str) -> list[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "bottega.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{game} {part}\n" for part in STEPS))
        process.stdin.flush()
        kept = []
        for line in process.stdout:
            _, part, *end = line.split()
            if end:
                done(1)
                kept += [part] if end == [DONE] else []
                if part == list(STEPS)[-1]:
                    break
        process.kill()
        return [f"{game} {part}" for part in STEPS if part not in kept]

    try:
        with ThreadPoolExecutor(jobs) as pool:
            failed = [one for left in pool.map(compile_all, games) for one in left]
    finally:
        for process in processes:
            process.kill()
    if failed:
        raise BottegaError(f"not compiled: {', '.join(failed)}")


if __name__ == "__main__":
    serve(sys.stdin)
