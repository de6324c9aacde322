"""A table that is being played: its match in memory, and what each viewer sees of it.

Each viewer has a sequence number. It grows when what that viewer sees changes, and only then,
so that neither the number nor the moment tells anything about what is hidden from them.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.table.database.store import Entry, Loaded, Said
from bottega.table.playing import shown
from bottega.table.playing.pace import Pace
from bottega.table.playing.seating import OPEN, PERSON, Seat
from bottega.table.thinking.analysis import Study

TELL_AFTER = 0.02  # seconds; whoever has just decided gets the new page before the others
EPOCH = 1_000_000  # numbers of a loading; more than the changes a table will ever see in memory


@dataclass(frozen=True)
class Eyes:
    """Who looks at a table: the seats they hold, and whether they set it up.

    A browser that holds several seats is a hot seat: it sees one of them at a time, and which
    one is remembered by `browser`.
    """

    held: tuple[int, ...] = ()
    host: bool = False
    browser: str | None = None


@dataclass
class Viewer:
    """What somebody has been shown."""

    eyes: Eyes
    seq: int
    since: int  # the number at which the game, not only names and talk, last changed
    board: dict[str, Any]
    room: dict[str, Any]
    board_due: bool = False  # whether the board must be looked at again
    room_due: bool = False
    moved: bool = False  # whether the game may have changed since then
    decided: int = 0  # how often the viewer had decided
    listeners: set[asyncio.Event] = field(default_factory=set)


@dataclass
class Request:
    """Somebody asks the others to let them take back."""

    seat: int
    agreed: set[int]


def same_question(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether a viewer may still answer what they were asked before: they were told nothing and
    may do the same. Such is the sealed choice of another, where all choose together."""
    return bool(now["legal"]) and now["legal"] == before["legal"] and now["log"] == before["log"]


