"""A game's RULES.md as a page whose headings can be linked to."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

FILE = "RULES.md"


def slug(heading: str) -> str:
    """The address of a heading within the page."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


@cache
def rules_page(folder: Path) -> Markup:
    """The rules as HTML. Raw HTML in the text is shown, not obeyed."""
    file = folder / FILE
    if not file.exists():
        return Markup("<p>The rules of this game are not written down yet.</p>")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(file.read_text(encoding="utf-8"))
    for opening, text in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slug(text.content))
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))


def chapters(page: Markup) -> list[tuple[str, Markup]]:
    """Address and title of each chapter of the rules."""
    return [(at, Markup(title)) for at, title in re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page)]
