"""Threads that stand behind the one that answers people, and turns at them that are fair."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict, deque
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
    """So many at once. Who waits is taken owner by owner, so that whoever wants much waits for it
    alone."""

    def __init__(self, places: int) -> None:
        self.free = places
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def of(self, owner: Hashable) -> AsyncIterator[None]:
        """A turn, as soon as there is one."""
        await self._wait(owner)
        try:
            yield
        finally:
            self._next()

    async def _wait(self, owner: Hashable) -> None:
        if self.free:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._next()  # it had just come
            raise

    def _next(self) -> None:
        while self._waiting:
            owner, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[owner] = turns  # behind all others
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1
