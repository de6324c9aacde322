"""The recipe's game, built from the page exactly as it is written, keeps every promise."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import jinja2
import pytest

import bottega
from bottega.engine.compile import compiling_doors
from bottega.engine.contract import FUNCTIONS
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.games import add
from tests.docs import blocks
from tests.games import playthrough, properties, trace
from tests.test_layout import GAME_FILES

PAGE = blocks.ROOT / "docs" / "adding-a-game.md"
TRACE = """
import sys
sys.path.insert(0, sys.argv[1])
import palio
from bottega.games import add
from tests.games import trace
add(palio.GAME)
print(*trace.lines("palio"), sep="\\n")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files of the page, from which one can import."""
    folder = tmp_path_factory.mktemp("recipe")
    blocks.write_files(PAGE, folder)
    with blocks.importable(folder):
        yield folder


@pytest.fixture(scope="module")
def palio(folder) -> Game:
    game: Game = import_module("palio").GAME
    add(game)
    return game


@pytest.fixture
def match(palio) -> Match:
    return palio.new(3, seed=1, names=["Ada", "Bruno", "Clara"])


def decide(match: Match, *seats: int) -> None:
    """The seats choose their first horse and confirm it."""
    for seat in seats:
        match.play(seat, "choose-1")
        match.play(seat, "confirm")


# The shared properties


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_play(palio, folder, players):
    spec = spec_from_file_location(
        "invariants", folder / "tests" / "games" / "palio" / "invariants.py"
    )
    invariants = module_from_spec(spec)
    spec.loader.exec_module(invariants)
    for seed in range(4):
        properties.check_random_game(palio, players, seed, invariants.check)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_twin_worlds(palio, players):
    for seed in range(4):
        properties.check_secrets(palio, players, seed, ["random", "greedy"])


def test_interleaved_tables(palio):
    properties.check_interleaved(palio, 4)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_playthrough(palio, players):
    made = {"seed": 1, "bots": ["greedy", "random"], "limit": 0, "options": {"races": 4}}
    lines = playthrough.lines(palio, players, **made)
    assert lines == playthrough.lines(palio, players, **made)
    assert any("wins the purse" in line for line in lines)


def test_interpreted_equals_compiled(palio, folder):
    interpreted = subprocess.run(
        [sys.executable, "-c", TRACE, str(folder)],
        cwd=blocks.ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout.splitlines()
    with compiling_doors("engine"):
        compiled = list(trace.lines("palio"))
    assert len(compiled) > 50
    assert interpreted == compiled


# Simultaneous decisions and hidden information


def test_everybody_decides_at_once(match):
    assert match.waiting == [0, 1, 2]
    decide(match, 2, 0)
    assert match.waiting == [1]
    assert match.turns == 2
    assert match.view()["players"][0]["ran"] is None
    decide(match, 1)
    assert match.waiting == [0, 1, 2]
    assert all(player["ran"] for player in match.view()["players"])


def test_a_choice_just_begun_is_nobodys_business(match):
    decide(match, 0)
    before = match.copy()
    match.play(1, "choose-2")
    for viewer in (None, 0, 2):
        assert match.view(viewer) == before.view(viewer)
        assert match.prompt(viewer) == before.prompt(viewer)
        assert match.log(viewer) == before.log(viewer)
        assert match.concealed(viewer, 5).tobytes() == before.concealed(viewer, 5).tobytes()
    assert match.view(1) != before.view(1)


def test_a_sealed_choice_is_told_to_nobody_before_the_race(match):
    decide(match, 0)
    for viewer in (None, 0, 1, 2):
        assert match.log(viewer) == []
    assert match.private(0)


def test_sealed_choices_vary_in_what_others_imagine(match):
    decide(match, 0)
    imagined = {match.imagine(1, seed).view(0)["players"][0]["chosen"] for seed in range(40)}
    own = {match.imagine(0, seed).view(0)["players"][0]["chosen"] for seed in range(40)}
    assert len(imagined) > 5
    assert own == {match.view(0)["players"][0]["chosen"]}


def test_taking_back_until_the_race(match):
    decide(match, 0, 1)
    match.undo(1)
    match.undo(1)
    assert match.waiting == [1, 2]
    decide(match, 1, 2)
    with pytest.raises(bottega.CannotUndo):
        match.undo(2)


def test_the_last_race_cannot_be_taken_back_although_nothing_is_drawn(palio):
    match = palio.new(2, seed=1, races=3)
    for _ in range(3):
        decide(match, 0, 1)
    assert match.over
    assert not match.can_undo(1)


# The rest of the recipe


def test_illegal_decisions_are_explained(match):
    for action, reason in [("confirm", "P2"), ("choose-9", "no action")]:
        with pytest.raises(bottega.IllegalMove, match=reason):
            match.play(0, action)
    match.play(0, "choose-1")
    with pytest.raises(bottega.IllegalMove, match="You have chosen the"):
        match.play(0, "choose-1")


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("horses.csv", "coat,speed", "coat,pace", "horses.csv: column 'speed' is missing"),
        ("horses.csv", "bay,4", "bay,44", "horses.csv, line 5: speed is '44'"),
        ("horses.csv", "bay,4", "bay,5", "kit.toml: there must be 20 different horses"),
        ("kit.toml", "2, 3,", "2,", "kit.toml: 'purses' must list 5 numbers"),
        ("kit.toml", "2, 3,", "2, 0,", "kit.toml: a purse must be a whole number"),
        ("kit.toml", '"palio"', '"golf"', "kit.toml: this is a kit for golf"),
    ],
)
def test_broken_kits_are_refused(palio, tmp_path, file, old, new, problem):
    horses = (palio.folder / "kit" / "horses.csv").read_text()
    (tmp_path / "horses.csv").write_text(horses)
    (tmp_path / "kit.toml").write_text(palio.kits["default"].read_text())
    palio.kit(tmp_path / "kit.toml")
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    with pytest.raises(bottega.KitError, match="^" + problem.replace(".", r"\.")):
        palio.kit(tmp_path / "kit.toml")


def test_topics_are_headings_of_the_rules(palio, match):
    headings = (palio.folder / "RULES.md").read_text().lower().splitlines()
    topics = {match.topic(seat) for seat in (None, 0)}
    while not match.over:
        decide(match, *match.waiting)
    topics.add(match.topic(None))
    assert topics == {"the race", "the end"}
    assert all(f"## {topic}" in headings for topic in topics)


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_board_shows_what_can_be_picked(palio, match, seat):
    loader = jinja2.FileSystemLoader(palio.folder)
    page = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined
    ).get_template("board.html")
    for key in ("choose-1", "confirm"):
        board = page.render(view=match.view(seat), seat=seat)
        for action in match.legal(0) if seat == 0 else ():
            for pick in palio.words.picks(action.id):
                assert f'data-pick="{pick}"' in board
        assert ("data-pick" in board) == (seat is not None)
        match.play(0, key)


def test_the_folder_has_the_shape_of_every_game(palio):
    assert {file.name for file in palio.folder.iterdir()} >= GAME_FILES
    assert set(palio.code.rules) == {function.__name__ for function in FUNCTIONS}


def test_the_code_is_in_our_style(folder):
    ruff = Path(sys.executable).with_name("ruff")
    ours = 'lint.isort.known-first-party = ["bottega", "palio"]'
    settings = ["--config", blocks.ROOT / "pyproject.toml", "--config", ours, "--no-cache", "-q"]
    ignore = ["--ignore", "ARG001"]  # the contract gives every function the same arguments
    for check in (["check", *ignore], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *check, *settings, "."], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
