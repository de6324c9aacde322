"""One test, or a few, for each ruling R1 to R23, and each example of the rulebook."""

from __future__ import annotations

import pytest

import bottega
from bottega.games.renaissance_man.state import DECIDED, NO_CARD, RENAISSANCE_MAN
from tests.games.renaissance_man.conftest import ROW, members

KINDS = ("coin", "book", "bread", "shield")
FULL = ("2a", "2b", "2c", "2d", "3a", "3b", "3c", "4a", "4b")  # all but the Master


def refused(t, seat, key, why):
    before = t.match.state()
    with pytest.raises(bottega.IllegalMove, match=why):
        t.play(seat, key)
    assert t.match.state() == before


# R1: fit


def test_r1_needs_match_the_offers_below_in_type_and_order(started):
    t = started(1, 1, ("merchant", "scholar", "baker", "knight", "renaissance-man"))
    t.hold(0, t.card("Knight", "coin", "book"), t.card("Knight", "book", "coin"))
    t.play(0, "hire")
    assert t.may() == {"card-1"}
    refused(t, 0, "card-2", r"fits no free place.*R1")
    t.play(0, "card-1")
    assert t.may() == {"place-2a"}, "the Merchant and the Scholar are the only such neighbours"
    refused(t, 0, "place-2d", r"does not match.*it fits 2a.*R1")


def test_r1_the_corners_that_touch_are_compared(table):
    """With cards whose corners differ: the left need meets the right offer of the left support,
    the right need the left offer of the right support."""
    t = table(1, kit="permutations").set_foundations()
    t.build(0, "2a", t.card("Baker", "coin", "book", ("shield", "bread")))
    t.build(0, "2d", t.card("Baker", "bread", "shield", ("coin", "book")))
    t.build(0, "2b", t.card("Baker", "book", "coin", ("shield", "bread")))
    t.hold(
        0,
        t.card("Merchant", "bread", "shield"),  # what touches: bread of 2a, shield of 2b
        t.card("Merchant", "shield", "bread"),  # the outer corners
    )
    t.store(0, coin=1)
    t.play(0, "hire-by-token")
    t.play(0, "card-2")
    assert t.may() == {"place-2c"}
    t.match.undo(0)
    t.play(0, "card-1")
    assert t.may() == {"place-3a"}


def test_r1_a_renaissance_man_offers_anything(started):
    t = started(1)
    t.hold(0, t.card("Baker", "book", "shield"), t.card("Baker", "coin", "bread"))
    t.play(0, "hire")
    assert t.may() == {"card-1", "card-2"}
    t.play(0, "card-1")
    assert t.may() == {"place-2b"}
    t.match.undo(0)
    t.play(0, "card-2")
    assert t.may() == {"place-2c"}


def test_r1_two_equal_neighbours_take_only_a_renaissance_man(started):
    t = started(1)
    t.build(0, "2a", t.card("Baker", "coin", "book"))
    t.build(0, "2b", t.card("Baker", "book", "coin"))
    t.hold(0, *(t.card("Knight", "bread", other) for other in ("coin", "book")))
    t.store(0, coin=1)
    assert "hire-by-token" not in t.may()
    refused(t, 0, "hire-by-token", r"None of your cards fits.*R1")
    t.taught(0, "coin", "book", "bread")
    t.store(0, book=1)
    t.play(0, "teach-by-token", "card-1", "confirm")
    assert "place-3a" in t.may()


# R2: positions


def test_r2_a_place_rests_on_two_below(started):
    t = started(1)
    t.hold(0, t.card("Merchant", "coin", "book"))
    free = {p["name"] for p in t.match.view(0)["players"][0]["structure"] if p["free"]}
    assert free == {"2a", "2b", "2c", "2d"}
    t.pyramid(0, "2a", "2b", "2d")
    free = {p["name"] for p in t.match.view(0)["players"][0]["structure"] if p["free"]}
    assert free == {"2c", "3a"}
    names = [p["name"] for p in t.match.view(0)["players"][0]["structure"]]
    assert [sum(name[0] == str(level) for name in names) for level in range(1, 6)] == [
        5,
        4,
        3,
        2,
        1,
    ]


def test_r2_only_a_free_place_can_be_filled(started):
    t = started(1)
    t.pyramid(0, "2a", "2b")
    t.store(0, coin=1)
    t.hold(0, t.card("Merchant", "coin", "book"))
    t.play(0, "hire-by-token", "card-1")
    assert t.may() == {"place-3a"}
    refused(t, 0, "place-2a", r"2a is not free.*R2")
    refused(t, 0, "place-3b", r"3b is not free.*R2")


# R3: uncovered


@pytest.mark.parametrize("place", ["2a", "2b"])
def test_r3_a_worker_on_either_side_covers(started, place):
    """Merchant, Scholar, ...: both places above the Scholar cover him."""
    t = started(1)
    t.hold(0, t.card("Merchant", "coin", "book"))
    assert "teach" in t.may()
    t.pyramid(0, place)
    assert "teach" not in t.may()
    assert ("hire" in t.may()) == (place == "2b"), "only 2a covers the Merchant too"
    refused(t, 0, "teach", r"covered.*R3")


# R4: the Foundation