class Table:
    """One table in memory. Whoever changes it holds its lock."""

    def __init__(self, loaded: Loaded, match: Match) -> None:
        self.entry: Entry = loaded.entry
        self.seats: list[Seat] = loaded.seats
        self.holders: set[tuple[str, int]] = loaded.holders
        self.chat: list[Said] = loaded.chat
        self.match = match
        self.lock = asyncio.Lock()
        self.viewers: dict[Eyes, Viewer] = {}
        self.ready: dict[str, int] = {}  # hot seats: who has the device, by browser
        self.request: Request | None = None
        self.refused: tuple[int, int] | None = None  # who was not let take back, and by whom
        self.pace = Pace()
        self.rewinds = 0  # times something was taken back; a bot's thought before it is void
        self.here: Counter[int] = Counter()  # open pages of each seat
        self.thinkers: dict[int, asyncio.Task[None]] = {}  # bots at work, by seat
        self.favours: Counter[tuple[int, int]] = Counter()  # bots' unasked steps, by turn and seat
        self.touched = time.monotonic()
        self.study: Study | None = None  # the analysis, once over

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def opened(self) -> bool:
        """Whether it came as a notation: nobody plays it."""
        return self.entry.mode == "opened"

    @property
    def public(self) -> bool:
        """Whether its whole past, and the seed, may be known."""
        return self.opened or self.match.over

    @property
    def busy(self) -> bool:
        """Whether somebody looks at it or thinks about it, so that it must stay in memory."""
        listening = any(viewer.listeners for viewer in self.viewers.values())
        studied = self.study is not None and self.study.findings is None
        return listening or studied or bool(self.thinkers) or self.lock.locked()

    # Who is who

    def eyes(self, visitor: str | None, seat: int | None = None) -> Eyes:
        """How a browser sees the table, or a program that holds one seat."""
        if visitor is None:
            return Eyes(() if seat is None else (seat,))
        held = tuple(sorted(at for holder, at in self.holders if holder == visitor))
        host = self.entry.host == visitor
        return Eyes(held, host, visitor if len(held) > 1 else None)

    def others(self, eyes: Eyes) -> list[int]:
        """The seats of other people."""
        people = [at for at, seat in enumerate(self.seats) if seat.kind == PERSON]
        return [at for at in people if at not in eyes.held]

    @property
    def people(self) -> bool:
        """Whether more than one person plays or will, each with a screen of their own."""
        return self.entry.mode == "friends"

    @property
    def open_seats(self) -> list[int]:
        return [at for at, seat in enumerate(self.seats) if seat.kind == OPEN]

    def face(self, eyes: Eyes) -> tuple[int | None, int | None]:
        """The seat whose things are shown, and the seat to which the device is to be passed."""
        if len(eyes.held) < 2 or eyes.browser is None:
            return (eyes.held[0] if eyes.held else None), None
        if self.match.over:
            return None, None
        active = self.ready.get(eyes.browser)
        waiting = self.match.waiting
        if active in waiting:
            return active, None
        start = 0 if active is None else active
        turn = sorted(eyes.held, key=lambda seat: (seat - start) % self.match.players)
        for seat in turn:
            if seat in waiting:
                return None, seat
        return (active if active in self.match.invited else None), None

    def actor(self, eyes: Eyes) -> int | None:
        """The seat for which the browser acts, also just after it has decided."""
        if len(eyes.held) < 2 or eyes.browser is None:
            return eyes.held[0] if eyes.held else None
        return self.ready.get(eyes.browser)

    # What is shown

    def viewer(self, eyes: Eyes) -> Viewer:
        """What these eyes see now."""
        self.touched = time.monotonic()
        if eyes not in self.viewers:
            first = self.entry.epoch * EPOCH
            seen = shown.board(self, eyes), shown.room(self, eyes)
            self.viewers[eyes] = Viewer(eyes, first, first, *seen, decided=self._decided(eyes))
        viewer = self.viewers[eyes]
        self._look(viewer)
        return viewer

    def changed(self, *, board: bool = True) -> None:
        """Something is new. Whoever listens is told soon, the others when they next look."""
        for viewer in self.viewers.values():
            viewer.board_due |= board
            viewer.moved |= board
            viewer.room_due = True
        asyncio.get_running_loop().call_later(TELL_AFTER, self._tell)

    def rename(self, match: Match) -> None:
        """The same match with other names: it outdates nobody's decision."""
        for viewer in self.viewers.values():
            self._look(viewer)  # what is due has its own number first
            viewer.board_due = True
        self.match = match
        self.changed(board=False)

    def _tell(self) -> None:
        for viewer in list(self.viewers.values()):
            if viewer.listeners:
                self._look(viewer)

    def _look(self, viewer: Viewer) -> None:
        """Look again through a viewer's eyes; if there is something new, count and say so."""
        board = shown.board(self, viewer.eyes) if viewer.board_due else viewer.board
        room = shown.room(self, viewer.eyes) if viewer.room_due else viewer.room
        moved, viewer.moved = viewer.moved, False
        viewer.board_due = viewer.room_due = False
        if board == viewer.board and room == viewer.room:
            return
        viewer.seq += 1
        decided = self._decided(viewer.eyes)
        same = decided == viewer.decided and same_question(viewer.board, board)
        if board != viewer.board and moved and not same:
            viewer.since = viewer.seq
        viewer.board, viewer.room, viewer.decided = board, room, decided
        for listener in viewer.listeners:
            listener.set()

    def _decided(self, eyes: Eyes) -> int:
        """How often these eyes have decided."""
        return sum(move.seat in eyes.held for move in self.match.moves)

    def hang_up(self) -> None:
        """Wake everybody who listens: this is no longer the table in memory."""
        for viewer in self.viewers.values():
            for listener in viewer.listeners:
                listener.set()

    # Taking back

    def can_undo(self, eyes: Eyes) -> bool:
        """Whether to offer taking back: at once, or by asking the others."""
        seat = self.actor(eyes)
        if seat is None or self.match.over or self.opened:
            return False
        if self.others(eyes):
            return any(move.seat == seat for move in self.match.moves)
        return self.match.can_undo(seat)
