"""What stands before every request: who asks, and whether it is too much, too large or too slow;
and behind every answer: headers that tell browsers what they may do."""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.table.faults import Fault, OurMistake, TooFast, TooLarge, TooSlow
from bottega.table.server.limits import Limits, kind_of
from bottega.table.server.origin import home_of, host_of
from bottega.table.server.watch import asked_of
from bottega.table.web.visits import Site

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
ARRIVAL = 30.0  # seconds for a request to have come as a whole
CALM = 1.0  # seconds until whoever is too fast is told so: refusals are work, too


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

    def __init__(self, app: ASGIApp, pace: float, site: Site) -> None:
        self.app = app
        self.site = site
        self.limits = Limits(pace)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # what GET would answer, without the body
            head = OnlyHead(send)
            await self({**scope, "method": "GET"}, head.receive, head)
            return
        request = Request(scope, receive)
        answer = Answering(_with_headers(send))
        with ExitStack() as held:
            try:
                await self._admit(request, held)
                heard = await _whole_body(request, receive)
            except Fault as fault:
                held.close()  # to wait for a refusal takes no place from others
                await self._refuse(request, fault, answer)
                return
            await self._answer(request, heard, answer)

    async def _admit(self, request: Request, held: ExitStack) -> None:
        """Let a request in, unless its address or its visitor has had enough. What they have of it
        is given back with `held`, however it ends."""
        kind = kind_of(request.method, request.url.path)
        held.enter_context(self.limits.address(home_of(host_of(request.scope)), kind))
        visitor = await self.site.meet(request)
        if not visitor.new:
            held.enter_context(self.limits.visitor(visitor.id, kind))

    async def _answer(self, request: Request, receive: Receive, answer: Answering) -> None:
        try:
            await self.app(request.scope, receive, answer)
        except Exception:
            log.exception("%s %s failed", request.method, asked_of(request.scope).route)
            if answer.begun:
                raise
            mistake = OurMistake("Something went wrong on our side.")
            await self._refuse(request, mistake, answer)

    async def _refuse(self, request: Request, fault: Fault, answer: Answering) -> None:
        if isinstance(fault, TooFast):
            await asyncio.sleep(CALM)
        response = await self.site.refuse(request, fault)
        await response(request.scope, request.receive, answer)


async def _whole_body(request: Request, receive: Receive) -> Receive:
    """Read the body as far as it may go, and hand it on in one piece."""
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return receive
    limit = UPLOAD if request.url.path == "/open" else BODY
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > limit:
        raise _too_large(limit)
    try:
        async with asyncio.timeout(ARRIVAL):
            body = await _read(receive, limit)
    except TimeoutError:
        raise TooSlow("That took too long to come here. Try again.") from None
    given = False

    async def heard() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return heard


async def _read(receive: Receive, limit: int) -> bytes:
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"That is more than the {limit // 1024} kB that fit here.")


def _with_headers(send: Send) -> Send:
    """What every answer says. Files have said how long they may be kept; nothing else may be."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            headers.update(HEADERS)
        await send(message)

    return sending
