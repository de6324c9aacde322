"""Artificium's board as text, in 80 columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.markup import escape, render

COLOURS = {
    "wood": "dark_goldenrod",
    "wheat": "yellow3",
    "coal": "grey50",
    "food": "red",
    "beer": "orange3",
    "crystal": "cyan",
    "metal": "steel_blue",
    "potion": "magenta",
    "sword": "bold",
    "coin": "gold3",
}
COLUMN = 7  # width of a resource's column


def cell(text: str, width: int) -> str:
    """Text with markup, filled up to a width."""
    return text + " " * max(1, width - render(text).cell_len)


def sketch(view: dict[str, Any]) -> str:
    """The board as text."""
    state = "over" if view["over"] else view["phase"]
    lines = [
        f"[b]Turn {view['turn']} of {view['last_turn']}[/b], {state}"
        f"   deck {view['deck']}, discards {view['discards']}",
        "",
    ]
    if view["phase"] == "market" and not view["over"]:
        lines += sketch_market(view)
    lines += sketch_prices(view)
    for seat in range(len(view["players"])):
        lines += sketch_player(view, seat)
    spaces = [f"{space['space']} {space['resource']}" for space in view["track"]]
    lines += ["", "[dim]Score track, resources at"]
    lines += ["  ".join(spaces[at : at + 8]) for at in range(0, len(spaces), 8)]
    if view["kit"]["reconstructed"]:
        lines.append(f"Reconstructed: {view['kit']['reconstructed']}.")
    lines[-1] += "[/dim]"
    return "\n".join(line.rstrip() for line in lines)


def sketch_market(view: dict[str, Any]) -> list[str]:
    """The cards of the market with their places."""
    cards = [
        cell(f"{place} {sketch_card(card) if card else 'empty'}", 40)
        for place, card in enumerate(view["market"], 1)
    ]
    return ["[b]Market[/b]", *("".join(cards[at : at + 2]) for at in range(0, len(cards), 2)), ""]


def sketch_prices(view: dict[str, Any]) -> list[str]:
    """The head of the table: resources, what they cost and bring."""
    resources = view["resources"]
    head = cell("", 24) + "".join(
        cell(f"[{COLOURS[r['resource']]}]{r['name'][: COLUMN - 1]}[/]", COLUMN) for r in resources
    )
    trade = [
        cell(f"[dim]{title}[/dim]", 24) + "".join(cell(str(r[key]), COLUMN) for r in resources)
        for title, key in (("buy for", "buy"), ("sell for", "sell"))
    ]
    return [head, *trade, ""]


def sketch_player(view: dict[str, Any], seat: int) -> list[str]:
    """What a player has; then the cards, as far as they are known."""
    player = view["players"][seat]
    sign = ">" if seat in view["waiting"] else "1" if seat == view["first"] else " "
    you = " (you)" if seat == view["seat"] else ""
    called = view["names"][seat]
    called = escape(set_cell_size(called, min(cell_len(called), 21 - len(you))))
    goods = "".join(
        cell(f"[{COLOURS[kind]}]{number}[/]" if number else "·", COLUMN)
        for kind, number in player["goods"].items()
    )
    state = ", passed" if player["passed"] else ", has chosen" if player["chosen"] else ""
    lines = [
        cell(f"{sign} [b]{called}[/b]{you}", 24) + goods,
        f"    {player['points']} points, {player['coins']} coins, {player['held']} cards{state}",
    ]
    if player["hand"]:
        lines += [f"    hand: {escape(text)}" for text in wrapped(player["hand"])]
    if player["certain"]:
        lines += [f"    surely holds: {escape(text)}" for text in wrapped(player["certain"])]
    if player["front"]:
        lines += [f"    in front: {escape(text)}" for text in wrapped(player["front"])]
    if player["sealed"]:
        sealed = player["sealed"]
        lines.append(f"    chosen: {'pass' if sealed == 'pass' else sketch_card(sealed)}")
    if player["card"]:
        lines.append(f"    revealed: {sketch_card(player['card'])}")
    return lines


def wrapped(cards: list[dict[str, Any]]) -> list[str]:
    """Cards by name, alike ones together, three in a line."""
    counts = Counter(card["name"] for card in cards)
    names = [f"{card} x{number}" if number > 1 else card for card, number in counts.items()]
    return [", ".join(names[at : at + 3]) for at in range(0, len(names), 3)]


def sketch_card(card: dict[str, Any]) -> str:
    """A card: its name, what it takes, gives and scores."""
    takes, gives = bundle(card["takes"]), bundle(card["gives"])
    flow = f"{takes} → {gives}".strip() if gives else takes
    points = f"+{card['points']}" if card["points"] else ""
    return " ".join(part for part in (escape(card["name"]), flow, points) if part)


def bundle(counts: dict[str, int]) -> str:
    """Resources as coloured words: 1 coal 1 metal."""
    return " ".join(f"[{COLOURS[kind]}]{number} {kind}[/]" for kind, number in counts.items())
