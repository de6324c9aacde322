"""The server and the browser of these tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import bottega
from bottega import warm
from bottega.engine.match import Match
from tests.table.browser.house import PATIENCE, House, Visit, find_chromium

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server whose bots answer at once."""
    warm.everything([name for name in bottega.games() if not warm.at_hand(bottega.game(name))], 2)
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.stop()


@pytest.fixture(scope="session")
def slow_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server whose bots take their time, and which studies ended games."""
    house = House(tmp_path_factory.mktemp("slow"), pause=30, study=4)
    yield house
    house.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        kind = playwright.chromium
        browser = kind.launch(executable_path=find_chromium(kind), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, house: House) -> Iterator[Visit]:
    """Somebody new with a browser of their own. What a page complains about is an error."""
    contexts = []
    complaints: list[str] = []

    def come(
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 800,
        script: bool = True,
        motion: bool = False,
        at: House = house,
        may_fail: bool = False,
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            base_url=at.url,
            color_scheme="light",
            reduced_motion="no-preference" if motion else "reduce",
            java_script_enabled=script,
            has_touch=width < 500,
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if not may_fail:
            page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.goto(path)
        return page

    yield come
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[Page, Match], Page]:
    """Open the notation of a match on the home page; the page shows its replay."""

    def open_file(page: Page, match: Match) -> Page:
        file = tmp_path / "match.txt"
        file.write_text(match.save(), encoding="utf-8")
        page.goto("/")
        page.set_input_files("#file", file)
        page.click('form[action="/open"] button')
        page.wait_for_selector("#at")
        return page

    return open_file


@pytest.fixture
def sit_down(opened: Any) -> Callable[[Page, Match, int, int], Page]:
    """Sit down at a match after so many decisions, against bots."""

    def sit(page: Page, match: Match, number: int, seat: int) -> Page:
        opened(page, match)
        page.goto(f"{page.url.split('?')[0]}?at={number}")
        page.click(".fork summary")
        page.select_option('.fork [name="seat"]', str(seat))
        page.select_option('.fork [name="bot"]', "random")
        page.click(".fork button")
        page.wait_for_selector("#board")
        return page

    return sit
