"""Every card, as the rulebook describes it, and the rulebook's example."""

from __future__ import annotations

import pytest

# What the rulebook says: name, copies, takes, gives, points.
BUILDINGS = {
    "sawmill": ("Sawmill", 8, {}, {"wood": 2}, 1),
    "farm": ("Farm", 8, {}, {"wheat": 2}, 1),
    "charcoal": ("Charcoal Burner's House", 8, {"wood": 1}, {"coal": 1}, 2),
    "hunter": ("Hunter Hut", 8, {"wood": 1}, {"food": 1}, 2),
    "bakery": ("Mill & Bakery", 8, {"wheat": 1}, {"food": 1}, 2),
    "brewery": ("Brewery", 8, {"wheat": 1}, {"beer": 1}, 2),
    "mine": ("Crystal Mine", 8, {"food": 1}, {"crystal": 1}, 3),
    "foundry": ("Foundry", 8, {"food": 1}, {"metal": 1}, 3),
    "laboratory": ("Laboratory", 6, {"coal": 1, "crystal": 1}, {"potion": 1}, 5),
    "swordsmith": ("Swordsmith", 6, {"coal": 1, "metal": 1}, {"sword": 1}, 5),
    "tower": ("Wizard's Tower", 6, {"beer": 1, "potion": 1, "coin": 1}, {}, 8),
    "castle": ("Castle", 6, {"beer": 1, "sword": 1, "coin": 1}, {}, 8),
}
ACTIONS = {"exploration": 5, "theft": 5, "reconstruction": 5, "fair": 5}
RIVAL = ["fair", "theft", "exploration", "reconstruction", "farm"]


def printed(t):
    return {card["card"]: card for card in t.match.view()["cards"]}


@pytest.mark.parametrize("card", BUILDINGS)
def test_building(ready, card):
    """It takes, gives and scores what is printed on it; one resource less and it does not."""
    name, copies, takes, gives, points = BUILDINGS[card]
    t = ready([card], RIVAL)
    face = printed(t)[card]
    assert (face["name"], face["sort"], face["points"]) == (name, "building", points)
    assert (face["takes"], face["gives"]) == (takes, gives)
    t.points(100)  # beyond the resources of the track
    goods = {kind: number for kind, number in takes.items() if kind != "coin"}
    t.goods(0, **goods)
    t.choose(card, "fair")
    t.play(1, "discard")
    t.play(0, "against-seat-1" if card == "castle" else "resolve")
    assert t.player(0).points == 100 + points
    assert t.player(0).coins == 5 - takes.get("coin", 0)
    assert t.has(0) == gives
    assert t.lying(0) == {card: 1}
    assert t.kit.copies[list(BUILDINGS).index(card) + 4] == copies


@pytest.mark.parametrize("card", [card for card in BUILDINGS if BUILDINGS[card][2]])
def test_building_without_its_cost(ready, card):
    takes = BUILDINGS[card][2]
    for lacking in takes:
        t = ready([card], RIVAL)
        has = {kind: n - (kind == lacking) for kind, n in takes.items() if kind != "coin"}
        t.goods(0, **has)
        t.coins(0, 1 if lacking != "coin" else 0)
        t.choose(card, "pass")
        assert t.may(0) <= {"discard", "take-back", *(f"sell-{kind}" for kind in has)}


def test_exploration(ready):
    t = ready(["exploration"], ["castle", "castle"])
    t.choose("exploration", "castle")
    t.play(0, "against-seat-1")
    assert t.held(0) == {"castle": 1}
    assert t.player(1).held == 1  # a new card for the lost one
    assert t.player(0).points == 0


def test_exploration_draws_any_card_alike(ready):
    taken = []
    for seed in range(60):
        t = ready(["exploration"], ["castle", "castle", "castle", "fair"], seed=seed)
        t.choose("exploration", "pass")
        t.play(0, "against-seat-1")
        taken += t.held(0)
    assert 30 < taken.count("castle") < 58
    assert taken.count("castle") + taken.count("fair") == 60


def test_theft(ready):
    t = ready(["theft"], RIVAL)
    t.goods(1, food=2)
    t.choose("theft", "farm")
    t.play(0, "steal-food-seat-1")
    assert (t.has(0), t.has(1)) == ({"food": 1}, {"food": 1})
    assert (t.player(0).coins, t.player(1).coins) == (3, 5)


def test_reconstruction(ready):
    t = ready(["reconstruction"], RIVAL)
    t.front(0, "castle", "farm", "farm")
    t.choose("reconstruction", "fair")
    t.play(0, "return-farm")
    assert t.held(0) == {"farm": 1}
    assert t.lying(0) == {"castle": 1, "farm": 1, "reconstruction": 1}


def test_fair(ready):
    t = ready(["fair"], RIVAL)
    t.front(0, "castle", "farm", "farm", "theft")
    t.choose("fair", "fair")
    t.play(0, "resolve")
    assert t.player(0).coins == 5 + 2 * 4


def test_wizards_tower(ready):
    t = ready(["tower"], RIVAL)
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "fair")
    t.play(1, "discard")
    t.play(0, "resolve")
    assert t.player(0).held == 5
    for _ in range(3):
        t.play(0, min(t.may(0)))
    assert t.player(0).held == 2
    assert t.match.waiting == [0, 1]


def test_castle(ready):
    t = ready(["castle"], RIVAL)
    t.goods(0, beer=1, sword=1)
    t.points(10, 10)
    t.choose("castle", "fair")
    t.play(1, "discard")
    t.play(0, "against-seat-1")
    assert [t.player(seat).points for seat in (0, 1)] == [18, 6]


@pytest.mark.parametrize("card", ACTIONS)
def test_actions_give_no_points(table, card):
    face = printed(table())[card]
    assert (face["sort"], face["points"], face["takes"], face["gives"]) == ("action", 0, {}, {})


def test_the_rulebooks_example(ready):
    """Sawmill, Mill & Bakery, Brewery, Swordsmith: 2 Wood, 1 Food, 1 Beer, 1 Sword and
    1 + 2 + 2 + 5 points; then the Castle turns Beer, Sword and a coin into 8 points and a
    Knight who drives an opponent 4 back."""
    chain = ["sawmill", "bakery", "brewery", "swordsmith", "castle"]
    t = ready(chain, RIVAL)
    t.points(100, 9)  # the spaces of the track that the example does not mention lie behind
    t.goods(0, wheat=2, coal=1, metal=1)
    for card, other in zip(chain[:4], RIVAL, strict=False):
        t.choose(card, other)
        t.play(1, "discard")
        t.play(0, "resolve")
    assert t.has(0) == {"wood": 2, "food": 1, "beer": 1, "sword": 1}
    assert t.player(0).points == 100 + 1 + 2 + 2 + 5
    t.choose("castle", "farm")
    t.play(0, "against-seat-1")
    assert t.has(0) == {"wood": 2, "food": 1}
    assert t.player(0).coins == 4
    assert t.player(0).points == 110 + 8
    assert t.player(1).points == 9 - 4
