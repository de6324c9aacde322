"""A house as compose.yaml has it: the proxy that we ship, before two servers on PostgreSQL."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres import Postgres
from tests.table.databases import Database
from tests.table.proxy import NGINX, configuration, proxy, understood
from tests.table.servers import Server, several
from tests.table.stubborn import check, playing, wait_for_all

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not here")


def test_nginx_has_nothing_against_our_configuration(tmp_path: Path) -> None:
    assert understood(configuration(tmp_path, 8080, "127.0.0.1:8001", "127.0.0.1:8002")) == ""


def ask(server: Server, path: str, **headers: str) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection(server.address, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    said = answer.read().decode(errors="replace")
    connection.close()
    return answer, said


@contextmanager
def listening(server: Server, table: str) -> Iterator[Iterator[int]]:
    """The numbers of a table's events, as they come."""
    connection = http.client.HTTPConnection(server.address, timeout=60)
    connection.request("GET", f"/api/v1/tables/{table}/events")
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    assert answer.getheader("content-encoding") is None
    lines = iter(answer.readline, b"")
    yield (int(line.split(b":")[1]) for line in lines if line.startswith(b"id:"))
    connection.close()


def test_people_play_through_the_proxy_whichever_server_is_there(
    postgres: Postgres, pattern: str, tmp_path: Path
) -> None:
    url = postgres.fresh(like=pattern)
    data, folder = tmp_path / "data", tmp_path / "nginx"
    folder.mkdir()
    with several(2, data, url, metrics="open") as servers, proxy(folder, servers) as front:
        made = front.ask("POST", "/tables", {"game": "splendor", "players": 2, "mode": "hotseat"})
        path, token = f"/tables/{made['id']}", made["seats"][0]["token"]
        with listening(front, made["id"]) as numbers:  # nothing keeps them back until the end
            legal = front.ask("GET", f"{path}/legal", token=token)
            wish = {"action": legal["actions"][0]["key"], "seq": legal["seq"]}
            front.ask("POST", f"{path}/play", wish, token)
            seen = front.ask("GET", f"{path}/view")["seq"]
            assert seen in numbers

        answer, _ = ask(front, f"/t/{made['id']}?seat={token}", **{"accept-encoding": "gzip"})
        assert answer.status in (200, 303)
        assert ask(front, "/healthz")[0].status == 200
        assert [ask(front, path)[0].status for path in ("/metrics", "/readyz")] == [404, 404]
        assert token not in (folder / "access.log").read_text()

        with playing([front], 3, "greedy") as clients:
            wait_for_all(clients, 2)
            servers[0].stop()
            wait_for_all(clients, 2)
            assert not any(client.turned_away for client in clients), "the other one is asked"
        assert check(clients, Database(url)) > 0
        assert not (folder / "error.log").read_text(), "addresses with tokens would stand there"
    postgres.drop(url)
