"""Programs that play by the JSON API whatever happens to the servers, and remember what was
acknowledged; and the comparison of that with what the database has."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bottega.table.database.schema import MOVES
from tests.table.databases import Database
from tests.table.servers import Server

PAUSE = 0.05  # seconds before it is tried again
PATIENCE = 60.0  # seconds after which nothing goes on any more


class Away(Exception):
    """There was no answer, or one that says: not now."""


@dataclass
class Attempt:
    """A decision that was sent: acknowledged, refused, or nobody knows."""

    seat: int
    action: str
    outcome: str = "unknown"  # or "counted", "refused"


class Stubborn(threading.Thread):
    """Plays one table after the other until told to stop, asking any server: both seats, or one of
    them against a bot."""

    def __init__(self, servers: Sequence[Server], seed: int, *, bot: str = "") -> None:
        super().__init__(daemon=True)
        self.servers = servers
        self.bot = bot
        self.tables: dict[str, list[Attempt]] = {}
        self.counted = 0  # decisions that were acknowledged
        self.longest = 0.0  # seconds without any answer
        self.turned_away = 0  # requests that had no answer, or one that says: not now
        self.stuck = ""
        self.enough = threading.Event()
        self._chance = random.Random(seed)
        self._went_on = time.monotonic()
        self._waiting = 0.0  # since when for a bot

    def run(self) -> None:
        try:
            while not self.enough.is_set():
                self._play_a_table()
        except AssertionError as problem:
            self.stuck = str(problem)

    def _play_a_table(self) -> None:
        wish = {"game": "splendor", "players": 2, "mode": "hotseat"}
        if self.bot:
            wish |= {"mode": "bots", "bot": self.bot, "seat": 0}
        made = self._insist("POST", "/tables", wish)
        if made is None:
            return
        attempts = self.tables.setdefault(made["id"], [])
        tokens = [seat["token"] for seat in made["seats"]]
        while not self.enough.is_set():
            seen = self._insist("GET", f"/tables/{made['id']}/view", token=tokens[0])
            if seen is None or seen["over"]:
                return
            seat = next(player["seat"] for player in seen["players"] if player["waiting"])
            if tokens[seat] is None:
                self._wait_for_the_bot()
                continue
            self._waiting = 0.0
            legal = self._insist("GET", f"/tables/{made['id']}/legal", token=tokens[seat])
            if legal and legal["actions"]:
                key = self._chance.choice(legal["actions"])["key"]
                self._decide(made["id"], attempts, seat, key, legal["seq"], tokens[seat])

    def _wait_for_the_bot(self) -> None:
        self._waiting = self._waiting or time.monotonic()
        assert time.monotonic() - self._waiting < PATIENCE, "a bot does not go on"
        time.sleep(PAUSE)

    def _decide(
        self, table: str, attempts: list[Attempt], seat: int, key: str, seq: int, token: str
    ) -> None:
        attempt = Attempt(seat, key)
        attempts.append(attempt)
        try:
            status, _ = self._ask(
                "POST", f"/tables/{table}/play", {"action": key, "seq": seq}, token
            )
        except Away:
            return  # whether it counts is seen by looking again
        attempt.outcome = "counted" if status == 200 else "refused"
        self.counted += status == 200

    def _insist(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """A good answer from any server, however long it takes; None when it is enough."""
        while not self.enough.is_set():
            try:
                status, said = self._ask(method, path, body, token)
            except Away:
                assert time.monotonic() - self._went_on < PATIENCE, f"nobody answers to {path}"
                time.sleep(PAUSE)
                continue
            assert status < 300, (path, said)
            return said
        return None

    def _ask(self, method: str, path: str, body: Any, token: str) -> tuple[int, Any]:
        address = self._chance.choice([server.address for server in self.servers])
        headers = {"authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["content-type"] = "application/json"
        connection = http.client.HTTPConnection(address, timeout=20)
        try:
            connection.request(method, f"/api/v1{path}", body and json.dumps(body), headers)
            answer = connection.getresponse()
            status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            status, text = 0, b""
        finally:
            connection.close()
        if not status or status >= 500:
            self.turned_away += 1
            raise Away
        now = time.monotonic()
        self.longest, self._went_on = max(self.longest, now - self._went_on), now
        return status, json.loads(text)


@contextmanager
def playing(servers: Sequence[Server], number: int, bot: str = "") -> Iterator[list[Stubborn]]:
    """So many of them play meanwhile, every other one against a bot, if there is one."""
    clients = [Stubborn(servers, seed, bot=bot if seed % 2 else "") for seed in range(number)]
    for client in clients:
        client.start()
    yield clients
    for client in clients:
        client.enough.set()
    for client in clients:
        client.join(PATIENCE)


def wait_for_all(clients: Sequence[Stubborn], more: int) -> None:
    """Wait until each of them has gone on by so many decisions."""
    goals = [client.counted + more for client in clients]
    until = time.monotonic() + PATIENCE
    while any(client.counted < goal for client, goal in zip(clients, goals, strict=True)):
        assert time.monotonic() < until, f"somebody does not go on: {[c.stuck for c in clients]}"
        time.sleep(PAUSE)


def check(clients: Sequence[Stubborn], database: Database) -> int:
    """Every acknowledged decision is there, none twice, and nothing that was not sent; how many
    there were."""
    number = 0
    for client in clients:
        assert not client.stuck, client.stuck
        for table, attempts in client.tables.items():
            rows = database.execute(
                sa.select(MOVES.c.number, MOVES.c.seat, MOVES.c.action)
                .where(MOVES.c.table == table)
                .order_by(MOVES.c.number)
            )
            assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
            own = [(seat, action) for _, seat, action in rows if not (client.bot and seat)]
            assert fits(attempts, own), table
            number += sum(attempt.outcome == "counted" for attempt in attempts)
    return number


def fits(attempts: Sequence[Attempt], moves: Sequence[tuple[int, str]]) -> bool:
    """Whether the moves are those that were acknowledged, in their order, and of those of which
    nobody knows some or none."""
    places = {0}  # how many moves may be accounted for so far
    for attempt in attempts:
        same = {
            at + 1
            for at in places
            if at < len(moves) and moves[at] == (attempt.seat, attempt.action)
        }
        if attempt.outcome == "counted":
            places = same
        elif attempt.outcome == "unknown":
            places |= same
    return len(moves) in places
