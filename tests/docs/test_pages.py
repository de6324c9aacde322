"""Every example of the documentation runs and prints what its page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import bottega
from tests.docs import blocks

PAGES = blocks.pages()
LANGUAGES = {"python", "output", "sh", "text", "toml", "csv", "html", "jinja", "css", "markdown"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples(page, tmp_path):
    for printed in blocks.run(page, tmp_path):
        where = f"{page.name}, line {printed.expected.line}"
        hint = "if that is right, python -m tests.docs.blocks writes it anew"
        assert printed.actual == printed.expected.text, f"{where}; {hint}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_say_what_they_are(page):
    """A block without a language would not be executed and nobody would notice."""
    for block in blocks.blocks(page):
        assert block.language in LANGUAGES, f"{page.name}, line {block.line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in links(page):
        if not re.match(r"[a-z]+:", target):
            file, _, heading = target.partition("#")
            linked = (page.parent / file) if file else page
            assert linked.exists(), f"{page.name} links to {target}"
            if heading:
                assert heading in headings(linked), f"{page.name} links to {target}"


def links(page: Path) -> list[str]:
    """What a page links to and which pictures it shows."""
    found = []
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        for part in token.children or ():
            target = part.attrs.get("href") or part.attrs.get("src")
            found += [str(target)] if target else []
    return found


def headings(page: Path) -> set[str]:
    """The names by which one can link to the headings of a page."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def test_every_public_name_is_explained():
    page = (blocks.ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    for name in bottega.__all__:
        assert re.search(rf"`(bottega\.)?{name}\b", page), f"python-api.md does not mention {name}"


@pytest.mark.parametrize("owner", [bottega.Match, bottega.Game])
def test_every_public_attribute_is_explained(owner):
    page = (blocks.ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    for name in vars(owner):
        if not name.startswith("_"):
            assert re.search(rf"\b{name}\b", page), f"python-api.md does not mention {name}"
