"""Building stages of the wonder and support buildings (W7, W10, W15, W16)."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit, count
from bottega.engine.lanes import lane, one, shortfall
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import PAY, SETTLE, STAGE
from bottega.games.one_card_wonder.paying import fits, has_choice, payable, usual_payment
from bottega.games.one_card_wonder.state import (
    BILLING,
    COMPLETING,
    KINDS,
    MAT_BUILDINGS,
    MATS,
    OBELISKS,
    PAYING,
    SLOTS,
    STAGES,
    WONDER_BUILDINGS,
)
from bottega.games.one_card_wonder.things import spend

# What is printed


@rule
def row_of(player, slot):
    """The row of the kit for the building in a slot: the mat's four, then the wonder's."""
    if slot < MAT_BUILDINGS:
        return np.int64(player.mat) * MAT_BUILDINGS + slot
    first = MATS * MAT_BUILDINGS + np.int64(player.wonder) * WONDER_BUILDINGS
    return first + slot - MAT_BUILDINGS


@rule
def price(kit, player, target):
    """What a stage, or the building in slot `target - STAGES`, costs this player. Savings never
    touch `?` or coins."""
    if target < STAGES:
        return shortfall(kit.stage_cost[player.wonder, target], player.stage_savings)
    return shortfall(kit.cost[row_of(player, target - STAGES)], player.building_savings)


@rule
def open_stages(kit, player):
    """The set of stages that may be built: not built yet, and all that point to them are."""
    stages = np.int64(player.stages)
    found = 0
    for stage in range(STAGES):
        missing = np.int64(kit.stage_needs[player.wonder, stage]) & ~stages
        found |= np.int64(missing == 0) << stage
    return found & ~stages & (bit(kit.stages[player.wonder]) - 1)


@rule
def count_need(kit, player):
    """Sum up what the stages not yet built cost."""
    player.need = 0
    for stage in range(kit.stages[player.wonder]):
        if player.stages >> stage & 1 == 0:
            player.need += price(kit, player, stage)


# What may be done


@rule
def legal_building(kit, middle, player, mask):
    """Open stages and buildings that the player can pay (W7); how many there are."""
    targets = 0 if middle.closed else open_stages(kit, player)
    if middle.built < player.per_build and count(player.buildings) < OBELISKS:
        targets |= (~np.int64(player.buildings) & (bit(SLOTS) - 1)) << STAGES
    found = 0
    for target in range(STAGES + SLOTS):
        if targets >> target & 1 and payable(player, price(kit, player, target)):
            allow(mask, STAGE + target)
            found += 1
    return found


@rule
def legal_payment(middle, player, mask):
    """The usual payment, or any single thing that fits (W10)."""
    allow(mask, SETTLE)
    for kind in range(KINDS):
        if lane(player.stock, kind) > lane(middle.paid, kind) and fits(
            player, middle.due, middle.paid + one(kind)
        ):
            allow(mask, PAY + kind)


# Doing it


@rule
def start_paying(kit, middle, player, target):
    """Build a stage, or the building in slot `target - STAGES`: first it is paid."""
    middle.target = target
    middle.due = price(kit, player, target)
    middle.paid = 0
    middle.phase = BILLING


@rule
def lay_down(middle, kind):
    """One thing of a payment."""
    middle.paid += one(kind)
    middle.phase = BILLING


@rule
def make_bill(middle, player):
    """Pay at once where there is nothing to choose, or no more; else ask (W10)."""
    middle.bill = usual_payment(player, middle.due, middle.paid)
    if middle.paid == middle.bill or not (
        middle.paid or has_choice(player, middle.due, middle.bill)
    ):
        hand_over(middle, player)
    else:
        middle.phase = PAYING


@rule
def hand_over(middle, player):
    """The payment leaves the mat before anything else happens (W14)."""
    spend(middle, player, middle.bill)
    middle.due = 0
    middle.paid = 0
    middle.bill = 0
    middle.phase = COMPLETING


@rule
def raise_stage(kit, s, player, stage):
    """Mark a stage as built; the last one wins (W15)."""
    player.stages |= bit(stage)
    s.now[0].raised += 1
    count_need(kit, player)
    if count(player.stages) == kit.stages[player.wonder]:
        s.over = ENDED


@rule
def finish_building(kit, middle, player, slot):
    """An obelisk marks the building; from now on its ability holds (W16)."""
    player.buildings |= bit(slot)
    middle.built += 1
    middle.closed = middle.raised > 0
    ability = kit.ability[row_of(player, slot)]
    player.stage_savings += ability.stage_savings
    player.building_savings += ability.building_savings
    player.drawn += ability.drawn
    player.kept += ability.kept
    player.claims += ability.claims
    player.per_build += ability.per_build
    player.singles |= ability.singles
    player.room += ability.room
    if ability.payee:
        add_substitute(player, ability)
    count_need(kit, player)


@rule
def add_substitute(player, ability):
    """A colour may be paid as others, but not as what those may be paid as (W18)."""
    player.stands_for[ability.payer] |= ability.payee
    player.versatile = 1
