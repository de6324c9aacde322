"""Artificium's rules (rulings A1 to A20), compiled.

The chapters of the rulebook have files of their own: `turns.py`, `market.py`, `playing.py` and, for
what the cards do, `effects.py`. The actions are numbered in `actions.py`.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.chance import seed_chance
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.rule import rule
from bottega.games.artificium.actions import BACK, DISCARD, DONE, EXCHANGE, PASS, PLAY, SELL, THROW
from bottega.games.artificium.effects import legal_resolutions
from bottega.games.artificium.market import legal_exchanges, trade_cards
from bottega.games.artificium.playing import (
    choose,
    choosing,
    discard_for_wizard,
    legal_sales,
    legal_trade,
    resolve,
    trade,
)
from bottega.games.artificium.state import CHOOSE, KINDS, MARKET, NO_CARD, RESOLVE, TURN_END, WIZARD
from bottega.games.artificium.turns import be_done, everybody, start_turn

START_COINS = 5


@rule
def deal(kit, s, players, seed, options):
    """A fresh table, the first turn begun. A draw takes a random card of those left."""
    seed_chance(s, seed)
    s.seats = players
    for kind in range(KINDS):
        s.deck[kind] = kit.copies[kind]
        s.left += kit.copies[kind]
    for seat in range(players):
        player = s.players[seat]
        player.coins = START_COINS
        player.purse = START_COINS
        player.card = NO_CARD
    start_turn(kit, s)


# What may be done


@rule
def waiting(kit, s):
    """Who decides: one seat, or all together when they choose cards and at the turn's end."""
    if s.over:
        return 0
    if s.phase == TURN_END:
        return everybody(s) & ~np.int64(s.passed)
    if s.phase != CHOOSE:
        return bit(s.actor)
    return choosing(s)


@rule
def invited(kit, s):
    """Nobody acts out of turn."""
    return 0


@rule
def legal(kit, s, seat, mask):
    """Fill the mask with what a seat that decides may do."""
    for word in range(mask.shape[0]):
        mask[word] = 0
    player = s.players[seat]
    if s.phase == MARKET:
        legal_exchanges(s, seat, player, mask)
    elif s.phase == CHOOSE:
        allow(mask, PASS)
        allow_cards(player.hand, PLAY, mask)
    elif s.phase == RESOLVE:
        allow(mask, DISCARD)
        allow(mask, BACK)
        legal_trade(kit, player, mask)
        legal_resolutions(kit, s, seat, player, mask)
    elif s.phase == WIZARD:
        allow_cards(player.hand, THROW, mask)
    else:
        allow(mask, DONE)
        allow_cards(player.hand, THROW, mask)
        legal_sales(player, mask)


@rule
def allow_cards(cards, first, mask):
    """One action for each kind that is there."""
    for kind in range(KINDS):
        if cards[kind]:
            allow(mask, first + kind)


# Doing it


@rule
def play(kit, s, seat, action):
    """Carry out one decision."""
    player = s.players[seat]
    if s.phase == MARKET:
        trade_cards(kit, s, seat, player, action)
    elif s.phase == CHOOSE:
        choose(kit, s, player, action)
    elif SELL <= action < EXCHANGE:
        trade(kit, s, player, action)
    elif s.phase == RESOLVE:
        resolve(kit, s, seat, player, action)
    elif s.phase == WIZARD:
        discard_for_wizard(kit, s, player, action - THROW)
    elif action == DONE:
        be_done(kit, s, seat)
    else:
        player.hand[action - THROW] -= 1
        player.front[action - THROW] += 1


@rule
def result(kit, s, out):
    """Most points; tied players share the place (A17)."""
    for seat in range(s.seats):
        out[seat, SCORE] = s.players[seat].points
        out[seat, PLACE] = 1
        for other in range(s.seats):
            out[seat, PLACE] += s.players[other].points > s.players[seat].points
