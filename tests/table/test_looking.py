"""A table can be looked at while nothing can be stored: the disk is full, or for reading only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from bottega.table.database.schema import LAYOUTS, MOVES, TABLES
from tests.table.conftest import Welcome
from tests.table.databases import Database
from tests.table.guests import JSON, Guest, finish

FORBID = {"sqlite": "PRAGMA query_only = 1", "postgresql": "SET TRANSACTION READ ONLY"}
ALLOW = {"sqlite": "PRAGMA query_only = 0", "postgresql": "SELECT 1"}


@contextmanager
def only_reading(guest: Guest) -> Iterator[None]:
    """The server's database takes nothing."""
    engine = guest.tables.store.engine.sync_engine

    def forbid(connection: sa.Connection) -> None:
        connection.exec_driver_sql(FORBID[engine.dialect.name])

    def allow(connection: sa.Connection) -> None:
        connection.exec_driver_sql(ALLOW[engine.dialect.name])

    sa.event.listen(engine, "begin", forbid)
    yield
    sa.event.remove(engine, "begin", forbid)
    sa.event.listen(engine, "begin", allow)


def look(guest: Guest, url: str) -> None:
    """Everything that can be looked at."""
    for path in ("/", url, f"{url}/board", f"/api/v1/tables{url[2:]}/view", "/rules/splendor"):
        answer = guest.get(path)
        assert answer.status_code == 200, (path, answer.text)
    assert guest.client.head(f"{url}/events").status_code == 200


@pytest.fixture
def url(ada: Guest, bruno: Guest) -> str:
    """A table of two who have played."""
    url = ada.create(mode="friends", seat=0, name="Ada")
    bruno.get(ada.link(url, 1))
    ada.take(url)
    return url


def test_a_table_in_memory(ada: Guest, bruno: Guest, carla: Guest, url: str) -> None:
    with only_reading(ada):
        for guest in (ada, bruno, carla):
            look(guest, url)
        seat = bruno.match(url).waiting[0]
        key = bruno.match(url).legal(seat)[0].key
        refused = bruno.choose(url, key)
        assert refused.status_code == 503, refused.text
        assert "has not happened" in refused.json()["error"]
        look(bruno, url)
        assert ada.get("/readyz").status_code == 503
        assert ada.get("/healthz").status_code == 200
    assert bruno.choose(url, key).status_code == 200


@pytest.mark.parametrize("forgotten", ["the table", "the layout", "its records"])
def test_a_table_that_waits_in_the_database(
    welcome: Welcome, ada: Guest, url: str, database: Database, forgotten: str
) -> None:
    """Also one from before: laid out in another way, or stored without its records."""
    before = ada.match(url).state()
    if forgotten == "the layout":
        ((name, fields),) = database.execute(sa.select(LAYOUTS.c.id, LAYOUTS.c.fields))
        database.execute(sa.insert(LAYOUTS).values(id="of-old", fields=fields))
        for table in (TABLES, MOVES):
            database.execute(sa.update(table).values(layout="of-old"))
        database.execute(sa.delete(LAYOUTS).where(LAYOUTS.c.id == name))
        ada.tables.store._layouts.clear()
    if forgotten == "its records":
        database.execute(sa.update(TABLES).values(start=None, layout=None))
        database.execute(sa.update(MOVES).values(record=None, layout=None, rules=None))
    ada.tables.known.clear()
    with only_reading(ada):
        look(ada, url)
        look(welcome(), url)
        assert ada.match(url).state() == before
    ada.tables.known.clear()
    ada.page(url)
    seat = ada.match(url).waiting[0]
    assert seat == 1
    undone = ada.send(f"{url}/undo")
    assert undone.status_code == 200, undone.text


def test_a_game_that_is_over(ada: Guest) -> None:
    url = ada.create(mode="hotseat")
    finish(ada, url)
    ada.tables.known.clear()
    with only_reading(ada):
        look(ada, url)
        for path in ("replay", "notation"):
            assert ada.get(f"{url}/{path}").status_code == 200


def test_a_table_of_bots(ada: Guest) -> None:
    """They stop, and go on when it can be stored."""
    with only_reading(ada):
        refused = ada.send("/tables", game="splendor", mode="watch", players=2, bot="random")
        assert refused.status_code == 503
    url = ada.create(mode="watch")
    with only_reading(ada):
        look(ada, url)
        assert ada.send(f"{url}/chat", text="Hello").status_code == 503


def test_a_visitor_who_is_new(welcome: Welcome, ada: Guest, url: str) -> None:
    with only_reading(ada):
        look(welcome(), url)
        assert welcome().get(url, headers=JSON).status_code == 200
