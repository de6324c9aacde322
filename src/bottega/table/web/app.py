"""The server: `create_app` for any ASGI server, `serve` for the command line."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

import bottega
from bottega.engine.errors import BottegaError, CannotUndo, IllegalMove
from bottega.engine.language import sentence
from bottega.table.api import routes
from bottega.table.database.sole_server import sole_server
from bottega.table.database.store import Store
from bottega.table.faults import CannotServe, Fault, NotStored
from bottega.table.playing.tables import Hall, said_by
from bottega.table.secret import Secret
from bottega.table.settings import PORT, Settings
from bottega.table.settings import settings as make_settings
from bottega.table.web import forms, metrics, pages, render
from bottega.table.web.guard import Guard
from bottega.table.web.health import Health
from bottega.table.web.visits import Site
from bottega.table.web.watch import Routed, Watch

log = logging.getLogger(__name__)

SWITCH = (
    0.001  # seconds after which a bot that is interpreted lets pages go on; usually it is 0.005
)


def create_app(data: Path | None = None, **settings: Any) -> FastAPI:
    """The application, keeping its tables in the folder `data`; see `Settings` for the rest."""
    chosen = make_settings(data, **settings)
    site = Site()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with opened(chosen) as site.hall:
            site.hall.open()
            yield

    app = FastAPI(
        title="Bottega",
        version=bottega.__version__,
        summary="Tabletop games with exact rules, for programs.",
        description=routes.DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
    )
    app.state.site = site
    app.include_router(pages.router)
    app.include_router(forms.router)
    app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=render.STATIC, check_dir=False))
    _answer_errors(app, site)
    app.add_middleware(Routed)
    app.add_middleware(Guard, pace=chosen.pace, refuse=site.refuse)
    app.add_middleware(Health, site=site, readers=chosen.metrics)
    app.add_middleware(Watch)  # the last to be added is the first to see a request
    return app


@asynccontextmanager
async def opened(chosen: Settings) -> AsyncIterator[Hall]:
    """The hall on its folder and its database, which are this server's until it closes."""
    with sole_server(chosen.sqlite_file):
        secret = Secret.of(chosen)
        store = Store(chosen.url)
        metrics.watch_database(store.engine)
        try:
            await store.open()
            hall = Hall(chosen, store, secret)
            yield hall
            await hall.close()
        except (SQLAlchemyError, OSError) as problem:
            raise CannotServe(f"The database cannot be used: {said_by(problem)}.") from None
        finally:
            await store.close()


async def could_open(chosen: Settings) -> None:
    """Refuse a server that cannot start with a sentence, not with a traceback."""
    async with opened(chosen):
        pass


def _answer_errors(app: FastAPI, site: Site) -> None:
    """Every error as a friendly page, or as JSON for programs."""

    async def fault(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, Fault)
        return await site.refuse(request, problem)

    async def of_the_game(request: Request, problem: Exception) -> Response:
        metrics.refused.labels(type(problem).__name__).inc()
        status = 409 if isinstance(problem, IllegalMove | CannotUndo) else 400
        return site.error(request, status, "That does not work", sentence(str(problem)))

    async def http(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        title = "Nothing here" if problem.status_code == 404 else "That does not work"
        text = {404: "There is no such page.", 405: "That is not how this page is used."}
        message = text.get(problem.status_code, str(problem.detail))
        response = site.error(request, problem.status_code, title, message)
        response.headers.update(problem.headers or {})
        return response

    async def database(request: Request, problem: Exception) -> Response:
        log.error("the database failed: %s", said_by(problem))
        return await site.refuse(request, NotStored("The database does not answer; try again."))

    async def malformed(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, RequestValidationError)
        metrics.refused.labels("Malformed").inc()
        first = problem.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "The body"
        broken = first["type"] == "json_invalid"
        text = "The body is not JSON." if broken else f"{place}: {first['msg']}."
        return site.error(request, 422, "That does not work", text)

    app.add_exception_handler(Fault, fault)
    app.add_exception_handler(BottegaError, of_the_game)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(SQLAlchemyError, database)
    app.add_exception_handler(RequestValidationError, malformed)


class Server(uvicorn.Server):
    """Says where it is once it listens, opens the page if asked to, and lets listeners go."""

    open_page = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        site: Site = self.config.app.state.site  # type: ignore[union-attr]
        asyncio.get_running_loop().call_soon_threadsafe(site.hall.hang_up)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        port = self.servers[0].sockets[0].getsockname()[1]
        host = (
            "localhost" if self.config.host in ("0.0.0.0", "127.0.0.1", "::") else self.config.host
        )
        address = f"http://{host}:{port}/"
        print(f"Bottega is open at {address} (stop it with Ctrl+C)", flush=True)
        if self.open_page:
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def listen(host: str, port: int) -> socket.socket:
    """A socket that answers at once: asyncio sends small packets without delay only through one
    that says it speaks TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        reason = f"Cannot listen at {host}:{port}: {problem.strerror}. Try another --port."
        raise SystemExit(reason) from None
    return listening


def serve(
    host: str = "127.0.0.1",
    port: int = PORT,
    open_page: bool = False,
    data: Path | None = None,
    **settings: Any,
) -> None:
    """Run the server until it is stopped."""
    listening = listen(host, port)
    try:
        asyncio.run(could_open(make_settings(data, **settings)))
    except CannotServe as problem:
        raise SystemExit(str(problem)) from None
    config = uvicorn.Config(
        create_app(data, **settings),
        host=host,
        log_level="warning",
        timeout_graceful_shutdown=3,
    )
    server = Server(config)
    server.open_page = open_page
    sys.setswitchinterval(SWITCH)
    with suppress(KeyboardInterrupt):
        server.run([listening])
