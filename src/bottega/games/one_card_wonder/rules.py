"""One Card Wonder's rules (rulings W1 to W19), compiled: the turn, from choice to end.

The chapters are beside it: `setup`, `building`, `paying`, `abilities`, `trading`, `leaders`.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit, count
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.lanes import lane, one, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.abilities import (
    NOTHING,
    can_exchange,
    drop,
    exchange,
    legal_drops,
    legal_exchange,
    legal_order,
    legal_taking,
    resolve,
    take_from_bag,
    take_from_supply,
    trigger,
    usable,
)
from bottega.games.one_card_wonder.actions import (
    CHOOSE,
    CLAIM,
    DONE,
    DROP,
    GLOBE,
    NAME,
    PASS,
    PAY,
    PICK,
    PRODUCE,
    PUT,
    REVEAL,
    SELL,
    SETTLE,
    SPEND,
    STAGE,
    TAKE,
    TAKE_BAG,
    TO,
    USE,
)
from bottega.games.one_card_wonder.building import (
    finish_building,
    hand_over,
    lay_down,
    legal_building,
    legal_payment,
    make_bill,
    raise_stage,
    row_of,
    start_paying,
)
from bottega.games.one_card_wonder.leaders import (
    ask_next,
    ban,
    dismiss,
    finish_pledge,
    legal_names,
    legal_pledges,
    legal_raising,
    pledge,
    reveal,
    use_globe,
)
from bottega.games.one_card_wonder.setup import (
    choose_mat,
    choosing_mats,
    deal,
    legal_mats,
    legal_picks,
    pick_wonder,
)
from bottega.games.one_card_wonder.state import (
    ACT,
    ACTION_HEAD,
    ASIDE,
    ASKING,
    BILLING,
    BUILD_HEAD,
    BUILDING,
    CLAIM_HEAD,
    CLAIM_MORE,
    CLOSING,
    COIN,
    COLOURS,
    COMPLETING,
    DRAFT,
    ENDING,
    EXCHANGING,
    FINISHING,
    KEEP,
    LEAVING,
    MATS_CHOICE,
    NAMING,
    NO_HEAD,
    NO_LEADER,
    NOBODY,
    NOW_HEAD,
    ORDERING,
    OVERFLOW,
    PAYING,
    PLEDGING,
    PRODUCE_HEAD,
    RAISING,
    RESOLVING,
    SELL_HEAD,
    SELLING,
    SLOTS,
    STAGES,
    TAKING,
)
from bottega.games.one_card_wonder.things import begin_step, confirm, draw_cube, spend
from bottega.games.one_card_wonder.trading import (
    drop_out_of_turn,
    drop_void_trades,
    legal_trades,
    trade,
    traders,
)

__all__ = ["deal", "invited", "legal", "play", "result", "waiting"]

PAIR = 2  # cubes sold for a coin (W8)


# Who decides


@rule
def waiting(kit, s):
    """Who has too much; else who decides, or everybody choosing a mat."""
    if s.over:
        return 0
    if s.surplus:
        return np.int64(s.surplus)
    if s.now[0].phase == MATS_CHOICE:
        return choosing_mats(s)
    return bit(s.now[0].actor)


@rule
def open_phase(s):
    """The phase as everybody knows it: an open chain is its owner's business."""
    return s.past[0].phase if s.open else s.now[0].phase


@rule
def invited(kit, s):
    """Who may trade (W12) or reveal a leader at the start of somebody's turn (W13)."""
    if s.over or s.surplus or s.owner != NOBODY:
        return 0
    phase = open_phase(s)
    if phase < ACT:
        return 0
    leaders = np.int64(s.hidden) & ~bit(s.turn) if phase == ACT else 0
    return traders(s) | leaders


# What may be done


@rule
def legal(kit, s, seat, mask):
    """Fill the mask with what a seat that is waiting or invited may do."""
    mask[0] = 0
    mask[1] = 0
    if s.surplus:
        legal_drops(s.players[seat], mask)
    elif s.now[0].phase == MATS_CHOICE:
        legal_mats(mask)
    elif seat == s.now[0].actor:
        legal_decision(kit, s, s.players[seat], mask)
    else:
        if traders(s):
            legal_trades(s, seat, mask)
        if s.hidden >> seat & 1 and open_phase(s) == ACT:
            allow(mask, REVEAL)


