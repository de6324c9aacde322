"""The engine's loops and the doors from Python into the rules, compiled once for each game."""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import count, lowest, nth
from bottega.engine.chance import below, pick, seed_chance
from bottega.engine.compile import door, per_game
from bottega.engine.contract import (
    PLACE,
    SCORE,
    conceal,
    deal,
    encode,
    invited,
    judge,
    legal,
    play,
    result,
    waiting,
)
from bottega.engine.record import UNFINISHED
from bottega.engine.rule import rule

# A generator for decisions, apart from the table's own, so that who decides how never
# changes what the table draws. (The second field keeps Numba from taking a table for one.)
CHOOSER = np.dtype((np.record, [("rng", np.uint64), ("chooser", np.uint64)]))


GUESTS = 8  # in random play one decision in so many is a guest's, if there are any


@rule
def choices(mask):
    """How many actions a mask holds."""
    number = 0
    for word in range(mask.shape[0]):
        number += count(mask[word])
    return number


@rule
def nth_action(mask, n):
    """The n-th action of a mask, counted from 0."""
    last = mask.shape[0] - 1
    for word in range(last):
        here = count(mask[word])
        if n < here:
            return 64 * word + nth(mask[word], n)
        n -= here
    return 64 * last + nth(mask[last], n)


@rule
def any_action(mask, chooser):
    """A fair random action of a mask that is not empty."""
    return nth_action(mask, below(chooser, choices(mask)))


@per_game
def begin(kit, tables, i, blank, players, seed, options, limit):
    """Deal table i."""
    tables[i] = blank[0]
    deal(kit, tables[i], players, seed, options)
    tables[i].limit = limit


@per_game
def decide(kit, s, seat, action):
    """Play one decision, count it, and end the table when it reaches its limit."""
    play(kit, s, seat, action)
    s.decisions += 1
    if s.decisions == s.limit and s.over == 0:
        s.over = UNFINISHED


@per_game
def hide(kit, s, seat, seed):
    """Conceal what the seat cannot know. How many small steps others took is a part of it;
    complete turns are known."""
    conceal(kit, s, seat, seed)
    s.decisions = s.turns


@per_game
def note(kit, s, standing, g, places, scores, lengths, ends):
    """Write down how game g ended."""
    result(kit, s, standing)
    for seat in range(s.seats):
        places[g, seat] = standing[seat, PLACE]
        scores[g, seat] = standing[seat, SCORE]
    lengths[g] = s.decisions
    ends[g] = s.over


@per_game
def next_seat(kit, s, chooser):
    """Who decides next: the first seat that owes a decision, or now and then one that is invited.

    Where nobody ever is, the compiler leaves no trace of guests.
    """
    guests = invited(kit, s)
    if guests != 0 and below(chooser, GUESTS) == 0:
        return pick(chooser, guests)
    return lowest(waiting(kit, s))


@per_game
def playouts(
    kits,
    tables,
    blank,
    mask,
    choosers,
    standing,
    options,
    players,
    seed,
    limit,
    places,
    scores,
    lengths,
    ends,
):
    """Whole games of random legal play; the number of decisions.

    Game g is dealt from `seed + g`; `places[g]` and so on tell how it ended.
    """
    kit = kits[0]
    s = tables[0]
    chooser = choosers[0]
    decisions = 0
    for g in range(lengths.shape[0]):
        begin(kit, tables, 0, blank, players, seed + np.uint64(g), options, limit)
        seed_chance(chooser, ~(seed + np.uint64(g)))
        while s.over == 0:
            seat = next_seat(kit, s, chooser)
            legal(kit, s, seat, mask)
            decide(kit, s, seat, any_action(mask, chooser))
        decisions += s.decisions
        note(kit, s, standing, g, places, scores, lengths, ends)
    return decisions


# Doors from Python: each takes the kit and the table as arrays of one record.


@door
def open_begin(kits, tables, blank, players, seed, options, limit):
    begin(kits[0], tables, 0, blank, players, seed, options, limit)


@door
def open_waiting(kits, tables):
    return waiting(kits[0], tables[0])


@door
def open_invited(kits, tables):
    return invited(kits[0], tables[0])


@door
def open_legal(kits, tables, seat, mask):
    legal(kits[0], tables[0], seat, mask)


@door
def open_decide(kits, tables, seat, action):
    decide(kits[0], tables[0], seat, action)


@door
def open_result(kits, tables, out):
    result(kits[0], tables[0], out)


@door
def open_hide(kits, tables, seat, seed):
    hide(kits[0], tables[0], seat, seed)


@door
def open_judge(kits, tables, out):
    judge(kits[0], tables[0], out)


@door
def open_encode(kits, tables, seat, out):
    encode(kits[0], tables[0], seat, out)
