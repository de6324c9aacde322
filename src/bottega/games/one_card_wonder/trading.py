"""Trading between players who are not on turn (W12)."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.lanes import covers, lane, one, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import (
    ACCEPT,
    ASK,
    DECLINE,
    GIVE,
    PROPOSE,
    TO,
    WITHDRAW,
)
from bottega.games.one_card_wonder.state import DRAFTED, KINDS, NO_TRADE, NOBODY, PROPOSED
from bottega.games.one_card_wonder.things import give_up

LEAST_TRADERS = 4


@rule
def legal_trades(s, seat, mask):
    """Begin a trade, shape it, propose it, or answer those of others."""
    player = s.players[seat]
    if player.trade == NO_TRADE:
        for other in range(s.seats):
            if other != seat and other != s.turn:
                allow(mask, TO + other)
    else:
        allow(mask, WITHDRAW)
    if player.trade == DRAFTED:
        legal_terms(player, s.players[player.partner], mask)
    for other in range(s.seats):
        if s.players[other].trade == PROPOSED and s.players[other].partner == seat:
            allow(mask, ACCEPT + other)
            allow(mask, DECLINE + other)


@rule
def legal_terms(player, partner, mask):
    """First what one gives, then what one asks for: things that are there, none both ways."""
    for kind in range(KINDS):
        if player.ask == 0 and lane(player.stock, kind) > lane(player.give, kind):
            allow(mask, GIVE + kind)
        if lane(player.give, kind) == 0 and lane(partner.stock, kind) > lane(player.ask, kind):
            allow(mask, ASK + kind)
    if player.give or player.ask:
        allow(mask, PROPOSE)


@rule
def trade(s, seat, action):
    """One step towards a trade."""
    player = s.players[seat]
    if action < PROPOSE:
        shape(player, action)
    elif action == PROPOSE:
        player.trade = PROPOSED
        s.turns += 1
    elif action == WITHDRAW:
        s.turns += player.trade == PROPOSED
        let_fall(player)
    elif action < DECLINE:
        carry_out(s, action - ACCEPT, seat)
        s.turns += 1
    else:
        let_fall(s.players[action - DECLINE])
        s.turns += 1


@rule
def shape(player, action):
    """A step that only the proposer knows of."""
    if action < GIVE:
        player.trade = DRAFTED
        player.partner = action - TO
    elif action < ASK:
        player.give += one(action - GIVE)
    else:
        player.ask += one(action - ASK)


@rule
def carry_out(s, proposer, accepter):
    """Both hand over what was agreed; who has no room gives something up (W9)."""
    one_side = s.players[proposer]
    other_side = s.players[accepter]
    change = one_side.ask - one_side.give
    one_side.stock += change
    other_side.stock -= change
    let_fall(one_side)
    if total(one_side.stock) > one_side.room:
        s.surplus |= bit(proposer)
    if total(other_side.stock) > other_side.room:
        s.surplus |= bit(accepter)
    drop_void_trades(s)


@rule
def let_fall(player):
    """A trade that comes to nothing, or is done."""
    player.trade = NO_TRADE
    player.partner = 0
    player.give = 0
    player.ask = 0


@rule
def drop_void_trades(s):
    """Trades fall when something in them is no longer there, or a party comes on turn."""
    for seat in range(s.seats):
        player = s.players[seat]
        if player.trade != NO_TRADE:
            partner = s.players[player.partner]
            if (
                seat == s.turn
                or player.partner == s.turn
                or not covers(player.stock, player.give)
                or not covers(partner.stock, player.ask)
            ):
                let_fall(player)


@rule
def most_things(s, player):
    """How many things a player with too many may keep now."""
    return min(player.room, s.ceiling) if s.ceiling else np.int64(player.room)


@rule
def drop_out_of_turn(s, seat, kind):
    """Give up a thing while somebody else is on turn (W9)."""
    player = s.players[seat]
    player.stock -= one(kind)
    give_up(s.now[0], kind)
    if s.open:
        give_up(s.past[0], kind)  # an open chain of the seat on turn knows nothing of this
    s.turns += 1
    if total(player.stock) <= most_things(s, player):
        s.surplus ^= bit(seat)
        if s.surplus == 0:
            s.ceiling = 0
    drop_void_trades(s)


@rule
def traders(s):
    """The set of seats that may trade now."""
    if s.seats < LEAST_TRADERS or s.owner != NOBODY:
        return 0
    return (bit(s.seats) - 1) ^ bit(s.turn)
