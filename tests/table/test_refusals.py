"""What is refused: a clear 4xx with a sentence, and nothing has changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bottega.table.faults import NotStored
from bottega.table.playing.tables import Tables
from tests.table.guests import JSON, Guest, facts

MEGABYTE = "x" * 1_000_000


@pytest.fixture
def url(ada: Guest, bruno: Guest) -> str:
    """A table of two friends; the one in seat 0 is to decide."""
    url = ada.create(mode="friends", seat=0, name="Ada")
    bruno.get(ada.link(url, 1))
    bruno.must(f"{url}/name", name="Bruno")
    ada.seq(url), bruno.seq(url)
    return url


def check(answer: Any, status: int, words: str) -> None:
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("who", "path", "fields", "status", "words"),
    [
        ("bruno", "/play", {"action": "take-white-blue-green"}, 409, "not Bruno's decision"),
        ("carla", "/play", {"action": "take-white-blue-green"}, 403, "You are watching"),
        ("ada", "/play", {"action": "take-white-blue-green", "seq": 5}, 409, "has changed since"),
        ("ada", "/play", {"action": "take-white-blue-green", "seq": "x"}, 400, "whole number"),
        ("ada", "/play", {"action": "take-two-white-two"}, 409, "no action"),
        ("ada", "/play", {}, 409, "no action"),
        ("ada", "/play", {"action": "buy-3a"}, 409, "cannot pay"),
        ("ada", "/play", {"action": "pass", "csrf": "stolen"}, 403, "form was too old"),
        ("ada", "/play", {"action": MEGABYTE}, 413, "64 kB"),
        ("ada", "/undo", {}, 409, "has not decided anything"),
        ("carla", "/undo", {}, 403, "You are watching"),
        ("ada", "/undo/answer", {"answer": "yes"}, 409, "Nobody asks"),
        ("ada", "/chat", {"text": MEGABYTE}, 413, "64 kB"),
        ("ada", "/chat", {"text": "x" * 501}, 409, "500 characters"),
        ("ada", "/chat", {"text": " \n\u200b "}, 409, "nothing"),
        ("carla", "/name", {"name": "Eve"}, 403, "Only who holds a seat"),
        ("ada", "/name", {"name": "Eve", "seat": 1}, 403, "Only who holds a seat"),
        ("ada", "/ready", {}, 409, "nobody to pass"),
        ("ada", "/rematch", {}, 409, "when this game is over"),
        ("carla", "/rematch", {}, 403, "You are watching"),
        ("ada", "/fork", {"at": 0}, 409, "when the game is over"),
    ],
)
def test_a_form_that_is_refused_changes_nothing(
    request: pytest.FixtureRequest,
    url: str,
    who: str,
    path: str,
    fields: dict[str, Any],
    status: int,
    words: str,
) -> None:
    guest: Guest = request.getfixturevalue(who)
    before = facts(guest.table(url))
    check(guest.send(url + path, **fields), status, words)
    assert facts(guest.table(url)) == before


def test_the_notation_opens_when_the_game_is_over(ada: Guest, url: str) -> None:
    check(ada.get(f"{url}/notation", headers=JSON), 409, "when the game is over")


@pytest.mark.parametrize("name", ["unknown", "x" * 400, "%00", "é", "a'; DROP TABLE moves"])
def test_an_unknown_table_is_not_there(ada: Guest, name: str) -> None:
    for path in ("", "/board", "/events", "/hint", "/replay"):
        assert ada.get(f"/t/{name}{path}").status_code == 404
    assert ada.send(f"/t/{name}/play", action="pass").status_code == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"players": 9}, "2 to 4 players"),
        ({"players": "many"}, "whole number"),
        ({"mode": "party"}, "mode is one of"),
        ({"bot": "deep"}, "no bot 'deep'"),
        ({"kit": "/etc/passwd"}, "no kit"),
        ({"seat": 4}, "the seats are"),
        ({"option.payment": "never"}, "must be auto or choice"),
        ({"option.seed": "7"}, "no option 'seed'"),
        ({"option.limit": "1"}, "no option 'limit'"),
    ],
)
def test_a_table_that_cannot_be(ada: Guest, fields: dict[str, Any], words: str) -> None:
    wish = {"game": "splendor", "mode": "bots", "players": 2}
    answer = ada.send("/tables", **{**wish, **fields})
    assert 400 <= answer.status_code < 410
    assert words.lower() in answer.json()["error"].lower()
    assert ada.tables.known == {}


def test_a_form_without_a_cookie_is_refused(ada: Guest, bruno: Guest) -> None:
    ada.page("/")
    answer = bruno.client.post("/tables", data={"game": "splendor"}, headers=JSON)
    check(answer, 403, "cookies")


class Program:
    """A program that has the token of seat 0."""

    def __init__(self, guest: Guest) -> None:
        self.client = guest.client
        wish = {"game": "splendor", "mode": "friends", "seat": 0, "name": "Ada"}
        made = self.client.post("/api/v1/tables", json=wish).json()
        self.url = f"/api/v1/tables/{made['id']}"
        self.tokens = [seat["token"] for seat in made["seats"]]

    def post(self, path: str, token: str | None, **more: Any) -> Any:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers |= more.pop("headers", {})
        return self.client.post(self.url + path, headers=headers, **more)


TYPE = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("seat", "body", "status", "words"),
    [
        (0, "{", 422, "not JSON"),
        (0, "[]", 422, "body"),
        (0, "\x00\xff", 422, "not JSON"),
        (0, '{"action": null}', 422, "action"),
        (0, '{"action": "pass", "extra": 1}', 422, "extra"),
        (0, '{"action": "pass", "seq": 1e400}', 422, "seq"),
        (0, '{"action": 100000}', 409, "no action"),
        (0, '{"action": -1}', 409, "no action"),
        (0, '{"action": "\\ud800"}', 422, "action"),
        (0, json.dumps({"action": MEGABYTE}), 413, "64 kB"),
        (0, '{"action": "take-white-blue-green", "seq": 9}', 409, "has changed"),
        (1, '{"action": "take-white-blue-green"}', 409, "not Player 2's decision"),
        (None, '{"action": "take-white-blue-green"}', 403, "watching"),
        ("wrong", '{"action": "take-white-blue-green"}', 401, "opens no seat"),
    ],
)
def test_a_program_that_is_refused_changes_nothing(
    ada: Guest, seat: int | str | None, body: str, status: int, words: str
) -> None:
    program = Program(ada)
    table = ada.table(f"/t/{program.url.split('/')[-1]}")
    token = program.tokens[seat] if isinstance(seat, int) else seat
    before = (table.match.state(), table.match.moves)
    check(program.post("/play", token, content=body.encode(), headers=TYPE), status, words)
    assert (table.match.state(), table.match.moves) == before


def test_a_token_of_another_table_opens_nothing(ada: Guest) -> None:
    one, two = Program(ada), Program(ada)
    check(one.post("/play", two.tokens[0], json={"action": "pass"}), 401, "opens no seat")


def test_refusals_are_pages_for_people_and_json_for_programs(ada: Guest, url: str) -> None:
    page = ada.client.post(f"{url}/play", data={"csrf": "no"})
    assert page.status_code == 403
    assert page.headers["content-type"].startswith("text/html")
    assert "form was too old" in page.text
    assert ada.get("/nowhere").status_code == 404
    assert ada.get("/nowhere", headers=JSON).json()["error"] == "There is no such page."
    assert ada.get("/api/v1/nowhere").json()["error"] == "There is no such page."
    assert ada.client.delete(url).status_code == 405


@pytest.mark.parametrize("path", ["", "/replay", "/hint"])
def test_a_page_that_cannot_be_made_just_now_asks_again_by_itself(
    ada: Guest, url: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tables, "find", away)
    answer = ada.get(url + path)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in answer.text
    assert 'data-again=""' in answer.text


@pytest.mark.parametrize(("path", "back"), [("/t/x/play", "/t/x"), ("/tables", "/")])
def test_a_form_that_could_not_be_stored_leads_back_to_where_it_was(
    ada: Guest, path: str, back: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.send("/")  # to have the token of a form
    monkeypatch.setattr(Tables, "find", away)
    monkeypatch.setattr(Tables, "create", away)
    answer = ada.client.post(path, data={"csrf": ada.csrf, "game": "splendor"})
    assert answer.status_code == 503
    assert f'content="5; url={back}"' in answer.text
    assert f'data-again="{back}"' in answer.text


def test_a_refusal_that_stands_does_not_ask_again(ada: Guest, url: str) -> None:
    for answer in (ada.get("/t/nowhere"), ada.client.post(f"{url}/play", data={"csrf": "stolen"})):
        assert answer.status_code in (403, 404)
        assert "http-equiv" not in answer.text
        assert "data-again" not in answer.text
        assert "retry-after" not in answer.headers


async def away(*_: Any, **__: Any) -> None:
    raise NotStored("The database does not answer just now.")
