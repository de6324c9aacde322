"""The database's schema and how it changed: one file a change in `versions`, run by Alembic.

The server brings an older database forward when it starts. Whoever changes `schema.py` adds a
file here, numbered on, that does to a database of yesterday what `schema.py` expects of one
today; `tests/table/test_migrations.py` compares the two. A change adds, each column with a constant
default, and takes nothing away: processes of before go on beside the new one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

from bottega.table.faults import CannotServe

HERE = Path(__file__).parent
FIRST = "0001"  # databases older than these files have this schema
ONE_AT_A_TIME = 0xB077E6A  # a name for PostgreSQL's lock: two servers may start at once
STEP_BACK = 300  # milliseconds that a change waits for a table, and all others behind it
AGAIN = 0.7  # seconds until it is tried anew
TRIES = 60
IN_USE = "55P03"  # what PostgreSQL says then


def bring_forward(connection: sa.Connection) -> None:
    """Make an empty database, or bring an older one to the present schema, whole or not at all."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # or each change would be committed alone
    else:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")
    config = Config()
    config.set_main_option("script_location", str(HERE))
    config.attributes["connection"] = connection
    known = revisions()
    there = revision(connection)
    if there == known[0]:
        return
    if there is not None:
        if there not in known:
            raise CannotServe(
                f"This database was last used by a newer Bottega (its schema is {there}, this one "
                f"knows {known[0]}). Update Bottega, or give it another folder."
            )
        keep_copy(connection, there)
        command.stamp(config, there)
    between_others(connection, lambda: command.upgrade(config, "head"))


def between_others(connection: sa.Connection, change: Callable[[], None]) -> None:
    """Change a schema that others use. PostgreSQL has the change wait for whoever reads or writes a
    table, and all who come after wait behind it: so it soon steps back, lets them pass, and tries
    anew. It is sooner than PostgreSQL would end one of two that wait for each other."""
    if connection.dialect.name == "sqlite":
        change()
        return
    for _ in range(TRIES):
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{STEP_BACK}ms'")
                change()
            return
        except DBAPIError as problem:
            if getattr(problem.orig, "sqlstate", None) != IN_USE:
                raise
            time.sleep(AGAIN)
    raise CannotServe(
        "The database must be brought forward, and its tables were not free for a minute: perhaps "
        "it is being backed up. Start again when that is done."
    )


def revisions() -> list[str]:
    """The schemas that are known, the present one first."""
    return [script.revision for script in ScriptDirectory(str(HERE)).walk_revisions()]


def revision(connection: sa.Connection) -> str | None:
    """The schema that a database has; none if it is empty."""
    known = MigrationContext.configure(connection).get_current_revision()
    if known is None and sa.inspect(connection).has_table("tables"):
        return FIRST
    return known


def keep_copy(connection: sa.Connection, there: str) -> None:
    """A copy of a SQLite file beside it, before anything in it is changed."""
    name = connection.engine.url.database
    if connection.dialect.name != "sqlite" or not name or name == ":memory:":
        return
    file = Path(name)
    copy = file.with_name(f"{file.stem}.before-{there}-ended{file.suffix}")
    part = copy.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(part)) as new:
            old.backup(new)
        part.replace(copy)
    except (OSError, sqlite3.Error) as problem:
        raise CannotServe(
            f"The database must be brought forward, and a copy of it could not be made before "
            f"({problem}). Make room for {copy.name}, and start again."
        ) from None
