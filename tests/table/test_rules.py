"""Rules and rulings as players read them: marks lead to rulings, and nobody meets a program."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest

import bottega
from bottega.engine.game import Game
from tests.table.guests import Guest

GAMES = [bottega.game(name) for name in bottega.games()]
LAST = {"splendor": "S13", "renaissance-man": "R23", "artificium": "A20", "one-card-wonder": "W19"}

# What belongs to those who make games, not to those who play them.
NOT_FOR_PLAYERS = re.compile(
    r"seat \d|`|\w=|\btoml\b|\bkits?\b|\bcsv\b|python|bottega simulate|\bbots?\b|\bdefault\b",
    re.IGNORECASE,
)

every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
every_text = pytest.mark.parametrize("file", ["RULES.md", "RULINGS.md"])


def text_of(game: Game, file: str) -> str:
    return (game.folder / file).read_text(encoding="utf-8")


def letter(game: Game) -> str:
    """What all marks of a game begin with."""
    return LAST[game.name][0]


def cited(game: Game, text: str) -> set[str]:
    """The marks in a text."""
    return set(re.findall(rf"\b{letter(game)}\d+\b", text))


def said(file: Path) -> str:
    """Every text of a Python file: what is shown, and what explains a function."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return "\n".join(text for text in texts if isinstance(text, str))


def ids(page: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', page)


def article(page: str) -> str:
    found = re.search(r'<article class="rules">(.*)</article>', page, re.DOTALL)
    assert found
    return found[1]


# The texts


@every_game
def test_rulings_are_complete_and_in_order(game):
    """In CI there is no other list of them: so none is missing, and none comes twice."""
    marks = re.findall(r"^## ([A-Z]\d+): \S", text_of(game, "RULINGS.md"), re.MULTILINE)
    assert marks == [f"{letter(game)}{n + 1}" for n in range(int(LAST[game.name][1:]))]


@every_game
def test_every_ruling_asks_and_answers(game):
    _, *rulings = re.split(r"^## .+$", text_of(game, "RULINGS.md"), flags=re.MULTILINE)
    for ruling in rulings:
        question, *answer = ruling.strip().split("\n\n")
        assert re.fullmatch(r"\*[^*]+\?\*", question)
        assert answer


@every_game
def test_rules_and_rulings_know_the_same_marks(game):
    rulings = cited(game, text_of(game, "RULINGS.md"))
    assert cited(game, text_of(game, "RULES.md")) == rulings


@every_game
def test_what_the_game_says_cites_rulings_that_exist(game):
    """Refusals and prompts first of all, but the reasons in its code as well."""
    rulings = cited(game, text_of(game, "RULINGS.md"))
    assert cited(game, said(game.folder / "words.py"))
    for file in game.folder.glob("*.py"):
        assert cited(game, said(file)) <= rulings, file.name


@every_text
@every_game
def test_texts_speak_to_players(game, file):
    found = NOT_FOR_PLAYERS.search(text_of(game, file))
    assert not found, found and found[0]


# The pages


@every_game
def test_every_mark_leads_to_its_ruling(ada: Guest, game: Game) -> None:
    address = f"/rules/{game.name}/rulings"
    rulings = article(ada.page(address))
    assert {mark.lower() for mark in cited(game, rulings)} <= set(ids(rulings))
    rules = article(ada.page(f"/rules/{game.name}"))
    for page in (rules, rulings):
        for mark, text in re.findall(rf'<a href="{address}#(\w+)"[^>]*>(\w+)</a>', page):
            assert text == mark.upper()
            assert mark in ids(rulings)
        bare = re.sub(r"<a .*?</a>|<h2.*?</h2>", "", page, flags=re.DOTALL)
        assert not cited(game, bare), "a mark that leads nowhere"


def test_a_mark_says_what_its_ruling_is_about(ada: Guest) -> None:
    link = '<a href="/rules/splendor/rulings#s5" title="Reserving">S5</a>'
    assert link in ada.page("/rules/splendor")


@every_game
def test_every_link_within_rules_and_rulings_leads_somewhere(ada: Guest, game: Game) -> None:
    pages = {
        path: ada.page(path) for path in (f"/rules/{game.name}", f"/rules/{game.name}/rulings")
    }
    for path, page in pages.items():
        for there, anchor in re.findall(r'href="([^"#?]*)#([\w-]+)"', page):
            target = pages.get(there or path)
            if target is not None:
                assert anchor in ids(target), f"{path} links to {there}#{anchor}"
    rules, rulings = pages
    assert f'href="{rulings}"' in pages[rules]
    assert f'href="{rules}"' in pages[rulings]
    assert re.search(rf'In the rules: <a href="{rules}#', pages[rulings])


def test_the_sheet_at_the_table_has_the_same_links(ada: Guest) -> None:
    """It is the article of the rules page, so its links must be good from any address."""
    rules = article(ada.page("/rules/splendor"))
    assert all(target.startswith(("/", "#")) for target in re.findall(r'href="([^"]+)"', rules))


def test_a_game_without_rulings(ada: Guest, tmp_path: Path, monkeypatch) -> None:
    """Its marks are plain words; there is no page of rulings, and nothing leads to one."""
    game = bottega.game("splendor")
    bare = dataclasses.replace(game, folder=tmp_path)
    (tmp_path / "RULES.md").write_text("# Bare\n\n<b>Take</b> one (S5).\n", encoding="utf-8")
    (tmp_path / "board.css").touch()
    monkeypatch.setattr(bottega, "game", lambda _: bare)
    page = ada.page("/rules/splendor")
    assert "one (S5)." in article(page)
    assert "&lt;b&gt;" in page, "raw HTML is shown, not obeyed"
    assert "/rulings" not in page
    assert ada.get("/rules/splendor/rulings").status_code == 404


@pytest.mark.parametrize("path", ["/rules/chess", "/rules/chess/rulings"])
def test_an_unknown_game_has_neither(ada: Guest, path: str) -> None:
    assert ada.get(path).status_code == 404
