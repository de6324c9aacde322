"""How a server is set up: where it keeps its tables, and its limits."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import platformdirs

from bottega.table.faults import CannotServe

PORT = 8000
PREFIX = "BOTTEGA_"
IN_FILE = "_FILE"  # BOTTEGA_SECRET_FILE names the file that holds what BOTTEGA_SECRET would


def default_data() -> Path:
    """The folder for this user's tables."""
    return Path(platformdirs.user_data_dir("bottega", appauthor=False))


@dataclass(frozen=True)
class Settings:
    """Everything that can be set. The defaults suit a family; a public server sets its own."""

    data: Path  # the folder of the database and of the server's secret
    database: str = field(default="", repr=False)  # an SQLAlchemy URL; empty: SQLite in `data`
    secret: str = field(default="", repr=False)  # 64 hex digits; empty: a file in `data`
    pause: float = 0.9  # seconds that a bot takes at least for what others see of it
    capacity: int = 256  # tables kept in memory; others wait in the database
    pace: float = 1.0  # multiplies every limit of a visitor or an address; 0 switches them off
    proxies: str = "127.0.0.1,::1"  # addresses and networks of the web servers before this one
    absence: float = 8.0  # seconds after its last page closed until a seat counts as away
    study: float = 20.0  # seconds of thinking about an ended game, at most; 0: none
    keep_unplayed: float = 30.0  # days that a table is kept at which nobody plays; 0: for ever
    keep_running: float = 0.0  # ... at which a game was begun
    keep_finished: float = 0.0  # ... at which one is over
    think: bool = True  # whether this process thinks for bots itself; else thinkers must
    ray: str = ""  # the address of a Ray cluster that thinks long thoughts; empty: none
    warm: bool = True  # have every game compiled while the first page is looked at
    metrics: str = "off"  # who may read /metrics: nobody, this machine (local) or all (open)
    logs: str = "plain"  # how the log is written: for people, or a line of json for each event

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


# What a variable of the environment may say. Each of these reads a text, or says in a ValueError
# what it would have to be.


def number(text: str) -> float:
    """Seconds, days, or a factor."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise ValueError("a number, 0 or more")
    return value


def count(text: str) -> int:
    """How many there may be."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ValueError("a whole number, 1 or more")
    return int(text)


def yes_or_no(text: str) -> bool:
    if text not in ("1", "yes", "0", "no"):
        raise ValueError("1 or 0")
    return text in ("1", "yes")


def one_of(*words: str) -> Callable[[str], str]:
    """One of these words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{', '.join(words[:-1])} or {words[-1]}")
        return text

    return read


def database_url(text: str) -> str:
    """The URL of a database that can be used from here."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    try:
        dialect = make_url(text).get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise ValueError("a URL like postgresql+asyncpg://user:password@host/bottega") from None
    if not dialect.is_async:
        raise ValueError("a URL that begins with postgresql+asyncpg:// or sqlite+aiosqlite://")
    try:
        dialect.import_dbapi()
    except ImportError:
        raise ValueError(
            "for a database whose driver is installed (pip install 'bottega[postgres]')"
        ) from None
    return text


def networks(text: str) -> list[IPv4Network | IPv6Network]:
    """Addresses and networks, each as a network."""
    try:
        return [ip_network(part.strip()) for part in text.split(",")]
    except ValueError:
        raise ValueError("addresses or networks, as in 127.0.0.1,10.0.0.0/8") from None


def proxies(text: str) -> str:
    """The web servers that may say where a request comes from."""
    networks(text)
    return text


def cluster(text: str) -> str:
    """The address of a Ray cluster, as `ray.init` takes it."""
    if find_spec("ray") is None:
        raise ValueError("left out where Ray is not installed (pip install 'bottega[lab]')")
    return text


def key(text: str) -> str:
    """Random bytes as digits."""
    if len(text) != 64 or not set(text) <= set("0123456789abcdefABCDEF"):
        raise ValueError("64 hexadecimal digits, as `openssl rand -hex 32` prints them")
    return text


# Each of these variables sets what its name says.
VARIABLES: dict[str, Callable[[str], Any]] = {
    "data": Path,
    "database": database_url,
    "secret": key,
    "pause": number,
    "capacity": count,
    "pace": number,
    "proxies": proxies,
    "absence": number,
    "study": number,
    "keep_unplayed": number,
    "keep_running": number,
    "keep_finished": number,
    "think": yes_or_no,
    "ray": cluster,
    "warm": yes_or_no,
    "metrics": one_of("off", "local", "open"),
    "logs": one_of("plain", "json"),
}
CONFIDENTIAL = ("database", "secret")  # never repeated; may also be given in a file


def settings(data: Path | None = None, **given: Any) -> Settings:
    """Settings as given, else as the environment says (BOTTEGA_PAUSE=0), else the defaults."""
    chosen = {"data": default_data(), **from_environment(os.environ), **given}
    if data is not None:
        chosen["data"] = data
    return Settings(**chosen)


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the environment sets; refused with a sentence if anything in it does not fit."""
    ours = {name: text for name, text in environment.items() if name.startswith(PREFIX) and text}
    refuse_unknown(ours)
    said = {name: text_of(name, ours) for name in VARIABLES}
    return {name: read_variable(name, text) for name, text in said.items() if text is not None}


def variable_of(name: str) -> str:
    """The variable that sets something."""
    return PREFIX + name.upper()


def as_variables(**given: Any) -> dict[str, str]:
    """Settings as the variables by which another process is given them."""
    return {
        variable_of(name): str(int(value) if isinstance(value, bool) else value)
        for name, value in given.items()
        if value is not None
    }


def refuse_unknown(ours: Mapping[str, str]) -> None:
    """A name that was misspelt would else be a setting that is quietly not set."""
    known = [variable_of(name) for name in VARIABLES]
    known += [variable_of(name) + IN_FILE for name in CONFIDENTIAL]
    for unknown in sorted(ours.keys() - set(known)):
        near = get_close_matches(unknown, known, 1, 0)
        raise CannotServe(f"There is no setting {unknown}; the nearest is {near[0]}.")


def text_of(name: str, ours: Mapping[str, str]) -> str | None:
    """What is said about a setting, by its variable or in the file that is named in its place."""
    variable = variable_of(name)
    elsewhere = variable + IN_FILE
    if elsewhere not in ours:
        return ours.get(variable)
    if variable in ours:
        raise CannotServe(f"{variable} and {elsewhere} are both set; leave out one of them.")
    try:
        return Path(ours[elsewhere]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text"
        raise CannotServe(f"{elsewhere} names a file that cannot be read: {reason}.") from None


def read_variable(name: str, text: str) -> Any:
    """What a text means as this setting, or a sentence about why it does not fit."""
    try:
        return VARIABLES[name](text)
    except ValueError as wanted:
        said = "does not fit" if name in CONFIDENTIAL else f"is '{text[:40]}'"
        raise CannotServe(f"{variable_of(name)} {said}; it must be {wanted}.") from None
