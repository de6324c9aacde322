"""One test, or a few, for each ruling A1 to A19."""

from __future__ import annotations

import random

import pytest

import bottega
from bottega.games.artificium import GAME
from bottega.games.artificium.state import CHOOSE, MARKET, TURN_END

FILL = ["sawmill", "farm", "hunter", "bakery", "brewery"]


# A1: the first player


def test_a1_seat_0_begins(table):
    t = table(4)
    assert t.match.waiting == [0]
    assert t.match.view()["first"] == 0


def test_a1_later_the_player_with_fewest_points(table):
    t = table(3)
    t.points(5, 7, 2)
    t.end_turn()
    assert t.match.view()["first"] == 2
    assert t.match.waiting == [2]
    assert "Turn 2 begins. Player 3 has the fewest points and goes first." in t.told()


@pytest.mark.parametrize(
    ("last", "points", "first"),
    [
        (0, (3, 3, 3, 3), 0),  # the previous first player is included
        (2, (3, 3, 3, 3), 2),
        (2, (1, 1, 3, 3), 0),  # clockwise from seat 2: 3, then 0
        (1, (1, 5, 5, 1), 3),
    ],
)
def test_a1_of_tied_players_the_first_clockwise(table, last, points, first):
    t = table(4)
    t.s.first = last
    t.points(*points)
    t.end_turn()
    assert t.match.view()["first"] == first
    told = next(line for line in t.told() if line.startswith("Turn 2 begins."))
    assert told.endswith(f" have the fewest points; Player {first + 1} is next and goes first.")


# A2: drawing


def test_a2_everybody_begins_with_five_cards_and_five_coins(table):
    t = table(6)
    assert [t.player(seat).held for seat in range(6)] == [5] * 6
    assert [t.player(seat).coins for seat in range(6)] == [5] * 6
    assert t.s.left == 108 - 6 * 5 - 6


def test_a2_hands_are_filled_up_to_five_and_a_larger_one_stays(table):
    t = table(2)
    t.hand(0, "castle", "tower")
    t.hand(1, *FILL, "castle", "tower")
    t.end_turn()
    assert t.player(0).held == 5
    assert {"castle", "tower"} <= t.held(0).keys()
    assert t.held(1) == dict.fromkeys([*FILL, "castle", "tower"], 1)


def test_a2_the_first_player_draws_first(ready):
    t = ready([], [], FILL)
    t.points(9, 3, 9)
    t.hoard(2, left=4)
    t.play(0, "pass")
    t.play(1, "pass")
    t.play(2, "pass")
    t.play(2, "done")
    assert t.s.turn == 2
    assert [t.player(seat).held for seat in (0, 1)] == [0, 4]


# A3: the market


def test_a3_clockwise_once_a_round_until_all_have_passed(table):
    t = table(3)
    for seat in range(3):
        t.coins(seat, 4)
    order = []
    for _ in range(5):
        seat = t.match.waiting[0]
        order.append(seat)
        t.play(seat, "pass" if len(order) == 2 else exchange(t, seat))
    assert order == [0, 1, 2, 0, 2]
    assert t.s.phase == MARKET


def exchange(t, seat):
    return min(key for key in t.may(seat) if key.startswith("exchange"))


def test_a3_the_card_given_takes_the_place_and_others_may_take_it(table):
    t = table(2)
    t.hand(0, "castle", *FILL[:4])
    t.hand(1, *FILL)
    t.market("fair", "theft", "fair", "mine", "tower", "foundry")
    t.play(0, "exchange-castle-4")
    assert t.shown() == ["fair", "theft", "fair", "castle", "tower", "foundry"]
    assert t.held(0) == {"mine": 1, **dict.fromkeys(FILL[:4], 1)}
    t.play(1, "exchange-farm-4")
    assert "castle" in t.held(1)
    assert t.shown()[3] == "farm"


def test_a3_who_has_passed_is_out(table):
    t = table(2)
    t.play(0, "pass")
    t.play(1, exchange(t, 1))
    assert t.match.waiting == [1]


def test_a3_the_market_is_discarded(table):
    t = table(2)
    t.market("fair", "theft", "fair", "mine", "tower", "foundry")
    t.close_market()
    assert t.shown() == [None] * 6
    assert t.cards(t.s.discards) == {"theft": 1, "fair": 2, "mine": 1, "foundry": 1, "tower": 1}
    assert t.s.phase == CHOOSE


