"""Kits: the components of a game as data, loaded into one record and checked.

A kit is a TOML file. It names its game, itself and its origin, and lists its components in
tables of its own or in CSV files beside it. An error names the file, the entry and what is
wrong with it.
"""

from __future__ import annotations

import csv
import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bottega.engine.errors import KitError

Columns = Mapping[str, Callable[[str], Any]]  # a reader for each column of a CSV file


@dataclass(frozen=True)
class Kit:
    """Checked components. Two kits with the same hash play the same game."""

    game: str
    name: str
    title: str
    origin: str  # where the components come from; shown wherever the kit is shown
    record: np.ndarray[Any, Any]  # an array of one record of the game's type, as the rules see it
    words: Mapping[str, Any]  # names and texts that the rules do not need
    hash: str


@dataclass(frozen=True)
class KitFile:
    """A kit's file as it was read; each game makes its record from it."""

    path: Path
    data: Mapping[str, Any]

    def fail(self, what: str) -> KitError:
        return KitError(f"{self.path.name}: {what}")

    def text(self, key: str) -> str:
        """A text that must be there."""
        value = self.data.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(f"'{key}' is missing or not a text")
        return value

    def rows(self, key: str, columns: Columns) -> list[dict[str, Any]]:
        """The rows of a CSV file that the kit names under `key`, each column converted."""
        file = self.path.parent / self.text(key)
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise self.fail(f"cannot read '{file.name}', named under '{key}'") from None
        reader = csv.DictReader(lines)
        for column in columns:
            if column not in (reader.fieldnames or ()):
                raise KitError(f"{file.name}: column '{column}' is missing")
        return [
            {name: _cell(file, number, row, name, read) for name, read in columns.items()}
            for number, row in enumerate(reader, start=2)
        ]


def _cell(
    file: Path, line: int, row: Mapping[str, str | None], name: str, read: Callable[[str], Any]
) -> Any:
    value = (row[name] or "").strip()  # a short row has no cell there
    try:
        return read(value)
    except ValueError as problem:
        raise KitError(f"{file.name}, line {line}: {name} is '{value}': {problem}") from None


def whole(least: int, most: int) -> Callable[[str], int]:
    """A reader for whole numbers in a range."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError("it must be a whole number") from None
        if not least <= number <= most:
            raise ValueError(f"it must be from {least} to {most}")
        return number

    return read


def among(words: Sequence[str]) -> Callable[[str], int]:
    """A reader for a word of a list; it gives the word's position."""

    def read(text: str) -> int:
        if text not in words:
            raise ValueError("it must be one of " + ", ".join(words))
        return words.index(text)

    return read


def read_kit_file(path: Path) -> KitFile:
    """Read a kit's TOML file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KitError(f"{path}: there is no such kit file") from None
    except IsADirectoryError:
        raise KitError(f"{path} is a folder; a kit is a TOML file") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise KitError(f"{path}: cannot be read ({problem})") from None
    except tomllib.TOMLDecodeError as problem:
        raise KitError(f"{path.name}: not a TOML file: {problem}") from None
    return KitFile(path, data)


def make_kit(file: KitFile, game: str, record: np.ndarray[Any, Any], **words: Any) -> Kit:
    """The finished kit of a game."""
    if file.text("game") != game:
        raise file.fail(f"this is a kit for {file.text('game')}, not for {game}")
    digest = hashlib.sha256(record.tobytes()).hexdigest()[:16]
    return Kit(
        game, file.text("name"), file.text("title"), file.text("origin"), record, words, digest
    )
