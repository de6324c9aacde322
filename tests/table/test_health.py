"""What those see who watch over a server: whether it lives, whether it can work, its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.requests import Request
from starlette.testclient import TestClient

from bottega.table.database.processes import say_alive
from bottega.table.database.schema import PROCESSES
from bottega.table.server import health
from bottega.table.server.app import create_app
from bottega.table.server.health import may_read
from tests.table.conftest import QUICK
from tests.table.databases import Database
from tests.table.guests import Guest

PATHS = ("/healthz", "/readyz", "/metrics")


class TestOpen:
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {**QUICK, "pace": 0.001, "metrics": "open"}  # a page for everybody, and no more

    def test_nobody_is_slowed_down_or_given_a_cookie(self, ada: Guest) -> None:
        while ada.get("/").status_code != 429:
            pass
        ada.client.cookies.clear()
        for path in PATHS * 3:
            answer = ada.get(path)
            assert answer.status_code == 200, path
            assert "set-cookie" not in answer.headers
            assert answer.headers["cache-control"] == "no-store"
            assert "script-src 'self'" in answer.headers["content-security-policy"]

    @pytest.mark.parametrize("path", PATHS)
    def test_head_answers_without_the_body(self, ada: Guest, path: str) -> None:
        head = ada.client.head(path)
        assert head.status_code == 200
        assert not head.content
        assert head.headers["content-type"] == ada.get(path).headers["content-type"]


def test_a_server_without_its_database_lives_and_cannot_work(tmp_path: Path) -> None:
    client = TestClient(create_app(tmp_path, **QUICK))  # not entered: nothing is opened
    assert client.get("/healthz").json() == {"ok": True}
    assert client.get("/readyz").status_code == 503
    assert not list(tmp_path.iterdir())


def test_readyz_reads_and_writes_the_database(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "KEPT", 0.0)
    assert ada.get("/readyz").json() == {"ok": True}
    own = sa.update(PROCESSES).where(PROCESSES.c.id == ada.tables.store.process)
    database.execute(own.values(alive=PROCESSES.c.alive - 5))
    ((_, before),) = database.execute(PROCESSES.select())
    assert ada.get("/readyz").status_code == 200
    ((process, after),) = database.execute(PROCESSES.select())
    assert process == ada.tables.store.process
    assert after > before + 4
    database.execute("ALTER TABLE processes RENAME TO lost")
    answer = ada.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"error": "The database cannot be read and written."}
    assert ada.get("/healthz").status_code == 200
    database.execute("ALTER TABLE lost RENAME TO processes")
    assert ada.get("/readyz").status_code == 200


def test_processes_of_long_ago_are_forgotten(ada: Guest, database: Database) -> None:
    database.execute(PROCESSES.delete())
    database.execute(PROCESSES.insert().values(id="old", alive=1.0))
    assert ada.get("/readyz").status_code == 200
    assert [process for process, _ in database.execute(PROCESSES.select())] == [
        ada.tables.store.process
    ]


def test_however_often_it_is_asked_readyz_writes_once_a_while(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    async def write(db: Any, process: str) -> None:
        written.append(process)
        await say_alive(db, process)

    monkeypatch.setattr(health, "KEPT", 1000.0)
    monkeypatch.setattr(health, "say_alive", write)
    assert {ada.get("/readyz").status_code for _ in range(30)} == {200}
    assert written == [ada.tables.store.process]


def test_the_numbers_are_for_nobody_unless_it_is_said(ada: Guest) -> None:
    assert ada.get("/metrics").status_code == 404


@pytest.mark.parametrize(
    ("readers", "host", "headers", "may"),
    [
        ("off", "127.0.0.1", {}, False),
        ("local", "127.0.0.1", {}, True),
        ("local", "::1", {}, True),
        ("local", "10.0.0.7", {}, False),
        ("local", "2001:db8::1", {}, False),
        ("local", "nonsense", {}, False),
        ("local", "127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, False),
        ("open", "2001:db8::1", {}, True),
        ("open", "127.0.0.1", {"x-forwarded-for": "1.2.3.4"}, True),
    ],
)
def test_who_may_read_the_numbers(
    readers: str, host: str, headers: dict[str, str], may: bool
) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "client": (host, 1), "headers": raw})
    assert may_read(request, readers) is may


def test_other_paths_and_methods_are_not_for_the_watchers(ada: Guest) -> None:
    assert ada.client.post("/healthz").status_code in (404, 405)
    assert ada.get("/healthz/").status_code == 404
