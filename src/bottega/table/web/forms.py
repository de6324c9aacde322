"""What people do: every form of the pages. Each answers with the page to go to, or with JSON."""

from __future__ import annotations

import re

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

import bottega
from bottega.table.faults import Fault, Forbidden
from bottega.table.playing import levels, people, sequels, turns
from bottega.table.playing.seating import Wish, clean_name
from bottega.table.playing.table import Eyes, Table
from bottega.table.web.pages import TOLD, board_of, seen, site_of
from bottega.table.web.visits import Site, number_field, text_field, visitor_of

router = APIRouter(include_in_schema=False)


# Setting up


@router.post("/tables")
async def create(request: Request) -> Response:
    """A fresh table."""
    site = site_of(request)
    form = await site.form(request)
    visitor = visitor_of(request)
    name = clean_name(text_field(form, "name"))
    if name:
        await site.tables.store.set_name_of(visitor.id, name)
    else:
        name = await site.tables.store.name_of(visitor.id)
    game = bottega.game(text_field(form, "game"))
    options = {
        key.removeprefix("option."): value
        for key, value in form.items()
        if key.startswith("option.") and isinstance(value, str)
    }
    table = await site.tables.create(
        game,
        wish_of(form, game.seats[0], name),
        host=visitor.id,
        kit=text_field(form, "kit") or "default",
        options=options,
    )
    return site.done(request, f"/t/{table.id}")


def wish_of(form: FormData, least: int, name: str) -> Wish:
    """What the host's form asks for."""
    seat = text_field(form, "seat", "random")
    return Wish(
        mode=text_field(form, "mode") or "bots",
        players=number_field(form, "players", least) or 0,
        bots=[name + _blitz(form) for name in _texts(form, "bot") or [levels.DEFAULT]],
        bot_seats=number_field(form, "bots", 0) or 0,
        seat=None if seat in ("", "random") else number_field(form, "seat"),
        names=names_of(form, name),
        invite=text_field(form, "invite") or "seat-links",
    )


def _blitz(form: FormData) -> str:
    """What a level's name ends with, if bots are to answer at once."""
    return levels.BLITZ if text_field(form, "blitz") else ""


def names_of(form: FormData, name: str) -> list[str]:
    """The names of the people, the host first; those on one screen are named in the form."""
    others = [value for value in form.getlist("names") if isinstance(value, str)]
    return [name, *others] if name or "name" in form else others


def _texts(form: FormData, name: str) -> list[str]:
    return [value for value in form.getlist(name) if isinstance(value, str) and value.strip()]


@router.post("/open")
async def open_notation(request: Request) -> Response:
    """A notation file becomes a table to replay and to play on from."""
    site = site_of(request)
    form = await site.form(request)
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise Fault("Choose a notation file first.")
    try:
        text = (await file.read()).decode()
    except UnicodeDecodeError:
        raise Fault("This file is not a text, so it is no notation.") from None
    owner = request.client.host if request.client else ""
    table = await sequels.open_notation(site.tables, text, visitor_of(request).id, owner)
    return site.done(request, f"/t/{table.id}/replay")


@router.post("/t/{name}/rematch")
async def rematch(request: Request, name: str) -> Response:
    """The same people again."""
    site, table, eyes, _ = await posted(request, name)
    following = await sequels.rematch(site.tables, table, eyes)
    return site.done(request, f"/t/{following}")


@router.post("/t/{name}/fork")
async def fork(request: Request, name: str) -> Response:
    """Play on from a moment of an ended table, against bots."""
    site, table, eyes, form = await posted(request, name)
    at = number_field(form, "at", len(table.match.moves))
    own = eyes.held[0] if eyes.held else 0
    seat = number_field(form, "seat", own)
    bot = text_field(form, "bot") or levels.DEFAULT
    branch = await sequels.fork(site.tables, table, visitor_of(request).id, at or 0, seat or 0, bot)
    return site.done(request, f"/t/{branch.id}")


# At the table


async def posted(request: Request, name: str) -> tuple[Site, Table, Eyes, FormData]:
    """A form sent from a table's page, by whom, and that a person is really there."""
    site = site_of(request)
    form = await site.form(request)
    site, table, eyes = await seen(request, name)
    for seat in eyes.held:
        await people.settle(site.tables, table, seat)
    return site, table, eyes, form


