"""What a viewer sees of a table, as plain values: the board, and the room around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bottega.bots import waking
from bottega.engine.match import Match
from bottega.table.database.rows import BOT, PERSON
from bottega.table.playing import levels
from bottega.table.playing.findings import drawn
from bottega.table.playing.manners import SPEEDS
from bottega.table.playing.story import Story

if TYPE_CHECKING:
    from bottega.table.playing.table import Eyes, Table


def board(table: Table, eyes: Eyes) -> dict[str, Any]:
    """The game as the viewer may know it."""
    match = table.match
    seat, curtain = table.face(eyes)
    story = table.story(seat)
    return {
        **position(match, seat),
        "known": story.known,
        "latest": [vars(line) for line in story.latest],
        "legal": [] if seat is None or table.opened else choices(match, seat),
        "reveal": [] if match.over else [vars(line) for line in story.revealed],
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
        "topic": match.topic(seat),
        "over": match.over,
        "standings": standings(match, seat) if match.over else [],
    }


def choices(match: Match, seat: int) -> list[dict[str, Any]]:
    """What the seat may do. Passing is quiet as long as there is something else to do; what gives
    something away says so first."""
    words, record = match.game.words, match.records[-1][0]
    actions = match.legal(seat)
    numbers = [action.id for action in actions]
    only_pass = all(words.kind(number) == "pass" for number in numbers)
    return [
        {
            "id": action.id,
            "key": action.key,
            "text": action.text,
            "picks": words.picks(action.id),
            "quiet": words.kind(action.id) == "pass" and not only_pass,
            "caution": words.caution(match.kit, record, seat, action.id, numbers),
        }
        for action in actions
    ]


def log(story: Story, kept: int) -> list[dict[str, Any]]:
    """The log without the lines that are `kept`; `fresh` is what happened since the viewer's own
    last decision."""
    return [
        {**vars(line), "at": at, "fresh": at > story.known}
        for at, line in enumerate(story.after(kept), start=kept + 1)
    ]


def moments(match: Match, seat: int | None, every: bool) -> Sequence[int]:
    """After how many decisions there was something to see: after every one, or after those of
    which the seat was told."""
    if every:
        return range(len(match.moves) + 1)
    return [0, *(at for at, lines in enumerate(match.told(seat), start=1) if lines)]


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
            for said in table.chat
        ],
        "undo_asked": asked(table, eyes),
        "undo_refused": refused(table, eyes),
        "pace": pace(table, eyes),
        "follower": table.entry.follower,
        "study": studied(table),
        "links": links(table, eyes),
    }


def links(table: Table, eyes: Eyes) -> dict[int, int]:
    """The seats whose links the viewer may see, and how often each was made anew."""
    yours = {*eyes.held, *(table.open_seats if eyes.host else ())}
    return {seat: table.seats[seat].links for seat in sorted(yours)}


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
            "level": levels.level(seat.bot) if seat.bot else None,
            "colour": f"seat-{at}",
            "sign": f"sign-{at}",
            "head": f"head-{at}",
            "waiting": at in waiting,
            "thinking": at in waiting and seat.kind == BOT,
            "waking": not match.over and seat.bot is not None and drowsy(match, seat.bot),
            "here": seat.kind == PERSON and table.here[at] + table.elsewhere[at] > 0,
            "you": at == shown,
        }
        for at, seat in enumerate(table.seats)
    ]


def drowsy(match: Match, level: str) -> bool:
    """Whether a bot does not yet decide as it can: its machine code is still being made."""
    return not waking.awake(levels.player(level, 0), match)


def studied(table: Table) -> dict[str, Any] | None:
    """How far the analysis of an ended game is; what it found: the decisions that mattered, and
    everybody's chances through the game."""
    if table.study is None or not table.public:
        return None
    found, rows = table.study.findings, table.study.chances(table.match)
    return {
        "percent": table.study.percent,
        "done": found is not None,
        "points": [
            {
                **vars(point),
                "number": number,
                "size": point.size,
                "seen": rows[point.at][point.seat],
            }
            for number, point in enumerate(found.points if found else (), start=1)
        ],
        "chances": drawn(rows),
    }


def refused(table: Table, eyes: Eyes) -> str | None:
    """Who refused what the viewer asked to take back, until the next decision."""
    if table.manners.refused is None:
        return None
    who, by = table.manners.refused
    return table.match.names[by] if who in eyes.held else None


def pace(table: Table, eyes: Eyes) -> dict[str, Any] | None:
    """How fast bots play on among themselves, and whether the viewer may say so."""
    if table.entry.mode != "watch" or table.match.over:
        return None
    return {
        "paused": table.manners.pace != "go",
        "speed": table.manners.speed,
        "speeds": SPEEDS,
        "yours": eyes.host,
    }


def asked(table: Table, eyes: Eyes) -> dict[str, Any] | None:
    """The open question whether somebody may take back."""
    request = table.manners.request
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
