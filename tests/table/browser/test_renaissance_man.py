"""Renaissance Man in a real browser: a whole game alone, and sealed choices between two."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.table.browser.house import (
    choices,
    friends,
    moment,
    play,
    played,
    set_table,
    settled,
    turn_to_me,
)
from tests.table.browser.test_flow import drag
from tests.table.browser.test_look import SCREENS, serious

GAME = "renaissance-man"
ROW = ("merchant", "scholar", "renaissance-man", "baker")
TASTE = ("confirm", "place", "card", "hire", "recruit", "barter", "teach", "take", "knight", "drop")


def liked(page: Page) -> str:
    """Build when possible, else recruit, barter or teach; never remove anybody."""

    def rank(key: str) -> tuple[int, str]:
        last = len(TASTE) + key.startswith("remove")
        return next((at for at, start in enumerate(TASTE) if key.startswith(start)), last), key

    return min(choices(page), key=rank)


def set_foundation(page: Page) -> None:
    for worker in ROW:
        play(page, f"set-{worker}")
    play(page, "confirm")


def test_alone_from_the_home_page(visit):
    page = visit()
    page.click(f"#{GAME} .solo button")
    page.wait_for_selector("#table")
    expect(page.locator(".clock")).to_be_visible()
    expect(page.locator(".opponent")).to_have_count(0)
    assert page.inner_text(".deck .num") == "92"
    set_foundation(page)
    expect(page.locator(".deck .num")).to_have_text("88")


def test_a_whole_game_alone(visit):
    """With the toughest clock, which is soon over."""
    page = visit()
    set_table(page, "bots", 1, GAME, **{"option.tougher": "40"})
    assert page.inner_text(".deck .num") == "52"
    steps = 0
    while turn_to_me(page):
        play(page, liked(page))
        steps += 1
        assert steps < 200
    assert steps > 20
    expect(page.locator(".log")).to_contain_text("pposing knight")
    expect(page.locator(".standings li")).to_have_count(1)
    expect(page.locator(".standings")).to_contain_text("of 15 workers")
    expect(page.locator("#prompt")).to_contain_text("You have")


def test_opposing_knights_stand_on_the_board_until_their_area_is_resolved(visit, opened):
    match = played(GAME, 1, 3)
    for number in range(len(match.moves)):
        rivals = [area["rival"] for area in match.at(number).view(0)["recruits"]]
        if sum(rivals):
            break
    page = opened(visit(), match)
    page.goto(f"{page.url.split('?')[0]}?at={number}")
    shown = page.locator(".camp .rival b").all_inner_texts()
    assert shown == [str(n) for n in rivals if n]
    page.goto(f"{page.url.split('?')[0]}?at=0")
    expect(page.locator(".camp .rival")).to_have_count(0)


def test_a_sealed_choice_is_not_in_the_others_page_before_the_reveal(visit):
    (first, second), url = friends(visit, 2, GAME)
    watcher = visit(url)
    assert turn_to_me(first)
    assert turn_to_me(second)
    set_foundation(first)
    for page in (second, watcher):
        expect(page.locator(".opponent .sealed").first).to_be_visible()
        assert page.locator(".opponent .worker").count() == 0, "Foundations are set in secret"
    set_foundation(second)
    expect(watcher.locator(".opponent .worker")).to_have_count(10)

    assert turn_to_me(first)
    before = {page: page.inner_html("#board") for page in (second, watcher)}
    card = first.get_attribute('[data-pick="hand-1"]', "data-thing")
    play(first, "recruit")
    play(first, "card-1")
    for page, seen in before.items():
        page.wait_for_timeout(300)
        assert page.inner_html("#board") == seen, "private steps leave no trace"
    play(first, "confirm")
    for page in (second, watcher):
        expect(page.locator(".opponent .sealed").first).to_be_visible()
        page.reload()
        text = page.content()
        assert f'"{card}"' not in text
        assert "recruits by" not in text
        assert page.locator('.camp [data-count="1"]').count() == 0
    play(second, "pass")
    for page in (first, second, watcher):
        expect(page.locator(".log")).to_contain_text("recruits by a Knight of level 1")


def test_steps_are_taken_back_one_by_one(visit):
    page = visit()
    set_table(page, "bots", 1, GAME)
    assert turn_to_me(page)
    set_foundation(page)
    assert turn_to_me(page)
    play(page, "recruit")
    expect(page.locator(".does.used")).to_have_count(1)
    play(page, "card-2")
    expect(page.locator(".hand .lifted")).to_have_count(1)
    page.click("[data-undo]")
    settled(page)
    expect(page.locator(".hand .lifted")).to_have_count(0)
    expect(page.locator(".does.used")).to_have_count(1)
    page.click("[data-undo]")
    settled(page)
    expect(page.locator(".does.used")).to_have_count(0)


def test_a_step_is_taken_back_while_another_has_decided(visit):
    (host, guest), _ = friends(visit, 2, GAME)
    for page in (host, guest):
        assert turn_to_me(page)
        set_foundation(page)
    for page in (host, guest):
        assert turn_to_me(page)
    play(host, "recruit")
    play(guest, "pass")
    host.click("[data-undo]")
    settled(host)
    expect(host.locator(".does.used")).to_have_count(0)
    expect(host.locator(".opponent .sealed")).to_be_visible()
    assert "recruit" in choices(host)
    expect(guest.locator(".question")).to_have_count(0)


def test_workers_are_dragged_to_where_they_belong(visit, sit_down):
    """The Foundation, and a hire: one movement of the hand for three small decisions."""
    page = visit()
    set_table(page, "bots", 2, GAME, bot="random")
    assert turn_to_me(page)
    drag(page, '[data-pick="set-knight"]', ".mine .level-1")
    settled(page)
    expect(page.locator(".mine .level-1 .worker")).to_have_count(1)

    match = played(GAME, 2, 11)
    number, seat = moment(match, "hire")
    card, place = (move.key for move in match.moves[number + 1 : number + 3])
    page = sit_down(visit(), match, number, seat)
    assert turn_to_me(page)
    hand = f'[data-pick="{card.replace("card", "hand")}"]'
    drag(page, hand, f'[data-pick="{place}"]')
    expect(page.locator(f'[data-pick="{place}"].planned')).to_have_count(1)
    settled(page)
    assert choices(page) == ["confirm"]
    for _ in range(3):
        page.click("[data-undo]")
        settled(page)
    assert "hire" in choices(page), "each step can be taken back"


def test_places_that_fit_the_chosen_card_light_up(visit, sit_down):
    match = played(GAME, 2, 11)
    found = moment(match, "place-")
    assert found is not None
    page = sit_down(visit(), match, *found)
    assert turn_to_me(page)
    lit = page.eval_on_selector_all(".mine .can", "all => all.map(e => e.dataset.pick)")
    assert sorted(lit) == sorted(choices(page))
    assert len(lit) < page.locator(".mine .place.free").count(), "not every free place fits"


def test_axe_finds_nothing_serious_on_the_board(visit, sit_down):
    match = played(GAME, 3, 11)
    number = len(match.moves) * 2 // 3
    page = visit(**SCREENS["phone"], may_fail=True)
    sit_down(page, match, number, match.at(number).waiting[0])
    assert turn_to_me(page)
    expect(page.locator(".others .strip .small").nth(1)).to_be_visible()
    expect(page.locator(".opponent .structure").first).to_be_hidden()
    page.click("details.others summary")
    expect(page.locator(".opponent .structure").first).to_be_visible()
    assert serious(page) == []