def test_a3_only_with_a_card_one_holds_and_a_card_that_is_there(table):
    t = table(2)
    t.hand(0, *FILL)
    t.market("fair")
    with pytest.raises(bottega.IllegalMove, match=r"hold no Castle.*A3"):
        t.play(0, "exchange-castle-1")
    with pytest.raises(bottega.IllegalMove, match=r"Place 2 .*empty.*A3"):
        t.play(0, "exchange-farm-2")


# A4: the price of exchanges


def test_a4_the_first_is_free_each_later_costs_two(table):
    t = table(2)
    t.play(0, exchange(t, 0))
    assert t.player(0).coins == 5
    t.play(1, "pass")
    t.play(0, exchange(t, 0))
    assert t.player(0).coins == 3
    t.play(0, exchange(t, 0))
    assert t.player(0).coins == 1
    assert t.s.phase == CHOOSE  # who cannot pay is out of the market


def test_a4_each_turn_anew(table):
    t = table(2)
    t.play(0, exchange(t, 0))
    t.end_turn()
    before = t.player(0).coins
    seat = t.match.waiting[0]
    t.play(seat, exchange(t, seat))
    assert t.player(0).coins == before


def test_a4_too_few_coins(table):
    t = table(2)
    t.coins(0, 3)
    t.play(0, exchange(t, 0))
    t.play(1, exchange(t, 1))
    t.coins(0, 1)
    with pytest.raises(bottega.IllegalMove, match=r"costs 2 coins; you have 1 coin.*A4"):
        t.play(0, "exchange-farm-1")


def test_a4_the_hand_for_five_cards_counts_as_the_first_exchange(table):
    t = table(2)
    t.hand(0, "castle", "castle", "castle", "tower", "tower", "tower")
    t.play(0, "redraw")
    assert t.player(0).held == 5
    assert t.cards(t.player(0).buried) == {"castle": 3, "tower": 3}
    t.play(1, "pass")
    assert "redraw" not in t.may(0)
    t.play(0, exchange(t, 0))
    assert t.player(0).coins == 3


def test_a4_no_redraw_after_an_exchange(table):
    t = table(2)
    t.play(0, exchange(t, 0))
    t.play(1, "pass")
    with pytest.raises(bottega.IllegalMove, match=r"only instead of the first exchange.*A4"):
        t.play(0, "redraw")


# A5: a step of play


def test_a5_all_choose_in_secret_and_the_last_reveals(ready):
    t = ready(FILL, FILL, FILL)
    assert t.match.waiting == [0, 1, 2]
    t.play(2, "play-farm")
    t.play(0, "pass")
    assert t.match.waiting == [1]
    assert t.match.view(1)["players"][2]["card"] is None
    assert t.match.view(1)["players"][0]["passed"] is False
    assert t.told(1)[-1] == "The market closes; its cards are discarded."
    t.play(1, "play-sawmill")
    view = t.match.view(None)["players"]
    assert [player["card"] and player["card"]["card"] for player in view] == [
        None,
        "sawmill",
        "farm",
    ]
    assert view[0]["passed"] is True


def test_a5_actions_first_then_buildings_from_the_first_player_on(ready):
    t = ready(["farm", "fair"], ["fair", "farm"], ["sawmill", "farm"], ["fair", "farm"])
    t.s.first = 2
    t.choose("farm", "fair", "sawmill", "fair")
    order = []
    for _ in range(4):
        order += t.match.waiting
        t.play(t.match.waiting[0], "resolve")
    assert order == [3, 1, 2, 0]
    assert t.s.phase == CHOOSE


def test_a5_a_player_without_cards_has_passed(ready):
    t = ready(["farm"], ["farm", "sawmill"])
    t.choose("farm", "farm")
    t.play(0, "resolve")
    t.play(1, "resolve")
    assert t.match.waiting == [1]
    assert t.match.view()["players"][0]["passed"] is True


def test_a5_who_passed_chooses_no_more_this_turn(ready):
    t = ready(FILL, FILL)
    t.choose("pass", "farm")
    t.play(1, "resolve")
    assert t.match.waiting == [1]
    with pytest.raises(bottega.IllegalMove, match="not Player 1's decision"):
        t.play(0, "play-farm")


def test_a5_only_cards_of_the_own_hand(ready):
    t = ready(FILL, FILL)
    with pytest.raises(bottega.IllegalMove, match=r"hold no Castle.*A5"):
        t.play(0, "play-castle")


# A6: resolving


