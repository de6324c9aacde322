"""Several processes at one address: nobody is turned away while they are replaced."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.table.faults import CannotServe
from bottega.table.server.workers import check_workers
from bottega.table.settings import Settings

PATIENCE = 60.0

# A server in so few lines that it starts at once: it answers who it is, and which code it runs.
WORKER = """
import json, os, socket, sys
import uvicorn
from bottega.table.server.listening import GRACE, Server
from bottega.table.server.workers import Line

VERSION = 1

async def app(scope, receive, send):
    if scope["type"] == "http":
        body = json.dumps([os.getpid(), VERSION]).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

listening, line = map(int, sys.argv[1:])
config = uvicorn.Config(app, lifespan="off", timeout_graceful_shutdown=GRACE, log_level="warning")
Server(config, Line(line).say_ready).run([socket.socket(fileno=listening)])
"""
PARENT = """
import os, sys
from bottega.table.server import workers
from bottega.table.server.listening import listen

workers.AGAIN = 0.2
port, count, code = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
listening = listen("127.0.0.1", port)
begun = lambda: print("open", flush=True)
workers.Parent([sys.executable, code], listening, count, os.environ, begun).run()
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class House:
    """A parent with its workers, in processes of their own."""

    def __init__(self, folder: Path, code: str = WORKER) -> None:
        self.code = folder / "worker.py"
        self.code.write_text(code)
        parent = folder / "parent.py"
        parent.write_text(PARENT)
        self.port = free_port()
        command = [sys.executable, str(parent), str(self.port), "2", str(self.code)]
        pipe = subprocess.PIPE
        self.parent = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)

    def wait_open(self) -> None:
        assert self.parent.stdout is not None
        assert self.parent.stdout.readline() == "open\n"

    def ask(self) -> tuple[int, int]:
        """Which process answers, and which code it runs; over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/")
            process, version = json.loads(connection.getresponse().read())
            return process, version
        finally:
            connection.close()

    def workers(self) -> set[int]:
        """The workers, as the system knows them."""
        listed = Path(f"/proc/{self.parent.pid}/task/{self.parent.pid}/children").read_text()
        return {int(process) for process in listed.split()}

    def end(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    made.wait_open()
    yield made
    made.parent.terminate()
    try:
        made.parent.wait(20)
    finally:
        made.parent.kill()
        made.parent.communicate()


def wait_for(condition: Callable[[], Any]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


class Callers:
    """People who ask without pause while something happens."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.heard: list[tuple[int, int]] = []
        self.trouble: list[Exception] = []
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(3)]

    def _call(self) -> None:
        while not self._ended.is_set():
            try:
                self.heard.append(self.house.ask())
            except Exception as problem:
                self.trouble.append(problem)

    def __enter__(self) -> Callers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


def running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")
class TestParent:
    def test_all_answer_and_whoever_ends_is_replaced(self, house: House) -> None:
        before = house.workers()
        assert len(before) == 2
        with Callers(house) as callers:
            wait_for(lambda: {process for process, _ in callers.heard} == before)
        lost, kept = sorted(before)
        house.end(lost)
        wait_for(lambda: len(house.workers()) == 2 and lost not in house.workers())
        assert kept in house.workers()
        (new,) = house.workers() - {kept}
        wait_for(lambda: house.ask()[0] == new)

    def test_new_code_comes_without_anybody_being_turned_away(self, house: House) -> None:
        before = house.workers()
        house.code.write_text(WORKER.replace("VERSION = 1", "VERSION = 2"))
        with Callers(house) as callers:
            for _ in range(2):
                old = house.workers()
                house.parent.send_signal(signal.SIGHUP)
                wait_for(lambda old=old: not house.workers() & old and len(house.workers()) == 2)
            wait_for(lambda: callers.heard[-1][1] == 2)
        assert callers.trouble == []
        assert {version for _, version in callers.heard} == {1, 2}
        assert not house.workers() & before

    def test_code_that_does_not_start_changes_nothing(self, house: House) -> None:
        before = house.workers()
        house.code.write_text("raise SystemExit('broken')")
        with Callers(house) as callers:
            house.parent.send_signal(signal.SIGHUP)
            assert house.parent.stderr is not None
            said = [house.parent.stderr.readline() for _ in range(2)]
        assert said == ["broken\n", "the new worker does not start; the old ones go on\n"]
        assert callers.trouble == []
        assert house.workers() == before

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_all_end_within_seconds(self, house: House, number: signal.Signals) -> None:
        workers = house.workers()
        began = time.monotonic()
        house.parent.send_signal(number)
        assert house.parent.wait(20) == 0
        assert time.monotonic() - began < 6
        assert not any(map(running, workers))
        with pytest.raises(ConnectionRefusedError):
            house.ask()

    def test_workers_do_not_outlive_their_parent(self, house: House) -> None:
        workers = house.workers()
        house.parent.kill()
        wait_for(lambda: not any(map(running, workers)))

    def test_a_server_that_cannot_start_says_so(self, tmp_path: Path) -> None:
        house = House(tmp_path, "raise SystemExit('No database.')")
        out, err = house.parent.communicate(timeout=PATIENCE)
        assert house.parent.returncode == 1
        assert out == ""
        assert "No database.\n" in err
        assert err.endswith("A worker could not start; what it said stands above.\n")


def test_sqlite_is_for_one_process(tmp_path: Path) -> None:
    for url in ("", "sqlite+aiosqlite://", f"sqlite+aiosqlite:///{tmp_path}/x"):
        with pytest.raises(CannotServe, match="BOTTEGA_DATABASE"):
            check_workers(Settings(tmp_path, url), 2)
        check_workers(Settings(tmp_path, url), 1)
    check_workers(Settings(tmp_path, "postgresql+asyncpg://host/bottega"), 2)


def test_the_command_refuses_workers_on_sqlite(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bottega", "serve", "--workers", "2", "--port", "0"]
    environment = {name: text for name, text in os.environ.items() if "BOTTEGA" not in name}
    done = subprocess.run(
        [*command, "--data", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("SQLite is for one process.")
    assert "BOTTEGA_DATABASE" in done.stderr
    assert not list(tmp_path.iterdir())
