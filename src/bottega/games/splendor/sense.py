"""A quick estimate of who will win at Splendor.

Each player's prospects are a weighted sum of features; the chances follow from comparing them.
The weights in `sense.csv` were fitted to games between bots by `tools/tune_judge.py`.
"""

from __future__ import annotations

import math

from bottega.engine.bits import count
from bottega.engine.lanes import at_least, shortfall, total
from bottega.engine.rule import rule
from bottega.engine.weights import load_weights
from bottega.games.splendor.rules import GOAL
from bottega.games.splendor.state import (
    GOLD,
    HAND,
    MOST_NOBLES,
    NO_CARD,
    NO_NOBLE,
    PLACES,
    ROW,
)

FEATURES = (
    "points",
    "points beyond 6",
    "points beyond 11",
    "goal reached",
    "bonuses",
    "bonuses, the more points are still to make",
    "kinds of bonuses",
    "gems",
    "gold",
    "more than 7 tokens",
    "cards reserved",
    "best card in reach",
    "second best card in reach",
    "cards that can be bought now",
    "cheapest card in reach",
    "best level 3 card in reach",
    "points of reserved cards in reach",
    "best noble in reach",
    "all nobles in reach",
    "on turn",
    "on turn, the more points are made",
)
WEIGHTS = load_weights(__file__, FEATURES)


@rule
def judge(kit, s, out):
    """Prospects of each seat, turned into chances."""
    most = -1e9
    for seat in range(s.seats):
        out[seat] = prospects(kit, s, seat, WEIGHTS)
        most = max(most, out[seat])
    share = 0.0
    for seat in range(s.seats):
        out[seat] = math.exp(out[seat] - most)
        share += out[seat]
    for seat in range(s.seats):
        out[seat] /= share


@rule
def prospects(kit, s, seat, w):
    """The weighted sum of a seat's features, in the order of FEATURES."""
    player = s.players[seat]
    points = 1.0 * player.points
    bonuses = 1.0 * total(player.bonuses)
    gold = player.tokens >> (8 * GOLD)
    gems = total(player.tokens) - gold
    wealth = player.bonuses + player.tokens
    value = w[0] * points + w[1] * max(points - 6, 0.0) + w[2] * max(points - 11, 0.0)
    value += w[3] * (points >= GOAL)
    value += w[4] * bonuses + w[5] * bonuses * max(GOAL - points, 0.0) / GOAL
    value += w[6] * count(at_least(player.bonuses, 1))
    value += w[7] * gems + w[8] * gold + w[9] * max(gems + gold - 7, 0) + w[10] * player.held
    best = 0.0
    second = 0.0
    now = 0.0
    cheap = 0.0
    high = 0.0
    held = 0.0
    for place in range(PLACES + HAND):
        card = s.market[place] if place < PLACES else player.hand[place - PLACES]
        if card != NO_CARD:
            missing = max(total(shortfall(kit.cost[card], wealth)) - gold, 0)
            near = 1.0 / (1.0 + missing)
            worth = (0.7 + kit.points[card]) * near
            now += missing == 0
            cheap = max(cheap, near)
            if place >= PLACES - ROW and place < PLACES:
                high = max(high, worth)
            if place >= PLACES:
                held += kit.points[card] * near
            if worth > best:
                second = best
                best = worth
            elif worth > second:
                second = worth
    value += w[11] * best + w[12] * second + w[13] * min(now, 4.0) + w[14] * cheap
    value += w[15] * high + w[16] * held
    noble = 0.0
    nobles = 0.0
    for place in range(MOST_NOBLES):
        if s.nobles[place] != NO_NOBLE:
            need = kit.need[s.nobles[place]]
            near = 1.0 / (1.0 + total(shortfall(need, player.bonuses)))
            noble = max(noble, near)
            nobles += near
    value += w[17] * noble + w[18] * nobles
    if not s.over and s.turn == seat:
        value += w[19] + w[20] * points
    return value
