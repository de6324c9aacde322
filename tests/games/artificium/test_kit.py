"""The kit: the complete list of cards, prices and spaces, and what the loader refuses."""

from __future__ import annotations

import shutil

import pytest

import bottega
from bottega.games.artificium import GAME
from bottega.games.artificium.components import CARDS, RESOURCES

LEVELS = {
    1: ("wood", "wheat"),
    2: ("coal", "food", "beer"),
    3: ("crystal", "metal"),
    4: ("potion", "sword"),
}
PRICES = {1: (2, 1), 2: (4, 2), 3: (6, 3), 4: (9, 5)}
TRACK = (
    "4 wood, 8 wheat, 12 coal, 16 food, 20 beer, 25 crystal, 30 metal, 35 coal, 40 food, 45 beer, "
    "51 crystal, 57 metal, 64 potion, 71 sword, 79 potion, 87 sword"
)


@pytest.fixture
def view():
    return GAME.new(2, 1).view()


def test_108_cards():
    copies = GAME.kit().record[0].copies
    assert int(copies.sum()) == 108
    assert copies[:4].tolist() == [5] * 4
    assert copies[4:12].tolist() == [8] * 8
    assert copies[12:16].tolist() == [6] * 4
    assert not copies[16:].any()


def test_levels_and_prices(view):
    for resource in view["resources"]:
        level = resource["level"]
        assert resource["resource"] in LEVELS[level]
        assert (resource["buy"], resource["sell"]) == PRICES[level]
    assert [resource["resource"] for resource in view["resources"]] == list(RESOURCES)


def test_score_track(view):
    spaces = ", ".join(f"{space['space']} {space['resource']}" for space in view["track"])
    assert spaces == TRACK


def test_prices_and_track_are_marked_as_a_reconstruction(view):
    assert "reconstruction" in view["kit"]["origin"]
    assert view["kit"]["reconstructed"] == "prices and score track"
    assert "Reconstructed: prices and score track." in GAME.words.sketch(view)


def test_every_card_and_resource_has_a_drawing_in_words():
    assert {*RESOURCES} <= GAME.words.ICONS.keys()


def test_a_table_of_six_is_small():
    assert GAME.table.itemsize < 1000


# What a designer may do


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(GAME.folder / "kit", tmp_path / "kit")
    return tmp_path / "kit"


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_new_building_needs_no_new_rules(folder):
    with (folder / "cards.csv").open("a", encoding="utf-8") as cards:
        cards.write("extra1,Smokehouse,building,4,4,1 wood + 1 food,1 coal + 3 coins,fair 1\n")
    edit(folder / "default.toml", "deck = 108", "deck = 112")
    match = GAME.new(2, 1, kit=folder / "default.toml")
    s = match._table[0]
    match.play(0, "pass")
    match.play(1, "pass")
    s.players[0].hand[CARDS.index("extra1")] += 1
    s.players[0].held += 1
    s.players[0].goods[[0, 3]] = 1
    s.players[0].board[[0, 3]] = 1
    match.play(0, "play-extra1")
    match.play(1, "pass")
    assert match.legal(0)[0].text.startswith(
        "Resolve Smokehouse: 1 Wood and 1 Food for 1 Coal and 3 coins and 4 points"
    )
    match.play(0, "resolve")
    assert s.players[0].points == 4
    assert s.players[0].coins == 5 + 3
    assert s.players[0].goods.tolist() == [1, 0, 1, 0, 0, 0, 0, 0, 0]  # Wood from the track


def test_a_changed_price_is_another_kit(folder):
    edit(folder / "resources.csv", "sword,Sword,4,9,5", "sword,Sword,4,10,5")
    kit = GAME.kit(folder / "default.toml")
    assert kit.hash != GAME.kit().hash
    assert kit.record[0].buy[8] == 10


def test_a_copy_is_the_same_kit(folder):
    assert GAME.kit(folder / "default.toml").hash == GAME.kit().hash


# What the loader refuses


