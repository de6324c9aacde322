"""A real server in a process of its own, and the hands of a player in a real browser."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserType, Page, expect

import bottega
from bottega.engine.match import Match

Visit = Callable[..., Page]  # somebody new comes with a browser of their own
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = "playwright install chromium (or: apt-get install chromium)"
PATIENCE = 60_000  # milliseconds; a busy machine is slow
# Whether a page shows what the server would show it now.
UP_TO_DATE = """async () => {
  const { table, seq } = document.querySelector('#table').dataset;
  return (await (await fetch(`${table}/board`)).text()).includes(`data-seq="${seq}"`);
}"""


def find_chromium(kind: BrowserType) -> str:
    """The system's Chromium, or the one that Playwright brought. None is an error."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if Path(kind.executable_path).exists():
        return kind.executable_path
    raise RuntimeError(f"There is no Chromium for the browser tests; please run: {INSTALL}")


class House:
    """A server with its own folder. It can be stopped hard and started again."""

    def __init__(self, data: Path, pause: float = 0, study: float = 0, database: str = "") -> None:
        self.data = data
        self.database = database
        self.pause = pause
        self.study = study
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        # All tests come from one address, faster than any person: no limits of rate.
        script = (
            "from pathlib import Path; from bottega.table.server.app import serve; "
            f"serve(port={self.port}, data=Path({str(self.data)!r}), pause={self.pause}, "
            f"study={self.study}, pace=0, database={self.database!r})"
        )
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen([sys.executable, "-c", script], stdout=log, stderr=log)
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError(f"The server did not start:\n{(self.data / 'server.log').read_text()}")

    def kill(self) -> None:
        """As a power cut would do it."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def played(name: str, players: int, seed: int, bot: str = "greedy", **options: str) -> Match:
    """A match that bots played to its end."""
    match = bottega.game(name).new(players, seed=seed, limit=4000, **options)
    player = bottega.bot(bot)
    while not match.over:
        for seat in match.waiting:
            match.play(seat, player.choose(match, seat))
            break
    return match


def moment(match: Match, start: str) -> tuple[int, int] | None:
    """After how many decisions, and by which seat, an action of this kind is first chosen."""
    for number, move in enumerate(match.moves):
        if move.key.startswith(start):
            return number, move.seat
    return None


# The hands


def turn_to_me(page: Page) -> bool:
    """Wait until it is my decision; False when the game is over."""
    page.wait_for_selector('#table[data-mine="yes"], #table.over', timeout=PATIENCE)
    page.wait_for_load_state()  # the script has begun
    return page.get_attribute("#table", "data-mine") == "yes"


def choices(page: Page) -> list[str]:
    keys: list[str] = page.eval_on_selector_all("#choices button", "all => all.map(b => b.value)")
    return keys


def pick(page: Page, key: str) -> None:
    """Click the things of an action."""
    picks = (page.get_attribute(f'#choices button[value="{key}"]', "data-picks") or "").split()
    for thing in picks:
        page.click(f'#board [data-pick="{thing}"]')


def play(page: Page, key: str) -> None:
    """Click the things of an action, then confirm; wait until the page shows what it did."""
    way = page.locator(f'.ways button[value="{key}"]')
    if way.count():
        asks = way.get_attribute("data-caution")
        way.click()
        if asks:
            page.click(f'#confirm button[value="{key}"]')
    else:
        pick(page, key)
        # A thing with data-now has decided already.
        if page.locator("#board .chosen:not([data-now])").count():
            page.click(f'#confirm button[value="{key}"]')
    settled(page)


def settled(page: Page) -> None:
    """Wait until what was sent is answered and shown."""
    waits = page.locator('[aria-busy="true"], body[data-sending]')
    expect(waits).to_have_count(0, timeout=PATIENCE)


def liking(key: str) -> tuple[int, str]:
    """A simple taste for Splendor: buy the dear, else take three, else what there is."""
    order = ("settle", "welcome", "buy-3", "buy-2", "buy", "take", "return", "reserve", "gold")
    rank = next((at for at, start in enumerate(order) if key.startswith(start)), len(order))
    return (rank, f"{9 - key.count('-')}{key}")


def favourite(page: Page) -> str:
    return min(choices(page), key=liking)


def position(page: Page) -> str:
    """What the board shows, as text."""
    text: str = page.inner_text("#board")
    return text


def sideways(page: Page) -> int:
    """By how many pixels the page can be scrolled sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return width


def set_table(
    page: Page, mode: str, players: int = 2, game: str = "splendor", **fields: str
) -> str:
    """Set a table on the home page by "More ways to play"; its address."""
    page.goto("/")
    page.click(f"#{game} .more summary")
    form = f"#{game} form.way"
    page.check(f'{form} [name="mode"][value="{mode}"]')
    page.select_option(f'{form} [name="players"]', str(players))
    for name, value in fields.items():
        field = page.locator(f'{form} [name="{name}"]').first
        if field.evaluate("field => field.nodeName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click(f"{form} button")
    page.wait_for_selector("#table")
    page.wait_for_load_state()  # the script has begun
    return page.url


def friends(
    visit: Visit, players: int = 2, game: str = "splendor", may_fail: bool = False, **fields: str
) -> tuple[list[Page], str]:
    """People at one table by the links of its seats, in the order of their seats."""
    host = visit(may_fail=may_fail)
    url = set_table(host, "friends", players, game, invite="seat-links", name="Ada", **fields)
    links = [field.input_value() for field in host.locator(".invite .url").all()]
    assert len(links) == players - 1
    pages = [host, *(visit(link, may_fail=may_fail) for link in links)]
    for guest in pages[1:]:
        guest.wait_for_url(url)  # the link's token must not stay in the address
    for page in pages:  # all see that all are there, so nothing but the game changes the board
        for sign in ("free seat", "away"):
            expect(page.locator("#board", has_text=sign)).to_have_count(0, timeout=PATIENCE)
    for page in pages:
        page.wait_for_function(UP_TO_DATE)
    return sorted(pages, key=lambda page: int(page.get_attribute("#table", "data-seat") or 0)), url
