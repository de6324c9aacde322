"""Coming, going, sitting down, names and talk."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace

from sqlalchemy.exc import SQLAlchemyError

from bottega.table.database.rows import OPEN, PERSON, Said
from bottega.table.database.store import SAID_KEPT
from bottega.table.faults import Fault, Forbidden, NotNow
from bottega.table.playing.seating import clean_name, free_name
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Tables, at_the_table
from bottega.table.secret import same

log = logging.getLogger(__name__)

LONGEST_SAYING = 500


def token_of(tables: Tables, table: Table, seat: int) -> str:
    """What opens a seat."""
    return tables.secret.seat_token(table.id, seat, table.seats[seat].links)


def seat_of(tables: Tables, table: Table, token: str) -> int | None:
    """The seat that a token opens, of a person or for one."""
    for at, seat in enumerate(table.seats):
        if seat.kind in (OPEN, PERSON) and same(token, token_of(tables, table, at)):
            return at
    return None


async def take_seat(tables: Tables, table: Table, visitor: str, token: str) -> None:
    """Somebody opened a seat's link: their browser holds the seat from now on."""
    if (visitor, seat_of(tables, table, token)) not in table.holders:
        await _hold(tables, table, visitor, token)


@at_the_table
async def _hold(tables: Tables, table: Table, visitor: str, token: str) -> None:
    seat = seat_of(tables, table, token)
    if seat is None:
        raise Forbidden("This link opens no seat. Ask whoever sent it for a new one.")
    await tables.stored(tables.store.hold(visitor, table.entry, seat), table)
    table.holders.add((visitor, seat))
    table.changed()


@at_the_table
async def renew_link(
    tables: Tables, table: Table, eyes: Eyes, seat: int, visitor: str | None = None
) -> str:
    """A new link to a seat: its token. The old one opens the seat no more, and of the browsers that
    hold it only this visitor's goes on."""
    held = seat in eyes.held and table.knows(eyes)
    if not held and not (eyes.host and seat in table.open_seats):
        raise Forbidden("Only who holds a seat, or sends its link, can have a new one.")
    links = table.seats[seat].links + 1
    await tables.stored(tables.store.renew_link(table.entry, seat, links, visitor), table)
    table.seats[seat] = replace(table.seats[seat], links=links)
    table.holders = {one for one in table.holders if one[1] != seat or one[0] == visitor}
    table.changed()
    return token_of(tables, table, seat)


async def settle(tables: Tables, table: Table, seat: int, name: str = "") -> None:
    """An open seat becomes a person's: somebody has really come, and not only looked."""
    if table.seats[seat].kind == OPEN:
        await _settle(tables, table, seat, name)


@at_the_table
async def _settle(tables: Tables, table: Table, seat: int, name: str) -> None:
    if table.seats[seat].kind == OPEN:  # still
        await _sit(tables, table, seat, name or table.match.names[seat])


@at_the_table
async def join(tables: Tables, table: Table, visitor: str | None, name: str) -> int:
    """Seat somebody at the first open seat of a table with one link for all."""
    if table.entry.invite != "one-link":
        raise Forbidden("This table has a link for each seat; ask its host for yours.")
    mine = table.eyes(visitor).held if visitor else ()
    if mine:
        return mine[0]
    if not table.open_seats:
        raise NotNow("Every seat is taken; you can still watch.")
    seat = table.open_seats[0]
    await _sit(tables, table, seat, name, visitor)
    return seat


async def _sit(
    tables: Tables, table: Table, seat: int, name: str, visitor: str | None = None
) -> None:
    names = _named(table, seat, name)
    await tables.stored(tables.store.settle(table.entry, seat, names, visitor), table)
    if visitor is not None:
        table.holders.add((visitor, seat))
    table.seats[seat] = replace(table.seats[seat], kind=PERSON)
    _call(table, names)


@at_the_table
async def rename(tables: Tables, table: Table, seat: int, name: str) -> None:
    """A person's new name."""
    if not clean_name(name):
        raise NotNow("A name needs at least one letter.")
    names = _named(table, seat, name)
    await tables.stored(tables.store.set_names(table.entry, names), table)
    _call(table, names)


def _named(table: Table, seat: int, name: str) -> list[str]:
    names = list(table.match.names)
    names[seat] = free_name(name, names[:seat] + names[seat + 1 :])
    return names


def _call(table: Table, names: list[str]) -> None:
    match = table.match.copy()  # a bot may be reading the present one
    match.rename(names)
    table.match = match
    table.changed()


@at_the_table
async def ready(tables: Tables, table: Table, eyes: Eyes) -> None:
    """Hot seat: the one to whom the device was passed has it."""
    _, curtain = table.face(eyes)
    if curtain is None or eyes.browser is None:
        raise NotNow("There is nobody to pass the device to now.")
    await tables.agree(table, table.manners.with_device(eyes.browser, curtain), board=True)


@at_the_table
async def say(tables: Tables, table: Table, eyes: Eyes, name: str, text: str) -> None:
    """A line of chat."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if not text:
        raise NotNow("There is nothing said in that.")
    if len(text) > LONGEST_SAYING:
        raise NotNow(f"Please say it in {LONGEST_SAYING} characters.")
    seat = table.actor(eyes)
    who = table.match.names[seat] if seat is not None else clean_name(name) or "Guest"
    said = Said(seat, who, text)
    await tables.stored(tables.store.say(table.entry, said), table)
    table.chat = [*table.chat, said][-SAID_KEPT:]
    table.changed(board=False)


# Who has the page open


async def arrive(tables: Tables, table: Table, eyes: Eyes, name: str) -> None:
    """A page of these eyes opens."""
    for seat in eyes.held:
        with suppress(Fault):  # who cannot sit down just now does so with the first decision
            await settle(tables, table, seat, name)
    await _count(tables, table, eyes, 1)


def leave(tables: Tables, table: Table, eyes: Eyes) -> None:
    """A page closes; whoever only reloads it is back before anybody is told."""

    def gone() -> None:
        table.leaving = asyncio.ensure_future(_count(tables, table, eyes, -1))

    if eyes.held:
        asyncio.get_running_loop().call_later(tables.settings.absence, gone)


async def _count(tables: Tables, table: Table, eyes: Eyes, more: int) -> None:
    """So many more pages of these eyes are open, here and for all who look elsewhere."""
    for seat in eyes.held:
        table.here[seat] += more
    if eyes.held:
        table.changed(board=False)
    if tables.store.shared:
        try:
            for seat in eyes.held:
                await tables.store.presence.say(table.id, seat, table.here[seat])
        except (SQLAlchemyError, OSError) as problem:  # nobody's decision depends on it
            log.warning("who is there was not told: %s", type(problem).__name__)
