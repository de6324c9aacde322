"""A process that only thinks: `bottega think`, on this machine or another one."""

from __future__ import annotations

import asyncio
import signal
import sys
from dataclasses import replace

from bottega.table.faults import CannotServe
from bottega.table.playing.tables import opened
from bottega.table.settings import Settings
from bottega.table.thinking.cluster import check_cluster
from bottega.table.thinking.thinkers import Thinkers


async def think(settings: Settings) -> None:
    """Take what the servers on a database leave to think about, until told to stop."""
    if settings.sqlite_file is not None:
        raise CannotServe(
            "Only servers on PostgreSQL leave something to think about to others. "
            "Name their database by BOTTEGA_DATABASE."
        )
    check_cluster(settings.ray)
    enough = asyncio.Event()
    loop = asyncio.get_running_loop()
    for how in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(how, enough.set)
    # Where servers leave thinking to others, the others have the same settings.
    async with opened(replace(settings, think=True)) as tables:
        thinkers = Thinkers(tables)
        thinkers.open()
        tables.open()
        print("Bottega thinks (stop it with Ctrl+C)", file=sys.stderr, flush=True)
        await enough.wait()
        await thinkers.close()
