"""The search: honest, deterministic for a budget, bounded, stopped at once; and better than greedy.

How strong it is in each game is measured by the arena, not here.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import bottega
from bottega.bots import LEVELS, guided, tree
from bottega.bots.casual import CasualBot
from bottega.bots.greedy import GreedyBot
from bottega.bots.search import GLANCE, ClassicBot, SearchBot
from bottega.bots.steering import steering
from tests.games.properties import random_play, twin

GAME = bottega.game("splendor")
SLACK = 1.0  # seconds that a busy machine may take besides


def middle(seed=3, moves=30, players=2, game=GAME):
    for number, match in enumerate(random_play(game.new(players, seed), seed)):
        if number >= moves and len(match.legal_numbers(match.waiting[0])) > 3:
            return match
    raise AssertionError("the game ended too soon")


SEARCHES = pytest.mark.parametrize("kind", [SearchBot, ClassicBot])


@SEARCHES
@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_and_budget_decide_alike(kind, threads):
    match = middle()
    seat = match.waiting[0]
    thoughts = [kind(5, iterations=600, threads=threads).think(match, seat) for _ in range(2)]
    assert thoughts[0] == thoughts[1]
    assert sum(thought.visits for thought in thoughts[0]) > 500


@SEARCHES
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", bottega.games())
def test_twin_worlds_for_every_level(name, level, kind):
    """With a fixed seed and budget, the same decision in both twins."""
    game = bottega.game(name)
    for seed in range(2 if level == max(LEVELS) else 4):
        match = middle(seed, 24, players=2 + seed % 2, game=game)
        seat = match.waiting[0]
        bot = kind(2, level=level) if level < max(LEVELS) else kind(2, iterations=400)
        choices = {bot.choose(twin(match, seat, world), seat).id for world in (1, 2)}
        assert choices == {bot.choose(match, seat).id}


@SEARCHES
def test_how_far_others_are_with_what_they_seal_changes_no_decision(kind):
    match = bottega.game("renaissance-man").new(2, 4)
    before = kind(2, iterations=200).think(match, 1)
    match.play(0, match.legal(0)[0])
    assert match.private(0)
    assert kind(2, iterations=200).think(match, 1) == before


@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize("name", bottega.games())
def test_levels_rise(name, guided):
    """Less overlooked or left to chance, then more iterations, for any number of players."""
    fewest, most = bottega.game(name).seats
    for players in range(fewest, most + 1):
        levels = steering(name, players, guided).levels
        assert len(levels) == len(LEVELS)
        assert list(levels) == sorted(
            set(levels), key=lambda step: (step.iterations, -step.overlooks, -(step.heat or 0))
        )
        assert levels[-1].iterations > 0
        assert not any(step.overlooks or step.heat for step in levels if step.iterations)
        assert all((step.heat is not None or step.iterations) == guided for step in levels[:1])


def test_a_level_that_does_not_search_plays_like_greedy_but_for_what_it_overlooks():
    game = bottega.game("renaissance-man")
    casual = CasualBot(4, steering("renaissance-man", 2).levels[2].overlooks)
    decisions = 0
    for match in random_play(game.new(2, 5), 5):
        if match.over or decisions == 150:
            break
        seat = match.waiting[0]
        decisions += 1
        assert ClassicBot(4, level=3).choose(match, seat) == casual.choose(match, seat)
        assert ClassicBot(4, level=4).choose(match, seat) == GreedyBot(4).choose(match, seat)
    assert decisions > 20


def test_a_level_that_does_not_search_has_thoughts_when_asked():
    game = bottega.game("renaissance-man")
    match = game.new(2, 5)
    thoughts = bottega.bot("search", level=1).think(match, match.waiting[0])
    assert 0 < sum(thought.visits for thought in thoughts) <= GLANCE


@SEARCHES
def test_chances_are_chances_and_best_first(kind):
    match = middle()
    thoughts = kind(1, iterations=800).think(match, match.waiting[0])
    assert all(0 <= thought.chance <= 1 for thought in thoughts)
    visits = [thought.visits for thought in thoughts]
    if kind is ClassicBot:
        assert visits == sorted(visits, reverse=True)
    assert visits[2:] == sorted(visits[2:], reverse=True)
    assert min(visits[:2]) >= max(visits[2:])  # the last two in the running were tried as often
    legal = match.legal_numbers(match.waiting[0])
    assert sorted(thought.action.id for thought in thoughts) == legal


@pytest.mark.parametrize(
    ("iterations", "width", "shares"),
    [
        (33, 16, [16, 8, 8, 0]),  # in the first round everything is tried once
        (401, 16, [100, 100, 100, 100]),
        (6, 16, [5, 0, 0, 0]),
        (101, 2, [100]),
        (101, 0, [100]),
    ],
)
def test_rounds_share_the_iterations(iterations, width, shares):
    assert guided.shared_out(iterations, width) == shares


def test_round_by_round_the_worse_half_is_left_out():
    """The 16 likeliest actions are tried alike, the better eight of them again, and so on."""
    match = middle(moves=10)
    bot = SearchBot(1, iterations=1001)
    visits = [thought.visits for thought in bot.think(match, match.waiting[0])]
    assert sum(visits) == 1000
    assert sum(number > 0 for number in visits) == 16 < len(visits)
    assert len(bot._trees[0].best) == 2
    for better, worse in ((1, 2), (3, 4), (7, 8)):
        assert visits[better] > 2 * visits[worse]


def test_what_is_learned_from_a_sure_win_is_a_policy():
    """One edge wins every time, another one never: far apart, but what comes out are chances."""
    memory = guided.new_memory(GAME, 4)
    node = memory.nodes[0]
    node["edges"], node["visits"], node["value"] = 2, 121, 60.5
    for action, value in ((3, 60.0), (5, 0.0)):
        edge = memory.edges[0 if action == 3 else 1]
        edge["action"], edge["prior"], edge["visits"], edge["value"] = action, 0.5, 60, value
        memory.visits[action] = 60
    knobs = np.zeros(guided.KNOBS)
    knobs[[guided.ROOT_HEAT, guided.KEPT, guided.LESSON]] = 1.0, 0.9, 2.0
    policy = np.zeros(GAME.actions, np.float32)
    worth = guided.improved(node, knobs, memory, policy)
    assert policy[3] == pytest.approx(1.0)
    assert policy.sum() == pytest.approx(1.0)
    assert 0.9 < worth <= 1.0


def test_a_plan_weighs_what_was_found_as_the_root_does():
    """What was tried most, for a hair's breadth, does not outweigh a policy that is sure."""
    memory = guided.new_memory(GAME, 4)
    node = memory.nodes[0]
    node["edges"], node["visits"], node["value"] = 2, 101, 50.5
    for at, (prior, visits, chance) in enumerate(((0.75, 40, 0.500), (0.25, 60, 0.505))):
        edge = memory.edges[at]
        edge["action"], edge["prior"], edge["visits"] = at, prior, visits
        edge["value"] = chance * visits
    knobs = np.zeros(guided.KNOBS)
    knobs[[guided.HEAT, guided.ROOT_HEAT, guided.WIDTH, guided.STRETCH]] = 4.0, 1.5, 8.0, 0.5
    assert guided.best_below(node, knobs, memory) == 0
    memory.edges[1]["value"] = 0.6 * 60  # that is more than luck
    assert guided.best_below(node, knobs, memory) == 1
    knobs[guided.WIDTH] = 0.0  # where the root goes by visits, so does the plan
    memory.edges[1]["value"] = 0.505 * 60
    assert guided.best_below(node, knobs, memory) == 1


