"""Connections: how many there may be, and how slow one may be."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from bottega.table.server import connections
from bottega.table.server.connections import (
    ADDRESS,
    OWN_FILES,
    Connection,
    Doors,
    Proxies,
    room_in,
    say_if_few,
)

NO_PROXY = Proxies("192.0.2.1")
ASK = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n"
LARGE = 30_000_000  # bytes, more than what a connection holds by itself
BRIEF, AGES = 0.3, 60.0  # seconds
Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers at once, or as much as is asked for, or only when it is hung up on."""
    body = b"x" * LARGE if scope["path"] == "/large" else b"yes"
    length = str(len(body)).encode()
    head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]}
    if scope["path"] == "/events":
        await receive()
        await send({**head, "headers": []})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await receive()
        return
    await send(head)
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def listening(doors: Doors) -> AsyncIterator[Connect]:
    """A server with these doors."""
    config = uvicorn.Config(app, http=partial(Connection, doors), ws="none", log_level="error")  # type: ignore[arg-type]
    config.load()
    state = ServerState()

    def come_in() -> Connection:
        return Connection(doors, config=config, server_state=state, app_state={})

    server = await asyncio.get_running_loop().create_server(come_in, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield partial(asyncio.open_connection, "127.0.0.1", port)


def doors(pace: float = 1.0, proxies: Proxies = NO_PROXY, files: float = 10_000) -> Doors:
    return Doors(pace, proxies, files)


async def ask(connect: Connect) -> bytes:
    """The first line of the answer on a connection of its own."""
    reader, writer = await connect()
    writer.write(ASK)
    line = await reader.readline()
    writer.close()
    return line.strip()


async def gone(reader: asyncio.StreamReader) -> bool:
    """Read on until the server hangs up."""
    try:
        async with asyncio.timeout(AGES):
            while await reader.read(65536):
                pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_an_address_has_so_many_doors() -> None:
    here, there = "203.0.113.5", "203.0.113.6"
    house = doors()
    assert all(house.enter(here) for _ in range(ADDRESS))
    assert not house.enter(here)
    assert house.enter(there)
    house.leave(here)
    assert house.enter(here)
    assert not house.enter(here)


def test_one_home_is_one_address() -> None:
    house = doors(0.01)
    assert [house.enter(f"2001:db8::{number}") for number in range(3)] == [True, True, False]


def test_behind_a_proxy_are_many() -> None:
    house = doors(proxies=Proxies("127.0.0.1"))
    assert all(house.enter("127.0.0.1") for _ in range(5 * ADDRESS))


def test_without_limits_there_are_as_many_as_files() -> None:
    house = doors(pace=0, files=1000)
    assert sum(house.enter("203.0.113.5") for _ in range(1000)) == 1000 - OWN_FILES
    assert room_in(300) == 150, "where there are few, half of them are for others"


def test_whoever_is_too_many_is_told_so_and_others_come_in_again() -> None:
    async def crowd() -> None:
        async with listening(doors(2 / ADDRESS)) as connect:
            held = [await connect() for _ in range(2)]
            for reader, writer in held:  # they are in
                writer.write(ASK)
                assert b"200" in await reader.readline()
            assert await ask(connect) == b"HTTP/1.1 429 Too Many Requests"
            for _, writer in held:
                writer.close()
            while await ask(connect) != b"HTTP/1.1 200 OK":
                await asyncio.sleep(0.01)

    asyncio.run(crowd())


@pytest.mark.parametrize(
    "begin",
    [b"", b"GET / HTTP/1.1\r\nhost: here\r\nx-slow: ", ASK, ASK + b"GET / HTTP/1.1\r\n"],
    ids=["silent", "head", "after an answer", "head after an answer"],
)
def test_who_does_not_ask_is_hung_up_on(begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often they send another byte."""
    monkeypatch.setattr(connections, "ASKING", BRIEF)

    async def dribble(writer: asyncio.StreamWriter) -> None:
        while begin and not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(BRIEF / 10)

    async def come() -> None:
        async with listening(doors()) as connect:
            reader, writer = await connect()
            writer.write(begin)
            dribbling = asyncio.create_task(dribble(writer))
            assert await gone(reader)
            dribbling.cancel()

    asyncio.run(come())


def test_who_does_not_take_the_answer_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "TAKING", BRIEF)
    house = doors()

    async def come() -> None:
        async with listening(house) as connect:
            _, writer = await connect()
            writer.write(ASK.replace(b"/ ", b"/large ", 1))
            async with asyncio.timeout(AGES):
                while not house._open:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(BRIEF / 2)
                writer.write(b"x")  # which changes nothing
                while house._open:  # the server has let go of it
                    await asyncio.sleep(0.01)
            writer.close()

    asyncio.run(come())


def test_who_listens_or_takes_what_comes_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "ASKING", BRIEF)

    async def come() -> None:
        async with listening(doors()) as connect:
            reader, writer = await connect()
            writer.write(ASK.replace(b"/ ", b"/events ", 1))
            assert b"200" in await reader.readline()
            await asyncio.sleep(3 * BRIEF)
            assert not writer.is_closing()
            assert not reader.at_eof()
            reader, writer = await connect()
            writer.write(ASK.replace(b"/ ", b"/large ", 1))
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(3 * BRIEF)  # slow, but not too slow
            assert len(await reader.readexactly(LARGE)) == LARGE

    asyncio.run(come())


def test_the_limit_of_files_is_raised_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    resource = pytest.importorskip("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    script = (
        "import resource; from bottega.table.server.connections import *; "
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (100, {hard})); raise_file_limit(); "
        "print(file_limit())"
    )
    told = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True)
    assert float(told.stdout) in (hard, max(100, connections.MOST), float("inf"))
    for files, words in ((1024, ["only 1024 files", "768 connections"]), (5000, [])):
        monkeypatch.setattr(connections, "file_limit", lambda files=files: files)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            say_if_few()
        assert [word in caplog.text for word in words] == [True] * len(words)
        assert bool(caplog.text) is bool(words)


def test_there_are_systems_without_such_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "resource", None)
    connections.raise_file_limit()
    assert connections.file_limit() == float("inf")
    say_if_few()
    assert doors(files=connections.file_limit()).enter("203.0.113.5")
