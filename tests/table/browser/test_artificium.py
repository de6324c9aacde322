"""Artificium in a real browser: a whole game against bots, sealed choices, the planning aid."""

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
from tests.table.browser.test_look import open_all, serious

GAME = "artificium"
TASTE = ("resolve", "against", "steal", "return", "play-", "done", "discard", "pass")
FEW = 2  # cards resolved in a turn


def liked(page: Page) -> str:
    """Resolve what can be resolved, play a few cards, keep one for the turn's end, exchange
    nothing."""
    cards = sum(key.startswith("play-") for key in choices(page))
    enough = cards == 1 or page.locator(".own .front li").count() >= FEW

    def rank(key: str) -> tuple[int, str]:
        if enough and key == "pass":
            return -1, key
        return next((at for at, start in enumerate(TASTE) if key.startswith(start)), 99), key

    return min(choices(page), key=rank)


def test_a_whole_game_against_bots(visit):
    # A bot may decide just before a click: the server refuses it, the page looks and sends again.
    page = visit(may_fail=True)
    set_table(page, "bots", 2, GAME, bot="random")
    expect(page.locator(".turns [aria-current]")).to_have_text("Turn I")
    steps = 0
    phases = set()
    while turn_to_me(page):
        phases.add(page.inner_text(".phases [aria-current]"))
        play(page, liked(page))
        steps += 1
        assert steps < 150
    assert phases == {"Card market", "Choose", "Resolve", "Turn end"}
    assert steps >= 20
    expect(page.locator(".standings li")).to_have_count(2)
    expect(page.locator(".standings")).to_contain_text("on the track")


def test_trade_by_clicking_prices_and_taking_it_back(visit):
    page = visit(may_fail=True)
    set_table(page, "bots", 2, GAME, bot="random")
    while turn_to_me(page) and "buy-wood" not in (keys := choices(page)):
        wanted = [key for key in keys if key.startswith("play-")] or ["pass"]
        play(page, next((key for key in wanted if key in keys), keys[0]))
    wood = page.locator(".node.wood .what")
    before = int(wood.get_attribute("data-count") or 0)
    page.click('[data-pick="buy-wood"]')
    settled(page)
    expect(wood).to_have_attribute("data-count", str(before + 1))
    page.click("[data-undo]")
    settled(page)
    expect(wood).to_have_attribute("data-count", str(before))


def test_a_sealed_card_is_not_in_the_others_page_before_the_reveal(visit):
    (first, second), url = friends(visit, 2, GAME)
    watcher = visit(url)
    for page in (first, second):
        assert turn_to_me(page)
        play(page, "pass")
    assert turn_to_me(first)
    assert turn_to_me(second)
    card = next(key for key in choices(first) if key.startswith("play-")).removeprefix("play-")
    name = first.inner_text(f'[data-pick="hand-{card}"] h4').split(" \u00d7")[0]
    play(first, f"play-{card}")
    expect(first.locator(".step .sealed")).to_contain_text(name)
    for page in (second, watcher):
        expect(page.locator(".step .card.back")).to_have_count(1)
        assert page.locator(f".step .{card}").count() == 0
        assert name not in page.inner_text(".step")
    play(second, "pass")
    for page in (first, second, watcher):
        expect(page.locator(f".step .{card}.revealed")).to_have_count(1)


def test_the_plan_adds_up_and_decides_nothing(visit):
    page = visit()
    set_table(page, "bots", 2, GAME, bot="random")
    assert turn_to_me(page)
    told = page.locator(".log li").all_inner_texts()
    expect(page.locator(".plan[open]")).to_have_count(1)  # a wide table has room for it
    everything = page.locator("#plan .supply button").count()
    assert everything == 5 + 6, "the hand and the market"
    page.locator("#plan .supply button").first.click()
    page.locator("#plan .supply button").first.click()
    expect(page.locator("#plan .order [data-plan-at]")).to_have_count(2)
    expect(page.locator("#plan .sum")).to_contain_text("Scores")
    names = page.locator("#plan .order [data-plan-at]").all_inner_texts()
    page.drag_and_drop('[data-plan-at="0"]', '[data-plan-at="1"]')
    assert page.locator("#plan .order [data-plan-at]").all_inner_texts() == names[::-1]
    page.click('[data-plan-at="0"]')
    expect(page.locator("#plan .order [data-plan-at]")).to_have_count(1)
    page.click("[data-plan-clear]")
    card = page.locator(".own .hand .card h4").first
    card.drag_to(page.locator("#plan .order"))
    expect(page.locator("#plan .order [data-plan-at]")).to_have_text(
        [card.inner_text().split(" \u00d7")[0]]
    )
    page.drag_and_drop('[data-plan-at="0"]', "#plan .supply")
    expect(page.locator("#plan .order [data-plan-at]")).to_have_count(0)
    expect(page.locator("#plan .supply button")).to_have_count(everything)
    assert page.locator(".log li").all_inner_texts() == told
    play(page, "pass")
    assert turn_to_me(page)
    expect(page.locator("#plan .supply button")).to_have_count(5)


