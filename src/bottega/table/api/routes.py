"""The JSON API for programs. A program holds a seat by its token, sent as `Authorization`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.responses import PlainTextResponse, Response

import bottega
from bottega.table.api.shapes import (
    EXAMPLE_EVENT,
    EXAMPLE_ID,
    BotInfo,
    Catalogue,
    Choice,
    Choices,
    Decision,
    GameInfo,
    Joined,
    Joining,
    Log,
    LogLine,
    NewTable,
    OptionInfo,
    Played,
    PlayerInfo,
    Problem,
    Renewed,
    SeatInfo,
    TableMade,
    View,
)
from bottega.table.database.rows import BOT
from bottega.table.faults import Forbidden, Unauthorized
from bottega.table.playing import levels, people, turns
from bottega.table.playing.seating import Wish
from bottega.table.playing.table import Eyes, Table
from bottega.table.web import events
from bottega.table.web.pages import notation_of, site_of

DESCRIPTION = """
Create a table, or join one; you get a token for your seat. Send it as `Authorization: Bearer
TOKEN`. Then ask for the `legal` actions, `play` one, and wait for `events`: each brings a
number, another one whenever what you see has changed. Without a token you are a spectator and
see what is public. A refusal is a 4xx status with `{"error": "a sentence"}`; nothing has changed.

A program of less than a hundred lines that plays a game: `docs/client.py`.
"""

REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "Something in the request does not fit."},
    401: {"model": Problem, "description": "The token opens no seat at this table."},
    403: {"model": Problem, "description": "Only a seat may do this."},
    404: {"model": Problem, "description": "There is no such table."},
    409: {"model": Problem, "description": "Not now: out of turn, illegal or stale."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "The request is malformed."},
    429: {"model": Problem, "description": "Too many requests."},
}
PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def instead_of(media_type: str, example: str) -> dict[int | str, dict[str, Any]]:
    """The answers of a request that is answered by something else than JSON, unless refused."""
    refusals = {
        status: {"description": refusal["description"], "content": PROBLEM}
        for status, refusal in REFUSALS.items()
    }
    return {200: {"content": {media_type: {"example": example}}}, **refusals}


router = APIRouter(prefix="/api/v1", tags=["tables"], responses=REFUSALS)
bearer = HTTPBearer(auto_error=False, description="The token of a seat.")


# Who asks


class Asked:
    """A request about one table, by a seat or a spectator."""

    def __init__(self, request: Request, table: Table, eyes: Eyes) -> None:
        self.tables = site_of(request).tables
        self.table = table
        self.eyes = eyes


async def asked(
    request: Request,
    table: Annotated[str, Path(description="The table's id.", examples=[EXAMPLE_ID])],
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Asked:
    """The table, through the eyes of the token's seat."""
    tables = site_of(request).tables
    found = await tables.find(table)
    seat = None
    if token is not None:
        seat = people.seat_of(tables, found, token.credentials)
        if seat is None:
            raise Unauthorized("This token opens no seat at this table.")
    return Asked(request, found, found.eyes(None, seat))


AskedHere = Annotated[Asked, Depends(asked)]


# What can be asked


@router.get("/games", tags=["games"])
async def catalogue() -> Catalogue:
    """The games and the bots."""
    return Catalogue(
        games=[game_info(name) for name in bottega.games()],
        bots=[BotInfo(name=at.name, title=at.title, text=at.text) for at in levels.LEVELS],
    )


def game_info(name: str) -> GameInfo:
    game = bottega.game(name)
    return GameInfo(
        name=game.name,
        title=game.title,
        summary=game.summary,
        least_players=game.seats[0],
        most_players=game.seats[1],
        actions=game.actions,
        options=[
            OptionInfo(
                name=option.name,
                text=option.text,
                choices=list(option.choices),
                least=option.numbers[0] if option.numbers else None,
                most=option.numbers[-1] if option.numbers else None,
                default=option.default,
            )
            for option in game.options
        ],
        kits=list(game.kits),
    )


