"""A newer Bottega takes over from an older one while people play. What is newer here is a schema
that is one change further, as one that is installed beside or over the old."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa

from bottega.table.database import migrations
from tests.postgres import Postgres
from tests.table.databases import Database
from tests.table.servers import Server
from tests.table.stubborn import PATIENCE, Stubborn, check, playing, wait_for_all

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"

def upgrade():
    for name in ("tables", "seats", "moves", "jobs"):
        with op.batch_alter_table(name) as table:
            table.add_column(sa.Column("more", sa.Integer, nullable=False, server_default="7"))
    op.create_table(
        "medals",
        sa.Column("table", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
    )
"""
# Python reads it at every start, as it would read newer code that was installed.
INSTALLED = """
from pathlib import Path
from bottega.table.database import migrations

migrations.HERE = Path({here!r})
"""
WAITING = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted"


class House:
    """A database, and what starts servers on it, older and newer ones."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.database = Database(url)
        self.folder = folder
        self.servers: list[Server] = []

    def server(self, code: str = "old", workers: int = 1) -> Server:
        """A server of the code that is in a folder by then."""
        server = Server(self.folder, self.url)
        server.workers = workers
        (self.folder / code).mkdir(exist_ok=True)
        path = f"{self.folder / code}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        server.environment["PYTHONPATH"] = path
        self.servers.append(server)
        return server

    def install_newer(self, code: str) -> None:
        here = self.folder / "newer-migrations"
        shutil.copytree(migrations.HERE, here)
        text = NEXT.format(head=migrations.revisions()[0])
        (here / "versions" / "9999_next.py").write_text(text)
        (self.folder / code).mkdir(exist_ok=True)
        (self.folder / code / "sitecustomize.py").write_text(INSTALLED.format(here=str(here)))

    def schema(self) -> str:
        return str(self.database.execute("SELECT version_num FROM alembic_version")[0][0])


@pytest.fixture
def house(postgres: Postgres, pattern: str, tmp_path: Path) -> Iterator[House]:
    url = postgres.fresh(like=pattern)
    made = House(url, tmp_path)
    yield made
    for server in made.servers:
        server.kill()
    postgres.drop(url)


@contextmanager
def reading(url: str, table: str) -> Iterator[None]:
    """Somebody reads a table all the time, as a backup does."""
    where = sa.make_url(url)
    with asyncio.Runner() as runner:
        db = runner.run(
            asyncpg.connect(host=where.query["host"], user=where.username, database=where.database)
        )
        runner.run(db.execute(f"BEGIN; LOCK TABLE {table} IN ACCESS SHARE MODE"))
        yield
        runner.run(db.close())


def wait_for(condition: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.1)


def nobody_was_turned_away(clients: list[Stubborn]) -> bool:
    return not any(client.turned_away for client in clients)


def test_an_old_and_a_new_server_side_by_side(house: House) -> None:
    old, newer = house.server("old"), house.server("new")
    old.start()
    house.install_newer("new")
    asked = [old]
    with playing(asked, 3, "greedy") as clients:
        wait_for_all(clients, 2)
        with reading(house.url, "moves"):
            newer.launch()
            wait_for(lambda: house.database.execute(WAITING)[0][0])
            wait_for_all(clients, 3)  # nobody waits for the change that waits
            assert house.schema() != "9999"
        newer.wait()
        assert house.schema() == "9999"
        asked.append(newer)
        wait_for_all(clients, 3)
        refused = start_again(old)
        assert refused.startswith("This database was last used by a newer Bottega")
        wait_for_all(clients, 2)
        assert nobody_was_turned_away(clients)
        asked.remove(old)
        old.stop()
        wait_for_all(clients, 2)
    assert check(clients, house.database) > 0
    assert house.database.execute("SELECT DISTINCT more FROM moves") == [(7,)]


def start_again(server: Server) -> str:
    """What is said by another process of the same code."""
    command = [sys.executable, "-m", "bottega.table", "--port", "0"]
    done = subprocess.run(
        command, env=server.environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1
    return done.stderr


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")
def test_workers_are_replaced_by_newer_ones_while_people_play(house: House) -> None:
    server = house.server(workers=2)
    server.start()
    before = workers_of(server)
    with playing([server], 3, "greedy") as clients:
        wait_for_all(clients, 2)
        house.install_newer("old")
        assert server.process is not None
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: not workers_of(server) & before and len(workers_of(server)) == 2)
        wait_for_all(clients, 2)
        assert house.schema() == "9999"
        assert nobody_was_turned_away(clients)
    server.stop()
    assert check(clients, house.database) > 0


def workers_of(server: Server) -> set[int]:
    assert server.process is not None
    number = server.process.pid
    return {*map(int, Path(f"/proc/{number}/task/{number}/children").read_text().split())}


def test_a_database_that_is_never_free_is_left_as_it_is(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bottega.table.faults import CannotServe

    house.install_newer("new")
    monkeypatch.setattr(migrations, "HERE", house.folder / "newer-migrations")
    monkeypatch.setattr(migrations, "TRIES", 2)
    before = house.database.schema()
    with (
        reading(house.url, "moves"),
        pytest.raises(CannotServe, match="perhaps it is being backed up"),
    ):
        house.database.do(migrations.bring_forward)
    assert house.database.schema() == before
    house.database.do(migrations.bring_forward)
    assert house.schema() == "9999"
