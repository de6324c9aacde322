"""After the game: everybody's chances through it, and the decisions that mattered, good and bad.

Each decision is judged as its seat could judge it then, from what that seat could know. The
analyst works behind everything else, on one game at a time, and keeps what it found.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bottega.bots import waking
from bottega.bots.judgement import Judgement
from bottega.engine.match import Match
from bottega.table.playing.seating import PERSON
from bottega.table.thinking.hints import TOLD
from bottega.table.thinking.threads import behind

if TYPE_CHECKING:
    from bottega.table.playing.table import Table
    from bottega.table.playing.tables import Hall

log = logging.getLogger(__name__)

LOST, GOOD = "lost", "good"  # kinds of decisions that mattered
MOST = {LOST: 4, GOOD: 3}  # so many of each are shown
OF_PEOPLE = 3  # of these, kept for people, who learn from them; bots blunder by design
LEAST = 0.04  # of the chance to win, lost or won: less does not matter
STRIDE = 7  # a study that is cut short has looked at people first, here and there in the game
QUEUE = 20  # games that wait to be studied; more are studied when looked at again
PATIENCE = 180.0  # seconds that it waits for the search to be compiled elsewhere
BEHIND = 15  # how far the thread stands back, as `nice` counts


@dataclass(frozen=True)
class Point:
    """A decision that mattered: it lost much, or it alone was good."""

    kind: str
    at: int  # decisions before it
    seat: int
    played: str
    chance: float  # with what was played
    other: str  # what would have been better, or the next best
    then: list[str]  # how one would have gone on from there in the same turn
    instead: float  # the chance with that
    picks: list[str]  # what one clicks for it

    @property
    def size(self) -> float:
        """How much it mattered."""
        return abs(self.instead - self.chance)


@dataclass(frozen=True)
class Findings:
    """What a study has found."""

    points: list[Point]  # in the order of the game
    judged: list[tuple[int, int, float]]  # decisions before, whose it was, the chance to win

    @classmethod
    def kept(cls, found: dict[str, Any]) -> Findings:
        points = [Point(**point) for point in found["points"]]
        return cls(points, [(at, seat, chance) for at, seat, chance in found["judged"]])


@dataclass
class Study:
    """How far the analysis of a game has come."""

    percent: int = 0
    findings: Findings | None = None  # once done
    task: asyncio.Task[None] | None = None


def study(
    match: Match,
    people: Sequence[int],
    seconds: float,
    stop: threading.Event,
    tell: Callable[[int], None],
) -> Findings | None:
    """Look through a game; None if stopped before."""
    wait_for_search(match, stop)
    decisions = [number for number in range(len(match.moves)) if open_to_choice(match, number)]
    decisions.sort(key=lambda number: (match.moves[number].seat not in people, number % STRIDE))
    until = time.monotonic() + seconds
    judged: list[tuple[int, int, float]] = []
    points: list[Point] = []
    for done, number in enumerate(decisions):
        if stop.is_set():
            return None
        if time.monotonic() > until:
            break
        seat = match.moves[number].seat
        judgement = Judgement(match.at(number), seat)
        judged.append((number, seat, judgement.chance))
        points += mattering(match, number, judgement)
        tell(100 * done // len(decisions))
    shown = [point for kind in MOST for point in foremost(points, kind, people)]
    return Findings(sorted(shown, key=lambda point: point.at), sorted(judged))


def wait_for_search(match: Match, stop: threading.Event) -> None:
    """Let the search be compiled elsewhere. If that fails it is compiled here, in the end."""
    until = time.monotonic() + PATIENCE
    while not waking.can_search(match) and time.monotonic() < until and not stop.wait(0.5):
        pass


def open_to_choice(match: Match, number: int) -> bool:
    """Whether the decision was owed, and not the only one possible."""
    then, seat = match.at(number), match.moves[number].seat
    return seat in then.waiting and len(then.legal_numbers(seat)) > 1


def mattering(match: Match, number: int, judgement: Judgement) -> list[Point]:
    """A decision beside another choice of that moment, if it was much worse or much better."""
    played = judgement.of(match.moves[number].action)
    best = judgement.best
    kind, other = LOST, best
    if played.action.id == best.action.id:
        kind, other = GOOD, judgement.first(2)[1]
    if abs(other.chance - played.chance) < LEAST:
        return []
    point = Point(
        kind=kind,
        at=number,
        seat=judgement.seat,
        played=played.action.text,
        chance=played.chance,
        other=other.action.text,
        then=list(other.then[:TOLD]),
        instead=other.chance,
        picks=list(match.game.words.picks(best.action.id)),
    )
    return [point]


def foremost(points: Iterable[Point], kind: str, people: Sequence[int]) -> list[Point]:
    """What mattered most of one kind, with places kept for people's decisions."""
    ranked = sorted((point for point in points if point.kind == kind), key=lambda p: -p.size)
    kept = [point for point in ranked if point.seat in people][:OF_PEOPLE]
    return (kept + [point for point in ranked if point not in kept])[: MOST[kind]]


def curve(match: Match, findings: Findings) -> list[list[float]]:
    """Everybody's chance to win after each decision: what each could judge when it last decided;
    at the end the winners share all."""
    if not findings.judged:
        return []
    rows = [[0.0] * match.players for _ in range(len(match.moves) + 1)]
    for seat in range(match.players):
        own = [(at, chance) for at, whose, chance in findings.judged if whose == seat]
        chance = own[0][1] if own else 1 / match.players
        known = dict(own)
        for at, row in enumerate(rows):
            chance = row[seat] = known.get(at, chance)
    if match.winners:
        share = 1 / len(match.winners)
        rows[-1] = [share if seat in match.winners else 0.0 for seat in range(match.players)]
    return rows


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
            study.findings = Findings.kept(kept)
        except Exception:
            log.exception("an analysis failed")
            study.findings = Findings([], [])
        study.percent = 100
        table.changed(board=False)

    async def _think(self, table: Table, begun: Study) -> dict[str, Any] | None:
        loop = asyncio.get_running_loop()

        def tell(percent: int) -> None:
            if percent // 10 != begun.percent // 10:  # pages need not follow every step
                loop.call_soon_threadsafe(self._tell, table, begun, percent)

        people = [at for at, seat in enumerate(table.seats) if seat.kind == PERSON]
        found = await loop.run_in_executor(
            self._pool, study, table.match, people, self.seconds, self._stop, tell
        )
        return None if found is None else asdict(found)

    def _tell(self, table: Table, study: Study, percent: int) -> None:
        study.percent = percent
        table.changed(board=False)
