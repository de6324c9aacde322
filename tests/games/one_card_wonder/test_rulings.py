"""One test, or a few, for each ruling W1 to W17."""

from __future__ import annotations

import pytest

import bottega
from bottega.games.one_card_wonder import GAME
from bottega.games.one_card_wonder.state import NO_MAT, TABLE
from tests.games.one_card_wonder.conftest import lanes

CUBES = {2: 6, 3: 8, 4: 10, 5: 10, 6: 12}
COLOURS = ("stone", "wood", "iron", "clay", "knowledge")


def test_the_record_is_small():
    assert TABLE.itemsize < 1024


# W1: cubes


@pytest.mark.parametrize("players", range(2, 7))
def test_w1_cubes_by_players_those_on_wonders_and_supply_included(table, players):
    t = table(players, draft="pick")
    view = t.match.view()
    on_wonders = [sum(offer["cubes"].values()) for offer in view["offers"] if offer]
    assert on_wonders == [2] * (players + 1)
    assert sum(view["bag"].values()) == 5 * CUBES[players] - 2 * (players + 1)
    assert not sum(view["supply"].values())
    for _ in range(players):
        t.play(min(t.may(t.match.waiting[0])))
    view = t.match.view()
    assert list(view["supply"].values()) == [1] * 5
    held = sum(sum(player["stock"].values()) for player in view["players"])
    assert held == 2 * players
    assert sum(view["bag"].values()) == 5 * CUBES[players] - held - 5


def test_w1_leftover_cubes_return_before_the_supply_is_filled(table):
    t = table(2, draft="pick")
    t.play("pick-1")
    s = t.s
    # All stone but that of the last wonder is on the mats: only the leftover can fill the supply.
    s.gifts[1], s.gifts[2] = lanes(wood=2), lanes(stone=1, wood=1)
    everything = dict.fromkeys(COLOURS, 6)
    rest = {**everything, "stone": 0, "wood": 3}
    s.now[0].bag = lanes(**rest)
    s.players[1].stock = lanes(stone=5)
    t.play("pick-2")
    assert t.on_supply()["stone"] == 1
    assert "stone" not in t.in_bag()


def test_w1_a_colour_the_bag_lacks_leaves_its_place_empty(table):
    t = table(2, draft="pick")
    t.play("pick-1")
    s = t.s
    s.gifts[1], s.gifts[2] = lanes(wood=2), lanes(wood=2)
    s.now[0].bag = lanes(wood=2, iron=6, clay=6, knowledge=6)
    s.players[1].stock = lanes(stone=6)
    t.play("pick-2")
    assert t.on_supply() == {"wood": 1, "iron": 1, "clay": 1, "knowledge": 1}


# W2: the draft


def test_w2_counter_clockwise_from_the_right_and_the_starting_player_last(table):
    t = table(4, draft="pick")
    order = []
    for place in (3, 1, 5, 2):
        order += t.match.waiting
        t.play(f"pick-{place}")
    assert order == [3, 2, 1, 0]


def test_w2_a_wonder_comes_with_its_cubes_and_is_gone(table):
    t = table(3, draft="pick")
    offer = t.match.view()["offers"][1]
    t.play("pick-2")
    player = t.match.view()["players"][2]
    assert player["wonder"]["name"] == offer["name"]
    assert {k: n for k, n in player["stock"].items() if n} == {
        k: n for k, n in offer["cubes"].items() if n
    }
    assert t.match.view()["offers"][1] is None
    with pytest.raises(bottega.IllegalMove, match="W2"):
        t.play("pick-2")


def test_w2_random_draft_deals_wonders_and_mats(table):
    t = table(5, draft="random")
    players = t.match.view()["players"]
    assert all(player["wonder"] and player["mat"] for player in players)
    assert len({player["wonder"]["name"] for player in players}) == 5
    assert len({player["mat"]["name"] for player in players}) == 5
    assert t.match.waiting == [0]
    assert all(sum(player["stock"].values()) == 2 for player in players)


@pytest.mark.parametrize("complexity", ["I", "II", "III"])
def test_w2_complexity_limits_the_wonders(table, complexity):
    for seed in range(5):
        offers = table(4, seed, draft="pick", complexity=complexity).match.view()["offers"]
        assert {offer["complexity"] for offer in offers if offer} == {complexity}


