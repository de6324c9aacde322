"""Abilities: what they give, and in which order (W9, W14)."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit, count, lowest
from bottega.engine.lanes import lane, one, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import DONE, DROP, SPEND, TAKE, TAKE_BAG, USE
from bottega.games.one_card_wonder.building import row_of
from bottega.games.one_card_wonder.state import (
    ACTION_HEAD,
    BUILDINGS,
    COIN,
    COLOURS,
    KINDS,
    LEADER_SLOT,
    ORDERING,
    OVERFLOW,
    RESOLVING,
    SLOTS,
    TAKING,
)
from bottega.games.one_card_wonder.things import (
    CUBES,
    confirm,
    draw_cube,
    give_up,
    spend,
    take_named,
)

NOTHING = -1


@rule
def trigger(kit, middle, player):
    """The abilities that go with the action of this turn come into play."""
    middle.pending = 0
    for slot in range(SLOTS):
        if player.buildings >> slot & 1:
            ability = kit.ability[row_of(player, slot)]
            if ability.head == middle.head and ability.stages <= middle.raised and gives(ability):
                middle.pending |= bit(slot)


@rule
def gives(ability):
    """Whether an ability gives things, and not only changes what an action does."""
    drawn_or_chosen = ability.draw + ability.from_supply + ability.from_bag
    return ability.named > 0 or drawn_or_chosen > 0


@rule
def receive(kit, s, player, row):
    """What an ability gives: named things, then draws; what is chosen is only noted."""
    ability = kit.ability[row]
    middle = s.now[0]
    take_named(middle, player, ability.named)
    if ability.draw and middle.bag:
        for _ in range(min(ability.draw, total(middle.bag))):
            player.stock += one(draw_cube(s))
        confirm(s)  # a draw is seen by all, so what led to it cannot be taken back
    middle.from_supply = ability.from_supply
    middle.from_bag = ability.from_bag


@rule
def resolve(kit, s, first):
    """Resolve what is pending, slot `first` before the others if it is not NOTHING, as far as
    nothing must be decided; whether all is resolved."""
    middle = s.now[0]
    player = s.players[middle.actor]
    while True:
        if middle.supply == 0:
            middle.from_supply = 0
        if middle.bag == 0:
            middle.from_bag = 0
        if middle.from_supply or middle.from_bag:
            middle.phase = TAKING
            return False
        if middle.pending == 0:
            break
        if first == NOTHING and order_matters(kit, player, middle.pending):
            middle.phase = ORDERING
            return False
        use(kit, s, player, lowest(middle.pending) if first == NOTHING else first)
        first = NOTHING
    if total(player.stock) > player.room:
        middle.phase = OVERFLOW
        return False
    return True


@rule
def use(kit, s, player, slot):
    """The ability of one slot, or of the leader, comes next."""
    s.now[0].pending ^= bit(slot)
    row = BUILDINGS + np.int64(s.leader) if slot == LEADER_SLOT else row_of(player, slot)
    receive(kit, s, player, row)


@rule
def order_matters(kit, player, pending):
    """Whether of several abilities one draws or chooses (W14)."""
    if count(np.int64(pending)) < 2:
        return False
    for slot in range(SLOTS):
        if pending >> slot & 1:
            ability = kit.ability[row_of(player, slot)]
            if ability.draw or ability.from_supply or ability.from_bag:
                return True
    return False


# New actions


@rule
def usable(kit, middle, player, slot):
    """Whether the slot holds a new action that would give something now."""
    ability = kit.ability[row_of(player, slot)]
    if player.buildings >> slot & 1 == 0 or ability.head != ACTION_HEAD:
        return False
    if ability.times:
        return can_exchange(ability, middle, player)
    named = ability.named & CUBES
    for colour in range(COLOURS):
        if lane(named, colour) and lane(middle.bag, colour):
            return True
    if lane(ability.named, COIN) and middle.coins:
        return True
    if (ability.draw or ability.from_bag) and middle.bag:
        return True
    return ability.from_supply > 0 and middle.supply != 0


@rule
def can_exchange(ability, middle, player):
    """Whether there is something to pay with and something to get."""
    able = (lane(player.stock, COIN) if ability.pays_coin else player.stock & CUBES) > 0
    if ability.from_supply:
        return able and middle.supply != 0
    return able and (middle.bag != 0 or not ability.pays_coin)


@rule
def exchange(kit, middle, player, kind):
    """Pay one thing; what is got for it is chosen next."""
    ability = kit.ability[row_of(player, middle.slot)]
    spend(middle, player, one(kind))
    middle.left -= 1
    middle.from_supply = ability.from_supply
    middle.from_bag = ability.from_bag
    middle.phase = RESOLVING


# What may be chosen


@rule
def legal_taking(middle, mask):
    """Cubes from the supply or the bag, or no more."""
    for colour in range(COLOURS):
        if middle.from_supply and lane(middle.supply, colour):
            allow(mask, TAKE + colour)
        if middle.from_bag and lane(middle.bag, colour):
            allow(mask, TAKE_BAG + colour)
    allow(mask, DONE)


@rule
def legal_order(middle, mask):
    """Which of the pending abilities comes next."""
    for slot in range(SLOTS):
        if middle.pending >> slot & 1:
            allow(mask, USE + slot)


@rule
def legal_exchange(kit, middle, player, mask):
    """What is paid; after the first time, one may stop."""
    ability = kit.ability[row_of(player, middle.slot)]
    for kind in range(KINDS):
        if lane(player.stock, kind) and (kind == COIN) == (ability.pays_coin > 0):
            allow(mask, SPEND + kind)
    if middle.left < ability.times:
        allow(mask, DONE)


@rule
def legal_drops(player, mask):
    """Anything on the mat may be given up (W9)."""
    for kind in range(KINDS):
        if lane(player.stock, kind):
            allow(mask, DROP + kind)


@rule
def drop(s, player, kind):
    """Give up one thing for want of room (W9). Everybody sees it: what is dropped one by one in
    any order would make chains that nobody can look through."""
    middle = s.now[0]
    player.stock -= one(kind)
    middle.given_up += one(kind)
    give_up(middle, kind)
    confirm(s)
    middle.phase = RESOLVING


@rule
def take_from_supply(middle, player, colour):
    """One cube of the player's choice from the supply."""
    middle.supply -= one(colour)
    player.stock += one(colour)
    middle.from_supply -= 1
    middle.phase = RESOLVING


@rule
def take_from_bag(middle, player, colour):
    """One cube of the player's choice from the bag."""
    middle.bag -= one(colour)
    player.stock += one(colour)
    middle.from_bag -= 1
    middle.phase = RESOLVING
