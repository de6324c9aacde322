"""A quick estimate of who will win at Renaissance Man."""

from __future__ import annotations

import math

import numpy as np

from bottega.engine.bits import count
from bottega.engine.lanes import lane
from bottega.engine.rule import rule
from bottega.games.renaissance_man.phases import majority
from bottega.games.renaissance_man.state import BASE, CARDS, KINDS, LEVELS, NO_CARD, UPPER
from bottega.games.renaissance_man.structure import FREE, LEFT, fitting, provided

W = np.array(
    [
        1.0,  # 0 worker
        0.6,  # 1 open place: by share of cards that fit (saturating)
        -0.8,  # 2 dead place
        0.35,  # 3 hand fits an open place
        0.12,  # 4 recruits fit
        0.5,  # 5 recruits fit and we lead
        0.45,  # 6 coin access
        0.15,  # 7 book access
        0.12,  # 8 bread access
        0.15,  # 9 shield access
        0.45,  # 10 coin token
        0.12,  # 11 other token
        0.25,  # 12 taught each
        0.08,  # 13 taught squared extra
        0.05,  # 14 lead on an area, card not fitting
        0.03,  # 15 cards in hand
        0.03,  # 16 level bonus
    ]
)
SHARPNESS = 0.8


@rule
def judge(kit, s, out):
    """Strength of each seat, turned into chances."""
    if s.seats == 1:
        out[0] = 1.0 / (1.0 + math.exp(-0.5 * (strength(kit, s, 0) - 6.0)))
        return
    share = 0.0
    for seat in range(s.seats):
        out[seat] = math.exp(SHARPNESS * strength(kit, s, seat))
        share += out[seat]
    for seat in range(s.seats):
        out[seat] /= share


@rule
def strength(kit, s, seat):
    player = s.players[seat]
    value = W[0] * count(player.upper)
    free = FREE[player.upper]
    hand = 0
    for place in range(player.held):
        hand |= fitting(kit, player, player.hand[place])
    for place in range(UPPER):
        if player.upper >> place & 1:
            value += W[16] * (LEFT[place] >= BASE)
            continue
        left = player.pyramid[LEFT[place]]
        right = player.pyramid[LEFT[place] + 1]
        if left == NO_CARD or right == NO_CARD:
            continue
        fits = kit.fits[16 * np.int64(kit.offer_right[left]) + kit.offer_left[right]] / CARDS
        if fits == 0:
            value += W[2]
        else:
            value += W[1] * (1 - math.exp(-8 * fits))
        value += W[3] * (hand >> place & 1)
    for area in range(KINDS):
        fit = s.recruits[area] != NO_CARD and fitting(kit, player, s.recruits[area]) != 0
        lead = majority(s, area) == seat
        if fit and lead:
            value += W[5]
        elif fit:
            value += W[4]
        elif lead:
            value += W[14]
    for kind in range(KINDS):
        sources = 0
        for level in range(1, LEVELS):
            sources += provided(kit, player, level) >> kind & 1
        value += W[6 + kind] * (1 - 0.5**sources)
        n = lane(player.store, kind)
        value += (W[10] if kind == 0 else W[11]) * 2 * (1 - 0.5**n)
    t = count(player.taught)
    value += W[12] * t + W[13] * t * t
    value += W[15] * player.held
    return value
