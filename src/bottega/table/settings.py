"""How a server is set up: where it keeps its tables, and its limits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

PORT = 8000


def default_data() -> Path:
    """The folder for this user's tables."""
    return Path(platformdirs.user_data_dir("bottega", appauthor=False))


@dataclass(frozen=True)
class Settings:
    """Everything that can be set. The defaults suit a family; a public server sets its own."""

    data: Path  # the folder of the database and of the server's secret
    database: str = ""  # an SQLAlchemy URL; empty: a SQLite file in `data`
    pause: float = 0.9  # seconds that a bot takes at least for a decision worth watching
    capacity: int = 256  # tables kept in memory; others wait in the database
    pace: float = 1.0  # multiplies every rate limit; 0 switches them off
    absence: float = 8.0  # seconds after its last page closed until a seat counts as away
    study: float = 20.0  # seconds of thinking about an ended game, at most; 0: none
    think: bool = True  # whether this process thinks for bots itself; else thinkers must
    warm: bool = True  # have every game compiled while the first page is looked at

    @property
    def url(self) -> str:
        return self.database or f"sqlite+aiosqlite:///{self.data / 'bottega.sqlite3'}"

    @property
    def sqlite_file(self) -> Path | None:
        """The file of the database, if it is one that only one server may use."""
        from sqlalchemy import make_url  # the command loads without it

        url = make_url(self.url)
        named = url.database and url.database != ":memory:"
        return Path(url.database or "") if named and url.drivername.startswith("sqlite") else None


# Each of these variables of the environment sets what its name says.
VARIABLES: dict[str, Any] = {
    "data": Path,
    "database": str,
    "pause": float,
    "capacity": int,
    "pace": float,
    "absence": float,
    "study": float,
    "think": lambda text: text not in ("", "0", "no"),
    "warm": lambda text: text not in ("", "0", "no"),
}


def settings(data: Path | None = None, **given: Any) -> Settings:
    """Settings as given, else as the environment says (BOTTEGA_PAUSE=0), else the defaults."""
    chosen: dict[str, Any] = {"data": default_data()}
    for name, read in VARIABLES.items():
        if (text := os.environ.get(f"BOTTEGA_{name.upper()}")) is not None:
            chosen[name] = read(text)
    chosen |= given
    if data is not None:
        chosen["data"] = data
    return Settings(**chosen)
