"""A quick estimate of who will win at Artificium."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bottega.engine.rule import rule
from bottega.games.artificium.actions import BUY, EXCHANGE, SELL
from bottega.games.artificium.cards import cards_in
from bottega.games.artificium.state import (
    COIN,
    EXPLORATION,
    FAIR,
    GOODS,
    KINDS,
    KNIGHT,
    MARKET,
    NO_CARD,
    RECONSTRUCTION,
    RESOLVE,
    THE_WIZARD,
    THEFT,
    TURN_END,
)
from bottega.games.artificium.turns import COINS_A_POINT, TURNS

# Weights in units of one point on the track.
FREEDOM = 0.05  # a coin that can still be spent is worth that much more than its sale
PREMIUM = 0.35  # of the way from the sale price to the purchase price: a resource still of use
HOPE = 0.9  # what the hand could still make, since others interfere
KEPT = 0.1  # a card kept for the next turn; in the last turn only better than to waste it
TURN = 12.0  # what a turn to come usually brings, so that no turn is ended early for the next
# Effects, roughly.
EXPLORED, STOLEN, WIZARDRY, KNIGHTED = 0.8, 0.5, 2.5, 2.0
WORTHWHILE = 0.05  # a card that gains less is not resolved
SHARPNESS = np.array([0.05, 0.06, 0.08, 0.15])  # how much a lead of one point decides, by turn
DECIDED = 1000.0  # the same when the last card is about to be resolved

LANE = 7  # bits for the count of one resource in a stock
MOST = 127


@rule
def judge(kit, s, out):
    """Strength of each seat, turned into chances."""
    sharpness = DECIDED if last_card(s) else SHARPNESS[s.turn - 1]
    most = -1e9
    for seat in range(s.seats):
        out[seat] = sharpness * strength(kit, s, seat)
        most = max(most, out[seat])
    share = 0.0
    for seat in range(s.seats):
        out[seat] = math.exp(out[seat] - most)
        share += out[seat]
    for seat in range(s.seats):
        out[seat] /= share


@rule
def last_card(s):
    """Whether at most one card is still to be resolved in the whole game."""
    cards = 0
    for seat in range(s.seats):
        player = s.players[seat]
        cards += player.card != NO_CARD
        cards += 0 if s.passed >> seat & 1 else np.int64(player.held)
    return s.turn == TURNS and cards <= 1 and s.phase == RESOLVE and s.over == 0


@rule
def strength(kit, s, seat):
    """Points, coins and resources at their worth, and what the hand can still make of them."""
    player = s.players[seat]
    last = s.turn == TURNS
    coin = 1.0 / COINS_A_POINT + (0.0 if last else FREEDOM)
    premium = 0.0 if last else PREMIUM
    now = player.points + player.coins * coin + TURN * (TURNS - np.int64(s.turn))
    for good in range(GOODS):
        now += player.goods[good] * worth(kit, good, coin, premium)
    now += player.held * (0.1 * KEPT if last else KEPT)
    passed = s.phase != MARKET and s.passed >> seat & 1 and player.card == NO_CARD
    if passed or s.phase == TURN_END:
        return now
    return now + HOPE * chain(kit, player, coin, premium)


@rule
def worth(kit, good, coin, premium):
    """What one of a resource is worth."""
    return coin * (kit.sell[good] + premium * (kit.buy[good] - kit.sell[good]))


@rule
def chain(kit, player, coin, premium):
    """What the player gains by resolving the revealed card and then the whole hand, in the
    order of the production chain, as far as it pays; at the end Reconstructions, then Fairs."""
    stock = stock_of(player)
    coins = np.int64(player.coins)
    lying = cards_in(player.front)
    gain = 0.0
    again = 0
    if player.card != NO_CARD:
        kind = np.int64(player.card)
        gain += coin * fair(kit, kind, lying)
        if kit.effect[kind] == RECONSTRUCTION:
            stock, coins, made = make_again(kit, player, False, stock, coins, coin, premium)
        else:
            stock, coins, made = make(kit, kind, stock, coins, coin, premium)
        gain += made
        lying += made > 0.0
    for index in range(KINDS):
        kind = np.int64(kit.order[index])
        for _ in range(player.hand[kind]):
            again += kit.effect[kind] == RECONSTRUCTION
            stock, coins, made = make(kit, kind, stock, coins, coin, premium)
            gain += made
            lying += made > 0.0
    for _ in range(again):
        stock, coins, made = make_again(kit, player, True, stock, coins, coin, premium)
        gain += made
        lying += made > 0.0
    for kind in range(KINDS):
        gain += coin * np.int64(player.hand[kind]) * fair(kit, kind, lying)
    return gain


@rule
def fair(kit, kind, lying):
    """The coins of a card if it is a Fair."""
    return np.int64(kit.amount[kind, 0]) * lying if kit.effect[kind] == FAIR else 0


@rule
def stock_of(player):
    """All resources of a board in one word."""
    stock = np.int64(0)
    for good in range(GOODS):
        stock |= min(np.int64(player.goods[good]), MOST) << (LANE * good)
    return stock


@rule
def make(kit, kind, stock, coins, coin, premium):
    """Resolve a card if it pays, buying what is missing: the stock and the coins left, and what
    was gained."""
    after = stock
    left = coins - np.int64(kit.takes[kind, COIN])
    gain = kit.points[kind] + promise(kit.effect[kind])
    for good in range(GOODS):
        need = np.int64(kit.takes[kind, good])
        made = np.int64(kit.gives[kind, good])
        if need or made:
            there = stock >> (LANE * good) & MOST
            used = min(need, there)
            made = min(made, MOST - there)
            after += (made - used) << (LANE * good)
            left -= (need - used) * np.int64(kit.buy[good])
            gain += (made - used) * worth(kit, good, coin, premium)
    possible = left >= 0
    left += np.int64(kit.gives[kind, COIN])
    gain += coin * (left - coins)
    if possible and gain >= WORTHWHILE:
        return after, left, gain
    return stock, coins, 0.0


@rule
def make_again(kit, player, later, stock, coins, coin, premium):
    """Resolve the card once more that gains most: one that lies in front, or later one that
    will."""
    after = stock
    left = coins
    gain = 0.0
    for kind in range(KINDS):
        if player.front[kind] or (later and (player.hand[kind] or player.card == kind)):
            its_stock, its_left, its_gain = make(kit, kind, stock, coins, coin, premium)
            if its_gain > gain:
                after = its_stock
                left = its_left
                gain = its_gain
    return after, left, gain


@rule
def promise(effect):
    """What an effect is worth."""
    if effect == EXPLORATION:
        return EXPLORED
    if effect == THEFT:
        return STOLEN
    if effect == THE_WIZARD:
        return WIZARDRY
    if effect == KNIGHT:
        return KNIGHTED
    return 0.0


def wasteful(kit: Any, s: Any, seat: int, action: int) -> bool:
    """Whether an action sells what the same decision bought, or the other way round: the bank
    always takes its share."""
    if SELL <= action < BUY:
        return bool(s.bought[action - SELL])
    return BUY <= action < EXCHANGE and bool(s.sold[action - BUY])
