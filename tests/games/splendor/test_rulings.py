"""One test, or a few, for each ruling S1 to S13."""

from __future__ import annotations

import random

import pytest

import bottega
from bottega.engine.lanes import pack, unpack
from bottega.games.splendor.state import NO_CARD, NO_NOBLE
from tests.games.splendor.conftest import counts


def tokens(table, seat=0):
    return unpack(table.player(seat).tokens, 6)


def bank(table):
    return unpack(table.s.bank, 6)


def empty_bank(table, **left):
    table.s.bank = counts(**left)


# S1: players and tokens


@pytest.mark.parametrize(("players", "pile"), [(2, 4), (3, 5), (4, 7)])
def test_s1_tokens_and_nobles_by_players(table, players, pile):
    t = table(players)
    assert bank(t) == [pile] * 5 + [5]
    assert sum(noble != NO_NOBLE for noble in t.s.nobles) == players + 1
    assert all(card != NO_CARD for card in t.s.market)
    assert [bin(deck).count("1") for deck in t.s.decks.tolist()] == [36, 26, 16]


@pytest.mark.parametrize("players", [1, 5, 0, -2])
def test_s1_other_numbers_of_players_are_refused(players):
    with pytest.raises(bottega.BadOption, match="2 to 4 players"):
        bottega.game("splendor").new(players)


def test_s1_rows_hold_cards_of_their_level(table):
    market = table(4, seed=3).match.view()["market"]
    assert [[card["level"] for card in row] for row in market] == [[1] * 4, [2] * 4, [3] * 4]


# S2: the first seat


def test_s2_seat_0_starts_and_play_goes_clockwise(table):
    t = table(3)
    turns = []
    for _ in range(6):
        turns += t.match.waiting
        t.play("take")
    assert turns == [0, 1, 2, 0, 1, 2]


# S3: different gems


def test_s3_exactly_three_different(table):
    takes = {key for key in table().may() if key.startswith("take")}
    different = {key for key in takes if len(set(key.split("-")[1:])) == 3}
    assert len(different) == 10
    assert takes - different == {
        f"take-{c}-{c}" for c in ("white", "blue", "green", "red", "black")
    }


def test_s3_taking_moves_tokens(table):
    t = table()
    t.play("take-white-red-black")
    assert tokens(t) == [1, 0, 0, 1, 1, 0]
    assert bank(t) == [3, 4, 4, 3, 3, 5]


def test_s3_two_colours_left_both_must_be_taken(table):
    t = table()
    empty_bank(t, white=1, red=2)
    assert {k for k in t.may() if k.startswith("take")} == {"take-white-red"}


def test_s3_one_colour_left(table):
    t = table()
    empty_bank(t, blue=1, gold=5)
    assert {k for k in t.may() if k.startswith("take")} == {"take-blue"}


def test_s3_empty_bank_nothing_to_take(table):
    t = table()
    empty_bank(t, gold=5)
    assert not [k for k in t.may() if k.startswith("take")]


def test_s3_fewer_by_choice_is_refused(table):
    t = table()
    with pytest.raises(bottega.IllegalMove, match=r"exactly three different.*S3"):
        t.play("take-white-red")
    empty_bank(t, white=1, red=1, blue=1, green=0)
    with pytest.raises(bottega.IllegalMove, match=r"no green.*S3"):
        t.play("take-white-blue-green")


# S4: two alike


def test_s4_two_alike_needs_a_pile_of_four(table):
    t = table()
    assert "take-white-white" in t.may()
    t.give(1, white=1)
    assert "take-white-white" not in t.may()
    with pytest.raises(bottega.IllegalMove, match=r"pile of 4.*the white one has 3.*S4"):
        t.play("take-white-white")


def test_s4_two_of_the_pile_move(table):
    t = table()
    t.play("take-black-black")
    assert tokens(t) == [0, 0, 0, 0, 2, 0]
    assert bank(t)[4] == 2


# S5: reserving


