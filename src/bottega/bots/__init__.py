"""Players that decide by themselves, from what their seat may know and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from bottega.bots.casual import CasualBot
from bottega.bots.greedy import GreedyBot
from bottega.bots.learned import LearnedBot
from bottega.bots.random import RandomBot
from bottega.bots.search import ClassicBot, SearchBot
from bottega.engine.errors import BadOption, UnknownName
from bottega.engine.language import listing
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
    1: Level("Apprentice", "Has just learned the rules."),
    2: Level("Journeyman", "Knows what it wants, and often misses it."),
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


SEARCHES_BY = ("level", "iterations", "seconds", "threads", "blitz")

# The bots, and what each of them takes beside a seed.
BOTS: dict[str, tuple[Callable[..., Bot], tuple[str, ...]]] = {
    "random": (RandomBot, ()),
    "casual": (CasualBot, ("overlooks",)),
    "greedy": (GreedyBot, ()),
    "learned": (LearnedBot, ("heat", "net")),
    "search": (SearchBot, (*SEARCHES_BY, "net")),
    "classic": (ClassicBot, SEARCHES_BY),
}
SEARCHES = ("search", "classic")
ALSO = {"search:classic": "classic"}


def names() -> list[str]:
    """The bots there are."""
    return list(BOTS)


def find(name: str, level: int | None = None, seed: int = 0, **how: Any) -> Bot:
    """A bot by name. The same seed gives the same decisions in the same game, but for what fits
    into so many seconds.

    `search` takes a level from 1 to 5, or `iterations` and `seconds` for a decision, and
    `threads`; without any it searches for 1000 iterations. With `blitz=True` it answers in under
    0.3 seconds, whatever its level. `net` is the file of a network to be guided by instead of that
    which comes with the game. `classic` is the search without a network. `learned` plays by the
    network alone, and takes `heat`, how much it leaves to chance. `casual` takes `overlooks`, the
    share of its choices that it does not see. `search:3`, `search@2000` and `search@0.2s` name a
    level, iterations and seconds as the arena does.
    """
    named = Named.read(name)
    if level is not None:
        how["level"] = level
    if named.how and how:
        raise BadOption(f"'{name}' says already how it searches; name the bot {named.name}")
    if named.name in SEARCHES and not named.how:
        if how.get("level") in LEVELS:
            limits = LEVELS[how["level"]]
            how = {"seconds": limits.seconds, "threads": limits.threads, **how}
        elif not how.keys() & {"level", "iterations", "seconds"}:
            how["iterations"] = DEFAULT_ITERATIONS
    return named.make(seed, **how)


@dataclass(frozen=True)
class Named:
    """A bot as it is named in one word: `greedy`, `search:3` for a level, `search@2000` for so many
    iterations a decision, `search@0.2s` for so many seconds. It thinks on one thread. Where it
    counts iterations, its games are the same on any machine."""

    name: str
    level: int | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        if self.iterations is not None:
            return f"{self.name}@{self.iterations}"
        if self.seconds is not None:
            return f"{self.name}@{self.seconds:g}s"
        return self.name if self.level is None else f"{self.name}:{self.level}"

    @classmethod
    def read(cls, word: str) -> Named:
        for other, name in ALSO.items():
            word = word.replace(other, name)
        name, at, much = word.partition("@")
        if at:
            amount = re.fullmatch(r"(\d+)|(\d*\.?\d+)s", much)
            if name not in SEARCHES or amount is None or not float(amount[1] or amount[2]):
                raise BadOption(
                    f"'{word}' is no bot; search@2000 searches for 2000 iterations, search@0.5s "
                    "for half a second"
                )
            if amount[1]:
                return cls(name, iterations=int(amount[1]))
            return cls(name, seconds=float(amount[2]))
        name, colon, level = word.partition(":")
        if colon and not level.isdecimal():
            raise BadOption(f"the level of the bot {name} must be a number, not '{level}'")
        return cls(name, int(level) if colon else None)

    @property
    def how(self) -> dict[str, int | float]:
        """What the word says beside the name."""
        said = {"level": self.level, "iterations": self.iterations, "seconds": self.seconds}
        return {key: value for key, value in said.items() if value is not None}

    def make(self, seed: int, **how: Any) -> Bot:
        """The bot itself."""
        if self.name not in BOTS:
            raise UnknownName(f"there is no bot '{self.name}'; there is {', '.join(names())}")
        kind, takes = BOTS[self.name]
        how |= self.how
        if not how and self.name in SEARCHES:
            how = {"iterations": DEFAULT_ITERATIONS}
        for key in how:
            if key not in takes:
                what = f"it takes {listing(takes)}" if takes else "it takes nothing but a seed"
                no = "has no levels" if key == "level" else f"knows no '{key}'"
                raise BadOption(f"the bot {self.name} {no}; {what}")
        return kind(seed, **how)
