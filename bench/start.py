"""What a newcomer waits for: from `make play` in a fresh clone to the moves of the bots.

    python bench/start.py [GAME ...] [--commit REV] [--installed] [--others] [--json FILE]

For each game a fresh clone in a folder of its own, with empty caches, and `make play` in it. A
real Chromium loads the home page as soon as somebody answers there, clicks "Play now" at once and
decides by lot, without thinking, whenever the table waits for it. The page itself notes when it
shows something new. Movement is switched off: what counts is when news is there, not how it glides.

With --installed the clone and its environment are made once. Before each game, all that was
written into the clone but the environment is removed, so that everything is compiled anew; the
home page then comes without the time of installing, which is told apart.
With --others, somebody else asks for tables of the other games just before the click.

A bot's wait is the time since the last thing that a bot or the person did was seen (or since the
board was there) until its move is seen. Meanwhile a second tab loads the home page and the table's
every quarter of a second. Where an answer takes longer than that, those who would have asked
meanwhile are counted, too: else the slowest moments would be those with the fewest questions.

Needs Chromium (apt-get install chromium) and what the tests need (make test installs it).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

from bottega.lab.bench import core_type, cores

ROOT = Path(__file__).resolve().parent.parent
GAMES = ("splendor", "renaissance-man", "artificium", "one-card-wonder")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PORT = 8000  # where `make play` serves; old versions have no way to say another one
HOME = f"http://127.0.0.1:{PORT}"
EVERY = 0.25  # seconds between two questions for a page
MOST = 60  # own decisions, should none of them end the turn
LOST = ("BOTTEGA_", "NUMBA_", "PYTHON", "UV_", "XDG_", "MAKE", "MFLAGS", "VIRTUAL_ENV")

# Runs in the page before its own scripts. `states`: what it showed from when on. `plays`: the
# person's decisions, when they were sent and answered. Seconds, as the system's clock counts them.
WATCH = """(() => {
globalThis.watched = { states: [], plays: [] };
const now = () => (performance.timeOrigin + performance.now()) / 1000;
const all = (selector) => [...document.querySelectorAll(selector)];
const seatOf = (element) => element.className.match(/seat-(\\d+)/)?.[1];
const look = () => {
  const table = document.querySelector('#table');
  if (!table || !document.querySelector('#board')) return;
  const { seat, seq, mine, owed } = table.dataset;
  const asked = mine === 'yes' && owed === 'yes';
  if (asked && !all('#board [role="button"], .ways button').length) return; // not clickable yet
  const state = {
    seq: Number(seq),
    mine: asked,
    over: table.classList.contains('over'),
    told: all('.log li[id]').filter((line) => ![undefined, seat].includes(seatOf(line))).length,
    thinking: [...new Set(all('.badge:has(.thinks)').map(seatOf))].sort(),
  };
  const { at, ...last } = watched.states.at(-1) ?? {};
  if (JSON.stringify(state) !== JSON.stringify(last)) watched.states.push({ ...state, at: now() });
};
new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
const ask = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  const decides = options?.method === 'POST' && String(address).endsWith('/play');
  if (!decides) return ask(address, options);
  const play = { ok: false, asked: now() };
  try {
    const answer = await ask(address, options);
    play.ok = answer.ok;
    if (answer.ok) play.seq = (await answer.clone().json()).seq; // of the table as it then was
    return answer;
  } finally {
    play.answered = now();
    watched.plays.push(play);
  }
};
})()"""
SHOWN = "() => globalThis.watched?.states.length > 0"
READY = """() => {
  const { mine, over } = watched.states.at(-1);
  return over || (mine && !document.body.hasAttribute('data-sending'));
}"""
# What the list "All choices" offers, by lot; sent as by a click.
DECIDE = """(lot) => {
  const buttons = [...document.querySelectorAll('#choices button')];
  buttons[Math.floor(lot * buttons.length)]?.click();
  return buttons.length > 0;
}"""
ANSWERED = "(before) => watched.plays.length > before"
# "Play now" of other games, without waiting for their tables.
ASK_FOR_TABLES = """(games) => {
  for (const game of games) {
    const form = document.querySelector(`[id="${game}"] form.now`);
    fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  }
}"""


class TooLong(Exception):
    """The time for a game is over."""


class Deadline:
    """When to give up."""

    def __init__(self, seconds: float) -> None:
        self.at = time.monotonic() + seconds

    def left(self) -> float:
        """Milliseconds; none left is an error."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise TooLong
        return 1000 * left


# The fresh clone


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().strip()


def clone(commit: str, into: Path) -> Path:
    """The repository at a commit, as somebody gets it who has just heard of it."""
    git(ROOT, "clone", "-q", "--no-checkout", str(ROOT), str(into))
    git(into, "-c", "advice.detachedHead=false", "checkout", "-q", commit)
    return into


