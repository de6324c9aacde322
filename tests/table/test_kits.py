"""A table may be set with another kit; it stays with the table."""

from __future__ import annotations

from tests.table.guests import Guest

WISH = {"game": "renaissance-man", "kit": "permutations", "players": 1}
TITLE = "Every arrangement of the four icons"


def test_a_table_with_another_kit(ada: Guest) -> None:
    assert "<option>permutations</option>" in ada.page("/")
    url = ada.create(**WISH)
    assert ada.match(url).kit.name == "permutations"
    page = ada.page(url)
    assert TITLE in page
    assert "not the printed deck" in page


def test_what_was_saved_is_opened_with_its_kit(ada: Guest) -> None:
    match = ada.match(ada.create(**WISH))
    opened = ada.must("/open", files={"file": ("match.txt", match.save())})["url"]
    assert ada.match(opened).kit.hash == match.kit.hash


def test_an_unknown_kit_is_refused(ada: Guest) -> None:
    answer = ada.send("/tables", **{**WISH, "mode": "bots", "kit": "gold"})
    assert answer.status_code == 409
    assert "it has default, permutations" in answer.text
