"""One Card Wonder: the record of a table and the record of a kit, every field explained once."""

from __future__ import annotations

import numpy as np

from bottega.engine.record import record_type, table_type

COLOURS = 5  # stone, wood, iron, clay, knowledge: lanes 0 to 4 of a word
COIN = 5  # the lane of coins
ANY = 6  # in a cost: the lane of `?`
KINDS = 6  # what can lie on a mat: cubes of five colours, and coins
MOST_SEATS = 6
ASIDE = MOST_SEATS  # the row of `players` where the deciding player's things are kept (see `past`)

WONDERS = 18
STAGES = 12  # at most, of one wonder
MATS = 12
MAT_BUILDINGS = 4
WONDER_BUILDINGS = 2  # at most, of one wonder
SLOTS = MAT_BUILDINGS + WONDER_BUILDINGS  # a player's buildings: the mat's, then the wonder's
LEADER_SLOT = SLOTS  # among abilities to be resolved: the leader's
BUILDINGS = MATS * MAT_BUILDINGS + WONDERS * WONDER_BUILDINGS
LEADERS = 10
OFFERS = MOST_SEATS + 1  # wonders on offer in the draft
ROOM = 8  # things a mat has places for (W9)
OBELISKS = 4  # buildings a player may build (W16)
COINS = 16  # in the whole game (W8)

NO_WONDER = WONDERS
NO_MAT = MATS
NO_LEADER = LEADERS
NOBODY = MOST_SEATS

# What is decided now.
DRAFT = 0  # pick a wonder (W2)
MATS_CHOICE = 1  # everybody chooses a mat (W3)
ACT = 2  # the turn begins: choose an action
KEEP = 3  # Produce: which cubes go to the supply (W5)
CLAIM_MORE = 4  # Claim: another colour
BUILDING = 5  # Build: go on or be done (W7)
PAYING = 6  # Build: how to pay (W10)
SELLING = 7  # Sell: another pair or be done (W8)
EXCHANGING = 8  # a new action: what to give
TAKING = 9  # an ability: what to take from the supply or the bag
ORDERING = 10  # several abilities: which one first (W14)
OVERFLOW = 11  # more than the mat holds: what to give up (W9)
ENDING = 12  # before ending the turn: a leader may be revealed (W13)
PLEDGING = 13  # a leader is revealed: who pays to defeat it (W13)
NAMING = 14  # a leader's effect: name a colour
RAISING = 15  # a leader's effect: a stage for nothing

# What happens next without a decision; a table never rests in these.
BILLING = 16  # a payment is begun or goes on
COMPLETING = 17  # what was paid for, or given, is built
ASKING = 18  # the next seat is asked to pay for the defeat of a leader
FINISHING = 19  # one of the four actions is done; abilities that go with it come into play
RESOLVING = 20  # abilities are resolved
CLOSING = 21  # the action is over, or the leader is dealt with
LEAVING = 22  # the turn is over

# Heads of abilities; the first five are also what a turn may be used for.
PRODUCE_HEAD, CLAIM_HEAD, BUILD_HEAD, SELL_HEAD, ACTION_HEAD, NOW_HEAD, LASTING_HEAD = range(7)
NO_HEAD = 7

# A proposal of a trade.
NO_TRADE, DRAFTED, PROPOSED = 0, 1, 2

PLAYER = record_type(
    [
        ("stock", np.int64),  # lanes: cubes and coins on the mat
        ("need", np.int64),  # lanes: what the stages not yet built cost together
        ("stage_savings", np.int64),  # lanes: how much less each stage costs
        ("building_savings", np.int64),  # lanes: how much less each building costs
        ("give", np.int64),  # lanes: what the own trade offers
        ("ask", np.int64),  # lanes: what the own trade asks for
        ("pledge", np.int64),  # lanes: what the seat offers to defeat a leader
        ("stages", np.uint16),  # set of the wonder's stages built
        ("buildings", np.uint8),  # set of the slots built
        ("wonder", np.uint8),
        ("mat", np.uint8),
        ("dealt", np.uint8, 2),  # the mats to choose from, until all have chosen
        ("chosen", np.uint8),  # the sealed choice: 0 none yet, else 1 or 2 (W3)
        ("leader", np.uint8),  # the hidden leader, or NO_LEADER
        ("room", np.uint8),  # things the mat holds
        ("drawn", np.uint8),  # cubes drawn by Produce
        ("kept", np.uint8),  # cubes kept of those
        ("claims", np.uint8),  # colours of one Claim
        ("per_build", np.uint8),  # buildings in one Build
        ("singles", np.uint8),  # set of colours of which one cube sells for a coin
        ("stands_for", np.uint8, COLOURS),  # for each colour, the set it may be paid as
        ("versatile", np.uint8),  # set of the colours that stand for others
        ("trade", np.uint8),  # NO_TRADE, DRAFTED or PROPOSED
        ("partner", np.uint8),  # to whom the trade is proposed
    ]
)

