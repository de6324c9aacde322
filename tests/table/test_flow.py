"""The flow of play: what asks first, what everybody did, watching, looking back, who refused."""

from __future__ import annotations

import re
import time

import pytest

import bottega
from bottega.table.database.rows import BOT
from bottega.table.playing import shown
from bottega.table.web import pages
from tests.table.guests import Guest, finish
from tests.table.test_live import wait_for


def at_the_same_time(ada: Guest, *others: Guest, game: str = "artificium") -> str:
    """A table of friends where all choose a card together."""
    players = 1 + len(others)
    url = ada.create(game=game, mode="friends", players=players, seat=0, name="Ada")
    for seat, guest in enumerate(others, start=1):
        guest.get(ada.link(url, seat))
    people = [ada, *others]
    while ada.match(url).view()["phase"] == "market":
        seat = ada.match(url).waiting[0]
        assert people[seat].choose(url, "pass").status_code == 200
    return url


def first_card(guest: Guest, url: str, seat: int) -> str:
    return next(a.key for a in guest.match(url).legal(seat) if a.key.startswith("play"))


# What asks first


def test_passing_is_quiet_and_asks_when_it_gives_something_away(ada: Guest) -> None:
    """It was the loudest button and decided at one click."""
    url = ada.create(game="artificium", mode="bots", players=2, bot="random", seat=0)
    passing = re.search(r'<button [^>]*value="pass"[^>]*>', ada.page(url))
    assert passing
    assert "data-soft" in passing[0]
    assert 'data-caution="You have not used your free exchange."' in passing[0]


def test_a_pass_that_is_all_one_can_do_is_a_button_like_others() -> None:
    game = bottega.game("renaissance-man")
    match = game.new(2, seed=1)
    quiet = [c for c in shown.choices(match, 0) if c["quiet"] or c["caution"]]
    assert quiet == [], "nothing is passed while the Foundation is set"
    for seed in range(40):
        match = bottega.game("splendor").new(2, seed=seed)
        while (
            not match.over and match.game.keys[match.legal_numbers(match.waiting[0])[0]] != "pass"
        ):
            match.play(match.waiting[0], match.legal_numbers(match.waiting[0])[-1])
        if not match.over:
            (only,) = shown.choices(match, match.waiting[0])
            assert (only["key"], only["quiet"], only["caution"]) == ("pass", False, "")
            return
    raise AssertionError("nobody ever had to pass")


# What everybody did


def test_everybody_sees_what_each_did_also_who_decided_last(
    ada: Guest, bruno: Guest, carla: Guest
) -> None:
    people = [ada, bruno, carla]
    url = at_the_same_time(*people)
    cards = [first_card(ada, url, seat) for seat in range(3)]
    for seat in (2, 0):
        assert people[seat].choose(url, cards[seat]).status_code == 200
        assert "What everybody did" not in people[seat].page(url), "it is sealed"
    assert bruno.choose(url, cards[1]).status_code == 200
    for guest in (*people, Guest(ada.client)):
        panel = re.search(r'id="reveal".*?</section>', guest.page(url), re.DOTALL)
        assert panel
        seats = re.findall(r'<li class="seat-(\d)">', panel[0])
        assert seats == ["0", "1", "2"], "each line bears the sign of who acted"
    seat = ada.match(url).waiting[0]
    assert people[seat].choose(url, "discard").status_code == 200
    shown = "What everybody did" in people[seat].page(url)
    assert not shown, "it goes once one has gone on"


# Watching bots


def paces(guest: Guest, url: str) -> tuple[bool, float]:
    manners = guest.table(url).manners
    return manners.pace == "pause", manners.speed


def test_bots_are_watched_at_a_chosen_pace(ada: Guest, bruno: Guest) -> None:
    url = ada.create(mode="watch", game="renaissance-man", players=2, bot="random")
    ada.must(f"{url}/pace", do="pause")
    time.sleep(0.3)  # what was under way when it was paused
    before = len(ada.match(url).moves)
    time.sleep(0.5)
    assert len(ada.match(url).moves) == before, "nothing happens"
    assert "Go on" in ada.page(url)
    assert "Paused" in bruno.page(url), "who only looks on is told"
    ada.must(f"{url}/pace", do="step")
    wait_for(lambda: len(ada.match(url).moves) == before + 1, 20)
    time.sleep(0.5)
    assert len(ada.match(url).moves) == before + 1, "one step, then it waits again"
    ada.must(f"{url}/pace", speed="4.0")
    assert paces(ada, url) == (False, 4.0)
    wait_for(lambda: len(ada.match(url).moves) > before + 5, 20)
    assert bruno.send(f"{url}/pace", do="pause").status_code == 403
    assert ada.send(f"{url}/pace", speed="3.5").status_code == 409
    assert ada.send(f"{url}/pace", speed="fast").status_code == 400


