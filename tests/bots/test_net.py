"""Networks: the same numbers as plain arithmetic, checked files, for one kit, and honest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import bottega
from bottega.bots import loops, net
from bottega.bots.crowd import bots_worker, new_mind
from bottega.bots.learned import LearnedBot
from bottega.bots.policy import opinion
from bottega.bots.search import ClassicBot, SearchBot
from bottega.engine.kit import read_kit_file
from bottega.engine.runs import Plan, run
from tests.games.properties import random_play, twin

GAMES = [bottega.game(name) for name in bottega.games()]
SPLENDOR = bottega.game("splendor")


def random_net(game, seed=0, wide=16, narrow=8):
    """Weights at random, of the right shapes."""
    chance = np.random.default_rng(seed)

    def some(*shape):
        return chance.normal(size=shape).astype(np.float32)

    return {
        "first": some(game.observation + game.actions, wide),
        "first_norm": some(3, wide),
        "second": some(wide, narrow),
        "second_norm": some(3, narrow),
        "third": some(narrow, narrow),
        "third_norm": some(3, narrow),
        "policy": some(narrow, game.actions),
        "policy_bias": some(game.actions),
        "value": some(narrow, net.outcomes_of(game)),
        "value_bias": some(net.outcomes_of(game)),
    }


def by_numpy(weights, seen, legal):
    """Scores and chances of a network, in plain arithmetic."""

    def layer(inputs, matrix, norm):
        out = inputs @ matrix + norm[0]
        out = (out - out.mean()) / np.sqrt(out.var() + net.EPSILON) * norm[1] + norm[2]
        return np.maximum(out, 0)

    first = layer(np.concatenate([seen, legal]), weights["first"], weights["first_norm"])
    second = layer(first, weights["second"], weights["second_norm"])
    third = second + layer(second, weights["third"], weights["third_norm"])
    return (
        third @ weights["policy"] + weights["policy_bias"],
        third @ weights["value"] + weights["value_bias"],
    )


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_network_says_what_plain_arithmetic_says(game):
    compact = net.compact(random_net(game))
    weights = net.plain(compact)
    mind = new_mind(game, net.Learned(compact, {}, ""))
    match = next(m for n, m in enumerate(random_play(game.new(2, 4), 4)) if n == 10)
    seat = match.waiting[0]
    legal = np.zeros(game.actions, np.float32)
    legal[match.legal_numbers(seat)] = 1
    scores, chances = by_numpy(weights, match.encode(seat), legal)
    best = game.code(loops.open_mind)(
        match.kit.record, match.concealed(seat, 1), seat, match.mask(seat), mind
    )
    assert np.allclose(mind.sheet.scores, scores, atol=1e-3)
    assert np.allclose(mind.sheet.chances, chances, atol=1e-3)
    assert best == max(match.legal_numbers(seat), key=lambda number: mind.sheet.scores[number])


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_weights_are_rounded_to_the_nearest_whole_number(game):
    """And stay as they are when they are rounded again, as a file is that was read and written."""
    weights = random_net(game)
    rounded = net.plain(net.compact(weights))
    assert rounded.keys() == weights.keys()
    for name, numbers in weights.items():
        step = np.abs(numbers).max() / net.MOST_WEIGHT if name in net.LAYERS else 0.0
        assert np.abs(rounded[name] - numbers).max() <= 0.501 * step
    again = net.compact(rounded)
    assert all(
        np.array_equal(getattr(again, name), getattr(net.compact(weights), name))
        for name in net.LAYERS
    )


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_game_comes_with_a_network_for_its_kit(game):
    learned = net.shipped(game)
    assert learned is not None
    assert learned.about["kit"] == game.kit().hash
    assert (game.folder / net.FILE).stat().st_size <= 4 << 20
    card = (game.folder / "NET.md").read_text(encoding="utf-8")
    assert game.kit().hash in card
    for heading in ("How it was made", "How strong it is", "What it has never seen"):
        assert f"## {heading}" in card


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_an_opinion_is_of_legal_actions_and_adds_up(game):
    learned = net.shipped(game)
    for players in range(game.seats[0], game.seats[1] + 1):
        for number, match in enumerate(random_play(game.new(players, players), players)):
            if match.over or number > 30:
                break
            if number % 6:
                continue
            said = opinion(match, match.waiting[0], learned)
            assert sorted(said.actions) == match.legal_numbers(match.waiting[0])
            assert sum(said.actions.values()) == pytest.approx(1)
            assert sum(said.chances) == pytest.approx(1) or players == 1
            assert all(0 <= chance <= 1 for chance in said.chances)


@pytest.mark.parametrize("heat", [0.0, 1.0])
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_twin_worlds_for_who_learned(game, heat):
    bot = LearnedBot(3, heat=heat)
    for number, match in enumerate(random_play(game.new(2, 8), 8)):
        if match.over or number > 60:
            break
        if number % 10 == 0:
            seat = match.waiting[0]
            chosen = {bot.choose(twin(match, seat, world), seat).id for world in (1, 2)}
            assert chosen == {bot.choose(match, seat).id}


def test_heat_leaves_more_to_chance():
    match = SPLENDOR.new(2, 1)
    cold = {LearnedBot(seed).choose(match, 0).id for seed in range(30)}
    warm = {LearnedBot(seed, heat=1.0).choose(match, 0).id for seed in range(30)}
    hot = {LearnedBot(seed, heat=50.0).choose(match, 0).id for seed in range(30)}
    assert len(cold) == 1 <= len(warm) < len(hot)


def test_at_many_tables_it_plays_as_at_one():
    """The compiled games and the bot decide alike."""
    plan = Plan.make(SPLENDOR, 2, 4, 20, 1000, "default", {})
    outcomes = run(plan, lambda: bots_worker(plan, ["learned", "learned"]))
    bot = LearnedBot()
    for game in range(4):
        match = SPLENDOR.new(2, 20 + game, limit=1000)
        while not match.over:
            seat = match.waiting[0]
            match.play(seat, bot.choose(match, seat))
        assert outcomes.lengths[game] == len(match.moves)
        assert outcomes.places[game].tolist() == [place for place, _ in match.standings]


def other_kit(folder):
    """Splendor with one card dearer."""
    kit = SPLENDOR.kits["default"]
    text = kit.read_text(encoding="utf-8").replace('name = "default"', 'name = "dearer"')
    (folder / "dearer.toml").write_text(text, encoding="utf-8")
    for table in kit.parent.glob("*.csv"):
        (folder / table.name).write_bytes(table.read_bytes())
    cards = folder / read_kit_file(folder / "dearer.toml").text("cards")
    lines = cards.read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    at = next(n for n in range(len(cells) - 1, 0, -1) if cells[n] not in ("", "0"))
    cells[at] = str(int(cells[at]) + 1)
    cards.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n", encoding="utf-8")
    return folder / "dearer.toml"


def test_with_another_kit_it_says_so_and_searches_without(tmp_path, capsys):
    match = SPLENDOR.new(2, 5, kit=other_kit(tmp_path))
    assert match.kit.hash != SPLENDOR.kit().hash
    bot = SearchBot(4, iterations=200)
    assert bot.learned(match) is None
    assert bot.choose(match, 0) == ClassicBot(4, iterations=200).choose(match, 0)
    said = capsys.readouterr().err
    assert "learned another kit than dearer; bottega train splendor --kit" in said
    assert LearnedBot(4).choose(match, 0) in match.legal(0)
    plan = Plan.make(SPLENDOR, 2, 4, 20, 1000, match.kit, {})
    with pytest.raises(bottega.BadOption, match="learned another kit"):
        bots_worker(plan, ["learned", "random"])


def test_a_network_of_a_file_guides_the_search(tmp_path):
    file = tmp_path / "own.safetensors"
    net.save(file, random_net(SPLENDOR), {"game": "splendor", "kit": SPLENDOR.kit().hash})
    match = SPLENDOR.new(2, 5)
    bot = bottega.bot("search", iterations=100, net=file)
    assert bot.learned(match).net.first.shape[1] == 16
    assert bot.choose(match, 0) in match.legal(0)
    assert bottega.bot("learned", net=file).choose(match, 0) in match.legal(0)


def test_files_that_are_no_networks_are_refused(tmp_path):
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no network")
    with pytest.raises(bottega.BottegaError, match="no network can be read here"):
        net.read(broken, SPLENDOR)
    with pytest.raises(bottega.BottegaError, match="no network can be read here"):
        net.read(tmp_path / "missing.safetensors", SPLENDOR)
    with pytest.raises(bottega.BottegaError, match="is for splendor, not for artificium"):
        net.read(SPLENDOR.folder / net.FILE, bottega.game("artificium"))
    tensors = load_file(SPLENDOR.folder / net.FILE)
    other = tmp_path / "other.safetensors"
    save_file({"weights": tensors["first"]}, other, {"game": "splendor"})
    with pytest.raises(bottega.BottegaError, match="no network of bottega train"):
        net.read(other, SPLENDOR)
    save_file(tensors | {"policy": tensors["policy"][:, :-1].copy()}, other, {"game": "splendor"})
    with pytest.raises(bottega.BottegaError, match="does not fit the rules of Splendor"):
        net.read(other, SPLENDOR)


def test_rules_that_outgrew_their_network_are_searched_without(tmp_path, capsys):
    """A game with one action more than its network knows."""
    (tmp_path / net.FILE).write_bytes((SPLENDOR.folder / net.FILE).read_bytes())
    grown = replace(SPLENDOR, folder=tmp_path, actions=SPLENDOR.actions + 1)
    assert net.shipped(grown) is None
    assert "does not fit the rules of Splendor as they are" in capsys.readouterr().err
