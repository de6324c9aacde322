"""Where work is done that somebody waits for and that takes long, but is no thinking."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from bottega.table.threads import Turns, behind

T = TypeVar("T")


class Backroom:
    """Threads behind the one that answers people, at which owners take turns."""

    def __init__(self, name: str, workers: int, places: int) -> None:
        self._pool = behind(name, workers, places)
        self._turns = Turns(workers)

    async def do(self, owner: Hashable, work: Callable[..., T], *about: Any) -> T:
        """What comes of some work; its owner's other work waits for it, nobody else's does."""
        async with self._turns.of(owner):
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *about)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
