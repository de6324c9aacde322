"""What stands before every request and behind every answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from bottega.table.faults import TooSlow
from bottega.table.server import guard
from bottega.table.web.files import url_game, url_static
from tests.table.guests import JSON, Guest


@pytest.mark.parametrize(
    "path",
    ["/", "/nowhere", "/rules/splendor", "/static/app.css", "/api/v1/games", "/t/none", "/healthz"],
)
def test_every_answer_tells_the_browser_what_it_may_do(ada: Guest, path: str) -> None:
    headers = ada.get(path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_head_answers_as_get_does_without_the_body(ada: Guest) -> None:
    url = ada.create(mode="friends", seat=0)
    for path in ("/", url, f"{url}/board", f"{url}/events", "/static/app.css", "/api/v1/games"):
        head = ada.client.head(path)
        assert head.status_code == 200, path
        assert not head.content
        assert "content-security-policy" in head.headers
    assert ada.client.head("/").headers["content-type"] == ada.get("/").headers["content-type"]
    assert ada.client.head("/nowhere").status_code == 404


def test_a_deeply_nested_body_is_refused(ada: Guest) -> None:
    for body in ("[" * 30_000, '{"a":' * 10_000):
        kind = {"content-type": "application/json"}
        answer = ada.client.post("/api/v1/tables", content=body, headers=kind)
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]


def test_our_own_mistakes_keep_the_headers(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("bottega.table.web.pages.rules_page", fail)
    answer = ada.get("/rules/splendor", headers=JSON)
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong on our side."}
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_pages_have_no_inline_script_or_style(ada: Guest) -> None:
    url = ada.create(mode="friends", seat=0)
    for path in ("/", url, f"{url}/board", "/rules/splendor", "/nowhere"):
        page = ada.get(path).text.lower()
        assert " style=" not in page
        assert "<style" not in page
        assert "<script>" not in page
        assert " onclick" not in page
        assert "javascript:" not in page


def test_pages_are_not_kept_but_drawings_are(ada: Guest) -> None:
    assert ada.get("/").headers["cache-control"] == "no-store"
    for url in (url_static("app.css"), url_game("splendor", "board.css")):
        assert "immutable" in ada.get(url).headers["cache-control"]
    assert ada.get("/static/app.css").headers["cache-control"] == "no-cache"
    assert ada.get("/games/splendor/rules.py").status_code == 404
    assert ada.get("/games/splendor/..%2F__init__.py").status_code == 404
    assert ada.get("/static/..%2fapp.py").status_code == 404


def test_a_body_without_a_length_is_counted_as_it_comes(ada: Guest) -> None:
    def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 10_000

    answer = ada.client.post("/tables", content=pieces(), headers=JSON)
    assert answer.status_code == 413


def test_a_body_that_dribbles_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "ARRIVAL", 0.05)

    async def dribble() -> Message:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    request = Request({"type": "http", "method": "POST", "path": "/open", "headers": []})
    with pytest.raises(TooSlow, match="too long"):
        asyncio.run(guard._whole_body(request, dribble))
