"""What the cards do to their targets.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow
from bottega.engine.chance import below
from bottega.engine.rule import rule
from bottega.games.artificium.actions import AGAINST, RESOLVE, RETURN, STEAL
from bottega.games.artificium.cards import (
    cards_in,
    doubt,
    draw_cards,
    forget,
    known,
    learn,
    nth_card,
    seen_to_join,
)
from bottega.games.artificium.state import (
    COIN,
    EXPLORATION,
    FAIR,
    GOODS,
    KINDS,
    KNIGHT,
    MOST_SEATS,
    RECONSTRUCTION,
    THE_WIZARD,
    THEFT,
    WIZARD,
)

# Which targets there are


@rule
def legal_resolutions(kit, s, seat, player, mask):
    """Every way to resolve the revealed card; none if its cost or target is missing (A15)."""
    card = player.card
    if not affordable(kit, player, card):
        return
    effect = kit.effect[card]
    if effect == RECONSTRUCTION:
        legal_returns(kit, player, mask)
    elif effect in (EXPLORATION, KNIGHT, THEFT):
        for other in range(s.seats):
            if other != seat:
                legal_targets(kit, player, other, s.players[other], effect, mask)
    else:
        allow(mask, RESOLVE)


@rule
def affordable(kit, player, card):
    """Whether the player has what a card takes."""
    enough = player.coins >= kit.takes[card, COIN]
    for good in range(GOODS):
        enough = enough and player.goods[good] >= kit.takes[card, good]
    return enough


@rule
def legal_returns(kit, player, mask):
    """Any card lying in front (A11) but another Reconstruction (A20)."""
    for kind in range(KINDS):
        if player.front[kind] and kit.effect[kind] != RECONSTRUCTION:
            allow(mask, RETURN + kind)


@rule
def legal_targets(kit, player, other, victim, effect, mask):
    """What may be done to one opponent: with Exploration (A9), Theft (A10), a Knight (A14)."""
    if effect == KNIGHT or (effect == EXPLORATION and victim.held > 0):
        allow(mask, AGAINST + other)
    elif effect == THEFT:
        coins = np.int64(player.coins) - np.int64(kit.takes[player.card, COIN])
        for good in range(GOODS):
            price = kit.amount[player.card, kit.level[good]]
            if victim.goods[good] and price and price <= coins:
                allow(mask, STEAL + MOST_SEATS * good + other)


# What happens to them


@rule
def take_effect(kit, s, seat, player, card, action):
    """The effect of a card on its target."""
    effect = kit.effect[card]
    if effect == EXPLORATION:
        explore(s, seat, player, action - AGAINST)
    elif effect == THEFT:
        good = (action - STEAL) // MOST_SEATS
        steal(player, s.players[(action - STEAL) % MOST_SEATS], good)
        player.coins -= kit.amount[card, kit.level[good]]
    elif effect == RECONSTRUCTION:
        reconstruct(player, action - RETURN)
    elif effect == FAIR:
        player.coins += np.int64(kit.amount[card, 0]) * cards_in(player.front)
    elif effect == THE_WIZARD:
        draw_cards(s, player, kit.amount[card, 0])
        s.due = min(kit.amount[card, 1], player.held)
        if s.due:
            s.phase = WIZARD
    elif effect == KNIGHT:
        victim = s.players[action - AGAINST]
        victim.points = max(0, np.int64(victim.points) - np.int64(kit.amount[card, 0]))


@rule
def explore(s, seat, player, other):
    """A random card of an opponent's hand; the opponent draws a new one (A9)."""
    victim = s.players[other]
    card = nth_card(victim.hand, below(s, victim.held))
    for knower in range(MOST_SEATS + 1):
        if knower == seat:
            forget(victim, knower, card)
            continue
        # Nobody else saw the card, unless all in that hand are known to be alike.
        if knower == other or known(victim, knower, card) == victim.held:
            learn(player, knower, card)
        doubt(victim, knower, 1)
    victim.hand[card] -= 1
    victim.held -= 1
    player.hand[card] += 1
    player.held += 1
    draw_cards(s, victim, 1)


@rule
def steal(player, victim, good):
    """One resource from board to board (A10)."""
    victim.goods[good] -= 1
    victim.board[good] -= 1
    player.goods[good] += 1


@rule
def reconstruct(player, card):
    """A card resolved earlier this turn returns to the hand (A11)."""
    player.front[card] -= 1
    player.hand[card] += 1
    player.held += 1
    seen_to_join(player, card)
