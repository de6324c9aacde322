"""After the game: everybody's chances through it, and the decisions that mattered, good and bad.

Each decision is judged as its seat could judge it then, from what that seat could know. It is
done behind everything else, one game at a time, and what is found is kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from bottega.bots import waking
from bottega.bots.judgement import Judgement
from bottega.engine.match import Match
from bottega.table.playing.findings import Findings, Point
from bottega.table.thinking.hints import TOLD

LOST, GOOD = "lost", "good"  # kinds of decisions that mattered
MOST = {LOST: 4, GOOD: 3}  # so many of each are shown
OF_PEOPLE = 3  # of these, kept for people, who learn from them; bots blunder by design
LEAST = 0.04  # of the chance to win, lost or won: less does not matter
STRIDE = 7  # a study that is cut short has looked at people first, here and there in the game
PATIENCE = 180.0  # seconds that it waits for the search to be compiled elsewhere

# Verdicts about decisions of a match, in their order.
Judging = Callable[[Match, Sequence[int]], Generator["Verdict", None, None]]


@dataclass(frozen=True)
class Verdict:
    """What is to be said about one decision."""

    seat: int
    chance: float  # of the seat to win, when it decided
    points: list[Point]


def study(
    match: Match,
    people: Sequence[int],
    seconds: float,
    stop: threading.Event,
    tell: Callable[[int], None],
    judging: Judging | None = None,
) -> Findings | None:
    """Look through a game; None if stopped before. Who else is `judging` may do it elsewhere."""
    wait_for_search(match, stop)
    decisions = [number for number in range(len(match.moves)) if open_to_choice(match, number)]
    decisions.sort(key=lambda number: (match.moves[number].seat not in people, number % STRIDE))
    until = time.monotonic() + seconds
    judged: list[tuple[int, int, float]] = []
    points: list[Point] = []
    with closing((judging or judge_each)(match, decisions)) as verdicts:
        for done, number in enumerate(decisions):
            if stop.is_set():
                return None
            if time.monotonic() > until:
                break
            verdict = next(verdicts)
            judged.append((number, verdict.seat, verdict.chance))
            points += verdict.points
            tell(100 * done // len(decisions))
    shown = [point for kind in MOST for point in foremost(points, kind, people)]
    return Findings(sorted(shown, key=lambda point: point.at), sorted(judged))


def judge_each(match: Match, decisions: Sequence[int]) -> Generator[Verdict, None, None]:
    """One decision after the other, when it is asked for."""
    for number in decisions:
        move = match.moves[number]
        yield judge(match.at(number), move.seat, number, move.action)


def judge(then: Match, seat: int, number: int, action: int) -> Verdict:
    """A decision beside the other choices of that moment."""
    judgement = Judgement(then, seat)
    return Verdict(seat, judgement.chance, mattering(judgement, number, action))


def wait_for_search(match: Match, stop: threading.Event) -> None:
    """Let the search be compiled elsewhere. If that fails it is compiled here, in the end."""
    until = time.monotonic() + PATIENCE
    while not waking.can_search(match) and time.monotonic() < until and not stop.wait(0.5):
        pass


def open_to_choice(match: Match, number: int) -> bool:
    """Whether the decision was owed, and not the only one possible."""
    then, seat = match.at(number), match.moves[number].seat
    return seat in then.waiting and len(then.legal_numbers(seat)) > 1


def mattering(judgement: Judgement, number: int, action: int) -> list[Point]:
    """A decision beside another choice of that moment, if it was much worse or much better."""
    played = judgement.of(action)
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
        picks=list(judgement.match.game.words.picks(best.action.id)),
    )
    return [point]


def foremost(points: Iterable[Point], kind: str, people: Sequence[int]) -> list[Point]:
    """What mattered most of one kind, with places kept for people's decisions."""
    ranked = sorted((point for point in points if point.kind == kind), key=lambda p: -p.size)
    kept = [point for point in ranked if point.seat in people][:OF_PEOPLE]
    return (kept + [point for point in ranked if point not in kept])[: MOST[kind]]
