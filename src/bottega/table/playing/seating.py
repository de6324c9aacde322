"""Who sits where when a table is set: people, bots, and seats still open."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.engine.errors import BadOption
from bottega.engine.match import LONGEST_NAME
from bottega.table.database.rows import BOT, OPEN, PERSON, Seat
from bottega.table.playing import levels

MODES = ("bots", "friends", "hotseat", "watch")
INVITES = ("seat-links", "one-link")
shuffler = random.SystemRandom()


@dataclass(frozen=True)
class Wish:
    """What the host asks for. `seat`: where the host sits, by default at random (S2)."""

    mode: str = "bots"
    players: int = 2
    bots: Sequence[str] = (levels.DEFAULT,)  # levels, for each bot; the last one is repeated
    bot_seats: int = 0  # with friends or on one screen: how many seats are bots'
    seat: int | None = None
    names: Sequence[str] = ()  # of the people, the host first
    invite: str = "seat-links"


@dataclass(frozen=True)
class Seating:
    """The seats, the names, and the seats that the host's browser holds."""

    seats: list[Seat]
    names: list[str]
    held: list[int]


def arrange(wish: Wish) -> Seating:
    """Seat everybody."""
    if wish.mode not in MODES:
        raise BadOption(f"mode is one of {', '.join(MODES)}")
    if wish.invite not in INVITES:
        raise BadOption(f"invite is one of {', '.join(INVITES)}")
    if wish.seat is not None and not 0 <= wish.seat < wish.players:
        raise BadOption(f"the seats are 0 to {wish.players - 1}")
    people, friends, bots = _shares(wish)
    order = _order(wish)
    seats = {at: Seat(PERSON) for at in order[:people]}
    seats |= {at: Seat(OPEN) for at in order[people : people + friends]}
    chosen = list(wish.bots) or [levels.DEFAULT]
    chosen += chosen[-1:] * bots
    for at, name in zip(order[people + friends :], chosen, strict=False):
        seats[at] = Seat(BOT, levels.level(name).name)
    given = dict(zip(order, wish.names, strict=False))
    names: list[str] = []
    for at in range(wish.players):
        names.append(free_name(_name(seats[at], at, given.get(at, ""), names), names))
    return Seating([seats[at] for at in range(wish.players)], names, sorted(order[:people]))


def _shares(wish: Wish) -> tuple[int, int, int]:
    """How many seats are for the host's browser, for friends, and for bots."""
    if wish.mode == "watch":
        return 0, 0, wish.players
    if wish.mode == "bots":
        return 1, 0, wish.players - 1
    if not 0 <= wish.bot_seats < wish.players:
        raise BadOption(f"of {wish.players} seats, 0 to {wish.players - 1} can be bots'")
    if wish.mode == "hotseat":
        return wish.players - wish.bot_seats, 0, wish.bot_seats
    return 1, wish.players - 1 - wish.bot_seats, wish.bot_seats


def _order(wish: Wish) -> list[int]:
    """The seats in the order in which host, friends and bots sit down."""
    if wish.seat is None:
        return shuffler.sample(range(wish.players), wish.players)
    return [(wish.seat + step) % wish.players for step in range(wish.players)]


def _name(seat: Seat, at: int, wanted: str, taken: Sequence[str]) -> str:
    if seat.kind == BOT:
        return bot_name(taken)
    if seat.kind == OPEN:
        return f"Player {at + 1}"
    return wanted


def bot_name(taken: Sequence[str]) -> str:
    """A first name that nobody at the table has."""
    free = [name for name in levels.FIRST_NAMES if name not in taken] or levels.FIRST_NAMES
    return shuffler.choice(free)


def clean_name(name: str) -> str:
    """A name as it may be shown: one line, printable, not too long; may be empty."""
    kept = "".join(sign if sign.isprintable() else " " for sign in name)
    return " ".join(kept.split())[:LONGEST_NAME].strip()


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """The name, or one like it that nobody at the table has."""
    name = clean_name(wanted) or "Guest"
    number = 2
    free = name
    while free in taken:
        tail = f" {number}"
        free = name[: LONGEST_NAME - len(tail)] + tail
        number += 1
    return free
