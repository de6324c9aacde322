"""Who sits where, by which right, and what they see of it."""

from __future__ import annotations

from typing import Any

import pytest

from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot
from bottega.engine.errors import BadOption, UnknownName
from bottega.table.database.rows import BOT, OPEN, PERSON
from bottega.table.playing import levels
from bottega.table.playing.seating import Wish, arrange, clean_name, free_name
from tests.table.conftest import Welcome
from tests.table.guests import Guest, facts, finish


@pytest.mark.parametrize(
    ("wish", "kinds", "held"),
    [
        ({"mode": "bots", "players": 3, "seat": 1}, [BOT, PERSON, BOT], [1]),
        ({"mode": "watch", "players": 2}, [BOT, BOT], []),
        ({"mode": "friends", "players": 3, "seat": 2}, [OPEN, OPEN, PERSON], [2]),
        ({"mode": "friends", "players": 3, "seat": 0, "bot_seats": 1}, [PERSON, OPEN, BOT], [0]),
        (
            {"mode": "hotseat", "players": 3, "seat": 0, "bot_seats": 1},
            [PERSON, PERSON, BOT],
            [0, 1],
        ),
    ],
)
def test_each_mode_seats_people_friends_and_bots(
    wish: dict[str, Any], kinds: list[str], held: list[int]
) -> None:
    seating = arrange(Wish(**wish))
    assert [seat.kind for seat in seating.seats] == kinds
    assert seating.held == held
    assert len(set(seating.names)) == wish["players"]


def test_s2_the_host_sits_at_random_unless_chosen() -> None:
    assert {arrange(Wish(players=4)).held[0] for _ in range(200)} == {0, 1, 2, 3}
    assert {arrange(Wish(players=4, seat=3)).held[0] for _ in range(20)} == {3}


@pytest.mark.parametrize(
    "wish",
    [
        {"mode": "party"},
        {"invite": "drums"},
        {"seat": 2},
        {"seat": -1},
        {"mode": "friends", "bot_seats": 2},
        {"mode": "hotseat", "bot_seats": -1},
    ],
)
def test_a_wish_that_does_not_fit_is_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        arrange(Wish(**wish))


def test_an_unknown_bot_is_refused() -> None:
    with pytest.raises(UnknownName, match="there is random, search-1"):
        arrange(Wish(bots=["deep"]))


def test_bots_may_differ_and_the_last_is_repeated() -> None:
    seats = arrange(Wish(players=4, seat=0, bots=["random", "search-2"])).seats
    assert [seat.bot for seat in seats] == [None, "random", "search-2", "search-2"]


def test_programs_may_name_the_bots_of_the_package() -> None:
    seats = arrange(Wish(players=4, seat=0, bots=["casual", "greedy", "search"])).seats
    assert [seat.bot for seat in seats] == [None, "search-1", "greedy", "search-5"]
    assert isinstance(levels.player("greedy", 1), GreedyBot)
    assert "greedy" not in [level.name for level in levels.offered("splendor")]


def test_any_level_can_be_asked_to_answer_at_once(ada: Guest) -> None:
    url = ada.create(bot="search-5", blitz="on")
    assert [seat.bot for seat in ada.table(url).seats] == [None, "search-5-blitz"]
    assert "Maestro" in ada.page(url)
    bot = levels.player("search-5-blitz", 1)
    assert isinstance(bot, SearchBot)
    assert (bot.level, bot.seconds) == (5, 0.25)
    assert levels.player("random-blitz", 1).name == "random"
    with pytest.raises(UnknownName):
        levels.level("deep-blitz")


def test_names_are_printable_short_and_different() -> None:
    assert clean_name("  Ada\n\u202eLovelace\x00 ") == "Ada Lovelace"
    assert len(clean_name("x" * 500)) == 40
    assert free_name("Ada", ["Ada", "Ada 2"]) == "Ada 3"
    assert free_name("", []) == "Guest"
    assert len(free_name("x" * 40, ["x" * 40])) == 40