def test_a6_any_trade_then_resolve(ready):
    t = ready(["charcoal"], ["farm"])
    t.goods(0, beer=2, food=1)
    t.choose("charcoal", "farm")
    t.play(0, "sell-beer", "buy-wood", "sell-food", "buy-wheat", "buy-wood", "sell-beer")
    assert t.player(0).coins == 5 + 2 - 2 + 2 - 2 - 2 + 2
    t.play(0, "resolve")
    assert t.has(0) == {"wood": 1, "wheat": 1, "coal": 1}


def test_a6_no_trade_after_resolving(ready):
    t = ready(["sawmill", "farm"], ["farm"])
    t.choose("sawmill", "farm")
    t.play(0, "resolve")
    with pytest.raises(bottega.IllegalMove, match="not Player 1's decision"):
        t.play(0, "sell-wood")


def test_a6_a_discarded_card_scores_nothing_and_does_not_count_as_played(ready):
    t = ready(["sawmill", "fair"], ["farm", "farm"])
    t.choose("sawmill", "farm")
    t.play(0, "discard")
    t.play(1, "resolve")
    assert t.player(0).points == 0
    assert t.cards(t.s.discards)["sawmill"] >= 1
    assert t.match.waiting == [0, 1]
    t.choose("fair", "farm")
    t.play(0, "resolve")
    assert t.player(0).coins == 5


def test_a6_a_card_taken_back_scores_nothing_and_passes(ready):
    t = ready(["sawmill", "fair"], ["farm", "farm"])
    t.choose("sawmill", "farm")
    t.play(0, "take-back")
    t.play(1, "resolve")
    assert t.player(0).points == 0
    assert t.held(0) == {"sawmill": 1, "fair": 1}
    assert t.match.waiting == [1]


def test_a6_even_a_card_that_could_be_resolved(ready):
    t = ready(["sawmill"], ["farm"])
    t.choose("sawmill", "farm")
    assert {"resolve", "discard", "take-back"} <= t.may(0)


def test_a6_trade_needs_coins_and_resources(ready):
    t = ready(["sawmill"], ["farm"])
    t.choose("sawmill", "farm")
    with pytest.raises(bottega.IllegalMove, match=r"no Wood to sell.*A6"):
        t.play(0, "sell-wood")
    with pytest.raises(bottega.IllegalMove, match=r"Crystal costs 6 coins; you have 5.*A6"):
        t.play(0, "buy-crystal")


def test_a6_trade_is_private_until_the_card_is_resolved(ready):
    t = ready(["charcoal"], ["farm"])
    t.goods(0, beer=1)
    t.choose("charcoal", "farm")
    seen = t.match.view(1), t.told(1)
    t.play(0, "sell-beer", "buy-wood")
    assert (t.match.view(1), t.told(1)) == seen
    assert t.match.view(0)["players"][0]["goods"]["wood"] == 1
    t.match.undo(0)
    t.match.undo(0)
    assert t.has(0) == {"beer": 1}
    t.play(0, "sell-beer", "buy-wood", "resolve")
    assert t.match.view(1)["players"][0]["goods"]["coal"] == 1
    assert "Player 1 buys 1 Wood for 2 coins and sells 1 Beer for 2 coins." in t.told(1)


# A7: the bank


def test_a7_the_bank_is_never_short(ready):
    t = ready(["sawmill"], ["farm"])
    t.coins(0, 180)
    t.goods(1, wood=60)
    t.choose("sawmill", "farm")
    for _ in range(80):
        t.play(0, "buy-wood")
    t.play(0, "resolve")
    assert t.has(0) == {"wood": 82}


# A8: the score track


def test_a8_every_space_passed_or_reached_gives_its_resource(ready):
    t = ready(["laboratory"], ["farm"])
    t.points(7)
    t.goods(0, coal=1, crystal=1)
    t.choose("laboratory", "farm")
    t.play(0, "resolve")
    assert t.player(0).points == 12
    assert t.has(0) == {"potion": 1, "wheat": 1, "coal": 1}  # 8 passed, 12 reached


def test_a8_again_each_time_it_is_passed(ready):
    t = ready(["farm", "sawmill"], ["castle", "sawmill"])
    t.points(3, 30)
    t.goods(1, beer=1, sword=1)
    t.choose("farm", "castle")
    t.play(0, "resolve")
    assert t.has(0) == {"wood": 1, "wheat": 2}
    t.play(1, "against-seat-0")
    assert t.player(0).points == 0
    t.points(3)
    t.choose("sawmill", "sawmill")
    t.play(0, "resolve")
    assert t.has(0) == {"wood": 4, "wheat": 2}


def test_a8_moving_back_collects_nothing_and_stops_at_0(ready):
    t = ready(["castle"], ["farm"])
    t.goods(0, beer=1, sword=1)
    t.points(0, 3)
    t.choose("castle", "farm")
    t.play(0, "against-seat-1")
    assert t.player(1).points == 0
    assert t.has(1) == {}