@rule
def legal_decision(kit, s, player, mask):
    """What the deciding seat may do in each phase."""
    middle = s.now[0]
    phase = middle.phase
    if phase in (ACT, BUILDING):
        found = legal_building(kit, middle, player, mask)
        if phase == ACT:
            legal_acts(kit, middle, player, mask, found)
        else:
            allow(mask, DONE)
    elif phase == DRAFT:
        legal_picks(s, mask)
    elif phase == KEEP:
        legal_puts(middle, mask)
    elif phase == CLAIM_MORE:
        legal_claims(middle, mask)
        allow(mask, DONE)
    elif phase == PAYING:
        legal_payment(middle, player, mask)
    elif phase == SELLING:
        legal_sales(middle, player, mask)
        allow(mask, DONE)
    elif phase == EXCHANGING:
        legal_exchange(kit, middle, player, mask)
    elif phase == TAKING:
        legal_taking(middle, mask)
    elif phase == ORDERING:
        legal_order(middle, mask)
    elif phase == OVERFLOW:
        legal_drops(player, mask)
    elif phase == ENDING:
        allow(mask, DONE)
        allow(mask, REVEAL)
    elif phase == PLEDGING:
        legal_pledges(kit, s, player, mask)
    elif phase == NAMING:
        legal_names(mask)
    elif phase == RAISING:
        legal_raising(kit, player, mask)


@rule
def legal_acts(kit, middle, player, mask, found):
    """The other actions beside building; passing only without any (W11)."""
    found += legal_claims(middle, mask) + legal_sales(middle, player, mask)
    if middle.bag:
        allow(mask, PRODUCE)
        found += 1
    if player.buildings:
        for slot in range(SLOTS):
            if usable(kit, middle, player, slot):
                allow(mask, USE + slot)
                found += 1
    if found == 0:
        allow(mask, PASS)
    if player.leader != NO_LEADER:
        allow(mask, REVEAL)


@rule
def legal_claims(middle, mask):
    """Colours of which the supply has cubes (W6); how many."""
    found = 0
    for colour in range(COLOURS):
        if lane(middle.supply, colour):
            allow(mask, CLAIM + colour)
            found += 1
    return found


@rule
def cubes_for_coin(player, colour):
    """A pair, unless a building makes a single cube enough (W8)."""
    return 1 if player.singles >> colour & 1 else PAIR


@rule
def legal_sales(middle, player, mask):
    """Colours of which the player has enough for a coin, while coins last (W8); how many."""
    found = 0
    if middle.coins:
        for colour in range(COLOURS):
            if lane(player.stock, colour) >= cubes_for_coin(player, colour):
                allow(mask, SELL + colour)
                found += 1
    return found


@rule
def legal_puts(middle, mask):
    """Any of the cubes drawn (W5)."""
    for colour in range(COLOURS):
        if lane(middle.hand, colour):
            allow(mask, PUT + colour)


# Doing it


@rule
def play(kit, s, seat, action):
    """Carry out one decision."""
    if action >= TO:
        trade(s, seat, action)
    elif s.surplus:
        drop_out_of_turn(s, seat, action - DROP)
    elif PICK <= action < REVEAL:
        s.turns += 1
        if action < CHOOSE:
            pick_wonder(kit, s, seat, action - PICK)
        else:
            choose_mat(s, seat, action - CHOOSE)
    else:
        if action == REVEAL:
            reveal(kit, s, seat)
        else:
            begin_step(s, seat)
            take_step(kit, s, s.players[seat], action)
        first = action - USE if USE <= action < STAGE else NOTHING
        carry_on(kit, s, first)


