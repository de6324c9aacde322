"""Several processes on one PostgreSQL: any of them answers any request, and what one does all hear.

Most of these tests have two servers in this process, which share nothing but the database. Real
processes are killed at the end.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from starlette.testclient import TestClient

from bottega.engine.game import Game
from bottega.table.database.processes import say_alive
from bottega.table.database.schema import JOBS, MOVES, PRESENCE, PROCESSES, TABLES
from bottega.table.playing import table as playing_table
from bottega.table.server.app import create_app
from bottega.table.web.events import updates
from tests.games.properties import twin
from tests.postgres import Postgres, apart
from tests.table.conftest import QUICK
from tests.table.databases import Database
from tests.table.guests import Guest, finish
from tests.table.servers import Server
from tests.table.test_live import wait_for
from tests.table.test_twins import GAMES, compare, room, steps, story

Open = Callable[..., Guest]  # a server, and somebody who has come to it


@pytest.fixture
def shared(postgres: Postgres, pattern: str) -> Iterator[Database]:
    url = postgres.fresh(like=pattern)
    yield Database(url)
    postgres.drop(url)


@pytest.fixture
def serve(shared: Database, tmp_path: Path) -> Iterator[Open]:
    """Opens one server after another on the same database."""
    with ExitStack() as servers:

        def another(**settings: Any) -> Guest:
            app = create_app(tmp_path, database=shared.url, **{**QUICK, **settings})
            client = TestClient(app, raise_server_exceptions=False)
            return Guest(servers.enter_context(client))

        yield another


@pytest.fixture
def ada(serve: Open) -> Guest:
    return serve()


@pytest.fixture
def bruno(serve: Open) -> Guest:
    return serve()


def friends(ada: Guest, bruno: Guest, **fields: Any) -> str:
    url = ada.create(mode="friends", invite="one-link", players=2, seat=0, name="Ada", **fields)
    bruno.must(f"{url}/join", name="Bruno")
    return url


def test_whoever_asks_sees_what_was_done_anywhere(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    assert ada.match(url).names == ("Ada", "Bruno")
    for number in range(6):
        [ada, bruno][number % 2].take(url)
        assert len(ada.match(url).moves) == len(bruno.match(url).moves) == number + 1
    assert ada.match(url).state() == bruno.match(url).state()
    assert [line.text for line in ada.match(url).log(0)] == [
        line.text for line in bruno.match(url).log(0)
    ]
    bruno.must(f"{url}/chat", text="Good game")
    bruno.must(f"{url}/name", name="Bice", seat=1)
    assert "Good game" in ada.page(url)
    assert "Bice takes" in ada.page(url)


def test_taking_back_is_agreed_on_across_processes(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    ada.take(url)
    bruno.take(url)
    ada.must(f"{url}/undo")
    assert "Ada would like to take back" in bruno.page(url)
    bruno.must(f"{url}/undo/answer", answer="yes")
    assert ada.match(url).moves == bruno.match(url).moves == ()
    ada.take(url)
    assert len(bruno.match(url).moves) == 1, "what was taken back does not come back"


def test_a_page_has_the_same_number_at_every_process(ada: Guest, bruno: Guest) -> None:
    """So a browser may load its board here and hear its events there."""
    url = friends(ada, bruno)
    ada.take(url)
    key = {"authorization": f"Bearer {ada.link(url, 1).split('=')[1]}"}
    for path in ("view", "legal", "log"):
        address = f"/api/v1/tables/{url[3:]}/{path}"
        assert ada.get(address, headers=key).json() == bruno.get(address, headers=key).json()


def test_a_new_link_makes_the_old_one_useless_at_every_process(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", seat=0, name="Ada")
    old = ada.token(url, 1)
    bruno.must(f"{url}/seat", link=old)
    assert 'data-seat="1"' in bruno.page(url)
    ada.must(f"{url}/link", seat=1)  # which bruno has only looked at, not taken
    assert bruno.send(f"{url}/seat", link=old).status_code == 403
    assert 'data-seat=""' in bruno.page(url)
    assert bruno.token(url, 1) == ada.token(url, 1) != old
    bruno.must(f"{url}/seat", link=ada.token(url, 1))
    bruno.must(f"{url}/chat", text="Here I am")
    assert ada.send(f"{url}/link", seat=1).status_code == 403, "it is Bruno's now"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_twin_worlds_at_two_processes(
    serve: Open, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a viewer is sent depends neither on what they cannot know nor on who answers."""
    # Events come at once, and nobody is seen leaving, in the middle of a comparison.
    monkeypatch.setattr(playing_table, "TELL_AFTER", 0)
    here, there = serve(absence=60), serve(absence=60)
    url, guests, options = room(lambda: beside(here), game)
    for guest in guests:
        guest.page("/")
    doubles = [beside(there, guest) for guest in guests]
    tables = [here.table(url), there.table(url)]
    players = tables[0].match.players
    chance = random.Random(3)
    match = game.new(players, seed=4, names=tables[0].match.names, **options)
    for number in range(24):
        actor = chance.choice(match.waiting)
        match.play(actor, chance.choice(match.legal_numbers(actor)))
        if match.over or number % 6:
            continue
        at = (number // 6) % (players + 1)
        seat = at if at < players else None
        visitor = next((who for who, held in tables[0].holders if held == seat), "nobody")
        eyes = tables[0].eyes(visitor)
        worlds = [twin(match, seat, world) for world in (1, 2)]
        worlds[1]._table["rng"] = worlds[0]._table["rng"]
        moves = steps(*worlds, seat, chance)
        sent = [
            story(guest, url, table, eyes, seat, world, moves)
            for guest, table, world in zip((guests[at], doubles[at]), tables, worlds, strict=True)
        ]
        compare(*sent)


def beside(guest: Guest, like: Guest | None = None) -> Guest:
    """Another browser at the same server; or one that is known elsewhere."""
    client = TestClient(guest.client.app, raise_server_exceptions=False)
    client.portal = guest.client.portal
    if like is not None:
        client.cookies = like.client.cookies
    return Guest(client)


def test_of_two_who_move_at_once_one_is_first(ada: Guest, bruno: Guest, shared: Database) -> None:
    """Both have seen the same; both decisions cannot count. Nothing is lost, and none twice."""
    url = ada.create(mode="hotseat", players=2, seat=0)
    ada.must(f"{url}/ready")
    bruno = beside(bruno, ada)
    for guest in (ada, bruno):
        guest.page("/")
    seq = ada.seq(url)
    keys = [a.key for a in ada.match(url).legal(0) if a.key.startswith("take")][:2]
    start = threading.Barrier(2)
    answers: dict[str, int] = {}

    def click(guest: Guest, key: str) -> None:
        start.wait()
        answers[key] = guest.choose(url, key, seq=seq).status_code

    clicks = [
        threading.Thread(target=click, args=pair) for pair in zip((ada, bruno), keys, strict=True)
    ]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()
    assert sorted(answers.values()) == [200, 409]
    (played,) = shared.execute(sa.select(MOVES.c.action))
    assert answers[played[0]] == 200


def test_two_who_sit_down_at_once_get_two_seats(serve: Open) -> None:
    ada, *others = (serve() for _ in range(3))
    url = ada.create(mode="friends", invite="one-link", players=3, seat=0, name="Ada")
    for guest in others:
        guest.page(url)
    start = threading.Barrier(2)

    def come(guest: Guest) -> None:
        start.wait()
        guest.must(f"{url}/join", name="Guest")

    comers = [threading.Thread(target=come, args=[guest]) for guest in others]
    for thread in comers:
        thread.start()
    for thread in comers:
        thread.join()
    held = sorted(seat for _, seat in ada.table(url).holders)
    assert held == [0, 1, 2]
    assert sorted(ada.match(url).names) == ["Ada", "Guest", "Guest 2"]


class Ear:
    """Listens to a table's events at one server."""

    def __init__(self, guest: Guest, url: str, seat: int | None = None) -> None:
        self.heard: list[str] = []
        self.guest = guest
        self.table = guest.table(url)
        self.eyes = self.table.eyes(None, seat)
        guest.run(self._begin)

    async def _begin(self) -> None:
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for event in updates(self.guest.tables, self.table, self.eyes, None, ""):
            self.heard.append(str(event.data))

    @property
    def seq(self) -> int:
        async def look() -> int:
            return self.table.viewer(self.eyes).seq

        return self.guest.run(look)

    def close(self) -> None:
        async def cancel() -> None:
            self.task.cancel()

        self.guest.run(cancel)


def test_who_listens_here_hears_what_is_done_there(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    ear = Ear(bruno, url)
    wait_for(lambda: len(ear.heard) == 1)
    ada.take(url)
    wait_for(lambda: len(ear.heard) == 2, 5)
    assert ear.heard[-1] == str(ear.seq)
    assert len(ear.table.match.moves) == 1
    ear.close()


def test_who_listens_here_with_an_old_token_is_sent_away_from_there(
    ada: Guest, bruno: Guest
) -> None:
    url = friends(ada, bruno)
    ear, beside = Ear(bruno, url, seat=1), Ear(bruno, url)
    wait_for(lambda: ear.heard and beside.heard)
    key = {"authorization": f"Bearer {ada.token(url, 1)}"}
    assert ada.client.post(f"/api/v1/tables{url[2:]}/token", headers=key).status_code == 200
    wait_for(ear.task.done)
    assert not beside.task.done()
    assert bruno.get(f"/api/v1/tables{url[2:]}/view", headers=key).status_code == 401
    assert 'data-seat=""' in bruno.page(url), "a new token is for whoever has it alone"
    beside.close()


def test_who_missed_a_signal_catches_up(ada: Guest, bruno: Guest, postgres: Postgres) -> None:
    """Every connection is cut, that of the signals too; a move is made before it is there again."""
    url = friends(ada, bruno)
    ear = Ear(bruno, url)
    wait_for(lambda: len(ear.heard) == 1)
    postgres.tell(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname LIKE 'test%' AND pid <> pg_backend_pid()"
    )
    ada.take(url)
    wait_for(lambda: len(ear.heard) == 2, 15)
    assert len(ear.table.match.moves) == 1
    ear.close()


def test_who_is_here_is_seen_everywhere(ada: Guest, bruno: Guest, shared: Database) -> None:
    url = friends(ada, bruno)

    def here(guest: Guest) -> list[bool]:
        found = guest.get(f"/api/v1/tables/{url[3:]}/view").json()["players"]
        return [player["here"] for player in found]

    ear = Ear(bruno, url)
    ear.close()
    ear.eyes = ear.table.eyes(next(iter(who for who, seat in ear.table.holders if seat == 1)))
    bruno.run(ear._begin)
    wait_for(lambda: here(ada) == [False, True])
    assert shared.execute(sa.select(PRESENCE.c.seat, PRESENCE.c.pages)) == [(1, 1)]
    ear.close()
    wait_for(lambda: here(ada) == [False, False])


def test_pages_are_opened_at_a_process_that_nobody_has_heard_of(
    ada: Guest, bruno: Guest, shared: Database
) -> None:
    """As just after its start, or when it was silent for long."""
    url = friends(ada, bruno)
    shared.execute(PROCESSES.delete())
    store = ada.tables.store
    ada.run(store.presence.say, url[3:], 0, 1)
    assert shared.execute(sa.select(PROCESSES.c.id)) == [(store.process,)]
    assert shared.execute(sa.select(PRESENCE.c.seat, PRESENCE.c.pages)) == [(0, 1)]


def test_a_process_that_was_silent_says_again_who_is_there(
    ada: Guest, bruno: Guest, shared: Database
) -> None:
    """The others forgot it, as they do after half a minute."""
    url = friends(ada, bruno)
    bruno.run(bruno.tables._beat)
    ear = Ear(bruno, url)
    ear.close()
    ear.eyes = ear.table.eyes(next(iter(who for who, seat in ear.table.holders if seat == 1)))
    bruno.run(ear._begin)
    seen = sa.select(PRESENCE.c.seat, PRESENCE.c.pages)
    wait_for(lambda: shared.execute(seen) == [(1, 1)])
    shared.execute(PROCESSES.delete())
    assert shared.execute(seen) == []
    bruno.run(bruno.tables._beat)
    assert shared.execute(seen) == [(1, 1)]
    ear.close()


def test_who_come_back_at_once_do_not_wait_for_each_other(shared: Database) -> None:
    """Two processes that were silent forget each other, or do not; neither stands in the way."""
    for name in "ab":
        shared.execute(PROCESSES.insert().values(id=name, alive=0.0))

    async def come_back() -> None:
        engine = create_async_engine(shared.url, poolclass=NullPool)
        both = asyncio.Barrier(2)

        async def one(name: str) -> None:
            async with engine.begin() as db:
                again = sa.update(PROCESSES).where(PROCESSES.c.id == name).values(alive=0.0)
                await db.execute(again)  # the row is locked, and silent as far as others see
                await both.wait()
                await say_alive(db, name)

        await asyncio.gather(one("a"), one("b"))

    apart(come_back())
    assert sorted(shared.execute(sa.select(PROCESSES.c.id))) == [("a",), ("b",)]


def test_a_process_that_ends_takes_its_pages_with_it(
    serve: Open, shared: Database, tmp_path: Path
) -> None:
    ada = serve()
    app = create_app(tmp_path, database=shared.url, **QUICK)
    with TestClient(app) as client:
        bruno = Guest(client)
        url = friends(ada, bruno)
        bruno.run(bruno.tables.store.presence.say, url[3:], 1, 1)
        assert ada.run(ada.tables.store.presence.elsewhere, url[3:]) == {1: 1}
    assert ada.run(ada.tables.store.presence.elsewhere, url[3:]) == {}


# Thinking


def test_a_bot_plays_once_whoever_has_it_think(ada: Guest, bruno: Guest, shared: Database) -> None:
    url = ada.create(mode="watch", players=3, bot="random")
    wait_for(lambda: (ada if random.random() < 0.5 else bruno).match(url).over, 60)
    rows = shared.execute(sa.select(MOVES.c.number).order_by(MOVES.c.number))
    assert [number for (number,) in rows] == list(range(1, len(rows) + 1))
    assert ada.match(url).state() == bruno.match(url).state()
    wait_for(lambda: shared.execute(sa.select(JOBS.c.id).where(JOBS.c.kind == "decision")) == [])


def test_what_a_dead_process_thought_about_another_one_takes(serve: Open, shared: Database) -> None:
    ada = serve(think=False)
    url = ada.create(mode="bots", seat=1, bot="random")
    assert shared.execute(sa.select(JOBS.c.kind, JOBS.c.seat)) == [("decision", 0)]
    soon = sa.func.extract("epoch", sa.func.now()) + 2
    shared.execute(sa.update(JOBS).values(worker="dead", until=soon))
    bruno = serve()
    assert bruno.match(url).moves == (), "it is held by another one still"
    wait_for(lambda: len(ada.match(url).moves) == 1)


def test_a_server_need_not_think_itself(serve: Open, shared: Database, tmp_path: Path) -> None:
    """Bots, hints and the analysis of an ended game come from `bottega think`."""
    ada = serve(think=False, study=1.0)
    thinker = Server(tmp_path, shared.url, think=0, study=1.0)  # as its servers are
    url = ada.create(mode="bots", seat=1, bot="search-1")
    assert ada.match(url).moves == ()
    wait_for(lambda: ada.run(ada.tables.store.jobs.waiting) == {"decision": 1})
    with a_thinker(thinker) as process:
        try:
            wait_for(lambda: len(ada.match(url).moves) == 1, 60)
            assert "in 100" in ada.page(f"{url}/hint") or "first sight" in ada.page(f"{url}/hint")
            ended = ada.create(mode="hotseat", seat=0)
            finish(ada, ended)
            ada.page(ended)
            wait_for(lambda: ada.table(ended).study.findings is not None, 60)  # type: ignore[union-attr]
        finally:
            process.terminate()
        assert process.wait(20) == 0


def a_thinker(like: Server) -> subprocess.Popen[str]:
    """`bottega think` for these servers, when it has begun."""
    command = [sys.executable, "-m", "bottega", "think", "--data", like.environment["BOTTEGA_DATA"]]
    process = subprocess.Popen(command, env=like.environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "Bottega thinks" in process.stderr.readline()
    return process


def test_a_thinker_is_killed_in_the_middle_of_a_thought(
    serve: Open, shared: Database, tmp_path: Path
) -> None:
    """Another one thinks it again, and the bot decides once."""
    ada = serve(think=False)
    url = ada.create(mode="bots", seat=1, bot="search-5")
    long = Server(tmp_path, shared.url, pause=3600)  # with its pause it is at it for an hour
    taken = sa.select(JOBS.c.worker).where(JOBS.c.until > sa.func.extract("epoch", sa.func.now()))
    with a_thinker(long) as first:
        wait_for(lambda: len(shared.execute(taken)) == 1, 60)
        first.kill()
    assert len(shared.execute(taken)) == 1, "it is held for a while still"
    assert ada.match(url).moves == ()
    shared.execute(sa.update(JOBS).values(until=0.0))
    with a_thinker(Server(tmp_path, shared.url)) as second:
        try:
            wait_for(lambda: len(ada.match(url).moves) == 1, 90)
        finally:
            second.terminate()
    assert shared.execute(sa.select(MOVES.c.number, MOVES.c.seat)) == [(1, 0)]
    assert shared.execute(sa.select(JOBS.c.id)) == []


def test_bots_that_nobody_looks_at_wait(
    ada: Guest, shared: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ada.create(mode="watch", players=2, bot="random")
    table = ada.table(url)

    async def look_away() -> None:
        table.touched = -1e9

    assert table.due
    ada.run(look_away)
    shared.execute(sa.update(TABLES).values(looked=0.0))
    assert ada.run(ada.tables.store.looked_at, table.id) is False
    assert ada.run(ada.tables.store.jobs.take_any) is None
    shared.execute(sa.update(TABLES).values(looked=sa.func.extract("epoch", sa.func.now())))
    assert ada.run(ada.tables.store.looked_at, table.id) is True
    wait_for(lambda: ada.match(url).over, 60)


def test_a_process_does_not_take_what_it_is_at_once_more(serve: Open, shared: Database) -> None:
    """But what it gave up is taken again after a while."""
    ada = serve(think=False)  # nobody but this test takes anything
    jobs, at = ada.tables.store.jobs, ada.create(mode="hotseat", seat=0)[3:]
    ada.run(jobs.want, "study", ada.tables.known[at].entry)
    job = ada.run(jobs.take, at, "study")
    assert job is not None
    assert ada.run(jobs.take_any) is None
    until = sa.select(JOBS.c.until)
    with jobs.at(job):
        shared.execute(sa.update(JOBS).values(until=1.0))
        ada.run(jobs.hold)
        assert shared.execute(until) != [(1.0,)], "it is held as long as somebody is at it"
    shared.execute(sa.update(JOBS).values(until=1.0))
    ada.run(jobs.hold)
    assert shared.execute(until) == [(1.0,)]
    assert ada.run(jobs.take_any) == job