@pytest.mark.parametrize(("asked", "joins"), [("I", "II"), ("II", "III"), ("III", "II")])
def test_w2_where_wonders_of_one_complexity_are_too_few_the_next_joins(table, asked, joins):
    """With six players the last one to pick had no choice."""
    t = table(6, draft="pick", complexity=asked)
    marks = [offer["complexity"] for offer in t.match.view()["offers"]]
    assert sorted(marks) == sorted([asked] * 6 + [joins])
    for number in range(6):
        seat = t.match.waiting[0]
        assert f"too few of complexity {asked}: {joins} joined" in t.match.prompt(seat)
        assert len(t.may(seat)) == 7 - number, "everybody has a choice"
        t.play(min(t.may(seat)))
    assert t.phase == "mats"


def test_w2_with_enough_wonders_nothing_joins(table):
    t = table(5, draft="pick", complexity="I")
    assert [offer["complexity"] for offer in t.match.view()["offers"][:6]] == ["I"] * 6
    assert "joined" not in t.match.prompt(t.match.waiting[0])


# W3: mats


def drafted(table, players=3):
    t = table(players, draft="pick")
    for _ in range(players):
        t.play(min(t.may(t.match.waiting[0])))
    return t


def test_w3_two_mats_each_seen_by_that_player_alone(table):
    t = drafted(table)
    dealt = [[mat["name"] for mat in t.match.view(seat)["choosing"]] for seat in range(3)]
    assert all(len(mats) == 2 for mats in dealt)
    assert len({mat for mats in dealt for mat in mats}) == 6
    assert t.match.view()["choosing"] == []


def test_w3_choices_are_simultaneous_sealed_and_revealed_together(table):
    t = drafted(table)
    assert t.match.waiting == [0, 1, 2]
    wanted = t.match.view(1)["choosing"][1]["name"]
    t.by(1, "mat-2")
    assert t.match.waiting == [0, 2]
    assert t.match.view(0)["players"][1]["mat"] is None
    assert t.match.view(0)["players"][1]["chosen"] is True
    assert t.match.view(1)["players"][1]["chosen"] == 2
    t.by(2, "mat-1")
    t.by(0, "mat-1")
    assert t.match.view(0)["players"][1]["mat"]["name"] == wanted
    assert [line.text for line in t.match.log(0)][-2].startswith("Player 2 plays")


def test_w3_the_mat_not_chosen_stays_unknown(table):
    t = drafted(table)
    for seat in range(3):
        t.by(seat, "mat-1")
    assert all(mat == NO_MAT for seat in range(3) for mat in t.player(seat).dealt)


# W4: turn order


def test_w4_clockwise_from_seat_0(table):
    t = table(3)
    turns = []
    for _ in range(6):
        turns += t.match.waiting
        t.until((turns[-1] + 1) % 3)
    assert turns == [0, 1, 2, 0, 1, 2]


# W5: Produce


def test_w5_three_drawn_two_kept_one_to_the_supply(table):
    t = table()
    t.hold(0)
    t.supply()
    t.play("produce")
    drawn = t.match.view()["hand"]
    assert sum(drawn.values()) == 3
    put = next(colour for colour, n in drawn.items() if n)
    assert t.may() == {f"put-{colour}" for colour, n in drawn.items() if n}
    t.play(f"put-{put}")
    assert t.on_supply() == {put: 1}
    assert sum(t.stock().values()) == 2
    assert t.match.waiting == [1]


def test_w5_of_two_drawn_both_are_kept(table):
    t = table()
    t.hold(0)
    t.empty_bag(wood=1, clay=1)
    t.play("produce")
    assert t.stock() == {"wood": 1, "clay": 1}
    assert t.match.waiting == [1]


def test_w5_not_with_an_empty_bag(table):
    t = table()
    t.empty_bag()
    assert "produce" not in t.may()
    with pytest.raises(bottega.IllegalMove, match="W5"):
        t.play("produce")


# W6: Claim


def test_w6_all_cubes_of_one_colour(table):
    t = table()
    t.hold(0)
    t.supply(stone=3, wood=1)
    assert {key for key in t.may() if key.startswith("claim")} == {"claim-stone", "claim-wood"}
    t.play("claim-stone")
    assert t.stock() == {"stone": 3}
    assert t.on_supply() == {"wood": 1}