def back(request: Request, site: Site, table: Table) -> Response:
    """Back to the table; a script that says what it shows gets what changes there."""
    eyes = table.eyes(visitor_of(request).id)
    board = {"board": board_of(request, table, eyes)} if TOLD in request.headers else {}
    return site.done(request, f"/t/{table.id}", seq=table.viewer(eyes).seq, **board)


@router.post("/t/{name}/play")
async def play(request: Request, name: str) -> Response:
    """One decision."""
    site, table, eyes, form = await posted(request, name)
    await turns.decide(
        site.tables, table, eyes, text_field(form, "action")[:80], number_field(form, "seq")
    )
    return back(request, site, table)


@router.post("/t/{name}/undo")
async def undo(request: Request, name: str) -> Response:
    """Take back, or ask for it."""
    site, table, eyes, _ = await posted(request, name)
    await turns.undo(site.tables, table, eyes)
    return back(request, site, table)


@router.post("/t/{name}/undo/answer")
async def answer_undo(request: Request, name: str) -> Response:
    """Agree or not."""
    site, table, eyes, form = await posted(request, name)
    await turns.answer(site.tables, table, eyes, text_field(form, "answer") == "yes")
    return back(request, site, table)


@router.post("/t/{name}/pace")
async def pace(request: Request, name: str) -> Response:
    """Pause, go on or step, at a table of bots; or another speed."""
    site, table, eyes, form = await posted(request, name)
    speed = text_field(form, "speed")
    if speed and not re.fullmatch(r"\d(\.\d)?", speed):
        raise Fault("speed must be a number.")
    await turns.set_pace(
        site.tables, table, eyes, text_field(form, "do"), float(speed) if speed else None
    )
    return back(request, site, table)


@router.post("/t/{name}/chat")
async def chat(request: Request, name: str) -> Response:
    """Say something."""
    site, table, eyes, form = await posted(request, name)
    known = await site.tables.store.name_of(visitor_of(request).id)
    await people.say(site.tables, table, eyes, known, text_field(form, "text"))
    return back(request, site, table)


@router.post("/t/{name}/name")
async def rename(request: Request, name: str) -> Response:
    """A new name."""
    site, table, eyes, form = await posted(request, name)
    seat = number_field(form, "seat", table.actor(eyes))
    if seat is None or seat not in eyes.held:
        raise Forbidden("Only who holds a seat can name it.")
    wanted = clean_name(text_field(form, "name"))
    await people.rename(site.tables, table, seat, wanted)
    await site.tables.store.set_name_of(visitor_of(request).id, wanted)
    return back(request, site, table)


@router.post("/t/{name}/ready")
async def ready(request: Request, name: str) -> Response:
    """Hot seat: the device has been passed."""
    site, table, eyes, _ = await posted(request, name)
    await people.ready(site.tables, table, eyes)
    return back(request, site, table)


@router.post("/t/{name}/seat")
async def sit(request: Request, name: str) -> Response:
    """Hold a seat from now on, by its link or by the last part of it."""
    site = site_of(request)
    form = await site.form(request)
    site, table, _ = await seen(request, name)
    token = re.split(r"#|[?&]seat=", text_field(form, "link").strip())[-1]
    await people.take_seat(site.tables, table, visitor_of(request).id, token)
    return back(request, site, table)


@router.post("/t/{name}/link")
async def renew_link(request: Request, name: str) -> Response:
    """A new link to a seat; the old one opens nothing any more."""
    site, table, eyes, form = await posted(request, name)
    seat = number_field(form, "seat")
    if seat is None:
        raise Fault("Say of which seat the link is to be made anew.")
    await people.renew_link(site.tables, table, eyes, seat, visitor_of(request).id)
    return back(request, site, table)


@router.post("/t/{name}/join")
async def join(request: Request, name: str) -> Response:
    """Take an open seat."""
    site, table, _, form = await posted(request, name)
    visitor = visitor_of(request)
    wanted = clean_name(text_field(form, "name"))
    if wanted:
        await site.tables.store.set_name_of(visitor.id, wanted)
    else:
        wanted = await site.tables.store.name_of(visitor.id)
    await people.join(site.tables, table, visitor.id, wanted)
    return back(request, site, table)
