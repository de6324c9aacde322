"""What is agreed on at a table besides the game: who would like to take back, who has the device
that is passed round, how fast bots play among themselves.

It is stored with the table, so that any process knows it, and is replaced, never written: what
could not be stored has not happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

SPEEDS = (0.5, 1.0, 2.0, 4.0)  # times as fast as bots play against people
Pace = Literal["go", "step", "pause"]


@dataclass(frozen=True)
class Request:
    """Somebody asks the others to let them take back."""

    seat: int
    agreed: tuple[int, ...]


@dataclass(frozen=True)
class Manners:
    """See above."""

    request: Request | None = None
    refused: tuple[int, int] | None = None  # who was not let take back, and by whom
    ready: Mapping[str, int] = field(default_factory=dict)  # who has the device, by browser
    pace: Pace = "go"  # of a table of bots; a step is one decision, then it pauses
    speed: float = 1.0

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Manners:
        """As the database has it; what it does not have is as usual."""
        found = dict(stored)
        if request := found.get("request"):
            found["request"] = Request(request["seat"], tuple(request["agreed"]))
        if refused := found.get("refused"):
            found["refused"] = tuple(refused)
        return cls(**found)

    @property
    def stored(self) -> dict[str, Any]:
        """As the database has it."""
        return asdict(self)

    def after_a_decision(self, *, bots: bool = False) -> Manners:
        """Whoever decides has answered every question; a step that `bots` may take is taken."""
        pace: Pace = "pause" if bots and self.pace == "step" else self.pace
        return replace(self, request=None, refused=None, pace=pace)

    def with_device(self, browser: str, seat: int) -> Manners:
        return replace(self, ready={**self.ready, browser: seat})
