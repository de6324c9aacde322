"""What a seat, or who sits beside the table, was told of a match, kept from move to move.

A long game has a long story, to which every decision adds a line or two. It is told once; a page
that has its beginning says so, and gets the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from hashlib import blake2b

from bottega.engine.contract import SPECTATOR
from bottega.engine.match import Line, Match, mended


class Story:
    """The log of a match that goes on, through the eyes of one viewer."""

    def __init__(self, seat: int | None, match: Match) -> None:
        self.seat = seat
        self.own: list[int] = []  # the viewer's decisions, by their place among all
        self._match = match  # the one that is told
        self._lines: list[Line] = []
        self._ends = [0]  # how many lines there were at first and after each move
        self._marks = [b""]  # what follows from all lines until then, whatever the names
        self._tell()

    def follow(self, match: Match) -> None:
        """Be the story of the match as it stands now, told on from where it parts from what was
        told: matches are copied, so that the same move at the same record has the same past."""
        if match is self._match:
            return
        known, moves = self._match.moves, match.moves
        before, records = self._match.records, match.records
        kept = min(len(known), len(moves)) if match.names == self._match.names else 0
        while kept and not (
            known[kept - 1] is moves[kept - 1] and before[kept - 1] is records[kept - 1]
        ):
            kept -= 1
        del self._lines[self._ends[kept] :], self._ends[kept + 1 :], self._marks[kept + 1 :]
        del self.own[bisect_right(self.own, kept - 1) :]
        self._match = match
        self._tell()

    def _tell(self) -> None:
        """Tell what is not told yet."""
        match, viewer = self._match, SPECTATOR if self.seat is None else self.seat
        moves, records, rules = match.moves, match.records, match.rules
        for at in range(len(self._ends) - 1, len(moves)):
            move, before, after = moves[at], records[at][0], records[at + 1][0]
            told = match.game.words.tell(
                match.kit, before, after, move.seat, move.action, viewer, match.names
            )
            if rules[at + 1] != rules[at]:
                told = [(None, mended(rules[at + 1])), *told]
            number = self._lines[-1].number + 1 if self._lines else 1
            lines = [Line(number, *one) for one in told]
            self._lines += lines
            self._ends.append(len(self._lines))
            self._marks.append(self._mark(lines) if lines else self._marks[-1])
            if move.seat == self.seat:
                self.own.append(at)

    def _mark(self, lines: list[Line]) -> bytes:
        told = "\n".join(f"{line.number} {line.seat} {line.text}" for line in lines)
        for seat, name in sorted(enumerate(self._match.names), key=lambda one: -len(one[1])):
            told = told.replace(name, f"\0{seat}")
        return blake2b(self._marks[-1] + told.encode(errors="replace"), digest_size=8).digest()

    @property
    def _ahead(self) -> list[Line]:
        """What the log says of moves to come."""
        match, version = self._match, self._match.game.rules_version
        if match.rules[-1] == version or match.over:
            return []
        return [Line(self._lines[-1].number + 1 if self._lines else 1, None, mended(version))]

    def __len__(self) -> int:
        return len(self._lines) + len(self._ahead)

    def after(self, number: int) -> list[Line]:
        """All but so many lines."""
        return [*self._lines[number:], *self._ahead]

    @property
    def mark(self) -> str:
        """What follows from all that was told, whatever the players are called."""
        return self._marks[-1].hex() + str(len(self._ahead))

    @property
    def known(self) -> int:
        """How many lines are no news: those told until the viewer's own last decision; beside the
        table, all but those of the latest one."""
        if self.seat is not None:
            return self._until_own(0)
        return len(self) - len(self.latest)

    @property
    def latest(self) -> list[Line]:
        """What was told last, all at once."""
        latest = self._ahead
        if not latest and self._lines:
            at = len(self._lines)
            while at and self._lines[at - 1].number == self._lines[-1].number:
                at -= 1
            latest = self._lines[at:]
        return latest

    def _until_own(self, but: int) -> int:
        """How many lines were told until the viewer's own last decision; `but` so many moves."""
        return self._ends[max(0, self.own[-1] + 1 - but)] if self.own else 0

    @property
    def revealed(self) -> list[Line]:
        """What everybody did at the latest reveal of sealed decisions, if that came with or after
        the viewer's own last decision: the lines of several seats, told at once."""
        since = self.known if self.seat is None else self._until_own(1)
        news = self.after(since)
        for number in sorted({line.number for line in news}, reverse=True):
            together = [line for line in news if line.number == number]
            if len({line.seat for line in together} - {None}) > 1:
                return together
        return []

    # What a page has of it

    @property
    def token(self) -> str:
        """What a page says that shows all of it: how many lines, how many of them as no news, and
        what they are."""
        return f"{len(self)}-{self.known}-{self._named(self.mark)}"

    def kept(self, token: str) -> int:
        """How many lines a page may keep that has shown what it says."""
        said = token.split("-")
        if len(said) != 3 or not all(part.isdecimal() and len(part) < 8 for part in said[:2]):
            return 0
        lines, known = int(said[0]), int(said[1])
        at = bisect_right(self._ends, lines) - 1
        if self._ends[at] != lines or said[2] != self._named(self._marks[at].hex() + "0"):
            return 0
        return min(lines, known, self.known)

    def _named(self, mark: str) -> str:
        """A mark, and who is called what."""
        return blake2b(f"{mark} {self._match.names}".encode(), digest_size=8).hexdigest()
