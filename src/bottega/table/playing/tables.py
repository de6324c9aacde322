"""All tables: finding them, setting them up, changing them and storing each change.

Memory is a cache of the database. Where several processes share one, a table is looked at anew at
every request, and each change is made under a check of the version that it was made on.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy.exc import SQLAlchemyError

import bottega
from bottega import warm
from bottega.engine.elsewhere import compiler, prepare
from bottega.engine.errors import BottegaError
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.engine.option import Value
from bottega.engine.record import layout
from bottega.table import metrics
from bottega.table.backroom import Backroom
from bottega.table.database.jobs import LOOKED
from bottega.table.database.rows import Entry, Loaded, Played, Seat
from bottega.table.database.signals import CHANGED, MISSED, PRESENCE, Signal
from bottega.table.database.sole_server import sole_server
from bottega.table.database.store import Conflict, Store, name_of_layout
from bottega.table.faults import Broken, CannotServe, NoSuchTable, NotNow, NotStored
from bottega.table.playing.manners import Manners
from bottega.table.playing.seating import Wish, arrange, clean_name
from bottega.table.playing.stored import own_options, replayed, resumed, state, stored_moves
from bottega.table.playing.table import MOST_DECISIONS, Table, due_bots
from bottega.table.secret import Secret, new_table_id
from bottega.table.settings import Settings

log = logging.getLogger(__name__)

READING = 10  # how far reading notations and the like stands behind, as `nice` counts
NOTED = 60.0  # seconds between two notes of who looks, with SQLite
BEAT = 5.0  # seconds between two signs of life to the other processes
TRIES = 20  # times that a change is tried anew because another process was first

GONE = (
    "There is no table of this name. Perhaps the link was cut short, or nobody had looked at the "
    "table for so long that it was cleared away."
)

P = ParamSpec("P")
T = TypeVar("T")


class Tables:
    """All tables, those in memory and those that wait in the database."""

    def __init__(self, settings: Settings, store: Store, secret: Secret) -> None:
        self.settings = settings
        self.store = store
        self.secret = secret
        self.known: dict[str, Table] = {}  # those in memory
        self.watchers: list[Callable[[Table], None]] = []  # are told when bots may decide
        self.hearers: list[Callable[[Signal], None]] = []  # are told what other processes say
        self.closing = False
        self.backroom = Backroom("reader", 1, READING)
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Hear what others do, and have the games compiled while nobody waits for them yet."""
        self._loop = asyncio.get_running_loop()
        self.store.signals.listen(self._hear)
        self.begin(self._keep_beating() if self.store.shared else self._keep_noting())
        compiler.listen(self._compiled)
        games = [bottega.game(name) for name in bottega.games()]
        if any(warm.at_hand(game) for game in games):
            threading.Thread(target=prepare, daemon=True).start()
        for game in games if self.settings.warm else ():
            self._want(game)

    async def close(self) -> None:
        """Let go of everything; nothing is lost, since every change is stored already."""
        compiler.leave(self._compiled)
        await self.store.signals.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.backroom.close()
        if self.store.shared:
            with suppress(SQLAlchemyError, OSError):
                await self.store.presence.leave()

    def hang_up(self) -> None:
        """End every stream of events; browsers come back when there is a server again."""
        self.closing = True
        for table in list(self.known.values()):
            table.hang_up()

    # Finding

    async def find(self, name: str, *, look: bool = True) -> Table:
        """A table as it stands now; to `look` at it lets its bots go on."""
        table = self.known.get(name)
        if table is None:
            async with self._loading.setdefault(name, asyncio.Lock()):
                table = self.known.get(name) or await self._load(name)
        elif await self._outdated(table):
            async with table.lock:
                await self._catch_up(table)
        if table.uncounted:
            await self._count_elsewhere(table)
        if look:
            waited = not table.awake
            table.touched = time.monotonic()
            if waited:
                self._tell_watchers(table)
        return table

    async def change(self, table: Table, doing: Callable[[], Awaitable[T]]) -> T:
        """Do something with a table that nobody else does anything with meanwhile. If another
        process was first, look again and try again: what is not stored has not happened, and
        storing it shows whether the table is as it is known here."""
        async with table.lock:
            for _ in range(TRIES):
                if table.stale:
                    await self._catch_up(table)
                with suppress(Conflict):
                    return await doing()
                table.stale = True
        raise NotNow("The table was changed from elsewhere; please look again.")

    async def _outdated(self, table: Table) -> bool:
        """Whether the database knows a table better than memory."""
        if not self.store.shared:
            return table.stale
        return table.stale or await self._version_of(table) != table.entry.version

    async def _version_of(self, table: Table) -> int:
        version = await self.read(self.store.version_of(table.id))
        if version is None:
            self.forget(table.id)
            raise NoSuchTable("This table is not there any more.")
        return version

    async def _catch_up(self, table: Table) -> None:
        """Bring a table in memory to where it stands in the database. The caller holds its lock."""
        if not await self._outdated(table):
            return
        loaded = await self.read(self.store.load(table.id, None if table.stale else table.entry))
        if loaded is None:
            self.forget(table.id)
            raise NoSuchTable("This table is not there any more.")
        table.become(loaded, await self._match_of(loaded, table.match))
        await self._count_elsewhere(table)
        table.changed()
        self._tell_watchers(table)

    async def _load(self, name: str) -> Table:
        fits = re.fullmatch(r"[\w-]{1,24}", name, re.ASCII)
        loaded = await self.read(self.store.load(name)) if fits else None
        if loaded is None:
            raise NoSuchTable(GONE)
        table = Table(loaded, await self._match_of(loaded))
        await self._count_elsewhere(table)
        self._make_room()
        self._place(table)
        return table

    async def _match_of(self, loaded: Loaded, known: Match | None = None) -> Match:
        """The match of a stored table, or of one that is known and has gone on since."""
        try:
            game = bottega.game(loaded.entry.game)
            self._want(game, first=True)
            if not loaded.has_records:
                await self._complete(loaded, game)
            return await asyncio.to_thread(_resumed, loaded, known if loaded.before else None)
        except BottegaError as problem:
            raise Broken(f"What is stored of this table does not fit: {problem}") from None

    async def _complete(self, loaded: Loaded, game: Game) -> None:
        """Give a table its records that was stored before there were any: play it through once. If
        they cannot be stored, it can be looked at all the same, and gets them another time."""
        match = await asyncio.to_thread(replayed, loaded)
        entry, described = loaded.entry, layout(game.table)
        name = name_of_layout(described)
        entry.start, entry.layout = match.records[0].tobytes(), name
        loaded.layouts = {name: described}
        loaded.moves = [
            dataclasses.replace(move, rules=entry.rules) for move in stored_moves(match, name)
        ]

        async def keep() -> None:
            await self.store.keep_layout(described)
            await self.store.add_records(entry, loaded.moves)

        try:
            with suppress(NotStored):
                await self.stored(keep())
        except Conflict:
            raise NotNow("The table was changed from elsewhere; please look again.") from None

    async def _count_elsewhere(self, table: Table) -> None:
        if not self.store.shared:
            return
        table.uncounted = False
        found = await self.read(self.store.presence.elsewhere(table.id))
        if found != table.elsewhere:
            table.elsewhere = found
            table.changed(board=False)

    def _place(self, table: Table) -> None:
        self.known[table.id] = table
        metrics.tables.set(len(self.known))
        self._tell_watchers(table)

    def in_use(self, name: str) -> bool:
        """Whether somebody is at a table, through this process."""
        table = self.known.get(name)
        return table is not None and (table.busy or table.looked_at(LOOKED))

    def forget(self, name: str) -> None:
        """Keep a table no longer in memory."""
        self.known.pop(name, None)
        metrics.tables.set(len(self.known))

    def _tell_watchers(self, table: Table) -> None:
        for watcher in self.watchers:
            watcher(table)

    def _make_room(self) -> None:
        """Drop the tables that nobody has looked at for longest, until one more fits."""
        room = self.settings.capacity - sum(table.size for table in self.known.values())
        idle = (table for table in self.known.values() if not table.busy)
        for table in sorted(idle, key=lambda table: table.touched) if room < 1 else ():
            if room >= 1:
                break
            room += table.size
            self.forget(table.id)

    # What others do

    def _hear(self, signal: Signal) -> None:
        """Another process says something."""
        if signal.kind == MISSED:
            tables = list(self.known.values())
        else:
            tables = [self.known[signal.table]] if signal.table in self.known else []
        if signal.kind in (CHANGED, PRESENCE, MISSED):
            for table in tables:
                table.uncounted |= signal.kind != CHANGED
                if table.busy:  # the others are looked at when somebody asks for them
                    self.begin(self._follow(table))
        for hearer in self.hearers:
            hearer(signal)

    async def _follow(self, table: Table) -> None:
        try:
            async with table.lock:
                await self._catch_up(table)
            if table.uncounted:
                await self._count_elsewhere(table)
        except (NoSuchTable, NotStored, Broken) as problem:
            log.warning("table could not be followed: %s", type(problem).__name__)
            table.stale = True
            table.hang_up()

    async def _keep_beating(self) -> None:
        """Say again and again that this process is alive, and which tables are looked at."""
        while True:
            try:
                await self._beat()
            except (SQLAlchemyError, OSError) as problem:
                log.warning("the database does not answer: %s", type(problem).__name__)
            await asyncio.sleep(BEAT)

    async def _keep_noting(self) -> None:
        """Note again and again which tables are looked at, where there is nobody to be told."""
        while True:
            await asyncio.sleep(NOTED)
            looked = [table.id for table in self.known.values() if table.looked_at(2 * NOTED)]
            if looked:
                with suppress(NotStored):
                    await self.stored(self.store.note_looks(looked))

    async def _beat(self) -> None:
        looked = [table.id for table in self.known.values() if table.looked_at(2 * BEAT)]
        if await self.store.presence.beat(looked):
            return
        for table in list(self.known.values()):
            for seat, pages in list(table.here.items()):
                if pages:
                    await self.store.presence.say(table.id, seat, pages)

    def begin(self, doing: Coroutine[Any, Any, None]) -> None:
        """Have something done until the server closes."""
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Compiling

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
        for table in self.known.values():
            if table.game.name == name and not table.match.over:
                table.changed(board=False)

    # Setting up

    async def create(
        self,
        game: Game,
        wish: Wish,
        *,
        host: str | None = None,
        program: str | None = None,
        kit: str = "default",
        options: Mapping[str, Value] | None = None,
    ) -> Table:
        """A fresh table, of a visitor who sits down there or of a program, which has tokens."""
        game.check_players(wish.players)
        if kit not in game.kits:
            there = ", ".join(game.kits)
            raise NotNow(f"{game.title} has no kit '{clean_name(kit)}'; it has {there}.")
        seating = arrange(wish)
        match = game.new(wish.players, kit=kit, names=seating.names, **own_options(game, options))
        holders = {(host, seat) for seat in seating.held} if host else set()
        return await self.add(
            match, seating.seats, holders, wish.mode, wish.invite, host or program
        )

    async def add(
        self,
        match: Match,
        seats: list[Seat],
        holders: set[tuple[str, int]],
        mode: str,
        invite: str = "seat-links",
        host: str | None = None,
        follows: Entry | None = None,
    ) -> Table:
        """A table of a match that may already have moves, and may follow another table."""
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
        table = Table(Loaded(entry, seats, holders, moves, []), match)
        await self.stored(self.store.add(entry, seats, holders, moves, table.due, follows))
        self._make_room()
        self._place(table)
        return table

    # Playing

    async def play(
        self, table: Table, seat: int, action: str | int, manners: Manners | None = None
    ) -> None:
        """One decision. It counts, and is seen, once it is stored. The caller holds the lock."""
        if table.opened:
            raise NotNow("This table is a replay; play on from here to change something.")
        if len(table.match.moves) >= MOST_DECISIONS:
            raise NotNow(f"This game has had its {MOST_DECISIONS} decisions; no table has more.")
        trial = table.match.copy()
        trial.play(seat, action)
        number = len(trial.moves)
        (move,) = await self.to_store(trial, number - 1)
        after = manners or table.manners.after_a_decision()
        now = {**state(trial, table.match), **_if_other(table, after)}
        due = None if table.due is None else due_bots(trial, table.seats)
        await self.stored(self.store.add_move(table.entry, number, move, now, due), table)
        metrics.moves.inc()
        self.put(table, trial, after)

    async def to_store(self, match: Match, kept: int) -> list[Played]:
        """The moves of a match behind those that are stored, as the database takes them."""
        name = await self.store.keep_layout(layout(match.game.table))
        return stored_moves(match, name, kept)

    def put(self, table: Table, match: Match, manners: Manners) -> None:
        """A stored change is seen from now on."""
        table.match = match
        table.manners = manners
        table.changed()
        self._tell_watchers(table)

    async def agree(self, table: Table, manners: Manners, *, board: bool = False) -> None:
        """Other manners at a table. The caller holds the lock."""
        await self.stored(self.store.set_manners(table.entry, manners.stored), table)
        table.manners = manners
        table.changed(board=board)

    # Storing

    async def stored(self, doing: Awaitable[None], table: Table | None = None) -> None:
        """Wait for the database. What it did not take has not happened."""
        try:
            await doing
        except (SQLAlchemyError, OSError) as problem:
            log.error("could not store: %s", said_by(problem))
            if table is not None:
                table.stale = True
            if getattr(problem, "connection_invalidated", False):
                said = "The database was lost just then. Look again whether that has happened."
            else:
                said = "That could not be stored, so it has not happened."
            raise NotStored(said) from None

    async def read(self, doing: Awaitable[T]) -> T:
        """Wait for what the database says."""
        try:
            return await doing
        except (SQLAlchemyError, OSError) as problem:
            log.error("could not read: %s", said_by(problem))
            raise NotStored(
                "The database does not answer just now. Try again in a moment."
            ) from None


