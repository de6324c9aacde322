"""What steers the training: one readable file (`settings.toml`), checked."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from bottega.engine.errors import BadOption
from bottega.engine.game import Game

FILE = Path(__file__).with_suffix(".toml")

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Expert:
    """Learning from games that the search plays; `settings.toml` says what each number is."""

    tables: int
    steps: int
    scatter: int
    iterations: int
    width: int
    stretch: float
    lesson: float
    kept: float
    explore: float
    untried: float
    root: float
    heat: float
    luck: float
    ahead: int
    wander: float
    window: int
    reuse: float
    minibatch: int
    rate: float
    found: float


@dataclass(frozen=True)
class Share:
    """Tables of one kind in the mix."""

    share: float
    players: int
    options: dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """Everything; `settings.toml` says what each number is."""

    wide: int
    narrow: int
    tables: int
    steps: int
    minibatch: int
    epochs: int
    rate: float
    clip: float
    entropy: float
    smoothing: float
    guess: bool
    goal: int
    nearly: float
    limit: int
    compile: bool
    expert: Expert
    mix: tuple[Share, ...]

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def read(game: Game, device: str, file: Path | None = None) -> Settings:
    """The settings for a game on a device (`cpu` or `cuda`)."""
    file = file or FILE
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise BadOption(f"{file}: cannot be read ({problem})") from None
    except tomllib.TOMLDecodeError as problem:
        raise BadOption(f"{file.name}: not a TOML file: {problem}") from None
    found: dict[str, Any] = {}
    expert: dict[str, Any] = {}
    for section in ("usual", game.name, *(["cpu"] if device == "cpu" else [])):
        part = dict(data.get(section, {}))
        expert |= part.pop("expert", {})
        found |= part
    mix = found.pop("mix", None) or evenly(game)
    shares = tuple(read_share(row, game, file) for row in mix)
    return make(Settings, found | {"expert": make(Expert, expert, file), "mix": shares}, file)


def evenly(game: Game) -> list[dict[str, Any]]:
    """As many tables of each number of players."""
    least, most = game.seats
    return [{"share": 1.0, "players": players} for players in range(least, most + 1)]


def read_share(row: dict[str, Any], game: Game, file: Path) -> Share:
    options = {name: value for name, value in row.items() if name not in ("share", "players")}
    try:
        game.check_options(options)
        return Share(float(row["share"]), game.check_players(row["players"]), options)
    except (KeyError, TypeError, ValueError) as problem:
        raise BadOption(f"{file.name}: in the mix of {game.name}: {problem}") from None


def make(kind: type[Kind], values: dict[str, Any], file: Path) -> Kind:
    """A record of settings: nothing missing, nothing unknown, numbers of the right kind."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for name in values.keys() - known.keys():
        raise BadOption(f"{file.name}: '{name}' is no setting; there is {', '.join(known)}")
    for name, field in known.items():
        if name not in values and field.default is MISSING:
            raise BadOption(f"{file.name}: '{name}' is missing")
        value = values[name]
        if field.type in ("int", "float") and (type(value) is bool or not value >= 0):
            raise BadOption(f"{file.name}: {name} = {value!r} is not possible")
        if field.type == "int" and not isinstance(value, int):
            raise BadOption(f"{file.name}: {name} = {value!r} is not a whole number")
    return kind(**values)