def test_w6_at_least_one(table):
    t = table()
    t.supply(stone=3)
    with pytest.raises(bottega.IllegalMove, match="W6"):
        t.play("claim-iron")


# W7: Build


def parthenon(table, **things):
    """Stages 1 and 2 on the ground; 3 and 4 stand on 1, 5 and 6 on 2."""
    t = table()
    t.wonder("Parthenon")
    t.mat("The Pioneers")
    t.hold(0, **things)
    return t


def test_w7_several_stages_each_open_once_those_below_stand(table):
    t = parthenon(table, stone=3, wood=2, iron=1)
    assert "stage-1" in t.may()
    assert "stage-3" not in t.may()
    with pytest.raises(bottega.IllegalMove, match=r"Before stage 3, stage 1 must stand \(W7\)"):
        t.play("stage-3")
    t.play("stage-1", "pay-wood", "pay-stone", "stage-3")
    assert t.match.view(0)["players"][0]["built"] == 2
    assert t.stock() == {"stone": 1, "wood": 1}
    t.play("done")
    assert t.match.waiting == [1]


def test_w7_at_least_one_stage_or_building(table):
    t = parthenon(table, stone=1, wood=1)
    assert "done" not in t.may()


def test_w7_a_building_before_the_stages(table):
    t = parthenon(table, stone=3, wood=4)
    t.play("build-1", "pay-wood", "pay-wood")
    assert "stage-1" in t.may()
    t.play("stage-1")
    assert not {key for key in t.may() if key.startswith("build")}


def test_w7_a_building_after_the_stages_ends_them(table):
    t = parthenon(table, stone=2, wood=4, clay=1)
    t.play("stage-1", "pay-stone", "pay-wood", "build-1", "pay-wood", "pay-wood")
    assert not {key for key in t.may() if key.startswith("stage")}
    with pytest.raises(bottega.IllegalMove, match="W7"):
        t.play("stage-2")


def test_w7_one_building_in_one_action(table):
    t = parthenon(table, wood=4, stone=2)
    t.play("build-1", "pay-wood", "pay-wood")
    with pytest.raises(bottega.IllegalMove, match="W7"):
        t.play("build-2")


def test_w7_what_is_built_is_private_until_done(table):
    t = parthenon(table, stone=2, wood=2)
    seen = t.match.view(1), t.match.log(1), t.match.waiting
    t.play("stage-1", "settle")
    assert (t.match.view(1), t.match.log(1), t.match.waiting) == seen
    assert t.match.view(0)["players"][0]["built"] == 1
    t.play("done")
    assert t.match.view(1)["players"][0]["built"] == 1
    assert t.match.log(1)[-1].text == "Player 1 builds stage 1, pays 1 stone and 1 wood."


# W8: Sell


def test_w8_pairs_of_one_colour_for_coins(table):
    t = table()
    t.hold(0, stone=4, wood=3, iron=1)
    assert {key for key in t.may() if key.startswith("sell")} == {"sell-stone", "sell-wood"}
    t.play("sell-stone", "sell-stone", "sell-wood", "done")
    assert t.stock() == {"wood": 1, "iron": 1, "coin": 3}
    assert t.middle.coins == 13


def test_w8_as_long_as_coins_last(table):
    t = table()
    t.hold(0, stone=4)
    t.player(1).room = 20
    t.player(1).stock += lanes(coin=15)
    t.middle.coins -= 15
    t.play("sell-stone")
    assert t.may() == {"done"}
    with pytest.raises(bottega.IllegalMove, match="W8"):
        t.play("sell-stone")


def test_w8_at_least_one_pair(table):
    t = table()
    t.hold(0, stone=1, wood=1)
    with pytest.raises(bottega.IllegalMove, match="W8"):
        t.play("sell-stone")


# W9: over eight


def test_w9_cubes_go_to_the_supply_and_coins_to_the_coin_supply(table):
    t = table()
    t.hold(0, wood=4, coin=3)
    t.supply(stone=3, clay=1)
    t.play("claim-stone")
    assert t.phase == "overflow"
    assert t.may() == {"drop-wood", "drop-coin", "drop-stone"}
    with pytest.raises(bottega.IllegalMove, match="W9"):
        t.play("drop-iron")
    t.play("drop-coin", "drop-wood")
    assert t.stock() == {"stone": 3, "wood": 3, "coin": 2}
    assert t.on_supply() == {"wood": 1, "clay": 1}
    assert t.middle.coins == 14
    assert t.match.waiting == [1]


