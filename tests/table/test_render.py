"""Templates: what they look up, and pieces that are made once."""

from __future__ import annotations

from typing import Any

import pytest
from markupsafe import Markup

from bottega.table.web import render


def drawn(source: str, **context: Any) -> str:
    return render.environment().from_string(source).render(**context)


def test_a_dictionary_gives_its_entries_and_its_methods() -> None:
    source = "{{ player.name }} {{ player.stock.values()|sum }} {{ player.wonder is defined }}"
    assert drawn(source, player={"name": "Ada", "stock": {"wood": 2, "iron": 1}}) == "Ada 3 False"


def test_a_piece_is_made_once_for_the_same_values() -> None:
    made = []

    def macro(*given: Any, **named: Any) -> Markup:
        made.append((given, named))
        return Markup("<b>{}</b>").format(given[0]["name"])

    piece = render.remembered(macro)
    assert [piece({"name": name}) for name in ("<Ada>", "Bo", "<Ada>")] == [
        "<b>&lt;Ada&gt;</b>",
        "<b>Bo</b>",
        "<b>&lt;Ada&gt;</b>",
    ]
    assert len(made) == 2
    for value in (1, "1", True, None, [1]):  # what only looks alike is another piece
        piece({"name": value})
        piece({"name": "Bo"}, value)
        piece({"name": "Bo"}, of=value)
    assert len(made) == 2 + 15


def test_no_more_pieces_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "MOST_REMEMBERED", 3)
    made = []

    def macro(number: int) -> Markup:
        made.append(number)
        return Markup(str(number))

    piece = render.remembered(macro)
    assert [piece(number) for number in (0, 1, 2, 2, 3, 3, 0)] == list("0122330")
    assert made == [0, 1, 2, 3, 0]


def test_macros_escape_when_they_are_remembered() -> None:
    source = (
        "{% macro draw(name) %}<i>{{ name }}</i>{% endmacro %}"
        "{% set piece = remembered(draw) %}{{ piece(name) }}{{ piece(name=name) }}"
    )
    assert drawn(source, name="<b>") == 2 * "<i>&lt;b&gt;</i>"
