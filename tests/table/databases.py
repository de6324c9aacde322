"""The databases that a server of these tests may use, each kind in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from tests.postgres import apart

T = TypeVar("T")
KINDS = ("sqlite", "postgres")


class Database:
    """A server's database, and a way to look into it from beside the server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.kind = "sqlite" if url.startswith("sqlite") else "postgres"

    def do(self, doing: Callable[..., T], *arguments: Any) -> T:
        """Do something with a connection, in a transaction of its own."""

        async def do() -> T:
            engine = create_async_engine(self.url, poolclass=NullPool)
            async with engine.begin() as db:
                return await db.run_sync(doing, *arguments)

        return apart(do())

    def execute(self, statement: sa.Executable | str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement brings, if any."""

        def execute(db: sa.Connection) -> list[tuple[Any, ...]]:
            what = sa.text(statement) if isinstance(statement, str) else statement
            found = db.execute(what, parameters)
            return [tuple(row) for row in found] if found.returns_rows else []

        return self.do(execute)

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table."""

        def look(db: sa.Connection) -> dict[str, list[tuple[Any, ...]]]:
            there = sa.MetaData()
            there.reflect(db)
            return {
                name: sorted((tuple(row) for row in db.execute(table.select())), key=repr)
                for name, table in there.tables.items()
            }

        return self.do(look)

    def schema(self) -> dict[str, Any]:
        """What tables there are, with their columns, keys and indices."""

        def look(db: sa.Connection) -> dict[str, Any]:
            inspector = sa.inspect(db)
            parts = ("columns", "pk_constraint", "foreign_keys", "indexes", "unique_constraints")
            return {
                part: repr(sorted(getattr(inspector, f"get_multi_{part}")().items()))
                for part in parts
            }

        return self.do(look)


def sqlite(folder: Path) -> Database:
    """The database that a server makes in its data folder by itself."""
    return Database(f"sqlite+aiosqlite:///{folder / 'bottega.sqlite3'}")
