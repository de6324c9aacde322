"""The log as lines of JSON: what happened in which request, and never to whom."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bottega.table.server import logs
from tests.table.conftest import Welcome
from tests.table.guests import Guest

NAME = "Zenobia-of-the-test"
NUMBER = "0123456789abcdef"


class Written:
    """What is logged meanwhile, as lines of JSON."""

    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    def requests(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["message"] == "answered"]

    def forget(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()


@pytest.fixture
def written() -> Iterator[Written]:
    """The log of everything, down to what is not worth a line."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.Lines())
    handler.addFilter(lambda record: record.name != "httpx")  # the guests' own
    root = logging.getLogger()
    ours = logging.getLogger("bottega")
    levels = root.level, ours.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    ours.setLevel(logging.DEBUG)
    yield Written(stream)
    root.removeHandler(handler)
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def test_a_request_has_one_number_everywhere(ada: Guest, written: Written) -> None:
    url = ada.create(mode="hotseat", seat=0)
    written.forget()
    answer = ada.get(f"{url}/board", headers={"x-request-id": NUMBER})
    assert answer.headers["x-request-id"] == NUMBER
    (line,) = written.requests()
    assert line["request"] == NUMBER
    assert line["level"] == "info"
    assert (line["method"], line["route"], line["status"]) == ("GET", "/t/{name}/board", 200)
    assert line["milliseconds"] > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])


@pytest.mark.parametrize("given", ["", "short", NAME, "a" * 40, "0123 4567", "visitor=secret"])
def test_a_number_that_is_none_is_replaced(ada: Guest, given: str) -> None:
    numbers = {ada.get("/", headers={"x-request-id": given}).headers["x-request-id"] for _ in "12"}
    assert len(numbers) == 2
    assert all(re.fullmatch(r"[0-9a-f]{16}", number) for number in numbers)


def test_what_is_logged_within_a_request_bears_its_number(
    ada: Guest, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError(f"the token of {NAME}") from KeyError(NAME)

    monkeypatch.setattr("bottega.table.web.pages.rules_page", fail)
    assert ada.get("/rules/splendor", headers={"x-request-id": NUMBER}).status_code == 500
    failed, answered = (line for line in written.lines if line.get("request") == NUMBER)
    assert failed["level"] == "error"
    assert failed["message"] == "GET /rules/{name} failed"
    assert [one["kind"] for one in failed["failure"]] == ["RuntimeError", "KeyError"]
    assert failed["failure"][0]["at"][-1].startswith("test_logs.py:")
    assert failed["failure"][0]["at"][-1].endswith(" fail")
    assert answered["status"] == 500
    assert NAME not in written.text, "what an error says may be somebody's"


def test_those_who_watch_the_server_fill_no_log(ada: Guest, written: Written) -> None:
    for path in ("/healthz", "/readyz"):
        ada.get(path)
    assert {line["level"] for line in written.requests()} == {"debug"}


def test_no_line_tells_of_whom(welcome: Welcome, written: Written) -> None:
    """A whole evening, with refusals and a failure: of names, links, cookies, seeds nothing."""
    ada, bruno = welcome(), welcome()
    url = ada.create(mode="friends", seat=0, name=NAME)
    table = ada.table(url)
    link = ada.link(url, 1)
    token = link.split("=")[1]
    bruno.page(link)
    bruno.must(f"{url}/name", name=f"{NAME}-2")
    ada.must(f"{url}/chat", text=f"{NAME} says good evening")
    bearer = {"authorization": f"Bearer {token}"}
    ada.client.get(f"/api/v1/tables/{table.id}/legal", headers=bearer)
    ada.client.post(f"/api/v1/tables/{table.id}/play", json={"action": NAME}, headers=bearer)
    for guest in (ada, bruno):
        guest.choose(url, NAME)
        guest.get(f"{url}/nowhere?name={NAME}")
        guest.send("/tables", game=NAME)
        guest.client.post("/open", data={"csrf": guest.csrf}, files={"file": NAME.encode()})
    ada.get(f"/rules/{NAME}", headers={"x-request-id": NAME})
    assert len(written.requests()) > 12
    cookies = [guest.client.cookies["visitor"] for guest in (ada, bruno)]
    seed = str(table.match.seed)
    for secret in (NAME, token, table.id, ada.csrf, bruno.csrf, seed, "testclient", *cookies):
        assert secret not in written.text


def test_a_line_is_one_line(written: Written) -> None:
    log = logging.getLogger("bottega.test")
    log.warning("two\nlines of %s", NAME)
    try:
        raise ValueError("x\ny")
    except ValueError:
        log.exception("failed")
    first, second = written.lines
    assert first["message"] == "two"
    assert second["failure"][0]["kind"] == "ValueError"
