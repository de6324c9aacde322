"""One judgement of a position: the same wherever it is asked for, in falling order, no circles."""

from __future__ import annotations

import random

import pytest

import bottega
from bottega.bots.judgement import Judgement, prospect
from bottega.bots.search import wasteful
from bottega.engine.game import Game
from bottega.engine.match import Match
from tests.games.properties import twin

GAMES = [bottega.game(name) for name in bottega.games()]


def some_moments(game: Game, number: int, seed: int = 3) -> list[tuple[Match, int]]:
    """Decisions of a game between careless players, with somebody to choose."""
    chance = random.Random(seed)
    match = game.new(max(2, game.seats[0]), seed=seed, limit=200)
    bot = bottega.bot("casual", seed=seed)
    found = []
    while not match.over:
        seat = chance.choice(match.waiting)
        if len(match.legal_numbers(seat)) > 1:
            found.append((match.copy(), seat))
        match.play(seat, bot.choose(match, seat))
    return chance.sample(found, number)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_no_choice_is_said_to_be_better_than_the_first(game: Game) -> None:
    """A hint listed a first choice below its third."""
    for match, seat in some_moments(game, 6):
        judgement = Judgement(match, seat)
        weighed = judgement.first(5)
        chances = [one.chance for one in weighed]
        assert chances == sorted(chances, reverse=True)
        assert all(0 <= chance <= 1 for chance in chances)
        assert judgement.chance == chances[0]
        numbers = [one.action.id for one in weighed]
        assert len(set(numbers)) == len(numbers) <= len(match.legal_numbers(seat))
        assert len(numbers) == min(5, len(match.legal_numbers(seat))) or game.name == "artificium"
        assert all(judgement.of(number).chance <= judgement.chance for number in numbers)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_position_has_one_number_wherever_it_is_asked_about(game: Game) -> None:
    for match, seat in some_moments(game, 2, seed=5):
        later = match.copy()
        later.play(seat, later.legal_numbers(seat)[0])
        again = bottega.replay(match.save())
        weighed = Judgement(match, seat).first(3)
        for same in (later.at(len(match.moves)), again, twin(match, seat, 1), twin(match, seat, 2)):
            assert Judgement(same, seat).first(3) == weighed


def test_a_circle_is_never_advised() -> None:
    """Buy wood, sell wood: the bank always takes its share."""
    game = bottega.game("artificium")
    trades = 0
    for match, seat in some_moments(game, 40, seed=8):
        if match.view(seat)["phase"] != "resolve":
            continue
        for one in Judgement(match, seat).first(3):
            plan = [one.action.text, *one.then]
            bought = {text.split()[2] for text in plan if text.startswith("Buy 1")}
            sold = {text.split()[2] for text in plan if text.startswith("Sell 1")}
            assert not bought & sold, plan
            trades += bool(bought | sold)
    assert trades


def test_what_goes_round_in_a_circle() -> None:
    game = bottega.game("artificium")
    match = game.new(2, 1)
    while match.view()["phase"] != "resolve":
        seat = match.waiting[0]
        keys = [action.key for action in match.legal(seat)]
        match.play(seat, next((key for key in keys if key.startswith("play")), "pass"))
    seat = match.waiting[0]
    buy, sell = game.numbers["buy-wood"], game.numbers["sell-wood"]
    assert wasteful(match, seat, [buy, sell])
    assert not wasteful(match, seat, [buy, buy])
    match.play(seat, buy)
    assert wasteful(match, seat, [sell])


def test_a_winning_choice_is_certain() -> None:
    match = bottega.game("splendor").new(2, seed=3)
    bot = bottega.bot("greedy")
    while True:
        seat = match.waiting[0]
        action = bot.choose(match, seat)
        before = match.copy()
        match.play(seat, action)
        if match.over:
            break
    assert prospect(before, seat, action.id) == float(match.winners == [seat])


def test_a_forced_choice_is_the_only_one() -> None:
    match = bottega.game("renaissance-man").new(1, seed=1)
    for key in ("set-merchant", "set-scholar", "set-baker", "set-knight"):
        match.play(0, key)
    (only,) = Judgement(match, 0).first(3)
    assert only.action.key == "confirm"