def test_r4_in_secret_and_revealed_together(table):
    t = table(3)
    assert t.match.waiting == [0, 1, 2]
    assert all(t.player(seat).held == 0 for seat in range(3)), "hands are dealt afterwards"
    assert all(area["card"] for area in t.match.view(1)["recruits"]), "recruits are seen before"
    row = ("knight", "baker", "renaissance-man", "merchant")
    t.play(1, *(f"set-{worker}" for worker in row), "confirm")
    assert t.match.waiting == [0, 2]
    for viewer in (0, 2, None):
        assert not any(p["worker"] for p in t.match.view(viewer)["players"][1]["structure"])
        assert t.log(viewer) == []
    assert t.worker(1, "1a") == "Knight"
    t.play(0, *(f"set-{worker}" for worker in ROW[:-1]), "confirm")
    t.play(2, *(f"set-{worker}" for worker in ROW[:-1]), "confirm")
    seen = t.match.view(0)["players"][1]["structure"][:5]
    assert [p["worker"]["worker"] for p in seen] == [
        "Knight",
        "Baker",
        "Renaissance Man",
        "Merchant",
        "Scholar",
    ]
    assert [t.player(seat).held for seat in range(3)] == [4, 4, 4]
    assert "Player 2 sets Knight, Baker, Renaissance Man, Merchant and Scholar." in t.log()


def test_r4_each_of_the_five_once(table):
    t = table(1)
    t.play(0, "set-baker")
    assert t.may() == {f"set-{worker}" for worker in ROW} - {"set-baker"}
    refused(t, 0, "set-baker", r"already lies.*R4")


# R5: recruit areas


def test_r5_four_areas_with_a_card_each(table):
    areas = table(4).match.view()["recruits"]
    assert [area["kind"] for area in areas] == list(KINDS)
    assert len({area["card"]["id"] for area in areas}) == 4


# R6: one action phase


def test_r6_sealed_until_the_last_has_decided(started):
    t = started(3)
    t.hold(0, t.card("Baker", "coin", "book"))
    before = {viewer: t.match.view(viewer) for viewer in (1, 2, None)}
    t.play(0, "hire", "card-1", "place-2a")
    for viewer, seen in before.items():
        assert t.match.view(viewer) == seen, "an unconfirmed decision leaves no trace"
    t.play(0, "confirm")
    for viewer in (1, 2, None):
        player = t.match.view(viewer)["players"][0]
        assert player["decided"]
        assert player["decision"] is None
        assert player["held"] == 1
        assert not any(p["worker"] for p in player["structure"][5:])
    t.play(1, "pass")
    assert t.worker(0, "2a") is None
    t.play(2, "pass")
    assert t.worker(0, "2a") == "Baker"
    assert t.log(2)[-4:-1] == [
        "Player 1 hires the Baker over coin and book at 2a, by a Merchant of level 1.",
        "Player 2 takes no action.",
        "Player 3 takes no action.",
    ]


def test_r6_sources_are_uncovered_workers_of_the_level_and_stored_tokens(started):
    t = started(2)
    t.hold(0, t.card("Knight", "coin", "book"))
    t.store(0, bread=1)
    assert t.may() == {"hire", "teach", "barter", "recruit", "barter-by-token", "pass"}
    t.hold(0)
    assert t.may() == {"pass"}
    refused(t, 0, "barter", r"you have none.*R6")
    refused(t, 0, "hire-by-token", r"no stored coin.*R6")


def test_r6_a_decision_can_be_taken_back_until_the_reveal(started):
    t = started(2)
    t.play(0, "barter", "card-1", "confirm")
    assert t.match.can_undo(0)
    t.match.undo(0)
    assert t.match.waiting == [0, 1]
    t.play(0, "confirm")
    t.play(1, "pass")
    assert not t.match.can_undo(0)


def test_r6_small_steps_in_their_order(started):
    t = started(1)
    refused(t, 0, "card-1", r"not what is asked.*R6.*Action phase 1: hire")
    t.play(0, "recruit")
    refused(t, 0, "pass", r"not what is asked.*Which card")
    refused(t, 0, "card-8", r"You hold 4 cards.*R6")


def test_r6_a_full_store_drops_a_token(started):
    t = started(1)
    t.store(0, coin=2, book=1, shield=1)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "barter", "card-1")
    assert t.may() == {"drop-coin", "drop-book", "drop-shield"}
    refused(t, 0, "drop-bread", r"no stored bread.*R6")
    t.play(0, "drop-coin", "confirm")
    assert t.stored(0) == {"coin": 1, "book": 1, "bread": 1, "shield": 1}


def test_r6_barter_stores_the_icon_of_the_discarded_card(started):
    t = started(1)
    card = t.card("Knight", "coin", "book")
    t.hold(0, card)
    t.play(0, "barter", "card-1", "confirm")
    assert t.stored(0) == {"shield": 1}
    assert card in members(t.s.discards)
    assert card not in t.player().hand


# R7: who provides


def test_r7_the_hired_card_may_cover_its_merchant(started):
    t = started(1)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "hire", "card-1", "place-2a", "confirm")
    assert t.worker(0, "2a") == "Baker"


def test_r7_a_removed_merchant_allows_nothing(started):
    """The rulebook's example: a Merchant cannot hire somebody into his own place."""
    t = started(1)
    merchant = t.card("Merchant", "coin", "book")
    t.build(0, "2a", merchant)
    t.s.level = 2
    t.hold(0, t.card("Baker", "coin", "book"))
    assert "hire" not in t.may(), "nothing is free for the Baker"
    t.play(0, "remove-2a")
    assert "hire" not in t.may()
    refused(t, 0, "hire", r"covered or removed.*R7")
    t.play(0, "pass")
    assert merchant in members(t.s.discards)


