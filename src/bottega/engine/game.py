"""`Game`: one game of the contract, with its kits, options and compiled code."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from bottega.engine.bits import WORD
from bottega.engine.compile import Code
from bottega.engine.contract import FUNCTIONS, Sight, Words
from bottega.engine.errors import BadOption, KitError
from bottega.engine.kit import Kit, KitFile, read_kit_file
from bottega.engine.option import Option, Value
from bottega.engine.record import blank

if TYPE_CHECKING:
    from bottega.engine.match import Match, Past

MOST_SEED = 2**64 - 1
MOST_LIMIT = 2**32 - 1


@dataclass(frozen=True, eq=False)
class Game:
    """A game: what its folder declares about it, and the modules of that folder."""

    name: str
    title: str
    summary: str  # one sentence
    designer: str
    publisher: str
    minutes: int  # how long people usually take
    seats: tuple[int, int]  # least and most players
    options: tuple[Option, ...]
    rules_version: int  # grows when a rule changes, so that old notations are not misread
    actions: int  # how many numbered actions there are
    observation: int  # how many numbers `encode` fills
    table: np.dtype[Any]
    folder: Path
    rules: ModuleType
    sight: Sight
    sense: ModuleType
    words: Words
    make_kit: Callable[[KitFile], Kit]

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    @cached_property
    def code(self) -> Code:
        """The compiled functions."""
        homes: tuple[Any, ...] = (self.rules, self.sight, self.sense)
        names = [function.__name__ for function in FUNCTIONS]
        functions = {n: getattr(home, n) for n in names for home in homes if hasattr(home, n)}
        return Code(self.name, functions, self.folder)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The stable key of every action, by number."""
        return tuple(self.words.key(action) for action in range(self.actions))

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of every action, by key."""
        return {key: action for action, key in enumerate(self.keys)}

    @property
    def mask_words(self) -> int:
        """How many words a mask over the actions has."""
        return -(-self.actions // WORD)

    def new_mask(self) -> np.ndarray[Any, Any]:
        return np.zeros(self.mask_words, np.uint64)

    def new_table(self) -> np.ndarray[Any, Any]:
        return blank(self.table)

    # Kits

    @cached_property
    def kits(self) -> Mapping[str, Path]:
        """The kits that come with the game, by name."""
        return {file.stem: file for file in sorted((self.folder / "kit").glob("*.toml"))}

    @cached_property
    def _known_kits(self) -> dict[str, Kit]:
        return {}

    def kit(self, which: str | Path | Kit = "default") -> Kit:
        """A kit by the name of one that comes with the game, or from a file."""
        if isinstance(which, Kit):
            if which.game != self.name:
                raise KitError(f"kit {which.name} is for {which.game}, not for {self.name}")
            return which
        if str(which) not in self.kits:
            return self.make_kit(read_kit_file(Path(which)))
        name = str(which)
        if name not in self._known_kits:
            self._known_kits[name] = self.make_kit(read_kit_file(self.kits[name]))
        return self._known_kits[name]

    # What a table is made from, checked

    def check_players(self, players: int | None) -> int:
        least, most = self.seats
        if players is None:
            return least
        if isinstance(players, bool) or not isinstance(players, int | np.integer):
            raise BadOption(f"players={players!r} is not a whole number")
        if not least <= players <= most:
            who = f"{least} to {most}" if least < most else f"{least}"
            raise BadOption(f"{self.title} is for {who} players, not for {players}")
        return int(players)

    def check_options(self, options: Mapping[str, Value]) -> np.ndarray[Any, Any]:
        """The options as the rules see them, in the order the game declares them."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                there = ", ".join(known) or "none"
                raise BadOption(f"{self.title} has no option '{name}'; it has {there}")
        return np.array(
            [known[name].number(options.get(name, known[name].default)) for name in known] or [0],
            np.int64,
        )

    def new(
        self,
        players: int | None = None,
        seed: int | None = None,
        *,
        kit: str | Path | Kit = "default",
        limit: int = 0,
        names: Sequence[str] | None = None,
        past: Past | None = None,
        **options: Value,
    ) -> Match:
        """A fresh table, or one that stands where a `past` ends. Without a seed, one is drawn that
        nobody can guess."""
        from bottega.engine.match import Match

        if seed is None:
            seed = secrets.randbits(64)
        return Match(
            self,
            self.kit(kit),
            self.check_players(players),
            check_number("seed", seed, MOST_SEED),
            self.check_options(options),
            check_number("limit", limit, MOST_LIMIT),
            names,
            past,
        )


def check_number(name: str, value: Any, most: int) -> int:
    """A whole number from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value <= most:
        raise BadOption(f"{name}={value!r} is not a whole number from 0 to {most}")
    return int(value)
