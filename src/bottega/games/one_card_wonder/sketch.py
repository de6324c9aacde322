"""The board of One Card Wonder as text, from what `view` shows alone."""

from __future__ import annotations

from typing import Any

COLOURS = {
    "stone": "grey62",
    "wood": "orange4",
    "iron": "blue",
    "clay": "red",
    "knowledge": "green",
    "coin": "yellow",
    "any": "white",
}
LETTERS = {
    "stone": "S",
    "wood": "W",
    "iron": "I",
    "clay": "C",
    "knowledge": "K",
    "coin": "$",
    "any": "?",
}


def things(counts: dict[str, int]) -> str:
    """Counts as coloured letters: 3W 1$."""
    parts = [f"[{COLOURS[kind]}]{n}{LETTERS[kind]}[/]" for kind, n in counts.items() if n]
    return " ".join(parts) or "-"


def price(symbols: list[str]) -> str:
    """A cost as coloured letters: WS?."""
    return "".join(f"[{COLOURS[kind]}]{LETTERS[kind]}[/]" for kind in symbols) or "free"


def sketch(view: dict[str, Any]) -> str:
    """The whole table."""
    lines = [f"Supply {things(view['supply'])}   Bag {things(view['bag'])}   Coins {view['coins']}"]
    for place, offer in enumerate(view["offers"], start=1):
        if offer:
            cost = " ".join(price(stage["cost"]) for stage in offer["stages"])
            lines.append(f"  {place} {offer['name']} ({offer['complexity']}): {cost}")
            lines.append(f"    with {things(offer['cubes'])}")
    lines += [line for seat in range(len(view["players"])) for line in player(view, seat)]
    if view["leader"]:
        leader = view["leader"]
        who = view["names"][leader["owner"]]
        lines.append(f"{who} reveals {leader['name']}: {leader['text']}")
        lines.append(f"  to defeat {price(leader['defeat'])}, offered {things(leader['pledged'])}")
    for trade in view["trades"]:
        one, two = view["names"][trade["from"]], view["names"][trade["to"]]
        lines.append(f"{one} to {two}: {things(trade['give'])} for {things(trade['ask'])}")
    return "\n".join(lines)


def player(view: dict[str, Any], seat: int) -> list[str]:
    """A player's wonder, stages and buildings."""
    things_of = view["players"][seat]
    mark = ">" if seat == view["turn"] else " "
    leader = {None: "", "hidden": "  a leader"}.get(
        things_of["leader"] if not isinstance(things_of["leader"], dict) else None, ""
    )
    if isinstance(things_of["leader"], dict):
        leader = f"  leader {things_of['leader']['name']}"
    held = sum(things_of["stock"].values())
    lines = [
        f"{mark} [bold]{view['names'][seat]}[/] {things(things_of['stock'])} "
        f"({held}/{things_of['room']}){leader}"
    ]
    wonder = things_of["wonder"]
    if wonder:
        stages = " ".join(stage(number, each) for number, each in enumerate(wonder["stages"], 1))
        lines.append(f"    {wonder['name']}: {stages}")
    if things_of["buildings"]:
        built = "  ".join(building(each) for each in things_of["buildings"])
        lines.append(f"    {built}")
    return lines


def stage(number: int, each: dict[str, Any]) -> str:
    """A stage: built, open or waiting."""
    if each["built"]:
        return f"[green]{number}#[/]"
    cost = price(each["price"])
    return f"[bold]{number}:{cost}[/]" if each["open"] else f"({number}:{cost})"


def building(each: dict[str, Any]) -> str:
    """A building with its price, or its mark."""
    mark = "[green]#[/]" if each["built"] else price(each["price"])
    return f"{each['name']} {mark}"