def test_a_table_with_people_has_no_pace(ada: Guest) -> None:
    url = ada.create(mode="bots")
    assert "data-pace" not in ada.page(url)
    assert ada.send(f"{url}/pace", do="pause").status_code == 403


# Looking back


def test_a_line_of_the_log_leads_to_its_moment_while_the_game_runs(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    boards = []
    for _ in range(3):
        ada.must(f"{url}/ready")
        ada.take(url)
        boards.append(ada.match(url).view())
    page = ada.page(url)
    for number, view in enumerate(boards, start=1):
        assert f'href="{url}/replay?at={number}"' in page
        moment = ada.page(f"{url}/replay?at={number}")
        assert f'data-at="{number}"' in moment
        white = re.search(r'data-flow="white" data-zone="bank" data-count="(\d)"', moment)
        assert white
        assert int(white[1]) == view["bank"]["white"]
        assert "Back to now" in moment
        for secret in ("/notation", "/fork", str(ada.match(url).seed)):
            assert secret not in moment


def test_looking_back_shows_no_more_than_was_seen(ada: Guest, bruno: Guest) -> None:
    """Nor how many private steps others have taken since."""
    url = ada.create(game="renaissance-man", mode="friends", players=2, seat=0, name="Ada")
    bruno.get(ada.link(url, 1))
    first = bruno.page(f"{url}/replay")
    for key in ("set-merchant", "set-scholar", "set-baker", "set-knight"):
        assert ada.choose(url, key).status_code == 200
        assert bruno.page(f"{url}/replay") == first
    asked = bruno.page(f"{url}/replay?by=0")
    assert 'data-seat="0"' not in asked
    assert asked == first, "nobody looks through another's eyes before the end"
    assert ada.match(url).moves


# Who refused


def test_an_undo_that_is_refused_says_who_refused(ada: Guest, bruno: Guest, carla: Guest) -> None:
    url = ada.create(mode="friends", players=3, seat=0, name="Ada")
    for seat, guest in enumerate((bruno, carla), start=1):
        guest.get(ada.link(url, seat))
    bruno.must(f"{url}/name", name="Bruno")
    ada.take(url)
    ada.must(f"{url}/undo")
    bruno.must(f"{url}/undo/answer", answer="no")
    assert "Bruno would rather not have it taken back." in ada.page(url)
    for guest in (bruno, carla):
        assert "would rather not" not in guest.page(url)
    ada.must(f"{url}/undo")
    assert "would rather not" not in ada.page(url), "a new question"
    ada.must(f"{url}/undo/answer", answer="no")
    assert "would rather not" not in ada.page(url), "nobody refuses oneself"


# The home page


def test_names_on_one_screen_are_everybodys(ada: Guest) -> None:
    """The host's name was lost once others were named."""
    url = ada.create(mode="hotseat", players=3, seat=0, name="Ada", names=["Bruno", "", ""])
    assert ada.match(url).names == ("Ada", "Bruno", "Guest")


def test_bots_are_called_by_a_first_name_with_their_level_beside_it(ada: Guest) -> None:
    url = ada.create(mode="bots", players=3, bot="search-3")
    table = ada.table(url)
    names = [
        name for name, seat in zip(table.match.names, table.seats, strict=True) if seat.kind == BOT
    ]
    assert all(" " not in name for name in names)
    assert ada.page(url).count(">Artisan</span>") >= 2


def test_tables_that_wait_for_you_stand_first(ada: Guest) -> None:
    over = ada.create(mode="hotseat", seat=0)
    finish(ada, over)
    mine = ada.create(mode="bots", bot="random", seat=0)
    others = ada.create(mode="watch", bot="random", game="renaissance-man")
    ada.must(f"{others}/pace", do="pause")
    page = ada.page("/")
    assert page.index("Your tables") < page.index('class="games"')
    order = re.findall(r'<a href="(/t/[^"]+)"><b>', page)
    assert order == [mine, others, over]
    assert "just now" in page
    assert "after 0 turns" in page


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(5, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (90_000, "1 day ago")],
)
def test_how_long_ago(seconds: float, said: str) -> None:
    assert pages.ago(seconds) == said


def test_options_for_one_player_are_not_offered_to_two(ada: Guest) -> None:
    page = ada.page("/")
    for option in ("easier", "tougher"):
        label = re.search(rf'<label([^>]*)>[^<]*<input type="number" name="option.{option}"', page)
        assert label
        assert 'class="for-alone"' in label[1]
