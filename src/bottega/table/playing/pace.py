"""The pace of a table at which only bots sit: whoever set it up may pause it, go on, step, and
choose a speed."""

from __future__ import annotations

import asyncio

SPEEDS = (0.5, 1.0, 2.0, 4.0)  # times as fast as bots play against people


class Pace:
    """When the bots of a table may go on."""

    def __init__(self) -> None:
        self.speed = 1.0
        self._go = asyncio.Event()
        self._go.set()
        self._step = False

    @property
    def paused(self) -> bool:
        return not self._go.is_set() or self._step

    def pause(self) -> None:
        self._step = False
        self._go.clear()

    def go(self) -> None:
        self._step = False
        self._go.set()

    def step(self) -> None:
        """One decision, then pause again."""
        self._step = True
        self._go.set()

    async def turn(self) -> None:
        """Wait until a bot may decide; a step is used up by it."""
        while not self._go.is_set():  # of several that wait, one takes the step
            await self._go.wait()
        if self._step:
            self.pause()
