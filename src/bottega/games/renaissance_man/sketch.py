"""The board of Renaissance Man as text, in 80 columns."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from rich.cells import set_cell_size
from rich.markup import escape, render

COLOURS = {
    "coin": "dark_goldenrod",
    "book": "dodger_blue1",
    "bread": "dark_orange3",
    "shield": "red",
    "any": "green",
}
LETTERS = {"coin": "C", "book": "B", "bread": "R", "shield": "S", "any": "*", None: " "}
HALF = 40  # two players beside each other
CELL = 7  # a worker
LEVELS = 5


def sketch(view: dict[str, Any]) -> str:
    """The board as text."""
    lines = [heading(view), "", *recruit_board(view), ""]
    blocks = [player_block(view, seat) for seat in seating(view)]
    for left, right in zip(blocks[::2], [*blocks[1::2], []][: len(blocks[::2])], strict=True):
        pairs = zip_longest(left, right, fillvalue="")
        lines += [*(cell(one, HALF) + other for one, other in pairs), ""]
    legend = "  ".join(f"{icon(kind)} {kind}" for kind in COLOURS)
    lines.append(f"{legend}   [dim]above: offers; below: needs; (covered)[/dim]")
    return "\n".join(line.rstrip() for line in lines)


def seating(view: dict[str, Any]) -> list[int]:
    """The seats, the viewer's first."""
    seats = range(len(view["players"]))
    own = view["seat"] or 0
    return [(own + offset) % len(seats) for offset in seats]


def heading(view: dict[str, Any]) -> str:
    """What the table is doing, and how many cards are left."""
    doing = f"{view['phase']} {view['level']}" if view["phase"] == "action" else view["phase"]
    cards = f"deck {view['deck']}, discards {view['discards']}"
    return f"[b]Round {view['round']}[/b]  {doing}   {cards}"


def recruit_board(view: dict[str, Any]) -> list[str]:
    """The four areas: the card, and whose knights are there."""
    tops, middles, bottoms, knights = [], [], [], []
    for area in view["recruits"]:
        sign = ">" if area["kind"] == view["area"] else " "
        tops.append(f"{sign}[b]{area['kind']}[/b]")
        upper, lower = worker_lines(area["card"], False)
        middles.append(f" {upper}")
        bottoms.append(f" {lower}")
        there = [f"{seat + 1}: {n}" for seat, n in enumerate(area["knights"]) if n]
        there += [f"rival: {area['rival']}"] if area["rival"] else []
        knights.append(" " + (" ".join(there) or "·"))
    rows = (tops, middles, bottoms, knights)
    return ["".join(cell(text, 16) for text in row) for row in rows]


def player_block(view: dict[str, Any], seat: int) -> list[str]:
    """A player: name, structure, tokens, knights, hand."""
    player = view["players"][seat]
    you = " (you)" if seat == view["seat"] else ""
    state = " …" if seat in view["waiting"] else " ✓" if player["decided"] else ""
    name = escape(set_cell_size(view["names"][seat], min(len(view["names"][seat]), 20)))
    lines = [f"[b]{seat + 1} {name}[/b]{you}{state}  {player['workers']}/15"]
    lines += structure_lines(player["structure"])
    store = " ".join(icon(kind) * n for kind, n in player["store"].items() if n) or "·"
    taught = " ".join(icon(kind) for kind in player["taught"]) or "·"
    lines.append(f"store {store}   learned {taught}   knights {player['supply']}")
    if player["hand"] is None:
        lines.append(f"hand {player['held']}")
    else:
        lines += hand_lines(player["hand"])
    return lines


def structure_lines(structure: list[dict[str, Any]]) -> list[str]:
    """The pyramid, the Master on top; levels without anybody are left out."""
    lines = []
    for level in range(LEVELS, 0, -1):
        row = [place for place in structure if place["name"][0] == str(level)]
        if level > 1 and not any(place["worker"] for place in row):
            continue
        indent = " " * ((level - 1) * CELL // 2)
        both = [worker_lines(place["worker"], not place["uncovered"]) for place in row]
        lines.append(indent + "".join(cell(upper, CELL) for upper, _ in both))
        if level > 1:
            lines.append(indent + "".join(cell(lower, CELL) for _, lower in both))
    return lines


def hand_lines(hand: list[dict[str, Any]]) -> list[str]:
    """The own hand, five cards a row."""
    lines = []
    for start in range(0, len(hand), 5):
        both = [worker_lines(card, False) for card in hand[start : start + 5]]
        lines.append("".join(cell(upper, CELL) for upper, _ in both))
        lines.append("".join(cell(lower, CELL) for _, lower in both))
    return lines or ["no cards"]


def worker_lines(worker: dict[str, Any] | None, covered: bool) -> tuple[str, str]:
    """A worker in two lines: offers around the type, then needs."""
    if worker is None:
        return "  ·", ""
    left, right = (icon(kind) for kind in worker["offer"])
    face = LETTERS[worker["kind"]] if worker["kind"] else "M"
    face = f"({face.lower()})" if covered else f" [reverse]{face}[/reverse] "
    needs = [icon(kind) if kind else " " for kind in worker["need"]]
    return f"{left}{face}{right}", f"{needs[0]}   {needs[1]}"


def icon(kind: str) -> str:
    """An icon as a coloured letter."""
    return f"[{COLOURS[kind]}]{LETTERS[kind]}[/]"


def cell(text: str, width: int) -> str:
    """Text with markup, filled up to a width."""
    return text + " " * max(1, width - render(text).cell_len)
