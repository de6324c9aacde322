"""The flow of play in a real browser: what asks, what is told, what is dragged, what stays."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import bottega
from tests.table.browser.house import (
    choices,
    favourite,
    friends,
    play,
    played,
    set_table,
    settled,
    turn_to_me,
)
from tests.table.browser.test_look import SCREENS, last_moment

GAMES = bottega.games()
HEIGHT = "document.querySelector('.ask').getBoundingClientRect().height"


def simple(page: Page) -> str:
    """Something to do, anything but passing if possible."""
    keys = choices(page)
    return next((key for key in keys if key != "pass"), keys[0])


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", GAMES)
def test_the_question_keeps_its_height(visit, name, screen):
    """It jumped by up to 88 px on a phone within one turn."""
    page = visit(**SCREENS[screen])
    page.click(f"#{name} .now button")
    heights = set()
    for _ in range(7):
        assert turn_to_me(page)
        heights.add(page.evaluate(HEIGHT))
        play(page, simple(page))
        heights.add(page.evaluate(HEIGHT))
    assert len(heights) == 1, heights


def test_passing_asks_and_what_goes_on_is_in_reach_on_a_phone(visit):
    page = visit(width=360, height=740)
    set_table(page, "bots", 2, "artificium", seat="0", bot="random")
    assert turn_to_me(page)
    button = page.locator('[data-ways] button[value="pass"]')
    expect(button).to_be_in_viewport()
    page.mouse.wheel(0, 900)
    expect(button).to_be_in_viewport()
    button.tap()
    expect(page.locator("#confirm .caution")).to_contain_text("free exchange")
    assert "passes at the market" not in page.inner_text(".log")
    page.tap("[data-take-back]")
    expect(page.locator("#confirm")).to_be_hidden()
    button.tap()
    page.tap('#confirm button[value="pass"]')
    settled(page)
    expect(page.locator(".log")).to_contain_text("passes at the market")


def test_everybody_sees_what_each_did(visit):
    (first, second), _ = friends(visit, game="renaissance-man")
    row = ("set-merchant", "set-scholar", "set-baker", "set-knight", "confirm")
    for key in row:
        play(first, key)
    for key in row:
        play(second, key)
    for page in (first, second):
        lines = page.locator("#reveal li")
        expect(lines.nth(1)).to_be_visible()
        assert [lines.nth(at).get_attribute("class") for at in (0, 1)] == ["seat-0", "seat-1"]
        assert page.locator(".structure .fresh").count() > 0, "what is new is marked"
    first.click("[data-close-reveal]")
    expect(first.locator("#reveal")).to_be_hidden()


def test_a_hint_stays_until_the_own_situation_changes(visit):
    """It vanished as soon as another one decided."""
    (first, second), _ = friends(visit, game="renaissance-man")
    first.click("[data-hint]")
    expect(first.locator("#hint li").first).to_be_visible()
    for key in ("set-merchant", "set-scholar", "set-baker", "set-knight", "confirm"):
        play(second, key)
    expect(first.locator(".sealed").first).to_be_visible()  # the other has decided
    expect(first.locator("#hint li").first).to_be_visible()
    play(first, "set-merchant")
    expect(first.locator("#hint")).to_be_hidden()


def drag(page: Page, thing: str, onto: str) -> None:
    start = page.locator(thing).bounding_box()
    end = page.locator(onto).bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + start["width"] / 2 + 20, start["y"] + 30, steps=4)
    expect(page.locator(".dragged")).to_have_count(1)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.locator(".dragged")).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_gems_and_cards_are_dragged_as_well_as_clicked(visit, size):
    page = visit(width=size[0], height=size[1])
    page.click("#splendor .now button")
    assert turn_to_me(page)
    for gem in ("white", "blue", "green"):
        drag(page, f'[data-pick="bank-{gem}"]', ".mine header")
    expect(page.locator(".chosen")).to_have_count(3)
    page.click('#confirm button[value="take-white-blue-green"]')
    settled(page)
    assert turn_to_me(page)
    drag(page, '[data-pick="card-1a"]', ".mine header")
    expect(page.locator('#confirm button[value="reserve-1a"]')).to_be_visible()
    drag(page, '[data-pick="card-1b"]', ".nobles")  # dropped beside: nothing is picked
    expect(page.locator('[data-pick="card-1b"].chosen')).to_have_count(0)


def test_the_tab_says_when_it_is_your_turn(visit):
    (first, second), _ = friends(visit)
    usual = second.get_attribute("#tab-icon", "data-usual")
    assert first.title().startswith("● Your turn")
    assert second.title() == "Splendor · Bottega"
    assert second.get_attribute("#tab-icon", "href") == usual
    play(first, "take-white-blue-green")
    assert turn_to_me(second)
    expect(second).to_have_title("● Your turn · Splendor · Bottega")
    assert second.get_attribute("#tab-icon", "href") != usual
    expect(first).to_have_title("Splendor · Bottega")


def test_bots_are_paused_stepped_and_hurried(visit):
    page = visit()
    set_table(page, "watch", 2, "renaissance-man", bot="random")
    page.click("[data-pace]")
    expect(page.locator("[data-pace]")).to_contain_text("Go on")
    page.wait_for_timeout(500)
    there = page.locator(".log li[id]").count()
    page.wait_for_timeout(700)
    assert page.locator(".log li[id]").count() == there
    for _ in range(20):  # steps that nobody is told of among them
        page.click('.pace button[value="step"]')
        settled(page)
        page.wait_for_timeout(150)
    assert page.locator(".log li[id]").count() > there
    page.click('.pace button[value="4.0"]')
    expect(page.locator('.pace button[value="4.0"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-pace]")).to_contain_text("Pause")


@pytest.mark.parametrize("name", GAMES)
def test_winning_is_a_moment(visit, sit_down, name):
    match = played(name, 2, 3)
    page = sit_down(visit(motion=True), match, *last_moment(match))
    while turn_to_me(page):
        play(page, simple(page))
    scene = page.locator("#triumph[data-playing]")
    expect(scene).to_have_count(1)
    expect(scene.locator("svg").first).to_be_visible()
    expect(scene.locator(".verdict")).to_contain_text("won")
    page.keyboard.press("Escape")
    expect(scene).to_have_count(0)
    expect(page.locator(".standings")).to_be_visible()
    page.reload()
    page.wait_for_timeout(300)
    expect(scene).to_have_count(0)  # once is enough


def test_whoever_asks_for_calm_sees_the_standings_at_once(visit, sit_down):
    match = played("splendor", 2, 3)
    page = sit_down(visit(), match, *last_moment(match))
    while turn_to_me(page):
        play(page, favourite(page))
    expect(page.locator(".standings")).to_be_visible()
    assert page.locator("#triumph[data-playing]").count() == 0


@pytest.mark.parametrize("size", [(1920, 1080), (2560, 1440)])
@pytest.mark.parametrize("name", GAMES)
def test_a_large_screen_is_used(visit, opened, name, size):
    match = played(name, 3, 3)
    page = opened(visit(width=size[0], height=size[1]), match)
    page.goto(f"{page.url.split('?')[0]}?at={len(match.moves) // 2}&by=0")
    board = page.locator("#board > section").bounding_box()
    assert board
    assert board["width"] > 0.7 * size[0]
    assert board["height"] > 0.72 * size[1]
    assert board["y"] + board["height"] <= size[1] + 1
    letters = page.evaluate(
        "parseFloat(getComputedStyle(document.querySelector('.log li')).fontSize)"
    )
    zoom = page.evaluate("document.querySelector('#table').currentCSSZoom")
    assert letters * zoom >= 16


NAMELESS_ICONS = """() => [...document.querySelectorAll('main svg.icon')]
  .filter(e => e.checkVisibility())
  .filter(e => !e.closest('[title], .badge, .with-icon, .who, h2, h3, h4, [role=img]'))
  .filter(e => ![...e.parentElement.childNodes].some(n => n !== e && n.textContent.trim()))
  .map(e => e.parentElement.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", GAMES)
def test_every_icon_says_what_it_is(visit, opened, name):
    """By its own title, that of what it stands in, or words beside it."""
    page = visit()
    page.click(f"#{name} .now button")
    assert turn_to_me(page)
    assert page.evaluate(NAMELESS_ICONS) == []
    match = played(name, 2, 3)
    opened(page, match)
    for share in (1, 2):
        page.goto(f"{page.url.split('?')[0]}?at={len(match.moves) * share // 3}&by=0")
        assert page.evaluate(NAMELESS_ICONS) == []
