"""Golden playthroughs: whole games as a text a person can read.

Bots decide when a playthrough is written. When it is checked, the decisions are read from it,
so that it says what the rules do, whatever the bots have learned since.

`python -m tests.games.playthrough splendor 2 --seed 3 --bots greedy,random` writes one;
without a game, all that exist are written anew. What changed is then seen in the diff.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from rich.text import Text

import bottega
from bottega.engine.game import Game
from bottega.engine.match import Match

BOARD_EVERY = 25  # decisions
NAMES = ("Ada", "Bruno", "Clara", "Dante", "Elena", "Fabio")
HEAD = "Playthrough "


def folder(game: Game) -> Path:
    return Path(__file__).parent / game.folder.name / "playthroughs"


def files(game: Game) -> list[Path]:
    return sorted(folder(game).glob("*.txt"))


def header(file: Path) -> dict[str, Any]:
    """How a playthrough is made: its first line."""
    first = file.read_text(encoding="utf-8").split("\n", 1)[0]
    made: dict[str, Any] = json.loads(first.removeprefix(HEAD))
    return made


def decisions(file: Path) -> list[tuple[int, str]]:
    """Who decided what."""
    text = file.read_text(encoding="utf-8")
    found = re.findall(r"^\d+\. (\w+): .*\n   may .*\n   does (\S+)$", text, re.MULTILINE)
    return [(NAMES.index(name), key) for name, key in found]


def lines(
    game: Game,
    players: int,
    seed: int,
    bots: list[str],
    limit: int,
    options: dict[str, Any],
    recorded: list[tuple[int, str]] | None = None,
) -> list[str]:
    """The playthrough, line by line: decided by the bots, or as recorded."""
    made = {"players": players, "seed": seed, "bots": bots, "limit": limit, "options": options}
    match = game.new(players, seed, names=NAMES[:players], limit=limit, **options)
    minds = [bottega.bot(bots[seat % len(bots)], seed=seed + seat) for seat in range(players)]
    text = [HEAD + json.dumps(made), f"{game.title}, kit {match.kit.name} {match.kit.hash}"]
    while not match.over:
        if len(match.moves) % BOARD_EVERY == 0:
            text += board(match)
        if recorded is None:
            seat, key = next_decision(match, minds)
        elif len(match.moves) < len(recorded):
            seat, key = recorded[len(match.moves)]
        else:
            return [*text, "the recorded decisions end here"]
        text += decision(match, seat, key)
    text += [*board(match), match.prompt(None), f"Standings: {match.standings}"]
    return text


def next_decision(match: Match, minds: list[Any]) -> tuple[int, str]:
    """Who decides next, and what. Guests come first, if their bot sees what helps them."""
    for seat in match.invited:
        action = minds[seat].consider(match, seat) if hasattr(minds[seat], "consider") else None
        if action:
            return seat, action.key
    seat = match.waiting[0]
    return seat, minds[seat].choose(match, seat).key


def decision(match: Match, seat: int, key: str) -> list[str]:
    """One decision: who is asked what, what is possible, what is done, what happens."""
    legal = [action.key for action in match.legal(seat)]
    text = ["", f"{len(match.moves) + 1}. {match.names[seat]}: {match.prompt(seat)}"]
    text += [f"   may {' '.join(legal)}", f"   does {key}"]
    known = len(match.log(seat))
    match.play(seat, key)
    text += [f"   {line.text}" for line in match.log(seat)[known:]]
    state = hashlib.sha256(match.state()).hexdigest()[:8]
    return [*text, f"   record {state}"]


def board(match: Match) -> list[str]:
    sketch = match.game.words.sketch(match.view(None))
    return ["", *(line.rstrip() for line in Text.from_markup(sketch).plain.splitlines())]


def write(file: Path, game: Game, **made: Any) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(lines(game, **made)) + "\n", encoding="utf-8")
    print(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?")
    parser.add_argument("players", nargs="?", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bots", default="greedy,random")
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    if asked.players is None:
        for name in [asked.game] if asked.game else bottega.games():
            game = bottega.game(name)
            for file in files(game):
                write(file, game, **header(file))
        return
    game = bottega.game(asked.game)
    options = dict(option.split("=", 1) for option in asked.option)
    write(
        folder(game) / f"{asked.players}-players.txt",
        game,
        players=asked.players,
        seed=asked.seed,
        bots=asked.bots.split(","),
        limit=asked.limit,
        options=options,
    )


if __name__ == "__main__":
    main()
