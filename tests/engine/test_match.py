"""`Match`: deciding, taking back, the log and the views, with Splendor as the game."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bottega

GAME = bottega.game("splendor")


@pytest.fixture
def match():
    return GAME.new(players=3, seed=7, names=["Ada", "Bruno", "Clara"])


def test_a_game_says_what_it_is():
    assert bottega.games()[0] == "splendor"
    assert (GAME.title, GAME.seats, GAME.actions) == ("Splendor", (2, 4), len(GAME.keys))
    assert [option.name for option in GAME.options] == ["payment"]
    assert len(set(GAME.keys)) == GAME.actions


def test_the_same_seed_is_the_same_table(match):
    assert GAME.new(3, 7).state() == match.state()
    assert GAME.new(3, 8).state() != match.state()


def test_without_a_seed_tables_differ():
    assert GAME.new(2).seed != GAME.new(2).seed


def test_play_by_action_id_or_key(match):
    action = next(a for a in match.legal(0) if a.key == "take-white-blue-green")
    for way in (action, action.id, action.key, np.int64(action.id)):
        copy = match.copy()
        move = copy.play(0, way)
        assert (move.seat, move.action, move.key) == (0, action.id, action.key)


@pytest.mark.parametrize("action", ["no-such", -1, 10_000, 3.0, None, True])
def test_an_unknown_action_is_refused_and_changes_nothing(match, action):
    before = match.state()
    with pytest.raises(bottega.IllegalMove):
        match.play(0, action)
    assert (match.state(), match.moves) == (before, ())


@pytest.mark.parametrize("seat", [-1, 3, 99, 1.0, "0", True])
def test_an_unknown_seat_is_refused(match, seat):
    for call in (match.legal, match.view, match.undo, match.encode, match.log, match.prompt):
        with pytest.raises(bottega.BadOption, match="seat"):
            call(seat)


def test_out_of_turn_names_whose_turn_it_is(match):
    with pytest.raises(bottega.IllegalMove, match=r"not Bruno's decision.*waits for Ada"):
        match.play(1, "take-white-blue-green")
    assert match.legal(1) == []
    assert match.prompt(1) == "Waiting for Ada."


@pytest.mark.parametrize(
    "options",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"seed": "7"},
        {"seed": 1.5},
        {"limit": -1},
        {"players": 2.0},
        {"payment": "cash"},
        {"colour": "red"},
        {"names": ["A", "B"]},
        {"names": ["A", "A", "B"]},
        {"names": ["A", "", "B"]},
        {"names": ["A", "x" * 41, "B"]},
        {"names": ["A", "\x00", "B"]},
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(options):
    with pytest.raises(bottega.BadOption) as refused:
        GAME.new(**{"players": 3, "seed": 1, **options})
    assert "\n" not in str(refused.value)


def test_unknown_game_lists_those_there_are():
    with pytest.raises(bottega.UnknownName, match="no game 'chess'; there is splendor"):
        bottega.game("chess")


# Taking back


def test_undo_restores_the_record(match):
    before = match.state()
    match.play(0, "take-white-blue-green")
    match.undo(0)
    assert (match.state(), match.moves, match.log()) == (before, (), [])


def test_undo_takes_others_decisions_back_too(match):
    before = match.state()
    match.play(0, "take-white-blue-green")
    match.play(1, "take-white-red-black")
    match.undo(0)
    assert match.state() == before


def test_undo_never_unsees(match):
    """A new card on the market has been seen: taking back would be looking into the deck."""
    match.play(0, "reserve-1a")
    assert not match.can_undo(0)
    with pytest.raises(bottega.CannotUndo, match="cannot be unseen"):
        match.undo(0)
    match.undo(0, force=True)
    assert match.moves == ()


def test_undo_stops_where_another_revealed_something(match):
    match.play(0, "take-white-blue-green")
    assert match.can_undo(0)
    match.play(1, "reserve-2a")
    assert not match.can_undo(0)


def test_undo_of_nothing(match):
    with pytest.raises(bottega.CannotUndo, match="Bruno has not decided"):
        match.undo(1)


def test_taken_back_and_decided_again_the_draws_are_the_same(match):
    match.play(0, "reserve-1a")
    first = match.state()
    match.undo(0, force=True)
    match.play(0, "reserve-1a")
    assert match.state() == first


# What is told


def test_log_tells_who_may_know(match):
    match.play(0, "reserve-deck-2")
    (own,), (other,) = match.log(0), match.log(1)
    assert own.text != other.text
    assert other.text == "Ada reserves a card from the deck of level 2 and takes a gold."
    assert (own.number, own.seat) == (1, 0)
    assert match.told(1) == [[other.text]]


def test_log_forgets_what_was_taken_back(match):
    match.play(0, "take-white-blue-green")
    assert len(match.log()) == 1
    match.undo(0)
    match.play(0, "take-red-red")
    assert [line.text for line in match.log()] == ["Ada takes two red."]


def test_view_is_a_value_without_a_way_back(match):
    view = match.view(0)
    view["bank"]["white"] = 99
    view["market"][0][0]["cost"]["red"] = 99
    assert match.view(0)["bank"]["white"] == 5
    assert json.loads(json.dumps(match.view(0))) == match.view(0)


def test_imagine_keeps_no_secret(match):
    match.play(0, "reserve-deck-3")
    imagined = match.imagine(1, 5)
    assert imagined.view(1) == match.view(1)
    assert (imagined.seed, imagined.moves, imagined._past) == (0, (), [])


def test_seed_hash_promises_the_seed(match):
    assert match.seed_hash == GAME.new(3, 7).seed_hash != GAME.new(3, 8).seed_hash
    assert match.seed_hash != "7"


# The limit


def test_a_limit_ends_a_table_unfinished():
    match = GAME.new(2, 1, limit=4)
    while not match.over:
        match.play(match.waiting[0], match.legal(match.waiting[0])[-1])
    assert len(match.moves) == 4
    assert match.unfinished
    assert match.winners == []
    assert match.waiting == []
    assert sorted(seat for tied in match.ranking for seat in tied) == [0, 1]
    assert match.prompt(0).endswith("nobody has won.")
    with pytest.raises(bottega.IllegalMove, match="over"):
        match.play(0, 0)


# Earlier moments


def test_at_gives_the_match_as_it_was(match):
    states = [match.state()]
    for key in ("take-white-blue-green", "take-red-red", "reserve-1a"):
        match.play(match.waiting[0], key)
        states.append(match.state())
    assert [match.at(number).state() for number in range(4)] == states
    with pytest.raises(bottega.BadOption, match="no move 4"):
        match.at(4)


def test_chances_add_up_and_depend_on_what_is_known(match):
    assert sum(match.chances(0)) == pytest.approx(1)
    match.play(0, "reserve-deck-3")
    assert match.chances(1) == match.imagine(1, 3).chances(1)