def forget(folder: Path) -> None:
    """Remove all that was written into a clone, but the environment."""
    git(folder, "clean", "-fdxq", "-e", ".venv")


def environment(home: Path) -> dict[str, str]:
    """That of somebody new: nothing cached, no browser that comes up by itself. Settings, such as
    where packages come from, stay."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(LOST)}
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": os.environ.get("XDG_CONFIG_HOME", str(Path.home() / ".config")),
        "PIP_CACHE_DIR": str(home / "cache" / "pip"),
        "UV_CACHE_DIR": str(home / "cache" / "uv"),
        "PYTHON": os.path.realpath(sys.executable),  # what make makes the environment with
        "BROWSER": "true",
    }


class Play:
    """`make play`, and all processes that it starts."""

    def __init__(self, folder: Path, home: Path) -> None:
        home.mkdir()
        refuse_if_taken()
        self.log = home / "make.log"
        self.began = time.time()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["make", "play"],
                cwd=folder,
                env=environment(home),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Play:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None
    ) -> None:
        if fault is not None:
            say(f"make play said:\n{self.log.read_text(errors='replace')[-3000:]}")
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._until_gone()

    def _until_gone(self) -> None:
        """Wait for the children of make: they must not write where all is removed."""
        for _ in range(100):
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)

    def until_it_answers(self, deadline: Deadline) -> None:
        while deadline.left():
            if self.process.poll() is not None:
                raise SystemExit(f"make play ended by itself:\n{self.log.read_text()[-3000:]}")
            if answers():
                return
            time.sleep(0.05)


def answers() -> bool:
    try:
        socket.create_connection(("127.0.0.1", PORT), timeout=5).close()
    except OSError:
        return False
    return True


def refuse_if_taken() -> None:
    if answers():
        raise SystemExit(f"Something listens at port {PORT} already, where make play would serve.")


# Page answers meanwhile


class SecondTab(threading.Thread):
    """Loads the home page and the table's again and again, as the person whose cookies it has."""

    def __init__(self, page: Page) -> None:
        super().__init__(daemon=True)
        cookies = page.context.cookies()
        self.cookie = "; ".join(f"{one.get('name')}={one.get('value')}" for one in cookies)
        self.paths = ["/"]
        self.taken: list[tuple[str, float]] = []
        self.failed = 0
        self._stop_it = threading.Event()

    def run(self) -> None:
        while not self._stop_it.is_set():
            began = time.monotonic()
            for path in list(self.paths):
                self._load(path)
            self._stop_it.wait(max(0.0, EVERY - (time.monotonic() - began)))

    def _load(self, path: str) -> None:
        asked = time.monotonic()
        request = urllib.request.Request(HOME + path, headers={"cookie": self.cookie})
        try:
            urllib.request.urlopen(request, timeout=120).read()
        except (urllib.error.URLError, OSError):
            self.failed += 1
        kind = "home" if path == "/" else "table"
        self.taken.append((kind, time.monotonic() - asked))

    def stop(self) -> list[float]:
        """All waits, with those of who would have asked while an answer was due."""
        self._stop_it.set()
        self.join(timeout=120)
        waits: list[float] = []
        for _, wait in list(self.taken):
            waits += [wait - late for late in np.arange(0, max(wait, EVERY / 2), EVERY)]
        return waits


# The person


def come_home(page: Page, play: Play, game: str, deadline: Deadline) -> float:
    """The home page; when it was shown."""
    play.until_it_answers(deadline)
    page.goto(HOME, timeout=deadline.left(), wait_until="commit")
    page.wait_for_selector(f"#{game} .now button", timeout=deadline.left())
    return time.time()


def sit_down(page: Page, game: str, deadline: Deadline) -> None:
    """Click "Play now" and wait for the board."""
    page.click(f"#{game} .now button", no_wait_after=True, timeout=deadline.left())
    page.wait_for_function(SHOWN, timeout=deadline.left(), polling=50)


def play_on(page: Page, decisions: int, deadline: Deadline) -> None:
    """Decide by lot until there were enough decisions and it is the person's turn again; some
    turns have many decisions, so a bot must have moved, too."""
    chance = random.Random(1)
    for done in range(MOST):
        page.wait_for_function(READY, timeout=deadline.left(), polling=20)
        watched = page.evaluate("watched")
        enough = done >= decisions and second_turn(watched["states"], watched["plays"])
        if enough or watched["states"][-1]["over"]:
            return
        if page.evaluate(DECIDE, chance.random()):
            sent = len(watched["plays"])
            page.wait_for_function(ANSWERED, arg=sent, timeout=deadline.left(), polling=20)


