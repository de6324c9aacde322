"""Leaders (W13): revealed, defeated together or acted out."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.lanes import lane, one, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import DONE, GLOBE, NAME, PAY, STAGE
from bottega.games.one_card_wonder.building import open_stages
from bottega.games.one_card_wonder.paying import lies_on
from bottega.games.one_card_wonder.state import (
    ASKING,
    BUILDINGS,
    COIN,
    COLOURS,
    KINDS,
    LEADER_SLOT,
    NAMING,
    NO_LEADER,
    NOBODY,
    PLEDGING,
    RAISING,
    RESOLVING,
    STAGES,
)
from bottega.games.one_card_wonder.things import confirm, take_back

FEW = 3  # players, up to whom the globe counts


@rule
def reveal(kit, s, seat):
    """Turn the leader over. What the seat on turn had begun but not confirmed is undone."""
    if s.open:
        take_back(s)
    player = s.players[seat]
    middle = s.now[0]
    s.leader = player.leader
    s.revealed |= bit(player.leader)
    s.hidden ^= bit(seat)
    s.owner = seat
    s.shown += 1
    player.leader = NO_LEADER
    s.before_leader = middle.phase
    middle.phase = ASKING
    middle.actor = seat
    middle.due = kit.defeat[s.leader]
    middle.paid = 0
    middle.globe = 0
    confirm(s)


@rule
def ask_next(kit, s):
    """Ask the next seat clockwise that could pay a part; without one, the leader acts."""
    middle = s.now[0]
    while True:
        middle.actor = (np.int64(middle.actor) + 1) % s.seats
        if middle.actor == s.owner:
            act_out(kit, s)
            return
        if may_help(kit, s, s.players[middle.actor]):
            middle.phase = PLEDGING
            return


@rule
def may_help(kit, s, player):
    """Whether the seat could pay a part of the cost."""
    for kind in range(KINDS):
        if may_pledge(s.now[0], player, kind) or (kind < COLOURS and may_use_globe(kit, s, kind)):
            return True
    return False


@rule
def may_pledge(middle, player, kind):
    """Whether a thing the seat still has would count towards the cost."""
    return lane(player.stock, kind) > lane(player.pledge, kind) and lies_on(
        middle.due, middle.paid + one(kind), 0
    )


@rule
def may_use_globe(kit, s, colour):
    """With two or three players one cube of the cost may come from the supply."""
    middle = s.now[0]
    return (
        kit.globe[s.leader] > 0
        and s.seats <= FEW
        and middle.globe == 0
        and lane(middle.supply, colour) > 0
        and lies_on(middle.due, middle.paid + one(colour), 0)
    )


@rule
def legal_pledges(kit, s, player, mask):
    """Pay a part of the cost, or leave it at that."""
    for kind in range(KINDS):
        if may_pledge(s.now[0], player, kind):
            allow(mask, PAY + kind)
    for colour in range(COLOURS):
        if may_use_globe(kit, s, colour):
            allow(mask, GLOBE + colour)
    allow(mask, DONE)


@rule
def pledge(middle, player, kind):
    """Offer one thing; it changes hands only when the whole cost is offered."""
    player.pledge += one(kind)
    middle.paid += one(kind)


@rule
def use_globe(middle, colour):
    """Let one cube of the cost come from the supply."""
    middle.globe = colour + 1
    middle.paid += one(colour)


@rule
def finish_pledge(s):
    """A seat has decided what it offers; when the whole cost is there, the leader is defeated."""
    confirm(s)
    s.now[0].phase = ASKING
    if total(s.now[0].paid) == total(s.now[0].due):
        pay_tribute(s)


@rule
def pay_tribute(s):
    """Everybody hands over what they offered; it goes to the leader's owner."""
    middle = s.now[0]
    owner = s.players[s.owner]
    for seat in range(s.seats):
        s.players[seat].stock -= s.players[seat].pledge
        s.players[seat].pledge = 0
    if middle.globe:
        middle.supply -= one(np.int64(middle.globe) - 1)
    owner.stock += middle.paid
    middle.actor = s.owner
    middle.resume = PLEDGING
    middle.phase = RESOLVING


@rule
def act_out(kit, s):
    """Nobody defeats the leader: its effect happens, as far as the owner need not choose."""
    middle = s.now[0]
    owner = s.players[s.owner]
    ability = kit.ability[BUILDINGS + s.leader]
    middle.actor = s.owner
    middle.resume = PLEDGING
    owner.room += ability.room
    if ability.sweep:
        owner.stock += middle.supply
        middle.supply = 0
    for seat in range(s.seats):
        if seat != s.owner:
            hinder(s, ability, seat)
    if ability.ban:
        middle.phase = NAMING
    elif ability.free_stages:
        middle.phase = RAISING
    else:
        middle.pending = bit(LEADER_SLOT)
        middle.phase = RESOLVING


@rule
def hinder(s, ability, seat):
    """What a leader does to a player who is not its owner."""
    player = s.players[seat]
    coins = min(np.int64(ability.levy), lane(player.stock, COIN))
    player.stock -= coins * one(COIN)
    s.players[s.owner].stock += coins * one(COIN)
    if ability.ceiling and total(player.stock) > ability.ceiling:
        s.surplus |= bit(seat)
        s.ceiling = ability.ceiling


@rule
def legal_names(mask):
    """Any colour."""
    for colour in range(COLOURS):
        allow(mask, NAME + colour)


@rule
def ban(s, colour):
    """Everybody but the owner puts all cubes of the colour on the supply."""
    for seat in range(s.seats):
        if seat != s.owner:
            cubes = lane(s.players[seat].stock, colour) * one(colour)
            s.players[seat].stock -= cubes
            s.now[0].supply += cubes
    s.now[0].phase = RESOLVING


@rule
def legal_raising(kit, player, mask):
    """Any open stage."""
    stages = open_stages(kit, player)
    for stage in range(STAGES):
        if stages >> stage & 1:
            allow(mask, STAGE + stage)


@rule
def dismiss(s):
    """The leader goes back to the box; play goes on where it paused."""
    middle = s.now[0]
    for seat in range(s.seats):
        s.players[seat].pledge = 0
    s.leader = NO_LEADER
    s.owner = NOBODY
    middle.due = 0
    middle.paid = 0
    middle.globe = 0
    middle.raised = 0
    middle.resume = 0
    middle.actor = s.turn
    middle.phase = s.before_leader
    s.before_leader = 0
    confirm(s)
