"""What outlasts the server."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from bottega.engine.match import Match
from bottega.games import _added
from bottega.table.database.rows import Entry, Played, Said, Seat
from bottega.table.database.store import Conflict, Store
from bottega.table.faults import CannotServe
from bottega.table.playing.stored import resumed, state
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Tables
from bottega.table.secret import Secret
from bottega.table.server.app import create_app
from bottega.table.settings import settings as make_settings
from bottega.table.web.events import updates
from tests.table.conftest import QUICK
from tests.table.databases import Database
from tests.table.guests import Guest, facts
from tests.table.test_live import wait_for


@pytest.mark.sqlite_only
def test_a_commit_survives_a_power_cut(ada: Guest) -> None:
    async def pragmas() -> list[Any]:
        async with ada.tables.store.engine.connect() as db:
            asked = ("journal_mode", "synchronous", "foreign_keys")
            return [(await db.exec_driver_sql(f"PRAGMA {one}")).scalar() for one in asked]

    assert ada.run(pragmas) == ["wal", 2, 1]


@pytest.mark.sqlite_only
def test_those_who_write_at_once_queue_instead_of_giving_up(tmp_path: Path) -> None:
    async def all_at_once() -> list[str]:
        store = Store(f"sqlite+aiosqlite:///{tmp_path / 'busy.sqlite3'}")
        sa.event.listen(store.engine.sync_engine, "connect", without_patience)
        await store.open()
        guests = [f"guest {number}" for number in range(40)]
        await asyncio.gather(*(store.set_name_of(guest, guest.title()) for guest in guests))
        names = [await store.name_of(guest) for guest in guests]
        await store.close()
        return names

    def without_patience(connection: Any, _: Any) -> None:
        connection.cursor().execute("PRAGMA busy_timeout=0")

    assert asyncio.run(all_at_once()) == [f"Guest {number}" for number in range(40)]


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
        ("UPDATE moves SET action = 'castle'", "no action"),
        ("UPDATE moves SET record = :short WHERE number = 1", "bytes are kept"),
        ("UPDATE moves SET layout = 'gone'", "layout gone of its records is missing"),
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
    ada: Guest, database: Database, change: str, reason: str
) -> None:
    urls = [ada.create(mode="hotseat", seat=0) for _ in range(2)]
    for url in urls:
        ada.must(f"{url}/ready")
        ada.take(url)
    table = urls[0].split("/")[2]
    where = "id" if "tables" in change else '"table"'
    joint = "AND" if "WHERE" in change else "WHERE"
    statement = sa.text(f"{change} {joint} {where} = :it").bindparams(it=table)
    if ":short" in change:
        statement = statement.bindparams(short=bytes(1))
    database.execute(statement)
    ada.tables.known.clear()
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
    ada.take(url)


async def play_elsewhere(tables: Tables, table: str, seat: int, key: str) -> None:
    """A move by another server on the same database."""
    store = Store(tables.settings.url)
    loaded = await store.load(table)
    assert loaded is not None
    match = resumed(loaded)
    match.play(seat, key)
    (move,) = await tables.to_store(match, len(match.moves) - 1)
    await store.add_move(loaded.entry, len(match.moves), move, state(match))
    await store.close()


def test_a_move_made_by_another_server_is_noticed(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    ada.run(play_elsewhere, ada.tables, url.split("/")[2], 0, "take-white-blue-red")
    answer = ada.choose(url, "take-white-blue-green")
    assert answer.status_code == 409
    assert answer.json()["error"].startswith("Pass the device to"), "it was looked at again"
    assert [move.key for move in ada.match(url).moves] == ["take-white-blue-red"]


CHANGES: dict[str, Callable[[Store, Entry], Awaitable[None]]] = {
    "add_move": lambda store, entry: store.add_move(entry, 1, Played(0, "take-red-red"), {}),
    "cut_moves": lambda store, entry: store.cut_moves(entry, 0, [], {}),
    "add_records": lambda store, entry: store.add_records(entry, []),
    "set_manners": lambda store, entry: store.set_manners(entry, {}),
    "set_names": lambda store, entry: store.set_names(entry, ["X", "Y"]),
    "add": lambda store, entry: store.add(
        dataclasses.replace(entry, id="other"),
        [Seat("person"), Seat("person")],
        set(),
        follows=entry,
    ),
    "hold": lambda store, entry: store.hold("visitor", entry, 1),
    "renew_link": lambda store, entry: store.renew_link(entry, 1, 1, None),
    "settle": lambda store, entry: store.settle(entry, 1, ["X", "Y"]),
    "say": lambda store, entry: store.say(entry, Said(0, "X", "hello")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_who_has_not_seen_the_latest_changes_nothing(
    ada: Guest, database: Database, change: str
) -> None:
    """An undo of a stale server deleted acknowledged moves."""
    url = ada.create(mode="friends", seat=0)
    table = ada.table(url)
    stale = dataclasses.replace(table.entry)
    ada.run(play_elsewhere, ada.tables, table.id, 0, "take-white-blue-red")
    before = kept(database)
    with pytest.raises(Conflict):
        ada.run(CHANGES[change], ada.tables.store, stale)
    assert kept(database) == before
    assert stale.version == table.entry.version


def kept(database: Database) -> dict[str, list[Any]]:
    """All but who is there at the moment."""
    passing = {"processes", "presence"}
    return {name: rows for name, rows in database.everything().items() if name not in passing}


def test_every_public_way_to_change_a_table_is_tried() -> None:
    """A new one must be in CHANGES."""
    changing = [name for name, way in vars(Store).items() if "entry" in way_of(way)]
    assert set(changing) - {"_changing"} == set(CHANGES)


def way_of(way: Any) -> tuple[str, ...]:
    code = getattr(way, "__code__", None)
    return code.co_varnames[: code.co_argcount] if code else ()


def test_a_table_opens_from_its_records_and_asks_no_rule(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ada.create(mode="hotseat", seat=0)
    for _ in range(4):
        ada.must(f"{url}/ready")
        ada.take(url)
    before = facts(ada.table(url))[:6]
    ada.tables.known.clear()
    with monkeypatch.context() as patch:
        patch.setattr(Match, "play", lambda *_: pytest.fail("played through"))
        assert facts(ada.table(url))[:6] == before


def test_a_running_game_survives_mended_rules(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    """It broke off, saying by which version it was begun."""
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    ada.take(url)
    before = facts(ada.table(url))[:6]
    game = ada.table(url).game
    mended = dataclasses.replace(game, rules_version=game.rules_version + 1)
    monkeypatch.setitem(_added, "splendor", mended)
    ada.tables.known.clear()
    assert facts(ada.table(url))[:6] == before
    line = f"The rules were mended: from here on by version {mended.rules_version}."
    assert line in ada.page(url)
    ada.must(f"{url}/ready")
    ada.take(url)
    ada.tables.known.clear()
    assert ada.match(url).rules == (1, 1, 2)
    assert [told.text for told in ada.match(url).log()].count(line) == 1


def test_no_token_is_in_the_database(ada: Guest, database: Database) -> None:
    url = ada.create(mode="friends", seat=0)
    secrets = [ada.client.cookies["visitor"], ada.link(url, 0)[-32:], ada.link(url, 1)[-32:]]
    stored = repr(database.everything())
    assert url.split("/")[2] in stored
    assert [secret in stored for secret in secrets] == [False] * 3


def test_the_secret_is_the_owners(tmp_path: Path) -> None:
    one, two = Secret.kept_in(tmp_path), Secret.kept_in(tmp_path)
    assert one.seat_token("t", 0) == two.seat_token("t", 0)
    assert one.seat_token("t", 0) != Secret.kept_in(tmp_path / "other").seat_token("t", 0)
    assert (tmp_path / "secret").stat().st_mode & 0o77 == 0


def test_a_secret_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full at the first start left an empty one, and a forged token opened a
    seat."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CannotServe, match="No space left"):
            Secret.kept_in(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert Secret.kept_in(tmp_path).seat_token("t", 0) == Secret.kept_in(tmp_path).seat_token(
        "t", 0
    )
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("damaged", [b"", b"x" * 31, b"x" * 33])
def test_a_damaged_secret_is_refused(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "secret").write_bytes(damaged)
    with pytest.raises(CannotServe, match=f"has {len(damaged)} bytes instead of 32"):
        Secret.kept_in(tmp_path)


@pytest.mark.sqlite_only
def test_a_second_server_on_the_same_folder_is_refused(ada: Guest, tmp_path: Path) -> None:
    url = ada.create(mode="hotseat", seat=0)
    with pytest.raises(CannotServe, match="already serving"), TestClient(create_app(tmp_path)):
        pass
    command = [sys.executable, "-m", "bottega.table", "--port", "0", "--data", str(tmp_path)]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert second.returncode == 1
    assert second.stderr.strip().startswith("Another Bottega is already serving")
    assert "Traceback" not in second.stderr
    assert ada.get(url).status_code == 200


def test_no_parameter_of_a_statement_reaches_a_log(
    ada: Guest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seed = "98765432109876543210"

    async def fail(*_: Any) -> None:
        async with ada.tables.store.engine.begin() as db:
            await db.execute(sa.text("INSERT INTO nowhere VALUES (:seed)"), {"seed": seed})

    monkeypatch.setattr(Store, "add", fail)
    assert ada.send("/tables", game="splendor", mode="bots").status_code == 503
    monkeypatch.setattr(Store, "of_visitor", fail)
    assert ada.get("/").status_code == 503
    assert "nowhere" in caplog.text
    assert seed not in caplog.text


def test_bots_luck_comes_from_the_secret(ada: Guest) -> None:
    """From a table's address alone, everybody could tell what its bots will do."""
    mine = ada.tables.secret
    other = Secret(b"another secret, of 32 bytes long")
    assert mine.luck("bot", "t", 0) == mine.luck("bot", "t", 0)
    lucks = {mine.luck("bot", "t", 0), mine.luck("bot", "t", 1), other.luck("bot", "t", 0)}
    assert len(lucks) == 3


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


def test_who_listens_hears_what_another_server_did(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    table = ada.table(url)
    heard: list[str] = []

    async def listen() -> None:
        async for event in updates(ada.tables, table, Eyes(), None, ""):
            heard.append(str(event.data))

    async def listening() -> asyncio.Task[None]:
        return asyncio.create_task(listen())

    async def cancel(task: asyncio.Task[None]) -> None:
        task.cancel()

    task = ada.run(listening)
    ada.run(play_elsewhere, ada.tables, table.id, 0, "take-white-blue-red")
    assert ada.choose(url, "take-white-blue-green").status_code == 409, "it is noticed by then"
    wait_for(lambda: len(heard) == 2)
    assert heard[-1] == str(ada.run(seen_by_all, table))
    ada.run(cancel, task)


async def seen_by_all(table: Table) -> int:
    return table.viewer(Eyes()).seq
