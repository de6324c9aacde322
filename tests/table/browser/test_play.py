"""Playing in a real browser, as people do: by clicking, tapping, keys, or without script."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.table.browser.house import (
    choices,
    favourite,
    friends,
    moment,
    pick,
    play,
    played,
    position,
    set_table,
    settled,
    sideways,
    turn_to_me,
)


def test_a_newcomer_plays_a_whole_game_from_the_home_page(visit):
    page = visit()
    page.click("#splendor .now button")
    turns = 0
    while turn_to_me(page):
        play(page, favourite(page))
        turns += 1
        assert turns < 120
    assert turns >= 10
    expect(page.locator(".standings li")).to_have_count(3)
    expect(page.locator(".standings")).to_contain_text("cards")
    expect(page.locator(".standings .why")).to_contain_text("points")
    page.goto("/")
    expect(page.locator(".tables li")).to_have_count(1)


def test_two_browsers_play_by_links_and_a_third_watches(visit):
    (first, second), url = friends(visit)
    watcher = visit(url)
    assert turn_to_me(first)
    assert choices(second) == [] == choices(watcher)
    play(first, "take-white-blue-green")
    for page in (second, watcher):
        expect(page.locator(".log li").first).to_contain_text(
            re.compile("takes white, blue and green")
        )
    assert second.locator(".bank .fresh").count() == 3, "what changed is marked"
    assert turn_to_me(second)
    play(second, "reserve-deck-2")
    expect(watcher.locator(".log li").first).to_contain_text("from the deck of level 2")
    card = second.get_attribute(".mine .hand [data-thing]", "data-thing")
    assert card
    for page in (first, watcher):
        expect(page.locator(".held .back")).to_have_count(1)
        assert f'"{card}"' not in page.content()
        assert "worth" not in page.locator(".log li").first.inner_text()


def invitation(host: Page) -> tuple[str, str]:
    """A table of two, and the link to the seat that is free."""
    url = set_table(host, "friends", 2, invite="seat-links", name="Ada")
    return url, host.locator(".invite .url").input_value()


def test_the_token_of_a_seat_is_in_no_address_that_a_server_sees(visit):
    url, link = invitation(visit())
    token = link.partition("#")[2]
    assert len(token) == 32
    guest = visit()
    asked = []
    guest.on("request", lambda one: asked.extend([one.url, one.headers.get("referer", "")]))
    guest.goto(link)
    guest.wait_for_url(url)
    expect(guest.locator('#table[data-seat=""]')).to_have_count(0)
    assert link.partition("#")[0] in asked
    assert [address for address in asked if token in address] == []
    guest.go_back()
    assert token not in guest.url


def test_without_script_the_link_to_a_seat_is_pasted(visit):
    url, link = invitation(visit())
    guest = visit(link, script=False)
    expect(guest.locator(".without-script")).to_be_visible()
    guest.fill("#link", link)
    guest.click("#sit button")
    assert guest.url == url
    assert guest.get_attribute("#table", "data-seat") != ""


def test_a_seat_that_cannot_be_taken_now_is_taken_later(visit):
    url, link = invitation(visit())
    guest = visit(may_fail=True)

    def fail(route):
        if route.request.method == "POST":
            route.fulfill(status=503)
        else:
            route.continue_()

    guest.route("**/seat", fail)
    guest.goto(link)
    expect(guest.locator("#notice")).to_contain_text("Trying again")
    guest.unroute("**/seat")
    guest.wait_for_url(url)


def test_a_wrong_link_to_a_seat_says_so_and_another_one_can_be_pasted(visit):
    url, link = invitation(visit())
    guest = visit(link[:-4], may_fail=True)
    expect(guest.locator("#notice")).to_contain_text("opens no seat")
    guest.fill("#link", link)
    guest.click("#sit button")
    guest.wait_for_url(url)


def test_a_new_link_sends_other_browsers_away_and_this_one_stays(visit):
    (first, second), _ = friends(visit)
    second.click(".own-link summary")
    old = second.input_value("#own-link")
    thief = visit(old)
    thief.wait_for_selector('#table[data-seat="1"]')
    second.click(".own-link form button")
    expect(thief.locator("#table")).to_have_attribute("data-seat", "")
    expect(second.locator("#own-link")).not_to_have_value(old)
    expect(second.locator("#table")).to_have_attribute("data-seat", "1")
    expect(second.locator("#notice")).to_be_hidden()
    play(first, "take-white-blue-green")
    assert turn_to_me(second)  # it is followed as before
    late = visit(old, may_fail=True)
    expect(late.locator("#notice")).to_contain_text("opens no seat")
    phone = visit(second.input_value("#own-link"))
    phone.wait_for_selector('#table[data-mine="yes"]')


def test_one_link_seats_people_as_they_come(visit):
    host = visit()
    set_table(host, "friends", 3, invite="one-link", name="Ada")
    link = host.locator(".invite .url").input_value()
    for name in ("Bruno", "Carla"):
        guest = visit(link)
        guest.fill("#name", name)
        guest.click(".join button")
        expect(guest.locator("#board")).to_contain_text(name)
        expect(host.locator("#board")).to_contain_text(name)
    expect(host.locator(".invite")).to_have_count(0)
    late = visit(link)
    expect(late.locator("#table")).to_have_attribute("data-seat", "")


def test_people_talk_and_nothing_they_say_is_obeyed(visit):
    (first, second), _ = friends(visit)
    first.fill("#say", "<b>Good luck</b> & <script>alert(1)</script>")
    first.press("#say", "Enter")
    expect(second.locator("#talk")).to_contain_text("<b>Good luck</b> & <script>alert(1)</script>")
    expect(first.locator("#say")).to_have_value("")


def test_what_is_being_typed_stays_when_a_friend_arrives(visit):
    host = visit()
    set_table(host, "friends", 2, invite="one-link", name="Ada")
    host.fill("#say", "Is anybody")
    guest = visit(host.locator(".invite .url").input_value())
    guest.fill("#name", "Bruno")
    guest.click(".join button")
    expect(host.locator(".invite")).to_have_count(0)
    expect(host.locator("#say")).to_have_value("Is anybody")


def test_hot_seat_covers_the_hands(visit):
    page = visit()
    set_table(page, "hotseat", 2, name="Ada", names="Bruno")
    names = []
    for _ in range(3):
        expect(page.locator(".curtain")).to_be_visible()
        assert page.locator(".hand, #choices").count() == 0
        page.click("[data-ready]")
        assert turn_to_me(page)
        names.append(page.inner_text(".mine .name"))
        play(page, "reserve-deck-1")
        expect(page.locator(".curtain")).to_be_visible()
        assert "data-thing=" not in page.inner_html(".curtain")
        assert "worth" not in page.locator(".log li").first.inner_text()
    assert names[0] != names[1]
    assert names[0] == names[2]


def test_watching_bots_play(visit):
    page = visit()
    set_table(page, "watch", 2, bot="random")
    expect(page.locator(".log li").nth(11)).to_be_attached()  # of a long log the latest lines
    assert page.locator("#choices, [data-undo], .mine").count() == 0
    expect(page.locator(".opponent")).to_have_count(2)


def test_the_log_grows_by_what_is_new(visit):
    """However pages came to it, they show the log that is there when they are loaded anew."""
    (first, second), _ = friends(visit)
    log = (
        "[...document.querySelectorAll('.log li')]"
        ".map((line) => line.id + line.className + line.innerText)"
    )
    for turn in range(6):
        mover = (first, second)[turn % 2]
        assert turn_to_me(mover)
        play(mover, favourite(mover))
    assert turn_to_me(first)
    for page in (first, second):
        settled(page)
        shown = page.evaluate(log)
        assert len(shown) >= 6
        page.reload()
        assert page.evaluate(log) == shown


def test_what_is_picked_can_be_taken_back(visit):
    page = visit()
    page.click("#splendor .now button")
    assert turn_to_me(page)
    before = position(page)
    pick(page, next(key for key in choices(page) if key.startswith("take-white-blue")))
    expect(page.locator(".chosen")).to_have_count(3)
    page.click("[data-take-back]")
    expect(page.locator(".chosen")).to_have_count(0)
    expect(page.locator("#confirm")).to_be_hidden()
    page.click('[data-pick="card-1a"]')
    expect(page.locator("#confirm .go").first).to_be_visible()
    page.click('[data-pick="card-3d"]')  # another thing instead, with one click
    expect(page.locator(".chosen")).to_have_count(1)
    page.click('[data-pick="card-3d"]')
    expect(page.locator(".chosen")).to_have_count(0)
    assert position(page) == before


def eventually(page, holds):
    """Whether it comes to hold: a page follows the table after a moment."""
    for _ in range(300):
        if holds():
            return True
        page.wait_for_timeout(100)
    return False


def test_undo_is_free_against_bots(visit, slow_house):
    page = visit(at=slow_house)
    set_table(page, "bots", 2, seat="0")
    assert turn_to_me(page)
    before = page.inner_text(".bank")
    play(page, favourite(page))
    assert eventually(page, lambda: page.inner_text(".bank") != before)
    page.click("[data-undo]")
    assert turn_to_me(page)
    assert eventually(page, lambda: page.inner_text(".bank") == before)


def test_undo_with_people_needs_their_consent(visit):
    (first, second), _ = friends(visit)
    before = first.inner_text(".bank")
    play(first, "take-white-blue-green")
    first.click("[data-undo]")
    for answer, after in (("no", False), ("yes", True)):
        second.click(f'.question button[value="{answer}"]')
        for page in (first, second):
            expect(page.locator(".question")).to_have_count(0)
        assert eventually(first, lambda after=after: (first.inner_text(".bank") == before) == after)
        if not after:
            first.click("[data-undo]")
    assert turn_to_me(first)


def test_reload_and_a_lost_connection(visit):
    (first, second), _ = friends(visit, may_fail=True)
    play(first, "take-white-blue-green")
    expect(second.locator("#table")).to_have_attribute("data-mine", "yes")
    pick(second, "take-white-blue-red")
    second.reload()
    assert turn_to_me(second)
    expect(second.locator(".bank .fresh")).to_have_count(3)  # what changed is still marked
    first.context.set_offline(True)
    play(second, "take-blue-red-black")
    first.context.set_offline(False)
    assert turn_to_me(first)
    expect(first.locator(".log li").first).to_contain_text("takes blue, red and black")
    expect(first.locator("#notice")).to_be_hidden()  # it stayed, though all was well again


def test_the_server_dies_and_comes_back(visit, house):
    (first, second), _ = friends(visit, may_fail=True)
    play(first, "take-white-blue-green")
    told = second.locator(".log li").count()
    house.kill()
    for page in (first, second):
        expect(page.locator("#notice")).to_contain_text("connection is lost")
    house.start()
    for page in (first, second):
        expect(page.locator("#notice")).to_be_hidden()
    assert turn_to_me(second)
    play(second, "take-blue-red-black")
    assert turn_to_me(first)
    assert first.locator(".log li").count() > told


def test_keyboard_alone(visit):
    page = visit()
    page.focus("#splendor .now button")
    page.keyboard.press("Enter")
    assert turn_to_me(page)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        while not (page.evaluate("document.activeElement.dataset.pick") or "").startswith("card"):
            page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.matches('#confirm .go')")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.matches('[data-pick].can')")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        settled(page)
        assert turn_to_me(page)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.locator("#hint")).to_be_visible()
    page.keyboard.press("r")
    expect(page.locator("#rules")).to_be_visible()


def test_without_script(visit):
    page = visit(script=False)
    page.click("#splendor .now button")
    for _ in range(5):
        page.wait_for_selector("#choices", timeout=20_000)
        before = page.inner_text(".log")
        page.click("#choices summary")
        page.click(f'#choices button[value="{favourite_plain(page)}"]')
        page.wait_for_selector("#table")
        assert page.inner_text(".log") != before
    page.click("[data-rules]")
    expect(page.locator("article.rules h1")).to_be_visible()


def favourite_plain(page: Page) -> str:
    """The first take or buy of the list, read without script."""
    values = [
        button.get_attribute("value") or "" for button in page.locator("#choices button").all()
    ]
    return next((value for value in values if value.startswith(("take", "buy"))), values[0])


def test_on_a_phone(visit):
    page = visit(width=360, height=740)
    assert sideways(page) == 0
    page.tap("#splendor .now button")
    for _ in range(4):
        assert turn_to_me(page)
        assert sideways(page) == 0
        key = favourite(page)
        things = (page.get_attribute(f'#choices button[value="{key}"]', "data-picks") or "").split()
        for thing in things:
            page.tap(f'[data-pick="{thing}"]')
        page.tap(f'#confirm button[value="{key}"]')
        settled(page)
    strip = page.locator("details.others")
    expect(strip.locator(".opponents")).to_be_hidden()
    strip.locator("> summary").tap()
    expect(strip.locator(".opponents")).to_be_visible()
    assert sideways(page) == 0


@pytest.mark.parametrize("kind", ["settle", "return", "welcome"])
def test_every_phase_can_be_clicked_through(visit, sit_down, kind):
    matches = (played("splendor", 2, seed, payment="choice") for seed in range(300))
    match, (number, seat) = next((one, found) for one in matches if (found := moment(one, kind)))
    page = sit_down(visit(), match, number, seat)
    assert turn_to_me(page)
    assert page.locator("#board [data-pick].can").count() >= 1
    assert page.locator(".ways button").count() == 0, "each of these has its place on the board"
    play(page, choices(page)[0])


@pytest.mark.parametrize("width", [1280, 360])
def test_anybodys_bought_cards_are_looked_at_and_places_have_names(visit, opened, width):
    match = played("splendor", 3, 11)
    page = opened(visit(width=width), match)
    page.goto(f"{page.url.split('?')[0]}?at={len(match.moves) // 2}&by=0")
    spots = page.locator(".market .spot")
    assert spots.all_inner_texts() == [f"{row}{place}" for row in "321" for place in "abcd"]
    for spot in spots.all():
        expect(spot).to_be_visible()
    if width < 1000:
        page.click(".others > summary")
    things = match.at(len(match.moves) // 2).view(0)["players"][1]
    cards = page.locator(".opponent").first.locator(".bought")
    expect(cards).to_contain_text(f"{things['bought']} card")
    cards.locator("summary").click()
    expect(cards.locator("li")).to_have_count(len(things["cards"]))
    for card in cards.locator("li").all():
        expect(card).to_be_in_viewport()


def test_an_error_says_what_is_possible(visit):
    (first, _second), _ = friends(visit, may_fail=True)
    again = first.context.new_page()
    again.goto(first.url)
    again.route("**/events*", lambda route: route.abort())
    again.reload()
    pick(again, "take-white-blue-green")
    play(first, "take-white-blue-green")
    again.click("#confirm .go")
    expect(again.locator("#notice")).to_be_visible()
    page = visit("/t/nowhere", may_fail=True)
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("main a.button")).to_have_attribute("href", "/")


def test_hint_and_rules_are_at_hand(visit):
    page = visit()
    page.click("#splendor .now button")
    assert turn_to_me(page)
    page.click("[data-hint]")
    expect(page.locator("#hint li").first).to_be_visible()
    assert len(page.locator("#hint li").first.inner_text()) > 20
    expect(page.locator("#hint li")).to_have_count(3)
    expect(page.locator("#hint .odds").first).to_contain_text("in 100 to win")
    suggested = page.locator("#hint [data-suggest]").nth(1)
    suggested.click()  # it is picked on the board and can be confirmed or taken back
    key = suggested.get_attribute("value")
    assert page.locator("#board .chosen").count() > 0
    expect(page.locator(f'#confirm button[value="{key}"]')).to_be_focused()
    page.click("[data-close-hint]")
    expect(page.locator("#hint")).to_be_hidden()
    page.click("[data-rules]")
    expect(page.locator("#rules #rules-your-turn")).to_be_in_viewport()
    with page.expect_popup() as opened:  # a ruling is read beside the table
        page.locator('#rules a[href$="#s3"]').first.click()
    expect(opened.value.locator("h2#s3")).to_be_in_viewport()