def test_s5_a_face_up_card_and_a_gold(table):
    t = table()
    card = t.s.market[5]
    t.play("reserve-2b")
    assert t.player().hand[0] == card
    assert tokens(t)[5] == 1
    assert bank(t)[5] == 4
    assert t.match.view(1)["players"][0]["hand"][0]["id"] == card, "it stays known to everybody"


def test_s5_from_a_deck_unseen_by_the_others(table):
    t = table(3)
    t.play("reserve-deck-3")
    card = int(t.player().hand[0])
    assert 70 <= card < 90
    assert t.match.view(0)["players"][0]["hand"][0]["id"] == card
    for viewer in (1, 2, None):
        hand = t.match.view(viewer)["players"][0]["hand"]
        assert hand == [{"id": None, "level": 3, "unseen": True}]


def test_s5_every_deck_unless_empty(table):
    t = table()
    t.s.decks[1] = 0
    assert {"reserve-deck-1", "reserve-deck-3"} <= t.may()
    assert "reserve-deck-2" not in t.may()
    with pytest.raises(bottega.IllegalMove, match=r"level 2 is empty.*S5"):
        t.play("reserve-deck-2")


def test_s5_at_most_three(table):
    t = table()
    for reserve in ("reserve-1a", "reserve-deck-2", "reserve-3d"):
        t.play(reserve, "take")
    assert not [key for key in t.may() if key.startswith("reserve")]
    with pytest.raises(bottega.IllegalMove, match=r"three reserved cards.*S5"):
        t.play("reserve-1a")


def test_s5_without_gold_it_is_allowed(table):
    t = table()
    empty_bank(t, white=4, blue=4)
    t.play("reserve-1a")
    assert t.player().held == 1
    assert tokens(t) == [0] * 6


def test_s5_a_hidden_card_stays_hidden_until_bought(table):
    t = table()
    t.play("reserve-deck-1", "take")
    card = int(t.player().hand[0])
    t.player().bonuses = pack([9] * 5)
    t.s.nobles[:] = NO_NOBLE
    assert t.match.view(1)["players"][0]["hand"][0]["id"] is None
    t.play("buy-hand-1")
    bonus = t.match.view(0)["market"]  # the card itself is gone; its gem counts openly
    assert bonus
    assert t.match.view(1)["players"][0]["hand"] == []
    assert card not in [int(c) for c in t.player().hand]


# S6: buying


def test_s6_price_is_cost_minus_bonuses_never_below_zero(table):
    t = table()
    card = t.card(level=1, bonus="black", cost_blue=4, points=1)
    t.show(0, card)
    t.bonuses(blue=1, red=7)
    t.give(blue=3)
    t.play("buy-1a")
    assert tokens(t) == [0] * 6
    assert t.player().points == 1
    assert unpack(t.player().bonuses, 5) == [0, 1, 0, 7, 1]
    assert t.player().bought == 1


def test_s6_too_expensive(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=3)
    assert "buy-1a" not in t.may()
    with pytest.raises(bottega.IllegalMove, match=r"you lack 1 blue.*S6"):
        t.play("buy-1a")


def test_s6_gold_stands_for_any_gem(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=2, gold=2)
    t.play("buy-1a")
    assert tokens(t) == [0] * 6
    assert bank(t) == [4, 4, 4, 4, 4, 5]


