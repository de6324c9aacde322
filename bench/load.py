"""How many live tables a server holds: `python -m bench.load [--workers 2] [--tables 200 400 ...]`.

Real servers in processes of their own; browsers in another one. At every table sit two: people,
or, at every other table, one of them and a bot. Two browsers follow each table by its events and
load the board when they hear of something new, as the page's script does. Every five seconds
somebody decides. What is timed is a click: the form that the script sends, which is answered with
the board.

With one worker on SQLite or on PostgreSQL, with more on PostgreSQL. Without `--tables` the number
grows until 95 of 100 clicks wait longer than the goal.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from rich.console import Console
from tests.postgres import Postgres, find_postgres

from bottega.table.playing.table import SIGHT

EVERY = 5.0  # seconds between two decisions at a table
GOAL = 0.100  # seconds that 95 of 100 clicks may wait
FIRST, MORE = 100, 1.5  # tables at first, and times as many in each next step
AT_ONCE = 16  # tables that are set up at the same time
BOT = "search-1"
GAMES = ("splendor", "renaissance-man", "artificium", "one-card-wonder")


class Refused(Exception):
    """An answer that is not a good one."""


class Browser:
    """A visitor: a cookie, a connection that stays open, and one that events come by."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.port = port
        self.address = address  # from where they come
        self.cookie = ""
        self.csrf = ""
        self.seq = ""
        self.told = ""  # what it has of the log
        self.actions: list[str] = []
        self.over = False
        self.sending = False
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._lock = asyncio.Lock()

    async def ask(self, method: str, path: str, **fields: object) -> str:
        """The text of a good answer."""
        body = urlencode({"csrf": self.csrf, **fields}) if method == "POST" else ""
        async with self._lock:
            try:
                status, headers, text = await self._send(method, path, body)
            except (asyncio.IncompleteReadError, ConnectionError):  # it had been idle for long
                self._streams = None
                status, headers, text = await self._send(method, path, body)
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].split(";")[0]
        if status >= 400:
            raise Refused(f"{method} {path}: {status} {text[:200]}")
        return text

    async def _send(self, method: str, path: str, body: str) -> tuple[int, dict[str, str], str]:
        self._streams = self._streams or await self.connect()
        reader, writer = self._streams
        writer.write(self.request(method, path, body))
        status, headers = await read_head(reader)
        return status, headers, (await reader.readexactly(int(headers["content-length"]))).decode()

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        here = (self.address, 0)
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=here)

    def request(self, method: str, path: str, body: str = "") -> bytes:
        accept = "application/json" if method == "POST" else "text/html"
        lines = [f"{method} {path} HTTP/1.1", "host: localhost", f"accept: {accept}"]
        if self.cookie:
            lines.append(f"cookie: {self.cookie}")
        if self.told:
            lines.append(f"x-told: {self.told}")
        if body:
            lines += ["content-type: application/x-www-form-urlencoded"]
            lines += [f"content-length: {len(body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()

    async def come(self) -> None:
        home = await self.ask("GET", "/")
        found = re.search(r'name="csrf" value="([^"]+)"', home)
        assert found
        self.csrf = found[1]

    async def look(self, url: str) -> None:
        """Load the board, and see what may be done."""
        self.read(await self.ask("GET", f"{url}/board"))

    def read(self, board: str) -> None:
        found = re.search(r'data-seq="(\d+)"', board)
        told = re.search(r'data-told="([^"]*)"', board)
        assert found, board[:300]
        assert told, board[:300]
        self.seq, self.told = found[1], told[1]
        self.actions = re.findall(r'name="action" value="([^"]+)"', board)
        self.over = 'id="table" class="over"' in board

    @property
    def question(self) -> int:
        """The part of the number that changes when they are told something, or asked."""
        return int(self.seq) >> SIGHT

    async def play(self, url: str, action: str) -> None:
        """A decision, which is answered with the board; what is heard meanwhile is a part of it."""
        self.sending = True
        try:
            said = await self.ask("POST", f"{url}/play", action=action, seq=self.seq)
            self.read(json.loads(said)["board"])
        finally:
            self.sending = False

    async def follow(self, url: str) -> None:
        """Hear of whatever is new, and load it."""
        reader, writer = await self.connect()
        writer.write(self.request("GET", f"{url}/events?seq={self.seq}"))
        status, _ = await read_head(reader)
        if status != 200:
            raise Refused(f"events: {status}")
        while line := await reader.readline():
            heard = line[6:].strip().decode() if line.startswith(b"data: ") else self.seq
            if heard != self.seq and not self.sending:
                with suppress(Refused):
                    await self.look(url)


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = (line.partition(": ") for line in head[1:] if line)
    return int(head[0].split(" ")[1]), {name.lower(): value for name, _, value in pairs}


@dataclass
class Load:
    """The tables of a run, and how long clicks took."""

    ports: list[int]
    waited: list[float] = field(default_factory=list)
    refused: int = 0
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def set_up(self, number: int) -> None:
        """A table, two who follow it, and decisions from now on."""
        people = 2 if number % 2 else 1
        first, second = (Browser(self.ports[(number + at) % len(self.ports)]) for at in (0, 1))
        for browser in (first, second):
            await browser.come()
        fields = {"game": GAMES[number % len(GAMES)], "players": 2, "seat": 0, "bot": BOT}
        mode = {"mode": "friends", "invite": "one-link"} if people == 2 else {"mode": "bots"}
        url = json.loads(await first.ask("POST", "/tables", **fields, **mode))["url"]
        if people == 2:
            await second.ask("POST", f"{url}/join", name="Second")
        for browser in (first, second):
            await browser.look(url)
            self.tasks.append(asyncio.create_task(browser.follow(url)))
        self.tasks.append(asyncio.create_task(self.play(url, [first, second][:people])))

    async def play(self, url: str, people: list[Browser]) -> None:
        """Whoever may decide something does so, now and then."""
        chance = random.Random(url)
        await asyncio.sleep(chance.uniform(0, EVERY))
        while True:
            then = time.monotonic()
            for browser in people:
                if browser.actions:
                    await self.click(url, browser, chance.choice(browser.actions))
                    break
            await asyncio.sleep(max(0.0, then + EVERY - time.monotonic()))

    async def click(self, url: str, browser: Browser, action: str) -> None:
        began = time.monotonic()
        try:
            await browser.play(url, action)
        except Refused:
            self.refused += 1  # another one was first; a person would look and choose again
            await browser.look(url)
        self.waited.append(time.monotonic() - began)

    async def grow(self, tables: int) -> None:
        """So many tables, some at once."""
        numbers = iter(range(tables))

        async def some() -> None:
            for number in numbers:
                await self.set_up(number)

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()


class Servers:
    """The server under load, and the processor time that it takes."""

    def __init__(self, workers: int, database: str, data: Path, **settings: str) -> None:
        environment = {
            **os.environ,
            "BOTTEGA_PACE": "0",
            "BOTTEGA_STUDY": "0",
            "BOTTEGA_CAPACITY": "4000",
            "BOTTEGA_DATA": str(data),
            **settings,
        }
        if database:
            environment["BOTTEGA_DATABASE"] = database
        command = [sys.executable, "-m", "bottega", "serve", "--port", "0"]
        command += ["--workers", str(workers)] if workers > 1 else []
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"localhost:(\d+)/", self.process.stdout.readline())
        assert found, "the server did not start"
        self.port = int(found[1])

    def _processes(self) -> list[Path]:
        """All that it consists of, as Linux shows them."""
        found, new = [], [self.process.pid]
        while new:
            folder = Path(f"/proc/{new.pop()}")
            found.append(folder)
            for children in folder.glob("task/*/children"):
                new += map(int, children.read_text().split())
        return found

    def worked(self) -> float:
        """Seconds of processor time."""
        stats = [(one / "stat").read_text().rpartition(")")[2].split() for one in self._processes()]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """GB."""
        pages = sum(int((one / "statm").read_text().split()[1]) for one in self._processes())
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e9

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)


