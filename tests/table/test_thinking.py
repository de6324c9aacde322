"""Who thinks when: turns are fair, nobody waits for long, and who looks away is not thought for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from bottega.bots.search import SearchBot
from bottega.engine.match import Action, Match
from bottega.table.database import jobs
from bottega.table.database.schema import TABLES
from bottega.table.faults import NotNow
from bottega.table.playing import levels
from bottega.table.playing import table as playing_table
from bottega.table.thinking import bots, thinkers
from bottega.table.threads import CORES, Turns
from tests.games.properties import random_play
from tests.table.conftest import Welcome
from tests.table.databases import Database
from tests.table.guests import Guest
from tests.table.test_live import wait_for

# Turns


def order_of(turns: Turns, wanted: Sequence[Hashable]) -> str:
    """Who comes when, if all of these ask in this order and nobody is done before."""
    came: list[str] = []

    async def ask(owner: Hashable) -> None:
        async with turns.of(owner):
            came.append(str(owner))
            await asyncio.sleep(0)

    async def all_of_them() -> None:
        await asyncio.gather(*map(ask, wanted))

    asyncio.run(all_of_them())
    return "".join(came)


def test_who_wants_much_waits_for_it_alone() -> None:
    assert order_of(Turns(1), "aaaabc") == "abcaaa"
    assert order_of(Turns(2), "aaaabb") == "aababa", "who has a turn is behind who has none"


def test_any_name_is_one_to_have_turns_by() -> None:
    assert order_of(Turns(1), [None, 0, ""]) == "None0"


def test_nobody_has_more_turns_than_one_may() -> None:
    turns, most = Turns(10, each=2), Counter[str]()

    async def ask(owner: str) -> None:
        async with turns.of(owner):
            most[owner] = max(most[owner], turns._had[owner])
            await asyncio.sleep(0)

    async def all_of_them() -> None:
        await asyncio.gather(*map(ask, "aaaaabbbc"))

    asyncio.run(all_of_them())
    assert most == {"a": 2, "b": 2, "c": 1}


def test_who_does_not_wait_any_more_takes_no_turn() -> None:
    turns = Turns(1)

    async def ask() -> None:
        async with turns.of("b"):
            pytest.fail("it was called off")

    async def story() -> None:
        async with turns.of("a"):
            waiting = [asyncio.create_task(ask()) for _ in range(2)]
            await asyncio.sleep(0)
            assert (turns.waiting, turns.owners, turns.wanted("b")) == (2, 2, 2)
            waiting[0].cancel()
            await asyncio.sleep(0)
            assert turns.wanted("b") == 1
            waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert (turns.waiting, turns.owners, turns.free) == (0, 0, 1)

    asyncio.run(story())


# Bots


class Searcher(SearchBot):
    """One that searches until it is told to stop."""

    def __init__(self, *_: object) -> None:
        super().__init__(seconds=1.0, threads=CORES)
        self.searching = threading.Event()
        self.enough = threading.Event()

    def choose(self, match: Match, seat: int) -> Action:
        self.searching.set()
        assert self.enough.wait(60)
        return match.legal(seat)[0]


def test_the_more_search_the_shorter_they_do(
    welcome: Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that everybody has had a turn within a second, however many there are."""
    searchers: list[Searcher] = []

    def another(*_: object) -> Searcher:
        searchers.append(Searcher())
        return searchers[-1]

    monkeypatch.setattr(levels, "player", another)
    monkeypatch.setattr(bots.waking, "awake", lambda *_: True)
    hosts = 3 * CORES
    guests = [welcome() for _ in range(hosts)]
    for guest in guests:
        guest.create(mode="bots", seat=1)
    turns = guests[0].client.app.state.site.thinkers.turns  # type: ignore[attr-defined]
    wait_for(lambda: turns.owners == hosts, 60)
    first, *others = sorted(searchers, key=lambda bot: -bot.threads)
    assert (first.seconds, first.threads) == (1.0, CORES), "alone it has all there is"
    for bot in searchers:
        bot.enough.set()
    wait_for(lambda: all(bot.searching.is_set() for bot in searchers), 60)
    wait_for(lambda: not turns.owners, 60)
    assert [bot.threads for bot in others] == [1] * len(others)
    shares = [bot.seconds or 0 for bot in searchers]
    assert all(0.3 <= share <= 1.0 for share in shares)
    assert min(shares) < 1.0