def test_r7_a_merchant_freed_by_removals_provides(started):
    t = started(1)
    t.pyramid(0, "2a")
    t.hold(0, t.card("Baker", "coin", "book"))
    assert "hire" not in t.may()
    t.play(0, "remove-2a", "hire", "card-1", "place-2a", "confirm")
    assert t.worker(0, "2a") == "Baker"


# R8: a stored token as source


def test_r8_spent_token_frees_its_slot(started):
    t = started(1)
    t.store(0, bread=1, coin=3)
    t.hold(0, t.card("Scholar", "coin", "book"))
    t.play(0, "barter-by-token", "card-1")
    assert t.may() == {"confirm"}, "no token needs to be dropped"
    t.play(0, "confirm")
    assert t.stored(0) == {"coin": 3, "book": 1}


def test_r8_a_token_serves_in_any_phase_and_once(started):
    t = started(2)
    t.pyramid(0, "2a")
    t.hold(1, t.card("Scholar", "book", "coin"), t.card("Scholar", "coin", "book"))
    t.store(1, coin=1)
    t.others_pass()
    assert t.phase == ("action", 2)
    t.play(1, "hire-by-token", "card-2", "place-2a", "confirm")
    t.others_pass()
    assert t.worker(1, "2a") == "Scholar"
    assert t.stored(1) == {}


# R9: Teach


def test_r9_not_with_a_type_already_there(started):
    t = started(1)
    t.taught(0, "coin")
    t.hold(0, t.card("Merchant", "coin", "book"), t.card("Baker", "coin", "book"))
    t.play(0, "teach")
    assert t.may() == {"card-2"}
    refused(t, 0, "card-1", r"has coin already.*R9")
    t.match.undo(0)
    t.hold(0, t.card("Merchant", "coin", "book"))
    assert "teach" not in t.may()
    refused(t, 0, "teach", r"already in your Renaissance Man area.*R9")


def test_r9_four_tokens_become_a_renaissance_man_at_once(started):
    t = started(2)
    t.taught(0, "coin", "book", "shield")
    t.hold(0, t.card("Baker", "coin", "book"))
    deck = len(members(t.s.deck))
    t.play(0, "teach", "card-1", "confirm")
    t.play(1, "pass")
    assert t.phase[0] == "creation"
    assert t.match.waiting == [0]
    assert t.player(0).taught == 0
    assert len(members(t.s.deck)) == deck - 1
    assert "Player 1 has all four tokens and creates a Renaissance Man." in t.log()
    t.play(0, "place-2c", "confirm")
    assert t.worker(0, "2c") == "Renaissance Man"
    assert t.phase == ("action", 2), "the new worker calls the second phase"


def test_r9_several_renaissance_men_at_once(started):
    """The rulebook's example: all concerned place theirs together, in secret."""
    t = started(3)
    for seat in (0, 2):
        t.taught(seat, "coin", "book", "shield")
        t.hold(seat, t.card("Baker", "coin", "book"))
        t.play(seat, "teach", "card-1", "confirm")
    t.play(1, "pass")
    assert t.match.waiting == [0, 2]
    t.play(2, "place-2d", "confirm")
    assert t.worker(2, "2d") is None
    assert t.match.waiting == [0]
    t.play(0, "place-2a", "confirm")
    assert t.worker(0, "2a") == t.worker(2, "2d") == "Renaissance Man"
    assert len(members(t.s.face_down)) == 2


def test_r9_workers_may_be_removed_first(started):
    t = started(1)
    t.pyramid(0, "2a", "2b", "3a")
    t.taught(0, "coin", "book", "shield")
    t.store(0, book=1)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "teach-by-token", "card-1", "confirm")
    assert {key for key in t.may() if key.startswith("place")} == {"place-2c", "place-2d"}
    t.play(0, "remove-2a", "place-2a", "confirm")
    assert t.worker(0, "2a") == "Renaissance Man"
    assert t.worker(0, "3a") is None


# R10: Renaissance Men


def test_r10_a_renaissance_man_can_be_the_master(started):
    t = started(2)
    t.pyramid(0, *FULL)
    t.taught(0, "coin", "book", "shield")
    t.store(0, book=1)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "teach-by-token", "card-1", "confirm")
    t.play(1, "pass")
    assert t.may(0) >= {"place-5a"}
    t.play(0, "place-5a", "confirm")
    assert t.match.over
    assert t.match.winners == [0]


def test_r10_unknown_to_everybody_and_discarded_when_removed(started):
    t = started(1)
    t.pyramid(0, "2a")
    (card,) = members(t.s.face_down)
    for viewer in (0, None):
        worker = t.match.view(viewer)["players"][0]["structure"][5]["worker"]
        assert worker["id"] is None
        assert worker["kind"] is None
        assert worker["need"] == worker["offer"] == ["any", "any"]
    t.play(0, "remove-2a", "pass")
    assert card in members(t.s.discards)
    assert members(t.s.face_down) == []


def test_r10_gives_access_to_no_action(started):
    t = started(2)
    t.pyramid(0, "2a", "2b", "2c", "2d")
    t.hold(0, t.card("Baker", "coin", "book"))
    assert not t.may(0) & {"hire", "teach", "barter", "recruit"}
    t.others_pass()
    assert t.phase == ("action", 2)
    assert not t.may(0) & {"hire", "teach", "barter", "recruit"}


# R11: which knight


