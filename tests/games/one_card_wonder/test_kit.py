"""The kit: what is in it, and what the loader refuses, naming the entry and what is wrong."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

import pytest

import bottega
from bottega.games.one_card_wonder import GAME

TEXT = GAME.kits["default"].read_text(encoding="utf-8")
DATA = tomllib.loads(TEXT)


# What is in it


def test_18_wonders_12_mats_10_leaders():
    words = GAME.kit().words
    assert [len(words[kind]) for kind in ("wonders", "mats", "leaders")] == [18, 12, 10]
    assert Counter(wonder["complexity"] for wonder in words["wonders"]) == {
        "I": 6,
        "II": 6,
        "III": 6,
    }
    assert all(len(mat["buildings"]) == 4 for mat in words["mats"])


def test_it_says_that_it_is_our_own_design():
    assert "not public" in GAME.kit().origin
    assert GAME.new(2, 1).view()["kit"]["origin"] == GAME.kit().origin


@pytest.mark.parametrize("wonder", DATA["wonders"], ids=lambda wonder: wonder["name"])
def test_wonders_are_drawn_from_the_ground_up(wonder):
    """What a stage needs begins below it, and some of that lies under it; what needs nothing
    stands on the ground."""
    stages = wonder["stages"]
    for stage in stages:
        left, height, width, _ = stage["at"]
        needed = [stages[number - 1]["at"] for number in stage["on"]]
        assert all(its_height < height for _, its_height, _, _ in needed)
        under = [at for at in needed if at[0] < left + width and left < at[0] + at[2]]
        assert under or (height == 0 and not needed)


def test_complexity_rises_with_the_number_of_stages():
    def stages(complexity):
        counts = [len(w["stages"]) for w in DATA["wonders"] if w["complexity"] == complexity]
        return sum(counts) / len(counts)

    assert stages("I") < stages("II") < stages("III")


def test_every_kind_of_ability_is_in_use():
    """The vocabulary that the rulings ask for."""
    used = {
        (head, key)
        for owner in (*DATA["mats"], *DATA["wonders"])
        for building in owner["buildings"]
        for head, body in building["ability"].items()
        for key in body
    }
    assert used >= {
        ("produce", "drawn"),
        ("produce", "kept"),
        ("produce", "take"),
        ("produce", "supply"),
        ("produce", "coins"),
        ("claim", "colours"),
        ("claim", "coins"),
        ("build", "pay"),
        ("build", "reduce"),
        ("build", "buildings"),
        ("build", "stages"),
        ("sell", "single"),
        ("sell", "coins"),
        ("action", "exchange"),
        ("action", "supply"),
        ("now", "take"),
        ("now", "bag"),
        ("lasting", "room"),
    }


# What is refused


def refused(tmp_path, *edits: tuple[str, str]) -> str:
    """What the loader says about an edited kit."""
    text = TEXT
    for old, new in edits:
        text, found = re.subn(old, lambda _, new=new: new, text, count=1, flags=re.DOTALL)
        assert found, old
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(bottega.KitError) as refusal:
        GAME.kit(str(file))
    return str(refusal.value)


PYRAMID = re.escape('{ cost = "stone", at = [0, 0, 6, 4], shape = "block", on = [] }')
RAMP = r'\{ name = "Building Ramp".*?\} \} \}'
LEADER = r'name = "Imhotep".*?\n\n'


def stage(cost="stone", at="[0, 0, 6, 4]", shape="block", on="[]"):
    return f'{{ cost = "{cost}", at = {at}, shape = "{shape}", on = {on} }}'


def ramp(ability, cost="wood"):
    return f'{{ name = "Building Ramp", cost = "{cost}", ability = {ability} }}'


def imhotep(effect="{ stage = true }", defeat="stone", globe="false"):
    return f'name = "Imhotep"\ndefeat = "{defeat}"\nglobe = {globe}\neffect = {effect}\n\n'


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (stage(on="[5]"), "stages [1, 5, 8, 10] wait for each other in a circle"),
        (stage(on="[1]"), "stage 1: it cannot stand on stage 1"),
        (stage(on="[13]"), "stage 1: it cannot stand on stage 13"),
        (stage(on="[12]"), "stage 1: it stands on a stage that is not there"),
        (stage(on='"2"'), "stage 1: 'on' must list numbers"),
        (stage(cost="stone wood clay"), "stage 1: a cost of 3 symbols; at most 2"),
        (stage(cost="gold"), "stage 1: 'gold' is not a symbol of a cost"),
        (stage(cost=""), "stage 1: a cost is a text of symbols"),
        (stage(at="[0, 0, 6]"), "stage 1: 'at' must be four numbers"),
        (stage(at="[0, 0, 0, 4]"), "stage 1: 'at' must not be negative, nor its size zero"),
        (stage(shape="cloud"), "stage 1: its shape must be one of arch, "),
    ],
)
def test_stages(tmp_path, new, says):
    message = refused(tmp_path, (PYRAMID, new))
    assert message.startswith("mine.toml: Great Pyramid of Giza")
    assert says in message


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (ramp("{ trade = { coins = 1 } }"), "'trade' is not a head of abilities"),
        (ramp("{ build = { shrink = 1 } }"), "'shrink' is not understood here"),
        (ramp("{ produce = { drawn = 1, kept = 1 } }"), "'kept' is not understood here"),
        (ramp("{ produce = { drawn = 0 } }"), "'drawn' must be a whole number from 1 to 6"),
        (ramp("{ now = { coins = 7 } }"), "'coins' must be a whole number from 1 to 6"),
        (ramp("{ now = {} }"), "'now' says nothing"),
        (ramp("{ now = { coins = 1 }, sell = { coins = 1 } }"), "an ability has one head"),
        (ramp('{ now = { take = ["gold"] } }'), "'take' must list resources"),
        (ramp('{ build = { reduce = "coin", of = "stages" } }'), "'reduce' must be one of stone"),
        (ramp('{ build = { reduce = "any", of = "stages" } }'), "'reduce' must be one of stone"),
        (ramp('{ build = { reduce = "clay", of = "all" } }'), "'of' must be stages or buildings"),
        (ramp('{ build = { pay = "clay", as = "clay" } }'), "clay is paid as clay anyway"),
        (
            ramp('{ action = { exchange = 2, pay = "cube", coins = 1 } }'),
            "an exchange gives cubes of choice",
        ),
        (ramp("{ now = { coins = 1 } }", "wood wood wood wood wood"), "a cost of 5 symbols"),
    ],
)
def test_buildings(tmp_path, new, says):
    message = refused(tmp_path, (RAMP, new))
    assert message.startswith("mine.toml: Great Pyramid of Giza, Building Ramp: ")
    assert says in message


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (imhotep("{ win = true }"), "Imhotep: 'win' is not understood here"),
        (imhotep("{}"), "Imhotep: an effect says what happens"),
        (imhotep(defeat="gold"), "Imhotep: 'gold' is not a symbol"),
        (imhotep(globe="1"), "Imhotep: 'globe' must be true or false"),
    ],
)
def test_leaders(tmp_path, new, says):
    assert refused(tmp_path, (LEADER, new)).startswith(f"mine.toml: {says}")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ((r'\[\[leaders\]\]\nname = "Imhotep".*?\n\n', ""), "there are 9 leaders, there must be"),
        ((r'\[\[mats\]\]\nname = "The Masons".*?\]\n\n', ""), "there are 11 mats, there must be"),
        (('complexity = "I"', 'complexity = "II"'), "5 wonders have complexity I, there must be 6"),
        (('complexity = "I"', 'complexity = "IV"'), "complexity must be I or II or III"),
        (('name = "Stonehenge"', 'name = "Parthenon"'), "the name 'Parthenon' comes twice"),
        (('place = "Giza, Egypt"\n', ""), "Great Pyramid of Giza: 'place' is missing"),
        ((r'  \{ name = "Stone Yard".*?\n', ""), "The Masons: a mat has 4 buildings"),
        ((PYRAMID + r".*?\n\]", "]"), "Great Pyramid of Giza: a wonder has 8 to 12 stages"),
        ((RAMP + ",", ""), "Great Pyramid of Giza: a wonder has 1 or 2 buildings"),
    ],
)
def test_counts_and_names(tmp_path, edit, says):
    assert says in refused(tmp_path, edit)


def test_another_kit_plays_by_its_own_data(tmp_path):
    """Other components need no other rules: the printed ones can be put in a file."""
    file = tmp_path / "mine.toml"
    text = TEXT.replace('name = "Great Pyramid of Giza"', 'name = "Red Pyramid"')
    file.write_text(text.replace("{ lasting = { room = 3 } }", "{ lasting = { room = 6 } }"))
    kit = GAME.kit(str(file))
    assert kit.hash != GAME.kit().hash
    assert kit.words["wonders"][0]["name"] == "Red Pyramid"
    assert 6 in kit.record[0].ability["room"]