@rule
def take_step(kit, s, player, action):
    """A step of the deciding seat's chain. The phase says how it goes on."""
    middle = s.now[0]
    if middle.phase == ACT:
        middle.head = head_of(action)
    if action == PRODUCE:
        produce(s, player)
    elif action < SELL:
        claim(middle, player, action - CLAIM)
    elif action < USE:
        sell(middle, player, action - SELL)
    elif action < STAGE:
        start_using(kit, middle, player, action - USE)
    elif action < DONE:
        build(kit, middle, player, action - STAGE)
    elif action == DONE:
        be_done(s)
    elif action == PASS:
        middle.phase = CLOSING
    elif action < SETTLE:
        if middle.phase == PLEDGING:
            pledge(middle, player, action - PAY)
        else:
            lay_down(middle, action - PAY)
    elif action == SETTLE:
        hand_over(middle, player)
    elif action < TAKE:
        put(middle, player, action - PUT)
    elif action < TAKE_BAG:
        take_from_supply(middle, player, action - TAKE)
    elif action < SPEND:
        take_from_bag(middle, player, action - TAKE_BAG)
    elif action < DROP:
        exchange(kit, middle, player, action - SPEND)
    elif action < PICK:
        drop(s, player, action - DROP)
    elif action < NAME:
        use_globe(middle, action - GLOBE)
    else:
        ban(s, action - NAME)


@rule
def head_of(action):
    """What a turn that begins like this is used for."""
    if action < SELL:
        return PRODUCE_HEAD if action == PRODUCE else CLAIM_HEAD
    if action < STAGE:
        return SELL_HEAD if action < USE else ACTION_HEAD
    return BUILD_HEAD if action < DONE else NO_HEAD


@rule
def carry_on(kit, s, first):
    """What follows from a step without a decision. Each part leads to a later one, or to a
    phase that waits. `first`: the slot of a building that is used, or NOTHING."""
    middle = s.now[0]
    if middle.phase == BILLING:
        make_bill(middle, s.players[middle.actor])
    if middle.phase == COMPLETING:
        complete(kit, s, s.players[middle.actor])
    if middle.phase == ASKING:
        ask_next(kit, s)
    if middle.phase == FINISHING:
        trigger(kit, middle, s.players[middle.actor])
        middle.resume = ENDING
        middle.phase = RESOLVING
    if middle.phase == RESOLVING and resolve(kit, s, first):
        resume(kit, middle, s.players[middle.actor])
    if middle.phase == CLOSING:
        close(s)
    if middle.phase == LEAVING:
        next_turn(s)


@rule
def complete(kit, s, player):
    """What was paid for stands; an immediate ability comes into play at once (W14)."""
    middle = s.now[0]
    middle.phase = BUILDING
    if middle.target >= STAGES:
        slot = np.int64(middle.target) - STAGES
        finish_building(kit, middle, player, slot)
        middle.resume = BUILDING
        middle.phase = RESOLVING
        if kit.ability[row_of(player, slot)].head == NOW_HEAD:
            middle.pending = bit(slot)
        return
    raise_stage(kit, s, player, middle.target)
    if s.over:
        confirm(s)
    elif s.owner != NOBODY:
        middle.phase = RESOLVING


@rule
def resume(kit, middle, player):
    """After abilities are resolved: go on where they came in, or end the action."""
    if middle.resume == BUILDING:
        middle.phase = BUILDING
    elif (
        middle.resume == EXCHANGING
        and middle.left
        and can_exchange(kit.ability[row_of(player, middle.slot)], middle, player)
    ):
        middle.phase = EXCHANGING
    else:
        middle.phase = CLOSING


@rule
def close(s):
    """Play goes on where a leader came in. At the end of the own turn, an unrevealed leader may
    still be revealed (W13)."""
    middle = s.now[0]
    if s.owner != NOBODY:
        dismiss(s)
        drop_void_trades(s)
        if middle.phase == ENDING:
            middle.phase = LEAVING
    else:
        confirm(s)
        middle.phase = ENDING if s.players[s.turn].leader != NO_LEADER else LEAVING