def test_what_a_chain_scores(visit):
    """The plan reckons as the rules do: missing resources are bought, the track gives some."""
    page = visit()
    set_table(page, "bots", 2, GAME, bot="random")
    assert turn_to_me(page)
    page.wait_for_timeout(700)  # news of what led here would bring the true hand back
    page.evaluate(
        """() => {
        const data = document.querySelector('.plan-data');
        data.dataset.hand = '["sawmill", "hunter", "foundry", "castle"]';
        data.dataset.market = '[]';
        const goods = JSON.parse(data.dataset.means).goods;
        data.dataset.means = JSON.stringify({ goods, coins: 5, points: 3, front: 0, card: null });
        }"""
    )
    for name in ("Sawmill", "Hunter Hut", "Foundry", "Castle"):
        page.click(f'#plan .supply button:has-text("{name}")')
    expect(page.locator("#plan .sum")).to_contain_text("Scores 6;")
    expect(page.locator("#plan .sum")).to_contain_text("leaves 2 Wood, 1 Wheat, 1 Metal more")
    expect(page.locator("#plan .why")).to_contain_text("Castle lacks 1 Beer, 1 Sword")


MARKERS = """() => [...document.querySelectorAll('.marker')].map(e => e.getBoundingClientRect())
  .map(r => [r.left + r.width / 2, r.top + r.height / 2])"""
ON_TOP = """() => [...document.querySelectorAll('.marker')].map(e => {
  const r = e.getBoundingClientRect();
  const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
  return top.closest('.marker') === e;
})"""
UNDER_A_BOX = """() => {
  const chain = document.querySelector('.chain > svg');
  const boxes = [...document.querySelectorAll('.chain .node')].map(e => e.getBoundingClientRect());
  const inside = (x, y) => boxes.some(b => b.left + 3 < x && x < b.right - 3
    && b.top + 3 < y && y < b.bottom - 3);
  return [...chain.querySelectorAll('path')].flatMap(path => {
    const length = path.getTotalLength();
    const place = path.getScreenCTM();
    return [...Array(60).keys()].map(n => path.getPointAtLength(length * n / 59)
      .matrixTransform(place)).filter(p => inside(p.x, p.y)).map(() => path.getAttribute('d'));
  });
}"""


def test_six_markers_fan_out_and_every_one_is_seen(visit):
    """All six lay on each other at the start."""
    page = visit()
    set_table(page, "bots", 6, GAME, bot="random", seat="0")
    assert turn_to_me(page)
    places = page.evaluate(MARKERS)
    assert len(places) == 6
    for one, (x, y) in enumerate(places):
        assert all((x - u) ** 2 + (y - v) ** 2 > 12**2 for u, v in places[:one])
    assert page.evaluate(ON_TOP) == [True] * 6
    depth = "e => Number(getComputedStyle(e).zIndex)"
    own = page.eval_on_selector(".marker.you", depth)
    assert all(own > page.evaluate(depth, e) for e in page.query_selector_all(".marker:not(.you)"))


def test_lines_of_the_chain_run_beside_the_boxes(visit):
    page = visit()
    set_table(page, "bots", 2, GAME, bot="random")
    assert turn_to_me(page)
    assert page.locator(".chain path").count() >= 14
    assert page.evaluate(UNDER_A_BOX) == []


def test_axe_finds_nothing_serious_on_the_board(visit, sit_down):
    match = played(GAME, 4, 11)
    found = moment(match, "buy-")
    assert found is not None
    page = sit_down(visit(may_fail=True), match, *found)
    assert turn_to_me(page)
    open_all(page)
    assert serious(page) == []
