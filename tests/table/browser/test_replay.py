"""The end of a game and what comes after it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.table.browser.house import choices, favourite, play, played, position, turn_to_me
from tests.table.browser.test_look import serious


def test_replay_by_slider_and_keys(visit, opened):
    match = played("splendor", 3, 11)
    page = opened(visit(), match)
    page.goto(f"{page.url.split('?')[0]}?at=0")
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.locator("body").press(key)
        expect(page.locator("#table")).to_have_attribute("data-at", str(at))
    page.fill("#at", str(len(match.moves)))
    expect(page.locator("#table")).to_have_attribute("data-at", str(len(match.moves)))
    shown = position(page)
    page.reload()
    assert position(page) == shown
    page.click('.steps a[data-step="0"]')
    expect(page.locator("#table")).to_have_attribute("data-at", "0")


def test_a_replay_plays_by_itself(visit, opened):
    page = opened(visit(), played("splendor", 2, 5))
    page.goto(f"{page.url.split('?')[0]}?at=0")
    page.select_option("#tempo", "300")
    page.click("[data-autoplay]")
    expect(page.locator("[data-autoplay]")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => Number(document.querySelector('#table').dataset.at) >= 3")
    page.locator("body").press(" ")
    expect(page.locator("[data-autoplay]")).to_have_attribute("aria-pressed", "false")
    page.wait_for_timeout(700)
    there = page.get_attribute("#table", "data-at")
    page.wait_for_timeout(700)
    assert page.get_attribute("#table", "data-at") == there, "it stands still"


def test_a_running_game_is_looked_back_at_from_its_log(visit):
    page = visit()
    page.click("#splendor .now button")
    for _ in range(2):
        assert turn_to_me(page)
        play(page, favourite(page))
    assert turn_to_me(page)
    now = position(page)
    page.locator(".log li[id] a").last.click()
    page.wait_for_selector("#at")
    assert page.get_attribute("#table", "data-at") == "1"
    assert page.locator(".fork, .seen-by, [download]").count() == 0, "that is for ended games"
    page.locator("body").press("ArrowRight")
    expect(page.locator("#table")).to_have_attribute("data-at", "2")
    page.click("text=Back to now")
    assert turn_to_me(page)
    assert position(page) == now


def test_replay_without_script(visit, opened):
    match = played("splendor", 2, 5)
    page = opened(visit(), match)
    plain = visit(f"{page.url.split('?')[0]}?at=0", script=False)
    plain.click('.steps a[data-step="1"]')
    assert "at=1" in plain.url
    assert plain.get_attribute("#table", "data-at") == "1"


def test_play_on_from_here(visit, sit_down):
    match = played("splendor", 2, 5)
    number = len(match.moves) // 2
    page = sit_down(visit(), match, number, match.at(number).waiting[0])
    assert turn_to_me(page)
    keys = {action.key for action in match.at(number).legal(match.at(number).waiting[0])}
    assert set(choices(page)) == keys
    play(page, favourite(page))


def test_the_end_rematch_share_and_notation(visit, sit_down):
    match = played("splendor", 2, 5)
    number = len(match.moves) - 2
    page = sit_down(visit(), match, number, match.at(number).waiting[0])
    while turn_to_me(page):
        play(page, favourite(page))
    expect(page.locator(".standings .score")).to_have_count(2)
    expect(page.locator(".standings .how").first).to_contain_text("from")
    assert page.input_value("#share").startswith("http")
    with page.expect_download() as download:
        page.click(".after a[download]")
    text = download.value.path().read_text(encoding="utf-8")
    assert "splendor" in text
    other = visit(page.input_value("#share"))
    expect(other.locator("#at")).to_be_visible()
    page.click(".after form button")
    page.wait_for_selector("#table:not(.over)")


def test_decisions_that_mattered_lead_into_the_replay(visit, opened, slow_house):
    match = played("splendor", 2, 5, bot="casual")
    page = opened(visit(at=slow_house), match)
    expect(page.locator(".mattering li").first).to_be_visible()  # the page follows the analysis
    expect(page.locator(".chances polyline")).to_have_count(2)
    marks = page.locator(".chances .mark")
    expect(marks).to_have_count(page.locator(".mattering li").count())
    at = marks.first.get_attribute("data-step")
    marks.first.click()
    expect(page.locator("#table")).to_have_attribute("data-at", at)
    expect(page.locator(".panel.better")).to_contain_text("in 100 to win")
    better = page.get_attribute("#table", "data-better").split()
    assert better == [] or page.locator("#board .better").count() > 0
    assert serious(page) == []
