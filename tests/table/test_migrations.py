"""Databases of earlier versions are brought forward, whole or not at all; newer ones refused."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from starlette.testclient import TestClient

import bottega
from bottega.engine.match import Match
from bottega.table.database import migrations
from bottega.table.database.schema import meta
from bottega.table.faults import CannotServe
from bottega.table.server.app import create_app
from tests.table.conftest import QUICK
from tests.table.guests import Guest

FILE = "bottega.sqlite3"


def old_database(folder: Path, *matches: Match, rules: int | None = None) -> None:
    """A database as the first schema had it, from before schemas had numbers, with matches."""
    engine = sa.create_engine(f"sqlite:///{folder / FILE}")
    config = Config()
    config.set_main_option("script_location", str(migrations.HERE))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, migrations.FIRST)
        connection.exec_driver_sql("DROP TABLE alembic_version")
    engine.dispose()
    with sqlite3.connect(folder / FILE) as db:
        for number, match in enumerate(matches):
            row = old_row(f"table-{number}", match, rules)
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO tables ({', '.join(row)}) VALUES ({marks})", [*row.values()])
            for seat in range(match.players):
                db.execute("INSERT INTO seats VALUES (?, ?, 'person', NULL)", [row["id"], seat])
            moves = [(row["id"], n, m.seat, m.key) for n, m in enumerate(match.moves, 1)]
            db.executemany("INSERT INTO moves VALUES (?, ?, ?, ?)", moves)
    db.close()


def old_row(name: str, match: Match, rules: int | None) -> dict[str, Any]:
    return {
        "id": name,
        "game": match.game.name,
        "rules": match.game.rules_version if rules is None else rules,
        "kit": match.kit.name,
        "kit_hash": match.kit.hash,
        "players": match.players,
        "seed": str(match.seed),
        "turn_limit": match.limit,
        "options": json.dumps(match.options),
        "names": json.dumps(match.names),
        "mode": "hotseat",
        "invite": "seat-links",
        "epoch": 3,
        "over": match.over,
        "waiting": json.dumps(match.waiting),
        "result": "",
        "length": len(match.moves),
        "turns": match.turns,
        "created": 1.0,
        "changed": 2.0,
    }


def played(name: str, moves: int, seed: int = 4) -> Match:
    match = bottega.game(name).new(2, seed, names=["Ada", "Bruno"])
    bot = bottega.bot("greedy")
    for _ in range(moves):
        seat = match.waiting[0]
        match.play(seat, bot.choose(match, seat))
    return match


def schema(folder: Path) -> Any:
    with sqlite3.connect(folder / FILE) as db:
        found = db.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    db.close()
    return found


def test_the_migrations_come_to_what_the_store_declares(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, **QUICK)):
        pass
    engine = sa.create_engine(f"sqlite:///{tmp_path / FILE}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), meta) == []
    engine.dispose()
    assert not list(tmp_path.glob("*.before-*")), "there was nothing to copy"


@pytest.mark.parametrize("name", bottega.games())
def test_an_old_table_goes_on_with_records(tmp_path: Path, name: str) -> None:
    match = played(name, 25)
    version = match.game.rules_version
    old_database(tmp_path, match, rules=version - 1)
    with TestClient(create_app(tmp_path, **QUICK)) as client:
        ada = Guest(client)
        table = ada.table("/t/table-0")
        assert table.match.state() == match.state()
        assert table.match.log()[-1].text.endswith(f"from here on by version {version}.")
        ada.tables.known.clear()
        assert ada.match("/t/table-0").rules == (version - 1,) * 26, "kept, not played again"
    (copy,) = tmp_path.glob("*.before-*")
    with sqlite3.connect(copy) as db:
        assert db.execute("SELECT count(*) FROM moves").fetchone() == (25,)
        assert "record" not in str(db.execute("SELECT sql FROM sqlite_master").fetchall())
    db.close()


def test_an_old_table_that_comes_out_differently_says_so_and_harms_no_other(
    tmp_path: Path,
) -> None:
    good, bad, worse = played("splendor", 8), played("splendor", 9), played("splendor", 9, seed=5)
    old_database(tmp_path, good, bad, worse)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE tables SET turns = 3 WHERE id = 'table-1'")
        db.execute("UPDATE moves SET action = 'buy-3a' WHERE \"table\" = 'table-2' AND number = 1")
    db.close()
    with TestClient(create_app(tmp_path, **QUICK)) as client:
        ada = Guest(client)
        assert "its moves lead elsewhere" in ada.get("/t/table-1").text
        assert "cannot pay" in ada.get("/t/table-2").text
        assert ada.get("/t/table-0").status_code == 200


def test_a_newer_database_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path, **QUICK)):
        pass
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    before = schema(tmp_path)
    with pytest.raises(CannotServe, match="newer Bottega"), TestClient(create_app(tmp_path)):
        pass
    command = [sys.executable, "-m", "bottega.table", "--port", "0", "--data", str(tmp_path)]
    started = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert started.returncode == 1
    assert started.stderr.startswith("This database was last used by a newer Bottega")
    assert "Traceback" not in started.stderr
    assert schema(tmp_path) == before


def test_a_change_that_breaks_off_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(tmp_path, played("splendor", 5))
    before = schema(tmp_path)

    def killed(*_: Any, **__: Any) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Operations, "drop_table", killed, raising=False)
        with pytest.raises(CannotServe), TestClient(create_app(tmp_path, **QUICK)):
            pass
    assert schema(tmp_path) == before
    with TestClient(create_app(tmp_path, **QUICK)) as client:
        assert Guest(client).get("/t/table-0").status_code == 200


def test_without_room_for_a_copy_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(tmp_path, played("splendor", 5))
    before = schema(tmp_path)

    def full(*_: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with (
            pytest.raises(CannotServe, match="Make room"),
            TestClient(create_app(tmp_path, **QUICK)),
        ):
            pass
    assert schema(tmp_path) == before
