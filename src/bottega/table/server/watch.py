"""What is noted of every request: its number, how it was answered, and how long that took."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.table import metrics
from bottega.table.server import logs

log = logging.getLogger(__name__)

ASKED = "bottega.asked"  # where a request's scope holds what is noted of it
NUMBER = "x-request-id"
NOWHERE = "none"  # the route of what is nowhere


@dataclass
class Asked:
    """A request, as it is counted and logged: its route, not its path, which holds ids."""

    number: str
    method: str
    route: str = NOWHERE
    status: int = 500  # unless it is answered
    listening: bool = False  # a stream of events, which lasts as long as its page
    quiet: bool = False  # not worth a line
    began: float = field(default_factory=time.perf_counter)
    seconds: float | None = None  # until it was answered


def asked_of(scope: Scope) -> Asked:
    """What is noted of a request."""
    asked: Asked = scope[ASKED]
    return asked


class Watch:
    """Outside everything else: gives a request its number, counts it and writes its line."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        number = logs.number_for(Headers(scope=scope).get(NUMBER, ""))
        asked = scope[ASKED] = Asked(number, metrics.method(scope["method"]))

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _begin(asked, message)
            await send(message)

        token = logs.request_number.set(asked.number)
        try:
            await self.app(scope, receive, sending)
        finally:
            _end(asked)
            logs.request_number.reset(token)


def _begin(asked: Asked, message: Message) -> None:
    """An answer begins."""
    headers = MutableHeaders(scope=message)
    headers[NUMBER] = asked.number
    asked.status = message["status"]
    if headers.get("content-type", "").startswith("text/event-stream"):
        asked.listening = True
        asked.seconds = time.perf_counter() - asked.began
        metrics.listeners.inc()


def _end(asked: Asked) -> None:
    """A request is done with."""
    lasted = time.perf_counter() - asked.began
    if asked.listening:
        metrics.listeners.dec()
    metrics.requests.labels(asked.method, asked.route, str(asked.status)).inc()
    metrics.request_seconds.labels(asked.route).observe(asked.seconds or lasted)
    facts = {
        "method": asked.method,
        "route": asked.route,
        "status": asked.status,
        "milliseconds": round(1000 * lasted, 1),
    }
    level = logging.DEBUG if asked.quiet else logging.INFO
    log.log(level, "answered", extra={"facts": facts})


class Routed:
    """Inside everything else: notes which route a request took."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            if ASKED in scope:
                asked_of(scope).route = _route(scope)


def _route(scope: Scope) -> str:
    if "route" in scope:
        return str(scope["route"].path)
    if "endpoint" not in scope:
        return NOWHERE
    return str(scope.get("root_path") or scope["path"])  # mounted, or a path without ids
