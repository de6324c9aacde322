"""Live updates: a number is sent when what the viewer sees has changed, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent

from bottega.table.playing import people
from bottega.table.playing.table import Eyes, Table
from bottega.table.playing.tables import Tables

PING = 15  # seconds between signs of life, so that a lost connection is noticed


async def updates(
    tables: Tables, table: Table, eyes: Eyes, seen: int | None, name: str
) -> AsyncIterator[ServerSentEvent]:
    """The number of what the viewer sees, at once if it is not the one seen, then each new one. It
    ends when the link of a seat was made anew: whoever still holds the seat comes back."""
    viewer = table.viewer(eyes)
    news = asyncio.Event()
    viewer.listeners.add(news)
    await people.arrive(tables, table, eyes, name)
    try:
        while not tables.closing:
            if not table.knows(eyes):
                yield ServerSentEvent("The link was made anew.", event="renewed")
                return
            if seen != viewer.seq:
                seen = viewer.seq
                yield ServerSentEvent(str(seen), event="update", id=str(seen))
            await news.wait()
            news.clear()
    finally:
        viewer.listeners.discard(news)
        people.leave(tables, table, eyes)


def stream(
    tables: Tables, table: Table, eyes: Eyes, seen: int | None, name: str = ""
) -> EventSourceResponse:
    """The updates as an answer."""
    return EventSourceResponse(
        updates(tables, table, eyes, seen, name),
        ping=PING,
        ping_message_factory=lambda: ServerSentEvent(comment="here"),
    )


def number(text: str | None) -> int | None:
    """A sequence number as a browser sends it back; nothing if it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 18 else None
