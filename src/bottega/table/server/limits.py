"""What a visitor may do, and everybody at one address: how often, and how much at once."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

from bottega.engine.language import plural
from bottega.table.faults import TooFast, TooMany

MOST_BUCKETS = 20_000
EVERYBODY = "everybody"  # all visitors of this process together


@dataclass(frozen=True, eq=False)
class Rate:
    """So many at once, and so many a second from then on."""

    burst: float
    second: float


@dataclass(frozen=True, eq=False)
class Room:
    """What lasts for a while, and how many of it there may be at the same time."""

    visitor: int
    address: int
    everybody: int
    sorry: str  # to whom it is refused


@dataclass(frozen=True, eq=False)
class Kind:
    """What counts as one kind of request: how often it may come, and what it takes room in. An
    address has more than a visitor, since a family, or a club, may be behind it."""

    visitor: Rate
    address: Rate
    room: Room


ANSWERS = Room(32, 64, 512, "Much is asked for at once. Try again in a moment.")
REPLAYS = Room(4, 8, 64, "Much is looked at at once. Try again in a moment.")
STREAMS = Room(40, 60, 5000, "Too many tables are open at once. Close some of their pages first.")

READING = Kind(Rate(200, 40), Rate(300, 60), ANSWERS)
REVIEWING = Kind(Rate(60, 15), Rate(120, 30), REPLAYS)  # takes longer the longer the game was
LISTENING = Kind(Rate(80, 4), Rate(120, 12), STREAMS)
ADVISING = Kind(Rate(20, 1), Rate(20, 1), ANSWERS)
PLAYING = Kind(Rate(80, 20), Rate(120, 30), ANSWERS)
TALKING = Kind(Rate(10, 1), Rate(30, 3), ANSWERS)
SETTING_UP = Kind(Rate(30, 0.1), Rate(60, 0.2), ANSWERS)
OPENING = Kind(Rate(6, 0.05), Rate(12, 0.1), ANSWERS)  # a notation, which is played through

# What counts as what, by the end of the path.
ASKED = {"hint": ADVISING, "events": LISTENING, "replay": REVIEWING}
SENT = {
    "chat": TALKING,
    "tables": SETTING_UP,
    "fork": SETTING_UP,
    "rematch": SETTING_UP,
    "open": OPENING,
}


def kind_of(method: str, path: str) -> Kind:
    """What a request counts as."""
    end = path.rpartition("/")[2]
    if method in ("GET", "HEAD", "OPTIONS"):
        return ASKED.get(end, READING)
    return SENT.get(end, PLAYING)


class Buckets:
    """Counts of what was lately done, by whom. Each bucket refills with time."""

    def __init__(self, pace: float) -> None:
        self.pace = pace
        self._left: OrderedDict[tuple[str, Rate], tuple[float, float]] = OrderedDict()

    def take(self, who: str, rate: Rate) -> float:
        """Take one; the seconds to wait if there is none left."""
        if not self.pace:
            return 0.0
        now = time.monotonic()
        burst, second = rate.burst * self.pace, rate.second * self.pace
        left, then = self._left.pop((who, rate), (burst, now))
        left = min(burst, left + (now - then) * second)
        self._left[who, rate] = (max(0.0, left - 1), now)
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / second


class Places:
    """Counts of what lasts, by whom."""

    def __init__(self, pace: float) -> None:
        self.pace = pace
        self._taken: Counter[tuple[str, Room]] = Counter()

    @contextmanager
    def take(self, who: str, room: Room, most: int) -> Iterator[None]:
        """Take one of the places that somebody has, for as long as it is needed."""
        key = who, room
        if self.pace and self._taken[key] >= most * self.pace:
            raise TooMany(room.sorry)
        self._taken[key] += 1
        try:
            yield
        finally:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]


class Limits:
    """Both, for the requests of one process."""

    def __init__(self, pace: float) -> None:
        self._buckets = Buckets(pace)
        self._places = Places(pace)

    @contextmanager
    def address(self, address: str, kind: Kind) -> Iterator[None]:
        """A request from an address, as long as it is answered."""
        self._slow_down(address, kind.address)
        room = kind.room
        with (
            self._places.take(EVERYBODY, room, room.everybody),
            self._places.take(address, room, room.address),
        ):
            yield

    @contextmanager
    def visitor(self, visitor: str, kind: Kind) -> Iterator[None]:
        """A visitor's request, as long as it is answered."""
        self._slow_down(visitor, kind.visitor)
        with self._places.take(visitor, kind.room, kind.room.visitor):
            yield

    def _slow_down(self, who: str, rate: Rate) -> None:
        wait = self._buckets.take(who, rate)
        if wait:
            seconds = ceil(wait)
            again = plural(seconds, "second")
            raise TooFast(f"That was a lot at once. Try again in {again}.", seconds)