def open_others(browser: Browser, game: str, deadline: Deadline) -> None:
    """Somebody else wants to play all the other games."""
    page = browser.new_context().new_page()
    page.goto(HOME, timeout=deadline.left())
    page.evaluate(ASK_FOR_TABLES, [other for other in GAMES if other != game])


# What the page noted


def bot_moves(states: list[Any], plays: list[Any]) -> list[tuple[float, float]]:
    """When a move of a bot was seen, and how long one had waited for it: a new line of the log
    that tells of a bot, or a bot that no longer thinks (where all choose in secret)."""
    moves: list[tuple[float, float]] = []
    since = states[0]["at"] if states else 0.0
    if states and states[0]["told"]:
        moves.append((since, 0.0))  # it was there with the board
    for before, state in itertools.pairwise(states):
        done = set(before["thinking"]) - set(state["thinking"])
        if state["told"] > before["told"] or done:
            own = [play["answered"] for play in plays if play["answered"] <= state["at"]]
            since = max([since, *own])
            moves.append((state["at"], state["at"] - since))
            since = state["at"]
    return moves


def second_decision(states: list[Any], plays: list[Any]) -> float | None:
    """When the person could decide again after their first decision."""
    first = next((play for play in plays if play["ok"]), None)
    if first is None:
        return None
    return next((one["at"] for one in states if one["mine"] and one["seq"] >= first["seq"]), None)


def second_turn(states: list[Any], plays: list[Any]) -> float | None:
    """When the person could decide again after a bot had moved after their first decision."""
    first = next((play for play in plays if play["ok"]), None)
    if first is None:
        return None
    moved = [at for at, _ in bot_moves(states, plays) if at > first["asked"]]
    return next(
        (one["at"] for one in states if one["mine"] and moved and one["at"] >= moved[0]), None
    )


def figures(clicked: float, watched: dict[str, Any], until: float) -> dict[str, Any]:
    """What the person waited for, in seconds. None: it did not come."""
    states, plays = watched["states"], watched["plays"]
    if not states:
        return {"board": None, "pending": until - clicked}
    moves = bot_moves(states, plays)
    latest = max([states[0]["at"], *(at for at, _ in moves), *(p["answered"] for p in plays)])
    second, turn = second_decision(states, plays), second_turn(states, plays)
    return {
        "board": states[0]["at"] - clicked,
        "own_turn_first": states[0]["mine"],
        "first_move": moves[0][0] - clicked if moves else None,
        "first_wait": moves[0][1] if moves else None,
        "second_decision": second and second - clicked,
        "second_turn": turn and turn - clicked,
        "longest_move": max((wait for _, wait in moves), default=None),
        "pending": until - latest,  # counts if the time was over before it came
        "bot_moves": [wait for _, wait in moves],
        "own_answers": [play["answered"] - play["asked"] for play in plays],
        "decisions": sum(play["ok"] for play in plays),
        "clicked": clicked,
        "watched": watched,
    }


def pages_figures(tab: SecondTab) -> dict[str, Any]:
    waits = tab.stop()
    return {
        "pages": len(tab.taken),
        "pages_failed": tab.failed,
        "pages_95": float(np.percentile(waits, 95)) if waits else None,
        "pages_longest": max(waits, default=None),
        "pages_taken": tab.taken,
    }


# A game


def measure(browser: Browser, folder: Path, home: Path, game: str, chosen: Any) -> dict[str, Any]:
    """One game, from `make play` on."""
    deadline = Deadline(chosen.limit)
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.add_init_script(WATCH)
    row: dict[str, Any] = {"game": game, "load": os.getloadavg()[0], "late": False}
    tab = None
    clicked = 0.0
    with Play(folder, home) as play:
        try:
            row["home"] = come_home(page, play, game, deadline) - play.began
            say(f"{game}: the home page came after {row['home']:.1f} s")
            if chosen.others:
                open_others(browser, game, deadline)
            tab = SecondTab(page)
            tab.start()
            clicked = time.time()
            sit_down(page, game, deadline)
            say(f"{game}: the board came after {time.time() - clicked:.1f} s")
            tab.paths.append(page.evaluate("document.querySelector('#table').dataset.table"))
            play_on(page, chosen.decisions, deadline)
        except (TooLong, BrowserError) as problem:
            if isinstance(problem, BrowserError) and deadline.at > time.monotonic():
                raise
            row["late"] = True
            say(f"{game}: not done within {chosen.limit:.0f} s")
        if clicked:
            row |= figures(clicked, noted(page), time.time())
        if tab:
            row |= pages_figures(tab)
    for context in browser.contexts:
        context.close()
    say(f"{game}: {', '.join(cells(row))}")
    return row


def noted(page: Page) -> dict[str, Any]:
    """What the page noted; nothing, if there is no table yet."""
    found: dict[str, Any] = page.evaluate("globalThis.watched ?? { states: [], plays: [] }")
    return found


