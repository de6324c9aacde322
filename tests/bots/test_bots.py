"""The bots: legal, the same for the same seed, and greedy clearly better than random.

That no bot sees more than its seat is checked for every game in tests/games.
"""

from __future__ import annotations

import pytest

import bottega
from bottega import bots
from bottega.bots import DEFAULT_ITERATIONS
from bottega.bots.casual import CasualBot
from bottega.bots.crowd import bots_worker
from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot
from bottega.engine.runs import Plan, run


def play(names, seed, players=2, game="splendor", limit=2000):
    match = bottega.game(game).new(players, seed, limit=limit)
    seated = [bottega.bot(name, seed=seed + seat) for seat, name in enumerate(names)]
    while not match.over:
        seat = match.waiting[0]
        match.play(seat, seated[seat].choose(match, seat))
    return match


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_the_same_seed_decides_alike(name):
    assert play([name] * 2, 3).save() == play([name] * 2, 3).save()
    assert play([name] * 2, 3).moves != play([name] * 2, 4).moves


def test_greedy_beats_random():
    plan = Plan.make(bottega.game("splendor"), 2, 200, 1, 2000, "default", {})
    outcomes = run(plan, lambda: bots_worker(plan, ["random", "greedy"]))
    assert (outcomes.places[:, 1] == 1).mean() > 0.95


def test_greedy_looks_through_its_whole_chain():
    """It takes gems only after weighing which ones it would have to give back."""
    match = play(["greedy", "greedy"], 1)
    assert not match.unfinished
    assert max(match.scores) >= 15


@pytest.mark.parametrize("name", bottega.games())
def test_casual_takes_the_best_of_what_it_notices(name):
    """Like greedy, if it notices what greedy takes; something else, if it overlooks that."""
    match = bottega.game(name).new(2, 3)
    alike = []
    for _ in range(40):
        seat = match.waiting[0]
        best = GreedyBot(5).choose(match, seat)
        assert CasualBot(5, overlooks=0.0).choose(match, seat) == best
        others = [number for number in match.legal_numbers(seat) if number != best.id]
        if others:
            assert GreedyBot(5).best(match, seat, others).id in others
            alike.append(CasualBot(5, overlooks=0.5).choose(match, seat) == best)
        match.play(seat, best)
    assert 0 < sum(alike) < len(alike)


@pytest.mark.parametrize("name", bottega.games())
def test_games_of_beginners_come_to_an_end(name):
    """They overlook things, but they get somewhere."""
    fewest, most = bottega.game(name).seats
    for players in (fewest, most):
        assert not play(["casual"] * players, 2, players, name, limit=5000).unfinished


def test_a_bot_leaves_the_match_as_it_was():
    match = bottega.game("splendor").new(2, 9)
    before = match.state(), match.save()
    bottega.bot("greedy").choose(match, 0)
    assert (match.state(), match.save()) == before


@pytest.mark.parametrize("name", bottega.games())
@pytest.mark.parametrize("bot", bots.names())
def test_a_seat_that_has_nothing_to_decide_is_refused(name, bot):
    match = bottega.game(name).new(2, 3)
    while len(match.waiting) > 1:
        match.play(match.waiting[0], match.legal(match.waiting[0])[0])
    idle = 1 - match.waiting[0]
    assert idle not in match.invited
    with pytest.raises(bottega.BadOption, match=f"seat {idle} has nothing to decide now"):
        bottega.bot(bot).choose(match, idle)


def test_a_search_that_cannot_be_is_refused():
    for wrong in ({"level": 0}, {"level": 7}, {"level": True}, {"level": 2.0}):
        with pytest.raises(bottega.BadOption, match="search has the levels 1 to 5"):
            SearchBot(1, **wrong)
    for wrong in ({"iterations": 0}, {"seconds": 0}):
        with pytest.raises(bottega.BadOption, match="a search needs"):
            SearchBot(1, **wrong)
    for wrong in ({"iterations": -3}, {"iterations": 10**9}, {"threads": -1}):
        with pytest.raises(bottega.BadOption, match="not a whole number from 0 to"):
            SearchBot(1, **wrong)


