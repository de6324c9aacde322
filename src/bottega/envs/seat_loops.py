"""One seat against bots, at many tables side by side, compiled once for each game."""

from __future__ import annotations

import numpy as np

from bottega.bots.loops import let_decide
from bottega.engine.bits import allowed, bit, lowest
from bottega.engine.chance import below
from bottega.engine.compile import per_game
from bottega.engine.contract import encode, legal, waiting
from bottega.engine.loops import begin, decide
from bottega.engine.record import ENDED, UNFINISHED
from bottega.envs.loops import settle

ANY_SEAT = -1  # as `place`: the agent's seat is drawn for each game


@per_game
def bots_play(kit, s, seat, kinds, chooser, scratch, mind):
    """The bots decide until the table waits for the seat or is over.

    `kinds[n]`: what sits n places after the seat, clockwise.
    """
    players = np.int64(s.seats)
    while s.over == 0 and waiting(kit, s) & bit(seat) == 0:
        other = lowest(waiting(kit, s))
        kind = kinds[(other - seat + players) % players]
        let_decide(kit, s, other, kind, chooser, scratch, mind)


@per_game
def open_game(kit, setup, blank, options, tables, notes, seats, choosers, place, i):
    """Deal the next game at table i and seat the agent."""
    note = notes[i]
    seed = setup.seed + np.uint64(setup.first + i + setup.stride * note.games)
    players = np.int64(setup.players)
    begin(kit, tables, i, blank, players, seed, options, setup.limit)
    note.games += 1
    seats[i] = below(choosers[i], players) if place == ANY_SEAT else place


@per_game
def seat_steps(
    kits,
    setups,
    blank,
    options,
    kinds,
    place,
    fresh,
    tables,
    notes,
    seats,
    masks,
    rewards,
    terminated,
    truncated,
    observations,
    choosers,
    actions,
    scratch,
    mind,
    gains,
):
    """The agent's next decision at each table, answered by the bots.

    A table that was over before, and every one when `fresh`, is dealt anew instead. An illegal
    action ends the game: the agent has lost.
    """
    kit = kits[0]
    setup = setups[0]
    for i in range(tables.shape[0]):
        s = tables[i]
        rewards[i] = 0.0
        terminated[i] = False
        truncated[i] = False
        if fresh or s.over != 0:
            open_game(kit, setup, blank, options, tables, notes, seats, choosers, place, i)
        elif actions[i] < 0 or actions[i] >= setup.actions or not allowed(masks[i], actions[i]):
            s.over = UNFINISHED
            rewards[i] = -1.0
            terminated[i] = True
        else:
            decide(kit, s, seats[i], actions[i])
        seat = seats[i]
        bots_play(kit, s, seat, kinds, choosers[i], scratch, mind)
        for word in range(masks.shape[1]):
            masks[i, word] = np.uint64(0)
        if s.over == 0:
            legal(kit, s, seat, masks[i])
        elif not terminated[i]:
            for other in range(setup.players):
                gains[other] = 0.0
            settle(kit, s, scratch.standing, gains)
            rewards[i] = gains[seat]
            terminated[i] = s.over == ENDED
            truncated[i] = s.over == UNFINISHED
        encode(kit, s, seat, observations[i])
