"""Somebody tries to take a server down from one address: `python -m bench.attacks [--postgres]`.

Meanwhile honest people play, each from an address of their own: at some tables two, who click one
after the other, at others one against the strongest bot; each page is followed and loaded again as
a browser does it. One attack after the other comes from yet another address of this machine:

    nothing   how things are without any
    notation  the largest notation that is taken, opened, and its replay asked for again and again
    bots      thirty tables of the strongest bots, which nobody looks at
    watched   the same, each with a page open
    streams   a thousand streams of events
    heads     a thousand requests whose head never ends
    bodies    uploads that dribble, and bodies of ten thousand brackets
    hints     hints, asked for as fast as they come
    tables    tables, set up as fast as the server lets one

While each goes on, 95 of 100 clicks of the others must take less than 0.2 s, from the form to the
board, and bots answer within 3 s, their usual pause included. What one address may do is limited as
it is by default.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from bench.load import Browser, Refused, Servers
from rich.console import Console
from rich.table import Table
from tests.postgres import Postgres, find_postgres

import bottega

told = Console(highlight=False, width=120)
CLICKS, ANSWERS = 0.2, 3.0  # seconds: the goals
EVERY = 1.0  # seconds between two clicks at a table
PEOPLE, AGAINST_BOTS = 12, 4  # tables of honest people
ELSEWHERE = "127.9.9.9"  # from where the attacks come
STRONGEST = "search-5"
MANY = 1000
SMALL, LARGE = 1000, 60_000  # decisions of a notation
PATIENCE = 60.0  # seconds

Attack = Callable[["Attacker"], Awaitable[None]]


@dataclass
class Honest:
    """People who play, and how long they wait."""

    port: int
    clicks: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    lost: int = 0  # clicks without an answer
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def come(self) -> None:
        for number in range(PEOPLE + AGAINST_BOTS):
            await self._sit_down(number)

    async def _sit_down(self, number: int) -> None:
        game = bottega.games()[number % 4]
        addresses = [
            f"127.0.{number + 1}.{seat + 1}" for seat in range(2 if number < PEOPLE else 1)
        ]
        people = [Browser(self.port, address) for address in addresses]
        for browser in people:
            await browser.come()
        mode = {"mode": "friends", "invite": "one-link"} if len(people) > 1 else {"mode": "bots"}
        wish = {"game": game, "players": 2, "seat": 0, "bot": STRONGEST, **mode}
        url = json.loads(await people[0].ask("POST", "/tables", **wish))["url"]
        for other in people[1:]:
            await other.ask("POST", f"{url}/join", name="Second")
        for browser in people:
            await browser.look(url)
            self.tasks.append(asyncio.create_task(browser.follow(url)))
        play = self._play(url, people) if len(people) > 1 else self._play_bot(url, people[0])
        self.tasks.append(asyncio.create_task(play))

    async def _play(self, url: str, people: list[Browser]) -> None:
        """Whoever may decide something does so."""
        chance = random.Random(url)
        await asyncio.sleep(chance.uniform(0, EVERY))
        while True:
            asked = [browser for browser in people if browser.actions]
            if asked:
                await self._click(url, asked[0], chance.choice(asked[0].actions))
            await asyncio.sleep(EVERY)

    async def _play_bot(self, url: str, person: Browser) -> None:
        """A click, and then the bot's answer."""
        chance = random.Random(url)
        while True:
            if person.actions:
                await self._click(url, person, chance.choice(person.actions))
                if not person.actions:
                    await self._wait_for_bot(person)
            await asyncio.sleep(EVERY)

    async def _wait_for_bot(self, person: Browser) -> None:
        """How long each step takes that the bot shows, until it is the person's turn again: a
        turn of many small steps is shown in as many, each to be followed with the eyes."""
        while not person.actions and not person.over:
            began, known = time.monotonic(), person.question
            while person.question == known and time.monotonic() < began + PATIENCE:
                await asyncio.sleep(0.01)  # its page follows the table
            self.answers.append(time.monotonic() - began)

    async def _click(self, url: str, browser: Browser, action: str) -> None:
        began = time.monotonic()
        try:
            with suppress(Refused):
                await browser.ask("POST", f"{url}/play", action=action, seq=browser.seq)
            await browser.look(url)
        except (Refused, OSError, asyncio.IncompleteReadError):
            self.lost += 1
        self.clicks.append(time.monotonic() - began)

    def close(self) -> None:
        for task in self.tasks:
            task.cancel()