def test_w9_a_full_mat_may_still_produce(table):
    t = table()
    t.hold(1)
    t.hold(0, wood=6, stone=2)
    t.play("produce")
    t.play(min(t.may()))
    assert t.phase == "overflow"


# W10: paying


def test_w10_a_colour_with_that_colour_or_a_coin(table):
    t = parthenon(table, stone=2, coin=1)
    t.play("stage-1")
    assert t.may() == {"settle", "pay-stone", "pay-coin"}
    t.play("pay-coin", "pay-stone")
    assert t.stock() == {"stone": 1}


def test_w10_a_question_mark_with_anything(table):
    t = parthenon(table, stone=1, iron=1, knowledge=1, coin=1)
    t.play("stage-1")
    assert t.may() == {"settle", "pay-stone", "pay-iron", "pay-knowledge", "pay-coin"}
    t.play("pay-knowledge")
    assert t.may() == {"settle", "pay-stone", "pay-coin"}


def test_w10_a_coin_with_a_coin_only(table):
    t = table()
    t.wonder("Great Pyramid of Giza")
    t.built(*range(1, 10))
    t.hold(0, stone=3, wood=3)
    assert "stage-10" not in t.may()
    with pytest.raises(bottega.IllegalMove, match=r"lack a coin \(W10\)"):
        t.play("stage-10")
    t.hold(0, coin=1)
    assert "stage-10" in t.may()


def test_w10_the_default_uses_the_fewest_coins(table):
    t = parthenon(table, stone=1, clay=2, coin=2)
    t.play("stage-1")
    assert [a.text for a in t.match.legal(0) if a.key == "settle"] == ["Pay 1 stone and 1 clay"]
    t.play("settle")
    assert t.stock() == {"clay": 1, "coin": 2}


def test_w10_without_a_choice_it_is_paid_at_once(table):
    t = parthenon(table, stone=1, clay=1)
    t.play("stage-1")
    assert t.phase == "build"
    assert t.stock() == {}


def test_w10_coins_cover_a_whole_cost(table):
    t = parthenon(table, coin=2)
    t.play("stage-1")
    assert t.stock() == {}
    assert t.middle.coins == 16


# W11: no legal action


def test_w11_passing_only_without_any_action(table):
    t = table()
    with pytest.raises(bottega.IllegalMove, match="W11"):
        t.play("pass")
    t.hold(0)
    t.s.players[1].stock += int(t.middle.bag) + int(t.middle.supply)
    t.middle.bag = t.middle.supply = 0
    assert t.may() == {"pass"}
    t.play("pass")
    assert t.match.waiting == [1]


# W12: trading


def traders(table, **options):
    t = table(4, **options)
    t.hold(1, wood=2, coin=1)
    t.hold(2, stone=3)
    t.hold(3, iron=1)
    return t


def test_w12_two_players_not_on_turn_exchange(table):
    t = traders(table)
    assert t.match.invited == [1, 2, 3]
    t.by(1, "trade-with-3", "give-wood", "give-coin", "ask-stone", "ask-stone", "propose")
    trade = t.match.view(0)["trades"][0]
    assert (trade["from"], trade["to"], trade["give"]["wood"], trade["ask"]["stone"]) == (
        1,
        2,
        1,
        2,
    )
    t.by(2, "accept-2")
    assert t.stock(1) == {"wood": 1, "stone": 2}
    assert t.stock(2) == {"stone": 1, "wood": 1, "coin": 1}
    assert t.match.log()[-1].text == (
        "Player 3 trades with Player 2: gives 2 stone and gets 1 wood and a coin."
    )


def test_w12_gifts_are_possible_and_empty_trades_are_not(table):
    t = traders(table)
    t.by(1, "trade-with-4")
    with pytest.raises(bottega.IllegalMove, match="W12"):
        t.by(1, "propose")
    t.by(1, "give-coin", "propose")
    t.by(3, "accept-2")
    assert t.stock(3) == {"iron": 1, "coin": 1}


