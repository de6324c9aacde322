"""Small words that all texts share: lists and plurals as a person writes them."""

from __future__ import annotations

from collections.abc import Sequence


def listing(items: Sequence[str], joint: str = "and") -> str:
    """Items as a person lists them: one, two and three."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {joint} {items[-1]}"


def plural(number: int, thing: str) -> str:
    """A counted thing: 1 coin, 2 coins."""
    return f"{number} {thing}{'s' * (number != 1)}"


def sentence(text: str) -> str:
    """A text with a capital at its beginning and one mark at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def seat_name(seat: int) -> str:
    """A seat in a text that is given its names later."""
    return f"Player {seat + 1}"
