"""Players that decide by themselves, from what their seat may know and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bottega.bots.casual import CasualBot
from bottega.bots.greedy import GreedyBot
from bottega.bots.random import RandomBot
from bottega.bots.search import SearchBot
from bottega.engine.errors import BadOption, UnknownName
from bottega.engine.match import Action, Match


class Bot(Protocol):
    """A player. `choose` sees the match only through the eyes of the seat."""

    name: str

    def choose(self, match: Match, seat: int) -> Action:
        """What the bot would do in this seat, which is waiting or invited."""
        ...


@dataclass(frozen=True)
class Level:
    """A strength of the bot `search`, as people choose it."""

    title: str
    text: str
    seconds: float | None = None  # for a decision, at most
    threads: int = 1  # 0: as many as there are cores


LEVELS: dict[int, Level] = {
    1: Level("Apprentice", "Learns as it goes, and overlooks things."),
    2: Level("Journeyman", "Looks one turn ahead."),
    3: Level("Artisan", "Seldom gives anything away."),
    4: Level("Master", "Makes the most of every turn."),
    5: Level("Maestro", "Thinks hard, on all cores, for up to a second.", seconds=1.0, threads=0),
}
DEFAULT_ITERATIONS = 1000  # of a search that is asked for without a level

# Up to which level people may choose, game by game. Where the search was not yet shown to beat
# `greedy`, it is not offered as the stronger one. Which steps were measured is in docs/strength.md.
MEASURED: dict[str, int] = {
    "splendor": 5,
    "renaissance-man": 5,
    "artificium": 5,
    "one-card-wonder": 5,
}
UNMEASURED = 2


def offered(game: str) -> dict[int, Level]:
    """The levels that people may choose in a game, in rising strength."""
    strongest = MEASURED.get(game, UNMEASURED)
    return {number: level for number, level in LEVELS.items() if number <= strongest}


SIMPLE: dict[str, Callable[[int], Bot]] = {
    "random": RandomBot,
    "casual": CasualBot,
    "greedy": GreedyBot,
}


def names() -> list[str]:
    """The bots there are."""
    return [*SIMPLE, "search"]


def find(name: str, level: int | None = None, seed: int = 0) -> Bot:
    """A bot by name. The same seed gives the same decisions in the same game, but for what fits
    into the seconds of level 5.

    `search` has levels 1 to 5; without one it searches for 1000 iterations a decision.
    """
    if name == "search":
        if level is None:
            return SearchBot(seed, iterations=DEFAULT_ITERATIONS)
        limits = LEVELS.get(level, LEVELS[1])  # SearchBot refuses what is no level
        return SearchBot(seed, level=level, seconds=limits.seconds, threads=limits.threads)
    if name not in SIMPLE:
        raise UnknownName(f"there is no bot '{name}'; there is {', '.join(names())}")
    if level is not None:
        raise BadOption(f"the bot {name} has no levels")
    return SIMPLE[name](seed)
