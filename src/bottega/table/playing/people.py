"""Coming, going, sitting down, names and talk."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bottega.table.database.store import Said
from bottega.table.faults import Fault, Forbidden, NotNow
from bottega.table.playing.seating import OPEN, PERSON, Seat, clean_name, free_name
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Hall

LONGEST_SAYING = 500


async def take_seat(hall: Hall, table: Table, visitor: str, seat: int) -> None:
    """Somebody opened a seat's link: their browser holds the seat from now on."""
    if (visitor, seat) in table.holders or table.seats[seat].kind not in (OPEN, PERSON):
        return
    async with hall.changing(table):
        await hall.stored(hall.store.hold(visitor, table.entry, seat), table)
        table.holders.add((visitor, seat))
        table.changed()


async def settle(hall: Hall, table: Table, seat: int, name: str = "") -> None:
    """An open seat becomes a person's: somebody has really come, and not only looked."""
    if table.seats[seat].kind != OPEN:
        return
    async with hall.changing(table):
        await _sit(hall, table, seat, name or table.match.names[seat])


async def join(hall: Hall, table: Table, visitor: str | None, name: str) -> int:
    """Seat somebody at the first open seat of a table with one link for all."""
    if table.entry.invite != "one-link":
        raise Forbidden("This table has a link for each seat; ask its host for yours.")
    mine = table.eyes(visitor).held if visitor else ()
    if mine:
        return mine[0]
    async with hall.changing(table):
        if not table.open_seats:
            raise NotNow("Every seat is taken; you can still watch.")
        seat = table.open_seats[0]
        if visitor is not None:
            await hall.stored(hall.store.hold(visitor, table.entry, seat), table)
            table.holders.add((visitor, seat))
        await _sit(hall, table, seat, name)
    return seat


async def _sit(hall: Hall, table: Table, seat: int, name: str) -> None:
    names = _named(table, seat, name)
    await hall.stored(hall.store.settle(table.entry, seat, names), table)
    table.seats[seat] = Seat(PERSON)
    _call(table, names)


async def rename(hall: Hall, table: Table, seat: int, name: str) -> None:
    """A person's new name."""
    if not clean_name(name):
        raise NotNow("A name needs at least one letter.")
    async with hall.changing(table):
        names = _named(table, seat, name)
        await hall.stored(hall.store.set_names(table.entry, names), table)
        _call(table, names)


def _named(table: Table, seat: int, name: str) -> list[str]:
    names = list(table.match.names)
    names[seat] = free_name(name, names[:seat] + names[seat + 1 :])
    return names


def _call(table: Table, names: list[str]) -> None:
    match = table.match.copy()  # a bot may be reading the present one
    match.rename(names)
    table.rename(match)


async def ready(hall: Hall, table: Table, eyes: Eyes) -> None:
    """Hot seat: the one to whom the device was passed has it."""
    async with hall.changing(table):
        _, curtain = table.face(eyes)
        if curtain is None or eyes.browser is None:
            raise NotNow("There is nobody to pass the device to now.")
        table.ready[eyes.browser] = curtain
        table.changed()


async def say(hall: Hall, table: Table, eyes: Eyes, name: str, text: str) -> None:
    """A line of chat."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if not text:
        raise NotNow("There is nothing said in that.")
    if len(text) > LONGEST_SAYING:
        raise NotNow(f"Please say it in {LONGEST_SAYING} characters.")
    async with hall.changing(table):
        seat = table.actor(eyes)
        who = table.match.names[seat] if seat is not None else clean_name(name) or "Guest"
        said = Said(seat, who, text)
        await hall.stored(hall.store.say(table.entry, said), table)
        table.chat.append(said)
        table.changed(board=False)


# Who has the page open


async def arrive(hall: Hall, table: Table, eyes: Eyes, name: str) -> None:
    """A page of these eyes opens."""
    for seat in eyes.held:
        with suppress(Fault):  # a table that was just loaded anew is settled next time
            await settle(hall, table, seat, name)
        table.here[seat] += 1
    if eyes.held:
        table.changed(board=False)


def leave(hall: Hall, table: Table, eyes: Eyes) -> None:
    """A page closes; whoever only reloads it is back before anybody is told."""

    def gone() -> None:
        table.here.subtract(eyes.held)
        table.changed(board=False)

    if eyes.held:
        asyncio.get_running_loop().call_later(hall.settings.absence, gone)
