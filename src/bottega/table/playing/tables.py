"""The hall: every table of this server. It finds them, changes them and stores each change."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager, suppress

from sqlalchemy.exc import SQLAlchemyError

import bottega
from bottega import warm
from bottega.engine.elsewhere import compiler, prepare
from bottega.engine.errors import BottegaError
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.engine.option import Value
from bottega.engine.record import layout
from bottega.table.database.store import Conflict, Entry, Loaded, Played, Store
from bottega.table.faults import Broken, NoSuchTable, NotNow, NotStored
from bottega.table.playing.seating import Seat, Wish, arrange, clean_name
from bottega.table.playing.stored import own_options, replayed, resumed, state, stored_moves
from bottega.table.playing.table import Table
from bottega.table.secret import Secret, new_table_id
from bottega.table.settings import Settings
from bottega.table.thinking.analysis import Analyst
from bottega.table.thinking.bots import Thinkers

log = logging.getLogger(__name__)


class Hall:
    """All tables, those in memory and those that wait in the database."""

    def __init__(self, settings: Settings, store: Store, secret: Secret) -> None:
        self.settings = settings
        self.store = store
        self.secret = secret
        self.tables: dict[str, Table] = {}
        self.thinkers = Thinkers(self, settings.pause)
        self.analyst = Analyst(self, settings.study)
        self._loading = asyncio.Lock()

    def open(self) -> None:
        """Have the games compiled elsewhere while nobody waits for them yet."""
        self._loop = asyncio.get_running_loop()
        compiler.listen(self._compiled)
        games = [bottega.game(name) for name in bottega.games()]
        if any(warm.at_hand(game) for game in games):
            threading.Thread(target=prepare, daemon=True).start()
        for game in games if self.settings.warm else ():
            self._want(game)

    async def close(self) -> None:
        """Let go of everything; nothing is lost, since every change is stored already."""
        compiler.leave(self._compiled)
        await self.thinkers.stop(list(self.tables.values()))
        await self.analyst.stop()

    def hang_up(self) -> None:
        """End every stream of events; browsers come back when there is a server again."""
        tables = list(self.tables.values())
        self.tables.clear()
        for table in tables:
            table.hang_up()

    # Finding

    async def find(self, name: str) -> Table:
        """A table, from memory or from the database."""
        if name not in self.tables:
            async with self._loading:
                if name not in self.tables:
                    await self._load(name)
        table = self.tables[name]
        table.touched = time.monotonic()
        return table

    @asynccontextmanager
    async def changing(self, table: Table) -> AsyncIterator[None]:
        """Hold a table's lock, if it is still the one in memory."""
        async with table.lock:
            if self.tables.get(table.id) is not table:
                raise NotNow("The table was just loaded anew; please try again.")
            yield

    async def _load(self, name: str) -> None:
        fits = re.fullmatch(r"[\w-]{1,24}", name, re.ASCII)
        loaded = await self.store.load(name) if fits else None
        if loaded is None:
            raise NoSuchTable("There is no table of this name. Perhaps the link was cut short?")
        try:
            game = bottega.game(loaded.entry.game)
            self._want(game, first=True)
            if not loaded.has_records:
                await self._complete(loaded, game)
            match = await asyncio.to_thread(resumed, loaded)
        except BottegaError as problem:
            raise Broken(f"What is stored of this table does not fit: {problem}") from None
        await self.store.keep_layout(layout(game.table))
        self._make_room()
        self._place(Table(loaded, match))

    async def _complete(self, loaded: Loaded, game: Game) -> None:
        """Give a table its records that was stored before there were any: play it through once."""
        match = await asyncio.to_thread(replayed, loaded)
        name = await self.store.keep_layout(layout(game.table))
        entry, loaded.layouts = loaded.entry, {name: layout(game.table)}
        entry.start, entry.layout = match.records[0].tobytes(), name
        loaded.moves = [
            dataclasses.replace(move, rules=entry.rules) for move in stored_moves(match, name)
        ]
        await self.stored(self.store.add_records(entry, loaded.moves))

    def _place(self, table: Table) -> None:
        self.tables[table.id] = table
        self.thinkers.wake(table)

    def _make_room(self) -> None:
        """Drop the tables that nobody has looked at for longest."""
        idle = sorted(
            (table for table in self.tables.values() if not table.busy),
            key=lambda table: table.touched,
        )
        for table in idle[: max(0, len(self.tables) + 1 - self.settings.capacity)]:
            del self.tables[table.id]

    def _want(self, game: Game, *, first: bool = False) -> None:
        """Have a game compiled elsewhere, its bots before the rest; until then it is interpreted.
        `first`: because somebody comes to it."""
        if not warm.at_hand(game):
            for part in ("bots", "engine"):
                compiler.want(game.code, part, first=first)

    def _compiled(self, name: str) -> None:
        """More of a game is compiled, another thread says: its bots may be awake now."""
        with suppress(RuntimeError):  # the loop may just have ended
            self._loop.call_soon_threadsafe(self._look_again, name)

    def _look_again(self, name: str) -> None:
        for table in self.tables.values():
            if table.game.name == name and not table.match.over:
                table.changed(board=False)

    # Setting up

    async def create(
        self,
        game: Game,
        wish: Wish,
        *,
        host: str | None = None,
        kit: str = "default",
        options: Mapping[str, Value] | None = None,
    ) -> Table:
        """A fresh table."""
        game.check_players(wish.players)
        if kit not in game.kits:
            there = ", ".join(game.kits)
            raise NotNow(f"{game.title} has no kit '{clean_name(kit)}'; it has {there}.")
        seating = arrange(wish)
        match = game.new(wish.players, kit=kit, names=seating.names, **own_options(game, options))
        holders = {(host, seat) for seat in seating.held} if host else set()
        return await self.add(match, seating.seats, holders, wish.mode, wish.invite, host)

    async def add(
        self,
        match: Match,
        seats: list[Seat],
        holders: set[tuple[str, int]],
        mode: str,
        invite: str = "seat-links",
        host: str | None = None,
    ) -> Table:
        """A table of a match that may already have moves."""
        self._want(match.game, first=True)
        name = await self.store.keep_layout(layout(match.game.table))
        entry = Entry(
            id=new_table_id(),
            game=match.game.name,
            rules=match.rules[0],
            kit=match.kit.name,
            kit_hash=match.kit.hash,
            players=match.players,
            seed=str(match.seed),
            turn_limit=match.limit,
            options=match.options,
            names=list(match.names),
            mode=mode,
            invite=invite,
            host=host,
            length=len(match.moves),
            start=match.records[0].tobytes(),
            layout=name,
            **state(match),
        )
        moves = stored_moves(match, name)
        await self.stored(self.store.add(entry, seats, holders, moves))
        self._make_room()
        table = Table(Loaded(entry, seats, holders, moves, []), match)
        self._place(table)
        return table

    # Playing

    async def play(self, table: Table, seat: int, action: str | int) -> None:
        """One decision. It counts, and is seen, once it is stored. The caller holds the lock."""
        if table.opened:
            raise NotNow("This table is a replay; play on from here to change something.")
        trial = table.match.copy()
        trial.play(seat, action)
        number = len(trial.moves)
        (move,) = await self.to_store(trial, number - 1)
        now = state(trial, table.match)
        await self.stored(self.store.add_move(table.entry, number, move, now), table)
        self.put(table, trial)

    async def to_store(self, match: Match, kept: int) -> list[Played]:
        """The moves of a match behind those that are stored, as the database takes them."""
        name = await self.store.keep_layout(layout(match.game.table))
        return stored_moves(match, name, kept)

    def put(self, table: Table, match: Match) -> None:
        """A stored change is seen from now on."""
        table.match = match
        table.request = table.refused = None
        table.changed()
        self.thinkers.wake(table)

    # Storing

    async def stored(self, doing: Awaitable[None], table: Table | None = None) -> None:
        """Wait for the database. What it did not take has not happened."""
        try:
            await doing
        except Conflict:
            self._forget(table)
            raise NotNow("The table was changed from elsewhere; please look again.") from None
        except (SQLAlchemyError, OSError) as problem:
            log.error("could not store: %s", said_by(problem))
            self._forget(table)
            raise NotStored("That could not be stored, so it has not happened.") from None

    def _forget(self, table: Table | None) -> None:
        """Have the table loaded anew: the database knows better."""
        if table is not None and self.tables.get(table.id) is table:
            del self.tables[table.id]
            table.hang_up()


def said_by(problem: Exception) -> str:
    """What a database says of its trouble, without the rows it was about."""
    cause = getattr(problem, "orig", None) or problem
    return f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else ''}"
