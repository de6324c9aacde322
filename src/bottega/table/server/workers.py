"""Several processes that answer at one address, and the parent that keeps them: whichever ends is
begun anew, and all are replaced by newer ones without anybody being turned away.

Uvicorn's own parent of workers is not used: it ends them all when a single one cannot start, as
while the database is away, and its workers cannot let go of streams of events.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType

from bottega.table import metrics
from bottega.table.faults import CannotServe
from bottega.table.settings import Settings

log = logging.getLogger(__name__)

TICK = 0.05  # seconds between two looks
AGAIN = 1.0  # seconds between two beginnings of a worker that cannot start
START = 120.0  # seconds for a new worker to begin, before an old one is replaced by it
LEAVE = 10.0  # seconds for a worker to end
WAITING = 2048  # connections that wait to be answered
READY = b"ready"


def check_workers(chosen: Settings, workers: int) -> None:
    """Refuse several processes where only one can be."""
    if workers > 1 and chosen.url.startswith("sqlite"):
        raise CannotServe(
            "SQLite is for one process. Several workers need PostgreSQL: name a database by "
            "BOTTEGA_DATABASE, or leave out --workers."
        )
    if workers > 1 and os.name != "posix":
        raise CannotServe("Several workers need Linux or macOS; leave out --workers.")


# In a worker


class Line:
    """A worker's line to its parent, by which it says that it listens, and hears when the parent is
    gone."""

    def __init__(self, file: int) -> None:
        self._socket = socket.socket(fileno=file)

    def say_ready(self) -> None:
        self._socket.send(READY)
        threading.Thread(target=self._end_with_parent, daemon=True).start()

    def _end_with_parent(self) -> None:
        with suppress(OSError):
            self._socket.recv(1)
        os.kill(os.getpid(), signal.SIGTERM)


# In the parent


class Worker:
    """A process that answers. It is told the socket it listens at and its line to the parent."""

    def __init__(
        self, command: Sequence[str], listening: socket.socket, environment: Mapping[str, str]
    ) -> None:
        self.begun = time.monotonic()
        self.ready = False
        self._line, its_own = socket.socketpair()
        self._line.setblocking(False)
        files = (listening.fileno(), its_own.fileno())
        with its_own:
            self.process = subprocess.Popen(
                [*command, *map(str, files)],
                pass_fds=files,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the parent
            )

    def look(self) -> None:
        """Hear whether it listens by now."""
        with suppress(BlockingIOError):
            self.ready = self.ready or self._line.recv(len(READY)) == READY

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """Let it answer what it has begun, and end."""
        if self.alive:
            self.process.terminate()

    def wait(self, until: float) -> None:
        """Wait for its end, and not for ever."""
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._line.close()


class Parent:
    """Keeps so many workers until it is stopped."""

    def __init__(
        self,
        command: Sequence[str],
        listening: socket.socket,
        count: int,
        environment: Mapping[str, str],
        begun: Callable[[], None],
    ) -> None:
        self._command = command
        self._listening = listening
        self._count = count
        self._environment = environment
        self._begun = begun
        self._workers: list[Worker] = []
        self._stopping = False
        self._renewing = False

    def run(self) -> None:
        """Until SIGTERM or SIGINT; SIGHUP replaces every worker by one of the present code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGHUP, self._renew)
        self._listening.listen(WAITING)
        with tempfile.TemporaryDirectory(prefix="bottega-") as numbers:
            self._numbers = numbers
            self._workers = [self._another() for _ in range(self._count)]
            try:
                self._begin()
                self._keep()
            finally:
                self._end()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _renew(self, _number: int, _frame: FrameType | None) -> None:
        self._renewing = True

    def _another(self) -> Worker:
        environment = {**self._environment, metrics.SHARED: self._numbers}
        return Worker(self._command, self._listening, environment)

    def _begin(self) -> None:
        """Say that the server is open once one listens. Where the first ones end instead, something
        is wrong that will not mend by itself."""
        while not self._stopping:
            for worker in self._workers:
                worker.look()
                if worker.ready:
                    self._begun()
                    return
                if not worker.alive:
                    raise SystemExit("A worker could not start; what it said stands above.")
            time.sleep(TICK)

    def _keep(self) -> None:
        while not self._stopping:
            if self._renewing:
                self._renewing = False
                self._replace_all()
            for at, worker in enumerate(self._workers):
                worker.look()
                if not worker.alive and time.monotonic() > worker.begun + AGAIN:
                    log.error("a worker ended (%s); another one begins", worker.process.returncode)
                    self._bury(worker)
                    self._workers[at] = self._another()
            time.sleep(TICK)

    def _replace_all(self) -> None:
        """One after the other, each once its successor listens."""
        for at, old in enumerate(self._workers):
            new = self._another()
            if not self._starts(new):
                if not self._stopping:
                    log.error("the new worker does not start; the old ones go on")
                new.stop()
                self._bury(new)
                return
            self._workers[at] = new
            old.stop()
            self._bury(old)

    def _starts(self, worker: Worker) -> bool:
        until = time.monotonic() + START
        while worker.alive and not worker.ready and not self._stopping and time.monotonic() < until:
            worker.look()
            time.sleep(TICK)
        return worker.ready

    def _bury(self, *workers: Worker) -> None:
        """See the end of some workers, and no longer count what was open there."""
        until = time.monotonic() + LEAVE
        for worker in workers:
            worker.wait(until)
            metrics.ended(worker.process.pid, self._numbers)

    def _end(self) -> None:
        for worker in self._workers:
            worker.stop()
        self._bury(*self._workers)
