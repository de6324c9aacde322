"""A copy of each loop for each game, interpreted at once and compiled when there is time.

A function marked `@per_game` is written once, against the names of `contract`. `Code` makes a
copy of it whose globals are the game's own functions, and compiles that. Numba's cache keeps
the machine code; its name holds a fingerprint of the sources of the engine and of the game, so
that a changed rule is never answered by old code.

Compiling takes seconds. A `@door`, by which Python comes to one table, does not wait for it: until
it is compiled, which happens elsewhere (`elsewhere.py`), the same functions are interpreted. They
come to the same records, to the bit. What does a million things at once is worth waiting for.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np
from filelock import FileLock
from numba.core.compiler_lock import global_compiler_lock

from bottega.engine.contract import FUNCTIONS
from bottega.engine.copies import copy_of
from bottega.engine.linking import SHARED, EntryCompiler
from bottega.engine.progress import compiling, say_once
from bottega.engine.rule import INTERPRETED, OPTIONS, Rule, interpreted, plain

PER_GAME = "_bottega_per_game"
DOOR = "_bottega_door"
ENGINE = Path(__file__).parent
AGAIN = 1.0  # seconds until a door looks again whether it was compiled elsewhere
HOT = 0.5  # seconds of interpreting after which a game is worth compiling
NOT_KEPT = (
    "There is no folder to keep machine code in (NUMBA_CACHE_DIR can name one): the games are "
    "interpreted at first, and compiled in memory with every start."
)


def per_game(function: Callable[..., Any]) -> Any:
    """Mark a function that is compiled once for each game."""
    setattr(function, PER_GAME, True)
    return function


def door(function: Callable[..., Any]) -> Any:
    """Mark a `@per_game` function by which Python comes to a single table."""
    setattr(function, DOOR, True)
    return per_game(function)


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


def is_contract(value: Any) -> bool:
    """Whether a global is a name of the contract, for which each game has a function."""
    return callable(value) and value in FUNCTIONS


class Compiling(threading.local):
    """Of which part of the package this thread has doors compiled when it comes to them."""

    part = ""


_compiling = Compiling()


@contextmanager
def compiling_doors(part: str) -> Iterator[None]:
    """Have the doors of a part of the package (`engine`, `bots`, `envs`) compiled as one comes to
    them. This is for whoever has the time."""
    before, _compiling.part = _compiling.part, part
    try:
        yield
    finally:
        _compiling.part = before


class Entry:
    """A function that Python calls: compiled, or interpreted if it is a door that is not yet."""

    def __init__(self, code: Code, source: Callable[..., Any]) -> None:
        self.code = code
        self.game = code.game
        self.name = source.__name__
        self.part = source.__module__.split(".")[1]
        self.door = hasattr(source, DOOR)
        self.function = code.compiled(source)
        self.ready = INTERPRETED
        self._source = source
        self._first = threading.Lock()
        self._looked = self._asked = -AGAIN  # when it was last looked for what others compiled
        self._there = False  # whether it was found then

    def __call__(self, *arguments: Any) -> Any:
        if self.ready or self._made_ready(arguments):
            return self.function(*arguments)
        return self._interpret(arguments)

    def soon(self, *arguments: Any) -> Any:
        """As if it were a door: for what is done once, and not worth compiling."""
        if self.ready or self._load(arguments):
            return self.function(*arguments)
        return self._interpret(arguments)

    @property
    def at_hand(self) -> bool:
        """Whether it is compiled, here or on disk."""
        now = time.monotonic()
        if not self.ready and not self._there and now >= self._asked + AGAIN:
            self._asked = now
            self._there = self.kept()
            self._looked = -AGAIN if self._there else self._looked  # the next call takes it
        return self.ready or self._there

    @cached_property
    def interpreted(self) -> Callable[..., Any]:
        return self.code.interpreted(self._source)

    def _interpret(self, arguments: tuple[Any, ...]) -> Any:
        began = time.perf_counter()
        with np.errstate(over="ignore"):
            answer = self.interpreted(*arguments)
        self.code.interpreted_for(time.perf_counter() - began, self.part)
        return plain(answer)

    def _made_ready(self, arguments: tuple[Any, ...]) -> bool:
        if self.door and self.part not in (_compiling.part, *self.code.here):
            return self._load(arguments)
        with self._first:  # threads that come at the same time wait for one compilation
            if not self.ready:
                self._compile(arguments)
                self.ready = True
        return True

    def _load(self, arguments: tuple[Any, ...]) -> bool:
        """Take what is on disk, if anything is and nobody else does it just now."""
        now = time.monotonic()
        if now < self._looked + AGAIN or not self._first.acquire(blocking=False):
            return self.ready
        try:
            self._looked = now
            self.ready = self.ready or (self.kept() and self._loaded(arguments))
        finally:
            self._first.release()
        return self.ready

    def look_again(self) -> None:
        """It may have been compiled elsewhere: look with the next call."""
        self._looked = self._asked = -AGAIN

    def _loaded(self, arguments: tuple[Any, ...]) -> bool:
        """Load machine code for these arguments; not there if it is another machine's."""
        function: Any = self.function
        with global_compiler_lock:
            types = tuple(function.typeof_pyval(argument) for argument in arguments)
            kept = function._cache.load_overload(types, function.targetctx)
            if kept is not None:
                function.targetctx.insert_user_function(
                    kept.entry_point, kept.fndesc, [kept.library]
                )
                function.add_overload(kept)
        return kept is not None

    def _compile(self, arguments: tuple[Any, ...]) -> None:
        if self.kept() and self._loaded(arguments):
            return
        with self._alone():
            if self.kept() and self._loaded(arguments):  # another process did it meanwhile
                return
            function: Any = self.function
            with compiling(self.game, self.name):
                function.compile(tuple(function.typeof_pyval(one) for one in arguments))
            if self.code.keeps:
                self.sweep()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from compiling the same thing meanwhile; they wait and load it."""
        if not self.code.keeps:
            yield
            return
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
        return self.code.keeps and any(self._files("*.nbc"))  # written behind its index

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
    """A game's functions."""

    def __init__(self, game: str, rules: dict[str, Callable[..., Any]], folder: Path) -> None:
        self.game = game
        self.rules = rules
        self.folder = folder
        self.keeps = not INTERPRETED  # whether there is a folder to keep machine code in
        self.here: set[str] = set()  # parts of the package that cannot be compiled elsewhere
        self._entries: dict[Callable[..., Any], Entry] = {}
        self._parts: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._twins: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._spent: dict[str, float] = {}  # seconds of interpreting, by part of the package
        for function in rules.values():
            setattr(getattr(function, "py_func", function), SHARED, True)

    def __call__(self, function: Callable[..., Any]) -> Entry:
        """The game's own copy of a `@per_game` function, to be called from Python."""
        if function not in self._entries:
            self._entries[function] = Entry(self, function)
        return self._entries[function]

    def look_again(self) -> None:
        """Something was compiled elsewhere."""
        for entry in list(self._entries.values()):
            entry.look_again()

    def compiled(self, function: Callable[..., Any]) -> Any:
        """The copy of a function for Python, compiled as soon as it is called."""
        copy = self._copy(function)
        if INTERPRETED:
            return copy
        entry: Any = numba.njit(**OPTIONS, pipeline_class=EntryCompiler)(copy)
        try:
            entry.enable_caching()
        except RuntimeError:
            self.keeps = False
            say_once(NOT_KEPT)
        return entry

    def interpreted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The copy of a function that calls plain functions throughout."""
        if function not in self._twins:
            self._twins[function] = copy_of(function, self._interpreted)
        return self._twins[function]

    def interpreted_for(self, seconds: float, part: str) -> None:
        """Have a part of the package compiled for the game once it is worth it."""
        spent = self._spent.get(part, 0.0)
        self._spent[part] = spent + seconds
        if spent < HOT <= spent + seconds and not INTERPRETED:
            from bottega.engine.elsewhere import compiler

            compiler.want(self, part)

    def _copy(self, function: Callable[..., Any]) -> Any:
        copy = copy_of(function, self._own)
        sources = fingerprint(tuple(sorted({ENGINE, self.folder, *homes(function)})))
        copy.__qualname__ = f"{function.__name__}.{self.game}.{sources}"
        return copy

    def _own(self, name: str, value: Any) -> Any:
        """A global of a loop as the game's compiled copy sees it."""
        if is_contract(value):
            return self.rules[name]
        return self._part(value) if hasattr(value, PER_GAME) else value

    def _interpreted(self, name: str, value: Any) -> Any:
        """A global of a loop as the game's interpreted copy sees it."""
        if is_contract(value):
            return interpreted(self.rules[name])
        return self.interpreted(value) if hasattr(value, PER_GAME) else interpreted(value)

    def _part(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if function not in self._parts:
            copy = self._copy(function)
            self._parts[function] = copy if INTERPRETED else Rule(copy)
        return self._parts[function]
