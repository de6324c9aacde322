"""Building stages of the wonder and support buildings (W7, W10, W15, W16)."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit, count
from bottega.engine.lanes import lane, one, shortfall, total
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import BUILD, DONE, PAY, SETTLE, STAGE
from bottega.games.one_card_wonder.paying import fits, has_choice, payable, usual_payment
from bottega.games.one_card_wonder.state import (
    BUILDING,
    COLOURS,
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
def stage_price(kit, player, stage):
    """What a stage costs this player; savings never touch `?` or coins."""
    return shortfall(kit.stage_cost[player.wonder, stage], player.stage_savings)


@rule
def building_price(kit, player, slot):
    """What a building costs this player."""
    return shortfall(kit.cost[row_of(player, slot)], player.building_savings)


@rule
def open_stages(kit, player):
    """The set of stages that may be built: not built yet, and all that point to them are."""
    stages = np.int64(player.stages)
    found = 0
    for stage in range(kit.stages[player.wonder]):
        missing = np.int64(kit.stage_needs[player.wonder, stage]) & ~stages
        if missing == 0 and stages >> stage & 1 == 0:
            found |= bit(stage)
    return found


@rule
def count_need(kit, player):
    """Sum up what the stages not yet built cost."""
    player.need = 0
    for stage in range(kit.stages[player.wonder]):
        if player.stages >> stage & 1 == 0:
            player.need += stage_price(kit, player, stage)


# What may be done


@rule
def legal_building(kit, middle, player, mask):
    """Open stages and buildings that the player can pay (W7); how many there are."""
    found = 0
    if not middle.closed:
        stages = open_stages(kit, player)
        for stage in range(STAGES):
            if stages >> stage & 1 and payable(player, stage_price(kit, player, stage)):
                allow(mask, STAGE + stage)
                found += 1
    if middle.built < player.per_build and count(player.buildings) < OBELISKS:
        for slot in range(SLOTS):
            if player.buildings >> slot & 1 == 0 and payable(
                player, building_price(kit, player, slot)
            ):
                allow(mask, BUILD + slot)
                found += 1
    return found


@rule
def legal_build(kit, middle, player, mask):
    """Go on building, or be done."""
    legal_building(kit, middle, player, mask)
    allow(mask, DONE)


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
def start_paying(middle, player, target, cost):
    """Pay at once where there is no choice, else ask (W10); whether it is paid."""
    middle.target = target
    middle.due = cost
    middle.paid = 0
    middle.bill = usual_payment(player, cost, 0)
    if has_choice(player, cost, middle.bill):
        middle.phase = PAYING
        return False
    hand_over(middle, player)
    return True


@rule
def lay_down(middle, player, kind):
    """One thing of a payment; whether it is the last one."""
    middle.paid += one(kind)
    middle.bill = usual_payment(player, middle.due, middle.paid)
    return total(middle.paid) == total(middle.due)


@rule
def hand_over(middle, player):
    """The payment leaves the mat before anything else happens (W14)."""
    spend(middle, player, middle.bill)
    middle.due = 0
    middle.paid = 0
    middle.bill = 0
    middle.phase = BUILDING


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
    """A colour may be paid as others, and whatever stands for it may be, too."""
    player.stands_for[ability.payer] |= ability.payee
    player.versatile = 1
    for _ in range(COLOURS):
        for colour in range(COLOURS):
            for other in range(COLOURS):
                if player.stands_for[colour] >> other & 1:
                    player.stands_for[colour] |= player.stands_for[other]
    for colour in range(COLOURS):
        player.stands_for[colour] &= 31 ^ bit(colour)
