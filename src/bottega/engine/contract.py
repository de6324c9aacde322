"""The contract of a game: the compiled functions that each game provides.

`kit` and `s` are records, passed in; `s` begins with the fields of `record.HEADER`. Seats
count from 0. No function allocates, raises, recurses or knows a string.

The loops of the engine and the bots are written once, against the names of this module; for
each game, `compile.bind` puts the game's own functions in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bottega.engine.kit import Kit

# Columns of what `result` fills.
PLACE, SCORE = 0, 1

SPECTATOR = -1  # as a seat: somebody who knows only what is public

Told = tuple[int | None, str]  # a line of the log: the seat that did it, if any, and the text


def deal(kit: Any, s: Any, players: int, seed: Any, options: Any) -> None:
    """Set up a fresh table in a zeroed record. `options`: the game's options as numbers."""
    raise NotImplementedError


def waiting(kit: Any, s: Any) -> int:
    """The set of seats that owe a decision; several when play is simultaneous, 0 when over."""
    raise NotImplementedError


def invited(kit: Any, s: Any) -> int:
    """The set of seats that may act now though nothing waits for them."""
    raise NotImplementedError


def legal(kit: Any, s: Any, seat: int, mask: Any) -> None:
    """Fill the mask (`uint64` words, one bit an action) for a seat waiting or invited."""
    raise NotImplementedError


def play(kit: Any, s: Any, seat: int, action: int) -> None:
    """Carry out one legal decision.

    When a chain of small decisions is complete, `s.turns` grows. When something hidden comes
    to light other than by a draw (sealed choices are revealed), `s.shown` grows.
    """
    raise NotImplementedError


def result(kit: Any, s: Any, out: Any) -> None:
    """Each seat's standing: `out[seat, PLACE]`, 1 for the best, tied seats alike, and
    `out[seat, SCORE]`. For a table that ended unfinished: by how far each seat got. A solo
    player who lost has place 2."""
    raise NotImplementedError


def conceal(kit: Any, s: Any, seat: int, seed: Any) -> None:
    """Rewrite everything the seat (or a SPECTATOR) cannot know with a fair sample: a function
    of what the seat knows and of `seed` alone. The unconfirmed decisions of others are taken
    back."""
    raise NotImplementedError


def judge(kit: Any, s: Any, out: Any) -> None:
    """A quick estimate of each seat's chance to win; the chances add up to 1. Alone, what is
    missing to 1 is the chance to lose."""
    raise NotImplementedError


def encode(kit: Any, s: Any, seat: int, out: Any) -> None:
    """What the seat knows as numbers (`float32`), the seat itself first, then clockwise."""
    raise NotImplementedError


class Sight(Protocol):
    """A game's `sight.py`, beside `conceal` and `encode`."""

    def view(self, kit: Kit, s: Any, viewer: int, /) -> dict[str, Any]:
        """What the viewer (a seat or SPECTATOR) sees of the table: a plain JSON-able value."""


class Words(Protocol):
    """A game's `words.py`. `s`, `before` and `after` are records of the game; `Player 2` in a text
    becomes the name of seat 1."""

    def key(self, action: int, /) -> str:
        """The stable key of an action: lower-case words joined by `-`."""

    def text(self, kit: Kit, s: Any, seat: int, action: int, /) -> str:
        """What a legal action does, as a sentence to the one who may choose it; without a full
        stop, since it stands on a button."""

    def picks(self, action: int, /) -> tuple[str, ...]:
        """The things on the board one clicks for an action, in any order; a thing may come
        twice. Actions with the same picks are offered side by side."""

    def kind(self, action: int, /) -> str:
        """The verb that a prompt uses for actions of this kind, as a regular expression: a prompt
        speaks of every kind that is legal, and of no other."""

    def caution(self, kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int], /) -> str:
        """What a legal action gives away, as a sentence to be asked first; mostly nothing."""

    def prompt(self, kit: Kit, s: Any, seat: int, legal: Sequence[int], /) -> str:
        """What a seat that is waiting or invited is asked, in one sentence; `legal`: the numbers
        of what it may do."""

    def topic(self, kit: Kit, s: Any, viewer: int, /) -> str:
        """The heading of RULES.md (in lower case) that matters for the viewer now."""

    def tell(
        self,
        kit: Kit,
        before: Any,
        after: Any,
        seat: int,
        action: int,
        viewer: int,
        names: Sequence[str],
        /,
    ) -> list[Told]:
        """Log lines about a decision, as the viewer may know it. None for others while it is
        private, sealed choices included: what nobody else was told can be taken back freely."""

    def refusal(self, kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int], /) -> str:
        """Why an action is illegal for a seat that may act: what is possible, and the rule."""

    def why(self, kit: Kit, s: Any, names: Sequence[str], /) -> str:
        """At the end: by which count it was won or lost, with the numbers of a tie-break."""

    def sketch(self, view: dict[str, Any], /) -> str:
        """The board as text, with Rich's markup for colours, from what `view` shows alone."""


FUNCTIONS = (deal, waiting, invited, legal, play, result, conceal, judge, encode)
