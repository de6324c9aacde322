"""What follows an ended table: a rematch, playing on from a moment of it, opening a notation."""

from __future__ import annotations

import bottega
from bottega.engine.match import Match
from bottega.engine.notation import read
from bottega.table.database.rows import BOT, PERSON, Seat
from bottega.table.faults import Fault, Forbidden, NotNow, TooLarge
from bottega.table.playing import levels
from bottega.table.playing.seating import bot_name, free_name
from bottega.table.playing.stored import own_options
from bottega.table.playing.table import MOST_DECISIONS, Eyes, Table
from bottega.table.playing.tables import Tables, at_the_table


@at_the_table
async def rematch(tables: Tables, table: Table, eyes: Eyes) -> str:
    """The same people at a new table, the next seat beginning; its name."""
    if not eyes.held and not eyes.host:
        raise Forbidden("You are watching. Only the players can ask for a rematch.")
    if not table.match.over or table.opened:
        raise NotNow("A rematch can begin when this game is over.")
    if table.entry.follower is None:
        table.entry.follower = await _again(tables, table)
        table.changed(board=False)
    return table.entry.follower


async def _again(tables: Tables, table: Table) -> str:
    old = table.match
    order = [(seat + 1) % old.players for seat in range(old.players)]  # the old seat of each
    match = table.game.new(
        old.players,
        kit=old.kit,
        limit=old.limit,
        names=[old.names[seat] for seat in order],
        **own_options(table.game, old.options),
    )
    new = await tables.add(
        match,
        [table.seats[seat] for seat in order],
        {(visitor, order.index(seat)) for visitor, seat in table.holders},
        table.entry.mode,
        table.entry.invite,
        table.entry.host,
        follows=table.entry,
    )
    return new.id


async def fork(tables: Tables, table: Table, visitor: str, at: int, seat: int, bot: str) -> Table:
    """A new table that begins with the first moves of this one, bots in the other seats."""
    if not table.public:
        raise NotNow("One can play on from here when the game is over.")
    if not 0 <= seat < table.match.players:
        raise Fault(f"The seats are 0 to {table.match.players - 1}.")
    match = table.match.at(at)
    if match.over:
        raise NotNow("The game is over there; choose an earlier moment.")
    level = levels.level(bot).name
    seats = [Seat(PERSON) if at == seat else Seat(BOT, level) for at in range(match.players)]
    own = await tables.store.name_of(visitor)
    names: list[str] = []
    for place in range(match.players):
        wanted = own if place == seat else bot_name(names)
        names.append(free_name(wanted, names))
    match.rename(names)
    return await tables.add(match, seats, {(visitor, seat)}, "bots", host=visitor)


async def open_notation(tables: Tables, text: str, visitor: str | None, owner: str) -> Table:
    """A table to look at, from a notation. It may take a while: others of the same owner wait."""
    decisions = sum(line.lstrip()[:1].isdigit() for line in text.splitlines())
    if decisions > MOST_DECISIONS:
        raise TooLarge(
            f"This notation has {decisions} decisions. A table takes {MOST_DECISIONS}, which are "
            f"several times as many as any game needs."
        )
    match = await tables.backroom.do(owner, _read, text)
    seats = [Seat(PERSON) for _ in range(match.players)]
    return await tables.add(match, seats, set(), "opened", host=visitor)


def _read(text: str) -> Match:
    match = read(text, bottega.game, trusted=False)
    match.told()  # whoever looks at it need not wait for that
    return match
