"""How it looks and feels: for everyone, on every screen, and quickly."""

from __future__ import annotations

import itertools

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

import bottega
from bottega.engine.match import Match
from tests.table.browser.house import (
    choices,
    favourite,
    moment,
    pick,
    play,
    played,
    set_table,
    sideways,
    turn_to_me,
)

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}
GAMES = bottega.games()


# Questions to the page
TINY_TEXT = """() => [...document.querySelectorAll('main *')].filter(e => e.checkVisibility()
  && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
  && parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.outerHTML.slice(0, 90))"""
OUTSIDE = """() => [...document.querySelectorAll('#board :is(section, .panel, [data-pick])')]
  .filter(e => e.checkVisibility()).map(e => [e, e.getBoundingClientRect()])
  .filter(([e, r]) => r.bottom > innerHeight || r.right > innerWidth || r.left < 0)
  .map(([e]) => e.outerHTML.slice(0, 90))"""
TWICE = """() => [...document.querySelectorAll('[data-pick]')].map(e => e.dataset.pick)
  .filter((id, at, ids) => ids.indexOf(id) !== at)"""
LONG_NAMES = """() => [...document.querySelectorAll('.opponent .badge .name')].map(name => {
  name.textContent = 'Simonetta Cattaneo Vespucci the journeyman';
  return name.closest('.opponent');
}).filter(panel => panel.scrollWidth > panel.clientWidth)
  .map(panel => panel.outerHTML.slice(0, 90))"""
SMALL = """() => [...document.querySelectorAll('.can')].filter(e => e.checkVisibility())
  .map(e => [e.dataset.pick, e.getBoundingClientRect()])
  .filter(([id, r]) => r.width < 40 || r.height < 32).map(([id]) => id)"""
OUT_OF_REACH = """() => [...document.querySelectorAll('#choices button')]
  .filter(b => !document.querySelector(`.ways button[value="${b.value}"]`))
  .filter(b => b.dataset.picks.split(' ')
    .some(id => !document.querySelector(`[data-pick="${id}"][role=button]`)))
  .map(b => b.value)"""
NAMELESS = """() => [...document.querySelectorAll('[data-pick][role=button]')]
  .filter(e => !e.dataset.name).map(e => e.dataset.pick)"""


def tables() -> list[tuple[str, int]]:
    """Each game with its fewest and its most players."""
    return [(name, players) for name in GAMES for players in sorted(set(bottega.game(name).seats))]


def last_moment(match: Match) -> tuple[int, int]:
    """Just before the end: after how many decisions, and for which seat."""
    number = len(match.moves) - 2
    return number, match.moves[number].seat


def open_all(page: Page) -> None:
    """Show what a phone folds away."""
    page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")


def serious(page: Page) -> list[str]:
    """What axe-core finds that matters, on every screen, light and dark."""
    size = page.viewport_size
    assert size is not None
    findings = []
    for screen, scheme in itertools.product(SCREENS, ("light", "dark")):
        page.set_viewport_size(SCREENS[screen])
        page.emulate_media(color_scheme=scheme)
        findings += [
            f"{page.url}, {screen}, {scheme}: {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in Axe().run(page).response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")  # as it was
    return findings


def test_axe_finds_nothing_serious(visit, sit_down):
    page = visit(may_fail=True)
    findings = serious(page)
    page.click("#splendor .more summary")
    findings += serious(page)
    match = played("splendor", 3, 11)
    number = len(match.moves) // 2
    sit_down(page, match, number, match.at(number).waiting[0])
    assert turn_to_me(page)
    open_all(page)
    pick(page, favourite(page))
    findings += serious(page)
    page.keyboard.press("?")
    findings += serious(page)
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.wait_for_selector("#rules h2")
    findings += serious(page)
    for path in ("/rules/splendor", "/rules/splendor/rulings", "/t/nowhere"):
        page.goto(path)
        findings += serious(page)
    assert findings == []


def test_axe_finds_nothing_serious_at_the_end_and_in_lobbies(visit, opened, sit_down):
    """The replay, the invitation, what the invited see, the curtain and the end."""
    match = played("splendor", 2, 5)
    page = opened(visit(), match)
    findings = serious(page)
    for mode in ("friends", "hotseat"):
        page.goto("/")
        page.click("#splendor .more summary")
        page.check(f'#splendor form.way [value="{mode}"]')
        page.click("#splendor form.way button")
        page.wait_for_selector("#table")
        findings += serious(page)
        if mode == "friends":
            findings += serious(visit(page.locator(".invite .url").first.input_value()))
    url = set_table(page, "friends", 2, invite="seat-links")
    findings += serious(page)
    guest = visit(f"{url}/seat")
    findings += serious(guest)
    guest.goto(page.input_value(".invite .url"))
    guest.wait_for_url(url)
    guest.click(".own-link summary")
    findings += serious(guest)
    page = sit_down(visit(), match, *last_moment(match))
    while turn_to_me(page):
        play(page, favourite(page))
    findings += serious(page)
    assert findings == []


