"""The connections of browsers and programs: how many there may be, and how slow one may be.

Whatever a request is, it needs a connection first, and each takes one of the files that a process
may open. So they are bounded by address, and whoever is slow is not waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from bottega.table import metrics
from bottega.table.faults import TooMany
from bottega.table.server.origin import Proxies, home_of

log = logging.getLogger(__name__)

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

ADDRESS = 200  # connections of one address
ASKING = 20.0  # seconds until the next request's head has come as a whole
TAKING = 120.0  # seconds until an answer is taken, or so much of it that more can be sent
OWN_FILES = 256  # for the database, games and logs
ENOUGH = 4096  # files for a server that many use
MOST = 10_240  # macOS names no limit, and does not let everybody have more

FULL = (
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 5\r\nconnection: close\r\n"
    b"content-type: text/plain; charset=utf-8\r\n\r\n"
    b"There are too many connections already. Try again in a moment.\n"
)


def raise_file_limit() -> None:
    """Let this process, and those that it starts, open as many files as it is allowed."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (hard, max(soft, MOST)):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return
        except (ValueError, OSError):
            continue


def file_limit() -> float:
    """How many files this process may open."""
    if resource is None:
        return float("inf")
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def room_in(files: float) -> float:
    """How many connections there may be with so many files."""
    return max(files // 2, files - OWN_FILES)


def say_if_few() -> None:
    """Tell the host if only few can come."""
    files = file_limit()
    if files < ENOUGH:
        log.warning(
            "A process may open only %d files here, enough for %d connections. If more are to "
            "come, allow it more (ulimit -n, or LimitNOFILE= of systemd).",
            files,
            room_in(files),
        )


class Doors:
    """Who has come in: the connections of a process, by address."""

    def __init__(self, pace: float, proxies: Proxies, files: float) -> None:
        self._most = ADDRESS * pace or float("inf")
        self._room = room_in(files)
        self._proxies = proxies
        self._open: Counter[str] = Counter()
        self._all = 0

    def enter(self, host: str) -> bool:
        """Whether one more may come in from there; behind a proxy are many."""
        home = home_of(host)
        if self._all >= self._room:
            return False
        if self._open[home] >= self._most and not self._proxies.has(host):
            return False
        self._open[home] += 1
        self._all += 1
        return True

    def leave(self, host: str) -> None:
        home = home_of(host)
        self._all -= 1
        self._open[home] -= 1
        if not self._open[home]:
            del self._open[home]


class Connection(H11Protocol):
    """A connection that is closed when there is no room for it, or nothing goes on there."""

    def __init__(self, doors: Doors, **named: Any) -> None:
        super().__init__(**named)
        self._doors = doors
        self._host: str | None = None  # once it has come in
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        if self._doors.enter(host):
            self._host = host
            self._expect_more()
        else:
            metrics.refused.labels(TooMany.__name__).inc()
            transport.write(FULL)
            transport.close()

    def connection_lost(self, problem: Exception | None) -> None:
        super().connection_lost(problem)
        self._be_patient()
        if self._host is not None:
            self._doors.leave(self._host)

    def data_received(self, data: bytes) -> None:
        asked_before = self._answering
        super().data_received(data)
        if self._answering and not asked_before:
            self._be_patient()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._answering:
            self._expect_more()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_more()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._answering:
            self._be_patient()

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_more(self) -> None:
        """It is their turn: to take what was sent, or else to ask for something."""
        self._be_patient()
        seconds = TAKING if self.transport.get_write_buffer_size() else ASKING
        self._patience = self.loop.call_later(seconds, self.transport.abort)

    def _be_patient(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
