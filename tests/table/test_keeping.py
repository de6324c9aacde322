"""What is kept of tables, how, and for how long."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import time
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

import bottega
from bottega.engine.match import Match
from bottega.games import _added
from bottega.table.backroom import Backroom
from bottega.table.database.rows import Loaded, Seat
from bottega.table.database.schema import TABLES
from bottega.table.database.store import SAID_KEPT, Store
from bottega.table.database.upkeep import Kept, Upkeep
from bottega.table.playing import keeping, people, replays, sequels
from bottega.table.playing import table as one_table
from bottega.table.playing import tables as all_tables
from bottega.table.playing.keeping import DAY, FINISHED, PACKED, RUNNING, UNPLAYED
from tests.table.conftest import QUICK
from tests.table.databases import Database
from tests.table.guests import Guest, finish
from tests.table.test_store import kept


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {**QUICK, **getattr(request, "param", {})}


def age(database: Database, days: float, url: str = "") -> None:
    """Nobody was at a table, or at any, for so many days."""
    then = time.time() - days * DAY
    aged = sa.update(TABLES).values(changed=then, looked=then)
    database.execute(aged.where(TABLES.c.id == url.split("/")[2]) if url else aged)


def look_after(guest: Guest) -> Counter[str]:
    """What is done with tables that are in nobody's memory."""
    guest.tables.known.clear()
    return guest.run(keeping.look_after, guest.tables, 0)


def stored(guest: Guest, url: str) -> Loaded:
    loaded = guest.run(guest.tables.store.load, url.split("/")[2])
    assert loaded is not None
    return loaded


def rows(database: Database, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {table}")[0][0])


def opened(guest: Guest, match: Match) -> str:
    answer = guest.send("/open", files={"file": ("game.txt", match.save().encode(), "text/plain")})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["url"]).removesuffix("/replay")


# Packed


