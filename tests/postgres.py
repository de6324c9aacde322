"""A real PostgreSQL for the tests: in a temporary folder, with nothing of the machine's own.

Its programs are Debian's (`make postgres`), those on the PATH, or those of `pgserver` from PyPI. It
is reached by a socket in its folder alone: no port, no password, no service.
"""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
from sqlalchemy import URL, make_url

T = TypeVar("T")
USER = "bottega"
MISSING = "There is no PostgreSQL for the tests; please run: make postgres"
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
max_connections = 200
jit = off
fsync = {fsync}
"""
# Waits until whoever started it has let go, in whatever way it ended, and clears up then.
BROOM = 'cat >/dev/null; "$0/pg_ctl" -D "$1/data" -m immediate stop; rm -rf "$1"'


def find_postgres() -> Path | None:
    """The folder with PostgreSQL's programs: Debian's newest, the PATH's, or `pgserver`'s."""
    debian = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    found = sorted(debian, key=lambda program: float(program.parents[1].name))
    if on_path := shutil.which("postgres"):
        found.insert(0, Path(on_path).resolve())
    if not found and (pgserver := importlib.util.find_spec("pgserver")):
        found = [Path(pgserver.origin or "").parent / "pginstall/bin/postgres"]
    return found[-1].parent if found else None


class Postgres:
    """A cluster of databases, running until it is closed or its process ends.

    Without `fsync` nothing waits for the disk. What is committed is still there when processes are
    killed, PostgreSQL's own among them; only a power cut would show the difference.
    """

    def __init__(self, programs: Path, fsync: bool = False, within: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bottega-postgres-", dir=within))
        self._programs = programs
        self._numbers = itertools.count(1)
        self._as: dict[str, Any] = {"cwd": self.folder}
        if os.geteuid() == 0:  # whose PostgreSQL will not run
            account = unprivileged()
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self._as |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self._broom = subprocess.Popen(
            ["sh", "-c", BROOM, programs, self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C is for the tests, not for what clears up after them
            **{**self._as, "cwd": "/"},
        )
        self._run(
            "initdb",
            "--auth=trust",
            f"--username={USER}",
            "--no-sync",
            "--no-locale",
            "--encoding=UTF8",
        )
        settings = SETTINGS.format(folder=self.folder, fsync="on" if fsync else "off")
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.write(settings)
        self.start()

    def close(self) -> None:
        """Stop it and remove it with all that it holds."""
        self._broom.communicate()

    def start(self) -> None:
        """Start it after it was stopped or killed; it is ready when this returns."""
        self._run("pg_ctl", "start", "--wait", f"--log={self.folder}/log")

    def stop(self) -> None:
        """Stop it as an administrator would: whoever is connected is thrown out."""
        self._run("pg_ctl", "stop", "--wait", "--mode=fast")

    def kill(self) -> None:
        """Have it break off where it is, as in a crash: it must recover when it starts again."""
        self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def restart(self) -> None:
        self.stop()
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._programs / program, f"--pgdata={self.folder}/data", *arguments]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **self._as,
        )
        assert done.returncode == 0, done.stdout

    # Databases

    def fresh(self, like: str = "") -> str:
        """The URL of a new database: an empty one, or a copy of the one with this URL."""
        name = f"test_{next(self._numbers)}"
        template = make_url(like).database if like else "template1"
        self.tell(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever uses it."""
        self.tell(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")

    def url(self, name: str) -> str:
        """How SQLAlchemy comes to a database."""
        where = {"host": str(self.folder)}
        url = URL.create("postgresql+asyncpg", username=USER, database=name, query=where)
        return url.render_as_string()

    def tell(self, *statements: str) -> None:
        """Have its administrator do something, outside of any transaction."""

        async def tell() -> None:
            connection = await asyncpg.connect(
                host=str(self.folder), user=USER, database="postgres"
            )
            try:
                for statement in statements:
                    await connection.execute(statement)
            finally:
                await connection.close()

        apart(tell())


def unprivileged() -> pwd.struct_passwd:
    """Who runs PostgreSQL when root runs the tests."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def apart(doing: Coroutine[Any, Any, T]) -> T:
    """Wait for something on a loop of its own, as a test may be on one (Playwright's is)."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, doing).result()