@router.post("/tables", status_code=201)
async def create(request: Request, wanted: NewTable) -> TableMade:
    """Set up a table. The answer has a token for each seat that is not a bot's."""
    tables = site_of(request).tables
    game = bottega.game(wanted.game)
    wish = Wish(
        mode=wanted.mode,
        players=game.check_players(wanted.players),
        bots=[wanted.bot],
        bot_seats=wanted.bots,
        seat=wanted.seat,
        names=[wanted.name],
        invite=wanted.invite,
    )
    program = tables.secret.program_id(request.client.host if request.client else "")
    table = await tables.create(game, wish, program=program, kit=wanted.kit, options=wanted.options)
    return TableMade(
        id=table.id,
        url=f"/t/{table.id}",
        seed_hash=table.match.seed_hash,
        seats=[
            SeatInfo(
                seat=at,
                name=table.match.names[at],
                kind=seat.kind,
                bot=seat.bot,
                token=None if seat.kind == BOT else people.token_of(tables, table, at),
            )
            for at, seat in enumerate(table.seats)
        ],
    )


@router.post("/tables/{table}/join", status_code=201)
async def join(asked: AskedHere, who: Joining) -> Joined:
    """Take an open seat of a table whose invitation is `one-link`."""
    seat = await people.join(asked.tables, asked.table, None, who.name)
    return Joined(seat=seat, token=people.token_of(asked.tables, asked.table, seat))


@router.get("/tables/{table}/view")
async def view(asked: AskedHere) -> View:
    """The table as you may know it."""
    table = asked.table
    viewer = table.viewer(asked.eyes)
    return View(
        seat=viewer.board["seat"],
        seq=viewer.seq,
        prompt=viewer.board["prompt"],
        over=viewer.board["over"],
        players=[PlayerInfo(**player) for player in viewer.room["players"]],
        view=viewer.board["match_view"],
        seed_hash=table.match.seed_hash,
        seed=str(table.match.seed) if table.public else None,
    )


@router.get("/tables/{table}/legal")
async def legal(asked: AskedHere) -> Choices:
    """What you may do now."""
    viewer = asked.table.viewer(asked.eyes)
    actions = [Choice(**action) for action in viewer.board["legal"]]
    return Choices(seat=viewer.board["seat"], seq=viewer.seq, actions=actions)


@router.post("/tables/{table}/play")
async def play(asked: AskedHere, decision: Decision) -> Played:
    """Take one decision. It counts once this is answered, whatever happens to the server."""
    table = asked.table
    for seat in asked.eyes.held:
        await people.settle(asked.tables, table, seat)
    await turns.decide(asked.tables, table, asked.eyes, decision.action, decision.seq)
    seq = table.viewer(asked.eyes).seq
    return Played(seq=seq, over=table.match.over, waiting=table.match.waiting)


@router.get("/tables/{table}/log")
async def log(asked: AskedHere) -> Log:
    """What happened so far."""
    viewer = asked.table.viewer(asked.eyes)
    story = asked.table.story(viewer.board["seat"])
    return Log(seq=viewer.seq, lines=[LogLine(**vars(line)) for line in story.after(0)])


@router.get(
    "/tables/{table}/events",
    response_class=Response,
    responses=instead_of("text/event-stream", EXAMPLE_EVENT),
)
async def stream(
    asked: AskedHere,
    seq: Annotated[int | None, Query(description="The number you know already.")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Server-sent events: `update`, with your sequence number, whenever it is another one. They end
    with `renewed` when your token was made anew."""
    known = events.number(last_event_id)
    return events.stream(asked.tables, asked.table, asked.eyes, seq if known is None else known)


@router.get(
    "/tables/{table}/notation",
    response_class=PlainTextResponse,
    responses=instead_of("text/plain", "Bottega notation 1\ngame splendor\n..."),
)
async def notation(asked: AskedHere) -> Response:
    """The whole game as a text, once it is over."""
    return await notation_of(asked.tables, asked.table)


@router.post("/tables/{table}/token")
async def renew_token(asked: AskedHere) -> Renewed:
    """A new token for your seat. The old one opens nothing any more, and browsers that hold the
    seat leave it."""
    if not asked.eyes.held:
        raise Forbidden("You are watching. Only who holds a seat can have a new token for it.")
    (seat,) = asked.eyes.held
    token = await people.renew_link(asked.tables, asked.table, asked.eyes, seat)
    return Renewed(seat=seat, token=token)
