"""How fast the networks are: `python tools/asking.py`; seconds are those of one core's own work.

Each is asked about positions of games that it plays itself, from every fifth decision of them.
"""

from __future__ import annotations

import time

import numba
import numpy as np

import bottega
from bottega.bots import net
from bottega.engine.linking import EntryCompiler
from bottega.engine.rule import OPTIONS

ROUNDS = 40


@numba.njit(**OPTIONS, pipeline_class=EntryCompiler)
def ask_all(weights, seen, masks, sheet, rounds):
    for _ in range(rounds):
        for at in range(len(seen)):
            net.ask(weights, seen[at], masks[at], sheet)


def positions(name: str, players: int) -> tuple[np.ndarray, np.ndarray]:
    """What the seats that decide know and may do, through four games."""
    game, bot = bottega.game(name), bottega.bot("learned")
    seen, masks = [], []
    for seed in range(4):
        match = game.new(players, seed)
        while not match.over:
            seat = match.waiting[0]
            if len(match.moves) % 5 == 0:
                seen.append(match.encode(seat))
                mask = np.zeros(game.mask_words, np.uint64)
                for number in match.legal_numbers(seat):
                    mask[number // 64] |= np.uint64(1) << np.uint64(number % 64)
                masks.append(mask)
            match.play(seat, bot.choose(match, seat).id)
    return np.array(seen, np.float32), np.array(masks)


def main() -> None:
    for name in bottega.games():
        learned = net.shipped(bottega.game(name))
        assert learned is not None, f"no network comes with {name}"
        sheet = net.new_sheet(learned.net)
        for players in (2, 4):
            seen, masks = positions(name, players)
            ask_all(learned.net, seen, masks, sheet, 1)
            began = time.thread_time()
            ask_all(learned.net, seen, masks, sheet, ROUNDS)
            speed = ROUNDS * len(seen) / (time.thread_time() - began)
            print(f"{name}, {players} players: {speed:,.0f} a second, {len(seen)} positions")


if __name__ == "__main__":
    main()
