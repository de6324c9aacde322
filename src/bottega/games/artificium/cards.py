"""Cards: drawing them, and what others know of a hand.

Compiled, like the rules, of which this is a part.
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from bottega.engine.bits import bit
from bottega.engine.chance import below
from bottega.engine.rule import rule
from bottega.games.artificium.state import EVERYBODY, KINDS, NO_CARD

MOST_KNOWN = 7  # cards of a kind that `known` can count


@rule
def cards_in(cards):
    """How many cards there are of all kinds."""
    number = np.int64(0)
    for kind in range(KINDS):
        number += cards[kind]
    return number


@rule
def nth_card(cards, number):
    """The kind of the n-th of some cards, counted from 0."""
    kind = 0
    while number >= cards[kind]:
        number -= cards[kind]
        kind += 1
    return kind


@rule
def draw(s):
    """A random card of the deck, which the discards renew; NO_CARD if there are none (A18)."""
    if s.left == 0:
        renew_deck(s)
        if s.left == 0:
            return NO_CARD
    kind = nth_card(s.deck, below(s, s.left))
    s.deck[kind] -= 1
    s.left -= 1
    return kind


@rule
def renew_deck(s):
    """All discards become the deck."""
    s.renewals += 1
    for kind in range(KINDS):
        s.deck[kind] = s.discards[kind]
        s.discards[kind] = 0
        for seat in range(s.seats):
            s.deck[kind] += s.players[seat].buried[kind]
            s.players[seat].buried[kind] = 0
        s.left += s.deck[kind]


@rule
def draw_cards(s, player, number):
    """Cards from the deck into the hand, as far as there are any."""
    for _ in range(number):
        kind = draw(s)
        if kind != NO_CARD:
            player.hand[kind] += 1
            player.held += 1


# What others know of a hand (A19)


@rule
def known(player, knower, card):
    """How many cards of a kind a seat is certain to be in a player's hand."""
    return player.known[knower] >> (3 * card) & MOST_KNOWN


@rule
def learn(player, knower, card):
    """One more card of the kind is certain."""
    if known(player, knower, card) < MOST_KNOWN:
        player.known[knower] += bit(3 * card)


@rule
def forget(player, knower, card):
    """One card of the kind has left, whether it was certain or not."""
    if known(player, knower, card) > 0:
        player.known[knower] -= bit(3 * card)


@rule
def doubt(player, knower, number):
    """Some cards have left unseen: of each kind so many fewer are certain."""
    for card in range(KINDS):
        gone = min(number, known(player, knower, card))
        player.known[knower] -= np.int64(gone) << (3 * card)


@rule
def seen_to_join(player, card):
    """Everybody sees a card go into a hand."""
    for knower in range(EVERYBODY + 1):
        learn(player, knower, card)


@rule
def seen_to_leave(player, card):
    """Everybody sees a card leave a hand."""
    for knower in range(EVERYBODY + 1):
        forget(player, knower, card)