def test_r11_from_the_supply_without_asking_when_all_are_there(started):
    t = started(1)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "recruit", "card-1")
    assert t.may() == {"confirm"}
    assert t.match.view(0)["players"][0]["supply"] == 4


def test_r11_from_the_supply_or_any_area(started):
    t = started(2)
    t.knights(0, coin=2, bread=1)
    t.hold(0, t.card("Knight", "coin", "book"))
    t.play(0, "recruit", "card-1")
    assert t.may() == {"knight-from-coin", "knight-from-bread", "knight-from-supply"}
    refused(t, 0, "knight-from-book", r"no knight in the book area.*R11")
    t.play(0, "knight-from-coin", "confirm")
    t.knights(1, coin=2, bread=1)
    t.play(1, "recruit", "card-1")
    assert t.knights_out(0) == {"coin": 2, "bread": 1}, "nothing moves before the reveal"


def test_r11_a_knight_moved_from_a_tie(started):
    """The rulebook's example: with all knights on the board, one that is tied must move."""
    t = started(2)
    card = t.card("Knight", "coin", "book")
    t.show("coin", t.card("Scholar", "shield", "coin"))  # fits nowhere
    t.show("shield", t.card("Baker", "shield", "coin"))
    t.knights(0, coin=2, book=2)
    t.knights(1, coin=2, book=2)
    t.hold(0, card)
    t.play(0, "recruit", "card-1")
    assert t.may() == {"knight-from-coin", "knight-from-book"}
    refused(t, 0, "knight-from-supply", r"no knight in your supply.*R11")
    t.play(0, "knight-from-coin", "confirm")
    t.play(1, "pass")
    assert t.phase[0] == "discard"
    assert t.knights_out(1) == {"book": 2}, "alone at coin now, the others have won it"
    assert t.knights_out(0) == {"book": 2}, "so have these at shield; the other tie stays"


# R12: phases 2, 3 and 4


def test_r12_the_second_phase_needs_somebody_at_level_two(started):
    t = started(2)
    t.others_pass()
    assert t.phase[0] == "discard"
    t = started(2)
    t.pyramid(1, "2a")
    t.store(0, book=1)
    t.others_pass()
    assert t.phase == ("action", 2)
    assert t.match.waiting == [0, 1]
    assert t.may(0) == {"teach-by-token", "pass"}, "level 1 gives nothing in phase 2"


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_r12_as_many_phases_as_the_highest_level(started, levels):
    t = started(2)
    for level, places in enumerate((("2a", "2b", "2c"), ("3a", "3b"), ("4a",)), start=2):
        if level <= levels:
            t.pyramid(1, *places)
    called = []
    while t.phase[0] == "action":
        called.append(t.phase[1])
        t.others_pass()
    assert called == list(range(1, levels + 1))


def test_r12_covered_workers_count(started):
    t = started(2)
    t.pyramid(1, "2a", "2b", "3a")
    t.others_pass()
    assert t.phase == ("action", 2)


def test_r12_removed_workers_do_not_count(started):
    t = started(2)
    t.pyramid(1, "2a")
    t.play(0, "pass")
    t.play(1, "remove-2a", "pass")
    assert t.phase[0] == "discard"


def test_r12_who_can_do_nothing_at_all_is_not_asked(started):
    t = started(3)
    t.pyramid(1, "2a")
    t.store(0, coin=1)
    t.others_pass()
    assert t.phase == ("action", 2)
    assert t.match.waiting == [0, 1], "seat 2 has neither tokens nor workers to remove"


# R13: majority


def test_r13_strictly_more_than_any_other(started):
    t = started(3)
    t.knights(0, coin=2)
    t.knights(1, coin=1)
    t.knights(2, coin=1)
    card = int(t.s.recruits[0])
    t.all_pass()
    while t.phase[0] == "recruits":
        assert t.match.waiting == [0]
        t.play(0, "take")
    assert card in t.player(0).hand
    assert [t.knights_out(seat) for seat in range(3)] == [{}, {}, {}]
    assert t.s.recruits[0] == NO_CARD


def test_r13_ties_stay(started):
    t = started(3)
    for seat in (0, 1):
        t.knights(seat, bread=2)
    t.knights(2, bread=1)
    t.all_pass()
    assert t.phase[0] == "discard"
    assert [t.knights_out(seat) for seat in range(3)] == [{"bread": 2}, {"bread": 2}, {"bread": 1}]
    assert "The bread area is tied: the knights stay." in t.log()
    t.keep_all()
    assert t.knights_out(0) == {"bread": 2}


def test_r13_from_left_to_right(started):
    t = started(2)
    for area, card in (
        ("coin", t.card("Baker", "coin", "book")),
        ("book", t.card("Knight", "coin", "book")),
        ("shield", t.card("Merchant", "coin", "book")),
    ):
        t.show(area, card)
    t.knights(0, coin=1, shield=1)
    t.knights(1, book=1)
    t.all_pass()
    asked = []
    while t.phase[0] == "recruits":
        asked.append((t.match.view()["area"], t.match.waiting))
        t.play(t.match.waiting[0], "take")
    assert asked == [("coin", [0]), ("book", [1]), ("shield", [0])]


# R14: the recruited card


def test_r14_to_the_hand_or_to_a_place_that_it_fits(started):
    t = started(1)
    card = t.card("Merchant", "coin", "book")
    t.show("coin", card)
    t.knights(0, coin=3)
    t.all_pass()
    assert t.may() == {"place-2a", "take"}
    refused(t, 0, "place-2d", r"does not match.*R1")
    t.play(0, "place-2a", "confirm")
    assert t.player().pyramid[5] == card
    assert t.player().held == 4
    assert any("goes to 2a" in line for line in t.log())


