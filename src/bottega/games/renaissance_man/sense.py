"""A quick estimate of who will win at Renaissance Man.

Each player's prospects are a weighted sum of features; the chances follow from comparing them.
The weights in `sense.csv` were chosen by play between greedy bots.
"""

from __future__ import annotations

import math

import numpy as np

from bottega.engine.bits import count
from bottega.engine.lanes import lane
from bottega.engine.rule import rule
from bottega.engine.weights import load_weights
from bottega.games.renaissance_man.phases import HIRE, majority
from bottega.games.renaissance_man.state import CARDS, KINDS, LEVELS, NO_CARD, UPPER
from bottega.games.renaissance_man.structure import LEFT, fitting, provided

FEATURES = (
    "workers above the Foundation",
    "open places, the more cards fit them",
    "open places that only a Renaissance Man can fill",
    "open places that a hand card fits",
    "hand cards that add a place they fit",
    "recruits that fit",
    "recruits that fit and are about to be won",
    "other recruits about to be won",
    "access to hire",
    "access to teach",
    "access to barter",
    "access to recruit",
    "stored coins",
    "other stored tokens",
    "Renaissance Man tokens, squared",
    "cards in hand",
)
WEIGHTS = load_weights(__file__, FEATURES)

SPREAD = 10.0  # how fast a place is easy to fill, by the share of cards that fit
AGAIN = 0.62  # what each further worker with the same access is worth, against the one before
SPARE = 0.5  # the same for stored tokens

# Alone: prospects that give an even chance at the start, and how many more each round takes;
# fitted to games of the greedy bot.
EVEN = 3.2
CLOCK = 0.5


@rule
def judge(kit, s, out):
    """Prospects of each seat, turned into chances. Alone, the rounds gone by are the clock."""
    if s.seats == 1:
        ahead = prospects(kit, s, 0, WEIGHTS) - EVEN - CLOCK * s.rounds
        out[0] = 1.0 / (1.0 + math.exp(-ahead))
        return
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
    value = w[0] * count(player.upper) + w[15] * player.held
    value += w[14] * count(player.taught) * count(player.taught)
    value += building_prospects(kit, player, w)
    value += recruit_prospects(kit, s, seat, w)
    for kind in range(KINDS):
        workers = 0
        for level in range(1, LEVELS):
            workers += provided(kit, player, level) >> kind & 1
        value += w[8 + kind] * (1.0 - AGAIN**workers)
        stored = 2.0 * (1.0 - SPARE ** lane(player.store, kind))
        value += (w[12] if kind == HIRE else w[13]) * stored
    return value


@rule
def building_prospects(kit, player, w):
    """Which places can still be filled, by which needs, and by which cards of the hand."""
    value = 0.0
    reached = 0
    for held in range(player.held):
        fits = fitting(kit, player, player.hand[held])
        value += w[4] * (fits & ~reached != 0)
        reached |= fits
    for place in range(UPPER):
        left = player.pyramid[LEFT[place]]
        right = player.pyramid[LEFT[place] + 1]
        filled = np.int64(player.upper) >> place & 1
        if not filled and left != NO_CARD and right != NO_CARD:
            offers = 16 * np.int64(kit.offer_right[left]) + kit.offer_left[right]
            share = kit.fits[offers] / CARDS
            value += w[2] if share == 0 else w[1] * (1.0 - math.exp(-SPREAD * share))
            value += w[3] * (reached >> place & 1)
    return value


@rule
def recruit_prospects(kit, s, seat, w):
    """Recruits that fit, and those that the seat's knights are about to win."""
    value = 0.0
    for area in range(KINDS):
        card = s.recruits[area]
        if card != NO_CARD:
            fits = fitting(kit, s.players[seat], card) != 0
            if majority(s, area) == seat:
                value += w[6] if fits else w[7]
            elif fits:
                value += w[5]
    return value