@dataclass
class Attacker:
    """Somebody with one browser, and a program that asks for much at once in its name."""

    browser: Browser
    refused: int = 0
    taken: int = 0
    held: list[asyncio.StreamWriter] = field(default_factory=list)  # connections, kept open

    async def __aenter__(self) -> Attacker:
        await self.browser.come()
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        self.client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.browser.port}",
            transport=httpx.AsyncHTTPTransport(local_address=self.browser.address, limits=limits),
            headers={"cookie": self.browser.cookie},
            timeout=PATIENCE,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self.let_go()
        await self.client.aclose()

    async def ask(self, method: str, path: str, **more: Any) -> httpx.Response | None:
        """A good answer, if one comes."""
        with suppress(httpx.HTTPError):
            answer = await self.client.request(method, path, **more)
            if answer.status_code < 400:
                self.taken += 1
                return answer
        self.refused += 1
        return None

    async def send(self, path: str, files: object = None, **fields: object) -> str | None:
        """The address that a form leads to."""
        form = {"csrf": self.browser.csrf, **fields}
        json_please = {"accept": "application/json"}
        answer = await self.ask("POST", path, data=form, files=files, headers=json_please)
        return answer and answer.json().get("url")

    async def begin(self, request: bytes) -> asyncio.StreamWriter:
        """A request on a connection that stays open."""
        _, writer = await self.browser.connect()
        writer.write(request)
        self.held.append(writer)
        return writer

    async def listen(self, url: str) -> asyncio.StreamWriter:
        return await self.begin(self.browser.request("GET", f"{url}/events"))

    def let_go(self) -> None:
        """Hang up on all connections."""
        while self.held:
            self.held.pop().close()


# The attacks. Each goes on until it is cancelled.


async def nothing(_: Attacker) -> None:
    await asyncio.sleep(3600)


async def notation(attacker: Attacker) -> None:
    """The longest that is taken: half as long after each refusal."""
    decisions, url = LARGE, None
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1) as apart:  # those who play here do not wait for it
        while url is None and decisions > SMALL:
            text = await loop.run_in_executor(apart, long_game, decisions)
            url = await attacker.send("/open", files={"file": ("game.txt", text)})
            decisions //= 2
            await asyncio.sleep(1)
    assert url is not None, "no notation is taken"
    await together(8, lambda: attacker.ask("GET", url))


def long_game(decisions: int) -> bytes:
    """A game of Renaissance Man in which nobody gets on, as a notation of at most 500 kB."""
    match = bottega.game("renaissance-man").new(4, 7)
    chance = random.Random(7)
    while not match.over and len(match.moves) < decisions:
        seat = match.waiting[0]
        match.play(seat, chance.choice(match.legal_numbers(seat)))
        if len(match.moves) % 1000 == 0 and len(match.save()) > 490_000:
            break
    return match.save().encode()


async def bots(attacker: Attacker) -> None:
    """Thirty tables that nobody looks at."""
    for _ in range(30):
        await watch_table(attacker)
    await asyncio.sleep(3600)


async def watched(attacker: Attacker) -> None:
    for _ in range(30):
        url = await watch_table(attacker)
        if url is not None:
            await attacker.listen(url)
    await asyncio.sleep(3600)


async def watch_table(attacker: Attacker) -> str | None:
    wish = {"game": "splendor", "mode": "watch", "players": 4, "bot": STRONGEST}
    return await attacker.send("/tables", **wish)


async def streams(attacker: Attacker) -> None:
    url = await attacker.send("/tables", game="splendor", mode="hotseat", players=2)
    assert url is not None
    await hold(attacker, lambda: attacker.listen(url))


async def heads(attacker: Attacker) -> None:
    slow = b"GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: "
    await hold(attacker, lambda: attacker.begin(slow))


async def hold(attacker: Attacker, connect: Callable[[], Awaitable[object]]) -> None:
    """A thousand connections, again and again."""
    while True:
        for _ in range(MANY):
            with suppress(OSError):
                await connect()
        await asyncio.sleep(5)
        attacker.let_go()


async def bodies(attacker: Attacker) -> None:
    deep = b"[" * 10_000 + b"]" * 10_000
    head = b"POST /open HTTP/1.1\r\nhost: localhost\r\ncontent-length: 400000\r\n\r\n"

    async def dribble() -> None:
        while True:
            writer = await attacker.begin(head)
            while not writer.is_closing():
                writer.write(b"x")
                await asyncio.sleep(0.5)

    async def nest() -> None:
        json_body = {"content-type": "application/json"}
        await attacker.ask("POST", "/api/v1/tables", content=deep, headers=json_body)

    tasks = [asyncio.create_task(dribble()) for _ in range(200)]
    try:
        await together(8, nest)
    finally:
        for task in tasks:
            task.cancel()


