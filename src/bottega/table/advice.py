"""A hint: the best choices of a seat, with reasons, from what that seat may know."""

from __future__ import annotations

from typing import Any

import numpy as np

from bottega import bots
from bottega.engine.match import Action, Match

SHOWN = 3
SAMPLES = 4  # possible tables on which each choice is tried
MOST = 60  # choices that are tried; beyond that only the best is shown
CHAIN = 12  # further small decisions that complete a choice


def hints(match: Match, seat: int) -> list[dict[str, Any]]:
    """The best choices, the first being what the greedy bot would do."""
    legal = match.legal(seat)
    if not legal:
        return []
    bot = bots.find("greedy")
    best = bot.choose(match, seat)
    now = match.chances(seat)[seat]
    tried = legal if len(legal) <= MOST else [best]
    chances = {action.id: prospect(match, seat, action, bot) for action in tried}
    ranked = sorted(tried, key=lambda action: (action.id != best.id, -chances[action.id]))
    only = len(legal) == 1
    return [
        {
            "key": action.key,
            "text": action.text,
            "chance": chances[action.id],
            "best": action.id == best.id,
            "reason": reason(chances[action.id], chances[best.id], now, action == best, only),
        }
        for action in ranked[:SHOWN]
    ]


def prospect(match: Match, seat: int, action: Action, bot: bots.Bot) -> float:
    """The seat's chance to win after a choice, on tables as they may be for all it knows."""
    return float(np.mean([_tried(match, seat, action, bot, seed) for seed in range(SAMPLES)]))


def _tried(match: Match, seat: int, action: Action, bot: bots.Bot, seed: int) -> float:
    table = match.imagine(seat, seed)
    turns = table.turns
    table.play(seat, action.id)
    for _ in range(CHAIN):
        if table.over or table.turns != turns or seat not in table.waiting:
            break
        table.play(seat, bot.choose(table, seat))
    if table.over:
        return 1 / len(table.winners) if seat in table.winners else 0.0
    return table.chances(seat, samples=1)[seat]


def reason(chance: float, best: float, now: float, first: bool, only: bool) -> str:
    """Why, in one sentence."""
    if only:
        return "It is the only thing you can do."
    after = f"about {round(100 * chance)} in 100"
    if first:
        change = chance - now
        if change > 0.02:
            return f"It raises your chances from {round(100 * now)} to {after}."
        if change < -0.02:
            return f"Nothing loses less here: it leaves you {after}."
        return f"It keeps your chances at {after}, and no other choice looks better."
    behind = best - chance
    if behind < 0.01:
        return f"Nearly as good: {after}."
    return f"Also possible: {after}, which is {round(100 * behind)} less than the best."
