"""Rows of arrays, shared out over threads that run compiled code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from bottega.engine.compile import Entry

WORTH = 1024  # rows that are worth a thread's while
PARTS = 4  # for each thread, so that a slow core does not hold up the others


class Shares:
    """Ranges of rows, and the threads that work on them."""

    def __init__(self, size: int, threads: int | None, worth: int = WORTH) -> None:
        threads = threads or os.cpu_count() or 1
        parts = min(max(1, size // worth), PARTS * threads) if threads > 1 else 1
        edges = [size * part // parts for part in range(parts + 1)]
        self.rows = [slice(*pair) for pair in pairwise(edges)]
        self._helpers = min(threads, parts) - 1
        self._pool = ThreadPoolExecutor(self._helpers) if self._helpers else None

    def run(self, code: Entry, arguments: Sequence[tuple[Any, ...]]) -> None:
        """Call a compiled function once for each part, at the same time.

        The caller works too, and everybody takes the next part until there is none: to wake
        others is what costs, so each is woken once.
        """
        left = iter(arguments)

        def work() -> None:
            for part in left:
                code(*part)

        if self._pool is None or not code.ready:  # a first call compiles
            work()
            return
        helping = [self._pool.submit(work) for _ in range(self._helpers)]
        try:
            work()
        finally:
            for helper in helping:
                helper.result()
