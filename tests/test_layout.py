"""The layout of the design: which part may import which, and what every game's folder holds."""

from __future__ import annotations

import ast
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

import bottega
from bottega.engine.contract import SPECTATOR
from tests.games.properties import new_table, random_play

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bottega"
RULEBOOKS = ROOT.parent / "shared" / "rulebooks"

# What each part of the package may import besides itself. The package's own `__init__` is the
# public API: it sees games, bots, engine and envs, and the parts around them may use it.
MAY_IMPORT = {
    "engine": set(),
    "games": {"engine"},
    "bots": {"engine", "games"},
    "envs": {"engine", "games", "bots", "bottega"},
    "warm": {"engine", "games", "bots", "envs", "bottega"},  # compiles what all of them need
    "table": {"engine", "games", "bots", "warm", "bottega"},
    "lab": {"engine", "games", "bots", "bottega"},
    "train": {"engine", "games", "bots", "envs", "bottega"},  # the only one that needs PyTorch
    "terminal": {"engine", "games", "bots", "lab", "warm", "bottega"},
    "cli": {
        "engine",
        "games",
        "bots",
        "envs",
        "table",
        "lab",
        "train",
        "terminal",
        "warm",
        "bottega",
    },
    "__main__": {"cli"},  # `python -m bottega` is the command itself
    "bottega": {"engine", "games", "bots", "envs"},
}

# The rooms of the table server, drawn in docs/how-it-works.md: each may import those before it, and
# what lies in none (the ground: settings, the secret, faults, threads, numbers).
ROOMS = ["database", "playing", "thinking", "web", "api", "server"]
HOUSE = SOURCE / "table"

# The files of the design's table, and the two that Python and the kit need.
GAME_FILES = {
    "kit",
    "state.py",
    "rules.py",
    "sight.py",
    "sense.py",
    "words.py",
    "board.html",
    "board.css",
    "RULES.md",
    "RULINGS.md",
    "components.py",
    "__init__.py",
}

# Plain Python: what rules must not be mixed with.
PLAIN_PARTS = {"warm", "table", "lab", "train", "terminal", "cli", "__main__", "bottega"}
PLAIN_FILES = {"state", "components", "words", "__init__"}
KERNELS = SOURCE / "train" / "kernels.py"  # the trees of expert iteration, on a GPU

GAMES = [bottega.game(name) for name in bottega.games()]


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def part_of(file: Path) -> str:
    """The part of the package that a file belongs to."""
    first = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "bottega" if first == "__init__" else first


def imports(file: Path) -> set[str]:
    """What of the package a file imports, as dotted names; type hints count too."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name} has a relative import"
            assert all(alias.name != "*" for alias in node.names), f"{file.name} imports *"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "bottega"}


def imported_part(name: str) -> str:
    """The part of the package that a dotted name lies in."""
    words = name.split(".")
    return words[1] if len(words) > 1 and words[1] in MAY_IMPORT else "bottega"


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(SOURCE)))
def test_arrows_point_one_way(file):
    part = part_of(file)
    assert part in MAY_IMPORT, f"the design knows no part '{part}'"
    for name in imports(file):
        there = imported_part(name)
        assert there == part or there in MAY_IMPORT[part], f"{part} must not import {name}"


def room(name: str) -> str:
    """The room of the table server that a dotted name lies in; none of them is the ground."""
    words = name.split(".")
    return words[2] if len(words) > 2 and words[2] in ROOMS else ""


def test_rooms_of_the_table_server_point_one_way():
    assert {folder.name for folder in HOUSE.iterdir() if (folder / "__init__.py").is_file()} == {
        *ROOMS
    }
    for file in HOUSE.rglob("*.py"):
        own = file.relative_to(HOUSE).parts[0]
        if file.name == "__main__.py":
            continue  # the front door opens the last room
        allowed = {"", *ROOMS[: ROOMS.index(own) + 1]} if own in ROOMS else {""}
        for name in imports(file):
            if name.startswith("bottega.table."):
                assert room(name) in allowed, f"{file.relative_to(HOUSE)} must not import {name}"


def test_rooms_are_drawn_where_a_newcomer_reads_of_them():
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|", page.partition("\n## The table server\n")[2], re.MULTILINE)
    assert told == ROOMS[::-1]
    drawn = (ROOT / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    assert {*re.findall(r'class="title"[^>]*>(\w+)<', drawn)} >= {*ROOMS}


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_games_do_not_know_each_other(game):
    others = {other.folder.name for other in GAMES} - {game.folder.name}
    for file in game.folder.rglob("*.py"):
        for name, other in product(imports(file), others):
            assert not name.startswith(f"bottega.games.{other}"), f"{file.name} imports {name}"


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_game_has_the_same_files(game):
    assert {file.name for file in game.folder.iterdir()} >= GAME_FILES
    assert "default" in game.kits


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_topic_is_a_heading_of_the_rules(game):
    """All topics that come up at random play, and all that the source names."""
    rules = (game.folder / "RULES.md").read_text(encoding="utf-8")
    headings = {heading.lower() for heading in re.findall(r"^## (.+)$", rules, re.MULTILINE)}
    topics = topics_named(game.folder / "words.py")
    for seed in range(2):
        for match in random_play(new_table(game, game.seats[1], seed), seed):
            record = match._table[0]
            for viewer in range(SPECTATOR, match.players):
                topics.add(game.words.topic(match.kit, record, viewer))
    assert topics
    assert topics <= headings


def topics_named(file: Path) -> set[str]:
    """The texts in the body of `topic`, apart from its description."""
    for function in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef) and function.name == "topic":
            texts = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
            return {t for t in texts if isinstance(t, str) and t != ast.get_docstring(function)}
    raise AssertionError(f"{file} has no function topic")


def rule_functions(file: Path) -> list[str]:
    """The functions of a file that are marked as rules or as loops over them."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Name) and mark.id in ("rule", "per_game")
    ]


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(SOURCE)))
def test_rules_live_apart(file):
    """Compiled functions have files of their own, so that all others are fully typed."""
    plain = part_of(file) in PLAIN_PARTS or (part_of(file) == "games" and file.stem in PLAIN_FILES)
    plain = plain and file != KERNELS
    assert not (plain and rule_functions(file))


def tracked() -> list[Path]:
    """Every text file that git knows."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_file_knows_a_particular_machine():
    """No home folder, and not the folder where this copy of the project happens to be."""
    particular = re.compile(rf"/(?:home|Users)/\w+|/root/\w|{re.escape(str(ROOT))}\b")
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        found = particular.search(text)
        assert not found, f"{file.relative_to(ROOT)} has {found and found[0]}"


def sentences(text: str) -> set[tuple[str, ...]]:
    """The sentences of a text as words, those long enough not to be alike by chance."""
    plain = re.sub(r"[#*_`|>\-]", " ", text.lower())
    found = (re.findall(r"[a-z0-9']+", part) for part in re.split(r"[.!?:;\n]{1,}\s+", plain))
    return {tuple(words) for words in found if len(words) >= 7}


@pytest.mark.skipif(not RULEBOOKS.is_dir(), reason="the rulebooks are not here")
@pytest.mark.parametrize("file", ["RULES.md", "RULINGS.md"])
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_rules_are_in_our_own_words(game, file):
    ours = sentences((game.folder / file).read_text(encoding="utf-8"))
    assert ours
    for book in RULEBOOKS.glob("*.txt"):
        theirs = " ".join(re.findall(r"[a-z0-9']+", book.read_text(encoding="utf-8").lower()))
        for words in ours:
            assert f" {' '.join(words)} " not in f" {theirs} ", f"{' '.join(words)} ({book.name})"
