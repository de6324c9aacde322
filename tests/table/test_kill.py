"""The server is killed in the middle of play, many times: no acknowledged move is lost."""

from __future__ import annotations

import http.client
import random
import threading
import time
from pathlib import Path

from bottega.table.database.schema import MOVES
from tests.table.databases import Database
from tests.table.servers import Server, several

KILLS = 6
TABLES = 3


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

    def check(self, database: Database) -> None:
        """Everything acknowledged is stored; at most the one in flight came beside."""
        kept = MOVES.select().where(MOVES.c.table == self.id).order_by(MOVES.c.number)
        rows = database.execute(kept.with_only_columns(MOVES.c.number, MOVES.c.seat, MOVES.c.action))
        assert [number for number, _, _ in rows] == list(range(1, len(rows) + 1))
        stored = [(seat, action) for _, seat, action in rows]
        assert stored[: len(self.acknowledged)] == self.acknowledged
        assert len(stored) <= len(self.acknowledged) + 1
        self.acknowledged = stored
        log = self.server.ask("GET", f"/tables/{self.id}/log")
        assert bool(log["lines"]) == bool(stored)


def test_no_acknowledged_move_is_lost(tmp_path: Path, database: Database) -> None:
    with several(1, tmp_path, database.url) as [server]:
        chance = random.Random(1)
        players = [Player(server, seed) for seed in range(TABLES)]
        for _ in range(KILLS):
            kill_while_they_play(server, players, chance)
            server.start()
            for player in players:
                player.check(database)


def kill_while_they_play(server: Server, players: list[Player], chance: random.Random) -> None:
    """Kill the server after some more moves, in the middle of whatever it is doing."""
    goal = played(players) + chance.randint(2, 20)
    ended = threading.Event()
    threads = [threading.Thread(target=player.play, args=[ended]) for player in players]
    for thread in threads:
        thread.start()
    while played(players) < goal and any(thread.is_alive() for thread in threads):
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.03))
    ended.set()
    server.kill()
    for thread in threads:
        thread.join(40)
    assert [player.trouble for player in players] == [None] * TABLES
    assert played(players) >= goal


def played(players: list[Player]) -> int:
    return sum(len(player.acknowledged) for player in players)
