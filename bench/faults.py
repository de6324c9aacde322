"""Everything around the servers goes wrong while many play: `python -m bench.faults`.

Two real servers and a thinker on one PostgreSQL that waits for its disk at every commit. Programs
play by the JSON API, each request at any server; whoever gets no answer tries again, as people do.
Meanwhile, one after the other:

    kills     a server or the thinker is killed (kill -9) and started anew, many times
    restarts  PostgreSQL is stopped and started, in good order and by a kill
    cut       the line between one server and the database is dead for a while
    full      the database's disk is full for a while (a small one of its own; needs root)
    attacks   somebody tries to take a server down from one address (bench/attacks.py)

Every other program plays against a bot, about whose decisions the thinker thinks: the servers do
not. At the end every acknowledged decision must be in the database, in its order, none twice, and
nothing that was not sent; and everybody must have gone on, again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from bench.attacks import withstand_all
from rich.console import Console
from rich.progress import track
from sqlalchemy import make_url
from tests.postgres import Postgres, find_postgres
from tests.table.databases import Database
from tests.table.servers import Server
from tests.table.stubborn import Stubborn, check, playing, wait_for_all

told = Console()
DISK = 300  # MB, of the small disk
CUT = 5.0  # seconds for which a line is dead
BOT = "search-1"


class Line:
    """The line from a server to PostgreSQL's socket, which can be cut."""

    def __init__(self, postgres: Postgres, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self._there = str(postgres.folder / ".s.PGSQL.5432")
        self._here = str(folder / ".s.PGSQL.5432")
        self._cut = threading.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, daemon=True).start()
        while not os.path.exists(self._here):
            time.sleep(0.01)

    def url(self, url: str) -> str:
        """The database by this line."""
        through = make_url(url).set(query={"host": str(self.folder)})
        return through.render_as_string(hide_password=False)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Nothing comes through, and nobody is told: packets are lost, as when a cable is out."""
        self._cut.set()
        yield
        self._cut.clear()
        self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        for writer in self._open:
            writer.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_unix_server(self._serve, self._here))
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with suppress(OSError):
            there_reader, there = await asyncio.open_unix_connection(self._there)
            await asyncio.gather(self._pass(reader, there), self._pass(there_reader, writer))
        writer.close()
        self._open.discard(writer)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                while self._cut.is_set():
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        writer.close()


class Thinker:
    """`bottega think`, to be killed."""

    def __init__(self, like: Server) -> None:
        self._environment = like.environment
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "bottega", "think"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, env=self._environment, stdout=quiet, stderr=quiet)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def kills(
    number: int, servers: Sequence[Server], thinker: Thinker, clients: Sequence[Stubborn]
) -> None:
    """Anything is killed at any moment, and started anew."""
    chance = random.Random(1)
    for done in track(range(number), "killing", console=told):
        victim = chance.choice([*servers, thinker])
        time.sleep(chance.uniform(0.0, 0.4))
        victim.kill()
        victim.start()
        if done % 20 == 0:
            wait_for_all(clients, 1)
    wait_for_all(clients, 3)


def restarts(number: int, postgres: Postgres, clients: Sequence[Stubborn]) -> None:
    for done in track(range(number), "starting PostgreSQL anew", console=told):
        (postgres.stop if done % 2 else postgres.kill)()
        postgres.start()
        wait_for_all(clients, 3)


def cut(line: Line, clients: Sequence[Stubborn]) -> None:
    with line.cut():
        time.sleep(CUT)
    wait_for_all(clients, 3)


def full(folder: Path, postgres: Postgres, clients: Sequence[Stubborn]) -> None:
    """Fill the disk, and make room again. PostgreSQL gives up when it cannot write its log, and is
    started anew then, as its host would."""
    ballast = folder / "ballast"
    with suppress(OSError), ballast.open("wb") as file:
        while True:
            file.write(b"\0" * (1 << 20))
            file.flush()
    time.sleep(CUT)
    ballast.unlink()
    with suppress(AssertionError):
        postgres.start()
    wait_for_all(clients, 3)


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A disk of its own for PostgreSQL, if we may make one."""
    with tempfile.TemporaryDirectory() as name:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", name], capture_output=True
        )
        os.chmod(name, 0o755)
        try:
            yield Path(name) if made.returncode == 0 else None
        finally:
            if made.returncode == 0:
                subprocess.run(["umount", "-l", name], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--attack", type=float, default=30, help="seconds of each; 0: none")
    asked = parser.parse_args()
    programs = find_postgres()
    assert programs, "there is no PostgreSQL: make postgres"
    began = time.monotonic()
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk())
        postgres = Postgres(programs, fsync=True, within=disk)
        stack.callback(postgres.close)
        url = postgres.fresh()
        line = Line(postgres, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [Server(data, where, think=0) for where in (url, line.url(url))]
        for server in servers:
            stack.callback(server.kill)
            server.start()
        thinker = Thinker(servers[0])
        stack.callback(thinker.kill)
        with playing(servers, asked.clients, BOT) as clients:
            wait_for_all(clients, 1)
            kills(asked.kills, servers, thinker, clients)
            restarts(asked.restarts, postgres, clients)
            told.print("the line of one server is cut")
            cut(line, clients)
            if disk:
                told.print("the disk is full")
                full(disk, postgres, clients)
        counted = check(clients, Database(url))
        waited = max(client.longest for client in clients)
        held = not asked.attack or withstand_all(postgres, asked.attack)
    told.print(
        f"{asked.kills} kills, {asked.restarts} restarts of PostgreSQL, a cut line"
        f"{', a full disk' if disk else ''}; {asked.clients} programs, {counted} acknowledged "
        f"decisions: all there, none twice. The longest that one was without any answer: "
        f"{waited:.1f} s. It took {time.monotonic() - began:.0f} s."
    )
    sys.exit(not held)


if __name__ == "__main__":
    main()
