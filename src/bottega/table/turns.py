"""Deciding and taking back, by those who hold a seat."""

from __future__ import annotations

from collections.abc import Sequence

from bottega.engine.errors import CannotUndo
from bottega.engine.match import Match
from bottega.table.faults import Forbidden, NotNow, Stale
from bottega.table.hall import Hall, state
from bottega.table.live import Eyes, Request, Table


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
        free = table.free_step(seat)
        if free is not None:
            await _take_back(hall, table, free)
        elif others := table.others(eyes):
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
            table.request = None
        table.changed(board=False)


async def _take_back(hall: Hall, table: Table, trial: Match) -> None:
    """Store and show the match without what was taken back."""
    kept = 0
    for mine, other in zip(trial.moves, table.match.moves, strict=False):
        if mine != other:
            break
        kept += 1
    rest = [(move.seat, move.key) for move in trial.moves[kept:]]
    await hall.stored(hall.store.cut_moves(table.id, kept, rest, state(trial, table.match)), table)
    table.rewinds += 1
    hall.put(table, trial)
