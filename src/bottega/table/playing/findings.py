"""What an analysis of an ended game has found: the decisions that mattered, and all chances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bottega.engine.match import Match

DRAWN = 200  # moments at which a curve is drawn, at most: its width shows no more


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
    _chances: list[list[float]] = field(default_factory=list, repr=False)

    def chances(self, match: Match) -> list[list[float]]:
        """Everybody's through the game, once it is known."""
        if self.findings is not None and not self._chances:
            self._chances = curve(match, self.findings)
        return self._chances


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


def drawn(rows: list[list[float]]) -> list[tuple[int, list[float]]]:
    """The points of a curve, with their moments: all, or so many of a long game."""
    last = max(0, len(rows) - 1)
    gaps = min(DRAWN, last)
    return [(at, rows[at]) for at in (last * point // gaps for point in range(gaps + 1) if gaps)]