@asynccontextmanager
async def opened(chosen: Settings) -> AsyncIterator[Tables]:
    """All tables, on a folder and a database that are this server's until it closes."""
    with sole_server(chosen.sqlite_file):
        secret = Secret.of(chosen)
        store = Store(chosen.url)
        try:
            await store.open()
            tables = Tables(chosen, store, secret)
            yield tables
            await tables.close()
        except (SQLAlchemyError, OSError) as problem:
            raise CannotServe(f"The database cannot be used: {said_by(problem)}.") from None
        finally:
            await store.close()


def at_the_table(
    function: Callable[Concatenate[Tables, Table, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Tables, Table, P], Coroutine[Any, Any, T]]:
    """What changes a table: one thing after the other, each on what the others have left."""

    async def alone(tables: Tables, table: Table, /, *args: P.args, **named: P.kwargs) -> T:
        return await tables.change(table, lambda: function(tables, table, *args, **named))

    update_wrapper(alone, function)
    return alone


def _resumed(loaded: Loaded, known: Match | None) -> Match:
    """The match of a stored table. What is told of an ended one is looked up here, in a thread."""
    match = resumed(loaded, known)
    if match.over:
        match.told()
    return match


def _if_other(table: Table, manners: Manners) -> dict[str, Any]:
    return {} if manners == table.manners else {"manners": manners.stored}


def said_by(problem: Exception) -> str:
    """What a database says of its trouble, without the rows it was about."""
    cause = getattr(problem, "orig", None) or problem
    return f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else ''}"
