"""What outlasts the server: tables with their moves, in a database.

Moves are one row each, with the record of the table after it; a move counts once its row is
committed. Whoever changes a table says which version of it they know: a change by somebody else
in between is noticed, and nothing is overwritten unseen. With the change goes the signal to all
other processes that there was one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bottega.engine.record import Layout
from bottega.table.database.jobs import AWAKE, Due, Jobs
from bottega.table.database.migrations import bring_forward
from bottega.table.database.packing import unpacked
from bottega.table.database.presence import Presence
from bottega.table.database.rows import Entry, Loaded, Played, Said, Seat
from bottega.table.database.schema import (
    ANALYSES,
    ARCHIVES,
    CHAT,
    HOLDERS,
    LAYOUTS,
    MOVES,
    SEATS,
    TABLES,
    VISITORS,
)
from bottega.table.database.signals import CHANGED, Signals

NAMES_KEPT = 10_000
VERSION = sa.select(TABLES.c.version).where(TABLES.c.id == sa.bindparam("table"))
IDLE = 0.02  # seconds after which a connection may have been lost, and nobody has noticed
SAID_KEPT = 200  # the latest things said at a table, which are all that is shown


class Conflict(Exception):
    """The table is not the one that was read: another server has changed it meanwhile."""


class Store:
    """The database."""

    def __init__(self, url: str) -> None:
        # A statement's parameters are seeds and cookies' hashes: they are for no log.
        self.engine: AsyncEngine = create_async_engine(url, hide_parameters=True)
        # One statement that reads needs no transaction around it.
        self._alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self.process = secrets.token_hex(8)  # a name for this process
        self.signals = Signals(self.engine, self.process)
        self.jobs = Jobs(self.engine, self.signals)
        self.presence = Presence(self.engine, self.signals)
        self._names: dict[str, str] = {}  # of visitors, as last asked for
        self._layouts: dict[str, Layout] = {}  # that the database is known to have
        self._turn: AbstractAsyncContextManager[Any] = nullcontext()  # to write
        if self.engine.dialect.name == "sqlite":
            self._turn = asyncio.Lock()
            sa.event.listen(self.engine.sync_engine, "connect", _set_up_sqlite)
        else:
            sa.event.listen(self.engine.sync_engine, "checkout", _check_alive)
            sa.event.listen(self.engine.sync_engine, "checkin", _note_use)

    async def open(self) -> None:
        """Bring the database to the present schema."""
        async with self.engine.connect() as db:
            await db.run_sync(bring_forward)
            await db.commit()

    async def close(self) -> None:
        await self.engine.dispose()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes: all of it, or nothing. SQLite has room for one at a time, and
        whoever finds it taken tries again and again and gives up at last: so they queue here."""
        async with self._turn, self.engine.begin() as db:
            yield db

    # Tables

    async def add(
        self,
        entry: Entry,
        seats: Sequence[Seat],
        holders: set[tuple[str, int]],
        moves: Sequence[Played] = (),
        due: Due = None,
        follows: Entry | None = None,
    ) -> None:
        """A new table, with the moves it begins with; if it follows another, both know it or
        there is none."""
        alone = self.writing
        async with self._changing(follows, follower=entry.id) if follows else alone() as db:
            await db.execute(TABLES.insert().values(vars(entry)))
            rows = [{"table": entry.id, "seat": at, **vars(seat)} for at, seat in enumerate(seats)]
            await db.execute(SEATS.insert(), rows)
            for visitor, seat_held in sorted(holders):
                await _hold(db, visitor, entry.id, seat_held)
            if moves:
                await db.execute(MOVES.insert(), _move_rows(entry.id, moves))
            await self.jobs.want_decisions(db, entry, due)

    @property
    def shared(self) -> bool:
        """Whether other processes may use the database, too."""
        return self.signals.shared

    async def version_of(self, table: str) -> int | None:
        """How often a table was changed; nothing if there is none of that name."""
        async with self._alone.connect() as db:
            version: int | None = (await db.execute(VERSION, {"table": table})).scalar()
            return version

    async def looked_at(self, table: str) -> bool:
        """Whether somebody looks at a table, or has lately, through whichever process."""
        lately = sa.select(AWAKE).where(TABLES.c.id == table)
        async with self.engine.connect() as db:
            return bool((await db.execute(lately)).scalar())

    async def note_looks(self, tables: Collection[str]) -> None:
        """Somebody looks at these tables."""
        async with self.writing() as db:
            seen = sa.update(TABLES).where(TABLES.c.id.in_(tables))
            await db.execute(seen.values(looked=time.time()))

    async def load(self, table: str, known: Entry | None = None) -> Loaded | None:
        """A table as it stands, nothing if there is none of that name. Of moves that are `known`
        only those that followed are read, unless some were taken back since."""
        async with self._looking() as db:
            row = (await db.execute(TABLES.select().where(TABLES.c.id == table))).first()
            if row is None:
                return None
            entry = Entry(**row._mapping)
            goes_on = known is not None and known.rewinds == entry.rewinds
            before = known.length if known is not None and goes_on else 0
            seats = await db.execute(_rows(SEATS, table).order_by(SEATS.c.seat))
            holders = await db.execute(_rows(HOLDERS, table))
            new = _rows(MOVES, table).where(MOVES.c.number > before).order_by(MOVES.c.number)
            moves = [
                Played(m.seat, m.action, m.record, m.layout, m.rules) for m in await db.execute(new)
            ]
            if before + len(moves) < entry.length:
                archived = await db.scalar(
                    sa.select(ARCHIVES.c.packed).where(ARCHIVES.c.table == table)
                )
                if archived is not None:
                    entry.start, moves = unpacked(archived)
                    del moves[:before]
            latest = _rows(CHAT, table).order_by(CHAT.c.id.desc()).limit(SAID_KEPT)
            said = reversed((await db.execute(latest)).all())
            kept = (entry.layout, *(move.layout for move in moves))
            used = {name for name in kept if name is not None}
            return Loaded(
                entry,
                [Seat(seat.kind, seat.bot, seat.links) for seat in seats],
                {(holder.visitor, holder.seat) for holder in holders},
                moves,
                [Said(one.seat, one.name, one.text) for one in said],
                await self._find_layouts(db, used),
                before,
            )

    @asynccontextmanager
    async def _looking(self) -> AsyncIterator[AsyncConnection]:
        """Several reads that see the same moment."""
        async with self.engine.connect() as db:
            if self.shared:
                db = await db.execution_options(isolation_level="REPEATABLE READ")
            yield db

    async def _find_layouts(self, db: AsyncConnection, used: set[str]) -> dict[str, Layout]:
        if used - self._layouts.keys():
            found = await db.execute(LAYOUTS.select().where(LAYOUTS.c.id.in_(used)))
            self._layouts |= {row.id: row.fields for row in found}
        return {name: self._layouts[name] for name in used if name in self._layouts}

    async def keep_layout(self, described: Layout) -> str:
        """Have a layout in the database before the first record that needs it; its name."""
        name = name_of_layout(described)
        if name not in self._layouts:
            with suppress(IntegrityError):  # another server has it there already
                async with self.writing() as db:
                    await db.execute(LAYOUTS.insert().values(id=name, fields=described))
            self._layouts[name] = described
        return name

    @asynccontextmanager
    async def _changing(self, entry: Entry, **values: Any) -> AsyncIterator[AsyncConnection]:
        """Change a table, if it is still the one that was read; all of it, or nothing."""
        known = TABLES.c.version == entry.version
        try:
            async with self.writing() as db:
                change = _of(entry.id).where(known).values(version=entry.version + 1, **values)
                if self.shared:  # the signal goes with it
                    change = change.returning(self.signals.sent(CHANGED, entry.id))
                if (await db.execute(change)).rowcount != 1:
                    raise Conflict(entry.id)
                yield db
        except IntegrityError:
            raise Conflict(entry.id) from None
        entry.version += 1

    async def add_move(
        self, entry: Entry, number: int, move: Played, state: Mapping[str, Any], due: Due = None
    ) -> None:
        """One move and where the table stands after it, both or neither."""
        async with self._changing(entry, length=number, **state) as db:
            await db.execute(MOVES.insert(), _move_rows(entry.id, [move], number))
            await self.jobs.want_decisions(db, entry, due)
        entry.length = number

    async def cut_moves(
        self,
        entry: Entry,
        kept: int,
        rest: Sequence[Played],
        state: Mapping[str, Any],
        due: Due = None,
    ) -> None:
        """Keep the first moves and put others in the place of what followed."""
        length, rewinds = kept + len(rest), entry.rewinds + 1
        async with self._changing(entry, length=length, rewinds=rewinds, **state) as db:
            cut = MOVES.delete().where(MOVES.c.table == entry.id, MOVES.c.number > kept)
            await db.execute(cut)
            if rest:
                await db.execute(MOVES.insert(), _move_rows(entry.id, rest, kept + 1))
            await self.jobs.want_decisions(db, entry, due)
        entry.length, entry.rewinds = length, rewinds

    async def add_records(self, entry: Entry, moves: Sequence[Played]) -> None:
        """Give a table from before there were records those that it lacks."""
        async with self._changing(entry, start=entry.start, layout=entry.layout) as db:
            await db.execute(MOVES.delete().where(MOVES.c.table == entry.id))
            if moves:
                await db.execute(MOVES.insert(), _move_rows(entry.id, moves))

    async def set_manners(self, entry: Entry, manners: Mapping[str, Any]) -> None:
        async with self._changing(entry, manners=dict(manners)):
            pass

    async def set_names(self, entry: Entry, names: Sequence[str]) -> None:
        async with self._changing(entry, names=list(names)):
            pass

    async def hold(self, visitor: str, entry: Entry, seat: int) -> None:
        """A visitor's browser holds the seat from now on."""
        async with self._changing(entry) as db:
            await _hold(db, visitor, entry.id, seat)

    async def renew_link(self, entry: Entry, seat: int, links: int, keeper: str | None) -> None:
        """A seat's link is made anew for this time: of the browsers that hold the seat, only the
        keeper's goes on holding it."""
        async with self._changing(entry) as db:
            mine = (SEATS.c.table == entry.id, SEATS.c.seat == seat)
            await db.execute(sa.update(SEATS).where(*mine).values(links=links))
            others = (HOLDERS.c.seat == seat, HOLDERS.c.visitor != (keeper or ""))
            await db.execute(HOLDERS.delete().where(HOLDERS.c.table == entry.id, *others))

    async def settle(
        self, entry: Entry, seat: int, names: Sequence[str], visitor: str | None = None
    ) -> None:
        """A seat becomes a person's; if a visitor is named, that browser's."""
        async with self._changing(entry, names=list(names)) as db:
            taken = sa.update(SEATS).where(SEATS.c.table == entry.id, SEATS.c.seat == seat)
            await db.execute(taken.values(kind="person", bot=None))
            if visitor is not None:
                await _hold(db, visitor, entry.id, seat)

    async def say(self, entry: Entry, said: Said) -> None:
        async with self._changing(entry) as db:
            await db.execute(CHAT.insert().values(table=entry.id, **vars(said)))
            here = CHAT.c.table == entry.id
            shown = sa.select(CHAT.c.id).where(here).order_by(CHAT.c.id.desc())
            past = shown.offset(SAID_KEPT).limit(1).scalar_subquery()
            await db.execute(CHAT.delete().where(here, CHAT.c.id <= past))

    async def analysis_of(self, table: str) -> dict[str, Any] | None:
        """What was found about an ended table, if it was studied already."""
        async with self.engine.connect() as db:
            row = (await db.execute(_rows(ANALYSES, table))).first()
            return None if row is None else dict(row.found)

    async def keep_analysis(self, table: str, found: Mapping[str, Any]) -> None:
        async with self.writing() as db:
            await db.execute(ANALYSES.delete().where(ANALYSES.c.table == table))
            await db.execute(ANALYSES.insert().values(table=table, found=dict(found)))

    async def of_visitor(self, visitor: str, most: int = 60) -> list[tuple[Entry, list[int]]]:
        """The tables where a visitor sits or that a visitor set up, with the seats held."""
        held = sa.select(HOLDERS.c.table).where(HOLDERS.c.visitor == visitor)
        hosted = sa.select(TABLES.c.id).where(TABLES.c.host == visitor)
        mine = TABLES.select().where(TABLES.c.id.in_(held.union(hosted)))  # each by its index
        async with self.engine.connect() as db:
            rows = await db.execute(mine.order_by(TABLES.c.changed.desc()).limit(most))
            entries = [Entry(**row._mapping) for row in rows]
            holds = await db.execute(HOLDERS.select().where(HOLDERS.c.visitor == visitor))
            seats: dict[str, list[int]] = {}
            for hold in holds:
                seats.setdefault(hold.table, []).append(hold.seat)
        return [(entry, seats.get(entry.id, [])) for entry in entries]

    # Visitors

    async def knows(self, visitor: str) -> bool:
        """Whether a visitor gave a name, sits somewhere or set up a table."""
        if visitor not in self._names:  # whoever was asked for was known
            traces = (VISITORS.c.id, HOLDERS.c.visitor, TABLES.c.host)
            found = [sa.exists().where(column == visitor) for column in traces]
            async with self.engine.connect() as db:
                if not (await db.execute(sa.select(sa.or_(*found)))).scalar():
                    return False
            await self.name_of(visitor)
        return True

    async def name_of(self, visitor: str) -> str:
        """The name that a visitor gave last. Every page asks, so that answers are kept, unless
        other processes may change them."""
        if self.shared or visitor not in self._names:
            async with self._alone.connect() as db:
                found = await db.execute(sa.select(VISITORS.c.name).where(VISITORS.c.id == visitor))
                self._remember(visitor, found.scalar() or "")
        return self._names[visitor]

    async def set_name_of(self, visitor: str, name: str) -> None:
        async with self.writing() as db:
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


