"""The JSON API: the client of the documentation, live events, the OpenAPI description."""

from __future__ import annotations

import http.client
import importlib.util
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from pydantic import BaseModel, TypeAdapter
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import bottega
from bottega.table.api import shapes
from bottega.table.server.app import create_app
from tests.table.conftest import QUICK
from tests.table.guests import Guest, finish

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
CLIENT = Path(__file__).parents[2] / "docs" / "client.py"


class House:
    """A real server, in a thread."""

    def __init__(self, data: Path) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{listening.getsockname()[1]}"
        self.app = create_app(data, **QUICK)
        config = uvicorn.Config(self.app, log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=[[listening]])
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        connection = http.client.HTTPConnection(self.address, timeout=20)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        connection.request(method, f"/api/v1{path}", body and json.dumps(body), headers)
        answer = connection.getresponse()
        return json.loads(answer.read())


class Stream:
    """An open stream of events."""

    def __init__(self, house: House, path: str, headers: dict[str, str]) -> None:
        self.connection = http.client.HTTPConnection(house.address, timeout=20)
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.headers["content-type"].startswith("text/event-stream")

    def next(self) -> tuple[str, str, str]:
        """The next event: its name, its id and its data."""
        fields: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode().rstrip("\r\n")
            if not line and fields:
                return fields["event"], fields["id"], fields["data"]
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value

    def silent(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for a while. The stream is of no use afterwards."""
        self.connection.sock.settimeout(seconds)
        try:
            return not self.answer.readline()
        except TimeoutError:
            return True

    def close(self) -> None:
        self.connection.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.stop()


@pytest.fixture
def table(house: House) -> tuple[str, list[str]]:
    """A table of two programs, and their tokens."""
    wish = {"game": "splendor", "mode": "friends", "players": 2, "seat": 0}
    made = house.ask("POST", "/tables", wish)
    return f"/tables/{made['id']}", [seat["token"] for seat in made["seats"]]


# The client


def test_the_client_is_short() -> None:
    assert len(CLIENT.read_text().splitlines()) <= 100


@pytest.mark.parametrize("game", bottega.games())
def test_the_client_plays_a_game(
    house: House, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = importlib.util.spec_from_file_location("client", CLIENT)
    assert described
    assert described.loader
    client = importlib.util.module_from_spec(described)
    described.loader.exec_module(client)
    view = client.play(f"http://{house.address}", game)
    assert view["over"]
    assert view["seed"]
    assert capsys.readouterr().out.strip().endswith(view["prompt"])


# Events


def decide(house: House, path: str, token: str, **more: Any) -> dict[str, Any]:
    choices = house.ask("GET", f"{path}/legal", token=token)
    takes = [choice for choice in choices["actions"] if choice["key"].startswith("take")]
    answer: dict[str, Any] = house.ask(
        "POST", f"{path}/play", {"action": takes[0]["key"], **more}, token
    )
    return answer


def test_an_event_comes_for_every_change(house: House, table: tuple[str, list[str]]) -> None:
    path, tokens = table
    stream = Stream(house, f"/api/v1{path}/events", {"authorization": f"Bearer {tokens[1]}"})
    name, number, data = stream.next()
    assert (name, number) == ("update", data)
    decide(house, path, tokens[0])
    while int(number) != house.ask("GET", f"{path}/view", token=tokens[1])["seq"]:
        _, number, _ = stream.next()
    assert house.ask("GET", f"{path}/legal", token=tokens[1])["seq"] == int(number)
    stream.close()


@pytest.mark.parametrize("how", ["header", "query"])
def test_a_lost_connection_catches_up(house: House, table: tuple[str, list[str]], how: str) -> None:
    path, tokens = table
    watcher = house.ask("GET", f"{path}/view")
    known = watcher["seq"]

    def again() -> Stream:
        headers = {"last-event-id": str(known)} if how == "header" else {}
        query = f"?seq={known}" if how == "query" else ""
        return Stream(house, f"/api/v1{path}/events{query}", headers)

    stream = again()
    assert stream.silent(), "who knows everything hears nothing"
    stream.close()
    decide(house, path, tokens[0])
    decide(house, path, tokens[1])
    stream = again()
    _, number, _ = stream.next()
    assert int(number) == house.ask("GET", f"{path}/view")["seq"] != known
    stream.close()


def test_a_page_gets_the_same_events(house: House, table: tuple[str, list[str]]) -> None:
    path, tokens = table
    stream = Stream(house, f"/t/{path.split('/')[2]}/events", {})
    _, first, _ = stream.next()
    decide(house, path, tokens[0])
    _, second, _ = stream.next()
    assert int(second) == house.ask("GET", f"{path}/view")["seq"] != int(first)
    stream.close()


def test_who_listens_is_here(house: House, table: tuple[str, list[str]]) -> None:
    path, tokens = table

    def here() -> list[bool]:
        return [player["here"] for player in house.ask("GET", f"{path}/view")["players"]]

    assert here() == [False, False]
    stream = Stream(house, f"/api/v1{path}/events", {"authorization": f"Bearer {tokens[1]}"})
    stream.next()
    assert here() == [False, True]
    stream.close()
    until = time.monotonic() + 30
    while here() != [False, False]:
        assert time.monotonic() < until
        time.sleep(0.05)


# Reading and writing


def test_what_a_program_reads(house: House, table: tuple[str, list[str]]) -> None:
    path, tokens = table
    catalogue = house.ask("GET", "/games")
    assert [game["name"] for game in catalogue["games"]] == bottega.games()
    assert house.ask("GET", f"{path}/legal")["actions"] == [], "a spectator may do nothing"
    legal = house.ask("GET", f"{path}/legal", token=tokens[0])
    played = house.ask(
        "POST",
        f"{path}/play",
        {"action": legal["actions"][-1]["id"], "seq": legal["seq"]},
        tokens[0],
    )
    assert played["waiting"] == [1]
    assert house.ask("GET", f"{path}/log")["lines"][0]["seat"] == 0
    view = house.ask("GET", f"{path}/view", token=tokens[1])
    assert (view["seat"], view["seed"], view["over"]) == (1, None, False)


def test_programs_join_by_one_link(house: House) -> None:
    wish = {"game": "splendor", "mode": "friends", "players": 3, "seat": 1, "invite": "one-link"}
    made = house.ask("POST", "/tables", wish)
    path = f"/tables/{made['id']}"
    joined = [house.ask("POST", f"{path}/join", {"name": "Zoë"}) for _ in range(3)]
    assert [answer.get("seat") for answer in joined] == [0, 2, None]
    assert "taken" in joined[2]["error"]
    assert house.ask("GET", f"{path}/legal", token=joined[0]["token"])["actions"]


def test_a_new_token_makes_the_old_one_useless(house: House) -> None:
    made = house.ask("POST", "/tables", {"game": "splendor", "mode": "friends", "players": 2})
    path = f"/tables/{made['id']}"
    seat, old = made["seats"][1]["seat"], made["seats"][1]["token"]
    renewed = house.ask("POST", f"{path}/token", token=old)
    assert renewed["seat"] == seat
    assert renewed["token"] != old
    for method, what in (("GET", "view"), ("POST", "token")):
        refused = house.ask(method, f"{path}/{what}", token=old)
        assert refused["error"] == "This token opens no seat at this table."
    assert house.ask("GET", f"{path}/view", token=renewed["token"])["seat"] == seat
    assert "watching" in house.ask("POST", f"{path}/token")["error"]
    other = made["seats"][0]["token"]
    assert house.ask("GET", f"{path}/view", token=other)["seat"] == made["seats"][0]["seat"]


def test_the_notation_opens_at_the_end(ada: Guest) -> None:
    made = ada.client.post("/api/v1/tables", json={"game": "splendor", "mode": "hotseat"}).json()
    url = f"/t/{made['id']}"
    assert ada.get(f"/api/v1/tables/{made['id']}/notation").status_code == 409
    match = finish(ada, url)
    text = ada.get(f"/api/v1/tables/{made['id']}/notation").text
    assert bottega.replay(text).state() == match.state()


# The description


def test_the_examples_of_the_description_are_right() -> None:
    shown = 0
    for model in vars(shapes).values():
        if isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel:
            for example in model.model_json_schema().get("examples", []):
                model.model_validate(example)
                shown += 1
            for field in model.model_fields.values():
                for example in field.examples or []:
                    TypeAdapter(field.annotation).validate_python(example)
                    shown += 1
    assert shown > 15


def test_everything_is_described(ada: Guest) -> None:
    described = ada.get("/api/v1/openapi.json").json()
    asked = {(path, verb) for path, verbs in described["paths"].items() for verb in verbs}
    table = "/api/v1/tables/{table}"
    assert asked == {
        ("/api/v1/games", "get"),
        ("/api/v1/tables", "post"),
        (f"{table}/join", "post"),
        (f"{table}/view", "get"),
        (f"{table}/legal", "get"),
        (f"{table}/play", "post"),
        (f"{table}/log", "get"),
        (f"{table}/events", "get"),
        (f"{table}/notation", "get"),
        (f"{table}/token", "post"),
    }
    for path, verb in asked:
        assert described["paths"][path][verb]["description"]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_breaks_the_server(house: House, mode: GenerationMode) -> None:
    """schemathesis sends requests of every kind, right and wrong: no 5xx, and every answer is
    one that the description names."""
    described = schemathesis.openapi.from_url(f"http://{house.address}/api/v1/openapi.json")
    made = house.ask("POST", "/tables", {"game": "splendor", "mode": "friends", "seat": 0})
    there = {"path_parameters": {"table": made["id"]}}
    token = {"headers": {"authorization": f"Bearer {made['seats'][0]['token']}"}}
    called = set()
    for result in described.exclude(path_regex="events$").get_all_operations():
        operation = result.ok()
        if mode is GenerationMode.NEGATIVE and not len(operation.body):
            continue  # there is hardly anything to do wrong
        called.add(operation.path)
        bombard(operation.as_strategy(mode))
        if "{table}" in operation.path:
            bombard(operation.as_strategy(mode, **there, **token))
    assert len(called) >= 3


def bombard(cases: Any) -> None:
    @settings(
        max_examples=15,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def send(case: Any) -> None:
        case.call_and_validate(checks=CHECKS)

    send()
