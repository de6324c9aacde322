"""For those who watch over a server: whether it lives, whether it can work, and its numbers."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.table import metrics
from bottega.table.database.processes import is_alive, say_alive
from bottega.table.server.guard import HEADERS
from bottega.table.server.watch import asked_of
from bottega.table.web.visits import Site

log = logging.getLogger(__name__)

LIVES, WORKS, NUMBERS = "/healthz", "/readyz", "/metrics"
KEPT = 1.0  # seconds for which an answer of the database holds: whoever asks, it writes no more
PATIENCE = 5.0  # seconds for the database to answer


class Health:
    """Answers before the guard: whoever asks often is not slowed down, and gets no cookie."""

    def __init__(self, app: ASGIApp, site: Site, readers: str) -> None:
        self.app = app
        self.readers = readers
        self.database = Database(site)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = None
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            response = await self._answer(Request(scope))
        if response is None:
            await self.app(scope, receive, send)
            return
        asked = asked_of(scope)
        asked.route, asked.quiet = scope["path"], True
        response.headers.update({**HEADERS, "cache-control": "no-store"})
        if scope["method"] == "HEAD":
            response = Response(None, response.status_code, response.headers)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """The answer to one of the three, None to whatever else."""
        path = request.url.path
        if path == LIVES:
            return JSONResponse({"ok": True})
        if path == WORKS:
            if await self.database.works():
                return JSONResponse({"ok": True})
            return JSONResponse({"error": "The database cannot be read and written."}, 503)
        if path == NUMBERS and may_read(request, self.readers):
            return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)
        return None


class Database:
    """Whether the database can be read and written."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._asking = asyncio.Lock()
        self._until = 0.0
        self._worked = False

    async def works(self) -> bool:
        """Look, unless somebody has just looked."""
        async with self._asking:
            if time.monotonic() >= self._until:
                self._worked = await self._look()
                self._until = time.monotonic() + KEPT
            return self._worked

    async def _look(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                store = self.site.tables.store
                async with store.writing() as db:
                    await say_alive(db, store.process)
                    return await is_alive(db, store.process)
        except Exception as problem:  # whatever it is, nothing could be stored now
            log.error("the database cannot be read and written: %s", type(problem).__name__)
            return False


def may_read(request: Request, readers: str) -> bool:
    """Whether the numbers are for whoever asks: for all (open), or for programs on this machine
    (local), which come without a proxy in between."""
    if readers != "local" or request.client is None or "x-forwarded-for" in request.headers:
        return readers == "open"
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