def test_luck_comes_back_so_that_ways_down_are_gone_again():
    """After an edge there is more and more luck, but less than visits; each as often as others."""
    met = [int(guided.stroke_of_luck(np.uint64(5), visits, 1.0)) for visits in range(400)]
    assert len(set(met[:100])) == 10
    assert len(set(met)) == 20
    assert len({int(guided.stroke_of_luck(np.uint64(6), visits, 1.0)) for visits in range(4)}) == 2
    lately = met[361:]  # as long as nothing new comes
    counts = [lately.count(one) for one in set(lately)]
    assert len(counts) == 20
    assert max(counts) - min(counts) <= 1


def test_a_forced_move_takes_no_thinking():
    match = GAME.new(2, 1)
    match._table["bank"] = 0
    player = match._table[0].players[0]
    player.held = 3
    player.hand[:] = (89, 88, 87)
    assert [action.key for action in match.legal(0)] == ["pass"]
    started = time.monotonic()
    assert SearchBot(1, seconds=30).choose(match, 0).key == "pass"
    assert time.monotonic() - started < 5


@SEARCHES
def test_memory_is_bounded(kind):
    """When the nodes are used up, the search goes on with those it has."""
    match = middle()
    bot = kind(1, iterations=5000)
    bot._memory(match)
    memory = bot._trees[0].memory
    small = memory._replace(nodes=memory.nodes[:50], edges=memory.edges[:400])
    bot._trees[0].memory = small
    thoughts = bot.think(match, match.waiting[0])
    assert sum(thought.visits for thought in thoughts) > 4000
    assert small.used[0] <= 50
    assert small.used[1] <= 400


