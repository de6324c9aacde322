"""A quick estimate of who will win at Splendor."""

from __future__ import annotations

import math

from bottega.engine.lanes import shortfall, total
from bottega.engine.rule import rule
from bottega.games.splendor.rules import GOAL
from bottega.games.splendor.state import GOLD, HAND, MOST_NOBLES, NO_CARD, NO_NOBLE, PLACES

# Weights in units of one point on the table.
BONUS = 0.9  # a card bought makes every later one cheaper
GEM = 0.12
GOLD_TOKEN = 0.25
NEAR = 0.55  # a card within reach, less for each token still missing
NOBLE_STEP = 0.35  # of a noble's needs met
TURN = 0.4  # being next
SHARPNESS = 0.35  # how much a lead of one point decides


@rule
def judge(kit, s, out):
    """Strength of each seat, turned into chances."""
    most = -1e9
    for seat in range(s.seats):
        out[seat] = SHARPNESS * strength(kit, s, s.players[seat])
        most = max(most, out[seat])
    if not s.over:
        out[s.turn] += SHARPNESS * TURN
    share = 0.0
    for seat in range(s.seats):
        out[seat] = math.exp(out[seat] - most)
        share += out[seat]
    for seat in range(s.seats):
        out[seat] /= share


@rule
def strength(kit, s, player):
    """A player's prospects, in points."""
    prospects = 1.0 * player.points
    prospects += BONUS * total(player.bonuses)
    gold = player.tokens >> (8 * GOLD)
    prospects += GEM * (total(player.tokens) - gold) + GOLD_TOKEN * gold
    best = 0.0
    second = 0.0
    for place in range(PLACES + HAND):
        card = s.market[place] if place < PLACES else player.hand[place - PLACES]
        if card != NO_CARD:
            missing = total(shortfall(kit.cost[card], player.bonuses + player.tokens)) - gold
            worth = (1.0 + kit.points[card]) / (1.0 + max(missing, 0))
            if worth > best:
                second = best
                best = worth
            elif worth > second:
                second = worth
    prospects += NEAR * (best + 0.5 * second)
    for place in range(MOST_NOBLES):
        if s.nobles[place] != NO_NOBLE:
            need = kit.need[s.nobles[place]]
            met = 1.0 - total(shortfall(need, player.bonuses)) / total(need)
            prospects += NOBLE_STEP * kit.favour[s.nobles[place]] * met * met
    if player.points >= GOAL:
        prospects += 5.0
    return prospects
