"""The card market.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.rule import rule
from bottega.games.artificium.actions import EXCHANGE, PASS, REDRAW
from bottega.games.artificium.cards import draw_cards, seen_to_join, seen_to_leave
from bottega.games.artificium.playing import start_step
from bottega.games.artificium.state import KINDS, MOST_SEATS, NO_CARD, PLACES
from bottega.games.artificium.turns import HAND, publish

EXCHANGE_PRICE = 2


@rule
def legal_exchanges(s, seat, player, mask):
    """Pass, exchange, or discard the hand instead of the first exchange (A3, A4)."""
    allow(mask, PASS)
    if s.exchanged >> seat & 1 == 0:
        allow(mask, REDRAW)
    elif player.coins < EXCHANGE_PRICE:
        return
    for kind in range(KINDS):
        if player.hand[kind]:
            for place in range(PLACES):
                if s.market[place] != NO_CARD:
                    allow(mask, EXCHANGE + PLACES * kind + place)


@rule
def trade_cards(kit, s, seat, player, action):
    """Pass, exchange a card, or discard the hand and draw five (A3, A4)."""
    if action == PASS:
        s.passed |= bit(seat)
    elif action == REDRAW:
        redraw(s, player)
    else:
        kind = (action - EXCHANGE) // PLACES
        place = (action - EXCHANGE) % PLACES
        if s.exchanged >> seat & 1:
            player.coins -= EXCHANGE_PRICE
        exchange(s, player, kind, place)
    if action != PASS:
        s.exchanged |= bit(seat)
    publish(player)
    s.turns += 1
    next_at_market(kit, s)


@rule
def exchange(s, player, kind, place):
    """The card given takes the place of the card taken, before everybody's eyes: what was hidden
    in the hand is known now."""
    s.shown += 1
    taken = np.int64(s.market[place])
    s.market[place] = kind
    player.hand[kind] -= 1
    player.hand[taken] += 1
    seen_to_leave(player, kind)
    seen_to_join(player, taken)


@rule
def redraw(s, player):
    """The whole hand into the discards, unseen, and five new cards."""
    for kind in range(KINDS):
        player.buried[kind] += player.hand[kind]
        player.hand[kind] = 0
    for knower in range(MOST_SEATS + 1):
        player.known[knower] = 0
    player.held = 0
    draw_cards(s, player, HAND)


@rule
def next_at_market(kit, s):
    """The next seat that can still exchange; who cannot has passed. Without any, play begins."""
    for _ in range(s.seats):
        s.actor = (s.actor + 1) % s.seats
        if s.passed >> s.actor & 1 == 0:
            player = s.players[s.actor]
            if s.exchanged >> s.actor & 1 == 0 or (
                player.held > 0 and player.coins >= EXCHANGE_PRICE
            ):
                return
            s.passed |= bit(s.actor)
    for place in range(PLACES):
        if s.market[place] != NO_CARD:
            s.discards[s.market[place]] += 1
            s.market[place] = NO_CARD
    s.passed = 0
    start_step(kit, s)
