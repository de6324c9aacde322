"""What grows with the number of tables: `python -m bench.growth [--postgres]`.

First, the memory of one process: so many tables are set up and played by the API, far more than it
keeps in memory. Then, with PostgreSQL, whether what is asked all the time looks through all tables:
a hundred thousand are put into a database, and PostgreSQL tells how it would answer.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi.testclient import TestClient
from rich.console import Console
from tests.postgres import Postgres, find_postgres

import bottega
from bottega.table.database.jobs import DECISION
from bottega.table.database.rows import Entry, Seat
from bottega.table.database.store import Store
from bottega.table.database.upkeep import Upkeep
from bottega.table.server.app import create_app

told = Console(highlight=False, width=120)
CAPACITY = 256
DECISIONS = 8  # at each table
ROWS = 100_000


def memory() -> float:
    """What this process has in memory now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def fill(tables: int, url: str) -> bool:
    """Set up tables and play at them; whether the memory ends where it was at a third of them."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as data:
        given = {"database": url} if url else {}
        how: dict[str, Any] = {"pace": 0, "pause": 0, "warm": False, "capacity": CAPACITY}
        with TestClient(create_app(Path(data), **how, **given)) as client:
            at: dict[int, float] = {}
            for number in range(1, tables + 1):
                play(client, bottega.games()[number % 4], chance)
                if number * 6 % tables == 0:
                    at[number] = memory()
                    known = len(client.app.state.site.tables.known)  # type: ignore[attr-defined]
                    told.print(f"{number} tables: {at[number]:.0f} MB, {known} in memory")
    first, last = at[tables // 3], at[tables]
    told.print(f"from a third of the tables to all: {last - first:+.0f} MB")
    return last < 1.1 * first


def play(client: TestClient, game: str, chance: random.Random) -> None:
    wish = {"game": game, "mode": "friends", "players": 2}
    made = client.post("/api/v1/tables", json=wish).json()
    where = f"/api/v1/tables/{made['id']}"
    heads = [{"authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]
    for _ in range(DECISIONS // 2):
        for head in heads:
            actions = client.get(f"{where}/legal", headers=head).json()["actions"]
            if actions:
                action = chance.choice(actions)["key"]
                client.post(f"{where}/play", headers=head, json={"action": action})


# What is asked all the time, at a database with many tables.


@asynccontextmanager
async def crowded(url: str) -> Any:
    """A database with a hundred thousand tables of fifty thousand people."""
    store = Store(url)
    await store.open()
    seats = [Seat("person"), Seat("bot", "search-2")]
    like = Entry("x", "splendor", 1, "default", "x", 2, "7", 0, {}, ["A", "B"], "bots", "x", "v1")
    await store.add(like, seats, {("v1", 0)})
    copies = f"generate_series(1, {ROWS}) AS n"
    own = list(vars(like))
    names = ", ".join(f'"{name}"' for name in own)
    values = {"id": "'t' || n", "host": "'v' || n % 50000", "over": "n % 20 > 0", "length": "60"}
    picked = ", ".join(values.get(name, f'"{name}"') for name in own)
    async with store.engine.begin() as db:
        for statement in (
            f"INSERT INTO tables ({names}) SELECT {picked} FROM tables, {copies}",
            f"INSERT INTO holders SELECT 'v' || n % 50000, 't' || n, 0 FROM {copies}",
            f"INSERT INTO seats SELECT 't' || n, s, 'person' FROM {copies}, generate_series(0,1) s",
            'INSERT INTO jobs (kind, "table", seat, made, version) '
            f"SELECT '{DECISION}', 't' || n, 1, n, 1 FROM generate_series(1, 500) AS n",
        ):
            await db.exec_driver_sql(statement)
    async with store.engine.connect() as db:
        alone = await db.execution_options(isolation_level="AUTOCOMMIT")
        await alone.exec_driver_sql("VACUUM ANALYZE")
    yield store
    await store.close()


async def look_through(url: str) -> bool:
    """Whether nothing that is asked all the time looks through all tables."""
    async with crowded(url) as store:
        asked: dict[str, Callable[[], Awaitable[Any]]] = {
            "home page": lambda: store.of_visitor("v77"),
            "a table": lambda: store.load("t500"),
            "its version": lambda: store.version_of("t500"),
            "a job": store.jobs.take_any,
            "jobs that wait": store.jobs.waiting,
            "sign of life": lambda: store.presence.beat(["t1", "t2", "t3"]),
            "pages elsewhere": lambda: store.presence.elsewhere("t500"),
            "upkeep": lambda: Upkeep(store).after("t5"),
        }
        good = True
        for name, ask in asked.items():
            scans, took = await watched(store, ask)
            good &= not scans
            told.print(f"{name}: {1000 * took:.1f} ms, looks through all: {scans or 'nothing'}")
        return good


async def watched(store: Store, ask: Callable[[], Awaitable[Any]]) -> tuple[str, float]:
    """Which large tables a question looks through as a whole, and how long it took."""
    before = await scanned(store)
    await ask()
    began = time.perf_counter()
    await ask()
    took = time.perf_counter() - began
    after = await scanned(store)
    return ", ".join(name for name in after if after[name] > before[name]), took


async def scanned(store: Store) -> dict[str, int]:
    """How often each large table was looked through."""
    query = "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE n_live_tup >= 50000"
    async with store.engine.connect() as db:  # the one connection that has asked
        await db.execute(sa.text("SELECT pg_stat_force_next_flush()"))
        await db.commit()
        return {row.relname: row.seq_scan for row in await db.execute(sa.text(query))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=3000)
    parser.add_argument("--postgres", action="store_true", help="instead of SQLite")
    asked = parser.parse_args()
    good = True
    with ExitStack() as stack:
        url = ""
        if asked.postgres:
            programs = find_postgres()
            assert programs, "there is no PostgreSQL: make postgres"
            postgres = stack.enter_context(closing(Postgres(programs)))
            good &= asyncio.run(look_through(postgres.fresh()))
            url = postgres.fresh()
        good &= fill(asked.tables, url) if asked.tables else True
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