def test_r14_to_the_hand(started):
    t = started(1)
    card = t.card("Merchant", "coin", "book")
    t.show("coin", card)
    t.knights(0, coin=3)
    t.all_pass()
    t.play(0, "take")
    assert t.player().hand[4] == card


def test_r14_after_removals(started):
    t = started(1)
    t.show("coin", t.card("Merchant", "coin", "book"))
    t.pyramid(0, "2a", "2b", "3a")
    t.knights(0, coin=3)
    t.all_pass()
    assert "place-2a" not in t.may()
    t.play(0, "remove-2a", "place-2a", "confirm")
    assert t.worker(0, "2a") == "Merchant"
    assert t.worker(0, "3a") is None


def test_r14_a_card_that_fits_nowhere_goes_to_the_hand_by_itself(started):
    t = started(1)
    card = t.card("Merchant", "shield", "coin")
    t.show("coin", card)
    t.knights(0, coin=3)
    t.all_pass()
    assert t.phase[0] == "discard"
    assert t.player().hand[4] == card


# R15: discards and refill


def test_r15_any_cards_in_secret(started):
    t = started(2)
    hand = [int(card) for card in t.player(0).hand[:4]]
    t.all_pass()
    assert len(t.may(0)) == 16
    t.play(0, "discard-2-3")
    assert t.match.view(1)["players"][0]["held"] == 4, "not even how many, before the last"
    t.play(1, "keep-all")
    new = [int(card) for card in t.player(0).hand[:4]]
    assert new[:2] == [hand[0], hand[3]]
    assert not {hand[1], hand[2]} & set(new)
    assert "Player 1 discards 2 cards." in t.log(1)
    assert "Player 1 discards 2 cards." not in t.log(0), "who discards sees which cards"


def test_r15_recruits_from_the_left_first_then_hands(started):
    t = started(2)
    s = t.s
    t.knights(0, coin=1, shield=1)
    t.show("coin", t.card("Merchant", "shield", "coin"))  # fits nowhere
    t.show("shield", t.card("Baker", "shield", "coin"))
    t.hold(0)
    t.hold(1, *[int(card) for card in t.player(1).hand[:2]])
    t.all_pass()
    for card in members(s.deck)[3:]:
        t.pile(s.deck, card, False)
        t.pile(s.discards, card, True)
    three = set(members(s.deck))
    t.keep_all()
    left = {int(s.recruits[0]), int(s.recruits[3])}
    assert left < three, "the last cards of the deck came to the recruit board"
    assert three - left == {int(t.player(1).hand[2])}, "and then to the left of the dealer"


def test_r15_more_than_four_stay(started):
    t = started(2)
    t.hold(0, *members(t.s.deck)[:7])
    hand = [int(card) for card in t.player(0).hand]
    t.all_pass()
    t.play(0, "keep-all")
    assert t.may(0) == {
        "keep-rest", "discard-5", "discard-6", "discard-7", "discard-5-6", "discard-5-7",
        "discard-6-7", "discard-5-6-7",
    }  # fmt: skip
    t.play(0, "discard-6")
    t.play(1, "keep-all")
    assert [int(card) for card in t.player(0).hand] == [*hand[:5], hand[6], NO_CARD, NO_CARD]


def test_r15_a_place_without_a_card_cannot_be_discarded(started):
    t = started(1)
    t.hold(0, *members(t.s.deck)[:2])
    t.all_pass()
    assert t.may() == {"keep-all", "discard-1", "discard-2", "discard-1-2"}
    refused(t, 0, "discard-3", r"You hold 2 cards.*R15")


# R16: removal


def test_r16_a_chain_of_removals(started):
    """The rulebook's example: what rests on a worker goes first, all in one decision."""
    t = started(1)
    t.pyramid(0, "2a", "2b", "2c", "3a", "3b", "4a")
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "remove-2a")
    removed = t.match.view(0)["players"][0]["decision"]["removed"]
    assert sorted(removed) == ["2a", "3a", "4a"]
    t.play(0, "hire", "card-1", "place-2a", "confirm")
    filled = [p["name"] for p in t.match.view()["players"][0]["structure"] if p["worker"]]
    assert filled[5:] == ["2a", "2b", "2c", "3b"]
    assert t.log()[-3] == (
        "Player 1 removes the Renaissance Man at 4a, the Renaissance Man at 3a and the "
        "Renaissance Man at 2a."
    )


def test_r16_several_side_by_side(started):
    t = started(1)
    t.pyramid(0, "2a", "2b", "2c")
    assert {key for key in t.may() if key.startswith("remove")} == {
        "remove-2a", "remove-2b", "remove-2c", "remove-2a-2b", "remove-2a-2c", "remove-2b-2c",
        "remove-2a-2b-2c",
    }  # fmt: skip
    t.play(0, "remove-2b-2c", "pass")
    assert [t.worker(0, place) for place in ("2a", "2b", "2c")] == ["Renaissance Man", None, None]


def test_r16_never_level_one_and_only_what_is_there(started):
    t = started(1)
    assert not [key for key in t.may() if key.startswith("remove")]
    refused(t, 0, "remove-2a", r"level 2 or higher.*R16")
    assert not [key for key in t.match.game.keys if key.startswith("remove-1")]


