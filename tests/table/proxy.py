"""The proxy that we ship, in front of servers of the tests."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.table.servers import Server

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
WHOLE = """
daemon off; pid {folder}/pid; worker_processes 1; error_log {folder}/error.log;
events {{}}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    {ours}
}}
"""


def configuration(folder: Path, port: int, *addresses: str) -> Path:
    """What we ship, with nothing but its addresses changed."""
    ours = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    changes = {"listen 80;": f"listen 127.0.0.1:{port};", "/var/log/nginx": str(folder)}
    changes |= dict(zip(("172.28.5.11:8000", "172.28.5.12:8000"), addresses, strict=True))
    for there, here in changes.items():
        assert there in ours
        ours = ours.replace(there, here)
    file = folder / "nginx.conf"
    file.write_text(WHOLE.format(folder=folder, ours=ours))
    return file


def understood(file: Path) -> str:
    """What nginx has against a configuration."""
    assert NGINX is not None
    command = [NGINX, "-t", "-q", "-p", str(file.parent), "-c", str(file)]
    return subprocess.run(command, capture_output=True, text=True).stderr


@contextmanager
def proxy(folder: Path, servers: Sequence[Server]) -> Iterator[Server]:
    """A proxy before two servers, to be asked like one of them."""
    assert NGINX is not None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = configuration(folder, port, *(server.address for server in servers))
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(file)])
    asked = Server(folder, "")
    asked.address = f"127.0.0.1:{port}"
    try:
        until = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < until, (folder / "error.log").read_text()
            time.sleep(0.05)
        yield asked
    finally:
        process.terminate()
        process.wait(30)
