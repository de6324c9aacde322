"""The files that browsers keep, and the modules among them."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bottega.table.web import files
from tests.table.guests import Guest

pytestmark = pytest.mark.sqlite_only  # no database is asked for a file

IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+\.js)";$', re.MULTILINE)
ENTRIES = {"app.js", "table.js", "seat.js", "again.js"}  # what pages begin with


def imports() -> dict[str, set[str]]:
    """What each module imports."""
    return {file.name: {*IMPORT.findall(file.read_text())} for file in files.STATIC.glob("*.js")}


def test_modules_import_one_way_and_none_is_left_over() -> None:
    found = imports()
    order = [*TopologicalSorter(found).static_order()]  # a circle is an error
    assert {*order} == {*found}, "what is imported is there"
    assert {*found} - {name for names in found.values() for name in names} <= ENTRIES


def test_an_address_holds_for_ever_and_changes_with_any_file_of_its_folder(
    ada: Guest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("one.js", "two.js", "some.css"):
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(files, "STATIC", tmp_path)
    old = {name: files.url_static(name) for name in ("one.js", "two.js", "some.css")}
    for url in old.values():
        answer = ada.get(url)
        assert answer.headers["cache-control"] == files.FOR_EVER
        assert answer.text == "old"
    (tmp_path / "two.js").write_text("newer")
    files._looked_up.cache_clear()  # a second later
    new = files.url_static("one.js")
    assert new != old["one.js"]
    assert new.rpartition("/")[0] == files.url_static("two.js").rpartition("/")[0]
    assert ada.get(new).headers["cache-control"] == files.FOR_EVER
    assert ada.get(old["two.js"]).status_code == 404, "a module of another version fits no other"
    style = ada.get(old["some.css"])
    assert (style.status_code, style.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path",
    ["/static/nothing.js", "/static/x/..%2fpages.py", "/games/splendor/RULES.md"],
)
def test_nothing_but_these_files_is_served(ada: Guest, path: str) -> None:
    answer = ada.get(path)
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"
