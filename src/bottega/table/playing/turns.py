"""Deciding and taking back, by those who hold a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bottega.engine.errors import CannotUndo
from bottega.engine.match import Match
from bottega.table.faults import Forbidden, NotNow, Stale
from bottega.table.playing.manners import SPEEDS, Manners, Pace, Request
from bottega.table.playing.stored import state
from bottega.table.playing.table import Eyes, Table, due_bots
from bottega.table.playing.tables import Tables, at_the_table


@at_the_table
async def decide(
    tables: Tables, table: Table, eyes: Eyes, action: str | int, seq: int | None = None
) -> None:
    """A decision of a person or a program, made on what they saw at `seq`."""
    seat = deciding_seat(table, eyes)
    viewer = table.viewer(eyes)
    if seq is not None and not viewer.may_answer(seq):
        raise Stale(
            "The table has changed since your page was made. Nothing was done: "
            "look again and choose.",
            viewer.seq,
        )
    await tables.play(table, seat, action)


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


@at_the_table
async def undo(tables: Tables, table: Table, eyes: Eyes) -> None:
    """Take back the latest decision, or ask the others whether one may."""
    seat = table.actor(eyes)
    if seat is None:
        raise Forbidden("You are watching. Only who holds a seat can take back.")
    if table.public:
        raise NotNow("The game is over and its seed is known; nothing can be taken back.")
    others = table.others(eyes)
    if others and not table.match.private(seat):
        await tables.agree(table, _asking(table, seat, others))
    else:
        trial = table.match.copy()
        trial.undo(seat)
        await _take_back(tables, table, trial)


def _asking(table: Table, seat: int, others: Sequence[int]) -> Manners:
    if not any(move.seat == seat for move in table.match.moves):
        raise CannotUndo(f"{table.match.names[seat]} has not decided anything yet")
    manners = table.manners
    if manners.request is not None:
        raise NotNow(f"{table.match.names[manners.request.seat]} has asked already.")
    agreed = tuple(at for at in range(len(table.seats)) if at not in others)
    return replace(manners, refused=None, request=Request(seat, agreed))


@at_the_table
async def answer(tables: Tables, table: Table, eyes: Eyes, yes: bool) -> None:
    """Agree to what somebody asked, or not. Who asked may say no as well."""
    manners = table.manners
    request = manners.request
    if request is None:
        raise NotNow("Nobody asks to take back anything now.")
    if not eyes.held:
        raise Forbidden("You are watching. Only the players decide this.")
    if not yes:
        by = table.actor(eyes)
        if by is not None and request.seat not in eyes.held:
            manners = replace(manners, refused=(request.seat, by))
        await tables.agree(table, replace(manners, request=None))
        return
    agreed = tuple(sorted({*request.agreed, *eyes.held}))
    if len(agreed) == len(table.seats):
        trial = table.match.copy()
        trial.undo(request.seat, force=True)
        await _take_back(tables, table, trial)
    else:
        await tables.agree(table, replace(manners, request=replace(request, agreed=agreed)))


@at_the_table
async def set_pace(tables: Tables, table: Table, eyes: Eyes, do: str, speed: float | None) -> None:
    """Pause the bots that one watches, let them go on or take one step, faster or slower."""
    if table.entry.mode != "watch" or not eyes.host:
        raise Forbidden("Only who set up a table of bots can pause it.")
    if speed is not None and speed not in SPEEDS:
        raise NotNow("The speeds are half, usual, twice and four times.")
    paces: dict[str, Pace] = {"pause": "pause", "step": "step"}
    manners = replace(table.manners, speed=speed or table.manners.speed, pace=paces.get(do, "go"))
    await tables.agree(table, manners)


async def _take_back(tables: Tables, table: Table, trial: Match) -> None:
    """Store and show the match without what was taken back."""
    kept = 0
    for mine, other in zip(trial.moves, table.match.moves, strict=False):
        if mine != other:
            break
        kept += 1
    rest = await tables.to_store(trial, kept)
    manners = table.manners.after_a_decision()
    now = {**state(trial, table.match), "manners": manners.stored}
    due = None if table.due is None else due_bots(trial, table.seats)
    await tables.stored(tables.store.cut_moves(table.entry, kept, rest, now, due), table)
    tables.put(table, trial, manners)
