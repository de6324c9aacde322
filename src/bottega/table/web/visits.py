"""What all pages share: who visits, the check of a form, and the page as an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from bottega.table import metrics
from bottega.table.faults import Fault, Forbidden
from bottega.table.playing.tables import Tables
from bottega.table.secret import same, visitor_id
from bottega.table.thinking.thinkers import Thinkers
from bottega.table.web import render

COOKIE = "visitor"
A_YEAR = 365 * 24 * 3600


@dataclass
class Visitor:
    """Somebody's browser."""

    cookie: str
    new: bool  # has no cookie yet

    @cached_property
    def id(self) -> str:
        return visitor_id(self.cookie)


NOBODY = Visitor("", new=True)


def visitor_of(request: Request) -> Visitor:
    """Who asks, as the site has met them; nobody, if the request was refused before it could."""
    visitor: Visitor = getattr(request.state, "visitor", NOBODY)
    return visitor


class Site:
    """The pages' common ground."""

    def __init__(self) -> None:
        self.templates = render.environment()
        self.tables: Tables  # set when the server starts
        self.thinkers: Thinkers

    async def meet(self, request: Request) -> Visitor:
        """Find out who asks: somebody known by the cookie, or somebody new."""
        cookie = request.cookies.get(COOKIE, "")
        known = self.tables.secret.is_ours(cookie) or await self._is_of_old(cookie)
        chosen = cookie if known else self.tables.secret.new_visitor()
        request.state.visitor = Visitor(chosen, new=not known)
        return visitor_of(request)

    async def _is_of_old(self, cookie: str) -> bool:
        """Whether a cookie is from before they bore our mark: then the database knows it. Anything
        else may be self-made."""
        if not re.fullmatch(r"[\w-]{32}", cookie, re.ASCII):
            return False
        return await self.tables.read(self.tables.store.knows(visitor_id(cookie)))

    def csrf(self, visitor: Visitor) -> str:
        return self.tables.secret.csrf_token(visitor.cookie)

    def page(
        self, request: Request, template: str, context: Mapping[str, Any], status: int = 200
    ) -> Response:
        """A page as HTML."""
        return self.known(request, HTMLResponse(self.text(request, template, context), status))

    def text(self, request: Request, template: str, context: Mapping[str, Any]) -> str:
        csrf = self.csrf(visitor_of(request))
        return self.templates.get_template(template).render(request=request, csrf=csrf, **context)

    def known(self, request: Request, response: Response) -> Response:
        """Give a new visitor the cookie."""
        visitor = visitor_of(request)
        if visitor.new and visitor is not NOBODY:
            response.set_cookie(
                COOKIE,
                visitor.cookie,
                max_age=A_YEAR,
                httponly=True,
                samesite="lax",
                secure=request.url.scheme == "https",
            )
        return response

    async def form(self, request: Request) -> FormData:
        """A form's fields, once it is sure that our own page sent it."""
        form = await request.form(max_files=1, max_fields=100)
        visitor = visitor_of(request)
        token = form.get("csrf")
        if visitor.new or not isinstance(token, str) or not same(token, self.csrf(visitor)):
            raise Forbidden(
                "This form was too old, or cookies are switched off. Go back, reload the page "
                "and try again."
            )
        return form

    def done(self, request: Request, url: str, **more: Any) -> Response:
        """The answer to a form: on to a page, or a word to the script that sent it."""
        if wants_json(request):
            return self.known(request, JSONResponse({"ok": True, "url": url, **more}))
        return self.known(request, RedirectResponse(url, 303))

    async def refuse(self, request: Request, fault: Fault) -> Response:
        """A refusal, as a friendly page or as JSON."""
        metrics.refused.labels(type(fault).__name__).inc()
        return self.error(request, fault.status, fault.title, str(fault), fault)

    def error(
        self,
        request: Request,
        status: int,
        title: str,
        message: str,
        fault: Fault | None = None,
    ) -> Response:
        message = message.encode(errors="replace").decode()  # what was sent may be no text
        if request.url.path.startswith("/api/") or wants_json(request):
            more = {"seq": fault.seq} if fault is not None and hasattr(fault, "seq") else {}
            response: Response = JSONResponse({"error": message, **more}, status)
        else:
            table_url = None if status == 404 else url_of_table(request.url.path)
            context = {
                "status": status,
                "title": title,
                "message": message,
                "table_url": table_url,
                "again": again(request, table_url) if passes(status) else None,
            }
            response = self.page(request, "error.html", context, status)
        if passes(status):
            response.headers["retry-after"] = str(getattr(fault, "wait", 5))
        if status == 401:
            response.headers["www-authenticate"] = "Bearer"
        return response


def passes(status: int) -> bool:
    """Whether what is refused may be answered a moment later."""
    return status == 429 or status >= 500


def again(request: Request, table_url: str | None) -> str:
    """Where a page that could not be made finds back to: to itself, unless it answers a form."""
    return "" if request.method == "GET" else table_url or "/"


def url_of_table(path: str) -> str | None:
    """The table to which a path belongs."""
    found = re.match(r"/t/[\w-]+(?=/|$)", path, re.ASCII)
    return found[0] if found else None


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def text_field(form: FormData, name: str, default: str = "") -> str:
    """A field that is a text; an uploaded file in its place counts as nothing."""
    value = form.get(name, default)
    return value if isinstance(value, str) else default


def number_field(form: FormData, name: str, default: int | None = None) -> int | None:
    """A field that is a whole number, or the default when it is empty."""
    text = text_field(form, name).strip()
    if not text:
        return default
    if not re.fullmatch(r"-?\d{1,16}", text):
        raise Fault(f"{name} must be a whole number.")
    return int(text)
