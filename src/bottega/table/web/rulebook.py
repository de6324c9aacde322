"""A game's rules and rulings as pages: headings have addresses, marks like S5 lead to rulings."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup

from bottega.engine.game import Game

RULES = "RULES.md"
RULINGS = "RULINGS.md"
CHAPTER = re.compile(r"^## (.+)$", re.MULTILINE)
RULING = re.compile(r"([A-Z]\d+): (.+)")  # the heading of a ruling: its mark and its title
CITED = "In the rules: "


@cache
def rules_page(game: Game) -> Markup:
    """The rules as HTML."""
    text = written(game, RULES) or "The rules of this game are not written down yet."
    return as_html(with_links(text, game))


@cache
def rulings_page(game: Game) -> Markup:
    """The rulings as HTML, each with the chapters of the rules that cite it; nothing if the game
    has none."""
    return as_html(with_links(with_citing(written(game, RULINGS), game), game))


def written(game: Game, name: str) -> str:
    """What a file of the game says; nothing if there is none."""
    file = game.folder / name
    return file.read_text(encoding="utf-8") if file.exists() else ""


def as_html(text: str) -> Markup:
    """Markdown as HTML. Raw HTML in the text is shown, not obeyed."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slug(inline.content))
        elif inline.content.startswith(CITED):
            opening.attrSet("class", "quiet")
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))


def slug(heading: str) -> str:
    """The address of a heading within its page: of a ruling, its mark."""
    ruling = RULING.fullmatch(heading)
    return re.sub(r"[^a-z0-9]+", "-", (ruling[1] if ruling else heading).lower()).strip("-")


def chapters(page: Markup) -> list[tuple[str, Markup]]:
    """Address and title of each chapter of a page."""
    return [(at, Markup(title)) for at, title in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page)]


# Marks


def marks(game: Game) -> dict[str, str]:
    """The title of each ruling, by its mark."""
    found = map(RULING.fullmatch, CHAPTER.findall(written(game, RULINGS)))
    return {ruling[1]: ruling[2] for ruling in found if ruling}


def with_links(text: str, game: Game) -> str:
    """Markdown in which every mark leads to its ruling, but for those of the headings."""
    titles = marks(game)

    def link(found: re.Match[str]) -> str:
        mark = found[0]
        title = titles[mark].replace('"', "&quot;")
        return f'[{mark}](/rules/{game.name}/rulings#{slug(mark)} "{title}")'

    return re.sub(rf"(?<!# )\b({'|'.join(titles)})\b", link, text) if titles else text


def with_citing(text: str, game: Game) -> str:
    """Rulings in Markdown, each followed by links to the chapters of the rules that cite it."""
    beginning, rulings = split(text)
    _, rules = split(written(game, RULES))
    for heading, body in rulings:
        beginning += f"## {heading}\n{body}\n"
        mark = re.escape(heading.partition(":")[0])
        citing = [title for title, chapter in rules if re.search(rf"\b{mark}\b", chapter)]
        if citing:
            links = (f"[{title}](/rules/{game.name}#{slug(title)})" for title in citing)
            beginning += f"{CITED}{', '.join(links)}\n\n"
    return beginning


def split(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first chapter, and the heading and the text of each chapter."""
    beginning, *parts = CHAPTER.split(text)
    return beginning, list(zip(parts[::2], parts[1::2], strict=True))
