"""A copy of a SQLite database, made while a server writes there, and put back while none does."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bottega.table.database.sole_server import sole_server
from bottega.table.faults import NoBackup

PAGES = 2000  # copied at a time


@dataclass(frozen=True)
class Holds:
    """What a copy of a database holds."""

    schema: str
    tables: int
    moves: int


class SqliteCopy:
    """The database of a single server: a file."""

    kind = "SQLite"

    def __init__(self, file: Path) -> None:
        self.file = file
        self.folder = file.parent  # in which a new one is made ready

    def copy_to(self, copy: Path, tell: Callable[[float], None]) -> Holds:
        """Copy the database as it is at this moment. SQLite begins a copy anew when another process
        has written meanwhile; a reader that has begun sees the same moment to its end, so this
        ends however busy the server is, and the server waits for nothing."""
        if not self.file.exists():
            raise NoBackup(f"There is nothing to back up: {self.file} does not exist.")

        def copied(_: int, left: int, all_pages: int) -> None:
            tell(1 - left / max(1, all_pages))

        try:
            with closing(open_file(self.file, "ro")) as old, closing(open_file(copy, "rwc")) as new:
                old.execute("BEGIN")
                old.execute("SELECT count(*) FROM sqlite_master").fetchone()
                old.backup(new, pages=PAGES, progress=copied, sleep=0)
                new.execute("PRAGMA journal_mode=DELETE")  # all of it in the one file
                return held(new)
        except sqlite3.Error as problem:
            raise NoBackup(f"The database cannot be copied: {problem}.") from None

    def check(self, copy: Path) -> None:
        """Have SQLite look at every page of a copy."""
        try:
            with closing(open_file(copy, "ro")) as db:
                found = db.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.Error as problem:
            found = [(str(problem),)]
        if found != [("ok",)]:
            raise NoBackup(f"The copy of the database is damaged: {found[0][0]}.")

    @contextmanager
    def unused(self) -> Iterator[None]:
        """No server may use it meanwhile."""
        with sole_server(self.file):
            yield

    def there(self) -> str:
        """What would be overwritten, as a sentence."""
        if not self.file.exists():
            return ""
        try:
            with closing(open_file(self.file, "ro")) as db:
                tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.Error as problem:
            return f"There is a file {self.file} that cannot be read ({problem})."
        return f"There are tables in {self.file} already." if tables else ""

    def put_back(self, copy: Path, stamp: str) -> list[str]:
        """Put a copy in the place of the database. What was there is kept beside it, even if it
        is damaged."""
        kept = []
        if self.file.exists():
            aside = self.file.with_name(f"{self.file.stem}.replaced-{stamp}{self.file.suffix}")
            self._fold_journal()
            link_or_copy(self.file, aside)
            for journal in ("-wal", "-shm"):  # they belong to the old file, not to the new one
                if (left := self.file.with_name(self.file.name + journal)).exists():
                    left.rename(aside.with_name(aside.name + journal))
            kept = [aside.name]
        copy.replace(self.file)
        return kept

    def _fold_journal(self) -> None:
        """Have all that is stored in the one file, if it can be read."""
        with suppress(sqlite3.Error), closing(open_file(self.file, "rw")) as db:
            db.execute("PRAGMA journal_mode=DELETE")


def open_file(file: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True)


def held(db: sqlite3.Connection) -> Holds:
    """What a database of ours holds; a sentence if it is none."""
    try:
        (schema,) = db.execute("SELECT version_num FROM alembic_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM tables").fetchone()
        (moves,) = db.execute("SELECT coalesce(sum(length), 0) FROM tables").fetchone()
    except (sqlite3.Error, TypeError):
        raise NoBackup(
            "This is not a database that this Bottega's server has used; start it there once."
        ) from None
    return Holds(schema, tables, moves)


def link_or_copy(file: Path, aside: Path) -> None:
    """Give a file a second name, so that it is never without one."""
    try:
        os.link(file, aside)
    except OSError:  # not every file system has links
        shutil.copy2(file, aside)
