"""Sequence numbers, presence and bots: what changes for whom, and when."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

import bottega
from bottega.bots.search import SearchBot
from bottega.engine.match import Action, Match
from bottega.table.playing import levels
from bottega.table.playing.table import Eyes
from bottega.table.web.events import updates
from tests.table.conftest import QUICK, Welcome
from tests.table.guests import Guest
from tests.table.test_undo import friends, unpaid


def wait_for(condition: Any, seconds: float = 20) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)


def test_each_viewer_has_a_number_that_changes_with_what_they_see(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    numbers = ada.seq(url), bruno.seq(url)
    assert (ada.seq(url), bruno.seq(url)) == numbers, "looking changes nothing"
    ada.take(url)
    assert ada.seq(url) != numbers[0]
    assert bruno.seq(url) != numbers[1]


def test_others_private_steps_change_no_number(ada: Guest, bruno: Guest, carla: Guest) -> None:
    url = unpaid(ada, bruno)
    match = ada.match(url)
    payer = [ada, bruno][match.waiting[0]]
    others = [bruno if payer is ada else ada, carla]
    ada.must(f"{url}/undo") if payer is ada else bruno.must(f"{url}/undo")
    key = match.moves[-1].key
    before = [guest.seq(url) for guest in others]
    homes = [guest.page("/") for guest in others]
    mine = payer.seq(url)
    assert payer.choose(url, key).status_code == 200
    assert payer.seq(url) != mine
    assert [guest.seq(url) for guest in others] == before
    assert [guest.page("/") for guest in others] == homes
    assert payer.choose(url, "settle").status_code == 200
    assert all(guest.seq(url) != number for guest, number in zip(others, before, strict=True))


def test_talk_does_not_make_a_decision_stale(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    seq = ada.seq(url)
    bruno.must(f"{url}/chat", text="Hello <script>alert(1)</script>")
    assert ada.seq(url) != seq
    page = ada.page(url)
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    ada.take(url, seq=seq)
    stale = bruno.choose(url, "take-white-blue-green", seq=0)
    assert stale.status_code == 409


def test_a_new_name_does_not_make_a_decision_stale(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", invite="one-link", seat=0)
    ada.page(url)
    seq = ada.seq(url)
    bruno.must(f"{url}/join", name="Bruno")
    assert ada.seq(url) != seq, "it is seen"
    answer = ada.choose(url, "take-white-blue-green", seq=seq)
    assert answer.status_code == 200, answer.text


def test_a_sealed_choice_of_another_does_not_make_a_decision_stale(
    ada: Guest, bruno: Guest
) -> None:
    url = friends(ada, bruno, game="artificium")
    for guest in (ada, bruno):
        assert guest.choose(url, "pass").status_code == 200
    card = next(a.key for a in ada.match(url).legal(0) if a.key.startswith("play-"))
    seq = ada.seq(url)
    assert bruno.choose(url, "pass").status_code == 200
    assert ada.seq(url) != seq, "that Bruno has chosen is seen"
    assert ada.choose(url, card, seq=seq).status_code == 200
    again = ada.choose(url, "resolve", seq=seq)
    assert again.status_code == 409, "what was revealed must be looked at"


def test_a_second_private_step_needs_a_second_look(ada: Guest, bruno: Guest) -> None:
    """Two decisions from one page: the second was not made on what it would change."""
    url = friends(ada, bruno, game="renaissance-man")
    seq = ada.seq(url)
    assert ada.choose(url, "set-merchant", seq=seq).status_code == 200
    assert ada.choose(url, "set-scholar", seq=seq).status_code == 409
    assert len(ada.match(url).moves) == 1


def test_a_second_click_is_stale_and_changes_nothing(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    seq = ada.seq(url)
    ada.take(url, seq=seq)
    again = ada.choose(url, "take-white-blue-green", seq=seq)
    assert again.status_code == 409
    assert len(ada.match(url).moves) == 1


def test_a_number_follows_from_what_is_seen_and_from_nothing_else(ada: Guest) -> None:
    """A table that is loaded again, as by another process, has the same one."""
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    ada.take(url)
    before = ada.seq(url)
    ada.tables.known.clear()
    assert ada.seq(url) == before


def test_tables_in_memory_are_few_and_the_idle_ones_go(tmp_path: Any, welcome: Welcome) -> None:
    ada = welcome()
    object.__setattr__(ada.tables.settings, "capacity", 3)
    urls = [ada.create(mode="hotseat") for _ in range(6)]
    assert len(ada.tables.known) == 3
    states = [ada.match(url).state() for url in urls]
    assert len(ada.tables.known) == 3
    assert [ada.match(url).state() for url in urls] == states


# Bots


class SlowBot:
    """Thinks until it is told to stop."""

    name = "slow"

    def __init__(self) -> None:
        self.thinking = threading.Event()
        self.enough = threading.Event()
        self.asked = 0

    def choose(self, match: Match, seat: int) -> Action:
        self.asked += 1
        self.thinking.set()
        assert self.enough.wait(30)
        return match.legal(seat)[0]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowBot:
    bot = SlowBot()
    monkeypatch.setattr(levels, "player", lambda *_: bot)
    return bot


def test_a_thinking_bot_blocks_nobody(ada: Guest, bruno: Guest, slow: SlowBot) -> None:
    url = ada.create(mode="bots", seat=1)
    assert slow.thinking.wait(20)
    began = time.monotonic()
    assert "thinks" in ada.page(url)
    other = bruno.create(mode="hotseat", seat=0)
    bruno.must(f"{other}/ready")
    bruno.take(other)
    assert time.monotonic() - began < 10
    assert ada.match(url).moves == ()
    slow.enough.set()
    wait_for(lambda: len(ada.match(url).moves) == 1)
    assert ada.match(url).waiting == [1]


def test_a_bots_thought_is_dropped_when_something_is_taken_back(ada: Guest, slow: SlowBot) -> None:
    url = ada.create(mode="bots", seat=0)
    ada.take(url)
    assert slow.thinking.wait(20)
    ada.must(f"{url}/undo")
    assert ada.match(url).moves == ()
    slow.enough.set()
    wait_for(lambda: not ada.table(url).thinkers)
    assert ada.match(url).moves == ()
    ada.take(url)
    wait_for(lambda: len(ada.match(url).moves) >= 2)


def test_a_bot_stops_searching_when_its_task_ends(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the server closes: nobody waits for the rest of its minute."""
    bot = SearchBot(1, seconds=60)
    monkeypatch.setattr(levels, "player", lambda *_: bot)
    url = ada.create(mode="bots", seat=1)
    wait_for(lambda: bool(bot._trees) and bot._trees[0].done > 0)
    task = ada.table(url).thinkers[0]
    task.get_loop().call_soon_threadsafe(task.cancel)
    wait_for(lambda: bool(bot._stop[0]))


