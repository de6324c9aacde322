"""Compiling elsewhere: another process of low priority makes the machine code and keeps it on disk.

It is told what is wanted, a line each (`splendor bots`), answers with the same line for each thing
that is kept now and once more at the end, and ends when whoever started it does. Where nothing can
be kept, a thread of this process does the same.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numba.core.compiler_lock import global_compiler_lock

from bottega.engine.rule import INTERPRETED

if TYPE_CHECKING:
    from bottega.engine.compile import Code

FIRST = "first"  # a third word of a wish: before everything else
DONE, FAILED = "done", "failed"  # a third word of an answer: there is no more of it
MODULE = "bottega.warm"  # knows the whole package; the engine knows it only by name


class Elsewhere:
    """The other process, from when it is first needed."""

    def __init__(self) -> None:
        self._codes: dict[str, Code] = {}
        self._wanted: set[tuple[str, ...]] = set()
        self._listeners: list[Callable[[str], None]] = []
        self._tell: Callable[[str], None] | None = None
        self._lock = threading.Lock()

    def want(self, code: Code, part: str, *, first: bool = False) -> None:
        """Have the doors of a part of the package compiled for a game; `first`: because somebody
        is just coming to it."""
        if INTERPRETED:
            return
        wish = (code.game, part, *([FIRST] if first else []))
        with self._lock:
            self._codes[code.game] = code
            if wish in self._wanted:
                return
            self._wanted.add(wish)
            if self._tell is None:
                self._tell = self._start(code.keeps)
            self._tell(" ".join(wish))

    def listen(self, listener: Callable[[str], None]) -> None:
        """Have a function called, in another thread, with each game of which more is compiled."""
        self._listeners.append(listener)

    def leave(self, listener: Callable[[str], None]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _start(self, keeps: bool) -> Callable[[str], None]:
        return self._another_process() if keeps else self._this_process()

    def _another_process(self) -> Callable[[str], None]:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        threading.Thread(target=self._hear, args=[process.stdout], daemon=True).start()
        atexit.register(process.kill)
        stdin = process.stdin

        def tell(wish: str) -> None:
            with suppress(OSError, ValueError):  # it may just be ending
                stdin.write(f"{wish}\n")

        return tell

    def _this_process(self) -> Callable[[str], None]:
        warm: Any = import_module(MODULE)
        wishes = warm.Wishes()
        threading.Thread(target=warm.work, args=[wishes, self._heard], daemon=True).start()
        tell: Callable[[str], None] = wishes.add
        return tell

    def _hear(self, lines: Iterable[str]) -> None:
        """Each line says that something more is kept."""
        heard = 0
        for heard, line in enumerate(lines, start=1):
            if heard == 1:
                prepare()
            self._heard(*line.split())
        with self._lock:  # it has ended; who wants something more begins another
            wanted = list(self._wanted)
            self._tell = None
            self._wanted.clear()
        for game, part, *_ in wanted if not heard else ():  # it cannot even begin
            self._heard(game, part, FAILED)

    def _heard(self, game: str, part: str, end: str = "") -> None:
        code = self._codes[game]
        code.look_again()
        if end == FAILED:  # a game that only this process knows, say: it compiles for itself
            code.here.add(part)
        for listener in list(self._listeners):
            listener(game)


def prepare() -> None:
    """Have Numba load what it loads before its first function, while nobody waits for it."""
    registry: Any = import_module("numba.core.registry")
    with global_compiler_lock:
        registry.cpu_target.target_context.refresh()
        registry.cpu_target.typing_context.refresh()


compiler = Elsewhere()
