"""What outlasts the server: tables as seed, options and moves, in a database.

A table is stored as what it is replayed from. Its moves are one row each; a move counts once
its row is committed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bottega.table.seating import Seat

NAMES_KEPT = 10_000

meta = sa.MetaData()

TABLES = sa.Table(
    "tables",
    meta,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Integer, nullable=False),  # version of the rules it is played by
    sa.Column("kit", sa.String(80), nullable=False),
    sa.Column("kit_hash", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("seed", sa.String(20), nullable=False),  # 64 bits without sign, as digits
    sa.Column("turn_limit", sa.BigInteger, nullable=False),  # of decisions; 0: none
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("names", sa.JSON, nullable=False),  # by seat
    sa.Column("mode", sa.String(16), nullable=False),  # seating.MODES, or "opened"
    sa.Column("invite", sa.String(16), nullable=False),  # seating.INVITES
    sa.Column("host", sa.String(40)),  # the visitor who set it up; a program has none
    sa.Column("follower", sa.String(24)),  # the rematch, once there is one
    sa.Column("epoch", sa.Integer, nullable=False),  # times it was loaded; see live.Table
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("waiting", sa.JSON, nullable=False),  # seats, so that lists need no replay
    sa.Column("result", sa.String(400), nullable=False),  # a sentence, once over
    sa.Column("length", sa.Integer, nullable=False),  # how many moves, private ones among them
    sa.Column("turns", sa.Integer, nullable=False),  # how many turns, which everybody may know
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
)


def _of_a_table(**more: Any) -> sa.Column[Any]:
    return sa.Column("table", sa.ForeignKey("tables.id", ondelete="CASCADE"), **more)


SEATS = sa.Table(
    "seats",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),  # person, bot or open
    sa.Column("bot", sa.String(40)),  # the level, for a bot
)
HOLDERS = sa.Table(  # whose browsers hold a seat
    "holders",
    meta,
    sa.Column("visitor", sa.String(40), primary_key=True),  # the hash of a cookie
    _of_a_table(primary_key=True, index=True),
    sa.Column("seat", sa.Integer, primary_key=True),
)
MOVES = sa.Table(
    "moves",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),  # from 1, without gaps
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("action", sa.String(80), nullable=False),  # its key
)
CHAT = sa.Table(
    "chat",
    meta,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_a_table(nullable=False, index=True),
    sa.Column("seat", sa.Integer),  # nothing for a spectator
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("text", sa.String(1000), nullable=False),
)
ANALYSES = sa.Table(  # of ended tables, so that none is studied twice
    "analyses",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("points", sa.JSON, nullable=False),  # analysis.Point, as plain values
)
VISITORS = sa.Table(
    "visitors",
    meta,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(40), nullable=False),  # as last given
)


class Conflict(Exception):
    """Another server has changed the table meanwhile."""


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
    epoch: int = 0
    over: bool = False
    waiting: list[int] = field(default_factory=list)
    result: str = ""
    length: int = 0
    turns: int = 0
    created: float = field(default_factory=time.time)
    changed: float = field(default_factory=time.time)


@dataclass
class Loaded:
    """A table with everything that belongs to it."""

    entry: Entry
    seats: list[Seat]
    holders: set[tuple[str, int]]
    moves: list[tuple[int, str]]
    chat: list[Said]


class Store:
    """The database."""

    def __init__(self, url: str) -> None:
        self.engine: AsyncEngine = create_async_engine(url)
        self._names: dict[str, str] = {}  # of visitors, as last asked for
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine.sync_engine, "connect", _set_up_sqlite)

    async def open(self) -> None:
        """Make the tables that are missing."""
        async with self.engine.begin() as db:
            await db.run_sync(meta.create_all)

    async def close(self) -> None:
        await self.engine.dispose()

    # Tables

    async def add(
        self,
        entry: Entry,
        seats: Sequence[Seat],
        holders: set[tuple[str, int]],
        moves: Sequence[tuple[int, str]] = (),
    ) -> None:
        """A new table, with the moves it begins with."""
        async with self.engine.begin() as db:
            await db.execute(TABLES.insert().values(vars(entry)))
            rows = [
                {"table": entry.id, "seat": at, "kind": seat.kind, "bot": seat.bot}
                for at, seat in enumerate(seats)
            ]
            await db.execute(SEATS.insert(), rows)
            for visitor, seat_held in sorted(holders):
                await _hold(db, visitor, entry.id, seat_held)
            if moves:
                await db.execute(MOVES.insert(), _move_rows(entry.id, moves))

    async def load(self, table: str) -> Loaded | None:
        """A table, counted as loaded once more; nothing if there is none of that name."""
        async with self.engine.begin() as db:
            await db.execute(_of(table).values(epoch=TABLES.c.epoch + 1))
            row = (await db.execute(TABLES.select().where(TABLES.c.id == table))).first()
            if row is None:
                return None
            seats = await db.execute(_rows(SEATS, table).order_by(SEATS.c.seat))
            holders = await db.execute(_rows(HOLDERS, table))
            moves = await db.execute(_rows(MOVES, table).order_by(MOVES.c.number))
            chat = await db.execute(_rows(CHAT, table).order_by(CHAT.c.id))
            return Loaded(
                Entry(**row._mapping),
                [Seat(seat.kind, seat.bot) for seat in seats],
                {(holder.visitor, holder.seat) for holder in holders},
                [(move.seat, move.action) for move in moves],
                [Said(said.seat, said.name, said.text) for said in chat],
            )

    async def add_move(
        self, table: str, number: int, seat: int, action: str, state: Mapping[str, Any]
    ) -> None:
        """One move and where the table stands after it, both or neither."""
        row = {"table": table, "number": number, "seat": seat, "action": action}
        try:
            async with self.engine.begin() as db:
                await db.execute(MOVES.insert().values(row))
                await db.execute(_of(table).values(length=number, **state))
        except IntegrityError:
            raise Conflict(table) from None

    async def cut_moves(
        self, table: str, kept: int, rest: Sequence[tuple[int, str]], state: Mapping[str, Any]
    ) -> None:
        """Keep the first moves and put others in the place of what followed."""
        async with self.engine.begin() as db:
            await db.execute(MOVES.delete().where(MOVES.c.table == table, MOVES.c.number > kept))
            if rest:
                await db.execute(MOVES.insert(), _move_rows(table, rest, kept + 1))
            await db.execute(_of(table).values(length=kept + len(rest), **state))

    async def set_names(self, table: str, names: Sequence[str]) -> None:
        async with self.engine.begin() as db:
            await db.execute(_of(table).values(names=list(names)))

    async def set_follower(self, table: str, follower: str) -> None:
        async with self.engine.begin() as db:
            await db.execute(_of(table).values(follower=follower))

    async def hold(self, visitor: str, table: str, seat: int) -> None:
        """A visitor's browser holds the seat from now on."""
        async with self.engine.begin() as db:
            await _hold(db, visitor, table, seat)

    async def settle(self, table: str, seat: int, names: Sequence[str]) -> None:
        """A seat becomes a person's."""
        async with self.engine.begin() as db:
            taken = sa.update(SEATS).where(SEATS.c.table == table, SEATS.c.seat == seat)
            await db.execute(taken.values(kind="person", bot=None))
            await db.execute(_of(table).values(names=list(names)))

    async def say(self, table: str, said: Said) -> None:
        async with self.engine.begin() as db:
            await db.execute(CHAT.insert().values(table=table, **vars(said)))

    async def analysis_of(self, table: str) -> list[dict[str, Any]] | None:
        """The turning points of an ended table, if it was studied already."""
        async with self.engine.connect() as db:
            row = (await db.execute(_rows(ANALYSES, table))).first()
            return None if row is None else list(row.points)

    async def keep_analysis(self, table: str, points: Sequence[Mapping[str, Any]]) -> None:
        async with self.engine.begin() as db:
            await db.execute(ANALYSES.delete().where(ANALYSES.c.table == table))
            await db.execute(ANALYSES.insert().values(table=table, points=list(points)))

    async def of_visitor(self, visitor: str, most: int = 60) -> list[tuple[Entry, list[int]]]:
        """The tables where a visitor sits or that a visitor set up, with the seats held."""
        held = sa.select(HOLDERS.c.table).where(HOLDERS.c.visitor == visitor)
        mine = TABLES.select().where(sa.or_(TABLES.c.host == visitor, TABLES.c.id.in_(held)))
        async with self.engine.connect() as db:
            rows = await db.execute(mine.order_by(TABLES.c.changed.desc()).limit(most))
            entries = [Entry(**row._mapping) for row in rows]
            holds = await db.execute(HOLDERS.select().where(HOLDERS.c.visitor == visitor))
            seats: dict[str, list[int]] = {}
            for hold in holds:
                seats.setdefault(hold.table, []).append(hold.seat)
        return [(entry, seats.get(entry.id, [])) for entry in entries]

    # Visitors

    async def name_of(self, visitor: str) -> str:
        """The name that a visitor gave last. Every page asks, so that answers are kept."""
        if visitor not in self._names:
            async with self.engine.connect() as db:
                found = await db.execute(sa.select(VISITORS.c.name).where(VISITORS.c.id == visitor))
                self._remember(visitor, found.scalar() or "")
        return self._names[visitor]

    async def set_name_of(self, visitor: str, name: str) -> None:
        async with self.engine.begin() as db:
            await db.execute(VISITORS.delete().where(VISITORS.c.id == visitor))
            await db.execute(VISITORS.insert().values(id=visitor, name=name))
        self._remember(visitor, name)

    def _remember(self, visitor: str, name: str) -> None:
        self._names[visitor] = name
        if len(self._names) > NAMES_KEPT:
            del self._names[next(iter(self._names))]

    async def answers(self) -> bool:
        """Whether the database is there."""
        async with self.engine.connect() as db:
            return (await db.execute(sa.select(1))).scalar() == 1


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """Readers beside a writer, and a commit that survives a power cut."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _rows(of: sa.Table, table: str) -> sa.Select[Any]:
    return of.select().where(of.c.table == table)


def _of(table: str) -> sa.Update:
    return sa.update(TABLES).where(TABLES.c.id == table)


def _move_rows(
    table: str, moves: Sequence[tuple[int, str]], first: int = 1
) -> list[dict[str, Any]]:
    return [
        {"table": table, "number": number, "seat": seat, "action": action}
        for number, (seat, action) in enumerate(moves, start=first)
    ]


async def _hold(db: AsyncConnection, visitor: str, table: str, seat: int) -> None:
    mine = (HOLDERS.c.visitor == visitor, HOLDERS.c.table == table, HOLDERS.c.seat == seat)
    await db.execute(HOLDERS.delete().where(*mine))
    await db.execute(HOLDERS.insert().values(visitor=visitor, table=table, seat=seat))
