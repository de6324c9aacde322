"""The pages: home, the table, its replay, the rules."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response

import bottega
from bottega.engine.errors import UnknownName
from bottega.engine.game import Game
from bottega.engine.language import plural
from bottega.table.database.rows import Entry
from bottega.table.faults import NotNow
from bottega.table.playing import levels, people, replays, shown
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Tables
from bottega.table.web import events
from bottega.table.web.rulebook import chapters, rules_page, rulings_page
from bottega.table.web.visits import Site, visitor_of

router = APIRouter(include_in_schema=False)

TOLD = "x-told"  # by this header a page's script says what it has of the log
LATEST = 100  # lines of the log that a page shows at first


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


# Home


@dataclass(frozen=True)
class TableSummary:
    """A table in the visitor's list."""

    id: str
    game: Game
    mode: str
    names: list[str]
    over: bool
    your_turn: bool
    when: str
    ago: str
    result: str
    turns: int  # how many, which everybody may know

    @property
    def url(self) -> str:
        return f"/t/{self.id}"


def summary(entry: Entry, held: list[int]) -> TableSummary:
    mine = not entry.over and any(seat in entry.waiting for seat in held)
    return TableSummary(
        id=entry.id,
        game=bottega.game(entry.game),
        mode=entry.mode,
        names=entry.names,
        over=entry.over,
        your_turn=mine,
        when=datetime.fromtimestamp(entry.changed, UTC).isoformat(timespec="seconds"),
        ago=ago(time.time() - entry.changed),
        result=entry.result,
        turns=entry.turns,
    )


