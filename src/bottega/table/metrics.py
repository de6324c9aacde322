"""Numbers about a running server, as Prometheus reads them: how much there is to do, and how long
it takes. No label ever holds what a request says: no id, no name, no address.
"""

from __future__ import annotations

import os
import time
from typing import Any

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

# Names a folder, before this module is imported, in which the workers of one server put their
# numbers together: whichever of them is asked answers for all.
SHARED = "PROMETHEUS_MULTIPROC_DIR"

# When each was first counted would be as many series again.
disable_created_metrics()  # type: ignore[no-untyped-call]

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 60)

requests = Counter(
    "bottega_requests", "Requests that were answered.", ["method", "route", "status"]
)
request_seconds = Histogram(
    "bottega_request_seconds",
    "From a request to the end of its answer; of events, to their beginning.",
    ["route"],
    buckets=QUICK,
)
refused = Counter("bottega_refused", "Requests that were refused.", ["reason"])
listeners = Gauge("bottega_listeners", "Open streams of events.", multiprocess_mode="livesum")
tables = Gauge("bottega_tables", "Tables in memory.", multiprocess_mode="livesum")
moves = Counter("bottega_moves", "Moves that were stored.")
packed = Counter("bottega_packed", "Ended tables whose moves were packed.")
removed = Counter("bottega_removed", "Tables that nobody came back to, removed.", ["kind"])
thinking_seconds = Histogram(
    "bottega_thinking_seconds",
    "How long was thought about a decision, a hint or a whole game.",
    ["kind", "level"],
    buckets=SLOW,
)
thinking_queue = Gauge(
    "bottega_thinking_queue",
    "What waits to be thought about.",
    ["kind"],
    multiprocess_mode="livemax",  # each process sees the same queue
)
statement_seconds = Histogram(
    "bottega_statement_seconds", "Statements of the database.", ["verb"], buckets=QUICK
)
transaction_seconds = Histogram(
    "bottega_transaction_seconds",
    "From taking a connection to the database to giving it back, with the commit.",
    buckets=QUICK,
)

VERBS = ("SELECT", "INSERT", "UPDATE", "DELETE")
METHODS = ("GET", "HEAD", "POST", "OPTIONS")


def text() -> bytes:
    """All numbers, of all workers of this server."""
    registry = REGISTRY
    if SHARED in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def ended(process: int, folder: str) -> None:
    """A worker has ended: what was open or in memory there no longer counts."""
    multiprocess.mark_process_dead(process, folder)  # type: ignore[no-untyped-call]


def method(word: str) -> str:
    """A method as a label: whoever asks may invent others without end."""
    return word if word in METHODS else "other"


def watch_database(engine: AsyncEngine) -> None:
    """Measure every statement, and every loan of a connection."""

    def before(
        _connection: Any, _cursor: Any, _statement: Any, _values: Any, context: Any, _many: Any
    ) -> None:
        context.began = time.perf_counter()

    def after(
        _connection: Any, _cursor: Any, statement: str, _values: Any, context: Any, _many: Any
    ) -> None:
        verb = statement.lstrip()[:6].upper()
        label = verb.lower() if verb in VERBS else "other"
        statement_seconds.labels(label).observe(time.perf_counter() - context.began)

    def lent(_connection: Any, record: Any, _proxy: Any) -> None:
        record.info["lent"] = time.perf_counter()

    def given_back(_connection: Any, record: Any) -> None:
        if (since := record.info.pop("lent", None)) is not None:
            transaction_seconds.observe(time.perf_counter() - since)

    event.listen(engine.sync_engine, "before_cursor_execute", before)
    event.listen(engine.sync_engine, "after_cursor_execute", after)
    event.listen(engine.sync_engine, "checkout", lent)
    event.listen(engine.sync_engine, "checkin", given_back)