def test_a8_no_upper_end(ready):
    t = ready(["castle"], ["farm"])
    t.goods(0, beer=1, sword=1)
    t.points(124)
    t.choose("castle", "farm")
    t.play(0, "against-seat-1")
    assert t.player(0).points == 132
    assert t.has(0) == {}


# A9: Exploration


def test_a9_against_an_opponent_with_cards_passed_or_not(ready):
    t = ready(["exploration", "farm"], ["farm"], ["castle", "castle", "castle"])
    t.choose("exploration", "farm", "pass")
    assert {key for key in t.may(0) if key.startswith("against")} == {"against-seat-2"}
    with pytest.raises(bottega.IllegalMove, match=r"opponent who holds cards.*A9"):
        t.play(0, "against-seat-1")
    t.play(0, "against-seat-2")
    assert t.held(0) == {"farm": 1, "castle": 1}
    assert t.player(2).held == 3
    assert t.held(2)["castle"] >= 2


def test_a9_needs_an_opponent_with_cards(ready):
    t = ready(["exploration", "farm"], ["farm"])
    t.choose("exploration", "farm")
    assert not {key for key in t.may(0) if key.startswith("against")}
    with pytest.raises(bottega.IllegalMove, match=r"no opponent holds a card.*A15"):
        t.play(0, "against-seat-1")


# A10: Theft


def test_a10_one_coin_for_level_one_two_for_level_two(ready):
    t = ready(["theft", "theft"], ["fair", "fair"])
    t.goods(1, wood=1, wheat=2, coal=1, food=1, beer=1, crystal=3, metal=3, potion=3, sword=3)
    t.choose("theft", "fair")
    stolen = {key.split("-")[1] for key in t.may(0) if key.startswith("steal")}
    assert stolen == {"wood", "wheat", "coal", "food", "beer"}
    t.play(0, "steal-wood-seat-1")
    assert t.player(0).coins == 4
    assert t.player(1).coins == 5  # the coin goes to the bank
    assert t.has(0) == {"wood": 1}
    assert "wood" not in t.has(1)
    t.play(1, "discard")
    t.choose("theft", "fair")
    t.play(0, "steal-beer-seat-1")
    assert t.player(0).coins == 2
    assert t.has(0) == {"wood": 1, "beer": 1}


def test_a10_needs_the_coins_and_an_opponent_who_has_it(ready):
    t = ready(["theft"], ["fair"], ["fair"])
    t.coins(0, 1)
    t.goods(0, food=2)
    t.goods(2, beer=1)
    t.choose("theft", "fair", "fair")
    assert not {key for key in t.may(0) if key.startswith("steal")}
    with pytest.raises(bottega.IllegalMove, match=r"nothing to steal that you can pay.*A15"):
        t.play(0, "steal-beer-seat-2")
    t.play(0, "sell-food")
    with pytest.raises(bottega.IllegalMove, match=r"from an opponent's board.*A10"):
        t.play(0, "steal-wood-seat-2")
    t.play(0, "steal-beer-seat-2")
    assert t.has(0) == {"food": 1, "beer": 1}


# A11: Reconstruction


def test_a11_a_card_resolved_this_turn_returns_and_its_points_stay(ready):
    t = ready(["sawmill", "reconstruction", "farm"], ["fair", "fair", "fair"])
    t.choose("sawmill", "fair")
    t.play(1, "discard")
    t.play(0, "resolve")
    t.choose("reconstruction", "fair")
    assert {key for key in t.may(0) if key.startswith("return")} == {"return-sawmill"}
    t.play(0, "return-sawmill")
    assert t.player(0).points == 1
    assert t.held(0) == {"sawmill": 1, "farm": 1}
    assert t.lying(0) == {"reconstruction": 1}


def test_a11_never_itself_and_needs_a_card(ready):
    t = ready(["reconstruction"], ["fair"])
    t.choose("reconstruction", "fair")
    assert not {key for key in t.may(0) if key.startswith("return")}
    with pytest.raises(bottega.IllegalMove, match=r"no card lies in front of you.*A15"):
        t.play(0, "return-reconstruction")


def test_a11_discarded_cards_do_not_return(ready):
    t = ready(["sawmill", "reconstruction"], ["fair", "fair"])
    t.choose("sawmill", "fair")
    t.play(1, "discard")
    t.play(0, "discard")
    t.choose("reconstruction", "fair")
    assert not {key for key in t.may(0) if key.startswith("return")}


