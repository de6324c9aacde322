"""Playing cards: sealed choices, the reveal, trade, resolving in order.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.rule import rule
from bottega.games.artificium.actions import BACK, BUY, DISCARD, PASS, PLAY, SELL
from bottega.games.artificium.cards import doubt, seen_to_join, seen_to_leave
from bottega.games.artificium.effects import take_effect
from bottega.games.artificium.state import (
    CHOOSE,
    COIN,
    GOODS,
    MOST_SEATS,
    NO_CARD,
    OPEN,
    RESOLVE,
    SEALED_PASS,
    SPACES,
    WIZARD,
)
from bottega.games.artificium.turns import end_turn, everybody, publish

ROOM = 99  # of one resource that can be bought; nobody comes near it, and counts stay small


# A step


@rule
def start_step(kit, s):
    """Who has cards and has not passed chooses one (A5). Without any, the turn ends."""
    for seat in range(s.seats):
        if s.players[seat].held == 0:
            s.passed |= bit(seat)
    if s.passed == everybody(s):
        end_turn(kit, s)
    else:
        s.phase = CHOOSE


@rule
def choosing(s):
    """The set of seats that have neither chosen nor passed."""
    seats = 0
    for seat in range(s.seats):
        if s.players[seat].sealed == OPEN and s.passed >> seat & 1 == 0:
            seats |= bit(seat)
    return seats


@rule
def choose(kit, s, player, action):
    """Seal a card or a pass; the last one to do so starts the reveal."""
    player.sealed = SEALED_PASS if action == PASS else action - PLAY + 1
    s.turns += 1
    if choosing(s) == 0:
        reveal(kit, s)


@rule
def reveal(kit, s):
    """The chosen cards leave the hands and lie open."""
    s.shown += 1
    for seat in range(s.seats):
        player = s.players[seat]
        if player.sealed == SEALED_PASS:
            s.passed |= bit(seat)
        elif player.sealed != OPEN:
            card = np.int64(player.sealed) - 1
            player.card = card
            player.hand[card] -= 1
            player.held -= 1
            seen_to_leave(player, card)
        player.sealed = OPEN
    s.phase = RESOLVE
    next_to_resolve(kit, s)


@rule
def next_to_resolve(kit, s):
    """Actions clockwise from the first player, then Buildings (A5); then the next step."""
    s.phase = RESOLVE
    for later in range(2):
        for offset in range(s.seats):
            seat = (s.first + offset) % s.seats
            card = s.players[seat].card
            if card != NO_CARD and kit.action[card] != later:
                s.actor = seat
                return
    start_step(kit, s)


# Trade


@rule
def legal_sales(player, mask):
    """Any resource held."""
    for good in range(GOODS):
        if player.goods[good]:
            allow(mask, SELL + good)


@rule
def legal_trade(kit, player, mask):
    """Sales, and purchases that the coins pay for (A6, A7)."""
    legal_sales(player, mask)
    for good in range(GOODS):
        if player.coins >= kit.buy[good] and player.goods[good] < ROOM:
            allow(mask, BUY + good)


@rule
def trade(kit, s, player, action):
    """Sell or buy one resource. The others see it when the decision is complete (A6, A16)."""
    if action < BUY:
        player.goods[action - SELL] -= 1
        player.coins += kit.sell[action - SELL]
        s.sold[action - SELL] += s.phase == RESOLVE
    else:
        player.goods[action - BUY] += 1
        player.coins -= kit.buy[action - BUY]
        s.bought[action - BUY] += 1


@rule
def forget_trade(s):
    """The next one to resolve a card has not traded yet."""
    for good in range(GOODS):
        s.sold[good] = 0
        s.bought[good] = 0


# Resolving


@rule
def resolve(kit, s, seat, player, action):
    """Resolve the revealed card, discard it, or take it back and pass (A6)."""
    card = np.int64(player.card)
    player.card = NO_CARD
    s.turns += 1
    if action == DISCARD:
        s.discards[card] += 1
    elif action == BACK:
        player.hand[card] += 1
        player.held += 1
        seen_to_join(player, card)
        s.passed |= bit(seat)
    else:
        pay_and_gain(kit, player, card)
        take_effect(kit, s, seat, player, card, action)
        player.front[card] += 1
    publish(player)
    forget_trade(s)
    if s.phase != WIZARD:
        next_to_resolve(kit, s)


@rule
def pay_and_gain(kit, player, card):
    """What the card takes, what it gives, and its points."""
    for good in range(GOODS):
        player.goods[good] -= kit.takes[card, good]
        player.goods[good] += kit.gives[card, good]
    player.coins -= kit.takes[card, COIN]
    player.coins += kit.gives[card, COIN]
    score(kit, player, kit.points[card])


@rule
def score(kit, player, points):
    """Forward on the score track, collecting the resources passed or reached (A8)."""
    for _ in range(points):
        player.points += 1
        if player.points < SPACES and kit.space[player.points]:
            player.goods[np.int64(kit.space[player.points]) - 1] += 1


@rule
def discard_for_wizard(kit, s, player, card):
    """One of the cards that the Wizard wants discarded, unseen by the others (A13)."""
    player.hand[card] -= 1
    player.held -= 1
    player.buried[card] += 1
    for knower in range(MOST_SEATS + 1):
        doubt(player, knower, 1)
    s.due -= 1
    s.turns += 1
    if s.due == 0:
        next_to_resolve(kit, s)
