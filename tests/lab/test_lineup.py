"""Who sits where."""

from __future__ import annotations

import pytest

from bottega.bots import Named
from bottega.engine.errors import BadOption, UnknownName
from bottega.lab.lineup import read, seated


def test_one_name_is_for_all_seats():
    assert seated("greedy", 3) == [Named("greedy")] * 3


def test_names_are_for_the_seats_in_order():
    assert seated("greedy, random", 2) == [Named("greedy"), Named("random")]


@pytest.mark.parametrize("text", ["greedy,random", "random,random,random,random"])
def test_names_that_do_not_fit_the_seats_are_refused(text):
    with pytest.raises(BadOption, match="3 seats"):
        seated(text, 3)


def test_an_unknown_bot_is_refused():
    with pytest.raises(UnknownName, match="there is no bot 'Greedy'"):
        read("random,Greedy")


@pytest.mark.parametrize("text", ["random:", "random:x", "random:-1"])
def test_a_level_is_a_number(text):
    with pytest.raises(BadOption, match="must be a number"):
        read(text)


def test_a_bot_is_written_as_it_is_read():
    assert str(Named("search", 3)) == "search:3"
    assert str(Named("greedy")) == "greedy"
