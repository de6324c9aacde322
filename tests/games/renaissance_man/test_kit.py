"""The kits: what the two decks hold, and what the loader refuses."""

from __future__ import annotations

import shutil
from collections import Counter
from itertools import permutations

import pytest

import bottega
from bottega.games.renaissance_man.sight import ICONS_OF, WORKERS, card_view
from bottega.games.renaissance_man.state import CARDS, FOUNDATION, NO_CARD, RENAISSANCE_MAN
from tests.games.properties import check_random_game, check_secrets
from tests.games.renaissance_man.invariants import check

GAME = bottega.game("renaissance-man")


def cards(kit: str):
    return [card_view(GAME.kit(kit), card) for card in range(CARDS)]


def corners(card):
    return (card["kind"], *card["need"], *card["offer"])


def test_the_default_kit_is_the_reconstruction_of_the_rulings():
    """Each type twice over each ordered pair of different needs, offering itself."""
    found = Counter(corners(card) for card in cards("default"))
    expected = {
        (kind, left, right, kind, kind): 2
        for kind in ICONS_OF
        for left, right in permutations(ICONS_OF, 2)
    }
    assert found == expected
    assert "reconstruction" in GAME.kit().origin.lower()
    assert "reconstructed" in GAME.new(2, 1).view()["kit"]["title"]


def test_the_permutations_kit():
    """Each type with each of the 24 arrangements of the four icons over the four corners."""
    found = Counter(corners(card) for card in cards("permutations"))
    assert found == {(kind, *four): 1 for kind in ICONS_OF for four in permutations(ICONS_OF)}
    assert "our own" in GAME.kit("permutations").origin.lower()
    assert GAME.kit("permutations").hash != GAME.kit().hash


def test_foundation_and_renaissance_man():
    kit = GAME.kit()
    for kind, icon in enumerate(ICONS_OF):
        seen = card_view(kit, FOUNDATION + kind)
        assert (seen["worker"], seen["kind"]) == (WORKERS[kind], icon)
        assert seen["offer"] == [icon, icon]
        assert seen["need"] == [None, None]
    seen = card_view(kit, RENAISSANCE_MAN)
    assert (seen["worker"], seen["kind"], seen["id"]) == ("Renaissance Man", None, None)
    assert card_view(kit, NO_CARD) is None


@pytest.mark.parametrize("name", ["default", "permutations"])
def test_how_many_cards_fit_between_two_offers(name):
    """The judge's table against a plain count."""
    kit = GAME.kit(name).record[0]
    for left, first in enumerate(ICONS_OF):
        for right, second in enumerate(ICONS_OF):
            number = sum(card["need"] == [first, second] for card in cards(name))
            assert kit.fits[16 * (1 << left) + (1 << right)] == number
    assert kit.fits[16 * 15 + 15] == CARDS
    assert not kit.fits[:16].any()


def test_the_permutations_kit_is_played_everywhere():
    match = GAME.new(2, 3, kit="permutations", limit=300)
    while not match.over:
        seat = match.waiting[0]
        match.play(seat, bottega.bot("greedy", seed=1).choose(match, seat))
        check(match)
    assert bottega.replay(match.save()).state() == match.state()
    assert max(match.scores) > 8


def test_the_permutations_kit_keeps_the_shared_properties(monkeypatch):
    game = GAME
    new = type(game).new
    monkeypatch.setattr(
        type(game), "new", lambda *args, **rest: new(*args, **{"kit": "permutations", **rest})
    )
    check_random_game(game, 3, 4, check)
    assert check_secrets(game, 2, 4, [])


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


def test_a_printed_deck_can_be_entered(folder):
    """Needs and both offers are stated for each card; copies may be split."""
    edit(folder / "cards.csv", "coin,coin,book,coin,coin,2", "coin,coin,coin,book,shield,1")
    edit(folder / "cards.csv", "coin,coin,bread", "coin,book,book,book,bread,1\ncoin,coin,bread")
    kit = GAME.kit(folder / "default.toml")
    assert corners(card_view(kit, 0)) == ("coin", "coin", "coin", "book", "shield")
    match = GAME.new(2, 1, kit=folder / "default.toml")
    assert bottega.replay(match.save(), kit=folder / "default.toml").state() == match.state()
    with pytest.raises(bottega.NotationError, match="another kit"):
        bottega.replay(match.save())


def test_wrong_count(folder):
    edit(folder / "cards.csv", "coin,coin,book,coin,coin,2\n", "")
    assert refused(folder) == "default.toml: there are 94 cards, there must be 96"


def test_a_type_without_cards(folder):
    text = (folder / "cards.csv").read_text(encoding="utf-8")
    (folder / "cards.csv").write_text(text.replace("\nshield,", "\nbread,"), encoding="utf-8")
    assert refused(folder) == "default.toml: no card is of the type shield"


@pytest.mark.parametrize("cell", ["0", "x", "", "-1", "97"])
def test_a_bad_number_names_file_line_and_column(folder, cell):
    edit(folder / "cards.csv", "coin,coin,book,coin,coin,2", f"coin,coin,book,coin,coin,{cell}")
    assert f"cards.csv, line 2: copies is '{cell}'" in refused(folder)


def test_an_unknown_icon(folder):
    edit(folder / "cards.csv", "coin,coin,book,coin,coin,2", "coin,gold,book,coin,coin,2")
    assert "need_left is 'gold': it must be one of coin, book, bread, shield" in refused(folder)


def test_a_missing_column(folder):
    edit(folder / "cards.csv", "offer_right", "offer")
    assert refused(folder) == "cards.csv: column 'offer_right' is missing"


def test_a_kit_of_another_game(folder):
    edit(folder / "default.toml", 'game = "renaissance-man"', 'game = "chess"')
    assert "a kit for chess, not for renaissance-man" in refused(folder)
