"""The process that answers: it listens, says when it does, and lets everybody go before it ends."""

from __future__ import annotations

import asyncio
import socket
import threading
import webbrowser
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

GRACE = 3  # seconds for answers that have begun
PARTING = 0.2  # seconds for those who have just come in to say what they want


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


def address(host: str, port: int) -> str:
    """What a browser on this machine opens."""
    return f"http://{'localhost' if host in ('0.0.0.0', '127.0.0.1', '::') else host}:{port}/"


def open_in_browser(page: str) -> None:
    threading.Thread(target=webbrowser.open, args=[page], daemon=True).start()


class Server(uvicorn.Server):
    """Says when it listens, and ends so that nobody who came in is left without an answer."""

    def __init__(
        self,
        config: uvicorn.Config,
        begun: Callable[[], None],
        hang_up: Callable[[], None] = lambda: None,
        shared: bool = False,
    ) -> None:
        super().__init__(config)
        self._begun = begun
        self._hang_up = hang_up  # ends what would else last for ever
        self._shared = shared  # whether others listen at the same socket

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._begun()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        asyncio.get_running_loop().call_soon_threadsafe(self._hang_up)
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: Any = None) -> None:
        """Whoever comes from now on is for another process, or is refused at once, so that a proxy
        asks another server; whoever is here already is answered, and told not to use this
        connection again."""
        loop = asyncio.get_running_loop()
        for server in self.servers:
            if self._shared:
                for listening in server.sockets:
                    loop.remove_reader(listening)
            else:
                server.close()
        self.server_state.default_headers.append((b"connection", b"close"))
        await asyncio.sleep(PARTING)
        await super().shutdown(sockets)