def test_w12_declining_and_withdrawing(table):
    t = traders(table)
    t.by(1, "trade-with-3", "give-wood", "propose")
    t.by(2, "decline-2")
    assert t.match.view()["trades"] == []
    t.by(1, "trade-with-3", "give-wood", "propose", "withdraw")
    assert t.match.view()["trades"] == []
    assert t.stock(1) == {"wood": 2, "coin": 1}


@pytest.mark.parametrize("players", [2, 3])
def test_w12_not_with_fewer_than_four(table, players):
    t = table(players)
    assert t.match.invited == []
    with pytest.raises(bottega.IllegalMove):
        t.by(1, "trade-with-1")


def test_w12_nobody_trades_on_turn_or_with_who_is(table):
    t = traders(table)
    assert "trade-with-1" not in t.may(1)
    with pytest.raises(bottega.IllegalMove, match="W12"):
        t.by(0, "trade-with-2")
    with pytest.raises(bottega.IllegalMove, match="W12"):
        t.by(1, "trade-with-1")


def test_w12_proposals_fall_when_a_party_comes_on_turn(table):
    t = traders(table)
    t.by(2, "trade-with-2", "give-stone", "propose")
    t.by(3, "trade-with-3", "give-iron", "propose")
    t.until(1)
    assert [trade["from"] for trade in t.match.view()["trades"]] == [3]
    assert "The proposal of Player 3 to Player 2 falls." in [line.text for line in t.match.log()]
    t.until(2)
    assert t.match.view()["trades"] == []


def test_w12_proposals_fall_when_something_in_them_is_gone(table):
    t = traders(table)
    t.by(1, "trade-with-3", "give-coin", "propose")
    t.by(3, "trade-with-2", "ask-coin", "propose")
    t.by(1, "accept-4")
    assert t.match.view()["trades"] == []


def test_w12_drafts_are_private(table):
    t = traders(table)
    seen = t.match.view(2), t.match.view(None)
    t.by(1, "trade-with-3", "give-wood")
    assert (t.match.view(2), t.match.view(None)) == seen
    assert t.match.view(1)["trades"][0]["proposed"] is False


def test_w12_over_eight_something_is_given_up(table):
    t = traders(table)
    t.hold(3, iron=7)
    t.hold(2, stone=3, clay=4)
    t.by(2, "trade-with-4", *["give-stone"] * 3, "ask-iron", "propose")
    t.by(3, "accept-3")
    assert t.match.waiting == [3]
    assert t.match.invited == []
    t.by(3, "drop-iron")
    assert sum(t.stock(3).values()) == 8
    assert t.match.waiting == [0]


def test_w12_a_trade_does_not_disturb_an_open_build(table):
    t = traders(table)
    t.wonder("Parthenon")
    t.hold(0, stone=1, wood=1)
    t.hold(3, iron=8)
    supply = t.on_supply()
    t.play("stage-1")
    t.by(1, "trade-with-4", "give-coin", "propose")
    t.by(3, "accept-2", "drop-iron")
    after = {**supply, "iron": supply.get("iron", 0) + 1}
    assert {k: n for k, n in t.match.view(2)["supply"].items() if n} == after
    t.match.undo(0)
    t.play("stage-1", "done")
    assert t.match.view(2)["players"][0]["built"] == 1


# W13: leaders


def court(table, players=3, leader="Pericles", owner=0):
    t = table(players, leaders="on")
    t.leader(leader, owner)
    for seat in range(players):
        t.hold(seat)
    t.supply()
    return t


def test_w13_off_by_default(table):
    t = table(3)
    assert "reveal" not in t.may()
    assert all(player["leader"] is None for player in t.match.view(0)["players"])


def test_w13_one_each_hidden_from_the_others(table):
    t = table(4, leaders="on")
    leaders = [t.match.view(seat)["players"][seat]["leader"]["name"] for seat in range(4)]
    assert len(set(leaders)) == 4
    assert t.match.view(1)["players"][0]["leader"] == "hidden"
    assert t.match.view(None)["players"][2]["leader"] == "hidden"


def test_w13_revealed_at_the_start_of_any_turn(table):
    t = court(table, owner=2)
    assert t.match.invited == [1, 2]
    t.by(2, "reveal")
    assert t.stock(2) == {"coin": 3}
    assert t.match.waiting == [0]
    t.play("produce")
    assert t.match.invited == []


