"""The numbers for Prometheus: they count what happens, and never tell of whom."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from bottega.table import metrics
from bottega.table.server.watch import Watch
from tests.table.conftest import QUICK
from tests.table.guests import Guest
from tests.table.test_live import wait_for

NAME = "Zenobia-of-the-test"


@pytest.fixture
def settings() -> dict[str, Any]:
    return {**QUICK, "metrics": "open"}


class Since:
    """What was counted since a moment: the numbers are of the whole process."""

    def __init__(self) -> None:
        self.before = self._all()

    def _all(self) -> dict[tuple[str, tuple[str, ...]], float]:
        return {
            (sample.name, tuple(sorted(sample.labels.values()))): sample.value
            for family in REGISTRY.collect()
            for sample in family.samples
        }

    def __call__(self, name: str, *labels: str) -> float:
        key = (name, tuple(sorted(labels)))
        return self._all().get(key, 0.0) - self.before.get(key, 0.0)


def test_requests_are_counted_by_route_method_and_status(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    since = Since()
    for path in (url, f"{url}/board", f"{url}/board", "/nowhere", "/t/none"):
        ada.get(path)
    ada.client.head(url)
    ada.client.request("BREW", url)
    ada.get("/static/app.css")
    counted = {
        ("GET", "/t/{name}", "200"): 1,
        ("GET", "/t/{name}/board", "200"): 2,
        ("GET", "none", "404"): 1,
        ("GET", "/t/{name}", "404"): 1,
        ("HEAD", "/t/{name}", "200"): 1,
        ("other", "/t/{name}", "405"): 1,
        ("GET", "/static/{file}", "200"): 1,
    }
    assert {key: since("bottega_requests_total", *key) for key in counted} == counted
    assert since("bottega_request_seconds_count", "/t/{name}/board") == 2


def test_refusals_are_counted_by_reason(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    since = Since()
    assert ada.choose(url, "castle").status_code == 409
    assert ada.choose(url, "take-white-blue-green", seq=7).status_code == 409
    assert ada.client.post("/api/v1/tables", json={"game": 7}).status_code == 422
    assert ada.client.post("/tables", content=b"x" * 70_000).status_code == 413
    for reason in ("IllegalMove", "Stale", "Malformed", "TooLarge"):
        assert since("bottega_refused_total", reason) == 1


def test_a_failure_is_counted_as_one(ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("bottega.table.web.pages.rules_page", fail)
    since = Since()
    assert ada.get("/rules/splendor").status_code == 500
    assert since("bottega_requests_total", "GET", "/rules/{name}", "500") == 1


def test_open_streams_are_counted_and_their_length_is_not(ada: Guest) -> None:
    since = Since()

    async def listen() -> float:
        """A stream that is looked at while it is open."""
        begun, ended = asyncio.Event(), asyncio.Event()

        async def streaming(scope: Any, receive: Any, send: Any) -> None:
            kind = [(b"content-type", b"text/event-stream; charset=utf-8")]
            await send({"type": "http.response.start", "status": 200, "headers": kind})
            begun.set()
            await ended.wait()

        async def send(message: Any) -> None:
            pass

        scope = {"type": "http", "method": "GET", "headers": []}
        request = asyncio.create_task(Watch(streaming)(scope, send, send))  # type: ignore[arg-type]
        await begun.wait()
        open_now = since("bottega_listeners")
        ended.set()
        await request
        return open_now

    assert ada.run(listen) == 1
    assert since("bottega_listeners") == 0


def test_the_database_is_measured(ada: Guest) -> None:
    since = Since()
    ada.create(mode="hotseat", seat=0)
    assert since("bottega_statement_seconds_count", "insert") >= 2
    assert since("bottega_statement_seconds_sum", "insert") > 0
    assert since("bottega_transaction_seconds_count") >= 1
    assert since("bottega_transaction_seconds_sum") >= since(
        "bottega_statement_seconds_sum", "insert"
    )


def test_moves_and_tables_are_counted(ada: Guest) -> None:
    since = Since()
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    ada.take(url)
    assert since("bottega_moves_total") == 1
    assert ada.choose(url, "castle").status_code == 409
    assert since("bottega_moves_total") == 1, "a refused one is none"
    assert REGISTRY.get_sample_value("bottega_tables") == len(ada.tables.known) == 1


def test_thinking_is_timed_by_kind_and_level(ada: Guest) -> None:
    since = Since()
    url = ada.create(mode="bots", seat=0, bot="greedy", players=2)
    ada.get(f"{url}/hint")
    assert since("bottega_thinking_seconds_count", "hint", "") == 1
    ada.take(url)
    wait_for(lambda: len(ada.match(url).moves) >= 2)
    assert since("bottega_thinking_seconds_count", "decision", "greedy") >= 1
    assert since("bottega_thinking_seconds_sum", "decision", "greedy") > 0


def test_what_waits_is_counted(ada: Guest) -> None:
    thinkers = ada.client.app.state.site.thinkers  # type: ignore[attr-defined]
    assert ada.run(thinkers._waiting) == {"decision": 0, "hint": 0, "study": 0}
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    table, places = ada.table(url), thinkers._advising.free
    asked: list[asyncio.Task[Any]] = []

    async def ask() -> dict[str, int]:
        """One more hint than there is room for."""
        thinkers._advising.free = 0
        asked.append(asyncio.create_task(thinkers.advise(table, 0)))
        for _ in range(3):
            await asyncio.sleep(0)
        return dict(await thinkers._waiting())

    async def let_go() -> None:
        thinkers._advising.free = places
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    assert ada.run(ask) == {"decision": 0, "hint": 1, "study": 0}
    ada.run(let_go)


def test_no_label_tells_of_whom(ada: Guest) -> None:
    url = ada.create(mode="friends", seat=0, name=NAME)
    link = ada.link(url, 1)
    for path in (url, link, f"{url}/board", f"/nowhere/{NAME}", f"/rules/{NAME}"):
        ada.get(path)
    ada.client.request(NAME.replace("-", ""), url)
    ada.must(f"{url}/chat", text=NAME)
    text = ada.get("/metrics").text
    assert "bottega_requests_total" in text
    for secret in (
        NAME,
        NAME.replace("-", ""),
        url[3:],
        link.split("=")[1],
        "testclient",
        ada.csrf,
    ):
        assert secret not in text


def test_the_answer_is_what_prometheus_reads(ada: Guest) -> None:
    ada.get("/")
    families = {family.name for family in text_string_to_metric_families(ada.get("/metrics").text)}
    ours = {name for name in families if name.startswith("bottega_")}
    assert ours == {
        "bottega_requests",
        "bottega_request_seconds",
        "bottega_refused",
        "bottega_listeners",
        "bottega_tables",
        "bottega_moves",
        "bottega_packed",
        "bottega_removed",
        "bottega_thinking_seconds",
        "bottega_thinking_queue",
        "bottega_statement_seconds",
        "bottega_transaction_seconds",
    }


WORKER = """
from bottega.table import metrics
metrics.moves.inc(3)
metrics.tables.set(5)
metrics.thinking_queue.labels("hint").set(2)
print(__import__("os").getpid(), flush=True)
input()
print(metrics.text().decode())
"""


def test_one_worker_answers_for_all_and_the_dead_hold_no_tables(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}

    def worker() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", WORKER]
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    one, two = worker(), worker()
    assert two.stdout is not None
    assert one.stdout is not None
    one.stdout.readline()
    two.stdout.readline()
    told = one.communicate("\n")[0]
    assert value(told, "bottega_moves_total") == 6
    assert value(told, "bottega_tables") == 10
    assert value(told, 'bottega_thinking_queue{kind="hint"}') == 2
    metrics.ended(one.pid, str(tmp_path))
    told = two.communicate("\n")[0]
    assert value(told, "bottega_moves_total") == 6, "what was counted stays counted"
    assert value(told, "bottega_tables") == 5


def value(text: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found, text
    return float(found[1])
