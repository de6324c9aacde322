"""One compiled copy of each loop for each game, kept on disk.

A function marked `@per_game` is written once, against the names of `contract`. `Code` makes a
copy of it whose globals are the game's own functions, and compiles that. Numba's cache keeps
the machine code; its name holds a fingerprint of the sources of the engine and of the game, so
that a changed rule is never answered by old code.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from filelock import FileLock

from bottega.engine.contract import FUNCTIONS
from bottega.engine.progress import compiling
from bottega.engine.rule import INTERPRETED, OPTIONS

PER_GAME = "_bottega_per_game"
ENGINE = Path(__file__).parent


def per_game(function: Callable[..., Any]) -> Any:
    """Mark a function that is compiled once for each game."""
    setattr(function, PER_GAME, True)
    return function


@cache
def fingerprint(folders: tuple[Path, ...]) -> str:
    """A hash of every Python source in the folders, and of the numbers compiled into them."""
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in folders:
        for file in sorted([*folder.glob("*.py"), *folder.glob("*.csv")]):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def homes(function: Callable[..., Any]) -> set[Path]:
    """The folders of a `@per_game` function and of the others that it calls."""
    found = {Path(function.__code__.co_filename).parent}
    for name in function.__code__.co_names:
        called: Any = function.__globals__.get(name)
        if getattr(called, PER_GAME, False) and called is not function:
            found |= homes(called)
    return found


class Entry:
    """A compiled function that Python calls. Its first call says that it compiles."""

    def __init__(self, game: str, name: str, function: Callable[..., Any]) -> None:
        self.game = game
        self.name = name
        self.function = function
        self.ready = INTERPRETED
        self._first = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        if self.ready:
            return self.function(*arguments)
        with self._first:  # threads that come at the same time wait for one compilation
            return self.function(*arguments) if self.ready else self._make_ready(*arguments)

    def _make_ready(self, *arguments: Any) -> Any:
        if self.kept():
            answer = self.function(*arguments)
        else:
            with self._alone():
                answer = self._compile(*arguments)
        self.ready = True
        return answer

    def _compile(self, *arguments: Any) -> Any:
        if self.kept():  # another process did it meanwhile
            return self.function(*arguments)
        with compiling(self.game, self.name):
            answer = self.function(*arguments)
        self.sweep()
        return answer

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from compiling the same thing meanwhile; they wait and load it."""
        lock = FileLock(self._folder / f"lock.{self._beginning}lock")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with compiling(self.game, self.name, " in another process"):
                lock.acquire()
        except (OSError, NotImplementedError):  # where nothing can be kept, nothing is shared
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def kept(self) -> bool:
        """Whether machine code for this function is on disk."""
        return any(self._files("*.nbi"))

    def sweep(self) -> None:
        """Remove machine code of earlier sources of this function. What another process is just
        writing for the present ones bears their fingerprint, too, and stays."""
        for file in self._files("*", f"{self.name}.{self.game}."):
            if f".{self._beginning}" not in file.name:
                file.unlink(missing_ok=True)

    @property
    def _beginning(self) -> str:
        function: Any = self.function
        return f"{function.py_func.__qualname__}-"

    @property
    def _folder(self) -> Path:
        function: Any = self.function
        return Path(function.stats.cache_path)

    def _files(self, ending: str, beginning: str | None = None) -> Iterator[Path]:
        return self._folder.glob(f"*.{beginning or self._beginning}{ending}")


class Code:
    """A game's compiled functions."""

    def __init__(self, game: str, rules: dict[str, Callable[..., Any]], folder: Path) -> None:
        self.game = game
        self.rules = rules
        self.folder = folder
        self._entries: dict[Callable[..., Any], Entry] = {}
        self._parts: dict[Callable[..., Any], Callable[..., Any]] = {}

    def __call__(self, function: Callable[..., Any]) -> Entry:
        """The game's own copy of a `@per_game` function, to be called from Python."""
        if function not in self._entries:
            bound = self._bind(function, cached=True)
            self._entries[function] = Entry(self.game, function.__name__, bound)
        return self._entries[function]

    def _bind(self, function: Callable[..., Any], *, cached: bool) -> Callable[..., Any]:
        names = dict(function.__globals__)
        for name in function.__code__.co_names:
            value: Any = names.get(name)
            if value in FUNCTIONS:
                names[name] = self.rules[name]
            elif getattr(value, PER_GAME, False):
                names[name] = self._part(value)
        copy = FunctionType(function.__code__, names, function.__name__)
        sources = fingerprint(tuple(sorted({ENGINE, self.folder, *homes(function)})))
        copy.__qualname__ = f"{function.__name__}.{self.game}.{sources}"
        copy.__doc__ = function.__doc__
        compiled: Callable[..., Any] = numba.njit(**OPTIONS, cache=cached)(copy)
        return compiled

    def _part(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if function not in self._parts:
            self._parts[function] = self._bind(function, cached=False)
        return self._parts[function]