async def hints(attacker: Attacker) -> None:
    wish = {"game": "renaissance-man", "mode": "hotseat", "players": 2}
    url = await attacker.send("/tables", **wish)
    assert url is not None
    await together(16, lambda: attacker.ask("GET", f"{url}/hint"))


async def tables(attacker: Attacker) -> None:
    await together(8, lambda: watch_table(attacker))


async def together(number: int, doing: Callable[[], Awaitable[object]]) -> None:
    """So many at a time, again and again."""

    async def keep_on() -> None:
        while True:
            await doing()
            await asyncio.sleep(0.01)  # a refusal comes at once

    await asyncio.gather(*(keep_on() for _ in range(number)))


ATTACKS: list[Attack] = [
    nothing, notation, bots, watched, streams, heads, bodies, hints, tables
]  # fmt: skip


@dataclass
class Row:
    """What the others noticed of an attack."""

    name: str
    clicks: list[float]
    answers: list[float]
    lost: int
    refused: int
    taken: int

    @property
    def slow(self) -> float:
        return float(np.percentile(self.clicks, 95)) if self.clicks else float("inf")

    @property
    def latest(self) -> float:
        return max(self.answers, default=float("inf"))

    @property
    def held(self) -> bool:
        return self.slow < CLICKS and self.latest < ANSWERS and not self.lost


async def endure(attack: Attack, servers: Servers, seconds: float) -> Row:
    """An attack, while people play."""
    honest = Honest(servers.port)
    await honest.come()
    await asyncio.sleep(2 * EVERY)
    async with Attacker(Browser(servers.port, ELSEWHERE)) as attacker:
        attacking = asyncio.ensure_future(attack(attacker))
        await asyncio.wait([attacking], timeout=5.0)  # until it is in full swing
        honest.clicks.clear()
        honest.answers.clear()
        honest.lost = 0
        await asyncio.wait([attacking], timeout=seconds)
        if attacking.done():
            attacking.result()
        row = Row(
            attack.__name__,
            [*honest.clicks],
            [*honest.answers],
            honest.lost,
            attacker.refused,
            attacker.taken,
        )
        attacking.cancel()
        with suppress(asyncio.CancelledError):
            await attacking
    honest.close()
    return row


def withstand(attack: Attack, url: str, seconds: float) -> Row:
    """An attack on a fresh server, limited as by default."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = Servers(1, url, data, BOTTEGA_PACE="1", BOTTEGA_CAPACITY="256")
        stack.callback(servers.close)
        return asyncio.run(endure(attack, servers, seconds))


def withstand_all(postgres: Postgres | None, seconds: float, only: Sequence[str] = ()) -> bool:
    """One attack after the other; whether nobody else noticed any."""
    table = Table("attack", "clicks", "95 of 100", "slowest", "bots' answers", "latest", "held")
    held = True
    for attack in ATTACKS:
        if only and attack.__name__ not in only:
            continue
        row = withstand(attack, postgres.fresh() if postgres else "", seconds)
        held &= row.held
        table.add_row(
            f"{row.name} ({row.taken} taken, {row.refused} refused)",
            f"{len(row.clicks)}{f', {row.lost} lost' if row.lost else ''}",
            f"{1000 * row.slow:.0f} ms",
            f"{1000 * max(row.clicks, default=0):.0f} ms",
            str(len(row.answers)),
            f"{row.latest:.1f} s",
            "yes" if row.held else "NO",
        )
        told.print(f"{row.name}: {'held' if row.held else 'NOT held'}")
    told.print(table)
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgres", action="store_true", help="instead of SQLite")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each attack")
    parser.add_argument("--only", nargs="*", choices=[attack.__name__ for attack in ATTACKS])
    asked = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with ExitStack() as stack:
        postgres = None
        if asked.postgres:
            programs = find_postgres()
            assert programs, "there is no PostgreSQL: make postgres"
            postgres = stack.enter_context(closing(Postgres(programs, fsync=True)))
        held = withstand_all(postgres, asked.seconds, asked.only or ())
    sys.exit(not held)


if __name__ == "__main__":
    main()
