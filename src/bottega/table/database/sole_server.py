"""One server for a SQLite file: its tables live in that server's memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bottega.table.faults import CannotServe


@contextmanager
def sole_server(file: Path | None) -> Iterator[None]:
    """Hold a SQLite file for this server. Whatever ends the process lets go of it."""
    if file is None:  # a database that does this by itself
        yield
        return
    lock = FileLock(file.with_suffix(".lock"), timeout=0)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise CannotServe(
            f"Another Bottega is already serving the tables of {file.parent}. Use that one, stop "
            f"it first, or give this one a folder of its own (--data)."
        ) from None
    except OSError as problem:
        raise CannotServe(f"The folder {file.parent} cannot be used: {problem.strerror}.") from None
    try:
        yield
    finally:
        lock.release()
