"""A copy of a PostgreSQL database, made and put back by PostgreSQL's own programs."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from bottega.table.database.migrations import ONE_AT_A_TIME
from bottega.table.database.sqlite_copy import Holds
from bottega.table.faults import NoBackup

T = TypeVar("T")

DEBIAN = "/usr/lib/postgresql"  # which keeps the programs of each version apart
DUMPING = b"dumping contents of table"  # what pg_dump says as it comes to one
LINE = 1 << 24  # bytes of the longest line that they may say
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


class PostgresCopy:
    """The database of any number of servers."""

    kind = "PostgreSQL"
    folder = None  # it has its own

    def __init__(self, url: sa.URL) -> None:
        self.url = url

    def copy_to(self, copy: Path, tell: Callable[[float], None]) -> Holds:
        """Have `pg_dump` write the database as it is at this moment."""
        return self._ask(lambda db: self._dump(db, copy, tell))

    async def _dump(self, db: AsyncConnection, copy: Path, tell: Callable[[float], None]) -> Holds:
        """The count and the copy are of the same moment."""
        await db.execution_options(isolation_level="REPEATABLE READ")
        moment = (await db.execute(sa.text("SELECT pg_export_snapshot()"))).scalar()
        names = await db.run_sync(lambda sync: sa.inspect(sync).get_table_names())
        if "alembic_version" not in names:
            raise NoBackup("There is nothing to back up: no server has used this database.")
        held = Holds(
            str((await db.execute(sa.text("SELECT version_num FROM alembic_version"))).scalar()),
            int((await db.execute(sa.text("SELECT count(*) FROM tables"))).scalar() or 0),
            int((await db.execute(sa.text("SELECT sum(length) FROM tables"))).scalar() or 0),
        )
        begun = 0

        def heard(line: bytes) -> None:
            nonlocal begun
            begun += DUMPING in line
            tell(max(0, begun - 1) / len(names))

        tables = [f'--table="{name}"' for name in names]
        own = ("--format=custom", "--no-owner", "--no-acl", "--verbose", *tables)
        await self._run("pg_dump", *own, f"--snapshot={moment}", f"--file={copy}", hear=heard)
        return held

    def check(self, copy: Path) -> None:
        """Have `pg_restore` read what a copy holds."""
        asyncio.run(self._run("pg_restore", "--list", f"--file={os.devnull}", str(copy)))

    @contextmanager
    def unused(self) -> Iterator[None]:
        """No server may use it meanwhile."""
        others = self._ask(self._others)
        if others:
            raise NoBackup(
                f"This database is in use by {others} others. Stop all servers and thinkers first."
            )
        yield

    async def _others(self, db: AsyncConnection) -> int:
        return int((await db.execute(sa.text(OTHERS))).scalar() or 0)

    def there(self) -> str:
        """What would be overwritten, as a sentence."""
        return "There are tables in this database already." if self._names() else ""

    def _names(self) -> list[str]:
        async def look(db: AsyncConnection) -> list[str]:
            return await db.run_sync(lambda sync: sa.inspect(sync).get_table_names())

        return self._ask(look)

    def put_back(self, copy: Path, stamp: str) -> list[str]:
        """Fill the database from a copy, in one transaction. What was there is kept in a schema of
        its own; servers that start meanwhile wait, as while one of them changes the schema."""
        names, aside = self._names(), f"replaced_{stamp.replace('-', '_')}"
        first = [f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})"]
        if names:
            first.append(f"CREATE SCHEMA {aside}")
            first += [f'ALTER TABLE "{name}" SET SCHEMA {aside}' for name in names]
        script = copy.with_suffix(".sql")
        asyncio.run(self._fill(copy, script, "; ".join(first)))
        return [f"the schema {aside}"] if names else []

    async def _fill(self, copy: Path, script: Path, first: str) -> None:
        await self._run("pg_restore", "--no-owner", "--no-acl", f"--file={script}", str(copy))
        whole = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
        await self._run("psql", *whole, f"--command={first}", f"--file={script}")

    def _ask(self, asking: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Do something with a connection."""

        async def ask() -> T:
            engine = create_async_engine(self.url, poolclass=NullPool, hide_parameters=True)
            try:
                async with engine.connect() as db:
                    return await asking(db)
            except (SQLAlchemyError, OSError) as problem:
                said = str(problem).splitlines()[0]
                raise NoBackup(f"The database cannot be used: {said}.") from None

        return asyncio.run(ask())

    async def _run(
        self, name: str, *arguments: str, hear: Callable[[bytes], None] = lambda _: None
    ) -> None:
        """Run one of PostgreSQL's programs to its end, or end it with us."""
        process = await asyncio.create_subprocess_exec(
            program(name),
            *arguments,
            env=environment(self.url),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE,
        )
        assert process.stderr is not None
        said = b""
        try:
            async for line in process.stderr:
                hear(line)
                said = line if b"error:" in line.lower() or not said else said
            if await process.wait():
                raise NoBackup(said.decode(errors="replace").strip() or f"{name} has failed.")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def program(name: str) -> str:
    """One of PostgreSQL's programs: the one on the PATH, or Debian's newest."""
    debian = sorted(
        Path(DEBIAN).glob(f"*/bin/{name}"), key=lambda found: float(found.parents[1].name)
    )
    found = shutil.which(name) or (str(debian[-1]) if debian else "")
    if not found:
        raise NoBackup(
            f"{name} is not here. Install PostgreSQL's programs (Debian: postgresql-client)."
        )
    return found


def environment(url: sa.URL) -> dict[str, str]:
    """How PostgreSQL's programs come to a database: by the environment, where nobody else reads
    a password."""
    _, said = url.get_dialect()().create_connect_args(url)
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
    names |= {"database": "PGDATABASE", "ssl": "PGSSLMODE", "passfile": "PGPASSFILE"}
    return {**os.environ, **{names[key]: listed(said[key]) for key in names if key in said}}


def listed(value: Any) -> str:
    """Several hosts, or their ports, as these programs read them."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
