"""What a viewer sees of a table, as plain values: the board, and the room around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bottega.engine.match import Match
from bottega.table import levels
from bottega.table.rulebook import slug
from bottega.table.seating import BOT, PERSON

if TYPE_CHECKING:
    from bottega.table.live import Eyes, Table

CHAT_SHOWN = 200  # the latest things said


def board(table: Table, eyes: Eyes) -> dict[str, Any]:
    """The game as the viewer may know it."""
    match = table.match
    seat, curtain = table.face(eyes)
    return {
        **position(match, seat),
        "legal": [] if seat is None or table.opened else choices(match, seat),
        "curtain": None if curtain is None else match.names[curtain],
        "can_undo": table.can_undo(eyes),
        "undo_asks": bool(table.others(eyes)),
    }


def position(match: Match, seat: int | None) -> dict[str, Any]:
    """Where a match stands, seen from a seat or (None) from beside the table."""
    return {
        "seat": seat,
        "match_view": match.view(seat),
        "prompt": match.prompt(seat),
        "topic": slug(match.topic(seat)),
        "log": story(match, seat),
        "over": match.over,
        "standings": standings(match, seat) if match.over else [],
    }


def choices(match: Match, seat: int) -> list[dict[str, Any]]:
    """What the seat may do."""
    picks = match.game.words.picks
    return [
        {"id": action.id, "key": action.key, "text": action.text, "picks": picks(action.id)}
        for action in match.legal(seat)
    ]


def story(match: Match, seat: int | None) -> list[dict[str, Any]]:
    """The log; `fresh` is what happened since the viewer's own last decision."""
    lines = match.log(seat)
    known = 0
    if seat is not None:
        own = max((at for at, move in enumerate(match.moves, 1) if move.seat == seat), default=0)
        known = sum(map(bool, match.told(seat)[:own]))
    elif lines:
        known = lines[-1].number - 1
    return [{**vars(line), "fresh": line.number > known} for line in lines]


def steps(match: Match, seat: int | None) -> list[dict[str, Any]]:
    """The log of a replay; `at` is after how many decisions a line stands."""
    telling = [at for at, lines in enumerate(match.told(seat), start=1) if lines]
    return [{**vars(line), "at": telling[line.number - 1]} for line in match.log(seat)]


def standings(match: Match, seat: int | None) -> list[dict[str, Any]]:
    """Places and scores, best first."""
    rows = [
        {
            "seat": at,
            "name": match.names[at],
            "place": place,
            "score": score,
            "won": at in match.winners,
            "you": at == seat,
        }
        for at, (place, score) in enumerate(match.standings)
    ]
    return sorted(rows, key=lambda row: row["place"])


def room(table: Table, eyes: Eyes) -> dict[str, Any]:
    """Who sits there and what they say."""
    return {
        "names": list(table.match.names),
        "players": players(table, eyes),
        "chat": [
            {**vars(said), "colour": "" if said.seat is None else f"seat-{said.seat}"}
            for said in table.chat[-CHAT_SHOWN:]
        ],
        "undo_asked": asked(table, eyes),
        "follower": table.entry.follower,
        "study": studied(table),
    }


def players(table: Table, eyes: Eyes) -> list[dict[str, Any]]:
    """The players as the page shows them."""
    match = table.match
    waiting = match.waiting
    shown, _ = table.face(eyes)
    return [
        {
            "seat": at,
            "name": match.names[at],
            "kind": seat.kind,
            "bot": seat.bot,
            "bot_title": levels.level(seat.bot).title if seat.bot else None,
            "colour": f"seat-{at}",
            "sign": f"sign-{at}",
            "head": f"head-{at}",
            "waiting": at in waiting,
            "thinking": at in waiting and seat.kind == BOT,
            "here": seat.kind == PERSON and table.here[at] > 0,
            "you": at == shown,
        }
        for at, seat in enumerate(table.seats)
    ]


def studied(table: Table) -> dict[str, Any] | None:
    """How far the analysis of an ended game is, and its turning points."""
    if table.study is None or not table.public:
        return None
    points = table.study.points
    return {
        "percent": table.study.percent,
        "done": points is not None,
        "points": [
            {**vars(point), "number": number, "loss": point.loss}
            for number, point in enumerate(points or (), start=1)
        ],
    }


def asked(table: Table, eyes: Eyes) -> dict[str, Any] | None:
    """The open question whether somebody may take back."""
    request = table.request
    if request is None:
        return None
    mine = request.seat in eyes.held
    owing = [at for at in eyes.held if at not in request.agreed]
    return {
        "seat": request.seat,
        "name": table.match.names[request.seat],
        "mine": mine,
        "answer": not mine and bool(owing),
    }