def test_r16_every_set_of_workers_can_be_removed(started):
    """A full pyramid: 41 ways, each a different set, none leaves a worker hanging."""
    t = started(1)
    t.pyramid(0, *FULL)
    ways = [key for key in t.may() if key.startswith("remove")]
    left = set()
    for key in ways:
        t.play(0, key)
        left.add(int(t.player().upper) & ~int(t.player().removed))
        t.match.undo(0)
    assert len(left) == len(ways) == 40, "the Master's own place is empty"


def test_r16_within_any_decision(started):
    t = started(1)
    t.pyramid(0, "2a")
    assert "remove-2a" in t.may()
    t.all_pass()
    assert t.phase[0] == "discard"
    t.play(0, "remove-2a", "discard-1")
    assert t.worker(0, "2a") is None


def test_r16_said_once(started):
    t = started(1)
    t.pyramid(0, "2a", "2b")
    t.play(0, "remove-2a")
    refused(t, 0, "remove-2b", r"take that back.*R16")


# R17: the deck is empty


def test_r17_discards_become_the_deck_when_a_card_must_be_drawn(started):
    t = started(2)
    t.hold(0)
    t.all_pass()
    s = t.s
    for card in members(s.deck)[1:]:
        t.pile(s.deck, card, False)
        t.pile(s.discards, card, True)
    (last,) = members(s.deck)
    discards = set(members(s.discards))
    t.keep_all()
    hand = {int(card) for card in t.player(0).hand[:4]}
    assert last in hand
    assert hand - {last} < discards
    assert members(s.discards) == []
    assert any("new one" in line for line in t.log())


def test_r17_with_no_discards_either_nothing_is_drawn(started):
    t = started(2)
    t.hold(0)
    t.all_pass()
    s = t.s
    for card in members(s.deck):
        t.pile(s.deck, card, False)
    t.keep_all()
    assert t.player(0).held == 0
    assert t.phase == ("action", 1)
    assert t.match.waiting == [1], "without cards and workers there is nothing to decide"


# R18: the end


def master(t, seat):
    """One action away from a Master, by a stored token."""
    t.pyramid(seat, *FULL)
    t.store(seat, coin=1)
    t.hold(seat, t.card("Baker", "coin", "book"))


def hire_master(t, seat):
    t.play(seat, "hire-by-token", "card-1", "place-5a", "confirm")


def test_r18_a_master_ends_the_game_after_the_action_phase(started):
    t = started(2)
    master(t, 0)
    t.knights(1, coin=1)
    hire_master(t, 0)
    t.play(1, "pass")
    assert t.match.over
    assert t.match.winners == [0]
    assert t.match.scores == [15, 5]
    assert t.knights_out(1) == {"coin": 1}, "recruits are not resolved any more"
    assert t.log()[-1] == "The game is over. Player 1 has a Master."


def recruit_a_master(started):
    """Seat 0 has put a Master on top by the coin area and wins the book area, too."""
    t = started(2)
    t.pyramid(0, *FULL)
    t.show("coin", t.card("Baker", "coin", "book"))
    t.show("book", t.card("Knight", "coin", "book"))
    t.show("bread", t.card("Scholar", "coin", "book"))
    t.knights(0, coin=1, book=1)
    t.knights(1, bread=1)
    t.all_pass()
    t.play(0, "place-5a", "confirm")
    return t


def test_r23_nobody_leaves_a_pyramid_with_a_master(started):
    """A Master placed in a recruit resolution was removed in the same one, and play went on."""
    t = recruit_a_master(started)
    assert t.worker(0, "5a") == "Baker"
    assert t.match.waiting == [1], "what the Master's owner wins goes to the hand, unasked"
    assert any("the Knight over coin and book goes to the hand" in line for line in t.log())
    t.play(1, "take")
    assert t.match.over
    assert t.match.winners == [0]


def test_r23_others_may_still_remove_their_own(started):
    t = recruit_a_master(started)
    t.match.undo(0, force=True)
    t.match.undo(0, force=True)
    t.build(1, "2a", t.card("Baker", "coin", "book"))
    t.play(0, "place-5a", "confirm")
    assert "remove-2a" in t.may(1)


def test_r23_a_removal_under_a_master_is_refused(started):
    t = started(2)
    master(t, 0)
    t.player(0).upper |= 1 << 9
    t.player(0).pyramid[14] = t.player(0).pyramid[13]
    assert not any(key.startswith("remove") for key in t.may(0))
    with pytest.raises(bottega.IllegalMove, match="R23"):
        t.play(0, "remove-4a")


def test_r18_a_master_by_recruiting_ends_it_after_the_whole_resolution(started):
    t = started(2)
    t.pyramid(0, *FULL)
    t.show("coin", t.card("Baker", "coin", "book"))
    t.show("book", t.card("Knight", "coin", "book"))
    t.knights(0, coin=1)
    t.knights(1, book=1)
    t.all_pass()
    t.play(0, "place-5a", "confirm")
    assert not t.match.over
    assert t.match.waiting == [1], "the other areas are resolved all the same"
    t.play(1, "take")
    assert t.match.over
    assert t.match.winners == [0]


@pytest.mark.parametrize("better", ["stored", "taught", "knights"])
def test_r18_two_masters_at_once_each_tie_break(started, better):
    """The rulebook's example: stored actions, Renaissance Man tokens and knights add up."""
    t = started(2)
    for seat in (0, 1):
        master(t, seat)
        t.store(seat, coin=2)
        t.taught(seat, "book")
        t.knights(seat, bread=1)
    if better == "stored":
        t.store(1, coin=2, book=1)
    elif better == "taught":
        t.taught(1, "book", "shield")
    else:
        t.knights(1, bread=2)
    hire_master(t, 0)
    hire_master(t, 1)
    assert t.match.over
    assert t.match.winners == [1]
    assert t.match.ranking == [[1], [0]]
    assert t.match.prompt(1).startswith(
        "You have won! Player 1 and Player 2 have a Master each; tokens and knights in play decide:"
    )