def test_unknown_bots_and_levels():
    with pytest.raises(bottega.UnknownName, match="no bot 'deep'; there is random, casual, greedy"):
        bottega.bot("deep")
    with pytest.raises(bottega.BadOption, match="levels 1 to 5, not 6"):
        bottega.bot("search", level=6)
    with pytest.raises(bottega.BadOption, match="has no levels"):
        bottega.bot("greedy", level=3)


@pytest.mark.parametrize("name", bottega.games())
def test_a_search_without_a_level_searches(name):
    """In no game does the default stand for a level that does not search."""
    match = bottega.game(name).new(2, 3)
    bot = bottega.bot("search", seed=1)
    assert isinstance(bot, SearchBot)
    assert bot.step(match).iterations == bot.budget(match) == DEFAULT_ITERATIONS


@pytest.mark.parametrize(
    ("name", "how", "same"),
    [
        ("search", {"iterations": 50}, {"iterations": 50}),
        ("search", {"iterations": 50, "threads": 2}, {"iterations": 50, "threads": 2}),
        ("search", {"seconds": 0.05}, {"seconds": 0.05, "iterations": None}),
        ("search", {}, {"iterations": 1000, "seconds": None}),
        ("search", {"level": 5}, {"level": 5, "seconds": 1.0}),
        ("search", {"level": 5, "seconds": 3}, {"level": 5, "seconds": 3}),
        ("search", {"threads": 2}, {"iterations": 1000, "threads": 2}),
        ("search@50", {}, {"iterations": 50, "seconds": None, "threads": 1}),
        ("search:5", {}, {"level": 5, "seconds": None, "threads": 1}),
        ("search@0.05s", {}, {"seconds": 0.05, "iterations": None, "threads": 1}),
        ("search", {"level": 5, "blitz": True}, {"level": 5, "seconds": 0.25}),
        ("search:classic", {}, {"name": "classic", "net": False, "iterations": 1000}),
        ("search:classic@50", {}, {"name": "classic", "net": False, "iterations": 50}),
        ("classic:5", {}, {"name": "classic", "level": 5, "seconds": None}),
        ("learned", {"heat": 0.5}, {"name": "learned", "heat": 0.5}),
        ("casual", {"overlooks": 0.5}, {"overlooks": 0.5}),
    ],
)
def test_a_bot_takes_everything_it_takes(name, how, same):
    bot = bottega.bot(name, seed=3, **how)
    assert {key: getattr(bot, key) for key in same} == same
    assert bot.seed == 3
    match = bottega.game("splendor").new(2, 1)
    assert bot.choose(match, 0) in match.legal(0)


@pytest.mark.parametrize(
    ("name", "how", "reason"),
    [
        ("search", {"iteration": 5}, "knows no 'iteration'; it takes level, iterations, seconds"),
        ("greedy", {"iterations": 5}, "greedy knows no 'iterations'; it takes nothing but a seed"),
        ("greedy", {"level": 2}, "greedy has no levels"),
        ("search@50", {"iterations": 5}, "says already how it searches"),
        ("search:3", {"level": 3}, "says already how it searches"),
        ("greedy@50", {}, "'greedy@50' is no bot"),
        ("search@many", {}, "'search@many' is no bot"),
        ("search@0s", {}, "'search@0s' is no bot"),
        ("learned", {"heat": -1}, "heat=-1 is not possible"),
        ("classic", {"net": "file"}, "classic knows no 'net'"),
        ("search", {"net": True}, "net is a file"),
        ("search:x", {}, "must be a number"),
        ("search", {"iterations": 0}, "needs 1 iteration or more"),
        ("search", {"seconds": "long"}, "needs some seconds, not 'long'"),
        ("search", {"threads": -1}, "threads"),
        ("casual", {"overlooks": 2}, "not a share from 0 to 1"),
    ],
)
def test_a_wrong_keyword_gets_a_sentence(name, how, reason):
    with pytest.raises(bottega.BadOption, match=reason):
        bottega.bot(name, **how)
