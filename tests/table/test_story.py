"""The log, kept from move to move and sent as far as it is new, is the log as if told anew."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import bottega
from bottega.engine.errors import CannotUndo
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.table.playing import shown
from bottega.table.playing.story import Story
from bottega.table.web.pages import LATEST
from tests.table.guests import Guest
from tests.table.test_undo import friends

GAMES = [bottega.game(name) for name in bottega.games()]
MOVES = 60

Lines = dict[int, tuple[str, str, bool]]  # by place: whose, the text, and whether it is news


def compare(story: Story, match: Match) -> None:
    """As if everything were told anew."""
    fresh = Story(story.seat, match)
    assert story.after(0) == match.log(story.seat)
    assert (story.token, story.mark) == (fresh.token, fresh.mark)
    assert (story.own, story.known) == (fresh.own, fresh.known)
    assert story.revealed == fresh.revealed
    if story.seat is not None:
        own = [at for at, move in enumerate(match.moves, 1) if move.seat == story.seat]
        told = match.told(story.seat)[: own[-1] if own else 0]
        assert story.known == sum(map(len, told))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_story_that_goes_on_is_the_one_told_anew(game: Game) -> None:
    """Whatever is played, taken back and renamed."""
    chance = random.Random(3)
    match = game.new(game.seats[1], seed=3)
    stories = [Story(seat, match) for seat in [None, *range(match.players)]]
    pages: dict[int | None, tuple[str, list[dict[str, Any]]]] = {}
    undone = kept_some = 0
    for number in range(MOVES):
        if match.over:
            break
        match = match.copy()
        seat = chance.choice(match.waiting)
        match.play(seat, chance.choice(match.legal_numbers(seat)))
        if number % 7 == 6:
            match = match.copy()
            try:
                match.undo(chance.randrange(match.players), force=True)
                undone += 1
            except CannotUndo:
                pass
        if number == MOVES // 2:
            match = match.copy()
            match.rename([f"Somebody {seat}" for seat in range(match.players)])
        for story in stories:
            if chance.random() < 0.3:
                continue  # nobody looked
            story.follow(match)
            compare(story, match)
            token, had = pages.get(story.seat, ("", []))
            kept = story.kept(token)
            kept_some += kept > 0
            whole = shown.log(story, 0)
            assert had[:kept] + shown.log(story, kept) == whole, "the page is put together rightly"
            pages[story.seat] = story.token, whole
    assert undone
    assert kept_some > MOVES / 4, "most of the log is not sent again"


def test_two_pasts_of_one_length_are_told_apart() -> None:
    match = bottega.game("splendor").new(2, seed=1)
    story = Story(None, match)
    for first in match.legal_numbers(match.waiting[0])[:5]:
        trial = match.copy()
        trial.play(trial.waiting[0], first)
        story.follow(trial)
        compare(story, trial)


@pytest.mark.parametrize(
    "token", ["", "x", "3", "3-1", "9999999-0-x", "1-1-x-y", "²-1-x", "-1-0-x"]
)
def test_what_a_page_says_may_be_anything(token: str) -> None:
    match = bottega.game("splendor").new(2, seed=1)
    match.play(0, "take-white-blue-green")
    assert Story(0, match).kept(token) == 0


# What is sent


def log_of(page: str) -> tuple[str, str, int, Lines]:
    """What a page says of its log: what it has, what it goes on from, what stays, and the lines."""
    told, after, kept = re.findall(
        r'data-told="([^"]*)" data-after="([^"]*)" data-kept="(\d+)"', page
    )[0]
    lines = re.findall(r'<li class="([^"]*?)( fresh)?" id="line-(\d+)">\s*(.*?)</li>', page, re.S)
    found = {
        int(at): (whose, text.replace('<span class="vh"> (new)</span>', ""), bool(fresh))
        for whose, fresh, at, text in lines
        if at != "0"
    }
    return told, after, int(kept), found


class Page:
    """What a page's script shows of the log."""

    def __init__(self, guest: Guest, url: str) -> None:
        self.guest, self.url = guest, url
        self.sent = 0  # lines
        self.read(guest.page(url))

    def read(self, text: str) -> None:
        told, after, kept, lines = log_of(text)
        assert after in ("", getattr(self, "told", "")), "it fits to what this page has"
        stay = {at: line for at, line in self.lines.items() if at <= kept} if after else {}
        self.told, self.lines, self.sent = told, {**stay, **lines}, len(lines)

    def look(self) -> None:
        self.read(self.guest.get(f"{self.url}/board", headers={"x-told": self.told}).text)

    def do(self, path: str, **fields: Any) -> None:
        """A form, as the script sends it; the answer brings the board."""
        self.guest.client.headers["x-told"] = self.told
        try:
            self.read(self.guest.must(f"{self.url}/{path}", **fields)["board"])
        finally:
            del self.guest.client.headers["x-told"]

    def take(self) -> None:
        match = self.guest.match(self.url)
        legal = match.legal(match.waiting[0])
        self.do("play", action=next(one.key for one in legal if one.key.startswith("take")))

    @property
    def right(self) -> bool:
        """Whether it shows what a page shows that is loaded anew."""
        whole = log_of(self.guest.page(f"{self.url}?log=whole"))
        return (self.told, self.lines) == (whole[0], whole[3])


def test_a_page_gets_what_is_new_and_shows_the_whole(
    ada: Guest, bruno: Guest, carla: Guest
) -> None:
    url = friends(ada, bruno)
    pages = [Page(guest, url) for guest in (ada, bruno, carla)]
    for number in range(8):
        pages[number % 2].take()
        for page in pages:
            page.look()
            assert page.right
            assert number < 4 or page.sent <= 4
    ada.must(f"{url}/name", name="Adele")
    for page in pages:
        page.look()
        assert page.right, "whoever is called otherwise is so everywhere"
        assert "Adele" in str(page.lines)


def test_what_is_taken_back_leaves_the_page(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    ada.must(f"{url}/ready")
    page = Page(ada, url)
    page.take()
    assert page.lines
    page.do("undo")
    assert not page.lines
    assert page.right
    page.take()
    assert page.right


def test_a_form_is_answered_with_the_board_if_the_page_says_what_it_has(ada: Guest) -> None:
    url = ada.create(mode="hotseat", seat=0)
    assert "board" not in ada.must(f"{url}/ready")
    page = Page(ada, url)
    page.take()
    answered = ada.seq(url)
    assert f'data-seq="{answered}"' in ada.page(f"{url}/board")


def test_a_long_log_begins_with_its_latest_lines(ada: Guest) -> None:
    """A page is not made longer by what nobody reads; the whole can be asked for."""
    url = ada.create(mode="hotseat", seat=0)
    table = ada.table(url)

    async def go_on() -> None:
        match = table.match.copy()
        match.play(match.waiting[0], "take-white-blue-green")
        records, rules = match.records, match.rules
        for _ in range(2 * LATEST):
            match.follow([(0, "take-white-blue-green")], records[1:2], rules[1:2])
        ada.tables.put(table, match, table.manners)

    ada.run(go_on)
    page = ada.page(url)
    told, _, _, lines = log_of(page)
    assert len(lines) == LATEST
    assert max(lines) == 2 * LATEST + 1
    assert "?log=whole" in page
    whole = ada.page(f"{url}?log=whole")
    assert len(log_of(whole)[3]) == 2 * LATEST + 1
    assert "?log=whole" not in whole
    fragment = ada.get(f"{url}/board", headers={"x-told": told}).text
    assert len(log_of(fragment)[3]) <= 1, "what the page has is not sent again"
