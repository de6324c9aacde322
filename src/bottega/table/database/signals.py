"""What processes on one database tell each other: that a table has changed, that there is something
to think about, or that it was thought of.

PostgreSQL carries them (LISTEN/NOTIFY), each with the change that it tells of or not at all. They
say where to look, never what is there; whoever missed some looks everywhere. With SQLite there is
one process, and nobody to be told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

log = logging.getLogger(__name__)

CHANNEL = "bottega"
CHANGED = "changed"  # a table has another version
PRESENCE = "presence"  # pages of a table were opened or closed
WORK = "work"  # something is to be thought about
THOUGHT = "thought"  # a job of a table has come further, or is done
MISSED = "missed"  # the connection was lost for a while: anything may have happened

AGAIN = 1.0  # seconds until a lost connection is tried again
ALIVE = 10.0  # seconds between two looks at whether it is lost


@dataclass(frozen=True)
class Signal:
    """One of the above, and the table it is about, if any."""

    kind: str
    table: str = ""


class Signals:
    """The signals of a process, sent and heard."""

    def __init__(self, engine: AsyncEngine, process: str) -> None:
        self._engine = engine
        self.process = process
        self._task: asyncio.Task[None] | None = None
        self.shared = engine.dialect.name == "postgresql"  # whether there may be other processes

    async def send(self, db: AsyncConnection, kind: str, table: str = "") -> None:
        """Tell the other processes, once the transaction is committed."""
        if self.shared:
            await db.execute(sa.select(self.sent(kind, table)))

    def sent(self, kind: str, table: str) -> sa.ColumnElement[Any]:
        """The same, as a part of a statement."""
        return sa.func.pg_notify(CHANNEL, f"{self.process} {kind} {table}")

    def listen(self, hear: Callable[[Signal], None]) -> None:
        """Hear what the other processes tell, from now on."""
        if self.shared:
            self._task = asyncio.create_task(self._keep_listening(hear))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_listening(self, hear: Callable[[Signal], None]) -> None:
        while True:
            try:
                async with self._engine.connect() as db:
                    await self._listen(db, hear)
            except Exception as problem:
                log.warning("signals are not heard just now: %s", type(problem).__name__)
            await asyncio.sleep(AGAIN)

    async def _listen(self, db: AsyncConnection, hear: Callable[[Signal], None]) -> None:
        """Listen until the connection is lost."""
        pooled = await db.get_raw_connection()
        connection: Any = pooled.driver_connection

        def heard(_: Any, __: int, ___: str, said: str) -> None:
            sender, kind, table = said.split(" ")
            if sender != self.process:
                hear(Signal(kind, table))

        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(CHANNEL, heard)
        hear(Signal(MISSED))
        while not lost.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(lost.wait(), ALIVE)
            await connection.execute("SELECT 1", timeout=ALIVE)
