"""How a turn begins and ends, and the final score.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import bit
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.artificium.cards import cards_in, doubt, draw, draw_cards
from bottega.games.artificium.state import GOODS, KINDS, MARKET, MOST_SEATS, PLACES, TURN_END

TURNS = 4
HAND = 5
COINS_A_POINT = 4


@rule
def everybody(s):
    """The set of all seats."""
    return bit(s.seats) - 1


@rule
def publish(player):
    """Let the others see the resources and the coins as they are."""
    player.purse = player.coins
    for good in range(GOODS):
        player.board[good] = player.goods[good]


# The start


@rule
def start_turn(kit, s):
    """First player (A1), hands of five (A2), six cards at the market."""
    s.turn += 1
    s.first = first_player(s)
    for offset in range(s.seats):
        player = s.players[(s.first + offset) % s.seats]
        draw_cards(s, player, max(0, HAND - np.int64(player.held)))
    for place in range(PLACES):
        s.market[place] = draw(s)
    s.phase = MARKET
    s.passed = 0
    s.exchanged = 0
    s.actor = s.first


@rule
def first_player(s):
    """Fewest points; of tied players the first one clockwise from the last first player."""
    best = np.int64(s.first)
    for offset in range(s.seats):
        seat = (np.int64(s.first) + offset) % s.seats
        if s.players[seat].points < s.players[best].points:
            best = seat
    return best


# The end


@rule
def end_turn(kit, s):
    """Played cards are discarded; then all discard and sell in secret (A16).

    Not after the last turn: cards are worth nothing then, and everything is sold anyway.
    """
    for seat in range(s.seats):
        player = s.players[seat]
        for kind in range(KINDS):
            s.discards[kind] += player.front[kind]
            player.front[kind] = 0
    if s.turn == TURNS:
        final_score(kit, s)
        return
    s.phase = TURN_END
    s.passed = 0
    for seat in range(s.seats):
        if nothing_left(s.players[seat]):
            s.passed |= bit(seat)
    if s.passed == everybody(s):
        start_turn(kit, s)


@rule
def nothing_left(player):
    """Whether a player has neither cards nor resources."""
    things = np.int64(player.held)
    for good in range(GOODS):
        things += player.goods[good]
    return things == 0


@rule
def be_done(kit, s, seat):
    """The last seat to be done shows what all have discarded and sold."""
    s.passed |= bit(seat)
    s.turns += 1
    if s.passed != everybody(s):
        return
    s.shown += 1
    for other in range(s.seats):
        player = s.players[other]
        number = cards_in(player.front)
        for kind in range(KINDS):
            player.buried[kind] += player.front[kind]
            player.front[kind] = 0
        for knower in range(MOST_SEATS + 1):
            doubt(player, knower, number)
        player.held -= number
        publish(player)
    start_turn(kit, s)


@rule
def final_score(kit, s):
    """All resources are sold; each four coins are a point, without collecting (A17)."""
    for seat in range(s.seats):
        player = s.players[seat]
        for good in range(GOODS):
            player.coins += np.int64(player.goods[good]) * np.int64(kit.sell[good])
            player.goods[good] = 0
        player.points += player.coins // COINS_A_POINT
        publish(player)
    s.over = ENDED