def test_r18_still_tied_is_shared(started):
    t = started(3)
    for seat in (0, 2):
        master(t, seat)
    t.store(0, coin=1, bread=1)
    t.knights(2, book=1)
    hire_master(t, 0)
    hire_master(t, 2)
    t.play(1, "pass")
    assert t.match.winners == [0, 2]
    assert t.match.ranking == [[0, 2], [1]]
    assert t.match.prompt(0) == (
        "You and Player 3 share the win. Player 1 and Player 3 have a Master and as many tokens "
        "and knights in play, 1 each."
    )


def test_r18_hired_and_created_masters_of_one_phase_count_together(started):
    t = started(2)
    master(t, 0)
    t.pyramid(1, *FULL)
    t.taught(1, "coin", "book", "shield")
    t.store(1, book=1, shield=1)
    t.hold(1, t.card("Baker", "coin", "book"))
    hire_master(t, 0)
    t.play(1, "teach-by-token", "card-1", "confirm")
    assert not t.match.over
    t.play(1, "place-5a", "confirm")
    assert t.match.winners == [1], "one stored token against none"


# R19: tokens


def test_r19_never_more_than_eight_tokens_a_player(started):
    t = started(1)
    t.store(0, coin=4)
    t.taught(0, "coin", "book", "shield")
    t.hold(0, t.card("Baker", "coin", "book"))
    t.play(0, "barter", "card-1")
    assert t.may() == {"drop-coin"}, "a fifth stored token must replace another"
    t.match.undo(0)
    t.match.undo(0)
    t.play(0, "teach", "card-1", "confirm")
    assert t.player().taught == 0, "the fourth token is gone with the other three"


# R20: open and hidden


def test_r20_open_things(started):
    t = started(3)
    t.store(1, bread=2)
    t.taught(1, "coin")
    t.knights(1, shield=3)
    for viewer in (0, 2, None):
        view = t.match.view(viewer)
        player = view["players"][1]
        assert player["store"]["bread"] == 2
        assert player["taught"] == ["coin"]
        assert (player["knights"]["shield"], player["supply"]) == (3, 1)
        assert player["held"] == 4
        assert view["deck"] == 96 - 4 - 12
        assert view["discards"] == 0


def test_r20_hidden_things(started):
    t = started(3)
    for viewer in (0, 2, None):
        assert t.match.view(viewer)["players"][1]["hand"] is None
    assert len(t.match.view(1)["players"][1]["hand"]) == 4


def test_r20_concealing_keeps_what_is_open_and_varies_what_is_not(started):
    t = started(3)
    t.pyramid(1, "2a")
    t.play(0, "pass")
    t.play(1, "remove-2a", "recruit", "card-2", "confirm")
    views, hands, sealed = set(), set(), set()
    for seed in range(40):
        other = t.match.imagine(2, seed)
        views.add(repr(other.view(2)))
        s = other._table[0]
        hands.add(bytes(s.players[1].hand))
        sealed.add((int(s.players[1].use), int(s.players[1].card)))
    assert len(views) == 1
    assert len(hands) > 30
    assert len(sealed) > 5, "what another one has sealed may be anything"


# R21: alone


def turn_up(t, *workers):
    """Leave only such cards in the deck that these are flipped: one of each worker."""
    s = t.s
    keep = [t.card(worker, "coin", "book") for worker in workers]
    for card in keep:
        t.fetch(card)
    for card in members(s.deck):
        t.pile(s.deck, card, False)
        t.pile(s.discards, card, True)
    for card in keep:
        t.pile(s.deck, card, True)
    return keep


def test_r21_two_cards_bring_opposing_knights(started):
    t = started(1)
    lost = int(t.s.recruits[1])
    flipped = turn_up(t, "Scholar", "Baker")
    t.all_pass()
    areas = t.match.view()["recruits"]
    assert [area["rival"] for area in areas] == [0, 0, 0, 0], "they have gone home"
    assert {lost, *flipped} <= set(members(t.s.discards))
    assert [area["card"] is None for area in areas] == [False, True, True, False]
    assert "Opposing knights come to book and bread." in t.log()


def test_r21_two_of_a_kind_come_to_one_area(started):
    t = started(1)
    first, second = t.card("Knight", "coin", "book"), t.card("Knight", "book", "coin")
    turn_up(t, "Knight")
    t.pile(t.s.discards, second, False)
    t.pile(t.s.deck, second, True)
    assert members(t.s.deck) == sorted([first, second])
    t.knights(0, shield=1)
    t.all_pass()
    assert "Two opposing knights come to shield." in t.log()
    assert t.match.view()["recruits"][3]["rival"] == 0, "they have gone home"
    assert t.knights_out(0) == {}


def test_r21_a_tie_sends_all_knights_home(started):
    t = started(1)
    turn_up(t, "Scholar", "Baker")
    card = int(t.s.recruits[1])
    t.knights(0, book=1)
    t.all_pass()
    assert t.knights_out(0) == {}
    assert t.s.recruits[1] == card, "the card stays"
    assert "The book area is tied: all knights go home." in t.log()


