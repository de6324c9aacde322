"""Progress of everything long, on the terminal (stderr), never in a program's output."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

silent = False  # whether somebody else shows how far this process is
PATIENCE = 0.7  # seconds; loading from the cache takes less, compiling takes more
USUAL = 6.0  # seconds that compiling a game's rules usually takes


@contextmanager
def compiling(game: str, function: str, where: str = "") -> Iterator[None]:
    """Show that a game's rules are being compiled, if it takes more than a moment."""
    if silent:
        yield
        return
    done = threading.Event()
    what = f"Compiling {game} ({function}){where}; once, then kept"
    shown = threading.Thread(target=_show, args=(what, done), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()


def _show(what: str, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    if not sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    started = time.monotonic() - PATIENCE
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{what}, about {USUAL:.0f} s", total=1.0)
        while not done.wait(0.1):
            # The end is not known beforehand: the bar approaches it and never pretends.
            spent = time.monotonic() - started
            progress.update(task, completed=spent / (spent + USUAL / 2))


_said: set[str] = set()


def say_once(what: str) -> None:
    """Something that a process tells once."""
    if what not in _said:
        _said.add(what)
        print(f"bottega: {what}", file=sys.stderr, flush=True)
