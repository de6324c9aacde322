"""The bots' decisions and whole games between them, compiled once for each game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bottega.bots.net import ask, likeliest
from bottega.engine.bits import bit, lowest, strike
from bottega.engine.chance import below, pick, seed_chance
from bottega.engine.compile import door, per_game
from bottega.engine.contract import PLACE, encode, invited, judge, legal, result, waiting
from bottega.engine.loops import any_action, begin, choices, decide, hide, note, nth_action
from bottega.engine.record import ENDED

RANDOM, GREEDY, LEARNED = 0, 1, 2  # kinds of players in compiled games

DEPTH = 12  # decisions of one chain that greedy looks through
GUEST_DEPTH = 5  # ... of one of a seat that is only invited
CLEARLY = 0.004  # what a guest's decision must add to its chances
GUESTS = 16  # one decision in so many is offered to a guest, if there are any
NOTHING = -1
NODES = 4000  # decisions that greedy tries before it stops going deeper
HURRIED = 30  # ... at a table of people, as long as it is interpreted
OTHERS = 64  # decisions that others may need to complete a simultaneous step
NARROW = 1e-3  # what a narrow loss counts beside a win: a bot that must lose plays on decently


class Scratch(NamedTuple):
    """What compiled bots work in; one for each thread."""

    tables: Any  # records: those of a chain that is tried; on the last one games are played
    masks: Any  # for each step of a chain
    chances: Any  # of each seat
    standing: Any
    choosers: Any  # break ties, decide for others, and play whole games


class Mind(NamedTuple):
    """A network, and what it works in."""

    seen: Any  # what a seat knows
    net: Any
    sheet: Any


@per_game
def worth(kit, s, seat, chances, standing):
    """How good a table is for a seat: its share of the win when ended, else its chances."""
    judge(kit, s, chances)
    if s.over != ENDED:
        return chances[seat]
    result(kit, s, standing)
    if standing[seat, PLACE] != 1:
        return NARROW * chances[seat]
    winners = 0
    for other in range(s.seats):
        winners += standing[other, PLACE] == 1
    return 1.0 / winners


@per_game
def let_others_decide(kit, s, seats, mask, chooser):
    """Complete a simultaneous step: the other seats that owed a decision take any.

    The reveal completes it. Going on would judge what others do at random as if they meant it.
    """
    shown = s.shown
    for _ in range(OTHERS):
        owing = waiting(kit, s) & seats
        if owing == 0 or s.over != 0 or s.shown != shown:
            return
        other = lowest(owing)
        legal(kit, s, other, mask)
        decide(kit, s, other, any_action(mask, chooser))


@per_game
def greedy(kit, root, seat, seed, most, scratch):
    """Of the decisions in `masks[0]`, the first one of the chain that leads to the table with the
    best judgement.

    All chains of the seat's small decisions are tried on one sample of what the seat cannot
    know. Where others decide at the same time, they decide at random, alike for each chain.
    """
    best, _ = best_chain(kit, root, seat, seed, most, scratch)
    return best


@per_game
def consider(kit, root, seat, seed, most, scratch):
    """What an invited seat does of `masks[0]`; NOTHING, unless it clearly helps."""
    best, found = best_chain(kit, root, seat, seed, most, scratch)
    before = worth(kit, scratch.tables[0], seat, scratch.chances, scratch.standing)
    return best if found > before + CLEARLY else NOTHING


@per_game
def best_chain(kit, root, seat, seed, most, scratch):
    """The first decision of the best chain, and what that chain is worth. After so many decisions
    tried (`most`), it goes no deeper."""
    tables, masks, choosers = scratch.tables, scratch.masks, scratch.choosers
    guest = waiting(kit, root) & bit(seat) == 0
    deepest = GUEST_DEPTH if guest else DEPTH
    if choices(masks[0]) == 1 and not guest:
        return nth_action(masks[0], 0), 0.0
    tables[0] = root
    hide(kit, tables[0], seat, seed)
    others = waiting(kit, tables[0]) & ~bit(seat)
    seed_chance(choosers[0], seed)  # breaks ties
    depth = 0
    nodes = 0
    first = -1
    best = -1
    best_worth = -1.0
    ties = 0
    while depth >= 0:
        if choices(masks[depth]) == 0:
            depth -= 1
            continue
        action = nth_action(masks[depth], 0)
        strike(masks[depth], action)
        if depth == 0:
            first = action
        tables[depth + 1] = tables[depth]
        s = tables[depth + 1]
        decide(kit, s, seat, action)
        nodes += 1
        asked = (waiting(kit, s) | invited(kit, s)) & bit(seat) != 0
        complete = s.turns != tables[0].turns or s.over != 0 or not asked
        if not complete and depth + 1 < deepest and nodes < most:
            depth += 1
            legal(kit, s, seat, masks[depth])
            continue
        if not guest:
            seed_chance(choosers[1], seed)
            let_others_decide(kit, s, others, masks[DEPTH], choosers[1])
        value = worth(kit, s, seat, scratch.chances, scratch.standing)
        if value > best_worth:
            best, best_worth, ties = first, value, 1
        elif value == best_worth:
            ties += 1
            if below(choosers[0], ties) == 0:
                best = first
    return best, best_worth


@door
def open_greedy(kits, table, seat, seed, most, scratch):
    return greedy(kits[0], table[0], seat, seed, most, scratch)


@door
def open_consider(kits, table, seat, seed, most, scratch):
    return consider(kits[0], table[0], seat, seed, most, scratch)


@per_game
def by_mind(kit, s, seat, mask, mind):
    """What the network would most likely do of a mask."""
    encode(kit, s, seat, mind.seen)
    ask(mind.net, mind.seen, mask, mind.sheet)
    return likeliest(mind.sheet.scores, mask)


@door
def open_mind(kits, table, seat, mask, mind):
    """Have the network say what it thinks; what it would most likely do."""
    return by_mind(kits[0], table[0], seat, mask, mind)


@per_game
def let_decide(kit, s, seat, kind, chooser, scratch, mind):
    """A seat that the table waits for decides, as its kind does."""
    mask = scratch.masks[0]
    legal(kit, s, seat, mask)
    if kind == GREEDY:
        world = np.uint64(below(chooser, 1 << 32))
        action = greedy(kit, s, seat, world, NODES, scratch)
    elif kind == LEARNED:
        action = by_mind(kit, s, seat, mask, mind)
    else:
        action = any_action(mask, chooser)
    decide(kit, s, seat, action)


@per_game
def let_guests_act(kit, s, first, kinds, chooser, scratch):
    """One guest may act; if it does, the others may answer, clockwise."""
    for offset in range(s.seats):
        seat = (first + offset) % np.int64(s.seats)
        turns = s.turns
        for _ in range(DEPTH):
            if s.over != 0 or s.turns != turns or invited(kit, s) & bit(seat) == 0:
                break
            legal(kit, s, seat, scratch.masks[0])
            if kinds[seat] == RANDOM:
                action = any_action(scratch.masks[0], chooser)
            else:
                world = np.uint64(below(chooser, 1 << 32))
                action = consider(kit, s, seat, world, NODES, scratch)
            if action == NOTHING:
                break
            decide(kit, s, seat, action)
        if s.turns == turns and offset == 0:
            return


@per_game
def games_between(
    kits,
    kinds,
    scratch,
    mind,
    blank,
    options,
    players,
    seed,
    limit,
    places,
    scores,
    lengths,
    ends,
):
    """Whole games between bots, `kinds[seat]` being RANDOM, GREEDY or LEARNED; the number of
    decisions.

    Game g is dealt from `seed + g`, and all its decisions follow from that. Seats that are only
    invited are asked now and then.
    """
    kit = kits[0]
    s = scratch.tables[DEPTH + 1]
    chooser = scratch.choosers[2]
    decisions = 0
    for g in range(lengths.shape[0]):
        number = seed + np.uint64(g)
        begin(kit, scratch.tables, DEPTH + 1, blank, players, number, options, limit)
        seed_chance(chooser, ~number)
        while s.over == 0:
            guests = invited(kit, s)
            if guests != 0 and below(chooser, GUESTS) == 0:
                let_guests_act(kit, s, pick(chooser, guests), kinds, chooser, scratch)
                continue
            seat = lowest(waiting(kit, s))
            let_decide(kit, s, seat, kinds[seat], chooser, scratch, mind)
        decisions += s.decisions
        note(kit, s, scratch.standing, g, places, scores, lengths, ends)
    return decisions
