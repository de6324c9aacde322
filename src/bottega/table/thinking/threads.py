"""Threads that stand behind the one that answers people, so that pages come first."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

CORES = os.cpu_count() or 1


def behind(name: str, workers: int, places: int) -> ThreadPoolExecutor:
    """So many threads, so far behind, as `nice` counts places. What they start is there, too."""
    return ThreadPoolExecutor(workers, name, initializer=_step_back, initargs=(places,))


def _step_back(places: int) -> None:
    with suppress(AttributeError, OSError):  # not every system knows a thread's own place
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), places)
