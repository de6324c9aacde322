"""After the end: standings, rematch, replay, playing on, the notation."""

from __future__ import annotations

import html
import re

import pytest

import bottega
from bottega.table.database.rows import BOT, PERSON
from tests.table.guests import JSON, Guest, finish


@pytest.fixture
def url(ada: Guest) -> str:
    """A table that two people finished on one screen."""
    url = ada.create(mode="hotseat", seat=0, names=["Ada", "Bruno"])
    finish(ada, url)
    return url


def test_the_end_shows_standings_and_the_seed(ada: Guest, url: str) -> None:
    match = ada.match(url)
    page = ada.page(url)
    assert str(match.seed) in page
    assert all(f"{score}" in page for score in match.scores)
    assert match.prompt(None) in page


def plain(page: str) -> str:
    """A page's text, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def test_the_replay_shows_every_moment(ada: Guest, bruno: Guest, url: str) -> None:
    match = ada.match(url)
    for at in (0, 1, len(match.moves) // 2, len(match.moves)):
        page = plain(bruno.page(f"{url}/replay?at={at}"))
        log = [line.text for line in match.at(at).log(None)]
        assert all(text in page for text in log[-3:])
        assert ("The game is over." in page) == (at == len(match.moves))
    assert bruno.get(f"{url}/replay?at=-5").status_code == 200
    assert bruno.get(f"{url}/replay?at=99999").status_code == 200
    assert bruno.get(f"{url}/replay?at=x", headers=JSON).status_code == 422


def test_the_replay_can_be_seen_by_every_seat(ada: Guest, carla: Guest, url: str) -> None:
    match = ada.match(url)
    middle = len(match.moves) // 2
    for by in (0, 1):
        page = plain(carla.page(f"{url}/replay?at={middle}&by={by}"))
        assert f"Seen by {match.names[by]}" in page
    for nobody in ("", "&by=-1", "&by=9"):
        assert "Seen by everybody" in plain(carla.page(f"{url}/replay?at={middle}{nobody}"))
    running = ada.create(mode="hotseat")
    assert "Seen by" not in plain(carla.page(f"{running}/replay?by=0")), "not before the end"


def test_the_notation_replays_to_the_same_table(ada: Guest, url: str) -> None:
    answer = ada.get(f"{url}/notation")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "attachment" in answer.headers["content-disposition"]
    assert bottega.replay(answer.text).state() == ada.match(url).state()


def test_a_rematch_seats_the_same_people_one_further(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", seat=0, name="Ada", players=3, bots=1)
    bruno.get(ada.link(url, 1))
    bruno.must(f"{url}/name", name="Bruno")
    finish(ada, url)
    new = bruno.must(f"{url}/rematch")["url"]
    assert ada.must(f"{url}/rematch")["url"] == new, "one rematch for all"
    assert new in ada.page(url)
    table = ada.table(new)
    names = ada.match(url).names
    assert table.match.names == (names[1], names[2], names[0])
    assert [seat.kind for seat in table.seats] == [PERSON, BOT, PERSON]
    assert 'data-seat="2"' in ada.page(new)
    assert 'data-seat="0"' in bruno.page(new)
    assert table.match.seed != ada.match(url).seed


def test_playing_on_from_a_moment_of_the_past(ada: Guest, bruno: Guest, url: str) -> None:
    old = ada.match(url)
    new = bruno.must(f"{url}/fork", at=6, seat=1, bot="random")["url"]
    table = bruno.table(new)
    assert table.match.moves[:6] == old.moves[:6]
    assert [seat.kind for seat in table.seats] == [BOT, PERSON]
    assert 'data-seat="1"' in bruno.page(new)
    assert ada.match(url).moves == old.moves
    bruno.tables.known.clear()
    assert bruno.match(new).moves[:6] == old.moves[:6], "it is stored like any other"


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"at": 10_000}, 400), ({"at": -1}, 400), ({"at": 2, "seat": 5}, 400), ({"at": "x"}, 400)],
)
def test_playing_on_from_nowhere(ada: Guest, url: str, fields: dict[str, int], status: int) -> None:
    tables = set(ada.tables.known)
    assert ada.send(f"{url}/fork", **fields).status_code == status
    assert ada.send(f"{url}/fork", at=len(ada.match(url).moves)).status_code == 409
    assert set(ada.tables.known) == tables


def test_a_notation_opens_as_a_replay(ada: Guest, bruno: Guest) -> None:
    match = bottega.game("splendor").new(3, seed=5, names=["A", "B", "C"])
    for _ in range(9):
        match.play(match.waiting[0], match.legal(match.waiting[0])[0])
    answer = ada.send("/open", files={"file": ("game.txt", match.save().encode(), "text/plain")})
    assert answer.status_code == 200, answer.text
    url = answer.json()["url"]
    assert url.endswith("/replay")
    assert ada.get(url).status_code == 200
    table = url.removesuffix("/replay")
    assert ada.get(table, follow_redirects=False).status_code == 303
    assert ada.match(table).state() == match.state()
    assert ada.choose(table, "pass").status_code == 403, "nobody sits there"
    new = bruno.must(f"{table}/fork", at=9, seat=0, bot="random")["url"]
    assert bruno.match(new).moves[:9] == match.moves


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        (b"", 400, "not a notation"),
        (b"\xff\xfe", 400, "not a text"),
        (b"Bottega notation 1\ngame splendor\n", 400, "cut short"),
        (b"Bottega notation 1\n" + b"x" * 600_000, 413, "512 kB"),
        (
            b"Bottega notation 1\ngame chess\nrules 1\nkit a b\nplayers 2\nseed 1\nend 0",
            400,
            "chess",
        ),
    ],
)
def test_a_file_that_is_no_notation(ada: Guest, text: bytes, status: int, words: str) -> None:
    answer = ada.send("/open", files={"file": ("game.txt", text, "text/plain")})
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]
    assert ada.tables.known == {}


def test_no_file_at_all(ada: Guest) -> None:
    assert ada.send("/open").status_code == 400
    assert ada.send("/open", file="a text").status_code == 400
