"""Live updates: a number is sent when what the viewer sees has changed, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent

from bottega.table.playing import people
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Hall

PING = 15  # seconds between signs of life, so that a lost connection is noticed


async def updates(
    hall: Hall, table: Table, eyes: Eyes, seen: int | None, name: str
) -> AsyncIterator[ServerSentEvent]:
    """The viewer's sequence number, at once if it is not the one seen, then whenever it grows."""
    viewer = table.viewer(eyes)
    news = asyncio.Event()
    viewer.listeners.add(news)
    await people.arrive(hall, table, eyes, name)
    try:
        while hall.tables.get(table.id) is table:
            if seen != viewer.seq:
                seen = viewer.seq
                yield ServerSentEvent(str(seen), event="update", id=str(seen))
            await news.wait()
            news.clear()
    finally:
        viewer.listeners.discard(news)
        people.leave(hall, table, eyes)


def stream(
    hall: Hall, table: Table, eyes: Eyes, seen: int | None, name: str = ""
) -> EventSourceResponse:
    """The updates as an answer."""
    return EventSourceResponse(
        updates(hall, table, eyes, seen, name),
        ping=PING,
        ping_message_factory=lambda: ServerSentEvent(comment="here"),
    )


def number(text: str | None) -> int | None:
    """A sequence number as a browser sends it back; nothing if it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 18 else None
