"""What stands before every request: limits on sizes and rates; and behind every answer: headers
that tell browsers what they may do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.table.faults import Fault, OurMistake, TooFast, TooLarge
from bottega.table.server.watch import asked_of

log = logging.getLogger(__name__)

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
BODY = 64 * 1024  # bytes of any request
UPLOAD = 512 * 1024  # bytes of a notation


@dataclass(frozen=True)
class Rate:
    """So many at once, and so many a second from then on."""

    burst: float
    second: float


READING = Rate(300, 60)
PLAYING = Rate(120, 30)
TALKING = Rate(10, 1)
ADVISING = Rate(20, 1)
SETTING_UP = Rate(30, 0.5)
MOST_BUCKETS = 10_000


class Buckets:
    """Counts of what was lately done, by whom. Each bucket refills with time."""

    def __init__(self, pace: float) -> None:
        self.pace = pace
        self._left: OrderedDict[tuple[str, Rate], tuple[float, float]] = OrderedDict()

    def take(self, who: str, rate: Rate) -> float:
        """Take one; the seconds to wait if there is none left."""
        if not self.pace:
            return 0.0
        now = time.monotonic()
        burst, second = rate.burst * self.pace, rate.second * self.pace
        left, then = self._left.pop((who, rate), (burst, now))
        left = min(burst, left + (now - then) * second)
        self._left[who, rate] = (max(0.0, left - 1), now)
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / second


def rate_of(method: str, path: str) -> Rate:
    """How often such a request may come."""
    if path.endswith("/hint"):
        return ADVISING
    if method in ("GET", "HEAD", "OPTIONS"):
        return READING
    if path.endswith("/chat"):
        return TALKING
    if path.endswith(("/tables", "/open", "/fork", "/rematch")):
        return SETTING_UP
    return PLAYING


class Answering:
    """Passes an answer on and remembers whether it has begun."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self.send(message)


class OnlyHead:
    """Passes on the head of an answer, and hangs up on whoever would go on."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.begun = asyncio.Event()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self.send(message)
            await self.send({"type": "http.response.body", "body": b""})
            self.begun.set()

    async def receive(self) -> Message:
        await self.begun.wait()
        return {"type": "http.disconnect"}


class Guard:
    """The first and last to see each request."""

    def __init__(
        self,
        app: ASGIApp,
        pace: float,
        refuse: Callable[[Request, Fault], Awaitable[Response]],
    ) -> None:
        self.app = app
        self.refuse = refuse
        self.buckets = Buckets(pace)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # what GET would answer, without the body
            head = OnlyHead(send)
            await self({**scope, "method": "GET"}, head.receive, head)
            return
        request = Request(scope)
        try:
            self._slow_down(request)
            heard = await _whole_body(request, receive)
        except Fault as fault:
            response = await self.refuse(request, fault)
            await response(scope, receive, _with_headers(send))
            return
        answering = Answering(_with_headers(send))
        try:
            await self.app(scope, heard, answering)
        except Exception:
            log.exception("%s %s failed", request.method, asked_of(scope).route)
            if answering.begun:
                raise
            response = await self.refuse(request, OurMistake("Something went wrong on our side."))
            await response(scope, receive, answering)

    def _slow_down(self, request: Request) -> None:
        who = request.client.host if request.client else ""
        wait = self.buckets.take(who, rate_of(request.method, request.url.path))
        if wait:
            raise TooFast(f"That was a lot at once. Try again in {max(1, round(wait))} seconds.")


async def _whole_body(request: Request, receive: Receive) -> Receive:
    """Read the body as far as it may go, and hand it on in one piece."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return receive
    limit = UPLOAD if request.url.path == "/open" else BODY
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > limit:
        raise TooLarge(f"That is more than the {limit // 1024} kB that fit here.")
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise TooLarge(f"That is more than the {limit // 1024} kB that fit here.")
    given = False

    async def heard() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return heard


def _with_headers(send: Send) -> Send:
    """What every answer says. Files have said how long they may be kept; nothing else may be."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.update(HEADERS)
        await send(message)

    return sending