def name_of_layout(described: Layout) -> str:
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()[:16]


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """Readers beside a writer, and a commit that survives a power cut."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _note_use(_: Any, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _check_alive(connection: Any, record: Any, _: Any) -> None:
    """Before a connection is used that was idle: the server may have been started anew since."""
    if time.monotonic() - record.info.get("used", 0.0) < IDLE:
        return
    try:
        connection.ping()
    except Exception:
        raise sa.exc.InvalidatePoolError from None


def _rows(of: sa.Table, table: str) -> sa.Select[Any]:
    return of.select().where(of.c.table == table)


def _of(table: str) -> sa.Update:
    return sa.update(TABLES).where(TABLES.c.id == table)


def _move_rows(table: str, moves: Sequence[Played], first: int = 1) -> list[dict[str, Any]]:
    return [
        {"table": table, "number": number, **vars(move)}
        for number, move in enumerate(moves, start=first)
    ]


async def _hold(db: AsyncConnection, visitor: str, table: str, seat: int) -> None:
    mine = (HOLDERS.c.visitor == visitor, HOLDERS.c.table == table, HOLDERS.c.seat == seat)
    await db.execute(HOLDERS.delete().where(*mine))
    await db.execute(HOLDERS.insert().values(visitor=visitor, table=table, seat=seat))
