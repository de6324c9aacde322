"""The kit: the complete list of cards and nobles, and what the loader refuses."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

import bottega
from bottega.games.splendor.sight import card_view, noble_view

GAME = bottega.game("splendor")
GEMS = ("white", "blue", "green", "red", "black")


@pytest.fixture
def cards():
    return [card_view(GAME.kit().record[0], card) for card in range(90)]


@pytest.fixture
def nobles():
    return [noble_view(GAME.kit().record[0], noble) for noble in range(10)]


def test_ninety_cards_eight_six_four_per_colour_and_level(cards):
    by_kind = Counter((card["level"], card["bonus"]) for card in cards)
    assert len(by_kind) == 15
    assert all(number == {1: 8, 2: 6, 3: 4}[level] for (level, _), number in by_kind.items())


def test_all_cards_differ(cards):
    kinds = {(c["level"], c["bonus"], c["points"], *c["cost"].values()) for c in cards}
    assert len(kinds) == 90


def test_every_colour_has_the_same_points_and_costs(cards):
    """The deck is symmetric: each colour's cards have the same points and sizes of cost."""
    for level in (1, 2, 3):
        shapes = {
            tuple(
                sorted(
                    (card["points"], *sorted(card["cost"].values()))
                    for card in cards
                    if card["level"] == level and card["bonus"] == colour
                )
            )
            for colour in GEMS
        }
        assert len(shapes) == 1, level


def test_sums(cards):
    points = {n: sum(c["points"] for c in cards if c["level"] == n) for n in (1, 2, 3)}
    assert points == {1: 5, 2: 55, 3: 80}
    for level in (1, 2, 3):
        asked = {sum(c["cost"][gem] for c in cards if c["level"] == level) for gem in GEMS}
        assert len(asked) == 1, f"level {level} asks for some gem more than for others"


def test_ten_nobles_of_three_points(nobles):
    assert [noble["points"] for noble in nobles] == [3] * 10
    needs = Counter(tuple(sorted(noble["need"].values())) for noble in nobles)
    assert needs == {(0, 0, 0, 4, 4): 5, (0, 0, 3, 3, 3): 5}
    for gem in GEMS:
        assert sum(noble["need"][gem] for noble in nobles) == 17


# What the loader refuses


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(GAME.folder / "kit", tmp_path / "kit")
    return tmp_path / "kit"


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def refused(folder):
    with pytest.raises(bottega.KitError) as problem:
        GAME.kit(folder / "default.toml")
    assert "\n" not in str(problem.value)
    return str(problem.value)


def test_a_copy_is_the_same_kit(folder):
    assert GAME.kit(folder / "default.toml").hash == GAME.kit().hash


def test_a_changed_card_is_another_kit(folder):
    edit(folder / "cards.csv", "1,black,0,0,0,1,3,1", "1,black,0,0,0,1,3,2")
    kit = GAME.kit(folder / "default.toml")
    assert kit.hash != GAME.kit().hash
    match = GAME.new(2, 1, kit=folder / "default.toml")
    assert bottega.replay(match.save(), kit=folder / "default.toml").state() == match.state()
    with pytest.raises(bottega.NotationError, match="another kit"):
        bottega.replay(match.save())


def test_missing_column(folder):
    edit(folder / "cards.csv", "level,bonus,points", "level,bonus,honour")
    assert refused(folder) == "cards.csv: column 'points' is missing"


def test_wrong_count(folder):
    edit(folder / "cards.csv", "1,black,0,0,0,1,3,1\n", "")
    assert refused(folder) == "default.toml: level 1 has 39 cards, it must have 40"


def test_wrong_colour_balance(folder):
    edit(folder / "cards.csv", "1,black,0,0,0,1,3,1", "1,red,0,0,0,1,3,1")
    assert "level 1 has 9 red cards, it must have 8" in refused(folder)


@pytest.mark.parametrize("cell", ["x", "-1", "2.5", "", "99"])
def test_a_bad_number_names_file_line_and_column(folder, cell):
    edit(folder / "cards.csv", "1,black,0,0,0,1,3,1", f"1,black,0,0,0,1,3,{cell}")
    assert f"cards.csv, line 2: black is '{cell}'" in refused(folder)


def test_a_short_row(folder):
    edit(folder / "cards.csv", "1,black,0,0,0,1,3,1", "1,black,0,0")
    assert "cards.csv, line 2: blue is ''" in refused(folder)


def test_unknown_colour(folder):
    edit(folder / "cards.csv", "1,black,0", "1,pink,0")
    assert "bonus is 'pink': it must be one of white" in refused(folder)


def test_too_few_nobles(folder):
    lines = (folder / "nobles.csv").read_text(encoding="utf-8").splitlines()
    (folder / "nobles.csv").write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert "there are 9 nobles" in refused(folder)


def test_a_kit_of_another_game(folder):
    edit(folder / "default.toml", 'game = "splendor"', 'game = "chess"')
    assert "a kit for chess, not for splendor" in refused(folder)


def test_a_missing_file(folder):
    (folder / "nobles.csv").unlink()
    assert "cannot read 'nobles.csv'" in refused(folder)
    (folder / "default.toml").unlink()
    assert "no such kit file" in refused(folder)


def test_not_toml(folder):
    (folder / "default.toml").write_text("}{", encoding="utf-8")
    assert "not a TOML file" in refused(folder)
    (folder / "default.toml").write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in refused(folder)