def test_s6_own_reserved_card(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.play("reserve-1a", "take")
    t.give(blue=3)
    t.play("buy-hand-1")
    assert t.player().held == 0
    assert t.player().points == 1
    assert t.player().hand[0] == NO_CARD


def test_s6_bonuses_alone_buy(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.bonuses(blue=4)
    t.play("buy-1a")
    assert tokens(t) == [0] * 6


def test_s6_the_hand_closes_its_gap(table):
    t = table()
    t.play("reserve-1a", "take", "reserve-deck-1", "take", "reserve-1b")
    held = [int(card) for card in t.player().hand]
    t.s.turn = 0
    t.bonuses(white=9, blue=9, green=9, red=9, black=9)
    t.s.nobles[:] = NO_NOBLE
    assert t.player().unseen == 0b010
    t.play("buy-hand-1")
    assert [int(card) for card in t.player().hand] == [held[1], held[2], NO_CARD]
    assert t.player().unseen == 0b001


# S7: paying


def test_s7_gems_first_gold_for_the_shortfall(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=3, gold=3)
    t.play("buy-1a")
    assert tokens(t) == [0, 0, 0, 0, 0, 2]


def test_s7_choice_offers_gold_in_place_of_gems(table):
    t = table(payment="choice")
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=4, gold=2)
    t.play("buy-1a")
    assert t.may() == {"settle", "gold-for-blue"}
    t.play("gold-for-blue", "gold-for-blue")
    assert t.may() == {"settle"}, "no gold is left"
    t.play("settle")
    assert tokens(t) == [0, 2, 0, 0, 0, 0]
    assert t.match.waiting == [1]


def test_s7_choice_is_not_asked_when_there_is_none(table):
    t = table(payment="choice")
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=3, gold=1)
    t.play("buy-1a")
    assert tokens(t) == [0] * 6
    assert t.match.waiting == [1]


def test_s7_an_unsettled_payment_is_private_and_can_be_taken_back(table):
    t = table(payment="choice")
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=4, gold=2)
    before = t.match.view(1)
    t.play("buy-1a", "gold-for-blue")
    assert t.match.view(1) == before
    assert t.match.log(1) == []
    t.match.undo(0)
    t.match.undo(0)
    assert "buy-1a" in t.may()


def test_s7_auto_never_asks(table):
    t = table()
    t.show(0, t.card(level=1, bonus="black", cost_blue=4))
    t.give(blue=4, gold=2)
    t.play("buy-1a")
    assert tokens(t) == [0, 0, 0, 0, 0, 2]


# S8: refilling


def test_s8_at_once_from_the_same_level(table):
    t = table()
    old = int(t.s.market[6])
    t.play("reserve-2c")
    new = int(t.s.market[6])
    assert new != old
    assert 40 <= new < 70
    assert not int(t.s.decks[1]) >> (new - 40) & 1


def test_s8_an_empty_deck_leaves_the_place_empty(table):
    t = table()
    t.s.decks[2] = 0
    t.play("reserve-3a")
    assert t.s.market[8] == NO_CARD
    assert t.match.view()["market"][2][0] is None
    assert not {"buy-3a", "reserve-3a"} & t.may(1)
    with pytest.raises(bottega.IllegalMove, match="no card to buy"):
        t.play("buy-3a")


# S9: ten tokens


def test_s9_return_one_by_one_until_ten(table):
    t = table()
    t.give(white=2, blue=2, green=2, red=2)
    t.play("take-white-blue-black")
    assert t.match.waiting == [0]
    assert t.may() == {f"return-{c}" for c in ("white", "blue", "green", "red", "black")}
    t.play("return-black")
    assert t.match.waiting == [1]
    assert sum(tokens(t)) == 10


def test_s9_what_was_just_taken_and_gold_may_be_returned(table):
    t = table()
    t.give(white=3, blue=3, green=2, gold=2)
    t.play("reserve-1a")
    assert "return-gold" in t.may()
    t.play("return-gold")
    assert tokens(t)[5] == 2
    assert sum(tokens(t)) == 10


def test_s9_three_too_many(table):
    t = table()
    t.give(white=2, blue=2, green=2, red=2, black=2)
    t.play("take-white-blue-green")
    for left in (12, 11):
        assert t.match.prompt(0).endswith(f"give back {left - 10 + 1}.")
        t.play("return-white" if left == 12 else "return-red")
    t.play("return-red")
    assert sum(tokens(t)) == 10
    with pytest.raises(bottega.IllegalMove, match="not Player 1's decision"):
        t.match.play(0, "return-red")


def test_s9_no_token_that_is_not_held(table):
    t = table()
    t.give(white=4, blue=4, gold=2)
    t.play("take-green-red-black")
    assert "return-green" in t.may()
    t.play("return-green")
    with pytest.raises(bottega.IllegalMove, match=r"hold no green.*S9"):
        t.play("return-green")