def test_an_ended_table_is_packed_and_comes_back_to_the_byte(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, running = (ada.create(mode="hotseat", seat=0, names=["Ada", "Bo"]) for _ in range(2))
    finish(ada, url)
    ada.must(f"{running}/ready")
    ada.take(running)
    game = bottega.game("splendor")
    mended = dataclasses.replace(game, rules_version=game.rules_version + 1)
    monkeypatch.setitem(_added, "splendor", mended)
    database.execute("UPDATE moves SET rules = rules + 1 WHERE number > 20")
    ada.tables.known.clear()
    before = stored(ada, url)
    pages = [ada.page(f"{url}{more}") for more in ("", "/replay?at=27&by=1")]
    notation = ada.get(f"{url}/notation").text
    assert "The rules were mended" in notation
    assert not look_after(ada), "somebody may want to look again soon"
    age(database, 2)
    assert look_after(ada) == {PACKED: 1}
    assert rows(database, "moves") == 1, "those of the running one"
    assert rows(database, "archives") == 1
    after = stored(ada, url)
    assert after.moves == before.moves
    assert after.entry.start == before.entry.start
    assert after.entry.version == before.entry.version
    assert [ada.page(f"{url}{more}") for more in ("", "/replay?at=27&by=1")] == pages
    assert ada.get(f"{url}/notation").text == notation
    assert ada.must(f"{url}/fork", at=4, seat=0, bot="random")["url"]
    assert ada.must(f"{url}/rematch")["url"]
    assert not look_after(ada), "it is packed already"


def test_what_is_known_of_a_packed_table_is_not_read_again(ada: Guest, database: Database) -> None:
    url = ada.create(mode="hotseat", seat=0)
    finish(ada, url)
    table = ada.table(url)
    age(database, 2)
    assert look_after(ada) == {PACKED: 1}
    more = ada.run(ada.tables.store.load, table.id, table.entry)
    assert more.moves == []
    part = dataclasses.replace(table.entry, length=table.entry.length - 2)
    assert ada.run(ada.tables.store.load, table.id, part).moves == stored(ada, url).moves[-2:]
    ada.tables.known[table.id] = table
    ada.must(f"{url}/rematch")
    assert ada.get(f"{url}/replay?at=2").status_code == 200


def test_a_table_that_changed_meanwhile_is_neither_packed_nor_removed(
    ada: Guest, database: Database
) -> None:
    url = ada.create(mode="hotseat", seat=0)
    finish(ada, url)
    upkeep = Upkeep(ada.tables.store)
    (table,) = ada.run(upkeep.after, "")
    ada.must(f"{url}/rematch")
    before = kept(database)
    assert not ada.run(upkeep.pack, table, b"")
    assert not ada.run(upkeep.remove, table)
    assert kept(database) == before


def test_a_server_of_before_leaves_a_packed_table_alone(ada: Guest, database: Database) -> None:
    """It does not know of the archive: to it there are no moves."""
    url = ada.create(mode="hotseat", seat=0)
    finish(ada, url)
    age(database, 2)
    assert look_after(ada) == {PACKED: 1}
    database.execute("DELETE FROM archives")
    before = kept(database)
    assert ada.get(url).status_code == 409
    assert ada.choose(url, "take-white-blue-green").status_code == 409
    assert kept(database) == before


# Removed


def test_what_players_care_about_stays(ada: Guest, bruno: Guest, database: Database) -> None:
    begun = ada.create(mode="hotseat", seat=0)
    ada.must(f"{begun}/ready")
    ada.take(begun)
    over = ada.create(mode="hotseat", seat=0)
    finish(ada, over)
    never = ada.create(mode="friends", seat=0)
    notation = opened(bruno, ada.match(over))
    age(database, 29)
    assert look_after(ada) == {PACKED: 2}, "a packed one is kept"
    age(database, 10_000)
    assert look_after(ada) == {UNPLAYED: 2}
    for url in (never, notation):
        answer = bruno.get(url)
        assert answer.status_code == 404
        assert "cleared away" in answer.text
    for url in (begun, over):
        assert ada.get(url).status_code == 200
    assert never not in ada.page("/")


@pytest.mark.parametrize("settings", [{"keep_finished": 5, "keep_running": 7}], indirect=True)
def test_a_host_may_have_other_tables_go(ada: Guest, database: Database) -> None:
    begun = ada.create(mode="hotseat", seat=0)
    ada.must(f"{begun}/ready")
    ada.take(begun)
    over = ada.create(mode="hotseat", seat=0)
    finish(ada, over)
    age(database, 6)
    assert look_after(ada) == {FINISHED: 1}
    age(database, 8)
    assert look_after(ada) == {RUNNING: 1}
    own = ("tables", "seats", "holders", "moves", "archives", "visitors", "jobs", "chat")
    assert [rows(database, name) for name in own] == [0] * len(own)


def test_a_name_goes_with_the_last_table(ada: Guest, bruno: Guest, database: Database) -> None:
    first = ada.create(mode="friends", seat=0, name="Ada")
    bruno.get(ada.link(first, 1))
    bruno.must(f"{first}/name", name="Bruno")
    ada.create(mode="friends", seat=0, name="Ada")
    age(database, 31, first)
    assert look_after(ada) == {UNPLAYED: 1}
    assert database.execute("SELECT name FROM visitors") == [("Ada",)]
    age(database, 31)
    assert look_after(ada) == {UNPLAYED: 1}
    assert rows(database, "visitors") == 0


def test_where_somebody_looks_nothing_goes(ada: Guest, database: Database) -> None:
    url = ada.create(mode="friends", seat=0)
    name = url.split("/")[2]
    age(database, 31)
    assert not ada.run(keeping.look_after, ada.tables, 0), "it is in memory, just looked at"
    ada.run(ada.tables.store.note_looks, [name])
    assert not look_after(ada)
    age(database, 31)
    (seen,) = ada.run(Upkeep(ada.tables.store).after, "")
    ada.run(ada.tables.store.note_looks, [name])
    assert not ada.run(Upkeep(ada.tables.store).remove, seen), "somebody came in between"
    assert ada.get(url).status_code == 200


@pytest.mark.sqlite_only
def test_one_server_notes_who_looks(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ada.create(mode="friends", seat=0)
    age(database, 31)
    ada.get(url)
    monkeypatch.setattr(all_tables, "NOTED", 2.0)

    async def note() -> None:
        noting = asyncio.create_task(ada.tables._keep_noting())
        await asyncio.sleep(3)
        noting.cancel()

    ada.run(note)
    assert not look_after(ada)


def test_all_tables_are_gone_through(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bottega.table.database.upkeep.AT_ONCE", 2)
    for _ in range(4):
        ada.create(mode="friends", seat=0)
    wish = {"game": "splendor", "players": 2, "mode": "friends"}
    assert ada.client.post("/api/v1/tables", json=wish).status_code == 201, "nobody's"
    age(database, 31)
    assert look_after(ada) == {UNPLAYED: 5}


def test_one_process_at_a_time_looks_after_tables(ada: Guest, database: Database) -> None:
    if database.kind == "sqlite":
        pytest.skip("there is one process")
    ada.create(mode="friends", seat=0)
    age(database, 31)
    ada.tables.known.clear()

    async def meanwhile() -> Counter[str]:
        other = Store(database.url)
        try:
            async with Upkeep(other).alone() as mine:
                assert mine
                return await keeping.look_after(ada.tables, 0)
        finally:
            await other.close()

    assert not ada.run(meanwhile)
    assert look_after(ada) == {UNPLAYED: 1}, "and afterwards it may"


def test_what_decides() -> None:
    settings = dataclasses.replace(all_tables.Settings(data=None))  # type: ignore[arg-type]
    now = 1000 * DAY
    table = Kept("x", "friends", True, 9, 1, changed=now - 99 * DAY, looked=now, packed=False)
    assert not keeping.rests(table, now), "somebody looks"
    old = dataclasses.replace(table, looked=0.0)
    assert keeping.rests(old, now)
    assert not keeping.rests(dataclasses.replace(old, over=False), now)
    assert not keeping.rests(dataclasses.replace(old, packed=True), now)
    assert keeping.outlived(dataclasses.replace(old, length=0), settings, now) == UNPLAYED
    assert not keeping.outlived(dataclasses.replace(table, length=0), settings, now)
    assert not keeping.outlived(old, settings, now)


# Bounded


def test_a_long_table_takes_the_room_of_several(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_table, "USUAL", 10)
    tables = ada.tables
    object.__setattr__(tables.settings, "capacity", 8)
    urls = [ada.create(mode="hotseat", seat=0) for _ in range(10)]
    assert len(tables.known) == 8
    finish(ada, urls[-1])
    ada.create(mode="hotseat", seat=0)
    assert len(tables.known) <= 4
    assert sum(table.size for table in tables.known.values()) <= 8
    assert all(ada.get(url).status_code == 200 for url in urls)


def test_of_talk_only_what_is_shown_is_kept(ada: Guest, database: Database) -> None:
    url = ada.create(mode="friends", seat=0)
    table = ada.table(url)
    eyes = table.eyes(next(holder for holder, _ in table.holders))

    async def talk() -> None:
        for number in range(SAID_KEPT + 5):
            await people.say(ada.tables, table, eyes, "", f"word {number}")

    ada.run(talk)
    assert rows(database, "chat") == SAID_KEPT
    assert stored(ada, url).chat == table.chat
    assert table.chat[-1].text == f"word {SAID_KEPT + 4}"


def endless(decisions: int) -> Match:
    """A game in which everybody waits."""
    match = bottega.game("splendor").new(2, seed=5, names=["Ada", "Bruno"])
    while len(match.moves) < decisions:
        legal = match.legal(match.waiting[0])
        idle = [one for one in legal if one.key.startswith(("take", "return"))]
        match.play(match.waiting[0], (idle or legal)[0])
    return match


def test_a_notation_with_too_many_decisions_is_refused(
    ada: Guest, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = endless(12)
    monkeypatch.setattr(sequels, "MOST_DECISIONS", 11)
    before = database.everything()
    files = {"file": ("game.txt", match.save().replace("\n", "\r").encode(), "text/plain")}
    answer = ada.send("/open", files=files)
    assert answer.status_code == 413
    assert "has 12 decisions. A table takes 11" in answer.json()["error"]
    assert database.everything() == before
    monkeypatch.setattr(sequels, "MOST_DECISIONS", 12)
    assert opened(ada, match)


def test_a_table_has_so_many_decisions(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (one_table, all_tables):
        monkeypatch.setattr(module, "MOST_DECISIONS", 3)
    url = ada.create(mode="hotseat", seat=0)
    for _ in range(3):
        ada.send(f"{url}/ready")
        ada.take(url)
    ada.send(f"{url}/ready")
    answer = ada.choose(url, "take-white-blue-green")
    assert answer.status_code == 409
    assert "no table has more" in answer.json()["error"]
    bots = [Seat("bot", "random")] * 2
    assert one_table.due_bots(ada.match(url), bots) == [], "bots do not try"
    ada.must(f"{url}/undo")


def test_a_page_of_a_replay_shows_the_latest_lines(
    ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "LEAP", 5)
    match = endless(30)
    url = opened(ada, match)
    log = [line.text for line in match.log(None)]
    for at in (3, 12, 30):
        page = ada.page(f"{url}/replay?at={at}")
        shown = [int(number) for number in re.findall(r'id="line-(\d+)"', page)]
        told = len(match.at(at).log(None))
        first = max(0, told // 5 - 1) * 5
        assert shown == list(range(told, first, -1))
        before = re.search(r'data-step="(\d+)">What was before', page)
        assert bool(before) == bool(first)
        if before:
            earlier = ada.page(f"{url}/replay?at={before[1]}")
            assert f'id="line-{first}"' in earlier, "one goes on from where the page ended"
            assert log[first - 1].split()[-1].strip(".") in earlier


def test_work_in_the_back_is_done_in_turns() -> None:
    """Who brings much waits for it, and nobody else does."""
    done: list[str] = []

    async def all_at_once() -> None:
        room = Backroom("test", 1, 0)
        work = ["ada"] * 5 + ["bo"]
        await asyncio.gather(*(room.do(owner, done.append, owner) for owner in work))
        room.close()

    asyncio.run(all_at_once())
    assert done.index("bo") <= 2
    assert len(done) == 6
