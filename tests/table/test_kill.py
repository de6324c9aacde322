"""The server is killed in the middle of play, many times: no acknowledged move is lost."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

KILLS = 6
TABLES = 3


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class Server:
    """A server in a process of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "bottega.table", "--port", str(self.port)]
        command += ["--data", str(self.data), "--pause", "0"]
        environment = {**os.environ, "BOTTEGA_PACE": "0", "BOTTEGA_WARM": "0"}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                self.ask("GET", "/games")
                return
            except OSError:
                assert self.process.poll() is None, "the server ended by itself"
                time.sleep(0.05)
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        connection.request(method, f"/api/v1{path}", body and json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, (path, text)
        return json.loads(text)


class Player:
    """Plays all seats of one table, and remembers what the server said it has taken."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.chance = random.Random(seed)
        wish = {"game": "splendor", "mode": "hotseat", "players": 3, "seat": 0}
        made = server.ask("POST", "/tables", wish)
        self.id = made["id"]
        self.tokens = [seat["token"] for seat in made["seats"]]
        self.acknowledged: list[tuple[int, str]] = []
        self.trouble: Exception | None = None

    def play(self, ended: threading.Event) -> None:
        """Play until the server is gone."""
        path = f"/tables/{self.id}"
        try:
            while True:
                view = self.server.ask("GET", f"{path}/view")
                if view["over"]:
                    return
                seat = view["view"]["waiting"][0]
                legal = self.server.ask("GET", f"{path}/legal", token=self.tokens[seat])
                key = self.chance.choice(legal["actions"])["key"]
                body = {"action": key, "seq": legal["seq"]}
                self.server.ask("POST", f"{path}/play", body, self.tokens[seat])
                self.acknowledged.append((seat, key))
        except (OSError, http.client.HTTPException) as lost:
            if not ended.is_set():
                self.trouble = lost
        except Exception as problem:
            self.trouble = problem

    def check(self, data: Path) -> None:
        """Everything acknowledged is stored; at most the one in flight came beside."""
        with sqlite3.connect(data / "bottega.sqlite3") as db:
            rows = db.execute(
                'SELECT number, seat, action FROM moves WHERE "table" = ? ORDER BY number',
                [self.id],
            ).fetchall()
        db.close()
        assert [number for number, _, _ in rows] == list(range(1, len(rows) + 1))
        stored = [(seat, action) for _, seat, action in rows]
        assert stored[: len(self.acknowledged)] == self.acknowledged
        assert len(stored) <= len(self.acknowledged) + 1
        self.acknowledged = stored
        log = self.server.ask("GET", f"/tables/{self.id}/log")
        assert bool(log["lines"]) == bool(stored)


def test_no_acknowledged_move_is_lost(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    chance = random.Random(1)
    players = [Player(server, seed) for seed in range(TABLES)]
    for _ in range(KILLS):
        goal = played(players) + chance.randint(2, 20)
        ended = threading.Event()
        threads = [threading.Thread(target=player.play, args=[ended]) for player in players]
        for thread in threads:
            thread.start()
        while played(players) < goal and any(thread.is_alive() for thread in threads):
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.03))  # in the middle of whatever it is doing
        ended.set()
        server.kill()
        for thread in threads:
            thread.join(40)
        assert [player.trouble for player in players] == [None] * TABLES
        assert played(players) >= goal
        server.start()
        for player in players:
            player.check(tmp_path)
    server.kill()


def played(players: list[Player]) -> int:
    return sum(len(player.acknowledged) for player in players)
