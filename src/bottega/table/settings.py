"""How a server is set up: where it keeps its tables, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import platformdirs


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

    @property
    def url(self) -> str:
        return self.database or f"sqlite+aiosqlite:///{self.data / 'bottega.sqlite3'}"
