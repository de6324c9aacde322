"""Players that decide by themselves, from what their seat may know and nothing else."""

from __future__ import annotations

from typing import Protocol

from bottega.bots.greedy import GreedyBot
from bottega.bots.random import RandomBot
from bottega.engine.errors import BadOption, UnknownName
from bottega.engine.match import Action, Match


class Bot(Protocol):
    """A player. `choose` sees the match only through the eyes of the seat."""

    name: str

    def choose(self, match: Match, seat: int) -> Action:
        """What the bot would do in this seat, which is waiting or invited."""
        ...


BOTS: dict[str, type[RandomBot] | type[GreedyBot]] = {"random": RandomBot, "greedy": GreedyBot}


def names() -> list[str]:
    """The bots there are."""
    return list(BOTS)


def find(name: str, level: int | None = None, seed: int = 0) -> Bot:
    """A bot by name. The same seed gives the same decisions at the same table."""
    if name not in BOTS:
        raise UnknownName(f"there is no bot '{name}'; there is {', '.join(BOTS)}")
    if level is not None:
        raise BadOption(f"the bot {name} has no levels")
    return BOTS[name](seed)
