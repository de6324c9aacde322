"""Setting up (W1 to W3): cubes, the draft of the wonders, the choice of the mats."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.chance import pick, seed_chance
from bottega.engine.lanes import lane, one, pack
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.actions import CHOOSE, PICK
from bottega.games.one_card_wonder.building import count_need
from bottega.games.one_card_wonder.state import (
    ACT,
    COINS,
    COLOURS,
    DRAFT,
    LEADERS,
    MATS,
    MATS_CHOICE,
    NO_HEAD,
    NO_LEADER,
    NO_MAT,
    NO_WONDER,
    NOBODY,
    OFFERS,
    ROOM,
    WONDERS,
)
from bottega.games.one_card_wonder.things import draw_cube

CUBES_OF_EACH = np.array([0, 0, 6, 8, 10, 10, 12])  # by the number of players (W1)
ONE_OF_EACH = pack([1] * COLOURS)

# What the options mean to the rules.
RANDOM_DRAFT = 1
HIGHEST = 3  # complexity
DRAWN, KEPT = 3, 2  # cubes of a Produce (W5)


@rule
def deal(kit, s, players, seed, options):
    """A fresh table. Wonders are filled from the bag first (W1)."""
    seed_chance(s, seed)
    s.seats = players
    s.owner = NOBODY
    s.leader = NO_LEADER
    middle = s.now[0]
    middle.bag = CUBES_OF_EACH[players] * ONE_OF_EACH
    middle.coins = COINS
    for seat in range(players):
        prepare(s.players[seat])
    offer_wonders(kit, s, options[1])
    deal_mats(s)
    if options[2]:
        deal_leaders(s)
    middle.head = NO_HEAD
    middle.phase = DRAFT
    middle.actor = players - 1  # the one to the right of the starting player, seat 0 (W2)
    if options[0] == RANDOM_DRAFT:
        for seat in range(players - 1, -1, -1):
            pick_wonder(kit, s, seat, seat)
        for seat in range(players):
            s.players[seat].chosen = 1
        reveal_mats(s)


@rule
def prepare(player):
    """What every player begins with."""
    player.wonder = NO_WONDER
    player.mat = NO_MAT
    player.leader = NO_LEADER
    player.room = ROOM
    player.drawn = DRAWN
    player.kept = KEPT
    player.claims = 1
    player.per_build = 1


@rule
def offer_wonders(kit, s, complexity):
    """One wonder more than players, each with two cubes, all of one complexity if there are
    enough (W2)."""
    pool = of_complexity(kit, complexity)
    s.complexity = complexity
    for place in range(OFFERS):
        s.wonders[place] = NO_WONDER
        if place <= s.seats:
            if pool == 0:
                pool = of_complexity(kit, next_complexity(complexity))
            wonder = pick(s, pool)
            pool ^= bit(wonder)
            s.wonders[place] = wonder
            s.gifts[place] = one(draw_cube(s)) + one(draw_cube(s))


@rule
def of_complexity(kit, complexity):
    """The set of the wonders of a complexity; of all for 0."""
    pool = 0
    for wonder in range(WONDERS):
        if complexity == 0 or kit.complexity[wonder] == complexity:
            pool |= bit(wonder)
    return pool


@rule
def next_complexity(complexity):
    """What joins where wonders of a complexity are too few: the next higher, beside the highest
    the next lower."""
    return complexity + 1 if complexity < HIGHEST else complexity - 1


@rule
def deal_mats(s):
    """Two mats to everybody, seen by that player alone (W3)."""
    pool = bit(MATS) - 1
    for seat in range(s.seats):
        for which in range(2):
            mat = pick(s, pool)
            pool ^= bit(mat)
            s.players[seat].dealt[which] = mat


@rule
def deal_leaders(s):
    """One hidden leader to everybody (W13)."""
    pool = bit(LEADERS) - 1
    for seat in range(s.seats):
        leader = pick(s, pool)
        pool ^= bit(leader)
        s.players[seat].leader = leader
    s.hidden = bit(s.seats) - 1


@rule
def legal_picks(s, mask):
    """Any wonder still on offer."""
    for place in range(OFFERS):
        if s.wonders[place] != NO_WONDER:
            allow(mask, PICK + place)


@rule
def pick_wonder(kit, s, seat, place):
    """Take a wonder with its cubes; counter-clockwise, the starting player last (W2)."""
    player = s.players[seat]
    middle = s.now[0]
    player.wonder = s.wonders[place]
    player.stock = s.gifts[place]
    count_need(kit, player)
    s.wonders[place] = NO_WONDER
    s.gifts[place] = 0
    if seat > 0:
        middle.actor = seat - 1
        return
    for left in range(OFFERS):
        middle.bag += s.gifts[left]
        s.gifts[left] = 0
        s.wonders[left] = NO_WONDER
    fill_supply(middle)
    middle.phase = MATS_CHOICE


@rule
def fill_supply(middle):
    """One cube of each colour that the bag has (W1)."""
    for colour in range(COLOURS):
        if lane(middle.bag, colour):
            middle.bag -= one(colour)
            middle.supply += one(colour)


@rule
def choosing_mats(s):
    """The set of seats that have not chosen a mat yet."""
    seats = 0
    for seat in range(s.seats):
        if s.players[seat].chosen == 0:
            seats |= bit(seat)
    return seats


@rule
def legal_mats(mask):
    """One of the two mats."""
    allow(mask, CHOOSE)
    allow(mask, CHOOSE + 1)


@rule
def choose_mat(s, seat, which):
    """Seal the choice; the last one reveals all (W3)."""
    s.players[seat].chosen = which + 1
    if choosing_mats(s) == 0:
        s.shown += 1
        reveal_mats(s)


@rule
def reveal_mats(s):
    """The chosen mats are laid out, the others go back to the box unseen; seat 0 begins (W4)."""
    for seat in range(s.seats):
        player = s.players[seat]
        player.mat = player.dealt[player.chosen - 1]
        player.dealt[0] = NO_MAT
        player.dealt[1] = NO_MAT
        player.chosen = 0
    s.now[0].phase = ACT
    s.now[0].actor = 0
