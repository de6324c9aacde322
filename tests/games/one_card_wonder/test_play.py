"""Whole games between bots: every wonder can be finished, games end, trades are made."""

from __future__ import annotations

import pytest

import bottega
from bottega.games.one_card_wonder.state import NO_TRADE, PROPOSED
from tests.games.one_card_wonder import invariants
from tests.games.one_card_wonder.conftest import WONDERS, Table

FAVOURS = 6  # decisions that a bot may take unasked before play goes on


def play_on(t: Table, bots: list, most: int = 1500) -> None:
    """Let the bots finish a game, checking after every decision; all are asked for favours."""
    match = t.match
    while not match.over and len(match.moves) < most:
        if len(match.moves) % 8 == 7:
            for seat in match.invited:
                favour(t, bots[seat], seat)
        if not match.over:
            seat = match.waiting[0]
            match.play(seat, bots[seat].choose(match, seat))
            invariants.check(match)


def favour(t: Table, bot, seat: int) -> None:
    """A bot that is only invited does what helps it, if anything does."""
    for _ in range(FAVOURS):
        action = bot.consider(t.match, seat) if seat in t.match.invited else None
        if action is None:
            return
        t.match.play(seat, action)
        invariants.check(t.match)


@pytest.mark.parametrize("wonder", WONDERS)
def test_every_wonder_can_be_finished(wonder):
    """By legal decisions found by play, against somebody who does not mean to win."""
    t = Table(2, seed=4)
    t.wonder(wonder)
    play_on(t, [bottega.bot("greedy", seed=1), bottega.bot("random", seed=2)])
    assert t.match.winners == [0]
    view = t.match.view()["players"][0]
    assert view["wonder"]["name"] == wonder
    assert all(stage["built"] for stage in view["wonder"]["stages"])


@pytest.mark.parametrize("players", range(2, 7))
def test_games_end_in_a_human_length(players):
    """Nobody passes for ever: six to thirty turns for everybody, with all that can be played."""
    t = Table(players, seed=players, draft="pick", leaders="on")
    play_on(t, [bottega.bot("greedy", seed=seat) for seat in range(players)])
    assert len(t.match.winners) == 1
    lines = [line.text for line in t.match.log()]
    assert lines[-1].startswith("The game is over.")
    assert not any("and passes" in line for line in lines)
    assert 6 * players < t.match.turns < 60 * players


# Trades between bots


@pytest.fixture
def market() -> Table:
    """Seats 1 and 2 each have too much of what the other needs; it is the turn of seat 0."""
    t = Table(4, seed=2)
    for seat, wonder in enumerate(("Colosseum", "Angkor Wat", "Notre-Dame", "Stonehenge")):
        t.wonder(wonder, seat)
        t.hold(seat)
    t.hold(1, wood=6)
    t.hold(2, clay=6)
    t.supply()
    return t


def test_greedy_proposes_and_accepts_a_trade_that_helps_both(market):
    t = market
    before = t.match.chances(None)
    favour(t, bottega.bot("greedy", seed=1), 1)
    assert t.player(1).trade == PROPOSED
    assert t.player(1).partner == 2
    favour(t, bottega.bot("greedy", seed=2), 2)
    assert t.player(1).trade == NO_TRADE
    assert t.stock(1)["clay"] >= 1
    assert t.stock(2)["wood"] >= 1
    after = t.match.chances(None)
    assert after[1] > before[1]
    assert after[2] > before[2]


def test_greedy_does_not_give_away_what_it_needs(market):
    t = market
    t.hold(1, coin=1)
    t.hold(3, wood=1)
    t.by(3, "trade-with-2", "give-wood", "ask-coin", "propose")
    favour(t, bottega.bot("greedy", seed=1), 1)
    assert t.stock(1) == {"coin": 1}
    assert t.stock(3) == {"wood": 1}


def test_bots_trade_in_their_own_games():
    trades = 0
    for seed in range(3):
        t = Table(4, seed=seed, draft="pick")
        play_on(t, [bottega.bot("greedy", seed=seat) for seat in range(4)])
        trades += sum(" trades with " in line.text for line in t.match.log())
    assert trades
