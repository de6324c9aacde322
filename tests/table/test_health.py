"""What those see who watch over a server: whether it lives, whether it can work, its numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY
from starlette.requests import Request

from bottega.table.web import health
from bottega.table.web.health import may_read
from tests.table.conftest import QUICK, Welcome
from tests.table.guests import Guest

PATHS = ("/healthz", "/readyz", "/metrics")


def transactions() -> float:
    return REGISTRY.get_sample_value("bottega_transaction_seconds_count") or 0.0


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


def test_healthz_never_touches_the_database(ada: Guest) -> None:
    before = transactions()
    assert ada.get("/healthz").json() == {"ok": True}
    assert transactions() == before
    ada.get("/readyz")
    assert transactions() == before + 1


def test_readyz_reads_and_writes_the_database(
    ada: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "KEPT", 0.0)
    with sqlite3.connect(tmp_path / "bottega.sqlite3") as db:
        assert ada.get("/readyz").json() == {"ok": True}
        ((process, first),) = db.execute("SELECT id, alive FROM processes").fetchall()
        db.execute("UPDATE processes SET alive = alive - 5")
        db.commit()
        assert ada.get("/readyz").status_code == 200
        ((again, later),) = db.execute("SELECT id, alive FROM processes").fetchall()
        assert again == process
        assert later >= first
        db.execute("ALTER TABLE processes RENAME TO lost")
        answer = ada.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {"error": "The database cannot be read and written."}
        assert ada.get("/healthz").status_code == 200
        db.execute("ALTER TABLE lost RENAME TO processes")
        assert ada.get("/readyz").status_code == 200
    db.close()


def test_processes_of_long_ago_are_forgotten(
    welcome: Welcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tmp_path / "bottega.sqlite3") as db:
        guest = welcome()
        db.execute("INSERT INTO processes VALUES ('old', 1.0)")
        db.commit()
        assert guest.get("/readyz").status_code == 200
        (count,) = db.execute("SELECT count(*) FROM processes WHERE id = 'old'").fetchone()
    db.close()
    assert count == 0


def test_however_often_it_is_asked_readyz_writes_once_a_while(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "KEPT", 1000.0)
    before = transactions()
    assert {ada.get("/readyz").status_code for _ in range(30)} == {200}
    assert transactions() == before + 1


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
