"""People without a browser: each has a cookie and sends the forms that pages would send."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from httpx import Response
from starlette.testclient import TestClient

from bottega.engine.match import Match
from bottega.table.playing import people
from bottega.table.playing.table import Table
from bottega.table.playing.tables import Tables

T = TypeVar("T")
JSON = {"accept": "application/json"}


class Guest:
    """Somebody with a browser of their own, at a server that runs in this process."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.csrf = ""

    @property
    def tables(self) -> Tables:
        tables: Tables = self.client.app.state.site.tables  # type: ignore[attr-defined]
        return tables

    def run(self, doing: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """Do something on the server's own loop."""
        assert self.client.portal is not None
        return self.client.portal.call(doing, *arguments)

    def get(self, url: str, **more: Any) -> Response:
        return self.client.get(url, **more)

    def page(self, url: str) -> str:
        """A page that must be there."""
        answer = self.get(url)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, url: str, files: Any = None, **fields: Any) -> Response:
        """A form, as the page's script sends it."""
        if not self.csrf:
            found = re.search(r'name="csrf" value="([^"]+)"', self.page("/"))
            assert found
            self.csrf = found[1]
        fields = {"csrf": self.csrf, **fields}
        return self.client.post(url, data=fields, files=files, headers=JSON)

    def must(self, url: str, **fields: Any) -> dict[str, Any]:
        """A form that must be accepted."""
        answer = self.send(url, **fields)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        assert said["ok"] is True
        return said

    def create(self, **fields: Any) -> str:
        """A new table's address."""
        wish = {"game": "splendor", "mode": "bots", "players": 2, "bot": "random", "seat": 0}
        url: str = self.must("/tables", **{**wish, **fields})["url"]
        return url

    # Looking behind the pages

    def table(self, url: str) -> Table:
        return self.run(self.tables.find, url.split("/")[2])

    def match(self, url: str) -> Match:
        return self.table(url).match

    def seq(self, url: str) -> int:
        """The sequence number of the page as this guest sees it."""
        found = re.search(r'data-seq="(\d+)"', self.page(f"{url}/board"))
        assert found
        return int(found[1])

    def link(self, url: str, seat: int) -> str:
        """The link to a seat, of the kind that opens it at once."""
        return f"{url}?seat={self.token(url, seat)}"

    def token(self, url: str, seat: int) -> str:
        """What opens a seat."""
        return people.token_of(self.tables, self.table(url), seat)

    def choose(self, url: str, action: str, **fields: Any) -> Response:
        return self.send(f"{url}/play", action=action, **fields)

    def take(self, url: str, **fields: Any) -> None:
        """Play what shows nothing hidden: the first legal take of gems."""
        match = self.match(url)
        seat = match.waiting[0]
        key = next(a.key for a in match.legal(seat) if a.key.startswith("take"))
        answer = self.choose(url, key, **fields)
        assert answer.status_code == 200, answer.text


def facts(table: Table) -> tuple[Any, ...]:
    """Everything that a refused request must leave as it was."""
    match = table.match
    return (
        match.state(),
        match.moves,
        match.names,
        [vars(seat) for seat in table.seats],
        sorted(table.holders),
        [vars(said) for said in table.chat],
        table.manners,
        {eyes: viewer.seq for eyes, viewer in table.viewers.items()},
    )


def finish(guest: Guest, url: str) -> Match:
    """Let every seat of a table be played to the end, as fast as the rules go."""

    async def all_moves() -> None:
        tables = guest.tables
        table = await tables.find(url.split("/")[2])

        async def move() -> None:
            seat = table.match.waiting[0]
            numbers = table.match.legal_numbers(seat)
            buys = [n for n in numbers if table.game.keys[n].startswith("buy")]
            await tables.play(table, seat, (buys or numbers)[-1])

        while not table.match.over:
            await tables.change(table, move)

    guest.run(all_moves)
    return guest.match(url)
