"""Paying (W10): a colour with that colour or a coin, `?` with anything, a coin with a coin.

A payment is a heap of things without an order. It *fits* a cost if each thing can be laid on a
symbol of its own; whatever fits can be completed to a whole payment by anybody who can pay the
cost at all, so a player may lay down things one by one.
"""

from __future__ import annotations

from bottega.engine.lanes import at_least, lane, one, shortfall, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.state import ANY, COIN, COLOURS, KINDS
from bottega.games.one_card_wonder.things import CUBES

OWN_COLOUR = 100  # a colour is paid with that colour first


@rule
def payable(player, cost):
    """Whether the player's things cover a cost."""
    missing = total(shortfall(cost & CUBES, player.stock))
    if missing and player.versatile:
        missing -= substituted(player, cost, player.stock)
    enough_coins = missing + lane(cost, COIN) <= lane(player.stock, COIN)
    return enough_coins and total(player.stock) >= total(cost)


@rule
def lies_on(cost, paid, substitutes):
    """Whether each thing of a payment has a symbol of its own, some cubes being substitutes."""
    stray = total(shortfall(paid & CUBES, cost)) - substitutes
    return stray <= lane(cost, ANY) and total(paid) <= total(cost)


@rule
def fits(player, cost, paid):
    """Whether a payment of the player for a stage or a building can be completed."""
    return lies_on(cost, paid, substituted(player, cost, paid) if player.versatile else 0)


@rule
def substituted(player, cost, things):
    """How many missing colours other cubes can stand for, thanks to buildings.

    The most that can be matched is the least, over all sets of missing colours, of the cubes
    that can stand for one in the set plus what is missing outside it (Hall's theorem).
    """
    short = shortfall(cost & CUBES, things)
    extra = shortfall(things & CUBES, cost)
    missing = at_least(short, 1) & 31
    most = total(short)
    chosen = missing
    while chosen:
        matched = 0
        for colour in range(COLOURS):
            if chosen >> colour & 1 == 0:
                matched += lane(short, colour)
            if player.stands_for[colour] & chosen:
                matched += lane(extra, colour)
        most = min(most, matched)
        chosen = (chosen - 1) & missing
    return most


@rule
def usual_payment(player, cost, paid):
    """A payment completed with the fewest coins; `?` takes what the player has most of."""
    payment = paid
    while total(payment) < total(cost):
        best = COIN
        most = 0
        for colour in range(COLOURS):
            left = lane(player.stock, colour) - lane(payment, colour)
            if left > 0 and lane(cost, colour) > lane(payment, colour):
                left += OWN_COLOUR
            if left > most and fits(player, cost, payment + one(colour)):
                best = colour
                most = left
        payment += one(best)
    return payment


@rule
def has_choice(player, cost, payment):
    """Whether another payment than this complete one is possible: some thing exchanged."""
    if total(player.stock) == total(cost):
        return False
    for instead in range(KINDS):
        if lane(player.stock, instead) > lane(payment, instead):
            for kind in range(KINDS):
                swapped = payment + one(instead)
                if (
                    kind != instead
                    and lane(payment, kind)
                    and fits(player, cost, swapped - one(kind))
                ):
                    return True
    return False