def refused(folder):
    with pytest.raises(bottega.KitError) as problem:
        GAME.kit(folder / "default.toml")
    assert "\n" not in str(problem.value)
    return str(problem.value)


@pytest.mark.parametrize("prices", ["9,9", "4,5"])
def test_a_purchase_must_cost_more_than_a_sale_brings(folder, prices):
    edit(folder / "resources.csv", "sword,Sword,4,9,5", f"sword,Sword,4,{prices}")
    assert "Sword costs" in refused(folder)
    assert "must be above the price to sell" in refused(folder)


def test_wrong_count(folder):
    edit(folder / "cards.csv", "castle,Castle,building,6", "castle,Castle,building,5")
    assert refused(folder) == "default.toml: there are 107 cards, 'deck' says 108"


def test_a_deck_without_a_size(folder):
    edit(folder / "default.toml", "deck = 108\n", "")
    assert "'deck' must say how many cards" in refused(folder)


def test_a_card_twice(folder):
    edit(folder / "cards.csv", "farm,Farm", "sawmill,Farm")
    assert "the card 'sawmill' is listed twice" in refused(folder)


def test_two_cards_of_one_name(folder):
    edit(folder / "cards.csv", "farm,Farm", "farm,Sawmill")
    assert "the card named 'Sawmill' is listed twice" in refused(folder)


def test_a_card_without_a_name(folder):
    edit(folder / "cards.csv", "farm,Farm", "farm,")
    assert "the card 'farm' has no name" in refused(folder)


def test_a_card_that_does_nothing(folder):
    edit(folder / "cards.csv", "farm,Farm,building,8,1,,2 wheat,", "farm,Farm,building,8,0,,,")
    assert "Farm neither scores nor gives nor does anything" in refused(folder)


@pytest.mark.parametrize(
    ("takes", "problem"),
    [
        ("1 gold", "it must be one of wood"),
        ("wood", "it must be one of wood"),
        ("x wood", "it must be a whole number"),
        ("0 wood", "it must be from 1 to 9"),
    ],
)
def test_a_cost_that_cannot_be_read(folder, takes, problem):
    edit(folder / "cards.csv", "8,2,1 wood,1 coal", f"8,2,{takes},1 coal")
    assert f"cards.csv, line 8: takes is '{takes}': {problem}" in refused(folder)


@pytest.mark.parametrize(
    ("effect", "problem"),
    [
        ("wizard 5", "'wizard' needs 2 numbers after it"),
        ("knight", "'knight' needs 1 number after it"),
        ("knight x", "it must be a whole number"),
        ("dragon 4", "it must be one of"),
        ("theft", "'theft' needs 4 numbers after it"),
        ("theft 1 1 1 1 1", "'theft' needs 4 numbers after it"),
    ],
)
def test_an_effect_that_cannot_be_read(folder, effect, problem):
    edit(folder / "cards.csv", "knight 4", effect)
    assert problem in refused(folder)
    assert "cards.csv, line 17: effect" in refused(folder)


def test_a_resource_is_missing(folder):
    edit(folder / "resources.csv", "beer,Beer,2,4,2\n", "")
    assert refused(folder) == "default.toml: the resource 'beer' is missing"


def test_a_resource_twice(folder):
    edit(folder / "resources.csv", "beer,Beer", "food,Beer")
    assert "the resource 'food' is listed twice" in refused(folder)


def test_a_resource_without_a_name(folder):
    edit(folder / "resources.csv", "beer,Beer", "beer,")
    assert "the resource 'beer' has no name" in refused(folder)


def test_a_space_twice(folder):
    edit(folder / "track.csv", "8,wheat", "4,wheat")
    assert "the space of the score track '4' is listed twice" in refused(folder)


@pytest.mark.parametrize("space", ["0", "128", "x"])
def test_a_space_that_is_not_on_the_track(folder, space):
    edit(folder / "track.csv", "8,wheat", f"{space},wheat")
    assert f"track.csv, line 3: space is '{space}'" in refused(folder)
