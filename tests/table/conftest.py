"""A server in this process, whose bots answer at once, on each kind of database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from bottega.table.database.migrations import bring_forward
from bottega.table.server import limits
from bottega.table.server.app import create_app
from tests.postgres import MISSING, Postgres, find_postgres
from tests.table.databases import KINDS, Database, sqlite
from tests.table.guests import Guest

Welcome = Callable[[], Guest]
QUICK: dict[str, Any] = {"pause": 0, "pace": 0, "warm": False, "absence": 0.05, "study": 0}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whatever needs a database runs on each kind of it."""
    if "database_kind" in metafunc.fixturenames:
        once = metafunc.definition.get_closest_marker("sqlite_only")
        metafunc.parametrize(
            "database_kind", KINDS[:1] if once else KINDS, scope="module", indirect=True
        )


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """PostgreSQL, for all tests of this process."""
    programs = find_postgres()
    if programs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    with closing(Postgres(programs)) as running:
        yield running


@pytest.fixture(scope="session")
def pattern(postgres: Postgres) -> str:
    """A database of PostgreSQL with today's schema; it is quicker copied than made anew."""
    url = postgres.fresh()
    Database(url).do(bring_forward)
    return url


@pytest.fixture(scope="module")
def database_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@contextmanager
def a_database(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database of a kind, without any table of players."""
    if kind == "sqlite":
        yield sqlite(folder)
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.fresh(like=request.getfixturevalue("pattern"))
    yield Database(url)
    postgres.drop(url)


@pytest.fixture
def database(
    database_kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Database]:
    """A database for one test."""
    with a_database(database_kind, tmp_path, request) as database:
        yield database


@pytest.fixture
def settings() -> dict[str, Any]:
    """How the server is set up; a test may say otherwise."""
    return QUICK


@pytest.fixture
def welcome(tmp_path: Path, settings: dict[str, Any], database: Database) -> Iterator[Welcome]:
    """Lets one guest after another in."""
    app = create_app(tmp_path, database=database.url, **settings)
    with TestClient(app, raise_server_exceptions=False) as first:

        def another() -> Guest:
            client = TestClient(app, raise_server_exceptions=False)
            client.portal = first.portal
            return Guest(client)

        yield another


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands still for the limits: on a slow machine nobody may do more."""
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.fixture
def ada(welcome: Welcome) -> Guest:
    return welcome()


@pytest.fixture
def bruno(welcome: Welcome) -> Guest:
    return welcome()


@pytest.fixture
def carla(welcome: Welcome) -> Guest:
    return welcome()