def ago(seconds: float) -> str:
    """How long ago, as one says it."""
    for size, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(int(seconds // size), word)} ago"
    return "just now"


@router.get("/")
async def home(request: Request) -> Response:
    """The games, and the visitor's tables."""
    site = site_of(request)
    visitor = visitor_of(request)
    known = bottega.games()
    mine = [] if visitor.new else await site.tables.store.of_visitor(visitor.id)
    context = {
        "games": [bottega.game(name) for name in known],
        "levels": levels.LEVELS,
        "levels_of": levels.offered,
        "level": levels.level(levels.DEFAULT),
        "tables": sorted(
            (summary(entry, held) for entry, held in mine if entry.game in known),
            key=lambda one: (not one.your_turn, one.over),  # the latest first, within each
        ),
        "name": await name_of(site, request),
    }
    return site.page(request, "home.html", context)


async def name_of(site: Site, request: Request) -> str:
    """The name that the visitor gave last."""
    visitor = visitor_of(request)
    return "" if visitor.new else await site.tables.store.name_of(visitor.id)


# The table


@dataclass(frozen=True)
class TableInfo:
    """A table as its page names it."""

    id: str
    url: str
    game: Game
    title: str
    mode: str
    host: bool
    over: bool
    opened: bool
    over_or_opened: bool
    people: bool
    can_join: bool
    links: list[dict[str, Any]]
    own_link: dict[str, Any] | None
    next: str | None
    seed_hash: str
    seed: int | None  # once it may be known
    kit: Any
    moves: int | None  # how many decisions, once that may be known


def info(request: Request, table: Table, eyes: Eyes) -> TableInfo:
    match = table.match
    follower = table.entry.follower
    return TableInfo(
        id=table.id,
        url=f"/t/{table.id}",
        game=table.game,
        title=table.game.title,
        mode=table.entry.mode,
        host=eyes.host,
        over=match.over,
        opened=table.opened,
        over_or_opened=table.public,
        people=table.people,
        can_join=can_join(table, eyes),
        links=links(request, table, eyes),
        own_link=own_link(request, table, eyes),
        next=f"/t/{follower}" if follower else None,
        seed_hash=match.seed_hash,
        seed=match.seed if table.public else None,
        kit=match.kit,
        moves=len(match.moves) if table.public else None,
    )


def can_join(table: Table, eyes: Eyes) -> bool:
    """Whether the visitor may take one of the open seats."""
    open_to_all = table.entry.invite == "one-link" and not table.match.over
    return open_to_all and not eyes.held and bool(table.open_seats)


def links(request: Request, table: Table, eyes: Eyes) -> list[dict[str, Any]]:
    """What the host sends to friends: the seats that nobody has taken yet."""
    if not eyes.host or table.match.over:
        return []
    if table.entry.invite == "one-link" and table.open_seats:
        return [{"seat": None, "name": "Everybody", "url": str(request.base_url) + f"t/{table.id}"}]
    return [
        {"seat": at, "name": table.match.names[at], "url": seat_link(request, table, at)}
        for at in table.open_seats
    ]


def own_link(request: Request, table: Table, eyes: Eyes) -> dict[str, Any] | None:
    """What carries the own seat to another device."""
    if len(eyes.held) != 1:
        return None
    return {"seat": eyes.held[0], "url": seat_link(request, table, eyes.held[0])}


def seat_link(request: Request, table: Table, seat: int) -> str:
    """The token stands behind the #, which browsers send to nobody and no log holds."""
    token = people.token_of(site_of(request).tables, table, seat)
    return f"{request.base_url}t/{table.id}/seat#{token}"


def table_context(
    request: Request, table: Table, eyes: Eyes, whole: bool = False
) -> dict[str, Any]:
    """Everything that a table's page shows. Of the log it is what the page does not have yet: at
    first the latest lines, or the `whole`."""
    site_of(request).thinkers.study(table)
    viewer = table.viewer(eyes)
    story = table.story(viewer.board["seat"])
    told = request.headers.get(TOLD, "")
    kept = story.kept(told)
    first = 0 if whole else max(kept, len(story) - LATEST)
    return {
        "table": info(request, table, eyes),
        **viewer.board,
        **viewer.room,
        "log": shown.log(story, kept or first),
        "log_after": told if kept else "",
        "log_kept": kept,
        "log_told": story.token,
        "seq": viewer.seq,
        "held": list(eyes.held),
        "levels_of": levels.offered,
    }


def board_of(request: Request, table: Table, eyes: Eyes) -> str:
    """What changes of the page, for the script to put in place."""
    context = table_context(request, table, eyes)
    return site_of(request).text(request, "table_main.html", context)


async def seen(request: Request, name: str) -> tuple[Site, Table, Eyes]:
    """The table, and how the visitor sees it."""
    site = site_of(request)
    table = await site.tables.find(name)
    return site, table, table.eyes(visitor_of(request).id)


@router.get("/t/{name}")
async def table_page(request: Request, name: str) -> Response:
    """The table; a seat's link of the older kind first makes this browser hold the seat."""
    site, table, eyes = await seen(request, name)
    token = request.query_params.get("seat")
    if token is not None:
        await people.take_seat(site.tables, table, visitor_of(request).id, token)
        return site.done(request, f"/t/{table.id}")
    if table.opened:
        return site.done(request, f"/t/{table.id}/replay")
    context = table_context(request, table, eyes, request.query_params.get("log") == "whole")
    if can_join(table, eyes) and "watch" not in request.query_params:
        context["name"] = await name_of(site, request)
        return site.page(request, "join.html", context)
    return site.page(request, "table.html", context)


@router.get("/t/{name}/seat")
async def seat_page(request: Request, name: str) -> Response:
    """Where the link to a seat leads: its script sends what stands behind the #."""
    site, table, eyes = await seen(request, name)
    return site.page(request, "seat.html", {"table": info(request, table, eyes)})


@router.get("/t/{name}/board")
async def board_fragment(request: Request, name: str) -> Response:
    """What changes of the page, as others change it."""
    site, table, eyes = await seen(request, name)
    return site.known(request, HTMLResponse(board_of(request, table, eyes)))


@router.get("/t/{name}/events")
async def table_events(request: Request, name: str, seq: str = "") -> Response:
    """Tells the page when there is something new."""
    site, table, eyes = await seen(request, name)
    known = events.number(request.headers.get("last-event-id", seq))
    name = await name_of(site, request)
    return events.stream(site.tables, table, eyes, known, name)


@router.get("/t/{name}/hint")
async def hint(request: Request, name: str) -> Response:
    """The best choices, with reasons."""
    site, table, eyes = await seen(request, name)
    seat, _ = table.face(eyes)
    seq = table.viewer(eyes).seq
    hints = [] if seat is None else await site.thinkers.advise(table, seat)
    context = {
        "table": info(request, table, eyes),
        "hints": hints,
        "message": "" if hints else "There is nothing for you to decide now.",
        "seq": seq,
    }
    return site.page(request, "hint.html", context)


@router.get("/t/{name}/replay")
async def replay(
    request: Request, name: str, at: int | None = None, by: int | None = None
) -> Response:
    """A table at an earlier moment. Once it is over, at any, as the seat `by` saw it: nothing is
    secret now. While it runs, as the viewer saw it when they were told something."""
    site, table, eyes = await seen(request, name)
    seat = table.face(eyes)[0] if len(eyes.held) != 1 else eyes.held[0]
    if not table.public:
        by = None
    elif by is not None:
        seat = by if 0 <= by < table.match.players else None
    moments = shown.moments(table.match, seat, every=table.public)
    last = len(moments) - 1
    number = last if at is None else max(0, min(at, last))
    log = await replays.log_of(site.tables, table, seat, moments)
    then = table.match.at(moments[number])
    context = table_context(request, table, eyes)
    context |= shown.position(then, seat) | replays.excerpt(log, number)
    chances = table.study.chances(table.match) if table.study and table.public else []
    context |= {
        "at": number,
        "by": by,
        "moves": last,
        "legal": [],
        "reveal": [],
        "can_undo": False,
        "curtain": None,
        "standings": shown.standings(then, seat),
        "chances_now": chances[number] if chances else [],
        "players": [
            {
                **player,
                "waiting": player["seat"] in then.waiting,
                "thinking": False,
                "here": True,
                "you": player["seat"] == seat,
            }
            for player in context["players"]
        ],
    }
    return site.page(request, "replay.html", context)


@router.get("/t/{name}/notation")
async def notation(request: Request, name: str) -> Response:
    """The whole game as a text, once nothing in it is secret any more."""
    site, table, _ = await seen(request, name)
    return await notation_of(site.tables, table)


async def notation_of(tables: Tables, table: Table) -> Response:
    if not table.public:
        raise NotNow("The notation holds every secret, so it opens when the game is over.")
    file = f'attachment; filename="{table.game.name}-{table.id}.txt"'
    text = await tables.backroom.do(table.entry.host or table.id, table.match.copy().save)
    return PlainTextResponse(text, headers={"content-disposition": file})


# What there is to read of a game


@router.get("/rules/{name}")
async def rules(request: Request, name: str) -> Response:
    """The rules of a game."""
    game = game_named(name)
    return page_of_text(request, game, "Rules", rules_page(game))


@router.get("/rules/{name}/rulings")
async def rulings(request: Request, name: str) -> Response:
    """The rulings that the rules cite by their marks."""
    game = game_named(name)
    body = rulings_page(game)
    if not body:
        raise HTTPException(404)
    return page_of_text(request, game, "Rulings", body)


def page_of_text(request: Request, game: Game, what: str, body: Markup) -> Response:
    """The rules or the rulings of a game."""
    context = {
        "game": game,
        "what": what,
        "body": body,
        "contents": chapters(body),
        "rulings": bool(rulings_page(game)),
    }
    return site_of(request).page(request, "rules.html", context)


def game_named(name: str) -> Game:
    try:
        return bottega.game(name)
    except UnknownName:
        raise HTTPException(404) from None