@pytest.mark.parametrize(("name", "players"), tables())
def test_every_board_fits_its_screen(visit, opened, name, players):
    """Whole on a laptop, without sideways scrolling on a phone, at any moment of a game."""
    match = played(name, players, 3)
    replay = opened(visit(), match).url.split("?")[0]
    for screen, size in SCREENS.items():
        page = visit(replay, **size)
        for share in (0, 1, 2):
            page.goto(f"{replay}?at={len(match.moves) * share // 2}")
            assert sideways(page) == 0, screen
            assert page.evaluate(TINY_TEXT) == []
            if screen == "wide":
                assert page.evaluate(OUTSIDE) == [], "all is visible without scrolling"
            assert page.evaluate(LONG_NAMES) == [], "a long name stays in its panel"


@pytest.mark.parametrize("name", GAMES)
def test_every_pick_is_one_thing_of_a_good_size(visit, name):
    page = visit(width=360, height=740)
    page.click(f"#{name} .now button")
    assert turn_to_me(page)
    assert page.evaluate(TWICE) == []
    assert page.evaluate(SMALL) == []
    assert page.evaluate(OUT_OF_REACH) == [], "every legal action can be clicked together"
    assert page.evaluate(NAMELESS) == [], "every pick says its name"


def test_the_first_page_is_light(visit, house):
    page = visit("/rules/splendor")
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    page.context.clear_cookies()
    page.goto("/", wait_until="networkidle")
    assert len(sizes) >= 4
    assert sum(sizes.values()) < 100_000, sizes


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_shifts_while_a_page_loads(visit, screen):
    page = visit(**SCREENS[screen])
    page.add_init_script(
        """window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => {
        window.shift += e.value })).observe({ type: 'layout-shift', buffered: true })"""
    )
    page.goto("/")
    page.wait_for_timeout(300)
    assert page.evaluate("shift") < 0.02
    page.click("#splendor .now button")
    assert turn_to_me(page)
    page.reload()
    page.wait_for_timeout(300)
    assert page.evaluate("shift") < 0.02


COUNT_TRAVELS = """
const begin = document.startViewTransition.bind(document);
window.travels = [];
document.startViewTransition = (change) => {
  const names = () => [...document.querySelectorAll('*')]
    .map(e => e.style?.viewTransitionName).filter(Boolean);
  const before = names();
  return begin(async () => {
    await change();
    const after = names();
    window.travels.push(before.filter(name => after.includes(name)));
  });
};
"""


def test_tokens_and_cards_travel(visit, sit_down):
    page = visit(motion=True)
    page.add_init_script(COUNT_TRAVELS)
    match = played("splendor", 2, 5)
    sit_down(page, match, *moment(match, "take"))
    assert turn_to_me(page)
    play(page, next(key for key in choices(page) if key.startswith("take-")))
    assert any(
        sum(name.startswith("flight") for name in names) >= 3 for names in page.evaluate("travels")
    )
    assert turn_to_me(page)
    page.wait_for_timeout(600)
    card = page.get_attribute('[data-pick="card-1a"]', "data-thing")
    play(page, "reserve-1a")
    page.wait_for_timeout(600)
    assert any(f"thing-{card}" in names for names in page.evaluate("travels"))
    expect(page.locator(".ghosts")).to_have_count(0)


def test_motion_can_be_switched_off(visit):
    page = visit(motion=True)
    page.add_init_script(COUNT_TRAVELS)
    page.click("#splendor .now button")
    assert turn_to_me(page)
    page.click('[data-switch="motion"]')
    page.evaluate("travels.length = 0")
    play(page, favourite(page))
    assert page.evaluate("travels") == []
    page.reload()
    assert page.get_attribute("html", "data-motion") == "off"


def test_light_dark_and_sound_are_remembered(visit):
    page = visit()
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.click('[data-switch="theme"]')
    assert page.evaluate(paper) != light
    page.click("#splendor .now button")
    page.wait_for_selector("#table")
    assert page.get_attribute("html", "data-theme") == "dark"
    expect(page.locator('[data-switch="sound"]')).to_have_attribute("aria-pressed", "true")
    page.click('[data-switch="sound"]')
    page.reload()
    expect(page.locator('[data-switch="sound"]')).to_have_attribute("aria-pressed", "false")


def test_the_live_region_says_what_happened(visit):
    page = visit()
    page.click("#splendor .now button")
    assert turn_to_me(page)
    play(page, favourite(page))
    turn_to_me(page)
    expect(page.locator("#live")).to_contain_text(".")
    assert len(page.inner_text("#live")) > 10
