"""The rows of the database, as plain values."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from bottega.engine.record import Layout

Kind = Literal["person", "bot", "open"]
PERSON: Kind = "person"
BOT: Kind = "bot"
OPEN: Kind = "open"


@dataclass
class Seat:
    """One seat: a PERSON's, a BOT's, or OPEN until somebody takes it."""

    kind: Kind
    bot: str | None = None  # the level, for a bot
    links: int = 0  # times its link was made anew


@dataclass
class Said:
    """One thing said at the table."""

    seat: int | None
    name: str
    text: str


@dataclass
class Entry:
    """A table as it is stored, without its moves."""

    id: str
    game: str
    rules: int
    kit: str
    kit_hash: str
    players: int
    seed: str
    turn_limit: int
    options: dict[str, Any]
    names: list[str]
    mode: str
    invite: str
    host: str | None
    follower: str | None = None
    epoch: int = 0  # of servers before 0003
    over: bool = False
    waiting: list[int] = field(default_factory=list)
    result: str = ""
    length: int = 0
    turns: int = 0
    created: float = field(default_factory=time.time)
    changed: float = field(default_factory=time.time)
    version: int = 0
    start: bytes | None = None
    layout: str | None = None
    rewinds: int = 0
    manners: dict[str, Any] = field(default_factory=dict)
    looked: float = field(default_factory=time.time)


@dataclass(frozen=True)
class Played:
    """A move as it is stored."""

    seat: int
    action: str
    record: bytes | None = None
    layout: str | None = None
    rules: int | None = None


@dataclass
class Loaded:
    """A table with everything that belongs to it; of its moves, perhaps only the latest."""

    entry: Entry
    seats: list[Seat]
    holders: set[tuple[str, int]]
    moves: list[Played]
    chat: list[Said]
    layouts: dict[str, Layout] = field(default_factory=dict)  # those of its records
    before: int = 0  # moves before these, which are known

    @property
    def has_records(self) -> bool:
        """Whether it was stored with them; older tables are given theirs when first opened."""
        kept = [self.entry.start, *(move.record for move in self.moves)]
        return all(record is not None for record in kept)
