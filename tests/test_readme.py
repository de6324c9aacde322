"""What the README promises is true. (Its examples are executed in `tests/docs/test_pages.py`.)"""

from __future__ import annotations

import re

import bottega
from tests.docs.blocks import ROOT, blocks

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_commands_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"\bmake (\w+)", TEXT))
    assert {"play", "test"} <= named <= targets


def test_a_few_lines_of_python_are_enough():
    first = next(block for block in blocks(README) if block.language == "python")
    assert len([line for line in first.text.splitlines() if line.strip()]) <= 6


def test_the_figures():
    sizes = [str(bottega.game(name).table.itemsize) for name in bottega.games()]
    assert f"| a table of state, in bytes | {' | '.join(sizes)} |" in TEXT


def test_every_game_is_listed_with_its_makers():
    for name in bottega.games():
        game = bottega.game(name)
        assert f"| {game.title} |" in TEXT
        assert game.designer in TEXT
        assert " ".join(game.publisher.split()) in " ".join(TEXT.split())


def test_it_says_that_it_is_unofficial():
    assert "unofficial" in TEXT
    assert "own drawings" in TEXT


def test_the_changelog_knows_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{bottega.__version__}]" in changelog
