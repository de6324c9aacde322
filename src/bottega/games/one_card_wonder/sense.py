"""A quick estimate of who will win at One Card Wonder: who needs the fewest turns to finish.

What is missing is counted in cubes, and the cubes that one turn brings are estimated from the
bag, the supply and the player's buildings. Weights were chosen by play of greedy bots.
"""

from __future__ import annotations

import math

import numpy as np

from bottega.engine.bits import bit, count
from bottega.engine.lanes import at_least, lane, shortfall, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.building import price, row_of
from bottega.games.one_card_wonder.paying import substituted
from bottega.games.one_card_wonder.state import (
    ACTION_HEAD,
    ANY,
    BUILD_HEAD,
    CLAIM_HEAD,
    COIN,
    COLOURS,
    NO_HEAD,
    NO_LEADER,
    NO_WONDER,
    PRODUCE_HEAD,
    PROPOSED,
    SLOTS,
)
from bottega.games.one_card_wonder.things import CUBES

SPARE = 0.35  # what a cube that the wonder does not need is worth: half a coin, less the bother
MOST_SPARED = 0.5  # share of what is missing that spare cubes stand for: they must still be sold
COIN_WORTH = 1.1  # a coin is a cube of any colour
MISSING_COIN = 1.8  # a coin in a cost: two cubes and a part of a turn
BLOCKED = 0.08  # turns that a thing costs which could not be built with at once
CLAIM_WEIGHT = 0.2  # what the supply offers now may be gone when the turn comes
LAST_BUILD = 0.4  # a Build seldom uses the mat's places well
PER_BUILD = 0.85  # share of the mat's places that one Build uses well
SHARPNESS = 0.55  # how much a lead of one turn decides
LEADER_WORTH = 0.6  # turns that a leader saves, while hidden
REVEALED_WORTH = 0.9  # ... and while the others decide about it
EXPECTED = 1.0  # how probable a proposed trade is, if it helps both, divided by its size
DETOUR = 1e-4  # turns for a small step out of turn: who wants a trade goes straight to it
TEMPTING = 0.006  # what a trade must add to the chances of each side
START = 9.0  # turns for a wonder not yet chosen


@rule
def judge(kit, s, out):
    """Turns that each seat still needs, turned into chances."""
    for seat in range(s.seats):
        out[seat] = weight(kit, s, seat, s.players[seat].stock)
    busy = 0  # a seat makes one trade at a time
    for seat in range(s.seats):
        parties = bit(seat) | bit(s.players[seat].partner)
        if s.players[seat].trade == PROPOSED and busy & parties == 0:
            busy |= parties
            expect_trade(kit, s, seat, out)
    share = whole(s, out)
    for seat in range(s.seats):
        out[seat] /= share


@rule
def whole(s, out):
    """The sum of all weights."""
    share = 0.0
    for seat in range(s.seats):
        share += out[seat]
    return share


@rule
def weight(kit, s, seat, stock):
    """How a seat's chances compare with those of others, if it had these things."""
    turns = turns_left(kit, s, seat, stock)
    # Who is on turn sooner is ahead; an action that is chosen is as good as done.
    next_turn = np.int64(s.turn) + (s.now[0].head != NO_HEAD)
    turns += (seat + 2 * s.seats - next_turn) % s.seats / s.seats
    if seat != s.turn:
        turns += DETOUR * max(np.int64(s.decisions) - np.int64(s.turns), 0)
    if s.players[seat].leader != NO_LEADER:
        turns -= LEADER_WORTH
    elif seat == s.owner:
        turns -= REVEALED_WORTH
    return math.exp(-SHARPNESS * turns)


@rule
def expect_trade(kit, s, seat, out):
    """A trade that raises the chances of both sides may well be made, a small one sooner."""
    player = s.players[seat]
    partner = np.int64(player.partner)
    change = player.ask - player.give
    before = whole(s, out)
    mine = 0.0
    theirs = 0.0
    for side in range(2):
        who = partner if side else np.int64(seat)
        stock = s.players[partner].stock - change if side else player.stock + change
        theirs = weight(kit, s, who, stock)
        if side == 0:
            mine = theirs
    after = before + mine - out[seat] + theirs - out[partner]
    if player.give == 0 or player.ask == 0:
        return  # a gift helps one side only
    worthwhile = mine / after > out[seat] / before + TEMPTING
    if worthwhile and theirs / after > out[partner] / before + TEMPTING:
        expected = EXPECTED / (total(player.give) + total(player.ask))
        out[seat] += expected * (mine - out[seat])
        out[partner] += expected * (theirs - out[partner])


@rule
def turns_left(kit, s, seat, stock):
    """Turns until the wonder is complete: gathering what is missing, and building."""
    player = s.players[seat]
    if player.wonder == NO_WONDER:
        return START
    if player.need == 0:
        return 0.0
    middle = s.now[0]
    things = total(stock)
    missing = cubes_missing(player, stock, things)
    if middle.hand and seat == middle.actor:
        kept = total(middle.hand) - middle.left
        with_hand = cubes_missing(player, stock + middle.hand, things + kept)
        missing = max(missing - kept, with_hand)
    # More than the mat holds cannot be had ready at once.
    missing = max(missing, 1.0 * (total(player.need) - np.int64(player.room)))
    more = total(player.need) / (PER_BUILD * player.room)
    builds = LAST_BUILD + more
    gain, per_build = gains(kit, s, player, stock)
    missing = max(missing - max(more - 1.0, 0.0) * per_build, 0.0)  # the last comes too late
    blocked = total(stock) - ready(kit, player, stock)
    return missing / gain + builds + BLOCKED * blocked