def test_it_stops_at_once_when_asked():
    match = middle()
    bot = SearchBot(1, seconds=60, threads=2)
    SearchBot(1, iterations=10).choose(match, match.waiting[0])  # compiled before the clock runs
    threading.Timer(0.3, bot.stop).start()
    started = time.monotonic()
    assert bot.choose(match, match.waiting[0]).id in match.legal_numbers(match.waiting[0])
    assert time.monotonic() - started < 5


def test_a_budget_in_seconds_is_kept():
    match = middle()
    SearchBot(1, iterations=10).choose(match, match.waiting[0])
    started = time.monotonic()
    SearchBot(1, seconds=0.3).choose(match, match.waiting[0])
    assert 0.25 < time.monotonic() - started < 3


@SEARCHES
def test_it_takes_a_win_that_is_there(kind):
    """Seat 1 is last in the round: buying the card that reaches 15 points wins at once."""
    match = GAME.new(2, 4)
    match.play(0, "take-white-blue-green")
    player = match._table[0].players[1]
    player.points = 14
    player.bonuses = bottega.engine.lanes.pack([7] * 5)
    match._table[0].nobles[:] = 10
    bot = kind(1, iterations=400)
    match.play(1, bot.choose(match, 1))
    assert match.winners == [1]


def test_hidden_choices_lead_to_the_same_node():
    """The key of a node depends on nothing but what its seat knows."""
    match = middle(6, 40, players=3)
    for seat in range(3):
        keys = set()
        for world in range(6):
            seen = twin(match, seat, world).encode(seat)
            keys.add(int(tree.hashed(seen, seat, np.uint32(match.turns))))
        assert len(keys) == 1


@SEARCHES
def test_search_beats_greedy(kind):
    wins = 0.0
    for number in range(16):
        match = GAME.new(2, number // 2, limit=1000)
        seat = number % 2
        bots = {
            seat: kind(number, iterations=600),
            1 - seat: bottega.bot("greedy", seed=number),
        }
        while not match.over:
            actor = match.waiting[0]
            match.play(actor, bots[actor].choose(match, actor))
        wins += (seat in match.winners) / max(1, len(match.winners))
    assert wins >= 8


def test_a_bot_may_be_given_fewer_threads():
    """As the server does when several think at once."""
    match = middle()
    bot = SearchBot(1, iterations=40, threads=2)
    bot.choose(match, match.waiting[0])
    bot.threads = 1
    bot.think(match, match.waiting[0])
    assert len(bot._trees) == 1


def test_blitz_answers_in_under_300_ms():
    """Any level, also the strongest."""
    match = middle()
    seat = match.waiting[0]
    SearchBot(1, iterations=10).choose(match, seat)
    for level in LEVELS:
        bot = bottega.bot("search", level=level, blitz=True)
        started = time.monotonic()
        bot.choose(match, seat)
        assert time.monotonic() - started < 0.3 + SLACK
