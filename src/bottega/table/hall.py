"""The hall: every table of this server. It finds them, changes them and stores each change."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

import bottega
from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot
from bottega.engine.errors import BottegaError
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.engine.option import Value
from bottega.table.analysis import Analyst
from bottega.table.faults import Broken, NoSuchTable, NotNow, NotStored
from bottega.table.live import Table
from bottega.table.seating import Seat, Wish, arrange, clean_name
from bottega.table.secret import Secret, new_table_id
from bottega.table.settings import Settings
from bottega.table.store import Conflict, Entry, Loaded, Store
from bottega.table.thinking import Thinkers

log = logging.getLogger(__name__)

EXERCISE = 80  # decisions, enough to come across everything that needs compiling


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
        self._warm: dict[str, asyncio.Task[bool]] = {}

    def open(self) -> None:
        """Have the games compiled while nobody waits for them yet. Stopping does not wait either:
        the thread ends with the server."""
        if self.settings.warm:
            threading.Thread(target=exercise_all, daemon=True).start()

    async def close(self) -> None:
        """Let go of everything; nothing is lost, since every change is stored already."""
        await self.thinkers.stop(list(self.tables.values()))
        await self.analyst.stop()
        await self.store.close()

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
            await self.warm(bottega.game(loaded.entry.game))
            match = await asyncio.to_thread(replayed, loaded)
        except BottegaError as problem:
            raise Broken(f"What is stored of this table does not fit: {problem}") from None
        self._make_room()
        self._place(Table(loaded, match))

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

    async def warm(self, game: Game) -> None:
        """Have a game compiled, off the loop, before its first table needs it."""
        if game.name not in self._warm:
            self._warm[game.name] = asyncio.create_task(asyncio.to_thread(exercise, game))
        await asyncio.shield(self._warm[game.name])

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
        await self.warm(game)
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
        entry = Entry(
            id=new_table_id(),
            game=match.game.name,
            rules=match.game.rules_version,
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
            **state(match),
        )
        moves = [(move.seat, move.key) for move in match.moves]
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
        move = trial.play(seat, action)
        now = state(trial, table.match)
        number = len(trial.moves)
        await self.stored(self.store.add_move(table.id, number, seat, move.key, now), table)
        self.put(table, trial)

    def put(self, table: Table, match: Match) -> None:
        """A stored change is seen from now on."""
        table.match = match
        table.request = None
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
            log.error("could not store: %s", problem)
            self._forget(table)
            raise NotStored("That could not be stored, so it has not happened.") from None

    def _forget(self, table: Table | None) -> None:
        """Have the table loaded anew: the database knows better."""
        if table is not None and self.tables.get(table.id) is table:
            del self.tables[table.id]
            table.hang_up()


def state(match: Match, before: Match | None = None) -> dict[str, Any]:
    """What lists of tables show without playing the match through.

    A step that is not yet confirmed is private, and so is when it was taken.
    """
    result = match.prompt(None) if match.over else ""
    shown = {
        "over": match.over,
        "waiting": match.waiting,
        "turns": match.turns,
        "result": result[:400],
    }
    noticed = before is None or before.turns != match.turns
    return {**shown, "changed": time.time()} if noticed else shown


def own_options(game: Game, options: Mapping[str, Value] | None) -> dict[str, Any]:
    """The options that are the game's: nothing else of a table can be set by a request."""
    game.check_options(options or {})
    return dict(options or {})


def replayed(loaded: Loaded) -> Match:
    """The match of a stored table, all its moves played."""
    entry = loaded.entry
    game = bottega.game(entry.game)
    if entry.rules != game.rules_version:
        raise Broken(f"It was begun by version {entry.rules} of the rules of {game.title}.")
    if entry.kit not in game.kits or game.kit(entry.kit).hash != entry.kit_hash:
        raise Broken(f"Its kit '{entry.kit}' is not here or has changed.")
    match = game.new(
        entry.players,
        int(entry.seed),
        kit=entry.kit,
        limit=entry.turn_limit,
        names=entry.names,
        **own_options(game, entry.options),
    )
    for seat, key in loaded.moves:
        match.play(seat, key)
    return match


def exercise(game: Game) -> bool:
    """Play a while with everything that pages show, so that all of it is compiled; whether seats
    may act that owe nothing.

    The compiler leaves a million objects that stay. Set aside, they are not looked through again
    and again for garbage, which held a page up for an eighth of a second now and then.
    """
    match = game.new(game.seats[1], seed=0)
    chance = random.Random(0)
    guests = False
    for _ in range(EXERCISE):
        if match.over:
            break
        seat = match.waiting[0]
        _ = match.view(seat), match.prompt(seat), match.topic(seat)
        guests = guests or bool(match.invited)
        match.play(seat, chance.choice(match.legal(seat)))
    _ = match.chances(samples=1), match.standings, match.log(0)
    gc.freeze()
    return guests


def exercise_all() -> None:
    """Have every game and its bots compiled."""
    for name in bottega.games():
        game = bottega.game(name)
        guests = exercise(game)
        match = game.new(game.seats[1], seed=0)  # at the start, where there is something to choose
        seat = match.waiting[0]
        # All levels are made of these two.
        GreedyBot().choose(match, seat)
        SearchBot(iterations=20).choose(match, seat)
        if guests:
            GreedyBot().consider(match, seat)