# S10: nobles


def ready_for_nobles(t, number):
    """Seat 0 meets the needs of so many nobles."""
    t.s.nobles[:] = NO_NOBLE
    for place in range(number):
        t.s.nobles[place] = place
    t.bonuses(white=4, blue=4, green=4, red=4, black=4)


def test_s10_one_comes_by_itself(table):
    t = table()
    ready_for_nobles(t, 1)
    t.play("take-white-blue-green")
    assert t.player().points == 3
    assert t.s.nobles[0] == NO_NOBLE
    assert t.match.waiting == [1]


def test_s10_of_several_one_is_chosen_and_others_come_later(table):
    t = table()
    ready_for_nobles(t, 3)
    t.play("take-white-blue-green")
    assert t.may() == {"welcome-1", "welcome-2", "welcome-3"}
    t.play("welcome-2")
    assert t.player().points == 3
    assert int(t.player().nobles) == 0b10
    t.play("take", "take-white-blue-green")
    assert t.may() == {"welcome-1", "welcome-3"}
    t.play("welcome-3", "take")
    t.play("reserve-1a")
    assert t.player().points == 9, "the last one comes by itself, after any action"


def test_s10_after_returning_tokens(table):
    t = table()
    ready_for_nobles(t, 2)
    t.give(white=3, blue=3, green=3)
    t.play("take-white-red-black")
    assert t.may() == {f"return-{c}" for c in ("white", "blue", "green", "red", "black")}
    t.play("return-red", "return-black")
    assert t.may() == {"welcome-1", "welcome-2"}


def test_s10_never_declined(table):
    t = table()
    ready_for_nobles(t, 2)
    t.play("take-white-blue-green")
    with pytest.raises(bottega.IllegalMove, match="welcome one"):
        t.play("pass")


def test_s10_not_for_too_few_bonuses(table):
    t = table()
    t.s.nobles[:] = NO_NOBLE
    t.s.nobles[0] = 0
    need = unpack(t.kit.need[0], 5)
    t.player().bonuses = pack(need) - (1 << 8 * need.index(4))
    t.play("take-white-blue-green")
    assert t.player().points == 0
    assert t.s.nobles[0] == 0


# S11: nothing to do


def stuck(t, seat):
    """The seat can neither reserve nor buy; the bank is empty."""
    empty_bank(t)
    player = t.player(seat)
    dear = [card for card in range(70, 90) if card not in list(t.s.market)][seat * 3 : seat * 3 + 3]
    for place, card in enumerate(dear):
        player.hand[place] = card
        t.s.decks[2] = int(t.s.decks[2]) & ~(1 << (card - 70))
    player.held = 3
    player.tokens = 0


def test_s11_pass_only_when_nothing_else_is_possible(table):
    t = table()
    assert "pass" not in t.may()
    with pytest.raises(bottega.IllegalMove, match="S11"):
        t.play("pass")
    stuck(t, 0)
    assert t.may() == {"pass"}
    t.play("pass")
    assert t.match.waiting == [1]
    assert "pass" not in t.may(1), "seat 1 can still reserve"


def test_s11_all_pass_in_one_round_ends_the_game_as_it_stands(table):
    t = table()
    stuck(t, 0)
    stuck(t, 1)
    t.player(1).points = 2
    t.play("pass")
    assert not t.match.over
    t.play("pass")
    assert t.match.over
    assert not t.match.unfinished
    assert t.match.winners == [1]


def test_s11_passes_of_different_rounds_do_not_add_up(table):
    t = table()
    stuck(t, 0)
    t.play("pass", "reserve-1a", "pass")
    assert not t.match.over


# S12: the end


def test_s12_the_round_is_finished(table):
    t = table(3)
    t.player(0).points = 15
    t.play("take-white-white")
    assert not t.match.over
    assert t.match.view()["last_round"]
    t.play("take")
    assert not t.match.over
    t.play("take")
    assert t.match.over
    assert t.match.winners == [0]