@rule
def next_turn(s):
    """Pass the bag clockwise (W4). Trades with the new seat on turn fall (W12)."""
    middle = s.now[0]
    s.turn = (np.int64(s.turn) + 1) % s.seats
    middle.actor = s.turn
    middle.phase = ACT
    middle.head = NO_HEAD
    middle.resume = 0
    middle.target = 0
    middle.left = 0
    middle.slot = 0
    middle.raised = 0
    middle.built = 0
    middle.closed = 0
    drop_void_trades(s)


@rule
def be_done(s):
    """Done with what the phase is about."""
    middle = s.now[0]
    if middle.phase == BUILDING or middle.phase == SELLING or middle.phase == CLAIM_MORE:
        middle.phase = FINISHING
    elif middle.phase == TAKING:
        middle.from_supply = 0
        middle.from_bag = 0
        middle.phase = RESOLVING
    elif middle.phase == EXCHANGING:
        middle.phase = CLOSING
    elif middle.phase == PLEDGING:
        finish_pledge(s)
    else:
        confirm(s)
        middle.phase = LEAVING


# The actions


@rule
def produce(s, player):
    """Draw three cubes, keep two, put the third on the supply (W5)."""
    middle = s.now[0]
    drawn = min(np.int64(player.drawn), total(middle.bag))
    for _ in range(drawn):
        middle.hand += one(draw_cube(s))
    confirm(s)  # everybody sees the draw
    middle.left = max(drawn - np.int64(player.kept), 0)
    keep_rest(middle, player)


@rule
def put(middle, player, colour):
    """A drawn cube goes to the supply."""
    middle.hand -= one(colour)
    middle.supply += one(colour)
    middle.left -= 1
    keep_rest(middle, player)


@rule
def keep_rest(middle, player):
    """When enough is on the supply, the other drawn cubes go to the mat."""
    middle.phase = KEEP
    if middle.left == 0:
        player.stock += middle.hand
        middle.hand = 0
        middle.phase = FINISHING


@rule
def claim(middle, player, colour):
    """All cubes of one colour from the supply (W6); with a building, of another colour, too."""
    if middle.phase == ACT:
        middle.left = player.claims
    cubes = lane(middle.supply, colour) * one(colour)
    middle.supply -= cubes
    player.stock += cubes
    middle.left -= 1
    middle.phase = CLAIM_MORE if middle.left and middle.supply else FINISHING


@rule
def sell(middle, player, colour):
    """Cubes of one colour to the bag, a coin from the coin supply (W8)."""
    spend(middle, player, cubes_for_coin(player, colour) * one(colour))
    middle.coins -= 1
    player.stock += one(COIN)
    middle.phase = SELLING


@rule
def build(kit, middle, player, target):
    """A stage or a building (W7); a stage that a leader gives is not paid."""
    if middle.phase == RAISING:
        middle.target = target
        middle.phase = COMPLETING
    else:
        start_paying(kit, middle, player, target)


@rule
def start_using(kit, middle, player, slot):
    """Use a new action, or say which ability comes first (W14)."""
    if middle.phase == ACT:
        ability = kit.ability[row_of(player, slot)]
        middle.slot = slot
        if ability.times:
            middle.left = ability.times
            middle.resume = EXCHANGING
            middle.phase = EXCHANGING
            return
        middle.resume = ENDING
        middle.pending = bit(slot)
    middle.phase = RESOLVING


# The end


@rule
def result(kit, s, out):
    """Who has the whole wonder wins (W15); the others by the share of theirs, in percent. What
    is only begun does not count."""
    for seat in range(s.seats):
        begun = s.open != 0 and seat == s.now[0].actor
        out[seat, SCORE] = share(kit, s.players[ASIDE if begun else np.int64(seat)])
    for seat in range(s.seats):
        out[seat, PLACE] = 1
        for other in range(s.seats):
            out[seat, PLACE] += out[other, SCORE] > out[seat, SCORE]


@rule
def share(kit, player):
    """How much of the wonder stands, in percent."""
    if player.wonder >= kit.stages.shape[0]:
        return 0
    return 100 * count(player.stages) // np.int64(kit.stages[player.wonder])
