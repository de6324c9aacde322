"""What is to be thought about: a queue in the database, from which any process takes.

A job is held for a while by the process that took it, which says again and again that it is still
at it. If it dies, another one takes the job. Whatever comes of a job is stored under the table's
version, so that nothing is ever done twice. With SQLite there is one process, which knows by
itself what it has to think about: nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bottega.table.database.clock import now
from bottega.table.database.rows import Entry
from bottega.table.database.schema import JOBS, TABLES
from bottega.table.database.signals import THOUGHT, WORK, Signals

DECISION, HINT, STUDY = "decision", "hint", "study"  # kinds of jobs
NO_SEAT = -1  # whose job is nobody's in particular
HELD = 20.0  # seconds until a job is anybody's again, unless who has it says otherwise
LOOKED = 120.0  # seconds after which the bots of a table that nobody looks at wait
UNSEEN = 15.0  # ... where none but bots play

AWAKE = TABLES.c.looked > now() - sa.case((TABLES.c.mode == "watch", UNSEEN), else_=LOOKED)
# Of the jobs that are free: bots of tables that nobody looks at wait, and what is found already is
# only to be fetched.
WORTH_TAKING = (JOBS.c.result.is_(None), sa.or_(JOBS.c.kind != DECISION, AWAKE))

# The seats of bots that may decide now; None: no bots sit there.
Due = Collection[int] | None


@dataclass(frozen=True)
class Job:
    """Something to think about, taken by this process."""

    id: int
    kind: str
    table: str
    seat: int
    version: int  # of the table, when the job was made


class Jobs:
    """The queue, as one process uses it."""

    def __init__(self, engine: AsyncEngine, signals: Signals) -> None:
        self._engine = engine
        self._signals = signals
        self._me = signals.process
        self._at: Counter[int] = Counter()  # the jobs that this process is at
        self.shared = signals.shared

    # Made

    async def want_decisions(self, db: AsyncConnection, entry: Entry, due: Due) -> None:
        """These bots of a table are to decide, and no others: a part of what changes it."""
        if not self.shared or due is None:
            return
        own = (JOBS.c.table == entry.id, JOBS.c.kind == DECISION)
        await db.execute(JOBS.delete().where(*own, JOBS.c.seat.not_in(due)))
        for seat in due:
            await self._make(db, DECISION, entry.id, seat, entry.version + 1)

    async def want(self, kind: str, entry: Entry, seat: int = NO_SEAT) -> None:
        """Have something thought about, unless it is already."""
        if not self.shared:
            return
        async with self._engine.begin() as db:
            await self._make(db, kind, entry.id, seat, entry.version)

    async def _make(
        self, db: AsyncConnection, kind: str, table: str, seat: int, version: int
    ) -> None:
        made = insert(JOBS).values(kind=kind, table=table, seat=seat, made=now(), version=version)
        again = {"version": version}
        if kind == HINT:  # a hint that nobody came for is not the answer to this question
            again |= {"result": None, "worker": None, "until": 0.0}  # type: ignore[dict-item]
        same = [JOBS.c.table, JOBS.c.kind, JOBS.c.seat]
        await db.execute(made.on_conflict_do_update(index_elements=same, set_=again))
        await self._signals.send(db, WORK, table)

    # Taken

    async def take(self, table: str, kind: str, seat: int = NO_SEAT) -> Job | None:
        """A certain job, if nobody else has it."""
        here = (JOBS.c.table == table, JOBS.c.kind == kind, JOBS.c.seat == seat)
        free = sa.or_(JOBS.c.until < now(), JOBS.c.worker == self._me)
        return await self._take(sa.and_(*here, free))

    async def take_any(self) -> Job | None:
        """The job that is due next: of whoever has the fewest in hand, the oldest one."""
        others, at = JOBS.alias(), TABLES.alias()
        owner, own = (sa.func.coalesce(where.c.host, where.c.id) for where in (at, TABLES))
        busy = (
            sa.select(sa.func.count())
            .select_from(others.join(at, at.c.id == others.c.table))
            .where(owner == own, others.c.until > now())
            .scalar_subquery()
        )
        first = (
            sa.select(JOBS.c.id)
            .join(TABLES, TABLES.c.id == JOBS.c.table)
            .where(JOBS.c.until < now(), *WORTH_TAKING)
            .order_by(busy, JOBS.c.made)
            .limit(1)
            .with_for_update(of=JOBS, skip_locked=True)
            .scalar_subquery()
        )
        return await self._take(JOBS.c.id == first)

    async def _take(self, which: sa.ColumnElement[bool]) -> Job | None:
        taken = sa.update(JOBS).where(which).values(worker=self._me, until=now() + HELD)
        columns = (JOBS.c.id, JOBS.c.kind, JOBS.c.table, JOBS.c.seat, JOBS.c.version)
        async with self._engine.begin() as db:
            row = (await db.execute(taken.returning(*columns))).first()
        return None if row is None else Job(*row)

    @contextmanager
    def at(self, job: Job) -> Iterator[None]:
        """This process is at a job. However that ends: what is not done is anybody's in a while."""
        self._at[job.id] += 1
        try:
            yield
        finally:
            self._at[job.id] -= 1

    async def hold(self) -> None:
        """This process is still at what it is at."""
        self._at = +self._at
        mine = sa.update(JOBS).where(JOBS.c.worker == self._me, JOBS.c.id.in_(self._at))
        async with self._engine.begin() as db:
            await db.execute(mine.values(until=now() + HELD))

    async def let_go(self, job: Job | None = None) -> None:
        """Leave a job, or all of them, to whoever comes."""
        mine = sa.update(JOBS).where(JOBS.c.worker == self._me)
        if job is not None:
            mine = mine.where(JOBS.c.id == job.id)
        async with self._engine.begin() as db:
            await db.execute(mine.values(worker=None, until=0.0))

    # Done

    async def drop(self, job: Job, version: int) -> bool:
        """There is nothing to do, unless the table has changed since."""
        async with self._engine.begin() as db:
            now = sa.select(TABLES.c.version).where(TABLES.c.id == job.table).with_for_update()
            same = (await db.execute(now)).scalar() == version
            if same:
                await db.execute(JOBS.delete().where(JOBS.c.id == job.id))
            return same

    async def tell(self, job: Job, percent: int) -> None:
        """How far a job is."""
        async with self._engine.begin() as db:
            mine = sa.update(JOBS).where(JOBS.c.id == job.id, JOBS.c.worker == self._me)
            await db.execute(mine.values(percent=percent))
            await self._signals.send(db, THOUGHT, job.table)

    async def answer(self, job: Job, result: Any) -> None:
        """What was found; whoever asked takes it away."""
        async with self._engine.begin() as db:
            mine = sa.update(JOBS).where(JOBS.c.id == job.id, JOBS.c.worker == self._me)
            await db.execute(mine.values(result=result, until=now() + HELD))
            await self._signals.send(db, THOUGHT, job.table)

    async def end(self, job: Job) -> None:
        """A job whose result is stored elsewhere."""
        async with self._engine.begin() as db:
            await db.execute(JOBS.delete().where(JOBS.c.id == job.id))
            await self._signals.send(db, THOUGHT, job.table)

    async def answered(self, table: str, kind: str, seat: int) -> Any:
        """What was found, taken away; None while it is still thought about."""
        there = (JOBS.c.table == table, JOBS.c.kind == kind, JOBS.c.seat == seat)
        done = JOBS.delete().where(*there, JOBS.c.result.is_not(None)).returning(JOBS.c.result)
        async with self._engine.begin() as db:
            return (await db.execute(done)).scalar()

    async def percent_of(self, table: str) -> int | None:
        """How far the analysis of a table is; None: it is not thought about."""
        there = (JOBS.c.table == table, JOBS.c.kind == STUDY)
        async with self._engine.connect() as db:
            percent: int | None = (
                await db.execute(sa.select(JOBS.c.percent).where(*there))
            ).scalar()
            return percent

    async def waiting(self) -> dict[str, int]:
        """How many jobs of each kind nobody has taken."""
        free = (
            sa.select(JOBS.c.kind, sa.func.count().label("number"))
            .join(TABLES, TABLES.c.id == JOBS.c.table)
            .where(JOBS.c.until < now(), *WORTH_TAKING)
            .group_by(JOBS.c.kind)
        )
        async with self._engine.connect() as db:
            return {row.kind: row.number for row in await db.execute(free)}
