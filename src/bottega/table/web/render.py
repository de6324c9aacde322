"""Templates: ours, and each game's `board.html`, with a few helpers for icons and addresses."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

import bottega
from bottega.engine.errors import UnknownName
from bottega.table.web.files import url_game, url_static
from bottega.table.web.rulebook import slug

HERE = Path(__file__).parent
MOST_REMEMBERED = 2000  # pieces of a macro; the largest, a wonder, has some 8,000 characters
MARK = 19  # how wide a mark of the graph of chances is, in the graph's own units


def icon(name: str) -> Markup:
    """A drawing by name: ours, or after a slash a game's own."""
    return _icon(name, int(time.monotonic()))


@lru_cache(maxsize=2048)
def _icon(name: str, second: int) -> Markup:  # noqa: ARG001
    """A page has hundreds of icons, so that their addresses are looked up once a second."""
    game, _, own = name.rpartition("/")
    url = url_game(game, "icons.svg") if game else url_static("icons.svg")
    return Markup('<svg class="icon icon-{}" aria-hidden="true"><use href="{}#{}"/></svg>').format(
        own, url, own
    )


@jinja2.pass_context
def iconise(context: jinja2.runtime.Context, text: str) -> Markup:
    """The text, with its icon before every word for which the game has one.

    Of HTML, only what stands between the tags.
    """
    table = context.get("table")
    game = table.game if table else context.get("game")
    if not game:
        return escape(text)
    if not isinstance(text, Markup):
        return _iconised(game.name, text)
    return Markup(
        re.sub(r"(?<=>)[^<]+", lambda part: _iconised(game.name, html.unescape(part[0])), text)
    )


@lru_cache(maxsize=20_000)
def _iconised(game: str, text: str) -> Markup:
    icons: Mapping[str, str] = getattr(bottega.game(game).words, "ICONS", {})
    if not icons:
        return escape(text)
    words = "|".join(re.escape(word) for word in sorted(icons, key=len, reverse=True))
    parts = re.split(rf"\b({words})\b", text, flags=re.IGNORECASE)
    together = Markup('<span class="with-icon">{}{}</span>')  # a line never breaks between them
    return Markup("").join(
        together.format(icon(icons[part.lower()]), part) if part.lower() in icons else escape(part)
        for part in parts
    )


def remembered(macro: Callable[..., Markup]) -> Callable[..., Markup]:
    """A macro that makes the same piece of a page once: most of a board stays as it was.

    For a template that is imported without context: its macros know only what they are given.
    """
    made: dict[str, Markup] = {}

    def make(*given: Any, **named: Any) -> Markup:
        key = repr((given, named))  # of plain values: equal texts, equal values
        piece = made.get(key)
        if piece is None:
            if len(made) >= MOST_REMEMBERED:
                made.clear()
            piece = made[key] = macro(*given, **named)
        return piece

    return make


def free_height(x: float, y: float, placed: list[tuple[float, float]], height: float) -> float:
    """Where a mark of the graph stands, so that it covers none of those placed before: at its own
    height, or as near as possible to it."""
    for shift in sorted(range(-4, 5), key=abs):
        free = y + shift * MARK
        inside = MARK / 2 <= free <= height - MARK / 2
        if inside and all(abs(x - u) >= MARK or abs(free - v) >= MARK for u, v in placed):
            return free
    return y


def _board(name: str) -> tuple[str, str, Any] | None:
    """`games/<game>/<file>.html`, from the game's folder."""
    found = re.fullmatch(r"games/([\w-]+)/([\w-]+\.html)", name)
    try:
        file = bottega.game(found[1]).folder / found[2] if found else None
        text = file.read_text(encoding="utf-8") if file else None
    except (UnknownName, FileNotFoundError):
        return None
    if file is None or text is None:
        return None
    changed = file.stat().st_mtime_ns
    return text, str(file), lambda: file.stat().st_mtime_ns == changed


class Code(CodeGenerator):
    """A page puts thousands of small values in place, mostly texts that come again and again."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.escaped(")


class Context(jinja2.runtime.Context):
    """Calls macros and functions without asking each in three ways whether it wants the context."""

    def call(self, called: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        if hasattr(called, "jinja_pass_arg"):
            return super().call(called, *given, **named)
        named.pop("_block_vars", None)
        named.pop("_loop_vars", None)
        return called(*given, **named)


@lru_cache(maxsize=20_000)
def _escaped(text: str) -> str:
    return str(escape(text))


class Environment(jinja2.Environment):
    """For pages of plain values, where `player.name` is an entry of a dictionary."""

    code_generator_class = Code
    context_class = Context

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The entry first: Jinja first looks for an attribute in vain, a fifth of a page's time."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    @staticmethod
    def escaped(value: Any) -> str:
        """A value as a part of a page."""
        if type(value) is Markup:
            return value
        if type(value) is str:
            return _escaped(value)
        return str(value) if type(value) is int else escape(value)


def environment() -> jinja2.Environment:
    """Where pages are made."""
    loader = jinja2.ChoiceLoader(
        [jinja2.FileSystemLoader(HERE / "templates"), jinja2.FunctionLoader(_board)]
    )
    made = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, cache_size=200
    )
    made.globals.update(icon=icon, iconise=iconise, url_static=url_static, url_game=url_game)
    made.filters["slug"] = slug
    made.globals.update(remembered=remembered, free_height=free_height)
    return made