@rule
def cubes_missing(player, stock, things):
    """How many cubes the cheapest way to finish still takes, if of the stock so many things are
    kept. What the mat has no room for is lost, spare cubes first."""
    need = player.need
    short = total(shortfall(need & CUBES, stock))
    if short and player.versatile:
        short -= substituted(player, need, stock)
    spare = total(stock & CUBES) - (total(need & CUBES) - short)  # cubes that no colour asks for
    spare -= max(things - np.int64(player.room), 0)
    coins = lane(stock, COIN) - lane(need, COIN)
    missing = short - COIN_WORTH * max(coins, 0) + MISSING_COIN * max(-coins, 0)
    wild = lane(need, ANY)
    missing = max(missing + max(wild - spare, 0), 0.0)
    return missing - min(SPARE * max(spare - wild, 0), MOST_SPARED * missing)


@rule
def ready(kit, player, stock):
    """How many things a Build could use at once, taking stages from the ground up."""
    built = np.int64(player.stages)
    left = stock
    wild = 0
    used = 0
    for stage in range(kit.stages[player.wonder]):
        needs = np.int64(kit.stage_needs[player.wonder, stage])
        if built >> stage & 1 == 0 and needs & ~built == 0:
            cost = price(kit, player, stage)
            own = cost & CUBES
            short = shortfall(own, left)
            coins = total(short) + lane(cost, COIN)
            size = total(cost)
            if coins <= lane(left, COIN) and size + wild <= total(left):
                left -= own - short + (coins << (8 * COIN))
                wild += lane(cost, ANY)
                used += size
                built |= bit(stage)
    return used


@rule
def gains(kit, s, player, stock):
    """Useful cubes that a turn brings, and those that come with each Build."""
    middle = s.now[0]
    wanted = wanted_colours(player, stock)
    share = count(wanted) / COLOURS
    produce = worth_of_draw(np.int64(player.drawn), np.int64(player.kept), share)
    claim = worth_of_claim(middle, player, stock)
    action = 0.0
    per_build = 0.0
    if player.buildings:
        for slot in range(SLOTS):
            if player.buildings >> slot & 1:
                ability = kit.ability[row_of(player, slot)]
                gift = worth_of_gift(middle, ability, wanted, share)
                if ability.head == PRODUCE_HEAD:
                    produce += gift
                elif ability.head == CLAIM_HEAD:
                    claim += gift
                elif ability.head == BUILD_HEAD:
                    per_build += 0.7 * gift
                elif ability.head == ACTION_HEAD:
                    action = max(action, worth_of_action(ability, gift, player, stock))
    best = max(produce, action)
    return best + CLAIM_WEIGHT * max(claim - best, 0.0), per_build


@rule
def wanted_colours(player, stock):
    """The set of colours that are still missing; all of them while `?` is open."""
    spare = total(shortfall(stock & CUBES, player.need))
    if lane(player.need, ANY) > spare:
        return 31
    wanted = at_least(shortfall(player.need & CUBES, stock), 1) & 31
    for colour in range(COLOURS):
        if player.stands_for[colour] & wanted:
            wanted |= 1 << colour
    return wanted


@rule
def worth_of_draw(drawn, kept, share):
    """Useful cubes among the best `kept` of `drawn` (a binomial), and a little for the others."""
    chance = (1.0 - share) ** drawn if share < 1.0 else 0.0
    odds = share / (1.0 - share) if share < 1.0 else 0.0
    useful = 0.0
    below = chance
    for hits in range(1, min(kept, drawn)):
        chance *= odds * (drawn - hits + 1) / hits
        useful += hits * chance
        below += chance
    useful += (1.0 - below) * min(kept, drawn)
    return useful + SPARE * (min(kept, drawn) - useful)


@rule
def worth_of_claim(middle, player, stock):
    """The best colour of the supply."""
    best = 0.0
    second = 0.0
    for colour in range(COLOURS):
        there = lane(middle.supply, colour)
        use = min(there, max(lane(player.need, colour) - lane(stock, colour), 0))
        worth = use + SPARE * (there - use)
        if worth > best:
            second = best
            best = worth
        elif worth > second:
            second = worth
    return best + (second if player.claims > 1 else 0.0)


@rule
def worth_of_gift(middle, ability, wanted, share):
    """Useful cubes that an ability gives each time."""
    worth = COIN_WORTH * lane(ability.named, COIN)
    named = ability.named & CUBES
    for colour in range(COLOURS):
        worth += lane(named, colour) * (1.0 if wanted >> colour & 1 else SPARE)
    worth += ability.draw * (share + SPARE * (1.0 - share))
    worth += 0.85 * min(ability.from_supply, total(middle.supply))
    return worth + ability.from_bag


@rule
def worth_of_action(ability, gift, player, stock):
    """Useful cubes of a new action; an exchange turns what is spare into what is missing."""
    if ability.times == 0:
        return gift
    if ability.pays_coin:
        coins = min(lane(stock, COIN), ability.times)
        return max(coins * (gift - COIN_WORTH), 0.0)
    spare = total(shortfall(stock & CUBES, player.need))
    return min(spare, ability.times) * max(gift - SPARE, 0.0)
