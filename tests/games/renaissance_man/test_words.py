"""Keys, picks, sentences and the story of Renaissance Man."""

from __future__ import annotations

import bottega
from bottega.games.renaissance_man.rules import DISCARD, REMOVE

GAME = bottega.game("renaissance-man")


def test_few_actions_with_stable_keys():
    assert GAME.actions == len(set(GAME.keys)) < 192
    assert GAME.keys[:9] == (
        "hire", "teach", "barter", "recruit", "hire-by-token", "teach-by-token",
        "barter-by-token", "recruit-by-token", "card-1",
    )  # fmt: skip
    assert GAME.keys[DISCARD] == "keep-all"
    assert GAME.keys[DISCARD + 5] == "discard-1-3"
    assert GAME.keys[REMOVE] == "remove-2a"
    assert "remove-2a-3b-2d" not in GAME.keys
    assert "remove-2a-2d-3b" in GAME.keys


def test_a_removal_is_picked_by_its_lowest_workers():
    action = GAME.numbers["remove-2a-2d-3b"]
    assert GAME.words.picks(action) == ("worker-2a", "worker-2d", "worker-3b")


def test_cards_to_discard_are_picked_in_any_order():
    assert GAME.words.picks(GAME.numbers["discard-2-4"]) == ("hand-2", "hand-4")
    assert GAME.words.picks(GAME.numbers["discard-5-8"]) == ("hand-5", "hand-8")


def test_tokens_are_picked_alike_for_use_and_drop():
    assert GAME.words.picks(GAME.numbers["teach-by-token"]) == ("token-book",)
    assert GAME.words.picks(GAME.numbers["drop-book"]) == ("token-book",)


def text(t, key, seat=0):
    return next(action.text for action in t.match.legal(seat) if action.key == key)


def test_sentences_of_a_hire(started):
    t = started(1)
    t.hold(0, t.card("Baker", "coin", "book"))
    assert text(t, "hire") == ("Hire by a Merchant of level 1: a hand card joins your structure")
    t.play(0, "hire")
    assert text(t, "card-1") == "Hire card 1, the Baker over coin and book"
    assert t.match.prompt(0) == "Which card joins your structure?"
    t.play(0, "card-1")
    assert text(t, "place-2a") == "Place it at 2a, on the Merchant and the Scholar"
    t.play(0, "place-2a")
    assert text(t, "confirm") == (
        "Confirm: hire the Baker over coin and book at 2a, by a Merchant of level 1"
    )


def test_sentences_of_removals(started):
    t = started(1)
    t.build(0, "2a", t.card("Knight", "coin", "book"))
    t.pyramid(0, "2b", "3a")
    assert text(t, "remove-2a") == ("First remove the Knight at 2a, with the Renaissance Man at 3a")
    t.play(0, "remove-2a")
    assert text(t, "pass") == "Remove 2 workers, then take no action"
    t.match.undo(0)
    t.play(0, "remove-3a")
    assert text(t, "pass") == "Remove the Renaissance Man at 3a, then take no action"


def test_cards_that_offer_something_else_say_so(table):
    t = table(1, kit="permutations").set_foundations()
    card = t.card("Knight", "coin", "book", ("bread", "shield"))
    t.hold(0, card)
    t.play(0, "hire")
    assert (
        text(t, "card-1") == "Hire card 1, the Knight over coin and book (offers bread and shield)"
    )


def test_the_story_of_a_phase(started):
    t = started(2)
    t.hold(0, t.card("Baker", "coin", "book"))
    t.hold(1, t.card("Merchant", "coin", "book"))
    t.knights(1, book=1)
    t.play(0, "barter", "card-1", "confirm")
    t.play(1, "recruit", "card-1", "knight-from-book", "confirm")
    told = [
        "Player 1 barters by a Baker of level 1: a Baker brings bread.",
        "Player 2 recruits by a Knight of level 1: a knight goes from the book area to the coin "
        "area.",
    ]
    for viewer in (0, 1, None):
        assert t.log(viewer)[3:5] == told


def test_topics_follow_the_decision(started):
    t = started(2)
    assert t.match.topic(0) == "an action phase"
    t.play(0, "barter")
    assert t.match.topic(0) == "barter"
    assert t.match.topic(1) == t.match.topic(None) == "an action phase"
    t.play(0, "card-1", "confirm")
    assert t.match.topic(None) == "an action phase"


def test_the_sketch_shows_structures_and_only_the_own_hand(started):
    t = started(2)
    own, other = (GAME.words.sketch(t.match.view(seat)) for seat in (0, 1))
    assert own != other
    assert "Player 1" in own
    assert "hand 4" in own, "the other's hand is a number"
