"""Where the processor time of a click goes: `python -m bench.clicks [--postgres] [--profile]`.

The server and its browsers in one process, without a network between them, so that a profile shows
the server's own work. At a table of two people both pages are open. A click is what a page's script
sends and what it is answered, and the board that the other page then loads. What is measured is
processor time of this process, at tables that already have so many moves.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import json
import pstats
import random
import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rich.console import Console
from tests.postgres import Postgres, find_postgres

import bottega
from bottega.engine.match import Match
from bottega.table.database.rows import PERSON, Seat
from bottega.table.playing.table import Table
from bottega.table.secret import new_visitor, visitor_id
from bottega.table.server.app import create_app

QUIET = {"warm": False, "pace": 0, "pause": 0, "study": 0, "capacity": 4000}
BEGINNING = 10  # moves with which a match begins
SHOWN = 45  # lines of a profile


@dataclass
class Browser:
    """Somebody with a cookie, who asks without a network."""

    app: Any
    cookie: str = field(default_factory=new_visitor)
    csrf: str = ""
    seq: str = ""
    actions: list[str] = field(default_factory=list)
    told: str = ""  # of the log

    async def ask(self, method: str, path: str, **fields: Any) -> str:
        body = urlencode({"csrf": self.csrf, **fields}).encode() if fields else b""
        accept = "application/json" if method == "POST" else "text/html"
        said: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        await self.app(self.scope(method, path, accept, len(body)), receive, send)
        text = b"".join(message.get("body", b"") for message in said).decode()
        assert said[0]["status"] < 400, text[:300]
        return text

    def scope(self, method: str, path: str, accept: str, length: int) -> dict[str, Any]:
        path, _, query = path.partition("?")
        headers = {
            "host": "localhost",
            "accept": accept,
            "cookie": f"visitor={self.cookie}",
            "content-type": "application/x-www-form-urlencoded",
            "content-length": str(length),
            "x-told": self.told,
        }
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 80),
        }

    async def listen(self, url: str) -> None:
        """Keep the page's stream of events open."""

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            pass

        await self.app(self.scope("GET", f"{url}/events", "text/event-stream", 0), receive, send)

    async def look(self, url: str) -> None:
        self.read(await self.ask("GET", f"{url}/board"))

    async def click(self, url: str, action: str) -> None:
        answer = await self.ask("POST", f"{url}/play", action=action, seq=self.seq)
        self.read(json.loads(answer)["board"])

    def read(self, board: str) -> None:
        found = re.search(r'data-seq="(\d+)"', board)
        assert found, board[:300]
        self.seq = found[1]
        self.actions = re.findall(r'name="action" value="([^"]+)"', board)
        told = re.search(r'data-told="([^"]*)"', board)
        assert told
        self.told = told[1]


def played(name: str, moves: int, chance: random.Random) -> Match:
    """A match of two that has lasted so long, and goes on: what happened in its beginning is told
    again and again, as often as it takes."""
    match = bottega.game(name).new(2, names=["Ada", "Bruno"])
    for _ in range(min(moves, BEGINNING)):
        seat = match.waiting[0]
        match.play(seat, chance.choice(match.legal_numbers(seat)))
    while len(match.moves) < moves:
        past = [(move.seat, move.key) for move in match.moves[:BEGINNING]]
        match.follow(past, match.records[1 : BEGINNING + 1], match.rules[1 : BEGINNING + 1])
    assert not match.over
    return match


async def sit_down(app: Any, match: Match) -> tuple[Table, list[Browser]]:
    """Two people at a table, their pages open."""
    browsers = [Browser(app), Browser(app)]
    holders = {(visitor_id(one.cookie), at) for at, one in enumerate(browsers)}
    tables = app.state.site.tables
    table = await tables.add(match, [Seat(PERSON), Seat(PERSON)], holders, "friends")
    for browser in browsers:
        found = re.search(r'name="csrf" value="([^"]+)"', await browser.ask("GET", "/"))
        assert found
        browser.csrf = found[1]
        await browser.look(f"/t/{table.id}")
    return table, browsers


async def clicks(
    app: Any, name: str, moves: int, number: int, profile: cProfile.Profile | None
) -> dict[str, float]:
    """So many clicks, at as many tables as it takes."""
    chance = random.Random(1)
    spent: list[float] = []
    loop = asyncio.get_running_loop()
    while len(spent) < number:
        table, browsers = await sit_down(app, played(name, moves, chance))
        url = f"/t/{table.id}"
        streams = [loop.create_task(browser.listen(url)) for browser in browsers]
        await asyncio.sleep(0.2)
        began = len(table.match.moves)
        while len(spent) < number and not table.match.over and len(table.match.moves) < began + 40:
            for browser in browsers:
                await browser.look(url)
            at = 0 if browsers[0].actions else 1
            action = chance.choice(browsers[at].actions)
            gc.collect(1)
            then = time.process_time()
            if profile is not None:
                profile.enable()
            await browsers[at].click(url, action)
            await asyncio.sleep(0.05)  # the other one is told
            await browsers[1 - at].look(url)
            if profile is not None:
                profile.disable()
            spent.append(time.process_time() - then)
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
    spent.sort()
    return {"half": spent[len(spent) // 2], "mean": sum(spent) / len(spent)}


@asynccontextmanager
async def server(postgres: bool) -> AsyncIterator[Any]:
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings: dict[str, Any] = dict(QUIET)
        if postgres:
            programs = find_postgres()
            assert programs, "there is no PostgreSQL: make postgres"
            running = Postgres(programs)
            stack.callback(running.close)
            settings["database"] = running.fresh()
        app = create_app(data, **settings)
        async with app.router.lifespan_context(app):
            yield app


async def measure(asked: argparse.Namespace) -> None:
    told = Console(highlight=False)
    async with server(asked.postgres) as app:
        for name in asked.games or bottega.games():
            for moves in asked.moves:
                profile = cProfile.Profile() if asked.profile else None
                row = await clicks(app, name, moves, asked.clicks, profile)
                print(json.dumps({"game": name, "moves": moves, **row})) if asked.json else (
                    told.print(
                        f"{name}, {moves} moves before: {1000 * row['mean']:.2f} ms of processor "
                        f"a click, half {1000 * row['half']:.2f} ms"
                    )
                )
                if profile is not None:
                    pstats.Stats(profile).sort_stats(asked.profile).print_stats(SHOWN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--games", nargs="*", default=[])
    parser.add_argument("--moves", type=int, nargs="*", default=[0])
    parser.add_argument("--clicks", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", choices=["tottime", "cumtime"])
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