def set_up(browser: Browser, folder: Path, home: Path, limit: float) -> float:
    """Install by `make play`; seconds until the home page is there."""
    page = browser.new_context().new_page()
    with Play(folder, home) as play:
        spent = come_home(page, play, GAMES[0], Deadline(limit)) - play.began
    page.context.close()
    say(f"Everything is set up after {spent:.1f} s")
    return spent


def measure_all(browser: Browser, chosen: Any) -> Iterator[dict[str, Any]]:
    """Each game in a clone of its own, or all in one. First comes what it took to set that up."""
    if not chosen.installed:
        for game in chosen.games:
            with temporary() as place:
                folder = clone(chosen.commit, place / "bottega")
                yield measure(browser, folder, place / "home", game, chosen)
        return
    with temporary() as place:
        folder = clone(chosen.commit, place / "bottega")
        yield {"set_up": set_up(browser, folder, place / "home", chosen.limit)}
        for game in chosen.games:
            forget(folder)
            yield measure(browser, folder, place / f"home-{game}", game, chosen)


@contextmanager
def temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="bottega-start-", ignore_cleanup_errors=True) as place:
        yield Path(place)


# What is said


COLUMNS = {
    "home": "`make play` → home page",
    "board": "click → board",
    "first_move": "click → a bot's first move",
    "first_wait": "of which waiting for the bot",
    "second_decision": "click → second own decision",
    "second_turn": "click → own second turn",
    "longest_move": "longest wait for a bot's move",
    "pages_95": "95 of 100 pages within",
}


def cells(row: dict[str, Any]) -> list[str]:
    return [cell(row, name) for name in COLUMNS]


def cell(row: dict[str, Any], name: str) -> str:
    """Seconds; what had not come in time took longer than one waited for it."""
    value = row.get(name)
    if name == "longest_move" and row["late"] and row.get("pending", 0) > (value or 0):
        return f"> {row['pending']:.0f} s"
    if value is None:
        return "-"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def heading(told: dict[str, Any]) -> str:
    ways = [way for way in ("installed", "others") if told[way]]
    how = f", {' and '.join('--' + way for way in ways)}" if ways else ""
    return (
        f"{told['cores']} cores of type {told['core']}; {told['date']}; commit "
        f"{told['commit'][:10]}; Python {told['python']}; load before {told['load']:.1f}{how}."
    )


def show(told: dict[str, Any]) -> str:
    lines = [f"**{heading(told)}**", ""]
    if "set_up" in told:
        lines += [f"`make play` → home page, with installing: {told['set_up']:.1f} s.", ""]
    lines.append("| game | " + " | ".join(COLUMNS.values()) + " |")
    lines.append("|---" * (1 + len(COLUMNS)) + "|")
    lines += [f"| {row['game']} | " + " | ".join(cells(row)) + " |" for row in told["games"]]
    return "\n".join(lines)


def say(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def find_chromium() -> str:
    for name in CHROMIUM:
        if found := shutil.which(name):
            return found
    raise SystemExit("This needs Chromium; please run: apt-get install chromium")


def circumstances(chosen: Any) -> dict[str, Any]:
    return {
        "core": core_type(),
        "cores": cores(),
        "date": datetime.now(UTC).date().isoformat(),
        "commit": chosen.commit,
        "python": ".".join(map(str, sys.version_info[:3])),
        "load": os.getloadavg()[0],
        "installed": chosen.installed,
        "others": chosen.others,
    }


def read_arguments() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("games", nargs="*", metavar="GAME", help=", ".join(GAMES))
    arguments.add_argument("--commit", default="HEAD", help="what to clone")
    arguments.add_argument("--installed", action="store_true", help="one environment for all")
    arguments.add_argument("--others", action="store_true", help="while other games compile")
    arguments.add_argument("--decisions", type=int, default=10, help="of the person, each game")
    arguments.add_argument("--limit", type=float, default=600, help="seconds for each game")
    arguments.add_argument("--json", type=Path, metavar="FILE", help="for the raw figures")
    chosen = arguments.parse_args()
    chosen.games = chosen.games or list(GAMES)
    if unknown := set(chosen.games) - set(GAMES):
        arguments.error(f"there is no game {', '.join(unknown)}")
    chosen.commit = git(ROOT, "rev-parse", f"{chosen.commit}^{{commit}}")
    return chosen


def main() -> None:
    chosen = read_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that all is cleared away
    refuse_if_taken()
    told: dict[str, Any] = {**circumstances(chosen), "games": []}
    with sync_playwright() as playwright:
        kind = playwright.chromium
        browser = kind.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for found in measure_all(browser, chosen):
            if "game" in found:
                told["games"].append(found)
            else:
                told |= found
            if chosen.json:
                chosen.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
        browser.close()
    print(show(told))


if __name__ == "__main__":
    main()
