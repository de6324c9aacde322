"""Many tables side by side, compiled once for each game.

Most functions work on table i alone. Those whose names end in `all` are what a batch calls, on a
CPU core and on a GPU: `first` and `behind_last` say which of the tables are theirs. On a core that
is all they are given, on a GPU each thread has one (`kernels.py`).
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, allowed, bit, lowest, spread
from bottega.engine.compile import door, per_game
from bottega.engine.contract import PLACE, encode, invited, judge, legal, result, waiting
from bottega.engine.loops import any_action, begin, decide
from bottega.engine.record import ENDED, UNFINISHED, record_type
from bottega.engine.rule import rule

NOBODY = 255  # as `uninvited`: no seat is asked for being invited alone
NO_SEAT = -1  # in `seats`: the table is over
ILLEGAL = -2  # instead of a seat: the action is not allowed
DEAL, KEEP = -(1 << 62), 1 - (1 << 62)  # as actions: deal the next game, leave the table alone

# What the tables of a batch have in common, besides the kit and the options.
SETUP = record_type(
    [
        ("seed", np.uint64),  # of the first game at table 0; every other game has a later one
        ("first", np.int64),  # the number of the first table here, among all
        ("stride", np.int64),  # how many tables there are in all
        ("limit", np.int64),  # decisions after which a table ends unfinished
        ("actions", np.int64),  # of the game; the number behind the last lets an invitation pass
        ("players", np.uint8),
        ("uninvited", np.uint8),  # set of the seats that are not asked for being invited alone
        ("renew", np.uint8),  # whether a table that is over is dealt anew at once
    ]
)

# What is remembered beside each table.
NOTE = record_type(
    [
        ("games", np.int64),  # dealt so far
        ("asked", np.uint8),  # set of the seats that are not asked as guests, as things stand
        ("illegal", np.uint8),  # whether the table was ever given an illegal action
    ]
)


@per_game
def start(kit, setup, blank, options, tables, notes, seats, masks, i):
    """Deal the next game at table i and ask the first seat."""
    note = notes[i]
    seed = setup.seed + np.uint64(setup.first + i + setup.stride * note.games)
    begin(kit, tables, i, blank, np.int64(setup.players), seed, options, setup.limit)
    note.games += 1
    note.asked = setup.uninvited
    seats[i] = ask(kit, setup, tables[i], note, masks[i])


@per_game
def ask(kit, setup, s, note, mask):
    """Whom a table asks next; the mask is filled with what that seat may do.

    Guests, who may act though nothing waits for them, are asked first, once a turn.
    """
    for word in range(mask.shape[0]):
        mask[word] = np.uint64(0)
    if s.over != 0:
        return NO_SEAT
    guests = 0
    if setup.uninvited != NOBODY:
        guests = invited(kit, s) & ~np.int64(note.asked)
    seat = lowest(guests if guests != 0 else waiting(kit, s))
    legal(kit, s, seat, mask)
    if guests != 0:
        allow(mask, setup.actions)
    return seat


@per_game
def act(kit, setup, s, note, seat, action):
    """A seat decides, or lets its invitation pass. Guests are asked anew when a turn is complete
    and when one of them did something."""
    if action == setup.actions:
        note.asked |= bit(seat)
        return
    turns = s.turns
    guest = setup.uninvited != NOBODY and waiting(kit, s) & bit(seat) == 0
    decide(kit, s, seat, action)
    if guest or s.turns != turns:
        note.asked = setup.uninvited


@per_game
def step(
    kit,
    setup,
    blank,
    options,
    tables,
    notes,
    seats,
    masks,
    rewards,
    done,
    truncated,
    standings,
    actions,
    i,
):
    """The seat that table i asks carries out its action. A game that ends is settled, and the
    next one dealt."""
    s = tables[i]
    seat = seats[i]
    if actions[i] == KEEP:
        return
    done[i] = False
    truncated[i] = False
    for other in range(setup.players):
        rewards[i, other] = 0.0
    if actions[i] == DEAL:
        start(kit, setup, blank, options, tables, notes, seats, masks, i)
        return
    if seat == NO_SEAT:
        return
    if not may(setup, masks, actions, i):
        notes[i].illegal = 1
        return
    act(kit, setup, s, notes[i], seat, actions[i])
    if s.over != 0:
        done[i] = True
        truncated[i] = s.over == UNFINISHED
        settle(kit, s, standings[i], rewards[i])
        if setup.renew != 0:
            start(kit, setup, blank, options, tables, notes, seats, masks, i)
            return
    seats[i] = ask(kit, setup, s, notes[i], masks[i])


@rule
def may(setup, masks, actions, i):
    """Whether the action for table i is legal."""
    action = actions[i]
    if action < 0 or action > setup.actions or action >> 6 >= masks.shape[1]:
        return False
    return allowed(masks[i], action)


@per_game
def settle(kit, s, standing, rewards):
    """How a table that is over ended: the winners share 1, the others share -1. All tied, or
    unfinished: nothing. Alone: 1 or -1."""
    result(kit, s, standing)
    if s.over != ENDED:
        return
    players = np.int64(s.seats)
    winners = 0
    for seat in range(players):
        winners += standing[seat, PLACE] == 1
    losers = players - winners
    for seat in range(players):
        if standing[seat, PLACE] != 1:
            rewards[seat] = -1.0 / losers
        elif losers > 0 or players == 1:
            rewards[seat] = 1.0 / winners


# Doors from Python, for one table


@door
def open_turn(kits, setups, tables, notes, mask, seat, action):
    """The seat that is asked decides (KEEP: nothing); whom the table asks then, with the mask of
    what that one may do. ILLEGAL, and nothing is changed, if the seat may not do that."""
    setup = setups[0]
    if action != KEEP:
        if action < 0 or action >> 6 >= mask.shape[0] or not allowed(mask, action):
            return ILLEGAL
        act(kits[0], setup, tables[0], notes[0], seat, action)
    return ask(kits[0], setup, tables[0], notes[0], mask)


@door
def open_settle(kits, tables, standing, rewards):
    settle(kits[0], tables[0], standing, rewards)


# All tables


@rule
def first():
    """The first table that is worked on here."""
    return 0


@rule
def behind_last(number):
    """The end of the tables that are worked on here."""
    return number


@per_game
def step_all(
    kits,
    setups,
    blank,
    options,
    tables,
    notes,
    seats,
    masks,
    rewards,
    done,
    truncated,
    standings,
    actions,
):
    """Step all tables."""
    for i in range(first(), behind_last(tables.shape[0])):
        step(
            kits[0],
            setups[0],
            blank,
            options,
            tables,
            notes,
            seats,
            masks,
            rewards,
            done,
            truncated,
            standings,
            actions,
            i,
        )


@per_game
def observe_all(kits, tables, seats, observations):
    """Encode what the seat that each table asks knows. At a table that is over nothing is
    written."""
    for i in range(first(), behind_last(tables.shape[0])):
        if seats[i] != NO_SEAT:
            encode(kits[0], tables[i], seats[i], observations[i])


@per_game
def appraise_all(kits, tables, chances):
    """A quick estimate of what each seat's chances are at each table."""
    for i in range(first(), behind_last(tables.shape[0])):
        judge(kits[0], tables[i], chances[i])


@per_game
def choose_all(seats, masks, choosers, actions):
    """A fair random action for the seat that each table asks."""
    for i in range(first(), behind_last(actions.shape[0])):
        if seats[i] != NO_SEAT:
            actions[i] = any_action(masks[i], choosers[i])


# Before and after, on a CPU core


@per_game
def first_illegal(setups, seats, masks, actions):
    """The first table whose action is illegal; -1 if there is none."""
    for i in range(actions.shape[0]):
        if seats[i] != NO_SEAT and actions[i] != KEEP and not may(setups[0], masks, actions, i):
            return i
    return -1


@per_game
def unpack_range(masks, flags):
    """All masks as truth values of a byte each, eight at a time: flags are words here."""
    for i in range(flags.shape[0]):
        for eight in range(flags.shape[1]):
            flags[i, eight] = spread(masks[i, eight >> 3] >> np.uint64(8 * (eight & 7)))
