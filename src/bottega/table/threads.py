"""Threads that stand behind the one that answers people, and turns at them that are fair."""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

CORES = os.cpu_count() or 1


def behind(name: str, workers: int, places: int) -> ThreadPoolExecutor:
    """So many threads, so far behind, as `nice` counts places. What they start is there, too."""
    return ThreadPoolExecutor(workers, name, initializer=_step_back, initargs=(places,))


def _step_back(places: int) -> None:
    with suppress(AttributeError, OSError):  # not every system knows a thread's own place
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), places)


class Turns:
    """So many at once, and so many of one owner. Of those who wait, whoever has the fewest is next,
    so that whoever wants much waits for it alone."""

    def __init__(self, places: float, each: float = math.inf) -> None:
        self.free = places
        self.each = each
        self._had: Counter[Hashable] = Counter()  # turns that go on, by owner
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return sum(map(len, self._waiting.values()))

    @property
    def owners(self) -> int:
        """How many have a turn, or wait for one."""
        return len(self._had.keys() | self._waiting.keys())

    def wanted(self, owner: Hashable) -> int:
        """How many turns somebody has, or waits for."""
        return self._had[owner] + len(self._waiting.get(owner, ()))

    @asynccontextmanager
    async def of(self, owner: Hashable) -> AsyncIterator[None]:
        """A turn, as soon as there is one."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        self._go_on()
        try:
            await turn
            yield
        finally:
            if turn.cancelled():
                self._forget(owner, turn)
            else:
                self._end(owner)

    def _go_on(self) -> None:
        """Give everybody a turn for whom there is one."""
        while self.free and (
            may := [owner for owner in self._waiting if self._had[owner] < self.each]
        ):
            owner = min(may, key=self._had.__getitem__)
            turn = self._waiting[owner][0]
            self._forget(owner, turn)
            if not turn.cancelled():
                self._had[owner] += 1
                self.free -= 1
                turn.set_result(None)

    def _forget(self, owner: Hashable, turn: asyncio.Future[None]) -> None:
        """Somebody does not wait any more."""
        turns = self._waiting.get(owner, deque())
        with suppress(ValueError):
            turns.remove(turn)
        if not turns:
            self._waiting.pop(owner, None)

    def _end(self, owner: Hashable) -> None:
        self._had[owner] -= 1
        if not self._had[owner]:
            del self._had[owner]
        if owner in self._waiting:
            self._waiting.move_to_end(owner)  # of those who have as many, the others come first
        self.free += 1
        self._go_on()