# A20: Reconstruction and Reconstruction


@pytest.mark.parametrize("other", ["fair", "pass"])
def test_a20_a_reconstruction_never_returns_a_reconstruction(ready, other):
    t = ready(["reconstruction"], ["fair"])
    t.front(0, "reconstruction", "farm")
    t.choose("reconstruction", other)
    assert {key for key in t.may(0) if key.startswith("return")} == {"return-farm"}
    with pytest.raises(bottega.IllegalMove, match=r"Farm \(A11, A20\)"):
        t.play(0, "return-reconstruction")


def test_a20_with_nothing_else_in_front_it_cannot_be_resolved(ready):
    t = ready(["reconstruction"], ["fair"])
    t.front(0, "reconstruction")
    t.choose("reconstruction", "fair")
    assert not any(key.startswith("return") for key in t.may(0))
    assert "no card lies in front of you that could return" in t.match.prompt(0)
    with pytest.raises(bottega.IllegalMove, match=r"could return .*A15"):
        t.play(0, "return-reconstruction")


def test_a20_two_players_with_reconstructions_come_to_an_end():
    """Each returned the other's for ever; 8,000 moves were seen."""
    for seed in range(8):
        match = GAME.new(2, seed)
        chance = random.Random(seed)
        while not match.over:
            seat = chance.choice(match.waiting)
            keys = [action.key for action in match.legal(seat)]
            back = [k for k in keys if k.startswith(("return-", "play-reconstruction"))]
            match.play(seat, chance.choice(back or keys))
            assert len(match.moves) < 1500


# A12: Fair


def test_a12_two_coins_for_each_card_in_front_this_one_not_counted(ready):
    t = ready(["fair", "fair"], ["farm", "farm"])
    t.front(0, "sawmill", "sawmill", "theft")
    t.choose("fair", "farm")
    t.play(0, "resolve")
    assert t.player(0).coins == 5 + 6
    t.play(1, "resolve")
    t.choose("fair", "farm")
    t.play(0, "resolve")
    assert t.player(0).coins == 11 + 8


# A13: the Wizard


def test_a13_draw_five_then_discard_three(ready):
    t = ready(["tower", "fair"], ["farm"])
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "farm")
    t.play(0, "resolve")
    assert t.player(0).points == 8
    assert t.player(0).held == 6
    assert t.match.waiting == [0]
    for left in (3, 2, 1):
        assert t.match.view()["due"] == left
        assert t.may(0) == {f"discard-{card}" for card in t.held(0)}
        t.play(0, min(t.may(0)))
    assert t.player(0).held == 3
    assert t.match.waiting == [1]


def test_a13_all_if_fewer_than_three(ready):
    t = ready(["tower"], ["farm"])
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "farm")
    t.no_discards()
    t.s.deck[4] += 2
    t.player(1).front[4] -= 2
    t.s.left = 2
    t.play(0, "resolve")
    assert t.held(0) == {"sawmill": 2}
    t.play(0, "discard-sawmill", "discard-sawmill")
    assert t.match.waiting == [1]


def test_a13_nothing_to_draw_nothing_to_discard(ready):
    t = ready(["tower"], ["farm"])
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "farm")
    t.no_discards()
    t.play(0, "resolve")
    assert t.player(0).held == 0
    assert t.match.waiting == [1]


def test_a13_only_cards_one_holds(ready):
    t = ready(["tower"], ["farm"])
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "farm")
    t.play(0, "resolve")
    absent = next(card for card in ("fair", "theft", "castle", "farm") if card not in t.held(0))
    with pytest.raises(bottega.IllegalMove, match=r"You hold no .*A13"):
        t.play(0, f"discard-{absent}")


# A14: the Knight


def test_a14_one_opponent_moves_back_four(ready):
    t = ready(["castle"], ["farm"], ["farm"])
    t.goods(0, beer=1, sword=1)
    t.points(20, 9, 9)
    t.choose("castle", "farm", "farm")
    assert {key for key in t.may(0) if key.startswith("against")} == {
        "against-seat-1",
        "against-seat-2",
    }
    t.play(0, "against-seat-2")
    assert [t.player(seat).points for seat in range(3)] == [28, 9, 5]
    assert t.player(0).coins == 4


def test_a14_never_oneself(ready):
    t = ready(["castle"], ["farm"])
    t.goods(0, beer=1, sword=1)
    t.choose("castle", "farm")
    for key in ("against-seat-0", "resolve"):
        with pytest.raises(bottega.IllegalMove, match=r"choose who moves back.*A14"):
            t.play(0, key)