@pytest.mark.sqlite_only
def test_a_bot_pauses_before_what_others_see_and_not_before_every_step(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the time that it takes nobody can tell how many steps it took."""
    monkeypatch.setattr(bots.Player, "_pause", 1000.0)
    table = ada.table(ada.create(game="renaissance-man", mode="hotseat", seat=0))
    nobody: Any = None
    player = bots.Player(ada.tables, table, 0, nobody, nobody)
    player._since = time.monotonic()
    paused: Counter[bool] = Counter()
    for match, _ in zip(random_play(table.match.copy(), 3), range(60), strict=False):
        table.match = match.copy()
        for number in match.legal_numbers(0)[:5]:
            trial = match.copy()
            trial.play(0, number)
            assert bool(player._to_wait(number)) != trial.private(0)
            paused[trial.private(0)] += 1
    assert len(paused) == 2, "there were steps of both kinds"


def test_one_host_has_so_many_bots_decide_at_a_time(
    ada: Guest, bruno: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty tables of one host cost another one nothing."""
    enough = threading.Event()
    deciding: Counter[str] = Counter()

    async def choice(player: bots.Player, match: Match) -> int:
        deciding[player.table.owner] += 1
        while not enough.is_set():
            await asyncio.sleep(0.01)
        return match.legal_numbers(player.seat)[0]

    monkeypatch.setattr(bots.Player, "_choice", choice)
    for _ in range(thinkers.HANDS + 3):
        ada.create(mode="bots", seat=1)
    wait_for(lambda: [*deciding.values()] == [thinkers.HANDS])
    url = bruno.create(mode="bots", seat=1)
    wait_for(lambda: len(deciding) == 2)
    assert sorted(deciding.values()) == [1, thinkers.HANDS]
    enough.set()
    wait_for(lambda: len(bruno.match(url).moves) == 1)


# Who looks


def test_bots_among_themselves_wait_soon_when_nobody_looks(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a person plays they go on for longer, who may just be on the way."""
    monkeypatch.setattr(bots, "consider", lambda *_: None)

    async def looked_away(url: str, seconds: float) -> bool:
        table = ada.tables.known[url[3:]]
        table.touched = time.monotonic() - seconds
        return table.awake

    watch = ada.create(mode="watch", players=2, bot="random")
    wait_for(lambda: ada.match(watch).over, 60)
    match = ada.create(mode="bots", players=2, seat=0)
    assert ada.run(looked_away, watch, jobs.UNSEEN - 5)
    assert not ada.run(looked_away, watch, jobs.UNSEEN + 5)
    assert ada.run(looked_away, match, jobs.UNSEEN + 5)
    assert not ada.run(looked_away, match, jobs.LOOKED + 5)
    if ada.tables.store.shared:
        then = sa.func.extract("epoch", sa.func.now()) - jobs.UNSEEN - 5
        database.execute(sa.update(TABLES).values(looked=then))
        looked_at = ada.tables.store.looked_at
        assert [ada.run(looked_at, url[3:]) for url in (watch, match)] == [False, True]


def test_a_table_of_bots_stands_still_until_somebody_looks_again(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each kind of database."""
    monkeypatch.setattr(playing_table, "UNSEEN", 0.2)
    monkeypatch.setattr(jobs, "UNSEEN", 0.2)
    monkeypatch.setattr(bots.Player, "_pause", 0.05)
    url = ada.create(mode="watch", players=2, bot="random")
    table = ada.table(url)
    wait_for(lambda: not table.thinkers and not table.awake, 60)
    assert table.match.moves
    assert not table.match.over
    stood = len(table.match.moves)
    time.sleep(0.5)
    assert len(table.match.moves) == stood
    wait_for(lambda: len(ada.match(url).moves) > stood, 60)


# Hints and analyses


def test_the_same_hint_is_thought_about_once(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def slowly(match: Match, seat: int) -> list[dict[str, Any]]:
        asked.append(seat)
        time.sleep(0.2)
        return []

    monkeypatch.setattr(thinkers, "hints", slowly)
    url = ada.create(mode="hotseat", seat=0)
    table, thinking = ada.table(url), ada.client.app.state.site.thinkers  # type: ignore[attr-defined]

    async def ask(times: int, seat: int) -> None:
        await asyncio.gather(*(thinking.advise(table, seat) for _ in range(times)))

    ada.run(ask, 20, 0)
    assert asked == [0]
    ada.run(ask, 2, 1)
    assert asked == [0, 1]
    assert not thinking._advice


def test_many_hints_for_one_host_are_refused_with_a_sentence(
    ada: Guest, bruno: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinkers, "hints", lambda *_: time.sleep(0.2) or [])
    tables = [ada.table(ada.create(mode="hotseat", seat=0)) for _ in range(thinkers.ASKED + 1)]
    other = bruno.table(bruno.create(mode="hotseat", seat=0))
    thinking = ada.client.app.state.site.thinkers  # type: ignore[attr-defined]

    async def ask() -> list[Any]:
        wanted = (thinking.advise(table, 0) for table in [*tables, other])
        return await asyncio.gather(*wanted, return_exceptions=True)

    *found, of_other = ada.run(ask)
    refused = [one for one in found if isinstance(one, NotNow)]
    assert len(refused) == 1
    assert "Try again" in str(refused[0])
    assert of_other == []


# Programs


def test_programs_of_an_address_are_one_host(ada: Guest, bruno: Guest) -> None:
    """Else each table of a program would be a host of its own, and have a turn for each."""

    def table(mode: str) -> Any:
        wish = {"game": "splendor", "mode": mode, "players": 2}
        made = ada.client.post("/api/v1/tables", json=wish).json()
        return ada.table(made["url"])

    one, other = table("hotseat"), table("bots")
    assert one.owner == other.owner != bruno.table(bruno.create(seat=0)).owner
    assert not one.holders, "no browser sits there"
    assert not one.eyes("anybody").host
