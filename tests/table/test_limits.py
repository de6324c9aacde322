"""How much a visitor may do, and an address, and all together; and how it is given back."""

from __future__ import annotations

import http.client
import json
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bottega.table.faults import TooFast, TooMany
from bottega.table.server import guard, limits
from bottega.table.server.connections import ADDRESS, ASKING, ENOUGH, OWN_FILES, TAKING
from bottega.table.server.guard import ARRIVAL
from bottega.table.server.limits import (
    ADVISING,
    ANSWERS,
    ASKED,
    LISTENING,
    OPENING,
    PLAYING,
    READING,
    REPLAYS,
    REVIEWING,
    SENT,
    SETTING_UP,
    STREAMS,
    TALKING,
    Buckets,
    Kind,
    Limits,
    Places,
    Rate,
    Room,
    kind_of,
)
from tests.docs.blocks import ROOT
from tests.table.conftest import QUICK
from tests.table.guests import Guest
from tests.table.servers import Server

ROOM = Room(2, 3, 5, "No room.")
SLOW = Kind(Rate(3, 2), Rate(5, 2), ROOM)
WIDE = Kind(Rate(100, 1), Rate(100, 1), ROOM)
EVERY_KIND = {READING, PLAYING, *ASKED.values(), *SENT.values()}


def test_what_is_rare_is_limited_more() -> None:
    assert kind_of("GET", "/t/x") is READING
    assert kind_of("GET", "/t/x/hint") is ADVISING
    for path in ("/t/x/events", "/api/v1/tables/x/events"):
        assert kind_of("GET", path) is LISTENING
    assert kind_of("POST", "/t/x/play") is PLAYING
    assert kind_of("POST", "/t/x/chat") is TALKING
    for path in ("/tables", "/t/x/fork", "/t/x/rematch", "/api/v1/tables"):
        assert kind_of("POST", path) is SETTING_UP
    assert kind_of("POST", "/open") is OPENING


def test_an_address_has_at_least_what_a_visitor_has() -> None:
    for kind in EVERY_KIND:
        assert kind.address.burst >= kind.visitor.burst
        assert kind.address.second >= kind.visitor.second
    for room in (ANSWERS, STREAMS):
        assert room.visitor < room.address < room.everybody


def test_they_are_documented() -> None:
    def said(rate: Rate) -> str:
        often = (
            f"{rate.second:g} a second" if rate.second >= 1 else f"{60 * rate.second:g} a minute"
        )
        return f"{rate.burst}, then {often}"

    kinds = {
        "pages and files": READING,
        "decisions": PLAYING,
        "lines of talk": TALKING,
        "hints": ADVISING,
        "tables set up": SETTING_UP,
        "notations opened": OPENING,
        "moments of replays": REVIEWING,
        "streams of events begun": LISTENING,
    }
    assert {*kinds.values()} == EVERY_KIND
    rows = [f"| {name} | {said(of.visitor)} | {said(of.address)} |" for name, of in kinds.items()]
    rooms = {"streams of events": STREAMS, "moments of replays": REPLAYS, "requests": ANSWERS}
    for name, room in rooms.items():
        rows.append(f"| {name} at the same time | {room.visitor} | {room.address} |")
    rows.append(f"| connections | | {ADDRESS} |")
    rows.append(f"comes\nfor {ASKING:.0f} seconds, or an answer is not taken for {TAKING:.0f};")
    rows.append(f"come as a whole after {ARRIVAL:.0f} seconds")
    rows.append(f"less than {ENOUGH}, and keeps {OWN_FILES} of them")
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert [row for row in rows if row not in page] == []


