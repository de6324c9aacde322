"""Backups that are made while people play, and what is put back from them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from bottega.cli import main
from bottega.table.database.backup import About, back_up, bring_back, read_about
from bottega.table.database.postgres_copy import environment, program
from bottega.table.database.schema import ARCHIVES, MOVES
from bottega.table.database.sole_server import sole_server
from bottega.table.faults import CannotServe, NoBackup
from bottega.table.playing.stored import replayed, resumed
from bottega.table.server.app import create_app
from bottega.table.settings import Settings
from tests.postgres import Postgres
from tests.table.conftest import QUICK
from tests.table.databases import Database, sqlite
from tests.table.guests import Guest
from tests.table.servers import several
from tests.table.stubborn import Stubborn, check, playing, wait_for_all

Elsewhere = Callable[[], tuple[Settings, Database]]
Rows = list[tuple[int, int, str]]

BACKUPS = 3
KEY = "0123456789abcdef" * 4


def silent(_: float) -> None:
    pass


@pytest.fixture
def chosen(tmp_path: Path, database: Database) -> Settings:
    """The settings of the server that is backed up."""
    data = tmp_path if database.kind == "sqlite" else tmp_path / "data"
    return Settings(data, database.url)


@pytest.fixture
def elsewhere(tmp_path: Path, database_kind: str, request: pytest.FixtureRequest) -> Elsewhere:
    """Makes another house, empty, for the same kind of database."""
    folders = iter(range(100))

    def another() -> tuple[Settings, Database]:
        folder = tmp_path / f"elsewhere-{next(folders)}"
        if database_kind == "sqlite":
            return Settings(folder), sqlite(folder)
        postgres: Postgres = request.getfixturevalue("postgres")
        url = postgres.fresh()
        return Settings(folder, url), Database(url)

    return another


def moves_of(database: Database, table: str) -> Rows:
    found = sa.select(MOVES.c.number, MOVES.c.seat, MOVES.c.action).where(MOVES.c.table == table)
    return [tuple(row) for row in database.execute(found.order_by(MOVES.c.number))]


def acknowledged(clients: list[Stubborn]) -> dict[str, int]:
    """How many decisions were acknowledged so far, by table."""
    return {
        table: sum(attempt.outcome == "counted" for attempt in list(attempts))
        for client in clients
        for table, attempts in list(client.tables.items())
    }


def test_backups_while_many_play_have_all_that_was_acknowledged(
    chosen: Settings, database: Database, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    made: list[tuple[Path, About, dict[str, int]]] = []
    with several(1, chosen.data, database.url) as servers:
        with playing(servers, 3, "greedy") as clients:
            for number in range(BACKUPS):
                wait_for_all(clients, 2)
                before = acknowledged(clients)
                made.append((*back_up(chosen, tmp_path / f"{number}.tar", silent), before))
            wait_for_all(clients, 2)
        check(clients, database)
    ended = {table: moves_of(database, table) for client in clients for table in client.tables}
    bots = {table for client in clients if client.bot for table in client.tables}
    for file, about, before in made:
        settings, restored = elsewhere()
        assert bring_back(settings, file, False, silent) == (about, [])
        assert about.moves == restored.execute(sa.select(sa.func.count()).select_from(MOVES))[0][0]
        for table, number in before.items():
            rows = moves_of(restored, table)
            assert rows == ended[table][: len(rows)], "a moment of what was played"
            own = [seat for _, seat, _ in rows if not (table in bots and seat)]
            assert len(own) >= number, "all that was acknowledged before it began"
        play_on(settings, sorted(before))


def play_on(settings: Settings, tables: list[str]) -> None:
    """A server starts on what is there; every table is what its moves lead to, and goes on."""
    with TestClient(create_app(settings.data, database=settings.url, **QUICK)) as client:
        guest = Guest(client)
        for table in tables:
            loaded = guest.run(guest.tables.store.load, table)
            assert resumed(loaded).state() == replayed(loaded).state()
            seat = next(iter(resumed(loaded).waiting), None)
            if seat is None or loaded.seats[seat].kind == "bot":
                continue
            token = guest.tables.secret.seat_token(table, seat)
            held = {"authorization": f"Bearer {token}"}
            legal = client.get(f"/api/v1/tables/{table}/legal", headers=held).json()
            for action in legal["actions"][:1]:
                wish = {"action": action["key"], "seq": legal["seq"]}
                played = client.post(f"/api/v1/tables/{table}/play", json=wish, headers=held)
                assert played.status_code == 200, played.text


@pytest.fixture
def house(chosen: Settings, database: Database) -> tuple[Settings, str, str]:
    """A house with one table; its settings, the table and the link to a seat."""
    with TestClient(create_app(chosen.data, database=database.url, **QUICK)) as client:
        ada = Guest(client)
        url = ada.create(mode="friends", seat=0)
        ada.take(url)
        return chosen, url, ada.link(url, 1)


def there(settings: Settings, database: Database) -> object:
    """All that could be lost."""
    secret = settings.data / "secret"
    return database.everything(), secret.read_bytes() if secret.exists() else b""


def test_a_link_opens_its_seat_in_what_was_restored(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen, url, link = house
    (tmp_path / "backups").mkdir()
    file, about = back_up(chosen, tmp_path / "backups", silent)
    assert file.parent.name == "backups"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == [file.name]
    with tarfile.open(file) as tar:
        assert tar.getnames() == ["about.json", "secret", "database"]
        assert {member.mode for member in tar.getmembers()} == {0o600}
    assert (about.tables, about.moves) == (1, 1)
    settings, restored = elsewhere()
    bring_back(settings, file, False, silent)
    assert (settings.data / "secret").read_bytes() == (chosen.data / "secret").read_bytes()
    assert (settings.data / "secret").stat().st_mode & 0o777 == 0o600
    assert restored.everything()["moves"] == Database(chosen.url).everything()["moves"]
    with TestClient(create_app(settings.data, database=settings.url, **QUICK)) as client:
        bruno = Guest(client)
        assert bruno.get(link).status_code == 200
        assert bruno.table(url).holders


def test_moves_that_are_packed_are_counted_and_come_along(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen = house[0]
    packed = Database(chosen.url)
    packed.execute(sa.insert(ARCHIVES).values(table=house[1][3:], packed=b"one"))
    packed.execute(MOVES.delete())
    file, about = back_up(chosen, tmp_path / "packed.tar", silent)
    assert (about.tables, about.moves) == (1, 1)
    settings, restored = elsewhere()
    bring_back(settings, file, False, silent)
    assert restored.everything()["archives"] == packed.everything()["archives"] != []


def test_what_is_there_is_replaced_only_if_that_is_said_and_kept(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen, _, _ = house
    file, _ = back_up(chosen, tmp_path / "first.tar", silent)
    settings, other = elsewhere()
    with TestClient(create_app(settings.data, database=settings.url, **QUICK)) as client:
        Guest(client).create(mode="hotseat", seat=0)
    other.execute("UPDATE alembic_version SET version_num = '9999'")  # after an upgrade, say
    before = there(settings, other)
    with pytest.raises(NoBackup, match="With --replace, the backup takes their place"):
        bring_back(settings, file, False, silent)
    assert there(settings, other) == before
    _, kept = bring_back(settings, file, True, silent)
    assert other.everything()["tables"] == Database(chosen.url).everything()["tables"]
    if other.kind == "sqlite":
        aside = sqlite(settings.data).url.replace("bottega.sqlite3", kept[0])
        assert Database(aside).everything() == before[0]  # type: ignore[index]
    else:
        schema = kept[0].split()[-1]
        (table,) = other.execute(f"SELECT id FROM {schema}.tables")
        assert table[0] == before[0]["tables"][0][0]  # type: ignore[index]
    assert (settings.data / kept[-1]).read_bytes() == before[1]  # type: ignore[index]
    play_on(settings, [other.execute("SELECT id FROM tables")[0][0]])
    again, _ = back_up(settings, tmp_path / "second.tar", silent)
    fresh, third = elsewhere()
    bring_back(fresh, again, False, silent)
    assert third.everything()["tables"] == other.everything()["tables"]


def test_nothing_is_put_back_where_a_server_runs(
    house: tuple[Settings, str, str], tmp_path: Path
) -> None:
    chosen, _, _ = house
    file, _ = back_up(chosen, tmp_path / "kept.tar", silent)
    with (
        TestClient(create_app(chosen.data, database=chosen.url, **QUICK)),
        pytest.raises(CannotServe, match=r"already serving|in use by"),
    ):
        bring_back(chosen, file, True, silent)


def test_whoever_stops_it_leaves_nothing_half(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen, _, _ = house
    folder = tmp_path / "backups"
    folder.mkdir()

    def stop_at(share: float) -> Callable[[float], None]:
        def stop(done: float) -> None:
            if done >= share:
                raise KeyboardInterrupt

        return stop

    for share in (0.0, 0.85):
        with pytest.raises(KeyboardInterrupt):
            back_up(chosen, folder, stop_at(share))
        assert not list(folder.iterdir())
    file, _ = back_up(chosen, folder, silent)
    settings, other = elsewhere()
    for share in (0.0, 0.5):
        with pytest.raises(KeyboardInterrupt):
            bring_back(settings, file, False, stop_at(share))
        assert {one.name for one in settings.data.iterdir()} <= {"bottega.lock"}
        if other.kind == "postgres":
            assert other.everything() == {}


def changed(file: Path, change: Callable[[bytes], bytes]) -> Path:
    file.write_bytes(change(file.read_bytes()))
    return file


def repacked(file: Path, folder: Path, **said: object) -> Path:
    """The same backup, saying something else about itself."""
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data")
        names = tar.getnames()
    about = folder / "about.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | said))
    with tarfile.open(file, "w") as tar:
        for name in names:
            tar.add(folder / name, name)
    return file


def test_what_is_no_whole_backup_is_refused(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen, _, _ = house
    settings, _ = elsewhere()

    def refused(file: Path) -> str:
        with pytest.raises(NoBackup) as why:
            bring_back(settings, file, False, silent)
        assert not settings.data.exists() or not list(settings.data.glob("[!b]*"))
        assert not (settings.data / "bottega.sqlite3").exists()
        return str(why.value)

    def fresh(name: str) -> Path:
        return back_up(chosen, tmp_path / name, silent)[0]

    middle = fresh("flipped.tar").stat().st_size // 2
    flip = changed(
        tmp_path / "flipped.tar", lambda b: b[:middle] + bytes([b[middle] ^ 1]) + b[middle + 1 :]
    )
    assert "is damaged" in refused(flip)
    assert "only a part of one" in refused(changed(fresh("cut.tar"), lambda b: b[:middle]))
    assert "is not a backup" in refused(changed(tmp_path / "flipped.tar", lambda _: b"tables"))
    assert "is not a backup" in refused(changed(tmp_path / "cut.tar", lambda _: b""))
    assert "cannot be read: No such file" in refused(tmp_path / "none.tar")
    newer = repacked(fresh("newer.tar"), tmp_path / "newer", schema="9999", bottega="99.1")
    assert refused(newer) == "A newer Bottega (99.1) made this backup. Update this one."
    format_ = repacked(fresh("format.tar"), tmp_path / "format", format=9)
    assert "A newer Bottega made" in refused(format_)
    other = repacked(fresh("other.tar"), tmp_path / "other", kind="Oracle")
    assert "This is a backup of Oracle" in refused(other)


def test_what_cannot_be_backed_up_is_said(
    house: tuple[Settings, str, str], elsewhere: Elsewhere, tmp_path: Path
) -> None:
    chosen, _, _ = house
    (tmp_path / "there.tar").touch()
    with pytest.raises(NoBackup, match="overwrites nothing"):
        back_up(chosen, tmp_path / "there.tar", silent)
    with pytest.raises(NoBackup, match="cannot be used: No such file"):
        back_up(chosen, tmp_path / "nowhere/x.tar", silent)
    empty, _ = elsewhere()
    with pytest.raises(NoBackup, match="nothing to back up"):
        back_up(empty, tmp_path / "empty.tar", silent)
    assert not (tmp_path / "empty.tar").exists()
    if empty.database:
        none = replace(empty, database=empty.database.replace("/test_", "/no_such_"))
        with pytest.raises(NoBackup, match=r"The database cannot be used: .* does not exist"):
            back_up(none, tmp_path / "none.tar", silent)


def test_a_secret_of_the_settings_stays_outside(
    house: tuple[Settings, str, str],
    elsewhere: Elsewhere,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen, _, _ = house
    monkeypatch.setenv("BOTTEGA_DATABASE", chosen.url)
    monkeypatch.setenv("BOTTEGA_SECRET", KEY)
    file = tmp_path / "own.tar"
    assert main(["backup", str(file), "--data", str(chosen.data)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{file} has 1 table with 1 move. The secret is a setting")
    assert not read_about(file).has_secret
    settings, _ = elsewhere()
    monkeypatch.setenv("BOTTEGA_DATABASE", settings.database)
    assert main(["restore", str(file), "--data", str(settings.data)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("What is there now: 1 table with 1 move, as of 2")
    assert said.endswith("The secret is a setting: with another one, links to seats do not open.\n")
    with pytest.raises(SystemExit, match="There are tables in"):
        main(["restore", str(file), "--data", str(settings.data)])


# SQLite


def test_a_copy_ends_though_it_is_written_to_all_the_time(tmp_path: Path) -> None:
    """SQLite alone would begin anew with every write of another process."""
    from bottega.table.database import sqlite_copy

    with TestClient(create_app(tmp_path, **QUICK)) as client:
        guest = Guest(client)
        for _ in range(60):
            guest.create(mode="hotseat", seat=0)
    file = tmp_path / "bottega.sqlite3"
    busy = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    shares: list[float] = []

    def write(share: float) -> None:
        shares.append(share)
        busy.execute("UPDATE tables SET version = version + 1")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_copy, "PAGES", 2)
        held = sqlite_copy.SqliteCopy(file).copy_to(tmp_path / "copy", write)
    busy.close()
    assert held.tables == 60
    assert len(shares) > 10
    assert shares == sorted(shares)
    with sqlite3.connect(tmp_path / "copy") as copy:
        assert copy.execute("SELECT DISTINCT version FROM tables").fetchall() == [(0,)]
    copy.close()


def test_a_damaged_database_is_replaced_and_kept(tmp_path: Path) -> None:
    chosen = Settings(tmp_path / "data")
    with TestClient(create_app(chosen.data, **QUICK)) as client:
        Guest(client).create(mode="hotseat", seat=0)
    file, about = back_up(chosen, tmp_path / "good.tar", silent)
    (chosen.data / "bottega.sqlite3").write_bytes(b"what the disk has left" * 500)
    with pytest.raises(NoBackup, match="cannot be copied"):
        back_up(chosen, tmp_path / "bad.tar", silent)
    assert not (tmp_path / "bad.tar").exists()
    with pytest.raises(NoBackup, match=r"cannot be read .* With --replace"):
        bring_back(chosen, file, False, silent)
    _, (kept,) = bring_back(chosen, file, True, silent)
    assert (chosen.data / kept).read_bytes().startswith(b"what the disk")
    assert len(sqlite(chosen.data).execute("SELECT 1 FROM tables")) == about.tables


def test_the_lock_is_free_again(tmp_path: Path) -> None:
    chosen = Settings(tmp_path / "data")
    with TestClient(create_app(chosen.data, **QUICK)):
        pass
    file, _ = back_up(chosen, tmp_path / "x.tar", silent)
    bring_back(chosen, file, True, silent)
    with sole_server(chosen.sqlite_file):
        pass


# PostgreSQL


def test_programs_are_told_by_their_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGSSLMODE", raising=False)
    url = "postgresql+asyncpg://ada:p%40ss@db.example:5433/games?ssl=require"
    told = environment(sa.make_url(url))
    names = ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSSLMODE")
    assert [told[name] for name in names] == [
        "db.example",
        "5433",
        "ada",
        "p@ss",
        "games",
        "require",
    ]
    several_hosts = "postgresql+asyncpg://ada@/games?host=one:5432&host=two:5433"
    told = environment(sa.make_url(several_hosts))
    assert (told["PGHOST"], told["PGPORT"]) == ("one,two", "5432,5433")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("bottega.table.database.postgres_copy.DEBIAN", str(tmp_path))
    with pytest.raises(NoBackup, match=r"pg_dump is not here\. Install"):
        program("pg_dump")


SLOW = """#!/bin/sh
echo "$@" > "{folder}/said"
env > "{folder}/environment"
echo $$ > "{folder}/process"
exec sleep 600
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_whoever_stops_it_ends_the_programs_too(
    pattern: str, tmp_path: Path, how: signal.Signals
) -> None:
    slow, folder = tmp_path / "pg_dump", tmp_path / "backups"
    folder.mkdir()
    slow.write_text(SLOW.format(folder=tmp_path))
    slow.chmod(0o755)
    url = sa.make_url(pattern).set(password="hush").render_as_string(hide_password=False)
    told = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "BOTTEGA_DATABASE": url}
    command = [sys.executable, "-m", "bottega", "backup", str(folder), "--data", str(tmp_path)]
    stopped = subprocess.Popen(
        command,
        env={**os.environ, **told},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 60
    while not (tmp_path / "process").exists() or not (tmp_path / "process").read_text():
        assert time.monotonic() < until
        time.sleep(0.02)
    stopped.send_signal(how)
    assert stopped.communicate(timeout=60) == ("", "bottega: stopped\n")
    assert stopped.returncode == 130
    assert not list(folder.iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "process").read_text()), 0)
    assert "hush" not in (tmp_path / "said").read_text()
    assert "PGPASSWORD=hush" in (tmp_path / "environment").read_text()


def test_a_failed_program_is_quoted_and_nothing_is_changed(
    pattern: str, postgres: Postgres, tmp_path: Path
) -> None:
    """A backup whose tables cannot be made is put back whole or not at all."""
    chosen = Settings(tmp_path, postgres.fresh(like=pattern), secret=KEY)
    file, _ = back_up(chosen, tmp_path / "x.tar", silent)
    other = replace(chosen, database=postgres.fresh())
    database = Database(other.url)
    database.execute("CREATE VIEW moves AS SELECT 1 AS one")  # in the way of a table
    with pytest.raises(NoBackup, match='relation "moves" already exists'):
        bring_back(other, file, False, silent)
    assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
