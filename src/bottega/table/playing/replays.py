"""The log of a replay: each line with its moment, and as many of them as a page shows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from bottega.engine.match import Match
from bottega.table.playing.table import Table
from bottega.table.playing.tables import Tables

LEAP = 150  # lines; a page shows up to twice as many, and its oldest one stays for as many steps


class Step(NamedTuple):
    """A line of the log."""

    at: int  # the moment, of those shown, at which it stands
    seat: int | None
    text: str


def steps(match: Match, seat: int | None, moments: Sequence[int]) -> list[Step]:
    """What the seat was told, each line at one of the moments that are shown."""
    telling = [at for at, lines in enumerate(match.told(seat), start=1) if lines]
    telling.append(len(match.moves))  # behind the last one may stand that rules were mended
    place = {decisions: at for at, decisions in enumerate(moments)}
    log = match.log(seat)
    return [Step(place[telling[line.number - 1]], line.seat, line.text) for line in log]


async def log_of(
    tables: Tables, table: Table, seat: int | None, moments: Sequence[int]
) -> list[Step]:
    """The log of a table's replay. Where all may be known, it is made once and in the backroom:
    nothing follows, and a notation may be long."""
    match = table.match
    if not table.public:
        return steps(match, seat, moments)
    known = table.logs.get(seat)
    if known is None or known[0] is not match:
        owner = table.entry.host or table.id
        made = await tables.backroom.do(owner, steps, match.copy(), seat, moments)
        known = table.logs[seat] = match, made
    return known[1]


def excerpt(log: list[Step], at: int) -> dict[str, Any]:
    """The latest lines at a moment, each with its place, and the moment of the one before them."""
    last = bisect_right(log, at, key=lambda step: step.at)
    first = max(0, last // LEAP - 1) * LEAP
    lines = enumerate(log[first:last], start=first + 1)
    return {
        "log": [{**step._asdict(), "number": number} for number, step in lines],
        "before": log[first - 1].at if first else None,
    }
