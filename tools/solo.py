"""How often Renaissance Man is won alone: `python tools/solo.py --games 100 --out FILE`.

Every deal is played twice: as at the table, by the search that the network guides, and with
everything open, every draw to come included, by the search without one (what a network sees has no
place for what is hidden). The second says about how much there is to be won. Games are kept in a
file, and a run that finds it goes on where the last one stopped.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bottega
from bottega.bots.search import ClassicBot, SearchBot
from bottega.bots.steering import steering
from bottega.engine.game import Game
from bottega.engine.rule import rule
from bottega.lab.simulate import wilson

GAME = "renaissance-man"
LIMIT = 3000  # decisions


@rule
def conceal_nothing(kit, s, seat, seed):
    """In the place of `conceal`: the table stays as it is, with all that chance will bring."""


@cache
def played(open_table: bool) -> Game:
    game = bottega.game(GAME)
    if not open_table:
        return game
    sight = SimpleNamespace(**{**vars(game.sight), "conceal": conceal_nothing})
    return replace(game, name=f"{GAME}-open", sight=sight)


def play(iterations: int | None, task: tuple[bool, int]) -> dict[str, Any]:
    """Play a deal to its end."""
    open_table, deal = task
    game = played(open_table)
    match = game.new(1, deal, kit=bottega.game(GAME).kits["default"], limit=LIMIT)
    usual = steering(GAME, 1, guided=not open_table)
    kind = ClassicBot if open_table else SearchBot
    iterations = iterations or usual.levels[-1].iterations
    bot = kind(deal, iterations=iterations, knobs=usual.knobs)
    while not match.over:
        match.play(0, bot.choose(match, 0))
    won = bool(match.winners)
    return {"iterations": iterations, "open": open_table, "deal": deal, "won": won}


def recalled(file: Path, iterations: int | None) -> list[dict[str, Any]]:
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    strongest = {is_open: steering(GAME, 1, not is_open).levels[-1] for is_open in (False, True)}
    return [
        row
        for row in rows
        if row["iterations"] == (iterations or strongest[row["open"]].iterations)
    ]


def summary(rows: list[dict[str, Any]]) -> str:
    found = []
    for is_open, how in ((False, "as a player"), (True, "with everything open")):
        won = [row["won"] for row in rows if row["open"] == is_open]
        if won:
            low, high = wilson(sum(won), len(won))
            found.append(f"{how}: {sum(won)} of {len(won)} won ({low:.0%} to {high:.0%})")
    return "; ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--iterations", type=int, help="for each decision; those of level 5")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("solo.jsonl"))
    asked = parser.parse_args()
    rows = [] if not asked.out.exists() else recalled(asked.out, asked.iterations)
    done = {(row["open"], row["deal"]) for row in rows}
    tasks = [(is_open, deal) for deal in range(asked.games) for is_open in (False, True)]
    tasks = [task for task in tasks if task not in done]
    with ProcessPoolExecutor(asked.workers) as pool, asked.out.open("a", encoding="utf-8") as file:
        for row in pool.map(partial(play, asked.iterations), tasks):
            print(json.dumps(row), file=file, flush=True)
            rows.append(row)
            print(summary(rows), flush=True)
    print(summary(rows))


if __name__ == "__main__":
    main()
