"""Write the part of docs/environments.md that follows from the code: each game's names,
observation and actions.

    python tools/environments_page.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bottega
from bottega.engine.game import Game

PAGE = Path(__file__).parents[1] / "docs" / "environments.md"
MARK = "<!-- From here on the page is written by tools/environments_page.py. -->\n"
COLUMNS = 3  # of the list of actions
GAP = 3


def generated() -> str:
    """The chapters of all games."""
    return "\n".join(chapter(bottega.game(name)) for name in bottega.games())


def chapter(game: Game) -> str:
    """A game's chapter."""
    least, most = game.seats
    return "\n".join(
        [
            f"## {game.title}",
            "",
            f"{least} to {most} players, {game.actions} actions, {game.observation} numbers.",
            "",
            *names(game),
            "",
            *options(game),
            f"What a seat of {game.title} knows:",
            "",
            *observation(game),
            "",
            f"What a seat of {game.title} may do, if it is legal:",
            "",
            "```text",
            *actions(game),
            "```",
            "",
        ]
    )


def names(game: Game) -> list[str]:
    """How each interface calls the game."""
    from bottega.envs import gymnasium, openspiel, pettingzoo

    return [
        "| interface | name |",
        "|---|---|",
        f"| `bottega.batch`, `bottega.playouts` | `{game.name}` |",
        f"| PettingZoo | `{pettingzoo.name(game)}` |",
        f"| Gymnasium | `{gymnasium.name(game)}` |",
        f"| OpenSpiel | `{openspiel.name(game)}` |",
    ]


def options(game: Game) -> list[str]:
    """The options, by keyword or as parameters of OpenSpiel."""
    if not game.options:
        return []
    rows = [f"| `{o.name}` | {o.text} | {o.possible} | {o.default} |" for o in game.options]
    return ["| option | | possible | default |", "|---|---|---|---|", *rows, ""]


def observation(game: Game) -> list[str]:
    """Which numbers stand for what."""
    sight: Any = game.sight
    rows, at = ["| numbers | | |", "|---|---|---|"], 0
    for text, size in sight.LAYOUT:
        where = f"{at} to {at + size - 1}" if size > 1 else f"{at}"
        rows.append(f"| {where} | {size} | {text} |")
        at += size
    assert at == game.observation, f"the layout of {game.name} has {at} numbers"
    return rows


def actions(game: Game) -> list[str]:
    """Every action: its number and its key."""
    cells = [f"{number:>3} {key}" for number, key in enumerate(game.keys)]
    rows = -(-len(cells) // COLUMNS)
    columns = [cells[first : first + rows] for first in range(0, len(cells), rows)]
    widths = [max(map(len, column)) + GAP for column in columns]
    return [
        "".join(
            column[row].ljust(width)
            for column, width in zip(columns, widths, strict=True)
            if row < len(column)
        ).rstrip()
        for row in range(rows)
    ]


def whole(page: str) -> str:
    """The page with its generated part written anew."""
    written, mark, _ = page.partition(MARK)
    assert mark, f"{PAGE.name} has lost its mark"
    return f"{written}{mark}\n{generated()}"


if __name__ == "__main__":
    PAGE.write_text(whole(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