def test_s12_the_last_seat_ends_it_at_once(table):
    t = table(2)
    t.play("take-white-white")
    t.player(1).points = 16
    t.play("take")
    assert t.match.over
    assert t.match.winners == [1]


def test_s12_fourteen_is_not_enough(table):
    t = table(2)
    t.play("take-white-white")
    t.player(1).points = 14
    t.play("take")
    assert not t.match.over


def finish(t, points, bought):
    for seat, (score, cards) in enumerate(zip(points, bought, strict=True)):
        t.player(seat).points = score
        t.player(seat).bought = cards
    while not t.match.over:
        t.play("take")


def test_s12_most_points_then_fewest_developments(table):
    t = table(4)
    finish(t, (15, 17, 17, 3), (5, 12, 11, 2))
    assert t.match.ranking == [[2], [1], [0], [3]]
    assert t.match.scores == [15, 17, 17, 3]
    assert t.match.winners == [2]
    assert t.match.prompt(0) == (
        "Player 3 has won. Player 2 and Player 3 have 17 points each; the fewest cards bought "
        "decide: Player 2 12, Player 3 11."
    )


def test_s12_still_tied_is_shared(table):
    t = table(3)
    finish(t, (16, 16, 9), (10, 10, 1))
    assert t.match.ranking == [[0, 1], [2]]
    assert t.match.winners == [0, 1]
    assert t.match.prompt(0) == (
        "You and Player 2 share the win. Player 1 and Player 2 have 16 points and 10 cards each."
    )


def test_s12_a_noble_counts_at_the_end_of_the_turn(table):
    t = table(2)
    t.play("take-white-white")
    t.s.nobles[:] = NO_NOBLE
    t.s.nobles[0] = 4
    t.bonuses(1, white=4, blue=4, green=4, red=4, black=4)
    t.player(1).points = 12
    t.play("take")
    assert t.match.over
    assert t.match.scores == [0, 15]


# S13: open and hidden


def test_s13_open_things_are_in_every_view(table):
    t = table(3, seed=5)
    chance = random.Random(5)
    for _ in range(40):
        seat = t.match.waiting[0]
        t.match.play(seat, chance.choice(t.match.legal_numbers(seat)))
    views = [t.match.view(viewer) for viewer in (0, 1, 2, None)]
    for open_thing in ("bank", "decks", "market", "nobles"):
        assert all(view[open_thing] == views[0][open_thing] for view in views)
    for seat in range(3):
        for open_thing in ("tokens", "bonuses", "points", "bought", "nobles"):
            assert all(
                v["players"][seat][open_thing] == views[0]["players"][seat][open_thing]
                for v in views
            )
    assert views[3]["decks"] == [bin(deck).count("1") for deck in t.s.decks.tolist()]


def test_s13_decks_and_unseen_cards_are_in_no_view(table):
    t = table(2)
    t.play("reserve-deck-1")
    assert "order" not in str(t.match.view(1))
    hidden = t.match.view(1)["players"][0]["hand"]
    assert hidden == [{"id": None, "level": 1, "unseen": True}]
    assert "deck of level 1 and takes a gold" in t.match.log(1)[-1].text
    assert "level 1 card" in t.match.log(0)[-1].text.replace("deck of level 1", "")


def test_s13_conceal_redraws_unseen_cards_fairly(table):
    """Every card the seat has not seen is as likely in the other's hand."""
    t = table(2)
    t.play("reserve-deck-3")
    shown = {int(card) for card in t.s.market[8:]}
    drawn = [int(t.match.concealed(1, seed)[0].players[0].hand[0]) for seed in range(3200)]
    possible = set(range(70, 90)) - shown
    assert set(drawn) == possible
    expected = 3200 / len(possible)
    chi_square = sum((drawn.count(c) - expected) ** 2 / expected for c in possible)
    assert chi_square < 38, "15 degrees of freedom: beyond 38 once in a thousand"
    assert {int(t.match.concealed(0, seed)[0].players[0].hand[0]) for seed in range(50)} == {
        int(t.player().hand[0])
    }, "the reserver knows it"
