"""What outlasts the server."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from bottega.table.app import create_app
from bottega.table.events import updates
from bottega.table.live import Eyes
from bottega.table.secret import Secret
from bottega.table.settings import settings as make_settings
from bottega.table.store import Store
from tests.table.conftest import QUICK
from tests.table.guests import Guest, facts


def database(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "bottega.sqlite3")


def test_a_commit_survives_a_power_cut(ada: Guest) -> None:
    async def pragmas() -> list[Any]:
        async with ada.hall.store.engine.connect() as db:
            asked = ("journal_mode", "synchronous", "foreign_keys")
            return [(await db.exec_driver_sql(f"PRAGMA {one}")).scalar() for one in asked]

    assert ada.run(pragmas) == ["wal", 2, 1]


def test_a_restart_resumes_every_table(tmp_path: Path) -> None:
    urls = []
    with TestClient(create_app(tmp_path, **QUICK)) as client:
        ada = Guest(client)
        for game in range(3):
            url = ada.create(mode="hotseat", seat=0, names=[f"Ada {game}", "Bruno"])
            for _ in range(game + 1):
                ada.must(f"{url}/ready")
                ada.take(url)
            urls.append(url)
        ada.must(f"{urls[0]}/chat", text="Good night")
        before = [facts(ada.table(url))[:6] for url in urls]
        cookies = client.cookies
    with TestClient(create_app(tmp_path, **QUICK), cookies=cookies) as client:
        ada = Guest(client)
        assert all(url in ada.page("/") for url in urls)
        assert [facts(ada.table(url))[:6] for url in urls] == before
        ada.must(f"{urls[2]}/ready")
        ada.take(urls[2])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE moves SET action = 'buy-3a' WHERE number = 1", "cannot pay"),
        ("UPDATE moves SET action = 'castle'", "no action"),
        ("UPDATE moves SET seat = 9", "no seat 9"),
        ("UPDATE tables SET rules = 99", "version 99 of the rules"),
        ("UPDATE tables SET kit_hash = 'x'", "kit 'default' is not here or has changed"),
        ("UPDATE tables SET kit = 'gone'", "kit 'gone' is not here"),
        ("UPDATE tables SET game = 'chess'", "no game 'chess'"),
        ('UPDATE tables SET names = \'["A", "A"]\'', "same name"),
        ("UPDATE tables SET options = '{\"seed\": 1}'", "no option 'seed'"),
    ],
)
def test_a_broken_table_says_why_and_harms_no_other(
    ada: Guest, tmp_path: Path, change: str, reason: str
) -> None:
    urls = [ada.create(mode="hotseat", seat=0) for _ in range(2)]
    for url in urls:
        ada.must(f"{url}/ready")
        ada.take(url)
    table = urls[0].split("/")[2]
    where = "id" if "tables" in change else '"table"'
    joint = "AND" if "WHERE" in change else "WHERE"
    with database(tmp_path) as db:
        db.execute(f"{change} {joint} {where} = ?", [table])
    db.close()
    ada.hall.tables.clear()
    answer = ada.get(urls[0])
    assert answer.status_code == 409
    assert reason in answer.text.replace("&#39;", "'")
    assert ada.get(urls[1]).status_code == 200
    assert urls[1] in ada.page("/")


def test_what_is_not_stored_has_not_happened(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    before = facts(ada.table(url))

    async def full(*arguments: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_move", full)
        answer = ada.choose(url, "take-white-blue-green")
    assert answer.status_code == 503
    assert "has not happened" in answer.json()["error"]
    assert facts(ada.table(url))[:6] == before[:6]
    ada.must(f"{url}/ready")
    ada.take(url)


def test_a_move_made_by_another_server_is_noticed(ada: Guest, tmp_path: Path) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    with database(tmp_path) as db:
        table = url.split("/")[2]
        db.execute("INSERT INTO moves VALUES (?, 1, 0, 'take-white-blue-red')", [table])
    db.close()
    answer = ada.choose(url, "take-white-blue-green")
    assert answer.status_code == 409
    assert "from elsewhere" in answer.json()["error"]
    assert [move.key for move in ada.match(url).moves] == ["take-white-blue-red"]


def test_no_token_is_in_the_database(ada: Guest, tmp_path: Path) -> None:
    url = ada.create(mode="friends", seat=0)
    secrets = [ada.client.cookies["visitor"], ada.link(url, 0)[-32:], ada.link(url, 1)[-32:]]
    ada.run(ada.hall.store.close)
    stored = b"".join(file.read_bytes() for file in tmp_path.glob("bottega*"))
    assert stored
    assert [secret.encode() in stored for secret in secrets] == [False] * 3


def test_the_secret_is_the_owners(tmp_path: Path) -> None:
    one, two = Secret.kept_in(tmp_path), Secret.kept_in(tmp_path)
    assert one.seat_token("t", 0) == two.seat_token("t", 0)
    assert one.seat_token("t", 0) != Secret.kept_in(tmp_path / "other").seat_token("t", 0)
    assert (tmp_path / "secret").stat().st_mode & 0o77 == 0


def test_settings_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOTTEGA_DATA", str(tmp_path))
    monkeypatch.setenv("BOTTEGA_PAUSE", "0")
    monkeypatch.setenv("BOTTEGA_DATABASE", "postgresql+asyncpg://user@host/bottega")
    chosen = make_settings(pause=2.0)
    assert (chosen.data, chosen.pause) == (tmp_path, 2.0)
    assert chosen.url == "postgresql+asyncpg://user@host/bottega"
    assert make_settings().pause == 0


def test_who_listens_to_a_forgotten_table_is_let_go(ada: Guest, tmp_path: Path) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    table = ada.table(url)

    async def listen() -> None:
        async for _ in updates(ada.hall, table, Eyes(), None, ""):
            pass

    async def listening() -> asyncio.Task[None]:
        return asyncio.create_task(listen())

    async def ended(task: asyncio.Task[None]) -> None:
        await asyncio.wait_for(task, 10)

    task = ada.run(listening)
    with database(tmp_path) as db:
        db.execute("INSERT INTO moves VALUES (?, 1, 0, 'take-white-blue-red')", [table.id])
    db.close()
    assert ada.choose(url, "take-white-blue-green").status_code == 409
    ada.run(ended, task)
