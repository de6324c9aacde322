"""Cubes and coins on their way, and chains of decisions: open, confirmed, taken back."""

from __future__ import annotations

import numpy as np

from bottega.engine.chance import below
from bottega.engine.lanes import lane, one, shortfall, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.state import ASIDE, COIN, COLOURS

CUBES = sum(127 << (8 * colour) for colour in range(COLOURS))  # the lanes of the cubes


# Chains of decisions


@rule
def begin_step(s, seat):
    """One more decision of a chain. What the table was before the first one is kept aside."""
    if s.open == 0:
        s.past[0] = s.now[0]
        s.players[ASIDE] = s.players[seat]
        s.open = 1
        s.now[0].spent = 0
        s.now[0].given_up = 0


@rule
def confirm(s):
    """The chain is complete: everybody may know it."""
    s.open = 0
    s.turns += 1


@rule
def take_back(s):
    """Undo the open chain."""
    s.now[0] = s.past[0]
    s.players[s.now[0].actor] = s.players[ASIDE]
    s.open = 0


# Cubes and coins


@rule
def held(player, kind):
    """How many of a kind lie on the mat."""
    return lane(player.stock, kind)


@rule
def draw_cube(s):
    """A random cube out of the bag, which is not empty; its colour."""
    middle = s.now[0]
    left = below(s, total(middle.bag))
    colour = 0
    while left >= lane(middle.bag, colour):
        left -= lane(middle.bag, colour)
        colour += 1
    middle.bag -= one(colour)
    return colour


@rule
def take_named(middle, player, named):
    """Named cubes from the bag and coins, as far as there are any."""
    cubes = named & CUBES
    cubes -= shortfall(cubes, middle.bag)
    middle.bag -= cubes
    coins = min(lane(named, COIN), np.int64(middle.coins))
    middle.coins -= coins
    player.stock += cubes + coins * one(COIN)


@rule
def spend(middle, player, things):
    """Cubes go to the bag, coins to the coin supply."""
    player.stock -= things
    middle.spent += things
    middle.bag += things & CUBES
    middle.coins += lane(things, COIN)


@rule
def give_up(middle, kind):
    """What a mat has no room for: a cube goes to the supply, a coin to the coin supply (W9)."""
    if kind == COIN:
        middle.coins += 1
    else:
        middle.supply += one(kind)
