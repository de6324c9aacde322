"""A table in memory: its match, who sits there, and what each viewer sees of it.

Memory is a cache: what counts is in the database, and a table that another process has changed is
read again. What a viewer sees has a number that follows from it and from nothing else, so that
neither the number nor the moment tells anything about what is hidden from them, whichever process
answers.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.table.database.jobs import LOOKED, UNSEEN
from bottega.table.database.rows import BOT, OPEN, PERSON, Entry, Loaded, Said, Seat
from bottega.table.playing import shown
from bottega.table.playing.findings import Study
from bottega.table.playing.manners import Manners
from bottega.table.playing.story import Story

# Decisions of a table; no game takes so many, and what they cost is bounded.
MOST_DECISIONS = 4000
USUAL = 250  # decisions of a game; a table with several times as many takes so much more memory
TELL_AFTER = 0.02  # seconds; whoever has just decided gets the new page before the others
# A number has this many bits for the question that a viewer is asked, and for all that they see;
# together what a browser's numbers can hold.
QUESTION, SIGHT = 26, 27


@dataclass(frozen=True)
class Eyes:
    """Who looks at a table: the seats they hold, and whether they set it up.

    A browser that holds several seats is a hot seat: it sees one of them at a time, and which
    one is remembered by `browser`.
    """

    held: tuple[int, ...] = ()
    host: bool = False
    browser: str | None = None
    links: tuple[int, ...] = ()  # of the seats held: times their links were made anew


@dataclass
class Viewer:
    """What somebody has been shown."""

    eyes: Eyes
    board: dict[str, Any] = field(default_factory=dict)
    room: dict[str, Any] = field(default_factory=dict)
    seq: int = 0  # the number of all this
    board_due: bool = True  # whether the board must be looked at again
    room_due: bool = True
    listeners: set[asyncio.Event] = field(default_factory=set)

    def may_answer(self, seq: int) -> bool:
        """Whether who saw that number was asked what this viewer is asked now."""
        return seq >> SIGHT == self.seq >> SIGHT


def number_of(viewer: Viewer, told: str, decided: int) -> int:
    """The number of what a viewer sees. Its first part is that of the question they are asked: what
    they may do, after what they were told and have decided. Others' sealed choices, talk and new
    names change only the rest."""
    question = decided, [action["id"] for action in viewer.board["legal"]], told
    sight = told, viewer.board, viewer.room
    return digest(question, QUESTION) << SIGHT | digest(sight, SIGHT)


def digest(value: Any, bits: int) -> int:
    """So many bits that follow from a plain value."""
    found = blake2b(repr(value).encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(found) >> (64 - bits)


class Table:
    """One table in memory. Whoever changes it holds its lock."""

    def __init__(self, loaded: Loaded, match: Match) -> None:
        self.lock = asyncio.Lock()
        self.stale = False  # whether the database may know better, for all we can tell
        self.viewers: dict[Eyes, Viewer] = {}
        self.here: Counter[int] = Counter()  # open pages of each seat
        self.elsewhere: Counter[int] = Counter()  # ... at other processes
        self.uncounted = False  # whether those must be counted again
        self.thinkers: dict[int, asyncio.Task[None]] = {}  # bots at work here, by seat
        self.favours: Counter[tuple[int, int]] = Counter()  # bots' unasked steps, by turn and seat
        self.touched = time.monotonic()
        self.study: Study | None = None  # the analysis, once over
        self.leaving: asyncio.Future[None] | None = None  # the latest page that closed
        self.logs: dict[int | None, Any] = {}  # of its replay, by seat; see `replays`
        self._news = asyncio.Event()
        self._stories: dict[int | None, Story] = {}  # by seat
        self.become(loaded, match)

    def become(self, loaded: Loaded, match: Match) -> None:
        """Be as the database has it."""
        self.entry: Entry = loaded.entry
        self.seats: list[Seat] = loaded.seats
        self.holders: set[tuple[str, int]] = loaded.holders
        self.chat: list[Said] = loaded.chat
        self.manners = Manners.read(loaded.entry.manners)
        self.match = match
        self.stale = False

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

    @property
    def size(self) -> int:
        """How many usual tables could be in memory in its place."""
        return 1 + self.entry.length // USUAL

    def looked_at(self, seconds: float) -> bool:
        """Whether somebody has looked at it lately, through this process."""
        lately = time.monotonic() - self.touched < seconds
        return lately or any(viewer.listeners for viewer in self.viewers.values())

    @property
    def patience(self) -> float:
        """Seconds for which its bots go on though nobody looks: where none but bots play, whoever
        wants to see it can see it later."""
        return UNSEEN if self.entry.mode == "watch" else LOOKED

    @property
    def awake(self) -> bool:
        """Whether its bots go on, as far as this process knows."""
        return self.looked_at(self.patience)

    # Who is who

    def eyes(self, visitor: str | None, seat: int | None = None) -> Eyes:
        """How a browser sees the table, or a program that holds one seat."""
        if visitor is None:
            program = () if seat is None else (seat,)
            return Eyes(program, links=self._links(program))
        held = tuple(sorted(at for holder, at in self.holders if holder == visitor))
        host = self.entry.host == visitor
        return Eyes(held, host, visitor if len(held) > 1 else None, self._links(held))

    def _links(self, held: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.seats[at].links for at in held)

    def knows(self, eyes: Eyes) -> bool:
        """Whether no link was made anew since, of the seats that these eyes held."""
        return eyes.links == self._links(eyes.held)

    def others(self, eyes: Eyes) -> list[int]:
        """The seats of other people."""
        people = [at for at, seat in enumerate(self.seats) if seat.kind == PERSON]
        return [at for at in people if at not in eyes.held]

    @property
    def owner(self) -> str:
        """On whose account its bots think."""
        return self.entry.host or self.id  # tables of older servers may have no host

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
        active = self.manners.ready.get(eyes.browser)
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
        return self.manners.ready.get(eyes.browser)

    @property
    def due(self) -> list[int] | None:
        """The bots that may decide now; None if no bot sits here."""
        if self.opened or all(seat.kind != BOT for seat in self.seats):
            return None
        return due_bots(self.match, self.seats)

    # What is shown

    def viewer(self, eyes: Eyes) -> Viewer:
        """What these eyes see now."""
        self.touched = time.monotonic()
        viewer = self.viewers.setdefault(eyes, Viewer(eyes))
        self._look(viewer)
        return viewer

    def story(self, seat: int | None) -> Story:
        """What a seat, or who sits beside the table, was told so far."""
        story = self._stories.get(seat)
        if story is None:
            story = self._stories[seat] = Story(seat, self.match)
        story.follow(self.match)
        return story

    def changed(self, *, board: bool = True) -> None:
        """Something is new. Whoever listens is told soon, the others when they next look."""
        for viewer in list(self.viewers.values()):
            viewer.board_due |= board
            viewer.room_due = True
            if not viewer.listeners:
                del self.viewers[viewer.eyes]  # to be made anew if ever they look again
        self._news.set()
        self._news = asyncio.Event()
        asyncio.get_running_loop().call_later(TELL_AFTER, self._tell)

    async def news(self) -> None:
        """Wait until something is new."""
        await self._news.wait()

    def _tell(self) -> None:
        for viewer in list(self.viewers.values()):
            if viewer.listeners:
                self._look(viewer)

    def _look(self, viewer: Viewer) -> None:
        """Look again through a viewer's eyes; if there is something new, say so."""
        if not (viewer.board_due or viewer.room_due):
            return
        if viewer.board_due:
            viewer.board = shown.board(self, viewer.eyes)
        if viewer.room_due:
            viewer.room = shown.room(self, viewer.eyes)
        viewer.board_due = viewer.room_due = False
        decided = sum(len(self.story(seat).own) for seat in viewer.eyes.held)
        seq = number_of(viewer, self.story(viewer.board["seat"]).mark, decided)
        if seq != viewer.seq:
            viewer.seq = seq
            for listener in viewer.listeners:
                listener.set()

    def hang_up(self) -> None:
        """Wake everybody who listens or waits: the server closes."""
        self._news.set()
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


def due_bots(match: Match, seats: list[Seat]) -> list[int]:
    """The bots that may decide something."""
    if match.over or len(match.moves) >= MOST_DECISIONS:
        return []
    may = {*match.waiting, *match.invited}
    return [at for at in sorted(may) if seats[at].kind == BOT]
