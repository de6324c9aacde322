"""A server in this process, whose bots answer at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bottega.table.web.app import create_app
from tests.table.guests import Guest

Welcome = Callable[[], Guest]
QUICK: dict[str, Any] = {"pause": 0, "pace": 0, "warm": False, "absence": 0.05, "study": 0}


@pytest.fixture
def settings() -> dict[str, Any]:
    """How the server is set up; a test may say otherwise."""
    return QUICK


@pytest.fixture
def welcome(tmp_path: Path, settings: dict[str, Any]) -> Iterator[Welcome]:
    """Lets one guest after another in."""
    app = create_app(tmp_path, **settings)
    with TestClient(app, raise_server_exceptions=False) as first:

        def another() -> Guest:
            client = TestClient(app, raise_server_exceptions=False)
            client.portal = first.portal
            return Guest(client)

        yield another


@pytest.fixture
def ada(welcome: Welcome) -> Guest:
    return welcome()


@pytest.fixture
def bruno(welcome: Welcome) -> Guest:
    return welcome()


@pytest.fixture
def carla(welcome: Welcome) -> Guest:
    return welcome()
