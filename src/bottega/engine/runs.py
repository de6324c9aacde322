"""Many games at once: shared out over threads, each with its own tables and seeds.

Compiled games release Python's lock, so threads use all cores. Game g of a run depends on the
run's seed and on g alone: the same numbers come out of any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bottega.engine import loops
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_LIMIT, MOST_SEED, Game, check_number
from bottega.engine.kit import Kit
from bottega.engine.option import Value
from bottega.engine.record import blank

MOST_GAMES = 10**9
FEW = 3  # games that are not worth compiling for
MOST_THREADS = 1024
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Outcomes:
    """How the games of a run ended: a row a game."""

    places: Array  # [game, seat], 1 for the best
    scores: Array  # [game, seat]
    lengths: Array  # [game], decisions
    ends: Array  # [game], ENDED or UNFINISHED

    @classmethod
    def empty(cls, games: int, players: int) -> Outcomes:
        return cls(
            np.zeros((games, players), np.int8),
            np.zeros((games, players), np.int16),
            np.zeros(games, np.int32),
            np.zeros(games, np.int8),
        )

    def part(self, first: int, last: int) -> tuple[Array, Array, Array, Array]:
        """Some of the rows, to be filled in place."""
        return (
            self.places[first:last],
            self.scores[first:last],
            self.lengths[first:last],
            self.ends[first:last],
        )

    @property
    def games(self) -> int:
        return len(self.lengths)

    @property
    def decisions(self) -> int:
        return int(self.lengths.sum())


@dataclass(frozen=True)
class Plan:
    """What is played: checked, and as the compiled loops take it."""

    game: Game
    kit: Kit
    players: int
    games: int
    seed: int
    limit: int
    options: Array

    @classmethod
    def make(
        cls,
        game: Game,
        players: int | None,
        games: int,
        seed: int,
        limit: int,
        kit: Any,
        options: Mapping[str, Value],
    ) -> Plan:
        if check_number("games", games, MOST_GAMES) < 1:
            raise BadOption("games must be 1 or more")
        return cls(
            game,
            game.kit(kit),
            game.check_players(players),
            games,
            check_number("seed", seed, MOST_SEED),
            check_number("limit", limit, MOST_LIMIT),
            game.check_options(options),
        )

    def seed_of(self, number: int) -> np.uint64:
        return np.uint64((self.seed + number) & MOST_SEED)


# Plays the games from `first` on into the given rows.
Worker = Callable[[int, tuple[Array, Array, Array, Array]], None]


def run(
    plan: Plan,
    new_worker: Callable[[], Worker],
    threads: int | None = None,
    chunk: int = 256,
    progress: Callable[[int], None] | None = None,
) -> Outcomes:
    """Play all games of a plan on threads; `progress` hears how many more are done."""
    outcomes = Outcomes.empty(plan.games, plan.players)
    # The first call compiles; done alone, so that threads do not compile the same thing twice.
    new_worker()(0, outcomes.part(0, 1))
    if progress:
        progress(1)
    jobs = ((at, min(at + chunk, plan.games)) for at in range(1, plan.games, chunk))
    threads = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        workers: list[Worker] = []

        def work(first: int, last: int) -> int:
            try:
                worker = workers.pop()
            except IndexError:
                worker = new_worker()
            worker(first, outcomes.part(first, last))
            workers.append(worker)
            return last - first

        # Two jobs a thread at a time: a billion games must not queue as millions of jobs.
        pending = {pool.submit(work, *job) for job in islice(jobs, 2 * threads)}
        try:
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                pending |= {pool.submit(work, *job) for job in islice(jobs, len(done))}
                for finished in (job.result() for job in done):
                    if progress:
                        progress(finished)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return outcomes


def random_worker(plan: Plan, few: bool = False) -> Worker:
    """Plays games of random legal moves, with tables of its own. For a `few` games it does not wait
    for the compiler."""
    game = plan.game
    entry = game.code(loops.playouts)
    play = entry.soon if few else entry
    tables, empty = blank(game.table), blank(game.table)
    mask = game.new_mask()
    choosers = blank(loops.CHOOSER)
    standing = np.zeros((plan.players, 2), np.int64)

    def work(first: int, rows: tuple[Array, Array, Array, Array]) -> None:
        play(
            plan.kit.record,
            tables,
            empty,
            mask,
            choosers,
            standing,
            plan.options,
            plan.players,
            plan.seed_of(first),
            plan.limit,
            *rows,
        )

    return work
