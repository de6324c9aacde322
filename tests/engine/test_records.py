"""Records that are kept: read again by the names of their fields, whatever has changed since."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import bottega
from bottega.engine.errors import LayoutError
from bottega.engine.match import Match, Past
from bottega.engine.record import layout, read_records, record_type, table_type

INNER = [("points", np.uint8), ("cards", np.int64, 2)]
OUTER = [("deck", np.int64), ("turn", np.uint8), ("players", record_type(INNER), 3)]


def kept(fields):
    """A record with a different number in every field."""
    record = np.zeros(1, table_type(fields))
    record["deck"] = -7
    record["turn"] = 2
    record["players"]["points"] = [[1, 2, 3]]
    record["players"]["cards"] = np.arange(6).reshape(1, 3, 2)
    return record


@pytest.mark.parametrize("name", bottega.games())
def test_a_layout_survives_json_and_describes_every_byte(name):
    game = bottega.game(name)
    described = json.loads(json.dumps(layout(game.table)))
    match = game.new(seed=3)
    again = read_records(match.state(), described, game.table)
    assert again.tobytes() == match.state()


def test_fields_are_found_by_name_and_new_ones_are_zero():
    old = kept(OUTER)
    inner = [("cards", np.int64, 2), ("fame", np.uint16), ("points", np.uint16)]
    moved = [("players", record_type(inner), 3), ("weather", np.uint8, 4), *reversed(OUTER[:2])]
    new = read_records(old.tobytes(), layout(old.dtype), table_type(moved))
    assert (new["deck"][0], new["turn"][0]) == (-7, 2)
    assert new["players"]["points"].tolist() == [[1, 2, 3]]
    assert new["players"]["cards"].tolist() == old["players"]["cards"].tolist()
    assert not new["weather"].any()
    assert not new["players"]["fame"].any()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ([OUTER[0], OUTER[2]], "'turn' of a kept record has no place any more"),
        ([*OUTER[:2], ("players", record_type(INNER), 2)], "'players' .* another shape"),
        ([*OUTER[:2], ("players", np.uint8, 3)], "'players' .* another shape"),
        ([*OUTER[:2], ("players", record_type(INNER[:1]), 3)], r"'players\.cards' .* no place"),
        ([("deck", np.uint8), *OUTER[1:]], "'deck' .* too large"),
    ],
)
def test_what_has_no_place_any_more_is_named(fields, reason):
    old = kept(OUTER)
    with pytest.raises(LayoutError, match=reason):
        read_records(old.tobytes(), layout(old.dtype), table_type(fields))


@pytest.mark.parametrize("cut", [b"", b"short"])
def test_bytes_of_another_size_are_refused(cut):
    old = kept(OUTER)
    if cut:
        with pytest.raises(LayoutError, match="bytes are kept"):
            read_records(cut, layout(old.dtype), old.dtype)
    else:
        assert len(read_records(cut, layout(old.dtype), old.dtype)) == 0
    with pytest.raises(LayoutError, match="broken"):
        read_records(old.tobytes(), [["deck", "no such type", []]], old.dtype)


# Matches that stand where their records say


def played(name: str, moves: int) -> Match:
    match = bottega.game(name).new(2, seed=5, limit=4000, names=["Ada", "Bruno"])
    bot = bottega.bot("greedy")
    for _ in range(moves):
        seat = match.waiting[0]
        match.play(seat, bot.choose(match, seat))
    return match


def past(match: Match) -> Past:
    start, *after = match.records
    return Past(start, [(move.seat, move.key) for move in match.moves], after, match.rules)


@pytest.mark.parametrize("name", bottega.games())
def test_a_match_is_resumed_without_being_played_through(name):
    match = played(name, 30)
    again = match.game.new(2, 5, limit=4000, names=match.names, past=past(match))
    assert again.state() == match.state()
    assert again.moves == match.moves
    for viewer in (None, 0, 1):
        assert again.log(viewer) == match.log(viewer)
        assert again.view(viewer) == match.view(viewer)
    assert again.at(11).view(0) == match.at(11).view(0)
    seat = again.waiting[0]
    assert again.can_undo(seat) == match.can_undo(seat)
    bot = bottega.bot("greedy")
    for one in (match, again):
        one.play(seat, bot.choose(one, seat))
    assert again.state() == match.state()
    assert again.save() == match.save()


def test_a_game_goes_on_by_mended_rules_and_its_log_says_since_when():
    match = played("artificium", 40)
    newer = dataclasses.replace(match.game, rules_version=match.game.rules_version + 1)
    resumed = newer.new(2, 5, limit=4000, names=match.names, past=past(match))
    line = f"The rules were mended: from here on by version {newer.rules_version}."
    assert [told.text for told in resumed.log()] == [*(t.text for t in match.log()), line]
    assert resumed.log()[-1].seat is None
    before = resumed.log(0)
    seat = resumed.waiting[0]
    resumed.play(seat, resumed.legal(seat)[0])
    assert [told.text for told in resumed.log(0)][: len(before)] == [told.text for told in before]
    assert sum(told.text == line for told in resumed.log(0)) == 1
    assert resumed.rules[-2:] == (newer.rules_version - 1, newer.rules_version)
    resumed.undo(seat, force=True)
    assert resumed.rules == match.rules


def test_a_broken_past_is_refused():
    match = played("splendor", 4)
    kept = past(match)
    for moves, reason in (([(9, kept.moves[0][1])], "no seat 9"), ([(0, "castle")], "no action")):
        broken = dataclasses.replace(kept, moves=moves)
        with pytest.raises(bottega.BottegaError, match=reason):
            match.game.new(2, 5, past=broken)
