"""After the game: which decisions lost the most, and what would have been better.

Each decision is weighed as its seat could weigh it then, from what that seat could know. The
analyst works behind everything else, on one game at a time, and keeps what it found.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bottega.engine.match import Match
from bottega.table import advice
from bottega.table.advice import Effort
from bottega.table.seating import PERSON
from bottega.table.threads import behind

if TYPE_CHECKING:
    from bottega.table.hall import Hall
    from bottega.table.live import Table

log = logging.getLogger(__name__)

ITERATIONS = 3000  # of the search about each decision, at most
DEEPER = 4  # times as much effort is spent on those that seem to have lost most
MOST = 5  # turning points that are shown
OF_PEOPLE = 3  # of these, kept for people, who learn from them; bots blunder by design
LOSS = 0.04  # of the chance to win: less is no turning point
STRIDE = 7  # a study that is cut short has looked at people first, here and there in the game
QUEUE = 20  # games that wait to be studied; more are studied when looked at again
BEHIND = 15  # how far the thread stands back, as `nice` counts


@dataclass(frozen=True)
class Point:
    """A decision that lost much, and what would have been better."""

    at: int  # decisions before it
    seat: int
    played: str
    chance: float  # with what was played
    better: str
    then: list[str]  # how one would have gone on in the same turn
    best: float  # the chance with the better choice
    picks: list[str]  # what one clicks for the better choice

    @property
    def loss(self) -> float:
        return self.best - self.chance


@dataclass
class Study:
    """How far the analysis of a game has come."""

    percent: int = 0
    points: list[Point] | None = None  # once done, in the order of the game
    task: asyncio.Task[None] | None = None


def study(
    match: Match,
    people: Sequence[int],
    seconds: float,
    stop: threading.Event,
    tell: Callable[[int], None],
) -> list[Point] | None:
    """The turning points of a game; None if stopped before."""
    decisions = [number for number in range(len(match.moves)) if open_to_choice(match, number)]
    decisions.sort(key=lambda number: (match.moves[number].seat not in people, number % STRIDE))
    until = time.monotonic() + seconds
    each = seconds / max(1, len(decisions) + DEEPER * MOST)
    glance = Effort(ITERATIONS, each, samples=1)
    look = Effort(DEEPER * ITERATIONS, DEEPER * each, samples=DEEPER - 1)
    found: list[Point] = []
    for done, number in enumerate(decisions):
        if stop.is_set():
            return None
        if time.monotonic() > until:
            break
        found += weigh(match, number, glance)
        tell(95 * done // len(decisions))
    points: list[Point] = []
    for rough in worst(found, people):
        if stop.is_set():
            return None
        points += weigh(match, rough.at, look)
    return sorted(points, key=lambda point: point.at)


def open_to_choice(match: Match, number: int) -> bool:
    """Whether the decision was owed, and not the only one possible."""
    then, seat = match.at(number), match.moves[number].seat
    return seat in then.waiting and len(then.legal_numbers(seat)) > 1


def worst(points: list[Point], people: Sequence[int]) -> list[Point]:
    """What lost the most, with places kept for people's decisions."""
    ranked = sorted(points, key=lambda point: -point.loss)
    kept = [point for point in ranked if point.seat in people][:OF_PEOPLE]
    return (kept + [point for point in ranked if point not in kept])[:MOST]


def weigh(match: Match, number: int, effort: Effort) -> list[Point]:
    """A decision beside the best choice of that moment, if it lost much."""
    move = match.moves[number]
    then = match.at(number)
    played = then.action(move.seat, move.action)
    compared = advice.compare(then, move.seat, played, effort)
    if compared is None:
        return []
    best, own = compared
    if best.chance - own.chance < LOSS:
        return []
    point = Point(
        at=number,
        seat=move.seat,
        played=played.text,
        chance=own.chance,
        better=best.action.text,
        then=advice.sequel(then, move.seat, best.action),
        best=best.chance,
        picks=list(match.game.words.picks(best.action.id)),
    )
    return [point]


class Analyst:
    """Studies ended games in the background."""

    def __init__(self, hall: Hall, seconds: float) -> None:
        self.hall = hall
        self.seconds = seconds
        self._stop = threading.Event()
        self._pool = behind("analyst", 1, BEHIND)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, table: Table) -> None:
        """Study a game that is over, unless that was begun already."""
        if not self.seconds or table.study is not None or not table.public:
            return
        if len(self._tasks) >= QUEUE or not table.match.moves:
            return
        table.study = Study()
        task = asyncio.create_task(self._study(table, table.study))
        table.study.task = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        table.changed(board=False)

    async def stop(self) -> None:
        """End all studies; what is not done is begun anew another time."""
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _study(self, table: Table, study: Study) -> None:
        store = self.hall.store
        try:
            kept = await store.analysis_of(table.id)
            if kept is None:
                kept = await self._think(table, study)
                if kept is None:
                    return
                await self.hall.stored(store.keep_analysis(table.id, kept))
            study.points = [Point(**point) for point in kept]
        except Exception:
            log.exception("the analysis of table %s failed", table.id)
            study.points = []
        study.percent = 100
        table.changed(board=False)

    async def _think(self, table: Table, begun: Study) -> list[dict[str, Any]] | None:
        loop = asyncio.get_running_loop()

        def tell(percent: int) -> None:
            if percent // 10 != begun.percent // 10:  # pages need not follow every step
                loop.call_soon_threadsafe(self._tell, table, begun, percent)

        people = [at for at, seat in enumerate(table.seats) if seat.kind == PERSON]
        points = await loop.run_in_executor(
            self._pool, study, table.match, people, self.seconds, self._stop, tell
        )
        return None if points is None else [vars(point) for point in points]

    def _tell(self, table: Table, study: Study, percent: int) -> None:
        study.percent = percent
        table.changed(board=False)
