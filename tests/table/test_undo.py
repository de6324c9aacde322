"""Taking back: free against bots until something hidden was shown, by consent among people."""

from __future__ import annotations

from bottega.table.playing.stored import resumed
from tests.table.guests import Guest, facts, finish


def friends(ada: Guest, bruno: Guest, **fields: str) -> str:
    url = ada.create(mode="friends", seat=0, name="Ada", **fields)
    bruno.get(ada.link(url, 1))
    bruno.must(f"{url}/name", name="Bruno")
    return url


def stored(guest: Guest, url: str) -> list[tuple[int, str]]:
    loaded = guest.run(guest.tables.store.load, url.split("/")[2])
    assert loaded is not None
    assert resumed(loaded).state() == guest.match(url).state(), "records go with their moves"
    return [(move.seat, move.action) for move in loaded.moves]


def test_one_screen_takes_back_freely_while_nothing_was_shown(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    ada.take(url)
    assert "/undo" in ada.page(url)
    ada.must(f"{url}/undo")
    assert ada.match(url).moves == ()
    assert stored(ada, url) == []
    assert 'data-seat="0"' in ada.page(url), "who took back still has the device"


def test_against_bots_not_after_a_card_was_turned(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    assert ada.choose(url, "reserve-1a").status_code == 200
    before = facts(ada.table(url))
    answer = ada.send(f"{url}/undo")
    assert answer.status_code == 409
    assert "cannot be unseen" in answer.json()["error"]
    assert facts(ada.table(url)) == before
    assert f'action="{url}/undo"' not in ada.page(url)


def test_people_are_asked_and_may_refuse(ada: Guest, bruno: Guest, carla: Guest) -> None:
    url = friends(ada, bruno)
    ada.take(url)
    bruno.take(url)
    ada.must(f"{url}/undo")
    assert len(ada.match(url).moves) == 2, "nothing happens before the others agree"
    assert "Ada would like to take back" in bruno.page(url)
    assert carla.send(f"{url}/undo/answer", answer="yes").status_code == 403
    ada.must(f"{url}/undo/answer", answer="yes")
    assert len(ada.match(url).moves) == 2, "who asks cannot agree for the others"
    bruno.must(f"{url}/undo/answer", answer="no")
    assert ada.table(url).manners.request is None
    assert len(ada.match(url).moves) == 2


def test_people_who_agree_take_back_even_what_was_shown(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    assert ada.choose(url, "reserve-1a").status_code == 200
    bruno.take(url)
    ada.must(f"{url}/undo")
    assert bruno.send(f"{url}/undo").status_code == 409, "one question at a time"
    bruno.must(f"{url}/undo/answer", answer="yes")
    assert ada.match(url).moves == ()
    assert stored(ada, url) == []
    assert ada.table(url).manners.request is None


def test_a_decision_ends_the_question(ada: Guest, bruno: Guest) -> None:
    url = friends(ada, bruno)
    ada.take(url)
    ada.must(f"{url}/undo")
    bruno.take(url)
    assert ada.table(url).manners.request is None


def unpaid(ada: Guest, bruno: Guest) -> str:
    """A table where the seat on turn has chosen a card and is about to pay."""
    for _ in range(10):
        url = friends(ada, bruno, **{"option.payment": "choice"})
        if choice_of_payment(url, [ada, bruno]):
            return url
    raise AssertionError("nobody ever had a choice of payment")


def choice_of_payment(url: str, guests: list[Guest]) -> bool:
    """Play until somebody may pay in several ways; a game of another deal may end before that."""
    while not (match := guests[0].match(url)).over:
        seat = match.waiting[0]
        keys = [action.key for action in match.legal(seat)]
        reserve = [key for key in keys if key.startswith("reserve")]
        buy = [key for key in keys if key.startswith("buy")]
        for key in buy:
            trial = match.copy()
            trial.play(seat, key)
            if any(action.key == "settle" for action in trial.legal(seat)):
                assert guests[seat].choose(url, key).status_code == 200
                return True
        gold = match.view(seat)["players"][seat]["tokens"]["gold"]
        key = (reserve if reserve and not gold else buy or keys)[-1]
        assert guests[seat].choose(url, key).status_code == 200
    return False


def test_an_unconfirmed_step_is_taken_back_without_asking(ada: Guest, bruno: Guest) -> None:
    url = unpaid(ada, bruno)
    before = ada.match(url)
    guest = [ada, bruno][before.waiting[0]]
    other = [bruno, ada][before.waiting[0]]
    seen = other.page(f"{url}/board")
    guest.must(f"{url}/undo")
    assert len(ada.match(url).moves) == len(before.moves) - 1
    assert ada.table(url).manners.request is None
    assert other.page(f"{url}/board") == seen, "private steps come and go unseen"
    assert stored(ada, url) == [(move.seat, move.key) for move in ada.match(url).moves]


def test_nothing_is_taken_back_once_the_seed_is_known(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    finish(ada, url)
    before = ada.match(url).moves
    assert ada.send(f"{url}/undo").status_code in (403, 409)
    assert ada.match(url).moves == before


def test_an_own_seal_is_taken_back_freely_and_alone(ada: Guest, bruno: Guest, carla: Guest) -> None:
    """Where all decide together, nobody is asked before the reveal, and what others have sealed
    since stays; a granted undo deleted it."""
    url = ada.create(game="renaissance-man", mode="friends", players=3, seat=0, name="Ada")
    people = [ada, bruno, carla]
    for seat, guest in enumerate(people[1:], start=1):
        guest.get(ada.link(url, seat))
    row = ["set-merchant", "set-scholar", "set-baker", "set-knight", "confirm"]
    for seat in (0, 1):
        for key in row:
            assert people[seat].choose(url, key).status_code == 200
    seen = bruno.page(f"{url}/board")
    ada.must(f"{url}/undo")
    assert ada.table(url).manners.request is None, "nobody is asked"
    match = ada.match(url)
    assert sorted(match.waiting) == [0, 2]
    assert [move.key for move in match.moves if move.seat == 1] == row
    assert stored(ada, url) == [(move.seat, move.key) for move in match.moves]
    assert bruno.page(f"{url}/board") != seen, "that Ada owes a decision again is open"
    assert ada.choose(url, "confirm").status_code == 200
    for key in row:
        assert carla.choose(url, key).status_code == 200
    ada.must(f"{url}/undo")
    assert ada.table(url).manners.request is not None, "after the reveal the others are asked"


def test_after_an_exchange_at_the_market_a_bot_takes_nothing_back(ada: Guest) -> None:
    """The card that was given lay hidden in a hand; everybody has seen it now."""
    url = ada.create(game="artificium", mode="bots", players=2, bot="random", seat=0)
    key = next(a.key for a in ada.match(url).legal(0) if a.key.startswith("exchange"))
    assert ada.choose(url, key).status_code == 200
    assert f'action="{url}/undo"' not in ada.page(url)
    answer = ada.send(f"{url}/undo")
    assert answer.status_code == 409
    assert "cannot be unseen" in answer.json()["error"]