def test_a_bot_that_fails_decides_at_random(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    real = levels.player

    class Broken:
        name = "broken"

        def choose(self, *_: object) -> Action:
            raise RuntimeError("out of ideas")

    monkeypatch.setattr(
        levels, "player", lambda name, seed: real(name, seed) if name == "random" else Broken()
    )
    url = ada.create(mode="bots", seat=1, bot="search-2")
    wait_for(lambda: len(ada.match(url).moves) >= 1)


@pytest.mark.parametrize("game", bottega.games())
def test_bots_play_a_whole_game(ada: Guest, game: str) -> None:
    players = min(3, bottega.game(game).seats[1])
    url = ada.create(game=game, mode="watch", players=players, bot="search-2", seat="random")
    wait_for(lambda: ada.match(url).over, 100)
    page = ada.page(url)
    assert str(ada.match(url).seed) in page
    stored = ada.run(ada.tables.store.load, ada.table(url).id)
    assert stored is not None
    assert stored.entry.over
    assert stored.entry.length == len(stored.moves) == len(ada.match(url).moves)


class TestPause:
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {**QUICK, "pause": 0.4}

    def test_a_bot_takes_a_natural_pause(self, ada: Guest) -> None:
        began = time.monotonic()
        url = ada.create(mode="bots", seat=1, bot="random")
        assert ada.match(url).moves == ()
        wait_for(lambda: len(ada.match(url).moves) == 1)
        assert time.monotonic() - began >= 0.4


def test_the_seed_is_promised_first_and_shown_at_the_end(ada: Guest) -> None:
    url = ada.create(mode="watch", bot="random")
    table = ada.table(url)
    assert table.match.seed_hash[:16] in ada.page(url)
    wait_for(lambda: ada.match(url).over, 60)
    view = ada.get(f"/api/v1/tables/{table.id}/view").json()
    assert view["seed"] == str(table.match.seed)
    assert view["seed_hash"] == ada.match(url).seed_hash


def test_a_stream_ends_when_the_link_of_its_seat_is_made_anew(
    ada: Guest, bruno: Guest, carla: Guest
) -> None:
    """Whoever does not hold the seat any more hears nothing of what it sees."""
    url = friends(ada, bruno)
    carla.must(f"{url}/seat", link=bruno.token(url, 1))
    table = ada.table(url)
    heard: dict[str, list[str]] = {"0": [], "1": [], "": []}

    async def listen(seat: str, eyes: Eyes) -> None:
        async for event in updates(ada.tables, table, eyes, None, ""):
            heard[seat].append(event.event or "")
        heard[seat].append("end")

    async def listening(seat: str, eyes: Eyes) -> asyncio.Task[None]:
        return asyncio.create_task(listen(seat, eyes))

    async def cancel(task: asyncio.Task[None]) -> None:
        task.cancel()

    eyes = {"0": table.eyes(None, 0), "1": table.eyes(None, 1), "": Eyes()}
    tasks = [ada.run(listening, *one) for one in eyes.items()]
    wait_for(lambda: all(heard.values()))
    bruno.must(f"{url}/link", seat=1)
    wait_for(lambda: "end" in heard["1"])
    assert heard["1"][-2:] == ["renewed", "end"]
    assert not {"renewed", "end"} & {*heard["0"], *heard[""]}
    assert not table.knows(eyes["1"])
    assert 'data-seat=""' in carla.page(url)
    for task in tasks:
        ada.run(cancel, task)