def test_w13_revealed_before_ending_the_own_turn(table):
    t = court(table)
    t.supply(wood=1)
    t.play("claim-wood")
    assert t.match.waiting == [0]
    assert t.may() == {"done", "reveal"}
    t.play("reveal")
    assert t.stock(0) == {"wood": 1, "coin": 3}
    assert t.match.waiting == [1]


def test_w13_not_in_the_middle_of_a_turn(table):
    t = court(table)
    t.play("produce")
    with pytest.raises(bottega.IllegalMove, match="W13"):
        t.by(0, "reveal")


def test_w13_clockwise_each_may_pay_a_part(table):
    t = court(table)
    t.hold(1, stone=1, wood=1)
    t.hold(2, clay=2)
    t.play("reveal")
    assert t.match.waiting == [1]
    assert t.may(1) == {"pay-stone", "done"}
    t.play("pay-stone", "done")
    assert t.stock(1) == {"stone": 1, "wood": 1}
    assert t.match.waiting == [2]
    t.play("pay-clay", "done")
    assert t.stock(1) == {"wood": 1}
    assert t.stock(2) == {"clay": 1}
    assert t.stock(0) == {"stone": 1, "clay": 1}
    assert "Pericles is defeated: Player 1 gets 1 stone and 1 clay." in [
        line.text for line in t.match.log()
    ]
    assert t.match.view()["players"][0]["leader"] is None


def test_w13_nobody_pays_when_the_whole_is_not_offered(table):
    t = court(table)
    t.hold(1, stone=1)
    t.hold(2, clay=1)
    t.play("reveal", "pay-stone", "done", "done")
    assert t.stock(1) == {"stone": 1}
    assert t.stock(0) == {"coin": 3}


def test_w13_what_is_offered_stays_private_until_it_is_confirmed(table):
    t = court(table)
    t.hold(1, stone=1)
    t.hold(2, clay=1)
    t.play("reveal")
    seen = t.match.view(2)
    t.play("pay-stone")
    assert t.match.view(2) == seen
    t.play("done")
    assert t.match.view(2)["leader"]["pledged"]["stone"] == 1


def test_w13_coins_pay_for_colours(table):
    t = court(table, players=2)
    t.hold(1, coin=2)
    t.supply(wood=1)
    t.play("reveal", "pay-coin", "pay-coin", "done")
    assert t.stock(0) == {"coin": 2}


def test_w13_globe_with_two_or_three_players_one_cube_from_the_supply(table):
    t = court(table, players=2)
    t.supply(clay=2, stone=1, wood=1)
    t.hold(1, stone=1)
    t.play("reveal")
    assert t.may(1) == {"pay-stone", "globe-stone", "globe-clay", "done"}
    t.play("globe-clay")
    assert t.may(1) == {"pay-stone", "done"}
    t.play("pay-stone", "done")
    assert t.stock(0) == {"stone": 1, "clay": 1}
    assert t.on_supply() == {"clay": 1, "stone": 1, "wood": 1}


def test_w13_no_globe_with_four_players_nor_for_leaders_without(table):
    t = court(table, players=4)
    t.hold(1, stone=1)
    t.play("reveal")
    assert not {key for key in t.may(1) if key.startswith("globe")}
    t = court(table, players=2, leader="Imhotep")
    t.hold(1, stone=1)
    t.play("reveal")
    assert not {key for key in t.may(1) if key.startswith("globe")}


def test_w13_tribute_over_eight(table):
    t = court(table, players=2)
    t.hold(0, wood=6, iron=2)
    t.hold(1, stone=1, clay=1)
    t.supply()
    t.play("reveal", "pay-stone", "pay-clay", "done")
    assert t.match.waiting == [0]
    assert t.phase == "overflow"
    t.play("drop-wood", "drop-wood")
    assert t.stock(0) == {"wood": 4, "iron": 2, "stone": 1, "clay": 1}
    assert t.phase == "act"


