"""The notation: written, read, and refused when it does not fit."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bottega
from bottega.engine.notation import read

GAME = bottega.game("splendor")


def played(moves=30, seed=7, **options):
    match = GAME.new(3, seed, names=["Ada", "Bruno #2", 'C"l"ara'], **options)
    chance = random.Random(seed)
    for _ in range(moves):
        seat = match.waiting[0]
        match.play(seat, chance.choice(match.legal_numbers(seat)))
    return match


TEXT = played().save()


def refused(text, **how):
    with pytest.raises(bottega.NotationError) as problem:
        bottega.replay(text, **how)
    assert "\n" not in str(problem.value)
    return str(problem.value)


def test_a_person_can_read_it():
    match = GAME.new(2, 7, names=["Ada", "Bruno"])
    match.play(0, "take-white-blue-green")
    assert match.save().splitlines() == [
        "Bottega notation 1",
        "game splendor",
        "rules 1",
        f"kit default {match.kit.hash}",
        "players 2",
        "options payment=auto",
        "seed 7",
        'names ["Ada", "Bruno"]',
        "",
        "1 0 take-white-blue-green          # Ada takes white, blue and green.",
        "end 1",
    ]


@pytest.mark.parametrize("options", [{}, {"payment": "choice"}, {"limit": 30}])
def test_replay_is_bit_identical(options):
    match = played(**options)
    again = bottega.replay(match.save())
    assert again.state() == match.state()
    assert (again.names, again.options, again.limit) == (match.names, match.options, match.limit)
    assert again.save() == match.save()


def test_comments_and_blank_lines_do_not_matter():
    bare = "\n\n".join(
        line.split("#")[0] if line[0].isdigit() else line for line in TEXT.splitlines() if line
    )
    assert bottega.replay("# a game of ours\n" + bare).state() == played().state()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_text_cut_short_is_noticed(share):
    refused(TEXT[: int(len(TEXT) * share)])


def test_cut_at_a_line_it_says_so():
    lines = TEXT.splitlines()
    assert "cut short" in refused("\n".join(lines[:-1]))
    assert "'end' says 30" in refused("\n".join([*lines[:-2], lines[-1]]))


def test_another_rules_version():
    assert "version 99 of the rules" in refused(TEXT.replace("rules 1", "rules 99"))


def test_another_kit():
    other = TEXT.replace(GAME.kit().hash, "0" * 16)
    assert "another kit" in refused(other)
    assert "give that kit's file" in refused(TEXT.replace("kit default", "kit homemade"))


def test_a_move_that_does_not_fit_is_named():
    lines = TEXT.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("1 "))
    lines[first] = "1 0 settle"
    assert "move 1 (settle) does not fit" in refused("\n".join(lines))
    lines[first] = "1 0 castle-kingside"
    assert "no action 'castle-kingside'" in refused("\n".join(lines))
    lines[first] = "1 2 take-white-blue-green"
    assert 'not C"l"ara\'s decision' in refused("\n".join(lines))
    lines[first] = "1 7 take-white-blue-green"
    assert "no seat 7" in refused("\n".join(lines))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("game splendor", "game chess", "no game 'chess'"),
        ("players 3", "players 9", "2 to 4 players"),
        ("players 3", "players three", "not a whole number"),
        ("seed 7", "seed -7", "seed=-7"),
        ("seed 7\n", "", "does not say its seed"),
        ("payment=auto", "payment=cash", "payment=cash"),
        ("payment=auto", "colour=red", "no option 'colour'"),
        ('"Ada", ', "", "2 names for 3"),
        ("Bottega notation 1", "Bottega notation 3", "not a version known here"),
        ("Bottega notation 1", "PGN", "not a notation"),
        ("\n2 ", "\n3 ", "move 3 where 2 should be"),
        ("\n2 ", "\nhello ", "neither a field nor a move"),
        ("end 30", "end 30\nmore", "something follows the end"),
    ],
)
def test_each_misfit_is_named(old, new, reason):
    assert old in TEXT
    assert reason in refused(TEXT.replace(old, new, 1))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_never_crashes(data):
    """Whatever is changed in the text, it replays or is refused."""
    at = data.draw(st.integers(0, len(TEXT) - 1))
    new = data.draw(st.text(max_size=5))
    with contextlib.suppress(bottega.NotationError):
        bottega.replay(TEXT[:at] + new + TEXT[at + len(new) :])


# With records


def test_records_are_read_without_playing_through():
    match = bottega.replay(TEXT)
    text = match.save(records=True)
    assert text.startswith("Bottega notation 2\n")
    again = bottega.replay(text)
    assert again.state() == match.state()
    assert again.save() == match.save() == TEXT
    assert again.save(records=True) == text
    assert len(text) < 400 * len(match.moves) + 4000, "records are packed"


def mended(text: str) -> str:
    """A notation of older rules: what it tells does not fit those of today."""
    return text.replace("rules 1", "rules 0").replace("\n= 1 ", "\n= 0 ")


def test_records_of_older_rules_are_shown_as_they_were():
    match = bottega.replay(TEXT)
    older = bottega.replay(mended(match.save(records=True)))
    assert older.state() == match.state()
    assert older.log()[-1].text == "The rules were mended: from here on by version 1."
    assert older.save() == mended(match.save(records=True)), "no rules would play it through"
    with pytest.raises(bottega.NotationError, match="version 0 of the rules"):
        bottega.replay(mended(TEXT))


def test_a_strangers_records_are_not_believed():
    """Compiled rules trust their records: a wrong one could lead them anywhere."""
    match = bottega.replay(TEXT)
    text = match.save(records=True)
    other = match.at(5).save(records=True).splitlines()
    forged = text.splitlines()
    at = next(i for i, line in enumerate(forged) if line.startswith("= "))
    forged[at] = other[at + 4]
    played = read("\n".join(forged), bottega.game, trusted=False)
    assert played.records[0].tobytes() == match.records[0].tobytes()
    with pytest.raises(bottega.NotationError, match="not to a stranger"):
        read(mended(text), bottega.game, trusted=False)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("layout [", "layout {", "layout is not a list"),
        ("layout ", "names ", "does not say its layout"),
        ("\n= 1 ", "\n= 1 !", "not a record"),
        ("\n= 1 ", "\n= 1 eJwDAAAAAAE=\n= 1 ", "a record where none should be"),
        ("\n1 ", "\n# ", "a record where none should be"),
        ('"<u8"', '"<u4"', "bytes are kept"),
    ],
)
def test_each_misfit_of_records_is_named(old, new, reason):
    text = bottega.replay(TEXT).save(records=True)
    assert old in text
    assert reason in refused(text.replace(old, new, 1))
