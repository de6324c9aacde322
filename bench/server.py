"""From click to updated page: the server's time for one decision of a person.

    python bench/server.py [--clicks 400] [--json]       without bots
    python bench/server.py --thinking 8 [--seconds 30]   while bots think at eight tables

A real server in a process of its own, SQLite on this machine's disk. At a full table of people,
each with a browser that listens for events, one clicks after the other. A click is the form that
the page's script sends; once the move is stored, it is answered with the board. Two times are
taken: what the clicking browser waits, and what the server's processor works for it; on a machine
that others use, too, only the latter is the server's own.

While bots think, the strongest play each other at so many tables, each watched by a browser
that fetches its board again and again, and two people click at one more.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import bottega
from bottega.lab.bench import describe, machine

SHARES = (5, 50, 95, 100)
GOAL = 20.0  # milliseconds, 95 of 100 clicks
THINKING_GOAL = 100.0  # milliseconds, 95 of 100 pages while bots think
STRONGEST = "search-5"


class Browser:
    """One person: a cookie, a connection that stays open, a stream of events."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers: dict[str, str] = {}
        self.csrf = ""
        answer, home = self.ask("GET", "/")
        cookie = answer.headers["set-cookie"].split(";")[0]
        self.headers = {"cookie": cookie, "accept": "application/json"}
        found = re.search(r'name="csrf" value="([^"]+)"', home)
        assert found
        self.csrf = found[1]
        self.stream: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, **fields: Any) -> tuple[http.client.HTTPResponse, str]:
        headers = dict(self.headers)
        body = None
        if method == "POST":
            body = urlencode({"csrf": self.csrf, **fields}, doseq=True)
            headers["content-type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        assert answer.status < 400, (path, text[:300])
        return answer, text

    def listen(self, url: str) -> None:
        self.stream = http.client.HTTPConnection(*self.connection.sock.getpeername()[:2])
        self.stream.request("GET", f"{url}/events", headers=self.headers)
        self.stream.getresponse()


class Server:
    """The server, and the processor time it has used."""

    def __init__(self, data: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port: int = listening.getsockname()[1]
        command = [sys.executable, "-m", "bottega.table", "--data", str(data)]
        environment = {**os.environ, "BOTTEGA_PACE": "0", "BOTTEGA_WARM": "0"}
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port)], env=environment, stdout=subprocess.DEVNULL
        )
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)

    def used(self) -> float:
        """Milliseconds of processor time, of all threads."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def sit_down(server: Server, game: str, players: int) -> tuple[str, dict[int, Browser]]:
    """A full table of people who listen."""
    browsers = [Browser(server.port) for _ in range(players)]
    mode = {"mode": "friends", "invite": "one-link", "seat": 0}
    _, text = browsers[0].ask("POST", "/tables", game=game, players=players, name="P0", **mode)
    url = json.loads(text)["url"]
    for number, browser in enumerate(browsers[1:], start=1):
        browser.ask("POST", f"{url}/join", name=f"P{number}")
    for browser in browsers:
        browser.ask("GET", url)
        browser.listen(url)
    return url, dict(enumerate(browsers))


def click(server: Server, browser: Browser, url: str, chance: random.Random) -> Any:
    """One decision: milliseconds until the board is there, and of the server's processor.
    None if there is nothing for this person to decide."""
    _, board = browser.ask("GET", f"{url}/board")
    browser.headers["x-told"] = told_of(board)
    actions = re.findall(r'name="action" value="([^"]+)"', board)
    seq = re.search(r'data-seq="(\d+)"', board)
    if not actions or not seq:
        return None
    buys = [action for action in actions if action.startswith("buy")]
    used, began = server.used(), time.perf_counter()
    browser.ask("POST", f"{url}/play", action=chance.choice(buys or actions), seq=seq[1])
    return 1000 * (time.perf_counter() - began), server.used() - used


def measure(server: Server, game: str, clicks: int) -> dict[str, Any]:
    """Clicks at one game after the other until there are enough."""
    chance = random.Random(1)
    times: list[tuple[float, float]] = []
    players = bottega.game(game).seats[1]
    Browser(server.port).ask("POST", "/tables", game=game, mode="hotseat")  # compiles the game
    while len(times) < clicks:
        url, browsers = sit_down(server, game, players)
        idle = 0
        while len(times) < clicks and idle < players:
            for browser in browsers.values():
                spent = click(server, browser, url, chance)
                idle = idle + 1 if spent is None else 0
                if spent is not None:
                    times.append(spent)
    waited, used = np.array(times).T
    return {
        "game": game,
        "players": players,
        "clicks": len(times),
        "waited_ms": np.percentile(waited, SHARES).tolist(),
        "processor_ms": np.percentile(used, SHARES).tolist(),
        "met": bool(np.percentile(waited, 95) < GOAL),
    }


def measure_thinking(server: Server, game: str, tables: int, seconds: float) -> dict[str, Any]:
    """Clicks at one table and boards fetched at the others, while bots think there."""
    chance = random.Random(1)
    url, people = sit_down(server, game, 2)
    watched = {}
    for _ in range(tables):
        watcher = Browser(server.port)
        wish = {"mode": "watch", "players": 2, "bot": STRONGEST}
        _, text = watcher.ask("POST", "/tables", game=game, **wish)
        watched[json.loads(text)["url"]] = watcher
        watcher.listen(json.loads(text)["url"])
    clicks: list[float] = []
    boards: list[float] = []
    began = {at: log_lines(watcher, at) for at, watcher in watched.items()}
    until = time.monotonic() + seconds
    used = server.used()
    while time.monotonic() < until:
        for browser in people.values():
            spent = click(server, browser, url, chance)
            if spent is not None:
                clicks.append(spent[0])
        for at, watcher in watched.items():
            asked = time.perf_counter()
            watcher.ask("GET", f"{at}/board")
            boards.append(1000 * (time.perf_counter() - asked))
            time.sleep(0.02)
    told = sum(log_lines(watcher, at) - began[at] for at, watcher in watched.items())
    return {
        "game": game,
        "tables": tables,
        "bots": STRONGEST,
        "told": told,
        "cores_used": (server.used() - used) / 1000 / seconds,
        "clicks": len(clicks),
        "clicks_ms": np.percentile(clicks, SHARES).tolist(),
        "boards": len(boards),
        "boards_ms": np.percentile(boards, SHARES).tolist(),
        "met": all(np.percentile(times, 95) < THINKING_GOAL for times in (clicks, boards)),
    }


def log_lines(browser: Browser, url: str) -> int:
    """How much has been told of a table."""
    _, board = browser.ask("GET", f"{url}/board")
    return int(told_of(board).split("-")[0])


def told_of(board: str) -> str:
    """What a page has of the log, as it says so itself."""
    found = re.search(r'data-told="([^"]*)"', board)
    assert found
    return found[1]


def show_thinking(figures: dict[str, Any]) -> None:
    console = Console(highlight=False)
    row = figures["thinking"]
    table = Table("Page", "", box=box.SIMPLE)
    for title in ("5 of 100", "half", "95 of 100", "slowest"):
        table.add_column(title, justify="right")
    for what in ("clicks", "boards"):
        cells = [f"{span:.1f} ms" for span in row[f"{what}_ms"]]
        table.add_row(what, str(row[what]), *cells)
    console.print(table)
    console.print(
        f"{row['tables']} tables of {row['game']} with {row['bots']}: {row['told']} lines of "
        f"play meanwhile, {row['cores_used']:.1f} cores busy."
    )
    met = "met" if row["met"] else "missed"
    console.print(f"Goal, 95 of 100 pages in less than {THINKING_GOAL:.0f} ms: {met}.")
    load = ", ".join(f"{load:.1f}" for load in figures["load"])
    console.print(f"[dim]{describe(figures['machine'])} Load before and after: {load}.[/dim]")


def show(figures: dict[str, Any]) -> None:
    console = Console(highlight=False)
    table = Table("Game", "people", "", box=box.SIMPLE)
    for title in ("clicks", "5 of 100", "half", "95 of 100", "slowest"):
        table.add_column(title, justify="right")
    for row in figures["games"]:
        names = [row["game"], str(row["players"])]
        for what in ("waited", "processor"):
            cells = [f"{span:.1f} ms" for span in row[f"{what}_ms"]]
            table.add_row(*names, what, str(row["clicks"]), *cells)
            names = ["", ""]
    console.print(table)
    met = all(row["met"] for row in figures["games"])
    console.print(f"Goal, 95 of 100 wait less than {GOAL:.0f} ms: {'met' if met else 'missed'}.")
    load = ", ".join(f"{load:.1f}" for load in figures["load"])
    console.print(f"[dim]{describe(figures['machine'])} Load before and after: {load}.[/dim]")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--clicks", type=int, default=400, help="for each game")
    arguments.add_argument("--thinking", type=int, default=0, help="tables where bots think")
    arguments.add_argument("--seconds", type=float, default=30, help="of thinking")
    arguments.add_argument("--json", action="store_true", help="print JSON in place of a table")
    chosen = arguments.parse_args()
    load = [os.getloadavg()[0]]
    figures: dict[str, Any] = {"machine": machine()}
    with tempfile.TemporaryDirectory() as data:
        server = Server(Path(data))
        try:
            if chosen.thinking:
                figures["thinking"] = measure_thinking(
                    server, "splendor", chosen.thinking, chosen.seconds
                )
            else:
                names = bottega.games()
                figures["games"] = [measure(server, name, chosen.clicks) for name in names]
        finally:
            server.stop()
    figures["load"] = [*load, os.getloadavg()[0]]
    if chosen.json:
        print(json.dumps(figures, indent=2))
    elif chosen.thinking:
        show_thinking(figures)
    else:
        show(figures)


if __name__ == "__main__":
    main()