async def measure(servers: Servers, tables: int, seconds: float) -> dict[str, float]:
    """So many tables for a while; the beginning, while they are set up, does not count."""
    load = Load([servers.port])
    await load.grow(tables)
    await asyncio.sleep(EVERY)
    load.waited.clear()
    worked, began = servers.worked(), time.monotonic()
    await asyncio.sleep(seconds)
    spent = time.monotonic() - began
    row = {
        "tables": tables,
        "clicks a second": len(load.waited) / spent,
        "half": float(np.percentile(load.waited, 50)),
        "95 of 100": float(np.percentile(load.waited, 95)),
        "cpu a click": (servers.worked() - worked) / max(1, len(load.waited)),
        "cores": (servers.worked() - worked) / spent,
        "GB": servers.memory(),
        "late": sum(task.done() for task in load.tasks),
    }
    for problem in {repr(task.exception())[:300] for task in load.tasks if task.done()}:
        print(problem, file=sys.stderr)
    load.close()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--tables", type=int, nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    told = Console()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    programs = find_postgres()
    assert asked.sqlite or programs, "there is no PostgreSQL: make postgres"
    steps = asked.tables or [round(FIRST * MORE**step) for step in range(12)]
    for tables in steps:
        with ExitStack() as stack:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            url = ""
            if not asked.sqlite and programs:
                postgres = Postgres(programs, fsync=True)
                stack.callback(postgres.close)
                url = postgres.fresh()
            servers = Servers(asked.workers, url, data)
            stack.callback(servers.close)
            row = asyncio.run(measure(servers, tables, asked.seconds))
        told.print(
            f"{tables} tables, {row['clicks a second']:.0f} clicks a second: half within "
            f"{1000 * row['half']:.0f} ms, 95 of 100 within {1000 * row['95 of 100']:.0f} ms; "
            f"{1000 * row['cpu a click']:.1f} ms of processor a click, {row['cores']:.2f} cores, "
            f"{row['GB']:.2f} GB; {row['late']:.0f} streams or tables lost",
            highlight=False,
        )
        if not asked.tables and row["95 of 100"] > GOAL:
            break


if __name__ == "__main__":
    main()
