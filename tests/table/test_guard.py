"""What stands before every request and behind every answer."""

from __future__ import annotations

from typing import Any

import pytest

from bottega.table.server.guard import PLAYING, READING, SETTING_UP, TALKING, Buckets, Rate, rate_of
from bottega.table.web.files import url_game, url_static
from tests.table.conftest import QUICK
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


def test_the_cookie_is_out_of_reach(ada: Guest) -> None:
    cookie = ada.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "set-cookie" not in ada.get("/").headers, "once is enough"


def test_a_cookie_of_another_make_is_replaced(ada: Guest) -> None:
    answer = ada.get("/", headers={"cookie": "visitor=' OR 1=1"})
    assert "visitor=" in answer.headers["set-cookie"]


def test_pages_are_not_kept_but_drawings_are(ada: Guest) -> None:
    assert ada.get("/").headers["cache-control"] == "no-store"
    for url in (url_static("app.css"), url_game("splendor", "board.css")):
        assert "immutable" in ada.get(url).headers["cache-control"]
    assert ada.get("/static/app.css").headers["cache-control"] == "no-cache"
    assert ada.get("/games/splendor/rules.py").status_code == 404
    assert ada.get("/games/splendor/..%2F__init__.py").status_code == 404
    assert ada.get("/static/..%2fapp.py").status_code == 404


def test_buckets_empty_and_refill(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("bottega.table.server.guard.time.monotonic", lambda: now[0])
    buckets = Buckets(1)
    rate = Rate(3, 2)
    assert [buckets.take("ada", rate) for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("bruno", rate) == 0
    now[0] += 1
    assert [buckets.take("ada", rate) for _ in range(3)] == [0, 0, 0.5]


def test_what_is_rare_is_limited_more() -> None:
    assert rate_of("GET", "/t/x") is READING
    assert rate_of("POST", "/t/x/play") is PLAYING
    assert rate_of("POST", "/t/x/chat") is TALKING
    for path in ("/tables", "/open", "/t/x/fork", "/api/v1/tables"):
        assert rate_of("POST", path) is SETTING_UP


class TestRates:
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {**QUICK, "pace": 1}

    def test_a_flood_of_talk_is_slowed_down(self, ada: Guest) -> None:
        url = ada.create(mode="friends", seat=0)
        answers = [ada.send(f"{url}/chat", text=f"Line {number}") for number in range(15)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert 3 <= len(refused) <= 5
        assert "Try again" in refused[0].json()["error"]
        assert refused[0].headers["retry-after"]
        assert len(ada.table(url).chat) == 15 - len(refused)


def test_a_body_without_a_length_is_counted_as_it_comes(ada: Guest) -> None:
    def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 10_000

    answer = ada.client.post("/tables", content=pieces(), headers=JSON)
    assert answer.status_code == 413