def test_r21_the_player_wins_against_fewer(started):
    t = started(1)
    turn_up(t, "Scholar", "Baker")
    card = t.card("Merchant", "shield", "coin")
    t.show("book", card)
    t.knights(0, book=2)
    t.all_pass()
    assert card in t.player().hand
    assert t.knights_out(0) == {}


def test_r21_lost_when_a_card_must_be_drawn_and_there_is_none(started):
    t = started(1)
    turn_up(t, "Scholar", "Baker")
    t.all_pass()
    assert not t.match.over, "the two cards were just enough"
    t.play(0, "discard-1")
    assert t.match.over
    assert t.match.standings == [(2, 5)]
    assert t.match.winners == []
    why = "A card had to be drawn and the deck was used up before a Master stood."
    assert t.match.prompt(0) == f"You have lost. {why}"
    assert t.log()[-1] == f"The game is over. {why}"


def test_r21_lost_when_the_flip_finds_no_card(started):
    t = started(1)
    turn_up(t, "Scholar")
    t.all_pass()
    assert t.match.over
    assert t.match.winners == []


def test_r21_lost_when_a_renaissance_man_finds_no_card(started):
    t = started(1)
    turn_up(t)
    t.taught(0, "coin", "book", "shield")
    t.hold(0, t.card("Baker", "coin", "book"))
    for card in members(t.s.deck):
        t.pile(t.s.deck, card, False)
        t.pile(t.s.discards, card, True)
    t.play(0, "teach", "card-1", "confirm")
    assert t.match.over
    assert t.match.winners == []


def test_r21_won_with_a_master(started):
    t = started(1)
    master(t, 0)
    hire_master(t, 0)
    assert t.match.winners == [0]
    assert t.match.standings == [(1, 15)]


def test_r21_easier_some_discards_come_back_once(started):
    t = started(1, easier=10)
    turn_up(t, "Scholar", "Baker")
    t.all_pass()
    t.play(0, "discard-1")
    assert not t.match.over
    # Ten came back: two for the recruits that were lost, one for the hand.
    assert len(members(t.s.deck)) == 10 - 3
    assert t.s.easier == 0
    assert sum("discards are shuffled into a new one" in line for line in t.log()) == 1
    turn_up(t, "Scholar")
    t.all_pass()
    assert t.match.over, "only the first time"


def test_r21_tougher_some_cards_leave_unseen(table):
    t = table(1, tougher=12)
    assert len(members(t.s.deck)) == 96 - 12 - 4
    assert t.match.view(0)["discards"] == 12
    t.set_foundations()
    assert len(members(t.s.deck)) == 96 - 12 - 8


def test_r21_the_options_are_for_one_player(table):
    t = table(2, easier=10, tougher=12)
    assert len(members(t.s.deck)) == 92


@pytest.mark.parametrize("option", [{"easier": 41}, {"tougher": -1}, {"tougher": "many"}])
def test_r21_other_numbers_are_refused(table, option):
    with pytest.raises(bottega.BadOption, match="a whole number from 0 to 40"):
        table(1, **option)


# R22: the dealer


def test_r22_seat_0_deals_so_seat_1_is_served_first(started):
    """The last card of the deck goes to the seat at the dealer's left."""
    t = started(3)
    s = t.s
    t.all_pass()
    for card in members(s.deck)[1:]:
        t.pile(s.deck, card, False)
        t.pile(s.discards, card, True)
    (last,) = members(s.deck)
    for seat in range(3):
        t.play(seat, "discard-1")
    assert t.player(1).hand[3] == last


# What a table is for


def test_one_to_four_players(table):
    for players in (1, 2, 3, 4):
        assert table(players).match.waiting == list(range(players))
    with pytest.raises(bottega.BadOption, match="1 to 4 players"):
        table(5)


def test_an_unfinished_table_is_ranked_by_workers():
    match = bottega.game("renaissance-man").new(2, 1, limit=11)
    for seat in (0, 1):
        for worker in ROW[:-1]:
            match.play(seat, f"set-{worker}")
        match.play(seat, "confirm")
    match._table[0].players[1].upper = 3
    match._table[0].players[1].pyramid[5:7] = RENAISSANCE_MAN
    match.play(0, "pass")
    assert match.unfinished
    assert match.winners == []
    assert match.ranking == [[1], [0]]


# Taking back a seal


def test_a_seal_is_taken_back_alone_until_the_reveal(started):
    """A granted undo deleted what others had sealed since."""
    t = started(3)
    t.play(0, "pass")
    t.play(1, "pass")
    assert t.match.private(0)
    t.match.undo(0)
    assert t.match.waiting == [0, 2]
    assert t.player(1).step == DECIDED, "the other's seal stands"
    t.play(0, "pass")
    t.play(2, "pass")
    assert not t.match.private(0)
    assert not t.match.can_undo(0)


def test_a_reveal_bears_the_signs_of_those_who_acted(started):
    t = started(3)
    for seat in (2, 0, 1):
        t.play(seat, "pass")
    told = [(line.seat, line.text) for line in t.match.log() if "takes no action" in line.text]
    assert told == [(seat, f"Player {seat + 1} takes no action.") for seat in range(3)]


def test_opposing_knights_are_told_even_when_none_can_come(started):
    t = started(1)
    t.s.discards[:] |= t.s.deck
    t.s.deck[:] = 0
    t.all_pass()
    assert t.match.over
    assert "There is no card left that could send an opposing knight." in t.log()
