"""The twin-world test of pages and events: two tables that differ only in what a viewer cannot
know send that viewer the same bytes, at the same moments."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from difflib import unified_diff
from typing import Any

import pytest

import bottega
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.table.playing import table as playing_table
from bottega.table.playing.table import Eyes, Table
from bottega.table.web import events
from tests.games.properties import hidden_parts, known, twin
from tests.table.conftest import QUICK, Welcome
from tests.table.guests import Guest

GAMES = [bottega.game(name) for name in bottega.games()]
MOMENTS = 12  # of a game at which its pages are compared
STEPS = 6  # decisions that both worlds then take alike


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(playing_table, "TELL_AFTER", 0)
    return {**QUICK, "absence": 3600}  # nobody is seen leaving in the middle of a comparison


class Ear:
    """Listens to a table's events, byte by byte."""

    def __init__(self, guest: Guest, table: Table, eyes: Eyes) -> None:
        self.guest, self.table, self.eyes = guest, table, eyes
        self.heard = b""
        guest.run(self._open)

    async def _open(self) -> None:
        self.task = asyncio.create_task(self._listen())
        async with asyncio.timeout(10):
            while not self.heard:  # how things stand, once the database knows who is here
                await asyncio.sleep(0)
        await self._quiet()

    async def _listen(self) -> None:
        async for event in events.updates(self.guest.tables, self.table, self.eyes, None, ""):
            self.heard += event.encode()

    async def _quiet(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    def follow(self, seat: int, action: int) -> None:
        """Somebody decides."""
        self.guest.run(self._follow, seat, action)

    async def _follow(self, seat: int, action: int) -> None:
        trial = self.table.match.copy()
        trial.play(seat, action)
        self.guest.tables.put(self.table, trial, self.table.manners)
        await self._quiet()

    def close(self) -> None:
        self.guest.run(self._close)

    async def _close(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])


def room(welcome: Welcome, game: Game) -> tuple[str, list[Guest], dict[str, str]]:
    """A table of friends, one for each seat and one beside it; and its options."""
    players = min(3, game.seats[1])
    options = {option.name: option.choices[-1] for option in game.options if option.choices}
    guests = [welcome() for _ in range(players + 1)]
    mode = {"mode": "friends", "invite": "one-link"} if players > 1 else {"mode": "hotseat"}
    fields = {f"option.{name}": value for name, value in options.items()}
    url = guests[0].create(game=game.name, players=players, seat=0, name="G0", **mode, **fields)
    for number, guest in enumerate(guests[1:players], start=1):
        guest.must(f"{url}/join", name=f"G{number}")
    return url, guests, options


def pages(guest: Guest, url: str, seat: int | None, hint: bool) -> list[bytes]:
    """Everything the server sends a viewer about a table."""
    key = {} if seat is None else {"authorization": f"Bearer {guest.link(url, seat)[-32:]}"}
    answers = [guest.get(url + path) for path in ("?watch=1", "/board", "/replay", "/replay?at=2")]
    if hint:
        answers.append(guest.get(f"{url}/hint"))
    answers += [guest.get(f"/api/v1/tables{url[2:]}/{what}", headers=key) for what in READS]
    answers += [guest.choose(url, action) for action in refused(guest.match(url), seat)]
    assert [answer.status_code < 500 for answer in answers] == [True] * len(answers)
    return [b"%d %s" % (answer.status_code, answer.content) for answer in answers]


READS = ("view", "legal", "log")


def refused(match: Match, seat: int | None) -> list[str]:
    """A few decisions that the viewer may not take, for the reasons they are given."""
    chance = random.Random(len(match.moves))
    legal = [] if seat is None else match.legal_numbers(seat)
    illegal = [number for number in range(match.game.actions) if number not in legal]
    return [match.game.keys[number] for number in chance.sample(illegal, min(3, len(illegal)))]


def enter(guest: Guest, table: Table, world: Match) -> None:
    """The table becomes the one of that world, as if nobody had looked at it yet."""

    async def change() -> None:
        table.viewers.clear()
        table._stories.clear()
        table.here = Counter(range(world.players))
        table.match = world

    guest.run(change)


def steps(one: Match, two: Match, seat: int | None, chance: random.Random) -> list[tuple[int, int]]:
    """Decisions that both worlds can take alike, until the viewer sees a difference."""
    one, two = one.copy(), two.copy()
    taken: list[tuple[int, int]] = []
    while len(taken) < STEPS and not one.over:
        actor = chance.choice(one.waiting)
        both = sorted({*one.legal_numbers(actor)} & {*two.legal_numbers(actor)})
        if not both:
            break
        action = chance.choice(both)
        one.play(actor, action)
        two.play(actor, action)
        if known(one, seat) != known(two, seat):
            break
        taken.append((actor, action))
    return taken


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_twin_worlds_send_the_same_pages_and_events(welcome: Welcome, game: Game) -> None:
    url, guests, options = room(welcome, game)
    table = guests[0].table(url)
    players = table.match.players
    chance = random.Random(5)
    match = game.new(players, seed=11, names=table.match.names, **options)  # type: ignore[arg-type]
    varied = followed = 0
    for number in range(MOMENTS * 4):
        if match.over:
            break
        actor = chance.choice(match.waiting)
        match.play(actor, chance.choice(match.legal_numbers(actor)))
        if number % 4:
            continue
        at = (number // 4) % (players + 1)
        seat = at if at < players else None
        guest = guests[at]
        visitor = next((who for who, held in table.holders if held == seat), "nobody")
        eyes = table.eyes(visitor)
        worlds = [twin(match, seat, world) for world in (1, 2)]
        worlds[1]._table["rng"] = worlds[0]._table["rng"]
        varied += hidden_parts(worlds[0]) != hidden_parts(worlds[1])
        moves = steps(*worlds, seat, chance)
        followed += len(moves)
        sent = [story(guest, url, table, eyes, seat, world, moves) for world in worlds]
        compare(*sent)
    assert varied, "nothing hidden differed, so nothing was tested"
    assert followed


def compare(one: list[bytes], two: list[bytes]) -> None:
    """The same, byte for byte; if not, where they part."""
    for mine, other in zip(one, two, strict=True):
        if mine != other:
            lines = unified_diff(mine.decode().splitlines(), other.decode().splitlines(), n=1)
            pytest.fail("the worlds differ:\n" + "\n".join(lines))


def story(
    guest: Guest,
    url: str,
    table: Table,
    eyes: Eyes,
    seat: int | None,
    world: Match,
    moves: list[tuple[int, int]],
) -> list[bytes]:
    """All that a viewer is sent in one world: now, and as the moves are played."""
    enter(guest, table, world)
    ear = Ear(guest, table, eyes)
    told = pages(guest, url, seat, hint=True)
    for actor, action in moves:
        ear.follow(actor, action)
        told += [ear.heard, *pages(guest, url, seat, hint=False)]
    ear.close()
    return told