# A15: cannot resolve


def test_a15_without_the_cost_only_discard_or_take_back(ready):
    t = ready(["swordsmith"], ["farm"])
    t.coins(0, 1)
    t.goods(0, coal=1)
    t.choose("swordsmith", "farm")
    assert t.may(0) == {"discard", "take-back", "sell-coal"}
    assert "you lack 1 Metal" in t.match.prompt(0)
    with pytest.raises(bottega.IllegalMove, match=r"you lack 1 Metal.*A15"):
        t.play(0, "resolve")


def test_a15_coins_can_be_missing_too(ready):
    t = ready(["tower"], ["farm"])
    t.coins(0, 0)
    t.goods(0, beer=1, potion=1)
    t.choose("tower", "farm")
    with pytest.raises(bottega.IllegalMove, match=r"you lack 1 coin \(A15\)"):
        t.play(0, "resolve")


# A16: the turn's end


def test_a16_played_cards_are_discarded(ready):
    t = ready(["farm"], ["sawmill"])
    t.choose("farm", "sawmill")
    before = t.cards(t.s.discards)
    t.play(0, "resolve")
    t.play(1, "resolve")
    assert t.s.phase == TURN_END
    assert t.lying(0) == t.lying(1) == {}
    after = t.cards(t.s.discards)
    assert after["farm"] == before.get("farm", 0) + 1
    assert after["sawmill"] == before.get("sawmill", 0) + 1


def test_a16_discard_and_sell_in_secret_together(ready):
    t = ready(FILL, FILL)
    t.goods(0, wood=2, sword=1)
    t.choose("pass", "pass")
    assert t.match.waiting == [0, 1]
    seen = t.match.view(1), t.told(1), t.match.legal(1)
    t.play(0, "sell-wood", "discard-farm", "sell-sword", "discard-hunter")
    assert (t.match.view(1), t.told(1), t.match.legal(1)) == seen
    t.play(0, "done")
    view = t.match.view(1)["players"][0]
    assert (view["coins"], view["goods"]["wood"], view["held"]) == (5, 2, 5)
    assert t.match.waiting == [1]
    t.play(1, "done")
    assert t.s.turn == 2
    assert t.player(0).coins == 5 + 1 + 5
    assert t.has(0) == {"wood": 1}
    assert t.player(0).held == 5
    assert {"sawmill", "bakery", "brewery"} <= t.held(0).keys()
    assert "Player 1 discards 2 cards and sells 1 Wood and 1 Sword for 6 coins." in t.told(1)
    assert any(line.startswith("Player 1 discards Farm and Hunter Hut and") for line in t.told(0))


def test_a16_no_purchases(ready):
    t = ready(FILL, FILL)
    t.choose("pass", "pass")
    with pytest.raises(bottega.IllegalMove, match="cannot be done now"):
        t.play(0, "buy-wood")


def test_a16_only_what_one_has(ready):
    t = ready(FILL, FILL)
    t.choose("pass", "pass")
    with pytest.raises(bottega.IllegalMove, match=r"hold no Castle.*A16"):
        t.play(0, "discard-castle")


def test_a16_who_has_nothing_is_not_asked(ready):
    t = ready(["fair"], ["fair"])
    t.choose("fair", "pass")
    t.play(0, "discard")
    assert t.match.waiting == [1]


# A17: the final score


def test_a17_after_the_fourth_turn_everything_is_sold_and_four_coins_are_a_point(table):
    t = table(3)
    for _ in range(3):
        t.end_turn()
    assert t.s.turn == 4
    t.points(3, 7, 20)
    t.coins(0, 2)
    t.coins(1, 3)
    t.coins(2, 0)
    t.goods(0, wood=1, beer=1, potion=1)  # 2 + 1 + 2 + 5 = 10 coins
    t.goods(1, wheat=1)  # 4 coins
    t.end_turn()
    assert t.match.over
    assert t.match.scores == [3 + 2, 7 + 1, 20]
    assert t.has(0) == {}  # nothing is collected at 4 and 8
    assert t.match.ranking == [[2], [1], [0]]
    assert t.match.winners == [2]


def test_a17_tied_players_share(table):
    t = table(3)
    for _ in range(3):
        t.end_turn()
    for seat, (points, coins) in enumerate([(10, 8), (12, 3), (11, 7)]):
        t.player(seat).points = points
        t.coins(seat, coins)
    t.end_turn()
    assert t.match.scores == [12, 12, 12]
    assert t.match.winners == [0, 1, 2]
    why = "Player 1, Player 2 and Player 3 have 12 points each."
    assert t.match.prompt(0) == f"You, Player 2 and Player 3 share the win. {why}"
    assert t.told()[-1] == f"The game is over. {why}"


