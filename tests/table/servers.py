"""Real servers, each in a process of its own: to be killed, and to be several on one database."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Server:
    """A server on a data folder and a database. Each time that it starts it has another port."""

    workers = 1

    def __init__(self, data: Path, database: str, **settings: Any) -> None:
        chosen = {"pause": 0, "pace": 0, "warm": 0, "study": 0, **settings}
        chosen |= {"data": data, "database": database}
        named = {f"BOTTEGA_{name.upper()}": str(value) for name, value in chosen.items()}
        self.environment = {**os.environ, **named}
        self.process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start it; it answers when this returns."""
        self.launch()
        self.wait()

    def launch(self) -> None:
        """Begin to start it. Several start faster when they do so at once."""
        assert self.process is None or self.process.poll() is not None, "it is running already"
        command = [sys.executable, "-m", "bottega.table", "--port", "0"]
        command += ["--workers", str(self.workers)]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, text=True
        )

    def wait(self) -> None:
        """Wait until it says where it is."""
        assert self.process is not None
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://localhost:(\d+)/", said)
        assert found, f"the server did not start; it said {said!r} and perhaps more on stderr"
        self.address = f"127.0.0.1:{found[1]}"

    def kill(self) -> None:
        """End it as a power cut would: it can do nothing about it."""
        if self.process is not None:
            self.process.kill()
            self._gone(self.process)

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        assert self.process is not None
        self.process.terminate()
        self._gone(self.process)

    def _gone(self, process: subprocess.Popen[str]) -> None:
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """What it answers to a program; it must be content with the request."""
        connection = http.client.HTTPConnection(self.address, timeout=30)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            connection.request(method, f"/api/v1{path}", body and json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        assert answer.status < 300, (path, text)
        return json.loads(text)


@contextmanager
def several(number: int, data: Path, database: str, **settings: Any) -> Iterator[list[Server]]:
    """So many servers on one database, with one secret. Whatever is left of them is killed."""
    servers = [Server(data, database, **settings) for _ in range(number)]
    try:
        for server in servers:
            server.launch()
        for server in servers:
            server.wait()
        yield servers
    finally:
        for server in servers:
            server.kill()