def test_w19_a_revealed_leader_takes_back_what_was_begun(table):
    t = court(table, owner=1)
    t.wonder("Parthenon")
    t.hold(0, stone=1, wood=1)
    t.play("stage-1")
    t.by(1, "reveal")
    while t.match.waiting != [0] or t.phase != "act":
        t.play("done")
    assert t.stock(0) == {"stone": 1, "wood": 1}
    assert t.match.view(0)["players"][0]["built"] == 0
    own, others = ([line.text for line in t.match.log(viewer)] for viewer in (0, None))
    assert "What Player 1 had begun is taken back; the turn goes on from its start." in own
    assert "Player 1's turn goes on from its start." in others, "that it was begun is private"


def test_w13_nobody_trades_while_a_leader_is_decided(table):
    t = court(table, players=4)
    t.hold(1, stone=1)
    t.play("reveal")
    assert t.match.invited == []


# W14: order of effects


def test_w14_payment_is_in_the_bag_before_an_immediate_effect(table):
    t = table()
    t.find("Cellar")
    t.hold(0, stone=2)
    t.empty_bag()
    t.supply()
    t.middle.supply += int(t.middle.bag)
    t.middle.bag = 0
    slot = t.find("Cellar")
    t.play(f"build-{slot}")
    assert t.phase == "take"
    assert t.may() == {"fetch-stone", "done"}


def test_w14_several_abilities_in_the_order_of_choice(table):
    t = table()
    t.wonder("El Castillo")
    t.mat("The Foresters")
    t.hold(0)
    nursery, cenote = t.owns("Tree Nursery"), t.owns("Cenote")
    t.supply()
    t.play("produce")
    put = min(t.may())
    t.play(put)
    assert t.phase == "order"
    assert t.may() == {f"use-{nursery}", f"use-{cenote}"}
    t.play(f"use-{cenote}")
    assert t.phase == "take"
    t.play(f"take-{put[4:]}")
    assert t.match.waiting == [1]
    assert t.stock()["wood"] >= 1


# W15: the end


def test_w15_the_last_stage_wins_at_once(table):
    t = table(3)
    t.wonder("Great Pyramid of Giza")
    t.built(*range(1, 10))
    t.hold(0, coin=2, wood=1)
    t.play("stage-10", *(["settle"] if t.may() and t.phase == "pay" else []))
    assert t.match.over
    assert t.match.winners == [0]
    assert t.match.ranking[0] == [0]
    why = "Player 1 has built all 10 stages of Great Pyramid of Giza; "
    assert t.match.log()[-1].text.startswith(f"The game is over. {why}Player 2 0 of ")
    assert t.match.prompt(0).startswith(f"You have won! {why}")


def test_w15_others_rank_by_the_share_of_their_wonder(table):
    t = table(3)
    t.wonder("Parthenon", 1)
    t.wonder("Great Pyramid of Giza", 2)
    t.built(1, 2, seat=1)
    t.built(1, 2, seat=2)
    assert [score for _, score in t.match.standings] == [0, 25, 20]
    assert t.match.ranking == [[1], [2], [0]]


# W16: obelisks


def test_w16_four_buildings_and_no_more(table):
    t = table()
    t.wonder("Himeji Castle")
    t.mat("The Pioneers")
    t.player().buildings = 0b001111
    t.hold(0, stone=2, iron=3, clay=2)
    assert not {key for key in t.may() if key.startswith("build")}
    with pytest.raises(bottega.IllegalMove, match="W16"):
        t.play("build-5")
    assert t.match.view(0)["players"][0]["obelisks"] == 0


# W17: open and hidden


def test_w17_everything_on_the_table_is_open(table):
    t = table(4, leaders="on")
    own, other = t.match.view(0), t.match.view(3)
    for key in ("bag", "supply", "coins", "turn", "phase"):
        assert own[key] == other[key]
    for seat in range(4):
        mine, theirs = own["players"][seat], other["players"][seat]
        for key in ("stock", "wonder", "mat", "buildings", "obelisks"):
            assert mine[key] == theirs[key]


def test_w17_the_bags_content_follows_from_what_is_open(table):
    t = table(3)
    view = t.match.view()
    for colour in COLOURS:
        seen = view["supply"][colour] + sum(p["stock"][colour] for p in view["players"])
        assert view["bag"][colour] == CUBES[3] - seen


def test_w17_only_the_draw_is_random(table):
    drawn = {tuple(GAME.new(2, seed, draft="random").view()["bag"].values()) for seed in range(30)}
    assert len(drawn) > 10