def test_a17_four_turns(table):
    t = table(2)
    turns = []
    while not t.match.over:
        turns.append(t.match.view()["turn"])
        t.end_turn()
    assert turns == [1, 2, 3, 4]


def test_a17_a_table_that_reached_its_limit_is_ranked_by_points():
    match = GAME.new(2, 1, limit=1)
    match._table[0].players[1].points = 3
    match.play(0, "pass")
    assert match.unfinished
    assert match.standings == [(2, 0), (1, 3)]
    assert match.winners == []


# A18: the deck is empty


def test_a18_the_discards_become_the_deck_when_a_card_must_be_drawn(table):
    t = table(2)
    t.hand(0, *FILL)
    t.empty_deck()
    t.player(1).buried[15] = 2
    t.s.discards[15] -= 2
    there = int(t.s.discards.sum()) + 2
    t.play(0, "redraw")
    assert t.player(0).held == 5
    assert t.s.left == there + 5 - 5  # the hand is among the discards by then
    assert not t.s.discards.any()
    assert not t.player(0).buried.any()
    assert not t.player(1).buried.any()
    assert "The discards are shuffled and become the deck." in t.told()


def test_a18_without_discards_nothing_is_drawn(ready):
    t = ready(["exploration"], ["castle", "castle"])
    t.choose("exploration", "pass")
    t.no_discards()
    t.play(0, "against-seat-1")
    assert t.player(1).held == 1
    assert t.held(0) == {"castle": 1}


def test_a18_a_market_with_fewer_cards(ready):
    t = ready(FILL, FILL)
    t.hoard(1, left=4)
    t.choose("pass", "pass")
    t.play(0, "done")
    t.play(1, "done")
    assert [card is None for card in t.shown()] == [False] * 4 + [True] * 2
    assert {key[-1] for key in t.may(t.match.waiting[0]) if key.startswith("exchange")} == set(
        "1234"
    )


# A19: open and hidden


def test_a19_boards_coins_points_market_and_sizes_are_open(ready):
    t = ready(FILL, ["castle"])
    t.goods(1, beer=2)
    view = t.match.view(0)
    other = view["players"][1]
    assert (other["goods"]["beer"], other["coins"], other["points"], other["held"]) == (2, 5, 0, 1)
    assert view["deck"] == t.s.left
    assert view["discards"] == 6


def test_a19_hands_and_chosen_cards_are_hidden(ready):
    t = ready(FILL, ["castle"])
    t.play(1, "play-castle")
    view = t.match.view(0)["players"][1]
    assert view["hand"] is None
    assert view["sealed"] is None
    assert view["chosen"] is True
    assert view["certain"] == []
    assert t.match.view(1)["players"][1]["sealed"]["card"] == "castle"


def certain(t, viewer, seat):
    return [card["card"] for card in t.match.view(viewer)["players"][seat]["certain"]]


def test_a19_a_card_taken_by_exploration_is_seen_by_taker_and_loser_only(ready):
    t = ready(["exploration"], ["castle", "castle"], ["farm", "farm"])
    t.choose("exploration", "pass", "farm")
    t.play(0, "against-seat-1")
    assert certain(t, 1, 0) == ["castle"]
    assert certain(t, 2, 0) == certain(t, None, 0) == []
    named = [any("takes a card, Castle, from" in line for line in t.told(v)) for v in (0, 1, 2)]
    assert named == [True, True, False]
    assert any("takes a card from Player 2's hand" in line for line in t.told(2))


def test_a19_what_went_into_a_hand_openly_is_known_until_it_leaves(table):
    t = table(3)
    t.hand(0, *FILL)
    t.market("castle", "fair")
    t.play(0, "exchange-farm-1")
    for viewer in (1, 2, None):
        assert certain(t, viewer, 0) == ["castle"]
    for seed in range(5):
        world = t.match.imagine(1, seed)
        assert world._table[0].players[0].hand[15] >= 1
    t.close_market()
    t.play(0, "play-castle")
    assert certain(t, 1, 0) == ["castle"]
    t.play(1, "pass")
    t.play(2, "pass")
    assert certain(t, 1, 0) == []
    t.play(0, "take-back")
    assert certain(t, 1, 0) == ["castle"]