def test_a_seat_is_held_by_the_cookie_and_by_its_link(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", seat=0, name="Ada")
    assert 'data-seat="0"' in ada.page(url)
    assert 'data-seat=""' in bruno.page(url)
    answer = bruno.get(ada.link(url, 1), follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == url
    assert 'data-seat="1"' in bruno.page(url)


def test_a_wrong_token_opens_nothing(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends")
    before = facts(ada.table(url))
    link = ada.link(url, 1)
    other = ada.link(ada.create(mode="friends"), 1).split("=")[1]
    for token in ("", "x", link.split("=")[1][:-1], other, "é\x00"):
        assert bruno.get(url, params={"seat": token}).status_code == 403
    assert facts(ada.table(url)) == before


@pytest.mark.parametrize(
    "pasted", ["{token}", "http://here{url}/seat#{token}", " {url}?seat={token} "]
)
def test_a_link_is_sent_as_a_form_whole_or_its_last_part(
    ada: Guest, bruno: Guest, pasted: str
) -> None:
    url = ada.create(mode="friends", seat=0)
    assert f'action="{url}/seat"' in bruno.page(f"{url}/seat")
    said = bruno.must(f"{url}/seat", link=pasted.format(url=url, token=ada.token(url, 1)))
    assert said["url"] == url
    assert 'data-seat="1"' in bruno.page(url)


def test_a_wrong_link_sent_as_a_form_opens_nothing(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", seat=0)
    before = facts(ada.table(url))
    for link in ("", f"{url}/seat", f"{url}/seat#x", ada.token(url, 1)[:-1]):
        refused = bruno.send(f"{url}/seat", link=link)
        assert refused.status_code == 403
        assert "opens no seat" in refused.json()["error"]
    assert facts(ada.table(url)) == before


def test_a_token_is_what_it_was_until_its_link_is_made_anew(ada: Guest) -> None:
    url = ada.create(mode="friends", seat=0)
    sign = ada.tables.secret.sign
    assert ada.token(url, 1) == sign("seat", url.split("/")[2], 1), "old links go on working"
    ada.must(f"{url}/link", seat=1)
    assert ada.token(url, 1) == sign("seat", url.split("/")[2], 1, 1)


def test_a_new_link_makes_the_old_one_useless_and_other_browsers_leave(
    ada: Guest, bruno: Guest, carla: Guest
) -> None:
    url = ada.create(mode="friends", seat=0, name="Ada")
    old = bruno.token(url, 1)
    for guest in (bruno, carla):  # a leaked link: two browsers in one seat
        guest.must(f"{url}/seat", link=old)
    carla.must(f"{url}/link", seat=1)
    assert 'data-seat="1"' in carla.page(url), "who made it goes on"
    assert carla.token(url, 1) in carla.page(url)
    assert 'data-seat=""' in bruno.page(url)
    assert url not in bruno.page("/")
    assert bruno.send(f"{url}/seat", link=old).status_code == 403
    assert bruno.get(url, params={"seat": old}).status_code == 403
    assert bruno.send(f"{url}/link", seat=1).status_code == 403
    key = {"authorization": f"Bearer {old}"}
    assert bruno.get(f"/api/v1/tables{url[2:]}/view", headers=key).status_code == 401
    bruno.must(f"{url}/seat", link=carla.token(url, 1))
    assert 'data-seat="1"' in bruno.page(url)


def test_the_host_makes_new_links_to_open_seats_alone(
    ada: Guest, bruno: Guest, carla: Guest
) -> None:
    url = ada.create(mode="friends", players=3, seat=0)
    old = ada.token(url, 1)
    bruno.must(f"{url}/seat", link=old)  # has looked, and not sat down
    ada.must(f"{url}/link", seat=1)
    assert 'data-seat=""' in bruno.page(url)
    carla.must(f"{url}/seat", link=ada.token(url, 1))
    carla.must(f"{url}/chat", text="Here I am")
    before = facts(ada.table(url))
    for guest, seat in ((ada, 1), (bruno, 2), (ada, 7), (ada, -1), (carla, 0)):
        assert guest.send(f"{url}/link", seat=seat).status_code == 403
    assert ada.send(f"{url}/link").status_code == 400
    assert facts(ada.table(url)) == before
    assert ada.table(url).seats[1].links == 1, "it is still known after somebody has sat down"
    ada.must(f"{url}/link", seat=0)
    assert 'data-seat="0"' in ada.page(url)


def test_a_bots_seat_cannot_be_taken(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="bots", seat=0)
    bruno.get(ada.link(url, 1))
    assert 'data-seat=""' in bruno.page(url)


def test_the_host_sees_the_links_of_seats_that_are_still_open(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends", players=3, seat=0)
    one, two = (f"{url}/seat#{ada.token(url, seat)}" for seat in (1, 2))
    assert one in ada.page(url)
    assert two in ada.page(url)
    bruno.get(ada.link(url, 1))
    assert one in ada.page(url), "who only looked has not come yet"
    bruno.must(f"{url}/chat", text="Here I am")
    assert one not in ada.page(url)
    assert two in ada.page(url)
    assert one in bruno.page(url), "the own one, for another device"
    assert two not in bruno.page(url)


def test_one_link_seats_people_as_they_come(ada: Guest, bruno: Guest, carla: Guest) -> None:
    url = ada.create(mode="friends", invite="one-link", players=2, seat=1, name="Ada")
    assert f'action="{url}/join"' in bruno.page(url)
    bruno.must(f"{url}/join", name="Ada")
    assert ada.match(url).names == ("Ada 2", "Ada")
    assert 'data-seat="0"' in bruno.page(url)
    bruno.must(f"{url}/join", name="Again")
    assert ada.match(url).names == ("Ada 2", "Ada")
    refused = carla.send(f"{url}/join", name="Carla")
    assert refused.status_code == 409
    assert "taken" in refused.json()["error"]
    assert 'data-seat=""' in carla.page(url)


def test_seat_links_cannot_be_joined(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="friends")
    assert bruno.send(f"{url}/join").status_code == 403


def test_a_name_is_remembered_and_changes_the_log(ada: Guest) -> None:
    url = ada.create(mode="hotseat", names=["Ada", "Bruno"])
    ada.must(f"{url}/ready")
    ada.take(url)
    ada.must(f"{url}/name", name="<b>Zoë</b>", seat=0)
    page = ada.page(url)
    assert "&lt;b&gt;Zoë&lt;/b&gt; takes" in page
    assert "<b>Zoë" not in page
    assert ada.send(f"{url}/name", name=" ", seat=0).status_code == 409
    assert ada.send(f"{url}/name", name="x", seat=7).status_code == 403


def test_the_hot_seat_hides_the_hands_until_the_device_is_passed(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0, names=["Ada", "Bruno"])
    assert "Pass the device to Ada" in ada.page(url)
    refused = ada.choose(url, "take-white-blue-green")
    assert (refused.status_code, refused.json()["error"]) == (409, "Pass the device to Ada first.")
    ada.must(f"{url}/ready")
    assert 'data-seat="0"' in ada.page(url)
    ada.take(url)
    page = ada.page(url)
    assert "Pass the device to Bruno" in page
    assert 'data-seat=""' in page
    assert ada.send(f"{url}/ready").status_code == 200
    assert ada.send(f"{url}/ready").status_code == 409
    assert 'data-seat="1"' in ada.page(url)


def test_two_seats_in_one_browser_are_a_hot_seat(ada: Guest) -> None:
    url = ada.create(mode="friends", seat=0)
    ada.get(ada.link(url, 1))
    assert "Pass the device to" in ada.page(url)


def test_bots_play_among_themselves_for_a_spectator(ada: Guest) -> None:
    url = ada.create(mode="watch", players=3)
    assert 'data-seat=""' in ada.page(url)
    assert all(seat.kind == BOT for seat in ada.table(url).seats)
    assert ada.choose(url, "pass").status_code == 403


def test_the_home_page_remembers_the_tables(ada: Guest, bruno: Guest, welcome: Welcome) -> None:
    url = ada.create(mode="friends", seat=0, name="Ada")
    bruno.get(ada.link(url, 1))
    assert url in ada.page("/")
    assert url in bruno.page("/")
    assert url not in welcome().page("/")
    finish(ada, url)
    assert ada.run(ada.tables.store.of_visitor, ada.table(url).entry.host)[0][0].over
    assert url in ada.page("/")
