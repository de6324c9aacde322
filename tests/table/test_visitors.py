"""Who asks: known by a cookie that the server made."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa

from bottega.table.database.schema import HOLDERS, TABLES, VISITORS
from bottega.table.secret import Secret, visitor_id
from bottega.table.web.visits import COOKIE
from tests.table.conftest import QUICK, Welcome
from tests.table.databases import Database
from tests.table.guests import JSON, Guest

OLD = "abcdefghijklmnopqrstuvwxyz-_0123"  # as cookies were before they bore a mark
SECRET = Secret(bytes(32))


def with_cookie(guest: Guest, cookie: str) -> Guest:
    guest.client.cookies.clear()
    guest.client.cookies.set(COOKIE, cookie)
    return guest


def test_a_cookie_is_ours_or_not() -> None:
    cookie = SECRET.new_visitor()
    assert re.fullmatch(r"[\w-]{32}", cookie), "processes of before know it, too"
    assert SECRET.is_ours(cookie)
    assert SECRET.new_visitor() != cookie
    assert not Secret(b"x" * 32).is_ours(cookie)
    for at in range(32):
        other = "A" if cookie[at] != "A" else "B"
        assert not SECRET.is_ours(cookie[:at] + other + cookie[at + 1 :])
    for wrong in ("", cookie[:16], cookie[:-1], cookie + "A", OLD, "\u00e9" * 32):
        assert not SECRET.is_ours(wrong)


def test_the_cookie_is_out_of_reach(ada: Guest) -> None:
    cookie = ada.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "set-cookie" not in ada.get("/").headers, "once is enough"


@pytest.mark.parametrize("cookie", ["' OR 1=1", "", "x" * 31, OLD, "a" * 400])
def test_a_cookie_of_another_make_is_replaced(ada: Guest, cookie: str) -> None:
    answer = ada.get("/", headers={"cookie": f"visitor={cookie}"})
    assert ada.tables.secret.is_ours(answer.cookies[COOKIE])


def test_nobody_can_be_who_they_like(ada: Guest) -> None:
    with_cookie(ada, OLD)
    csrf = ada.tables.secret.csrf_token(OLD)  # even with that
    form = {"game": "splendor", "mode": "watch", "players": 2, "csrf": csrf}
    answer = ada.client.post("/tables", data=form, headers={**JSON, "cookie": f"{COOKIE}={OLD}"})
    assert answer.status_code == 403
    assert "form was too old" in answer.json()["error"]


def forget_the_mark(guest: Guest, database: Database) -> None:
    """Have a guest's cookie be one from before cookies bore a mark."""
    old, me = visitor_id(OLD), visitor_id(guest.client.cookies[COOKIE])
    for column in (VISITORS.c.id, HOLDERS.c.visitor, TABLES.c.host):
        database.execute(sa.update(column.table).where(column == me).values({column: old}))
    guest.tables.known.clear()
    with_cookie(guest, OLD)
    guest.csrf = ""


@pytest.mark.parametrize(
    "wish",
    [
        {"mode": "friends", "seat": 0, "name": "Ada"},
        {"mode": "friends", "seat": 0},  # no name: only the seat
        {"mode": "watch"},  # nor a seat: only the table
    ],
)
def test_who_was_here_before_cookies_bore_a_mark_keeps_everything(
    ada: Guest, bruno: Guest, database: Database, wish: dict[str, Any]
) -> None:
    url = ada.create(**wish)
    forget_the_mark(ada, database)
    home = ada.get("/")
    assert "set-cookie" not in home.headers
    assert url in home.text
    if wish["mode"] == "friends":
        ada.take(url)
    assert url not in bruno.page("/")


def test_nobody_is_somebody_else_while_the_database_is_away(ada: Guest, database: Database) -> None:
    url = ada.create(mode="friends", seat=0)
    forget_the_mark(ada, database)
    database.execute("ALTER TABLE visitors RENAME TO lost")
    answer = ada.get(url)
    assert answer.status_code == 503
    assert "set-cookie" not in answer.headers
    database.execute("ALTER TABLE lost RENAME TO visitors")
    ada.take(url)


@pytest.mark.usefixtures("still")
class TestTooFast:
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {**QUICK, "pace": 0.01}  # three pages for an address

    def test_whoever_is_too_fast_gets_no_cookie(self, welcome: Welcome) -> None:
        answers = [welcome().get("/") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert ["set-cookie" in answer.headers for answer in answers] == [1, 1, 1, 0, 0]


def test_a_cookie_of_ours_costs_no_statement(ada: Guest) -> None:
    ada.page("/")
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "visitors" in statement:  # and not a sign of life
            said.append(statement)

    sa.event.listen(ada.tables.store.engine.sync_engine, "before_cursor_execute", note)
    ada.page("/rules/splendor")
    assert not said
    with_cookie(ada, OLD).page("/rules/splendor")
    assert len(said) == 1