def test_a19_what_leaves_unseen_makes_uncertain(ready):
    t = ready(["exploration"], FILL, ["farm"])
    for knower in range(7):
        t.player(1).known[knower] = 1 << 3 * 4 | 1 << 3 * 5  # Sawmill and Farm
    t.choose("exploration", "pass", "farm")
    t.play(0, "against-seat-1")
    assert certain(t, 2, 1) == []  # it may have been either
    taken = next(iter(t.held(0)))
    left = [card for card in ("sawmill", "farm") if card != taken]
    assert certain(t, 0, 1) == left


def test_a19_an_unseen_discard_at_the_turns_end_makes_uncertain(ready):
    t = ready(FILL, FILL)
    t.hand(0, "sawmill", "sawmill", "farm", "hunter")
    for knower in range(7):
        t.player(0).known[knower] = 2 << 3 * 4 | 1 << 3 * 5
    t.choose("pass", "pass")
    t.play(0, "discard-hunter", "done")
    assert certain(t, 1, 0) == ["sawmill", "sawmill", "farm"]
    t.play(1, "done")
    assert certain(t, 1, 0) == ["sawmill"]


def test_a19_own_unseen_discards_are_known_to_oneself_only(table):
    t = table(2)
    t.hand(0, "castle", "castle", "castle", "castle", "castle")
    t.play(0, "redraw")
    own = {t.match.concealed(0, seed)[0].players[0].buried[15] for seed in range(8)}
    others = {int(t.match.concealed(1, seed)[0].players[0].buried[15]) for seed in range(8)}
    assert own == {5}
    assert len(others) > 1
    assert 5 not in others
    assert "Player 1 discards the whole hand and draws 5 cards." in t.told(1)


def test_a19_a_sealed_choice_is_anything_for_others(ready):
    t = ready(["farm", "castle"], FILL)
    t.play(0, "play-castle")
    chosen = {int(t.match.concealed(1, seed)[0].players[0].sealed) for seed in range(60)}
    assert len(chosen) > 5
    assert {int(t.match.concealed(0, seed)[0].players[0].sealed) for seed in range(9)} == {16}


def test_a19_samples_are_fair(ready):
    """Each unseen card is as likely in a hand as its number among all unseen cards says."""
    t = ready(["farm"] * 3, ["sawmill", "fair"])
    hands = [t.match.concealed(0, seed)[0].players[1].hand.copy() for seed in range(4000)]
    unseen = t.s.deck + t.player(1).hand
    assert unseen[5] == t.kit.copies[5] - 3 - t.s.discards[5]
    for kind in range(18):
        mean = sum(int(hand[kind]) for hand in hands) / len(hands)
        expected = 2 * int(unseen[kind]) / int(unseen.sum())
        assert abs(mean - expected) < 0.03


# What is told, and to whom


def test_opponents_are_called_by_their_names(ready):
    t = ready(["castle"], ["farm"], ["farm"], ["farm"])
    t.match.rename(["Ada", "Bruno", "Clara", "Dante"])
    t.goods(0, beer=1, sword=1)
    t.choose("castle", "farm", "farm", "farm")
    texts = [action.text for action in t.match.legal(0) if action.key.startswith("against")]
    assert [text.split("; ")[1].split(" moves")[0] for text in texts] == ["Bruno", "Clara", "Dante"]


def test_what_was_sold_and_what_was_bought_is_told_even_when_it_was_the_same(ready):
    t = ready(["farm"], ["farm"])
    t.goods(0, wheat=1)
    t.choose("farm", "farm")
    t.play(0, "buy-wood", "sell-wood", "sell-wheat", "resolve")
    assert "Player 1 buys 1 Wood for 2 coins and sells 1 Wood and 1 Wheat for 2 coins." in t.told(1)


def test_a_reveal_bears_the_sign_of_who_acted_not_of_who_decided_last(ready):
    t = ready(["farm"], ["sawmill"], ["fair"])
    t.play(2, "play-fair")
    t.play(0, "play-farm")
    t.play(1, "play-sawmill")
    revealed = [(line.seat, line.text) for line in t.match.log() if "reveals" in line.text]
    assert [seat for seat, _ in revealed] == [0, 1, 2]
    closing = next(line for line in t.match.log() if "market closes" in line.text)
    assert closing.seat is None, "nobody's deed"


def test_after_an_exchange_nothing_is_taken_back(table):
    """The card given was hidden in a hand; now everybody has seen it."""
    t = table(2)
    t.hand(0, "farm", "farm")
    t.market("sawmill")
    t.play(0, "exchange-farm-1")
    assert not t.match.can_undo(0)
    with pytest.raises(bottega.CannotUndo):
        t.match.undo(0)
