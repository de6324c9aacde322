"""Deciding and taking back, by those who hold a seat."""

from __future__ import annotations

from collections.abc import Sequence

from bottega.engine.errors import CannotUndo
from bottega.engine.match import Match
from bottega.table.faults import Forbidden, NotNow, Stale
from bottega.table.playing.pace import SPEEDS
from bottega.table.playing.stored import state
from bottega.table.playing.table import Eyes, Request, Table
from bottega.table.playing.tables import Hall


async def decide(
    hall: Hall, table: Table, eyes: Eyes, action: str | int, seq: int | None = None
) -> None:
    """A decision of a person or a program, made on what they saw at `seq`."""
    async with hall.changing(table):
        seat = deciding_seat(table, eyes)
        viewer = table.viewer(eyes)
        if seq is not None and not viewer.since <= seq <= viewer.seq:
            raise Stale(
                "The table has changed since your page was made. Nothing was done: "
                "look again and choose.",
                viewer.seq,
            )
        await hall.play(table, seat, action)


def deciding_seat(table: Table, eyes: Eyes) -> int:
    """The seat for which these eyes may decide."""
    seat, curtain = table.face(eyes)
    if seat is not None:
        return seat
    if curtain is not None:
        raise NotNow(f"Pass the device to {table.match.names[curtain]} first.")
    if eyes.held:
        raise NotNow(table.match.prompt(None))
    raise Forbidden("You are watching. Only who holds a seat can play.")


async def undo(hall: Hall, table: Table, eyes: Eyes) -> None:
    """Take back the latest decision, or ask the others whether one may."""
    async with hall.changing(table):
        seat = table.actor(eyes)
        if seat is None:
            raise Forbidden("You are watching. Only who holds a seat can take back.")
        if table.public:
            raise NotNow("The game is over and its seed is known; nothing can be taken back.")
        others = table.others(eyes)
        if others and not table.match.private(seat):
            _ask(table, seat, others)
        else:
            trial = table.match.copy()
            trial.undo(seat)
            await _take_back(hall, table, trial)


def _ask(table: Table, seat: int, others: Sequence[int]) -> None:
    if not any(move.seat == seat for move in table.match.moves):
        raise CannotUndo(f"{table.match.names[seat]} has not decided anything yet")
    if table.request is not None:
        raise NotNow(f"{table.match.names[table.request.seat]} has asked already.")
    table.refused = None
    table.request = Request(seat, {at for at in range(len(table.seats)) if at not in others})
    table.changed(board=False)


async def answer(hall: Hall, table: Table, eyes: Eyes, yes: bool) -> None:
    """Agree to what somebody asked, or not. Who asked may say no as well."""
    async with hall.changing(table):
        request = table.request
        if request is None:
            raise NotNow("Nobody asks to take back anything now.")
        if not eyes.held:
            raise Forbidden("You are watching. Only the players decide this.")
        if yes:
            request.agreed |= set(eyes.held)
        if yes and len(request.agreed) == len(table.seats):
            trial = table.match.copy()
            trial.undo(request.seat, force=True)
            await _take_back(hall, table, trial)
            return
        if not yes:
            by = table.actor(eyes)
            if by is not None and request.seat not in eyes.held:
                table.refused = (request.seat, by)
            table.request = None
        table.changed(board=False)


async def set_pace(hall: Hall, table: Table, eyes: Eyes, do: str, speed: float | None) -> None:
    """Pause the bots that one watches, let them go on or take one step, faster or slower."""
    if table.entry.mode != "watch" or not eyes.host:
        raise Forbidden("Only who set up a table of bots can pause it.")
    if speed is not None and speed not in SPEEDS:
        raise NotNow("The speeds are half, usual, twice and four times.")
    async with hall.changing(table):
        table.pace.speed = speed or table.pace.speed
        {"pause": table.pace.pause, "step": table.pace.step}.get(do, table.pace.go)()
        table.changed(board=False)


async def _take_back(hall: Hall, table: Table, trial: Match) -> None:
    """Store and show the match without what was taken back."""
    kept = 0
    for mine, other in zip(trial.moves, table.match.moves, strict=False):
        if mine != other:
            break
        kept += 1
    rest = await hall.to_store(trial, kept)
    now = state(trial, table.match)
    await hall.stored(hall.store.cut_moves(table.entry, kept, rest, now), table)
    table.rewinds += 1
    hall.put(table, trial)
