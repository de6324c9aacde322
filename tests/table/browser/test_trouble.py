"""A server that fails for a while: the table stays, says so, and comes back by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.postgres import Postgres, find_postgres
from tests.table.browser.house import House, friends, play, set_table, turn_to_me

TRYING = "Trying again"
FRAGMENT = "**/board"


@pytest.fixture(scope="module")
def own_postgres(postgres: Postgres) -> Iterator[Postgres]:
    """A database to be stopped, where there is any."""
    programs = find_postgres()
    assert programs is not None
    with closing(Postgres(programs)) as running:
        yield running


@pytest.fixture(scope="module")
def shared_house(
    own_postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """A server on that database."""
    house = House(tmp_path_factory.mktemp("shared"), database=own_postgres.fresh())
    yield house
    house.stop()


def test_the_database_is_away_for_a_while(visit, shared_house, own_postgres):
    page, plain = visit(at=shared_house, may_fail=True), visit(at=shared_house, may_fail=True)
    url = set_table(page, "bots", 2, bot="random", seat="0")
    plain.goto(url)
    board = page.inner_text("#board")
    own_postgres.stop()
    try:
        page.click("#choices summary")
        page.locator("#choices button").first.click()
        expect(page.locator("#notice")).to_contain_text("board cannot be loaded")
        assert page.inner_text("#board") == board, "it stays as it was"
        plain.reload()
        expect(plain.locator("h1")).to_have_text("Not possible just now")
    finally:
        own_postgres.start()
    expect(page.locator("#notice")).to_be_hidden()
    expect(plain.locator("#board")).to_be_visible()
    assert turn_to_me(page)
    play(page, "take-white-blue-green")
    expect(plain.locator(".log")).to_contain_text("takes white, blue and green")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_board_that_cannot_be_loaded_just_now_stays_and_comes_back(visit, status):
    (first, second), _ = friends(visit, may_fail=True)
    asked = []

    def fail(route):
        asked.append(route.request.url)
        route.fulfill(status=status, body="<h1>Bad gateway</h1>")

    second.route(FRAGMENT, fail)
    play(first, "take-white-blue-green")
    expect(second.locator("#notice")).to_contain_text(TRYING)
    second.wait_for_function("() => document.querySelector('#table[data-mine=\"no\"]')")
    second.fill("#say", "Hello")
    second.route("**/chat", lambda route: route.fulfill(status=409, json={"error": "Not now."}))
    second.click(".chat button:text('Send')")
    expect(second.locator("#notice")).to_contain_text("Not now.")
    expect(second.locator("#notice")).to_contain_text(TRYING)  # again, once that was read
    while len(asked) < 3:
        second.wait_for_timeout(100)
    expect(second.locator("#board")).to_be_visible()
    second.unroute(FRAGMENT)
    assert turn_to_me(second)
    expect(second.locator("#notice")).to_be_hidden()


@pytest.mark.parametrize("status", [403, 404, 409])
def test_a_refusal_that_stands_leads_to_the_page_of_the_error(visit, status):
    (first, second), url = friends(visit, may_fail=True)

    def refuse(route):
        route.fulfill(status=status, body="<h1>Refused</h1>", content_type="text/html")

    second.route(FRAGMENT, refuse)
    second.route(url, refuse)
    play(first, "take-white-blue-green")
    expect(second.locator("h1")).to_have_text("Refused")


def test_without_script_the_browser_itself_comes_back(visit, shared_house, own_postgres):
    page = visit(at=shared_house, script=False, may_fail=True)
    url = set_table(page, "bots", 2, bot="random", seat="0")
    own_postgres.stop()
    try:
        page.click("#choices summary")
        page.locator("#choices button").first.click()
        expect(page.locator("h1")).to_have_text("Not possible just now")
    finally:
        own_postgres.start()
    expect(page.locator("#board")).to_be_visible()
    assert page.url == url
