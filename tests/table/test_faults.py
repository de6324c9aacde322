"""What may go wrong around several servers goes wrong, a little; `bench/faults.py` has the rest."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Postgres
from tests.table.databases import Database
from tests.table.servers import several
from tests.table.stubborn import Attempt, check, fits, playing, wait_for_all

CLIENTS = 4
KILLS = 3


@pytest.fixture
def own(postgres: Postgres, pattern: str) -> Iterator[Database]:
    url = postgres.fresh(like=pattern)
    yield Database(url)
    postgres.drop(url)


def test_the_comparison_can_fail() -> None:
    sent = [Attempt(0, "a", "counted"), Attempt(1, "b"), Attempt(0, "c", "counted")]
    assert fits(sent, [(0, "a"), (0, "c")])
    assert fits(sent, [(0, "a"), (1, "b"), (0, "c")])
    assert not fits(sent, [(0, "a"), (1, "b")]), "an acknowledged one is lost"
    assert not fits(sent, [(0, "a"), (0, "a"), (0, "c")]), "one is there twice"
    assert not fits([*sent, Attempt(1, "d", "refused")], [(0, "a"), (0, "c"), (1, "d")])


def test_servers_are_killed_and_clients_go_on(own: Database, tmp_path: Path) -> None:
    """At any moment, in the middle of anything: what was acknowledged is there, and once."""
    chance = random.Random(1)
    with (
        several(2, tmp_path, own.url) as servers,
        playing(servers, CLIENTS, bot="random") as clients,
    ):
        for _ in range(KILLS):
            wait_for_all(clients, 3)
            victim = chance.choice(servers)
            victim.kill()
            wait_for_all(clients, 3)
            victim.start()
    assert check(clients, own) >= 6 * KILLS * CLIENTS


def test_the_database_is_killed_and_clients_go_on(
    postgres: Postgres, own: Database, tmp_path: Path
) -> None:
    with several(2, tmp_path, own.url) as servers, playing(servers, CLIENTS) as clients:
        wait_for_all(clients, 3)
        postgres.kill()
        postgres.start()
        wait_for_all(clients, 3)
    assert check(clients, own) >= 6 * CLIENTS
