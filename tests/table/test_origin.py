"""Where a request comes from, with and without proxies in between."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from bottega.table.server.app import create_app
from bottega.table.server.origin import Proxies, home_of
from tests.table.conftest import QUICK
from tests.table.databases import Database

OURS = "127.0.0.1, ::1,10.0.0.0/8,2001:db8:1::/48"


@pytest.mark.parametrize(
    ("host", "forwarded", "origin"),
    [
        ("203.0.113.5", "", "203.0.113.5"),
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),  # no proxy of ours says so
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),  # listening at both kinds
        ("10.2.3.4", "198.51.100.1", "198.51.100.1"),
        ("11.2.3.4", "198.51.100.1", "11.2.3.4"),
        ("2001:db8:1:2::3", "2001:db8:9::7", "2001:db8:9::7"),
        ("127.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # the first is made up
        ("127.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.9", "198.51.100.1"),
        ("127.0.0.1", "1.1.1.1,10.0.0.9,198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "10.0.0.8, 10.0.0.9", "10.0.0.8"),  # a proxy itself asks
        ("127.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("127.0.0.1", "[2001:db8:9::7]:4711", "2001:db8:9::7"),
        ("127.0.0.1", "2001:db8:9::7", "2001:db8:9::7"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "1.1.1.1, unknown, 10.0.0.9", "10.0.0.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("", "198.51.100.1", ""),
        ("testclient", "198.51.100.1", "testclient"),
    ],
)
def test_the_last_address_that_is_not_ours_counts(host: str, forwarded: str, origin: str) -> None:
    assert Proxies(OURS).origin(host, forwarded) == origin


def test_a_home_has_many_addresses_of_the_new_kind() -> None:
    assert home_of("2001:db8:9:7::1") == home_of("2001:db8:9:7:ffff::2") == "2001:db8:9:7::/64"
    assert home_of("2001:db8:9:7::1") != home_of("2001:db8:9:8::1")
    assert home_of("203.0.113.5") == home_of("::ffff:203.0.113.5") == "203.0.113.5"
    assert home_of("203.0.113.5") != home_of("203.0.113.6")
    assert home_of("testclient") == "testclient"


@pytest.mark.usefixtures("still")
class TestBehindAProxy:
    PACE = 0.01  # three pages for an address

    def visits(self, database: Database, folder: Any, proxy: str, number: int) -> list[int]:
        """The answers to five pages, each for somebody else, as a proxy passes them on."""
        app = create_app(
            folder, database=database.url, **{**QUICK, "pace": self.PACE, "proxies": "10.0.0.0/8"}
        )
        with TestClient(app, client=(proxy, 4711)) as client:
            return [
                client.get(
                    "/rules/splendor",
                    headers={"x-forwarded-for": f"198.51.100.{at % number}", "cookie": ""},
                ).status_code
                for at in range(5)
            ]

    def test_everybody_has_a_limit_of_their_own(self, database: Database, tmp_path: Any) -> None:
        assert self.visits(database, tmp_path, "10.1.1.1", 2) == [200] * 5

    def test_one_is_slowed_down(self, database: Database, tmp_path: Any) -> None:
        assert self.visits(database, tmp_path, "10.1.1.1", 1)[3:] == [429, 429]

    def test_what_others_say_is_not_believed(self, database: Database, tmp_path: Any) -> None:
        assert self.visits(database, tmp_path, "192.0.2.1", 5)[3:] == [429, 429]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("proxy", "scheme", "secure"),
    [
        ("127.0.0.1", "https", True),
        ("127.0.0.1", "http", False),
        ("127.0.0.1", "gopher", False),
        ("192.0.2.1", "https", False),
    ],
)
def test_the_scheme_is_what_our_proxy_says(
    database: Database, tmp_path: Any, proxy: str, scheme: str, secure: bool
) -> None:
    app = create_app(tmp_path, database=database.url, **QUICK)
    with TestClient(app, client=(proxy, 4711)) as client:
        answer = client.get("/", headers={"x-forwarded-proto": scheme})
    assert ("secure" in answer.headers["set-cookie"].lower()) is secure