def test_buckets_empty_and_refill(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: now[0]))
    buckets = Buckets(1)
    rate = Rate(3, 2)
    assert [buckets.take("ada", rate) for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("bruno", rate) == 0
    assert buckets.take("ada", Rate(3, 2)) == 0, "of another kind, however alike"
    now[0] += 1
    assert [buckets.take("ada", rate) for _ in range(3)] == [0, 0, 0.5]


@pytest.mark.usefixtures("still")
def test_a_visitor_leaves_something_to_others_at_the_address() -> None:
    guarding = Limits(1)

    def come(visitor: str) -> None:
        with guarding.address("home", SLOW), guarding.visitor(visitor, SLOW):
            pass

    for _ in range(3):
        come("ada")
    with pytest.raises(TooFast, match=r"Try again in 1 second\."):
        come("ada")
    come("bruno")
    with pytest.raises(TooFast):
        come("carla")  # what the address may do is used up


@pytest.mark.parametrize(("pace", "most"), [(1.0, 3), (2.0, 6), (0.0, 50)])
def test_pace_multiplies_what_there_is_room_for(pace: float, most: int) -> None:
    places = Places(pace)
    with ExitStack() as held:
        for _ in range(most):
            held.enter_context(places.take("home", ROOM, ROOM.address))
        if pace:
            with pytest.raises(TooMany, match=r"No room\."):
                held.enter_context(places.take("home", ROOM, ROOM.address))
        held.enter_context(places.take("elsewhere", ROOM, ROOM.address))


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, GeneratorExit])
def test_a_place_is_given_back_whatever_happens(problem: type[BaseException]) -> None:
    guarding = Limits(1)
    for _ in range(10):
        with pytest.raises(problem), guarding.address("a", WIDE), guarding.visitor("x", WIDE):
            raise problem
    with guarding.address("a", WIDE), guarding.visitor("x", WIDE):
        pass


def test_all_addresses_together_have_so_much() -> None:
    guarding = Limits(1)
    with ExitStack() as held:
        for number in range(ROOM.everybody):
            held.enter_context(guarding.address(f"10.0.0.{number}", WIDE))
        for _ in range(3):  # who is refused takes no place
            with pytest.raises(TooMany):
                held.enter_context(guarding.address("10.0.1.1", WIDE))
    with guarding.address("10.0.1.1", WIDE):
        pass


def refuse(*_: Any) -> None:
    raise TooFast("That was a lot.")


@pytest.mark.usefixtures("still")
class TestAtAServer:
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {**QUICK, "pace": 1}

    @pytest.fixture(autouse=True)
    def calm(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(guard, "CALM", 0.0)

    def test_a_flood_of_talk_is_slowed_down(self, ada: Guest) -> None:
        url = ada.create(mode="friends", seat=0)
        answers = [ada.send(f"{url}/chat", text=f"Line {number}") for number in range(15)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 5
        assert "Try again" in refused[0].json()["error"]
        assert int(refused[0].headers["retry-after"]) >= 1
        assert len(ada.table(url).chat) == 15 - len(refused)

    def test_talk_of_one_leaves_words_to_another(self, ada: Guest, bruno: Guest) -> None:
        url = ada.create(mode="friends", seat=0)
        while ada.send(f"{url}/chat", text="I").status_code == 200:
            pass
        assert bruno.send(f"{url}/chat", text="And I").status_code == 200

    def test_a_refusal_comes_slowly(self, ada: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
        """So that nobody asks for a thousand of them."""
        ada.page("/")
        monkeypatch.setattr(guard, "CALM", 0.2)
        monkeypatch.setattr(Limits, "visitor", refuse)
        began = time.monotonic()
        assert ada.get("/").status_code == 429
        assert time.monotonic() > began + 0.2

    def test_notations_are_opened_slowly(self, ada: Guest) -> None:
        answers = [ada.send("/open", files={"file": ("x.txt", b"no")}) for _ in range(9)]
        assert answers[0].status_code == 400
        assert answers[-1].status_code == 429


def test_a_stream_counts_until_it_ends(tmp_path: Path) -> None:
    """Also if whoever listened is gone without a word."""
    most = 3
    quiet = {"pace": most / STREAMS.address, "proxies": "192.0.2.1"}
    server = Server(tmp_path, "", **quiet)
    server.start()
    try:
        made = server.ask("POST", "/tables", {"game": "splendor", "mode": "hotseat"})

        def listen() -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection(server.address, timeout=60)
            connection.request("GET", f"/api/v1/tables/{made['id']}/events")
            return connection.getresponse()

        streams = [listen() for _ in range(most)]
        assert [stream.status for stream in streams] == [200] * most
        refused = listen()
        assert refused.status == 429
        assert json.loads(refused.read())["error"] == STREAMS.sorry
        streams.pop().close()
        while (again := listen()).status != 200:
            time.sleep(float(again.headers["retry-after"]))
    finally:
        server.kill()