MIDDLE = record_type(
    [
        ("bag", np.int64),  # lanes: cubes in the bag
        ("supply", np.int64),  # lanes: cubes on the supply
        ("hand", np.int64),  # lanes: cubes drawn and not yet put anywhere
        ("due", np.int64),  # lanes: the cost being paid, with `?`
        ("paid", np.int64),  # lanes: what is offered for it so far
        ("bill", np.int64),  # PAYING: lanes, that completed with the fewest coins
        ("spent", np.int64),  # lanes: what the deciding seat has paid since the chain began
        ("given_up", np.int64),  # lanes: what it had no room for since then
        ("coins", np.uint8),  # in the coin supply
        ("phase", np.uint8),  # what is decided now, DRAFT to RAISING
        ("actor", np.uint8),  # the seat that decides
        ("head", np.uint8),  # what the turn is used for, PRODUCE_HEAD to ACTION_HEAD, or NO_HEAD
        ("resume", np.uint8),  # the phase to go back to when abilities are resolved
        ("target", np.uint8),  # PAYING: a stage, or STAGES + a slot
        ("left", np.uint8),  # KEEP, CLAIM_MORE, EXCHANGING: how many more
        ("raised", np.uint8),  # Build: stages built in this action
        ("built", np.uint8),  # Build: buildings built in this action
        ("closed", np.uint8),  # Build: a building followed the stages, so no more stages (W7)
        ("pending", np.uint8),  # set of slots (and LEADER_SLOT) with abilities to be resolved
        ("slot", np.uint8),  # EXCHANGING: the building that is used
        ("from_supply", np.uint8),  # TAKING: cubes to take from the supply
        ("from_bag", np.uint8),  # TAKING: cubes to take from the bag
        ("globe", np.uint8),  # PLEDGING: colour + 1 of the cube from the supply, 0 for none
    ]
)

TABLE = table_type(
    [
        ("players", PLAYER, MOST_SEATS + 1),  # the seats, and ASIDE
        # The middle of the table, and as it was before the chain of decisions now open. With
        # `players[ASIDE]`, the deciding player at that time, it is what all others see.
        ("now", MIDDLE, 1),
        ("past", MIDDLE, 1),
        ("gifts", np.int64, OFFERS),  # lanes: the two cubes on each wonder on offer
        ("wonders", np.uint8, OFFERS),  # wonders on offer, or NO_WONDER
        ("revealed", np.uint16),  # set of leaders that were revealed
        ("leader", np.uint8),  # the leader being resolved, or NO_LEADER
        ("owner", np.uint8),  # whose it is, or NOBODY
        ("before_leader", np.uint8),  # the phase it interrupted
        ("complexity", np.uint8),  # the option: wonders of 1 to 3, or 0 for all
        ("open", np.uint8),  # a chain of decisions is not confirmed yet
        ("turn", np.uint8),  # the seat on turn
        ("hidden", np.uint8),  # set of seats with an unrevealed leader
        ("surplus", np.uint8),  # set of seats that must give something up out of turn (W9)
        ("ceiling", np.uint8),  # how much those may keep, if less than the mat holds; 0: no less
    ]
)

ABILITY = record_type(
    [
        # Given when the ability comes into play, in this order:
        ("named", np.int64),  # lanes: named cubes from the bag, and coins
        ("draw", np.uint8),  # cubes drawn from the bag
        ("from_supply", np.uint8),  # cubes of the player's choice from the supply
        ("from_bag", np.uint8),  # cubes of the player's choice from the bag
        # An exchange: so many times, pay one thing and get the two numbers above.
        ("times", np.uint8),
        ("pays_coin", np.uint8),  # the thing paid is a coin, not a cube
        ("stages", np.uint8),  # Build: only when so many stages were built in the action
        # Lasting changes:
        ("stage_savings", np.int64),  # lanes
        ("building_savings", np.int64),  # lanes
        ("drawn", np.uint8),
        ("kept", np.uint8),
        ("claims", np.uint8),
        ("per_build", np.uint8),
        ("singles", np.uint8),
        ("payer", np.uint8),  # the colour that may be paid as another
        ("payee", np.uint8),  # set of colours it may be paid as
        ("room", np.uint8),
        ("head", np.uint8),
        # What only leaders do:
        ("sweep", np.uint8),  # take everything from the supply
        ("levy", np.uint8),  # coins that every other player hands over
        ("ban", np.uint8),  # the others give up all cubes of a colour
        ("ceiling", np.uint8),  # the others keep at most so many things
        ("free_stages", np.uint8),  # build an open stage for nothing
    ]
)

KIT = record_type(
    [
        ("stage_cost", np.int64, (WONDERS, STAGES)),  # lanes
        ("stage_needs", np.uint16, (WONDERS, STAGES)),  # set of stages to be built before
        ("stages", np.uint8, WONDERS),  # how many
        ("complexity", np.uint8, WONDERS),  # 1 to 3
        # Rows of buildings: each mat's four, then two places for each wonder.
        ("cost", np.int64, BUILDINGS),  # lanes; of a place without a building: too much
        ("ability", ABILITY, BUILDINGS + LEADERS),  # of the buildings, then of the leaders
        ("defeat", np.int64, LEADERS),  # lanes: the cost to defeat
        ("globe", np.uint8, LEADERS),  # with few players the supply may help (W13)
    ]
)
