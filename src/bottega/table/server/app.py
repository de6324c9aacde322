"""The server: `create_app` for any ASGI server, `serve` for the command line."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import bottega
from bottega.engine.errors import BottegaError, CannotUndo, IllegalMove
from bottega.engine.language import sentence
from bottega.table import metrics
from bottega.table.api import routes
from bottega.table.faults import CannotServe, Fault, NotStored
from bottega.table.playing.keeping import keep_up
from bottega.table.playing.tables import opened, said_by
from bottega.table.server import logs
from bottega.table.server.connections import (
    Connection,
    Doors,
    file_limit,
    raise_file_limit,
    say_if_few,
)
from bottega.table.server.guard import Guard
from bottega.table.server.health import Health
from bottega.table.server.listening import GRACE, Server, address, listen, open_in_browser
from bottega.table.server.origin import Origin, Proxies
from bottega.table.server.watch import Routed, Watch
from bottega.table.server.workers import Line, Parent, check_workers
from bottega.table.settings import PORT, Settings, as_variables
from bottega.table.settings import settings as make_settings
from bottega.table.thinking.cluster import check_cluster
from bottega.table.thinking.thinkers import Thinkers
from bottega.table.web import files, forms, pages
from bottega.table.web.visits import Site

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
        async with opened(chosen) as site.tables:
            metrics.watch_database(site.tables.store.engine)
            site.thinkers = Thinkers(site.tables)
            site.thinkers.open()
            site.tables.open()
            site.tables.begin(keep_up(site.tables))
            yield
            await site.thinkers.close()

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
    app.include_router(files.router)
    app.include_router(pages.router)
    app.include_router(forms.router)
    app.include_router(routes.router)
    _answer_errors(app, site)
    app.add_middleware(Routed)
    app.add_middleware(Guard, pace=chosen.pace, site=site)
    app.add_middleware(Health, site=site, readers=chosen.metrics)
    app.add_middleware(Watch)
    # The last to be added is the first to see a request.
    app.add_middleware(Origin, proxies=Proxies(chosen.proxies))
    return app


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


def serve(
    host: str = "127.0.0.1",
    port: int = PORT,
    open_page: bool = False,
    data: Path | None = None,
    workers: int = 1,
    **settings: Any,
) -> None:
    """Run the server until it is stopped: in this process, or in so many others."""
    listening = listen(host, port)
    raise_file_limit()
    try:
        chosen = make_settings(data, **settings)
        check_workers(chosen, workers)
        asyncio.run(could_open(chosen))
        check_cluster(chosen.ray)
    except CannotServe as problem:
        raise SystemExit(str(problem)) from None
    page = address(host, listening.getsockname()[1])

    def begun() -> None:
        say_open(page, chosen)
        say_if_few()
        if open_page:
            open_in_browser(page)

    if workers == 1:
        answer(listening, begun, data, **settings)
        return
    write_log(chosen)
    command = [sys.executable, "-m", "bottega.table", "--worker"]
    environment = {**os.environ, **as_variables(data=data, **settings)}
    Parent(command, listening, workers, environment, begun).run()


def work(listening: int, line: int) -> None:
    """Be one of several processes: answer at a socket that the parent has opened."""
    try:
        asyncio.run(could_open(make_settings()))
    except CannotServe as problem:
        raise SystemExit(str(problem)) from None
    answer(socket.socket(fileno=listening), Line(line).say_ready, shared=True)


def answer(
    listening: socket.socket,
    begun: Callable[[], None],
    data: Path | None = None,
    shared: bool = False,
    **settings: Any,
) -> None:
    """Answer requests in this process, at its own socket or a shared one, until it is stopped."""
    chosen = make_settings(data, **settings)
    app = create_app(data, **settings)
    doors = Doors(chosen.pace, Proxies(chosen.proxies), file_limit())
    config = uvicorn.Config(
        app,
        http=partial(Connection, doors),  # type: ignore[arg-type]  # it is only called
        ws="none",
        proxy_headers=False,  # see Origin
        log_config=write_log(chosen),
        log_level="warning",
        timeout_graceful_shutdown=GRACE,
    )
    server = Server(config, begun, lambda: app.state.site.tables.hang_up(), shared)
    sys.setswitchinterval(SWITCH)
    with suppress(KeyboardInterrupt):
        server.run([listening])


def write_log(chosen: Settings) -> dict[str, Any] | None:
    """Have this process write its log as the settings say; what Uvicorn has to add for that."""
    if chosen.logs == "plain":
        return uvicorn.config.LOGGING_CONFIG
    logs.write_lines()
    return None


def say_open(page: str, chosen: Settings) -> None:
    text = f"Bottega is open at {page}"
    if chosen.logs == "json":
        log.info(text)
    else:
        print(f"{text} (stop it with Ctrl+C)", flush=True)
