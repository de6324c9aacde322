"""A program that plays a game on a Bottega server, with nothing but Python's own library.

    python docs/client.py http://localhost:8000 splendor

It sets up a table against a bot, asks what is legal, plays, and waits for the server's events
while others think. The rule it plays by is simple: buy if you can, otherwise take something.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any


class Stale(Exception):
    """The table changed since we looked: somebody else has decided meanwhile."""


class Server:
    """A Bottega server, and the token of our seat once we have one."""

    def __init__(self, address: str) -> None:
        self.api = address.rstrip("/") + "/api/v1"
        self.token = ""

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """GET, or POST if there is a body; the answer's JSON."""
        with self._open(path, body) as answer:
            return json.load(answer)

    def updates(self, path: str) -> Iterator[int]:
        """Our sequence number, whenever what we see has changed."""
        with self._open(path) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield int(line.removeprefix(b"data:"))

    def _open(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(self.api + path)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refusal:
            reason = f"The server says: {json.load(refusal)['error']}"
            raise (Stale(reason) if refusal.code == 409 else SystemExit(reason)) from None


def choose(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Buy if possible, otherwise anything."""
    purchases = [action for action in actions if action["key"].startswith("buy")]
    return random.choice(purchases or actions)


def play(address: str, game: str, bot: str = "search-1") -> dict[str, Any]:
    """Play one game to its end; what we see then."""
    server = Server(address)
    made = server.ask("/tables", {"game": game, "mode": "bots", "bot": bot, "name": "Client"})
    server.token = next(seat["token"] for seat in made["seats"] if seat["token"])
    table = f"/tables/{made['id']}"
    print(f"We play {game} at {address}{made['url']}")
    for _ in server.updates(f"{table}/events"):
        while choices := server.ask(f"{table}/legal"):
            if not choices["actions"]:
                break
            action = choose(choices["actions"])
            print(action["text"])
            with contextlib.suppress(Stale):  # then we look again
                server.ask(f"{table}/play", {"action": action["key"], "seq": choices["seq"]})
        view: dict[str, Any] = server.ask(f"{table}/view")
        if view["over"]:
            break
    print(view["prompt"])
    return view


if __name__ == "__main__":
    play(*sys.argv[1:])
