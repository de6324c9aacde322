"""One Card Wonder's rules (rulings W1 to W17), compiled: the turn, from choice to end.

The chapters are beside it: `setup`, `building`, `paying`, `abilities`, `trading`, `leaders`.
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit, count
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.lanes import lane, one, total
from bottega.engine.rule import rule
from bottega.games.one_card_wonder.abilities import (
    can_exchange,
    drop,
    exchange,
    legal_drops,
    legal_exchange,
    legal_order,
    legal_taking,
    receive,
    resolve,
    take_from_bag,
    take_from_supply,
    trigger,
    usable,
    use,
)
from bottega.games.one_card_wonder.actions import (
    BUILD,
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
    building_price,
    finish_building,
    hand_over,
    lay_down,
    legal_build,
    legal_building,
    legal_payment,
    raise_stage,
    row_of,
    stage_price,
    start_paying,
)
from bottega.games.one_card_wonder.leaders import (
    act_out,
    ask_next,
    ban,
    defeated,
    dismiss,
    legal_names,
    legal_pledges,
    legal_raising,
    pay_tribute,
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
    BUILD_HEAD,
    BUILDING,
    CLAIM_HEAD,
    CLAIM_MORE,
    COIN,
    COLOURS,
    DRAFT,
    ENDING,
    EXCHANGING,
    KEEP,
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
    if phase == ACT:
        legal_acts(kit, s, player, mask)
    elif phase == DRAFT:
        legal_picks(s, mask)
    elif phase == KEEP:
        legal_puts(middle, mask)
    elif phase == CLAIM_MORE:
        legal_claims(middle, mask)
        allow(mask, DONE)
    elif phase == BUILDING:
        legal_build(kit, middle, player, mask)
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
def legal_acts(kit, s, player, mask):
    """The four actions and the new ones; passing only without any (W11)."""
    middle = s.now[0]
    found = legal_claims(middle, mask) + legal_sales(middle, player, mask)
    found += legal_building(kit, middle, player, mask)
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
    elif action == REVEAL:
        reveal(kit, s, seat)
        if not ask_next(kit, s):
            let_act(kit, s)
    elif action >= GLOBE:
        begin_step(s, seat)
        if action < NAME:
            use_globe(s.now[0], action - GLOBE)
        else:
            ban(s, action - NAME)
            go_on(kit, s)
    elif action >= PICK:
        s.turns += 1
        if action < CHOOSE:
            pick_wonder(kit, s, seat, action - PICK)
        else:
            choose_mat(s, seat, action - CHOOSE)
    else:
        begin_step(s, seat)
        take_step(kit, s, s.players[seat], action)


@rule
def take_step(kit, s, player, action):
    """A step of the deciding seat's chain."""
    middle = s.now[0]
    if middle.phase == ACT:
        middle.head = head_of(action)
    if action == PRODUCE:
        produce(kit, s, player)
    elif action < SELL:
        claim(kit, s, player, action - CLAIM)
    elif action < USE:
        sell(middle, player, action - SELL)
    elif action < STAGE:
        start_using(kit, s, player, action - USE)
    elif action < BUILD:
        build_stage(kit, s, player, action - STAGE)
    elif action < DONE:
        build(kit, s, player, action - BUILD)
    elif action == DONE:
        be_done(kit, s, player)
    elif action == PASS:
        end_action(s)
    elif action < SETTLE:
        pay(kit, s, player, action - PAY)
    elif action == SETTLE:
        settle(kit, s, player)
    elif action < TAKE:
        put(kit, s, player, action - PUT)
    elif action < TAKE_BAG:
        take_from_supply(middle, player, action - TAKE)
        go_on(kit, s)
    elif action < SPEND:
        take_from_bag(middle, player, action - TAKE_BAG)
        go_on(kit, s)
    elif action < DROP:
        exchange(kit, middle, player, action - SPEND)
        go_on(kit, s)
    else:
        drop(middle, player, action - DROP)
        go_on(kit, s)


@rule
def head_of(action):
    """What a turn that begins like this is used for."""
    if action < SELL:
        return PRODUCE_HEAD if action == PRODUCE else CLAIM_HEAD
    if action < STAGE:
        return SELL_HEAD if action < USE else ACTION_HEAD
    return BUILD_HEAD if action < DONE else NO_HEAD


@rule
def go_on(kit, s):
    """After abilities are resolved: go on where they came in, or end the action."""
    if not resolve(kit, s):
        return
    middle = s.now[0]
    player = s.players[middle.actor]
    if middle.resume == BUILDING:
        middle.phase = BUILDING
    elif middle.resume == PLEDGING:
        resume_play(s)
    elif (
        middle.resume == EXCHANGING
        and middle.left
        and can_exchange(kit.ability[row_of(player, middle.slot)], middle, player)
    ):
        middle.phase = EXCHANGING
    else:
        end_action(s)


@rule
def be_done(kit, s, player):
    """Done with what the phase is about."""
    middle = s.now[0]
    if middle.phase == BUILDING or middle.phase == SELLING or middle.phase == CLAIM_MORE:
        finish_action(kit, s, player)
    elif middle.phase == TAKING:
        middle.from_supply = 0
        middle.from_bag = 0
        go_on(kit, s)
    elif middle.phase == EXCHANGING:
        end_action(s)
    elif middle.phase == PLEDGING:
        finish_pledge(kit, s)
    else:
        confirm(s)
        next_turn(s)


@rule
def finish_action(kit, s, player):
    """One of the four actions is done; now the abilities that go with it."""
    s.now[0].resume = ENDING
    trigger(kit, s.now[0], player)
    go_on(kit, s)


@rule
def end_action(s):
    """Before the turn ends, an unrevealed leader may still be revealed (W13)."""
    confirm(s)
    if s.players[s.turn].leader != NO_LEADER:
        s.now[0].phase = ENDING
    else:
        next_turn(s)


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


# Produce, Claim, Sell


@rule
def produce(kit, s, player):
    """Draw three cubes, keep two, put the third on the supply (W5)."""
    middle = s.now[0]
    drawn = min(np.int64(player.drawn), total(middle.bag))
    for _ in range(drawn):
        middle.hand += one(draw_cube(s))
    confirm(s)  # everybody sees the draw
    middle.left = max(drawn - np.int64(player.kept), 0)
    middle.phase = KEEP
    if middle.left == 0:
        keep(kit, s, player)


@rule
def put(kit, s, player, colour):
    """A drawn cube goes to the supply."""
    middle = s.now[0]
    middle.hand -= one(colour)
    middle.supply += one(colour)
    middle.left -= 1
    if middle.left == 0:
        keep(kit, s, player)


@rule
def keep(kit, s, player):
    """The other drawn cubes go to the mat."""
    player.stock += s.now[0].hand
    s.now[0].hand = 0
    finish_action(kit, s, player)


@rule
def claim(kit, s, player, colour):
    """All cubes of one colour from the supply (W6); with a building, of another colour, too."""
    middle = s.now[0]
    if middle.phase == ACT:
        middle.left = player.claims
    cubes = lane(middle.supply, colour) * one(colour)
    middle.supply -= cubes
    player.stock += cubes
    middle.left -= 1
    if middle.left and middle.supply:
        middle.phase = CLAIM_MORE
    else:
        finish_action(kit, s, player)


@rule
def sell(middle, player, colour):
    """Cubes of one colour to the bag, a coin from the coin supply (W8)."""
    spend(middle, player, cubes_for_coin(player, colour) * one(colour))
    middle.coins -= 1
    player.stock += one(COIN)
    middle.phase = SELLING


@rule
def start_using(kit, s, player, slot):
    """Use a new action, or say which ability comes first (W14)."""
    middle = s.now[0]
    if middle.phase == ORDERING:
        use(kit, s, player, slot)
        go_on(kit, s)
        return
    ability = kit.ability[row_of(player, slot)]
    middle.slot = slot
    if ability.times:
        middle.left = ability.times
        middle.resume = EXCHANGING
        middle.phase = EXCHANGING
    else:
        middle.resume = ENDING
        receive(kit, s, player, row_of(player, slot))
        go_on(kit, s)


# Build


@rule
def build_stage(kit, s, player, stage):
    """A stage of the wonder, paid or given by a leader (W7)."""
    if s.now[0].phase == RAISING:
        raise_stage(kit, s, player, stage)
        if s.over:
            confirm(s)
        else:
            go_on(kit, s)
    elif start_paying(s.now[0], player, stage, stage_price(kit, player, stage)):
        complete(kit, s, player)


@rule
def build(kit, s, player, slot):
    """A support building (W7)."""
    if start_paying(s.now[0], player, STAGES + slot, building_price(kit, player, slot)):
        complete(kit, s, player)


@rule
def pay(kit, s, player, kind):
    """Lay down one thing, for a building or to defeat a leader."""
    middle = s.now[0]
    if middle.phase == PLEDGING:
        pledge(middle, player, kind)
    elif lay_down(middle, player, kind):
        settle(kit, s, player)


@rule
def settle(kit, s, player):
    """The payment is complete."""
    hand_over(s.now[0], player)
    complete(kit, s, player)


@rule
def complete(kit, s, player):
    """What was paid for is there; an immediate ability comes into play at once (W14)."""
    middle = s.now[0]
    if middle.target < STAGES:
        raise_stage(kit, s, player, middle.target)
        if s.over:
            confirm(s)
        return
    slot = np.int64(middle.target) - STAGES
    finish_building(kit, middle, player, slot)
    row = row_of(player, slot)
    middle.resume = BUILDING
    if kit.ability[row].head == NOW_HEAD:
        receive(kit, s, player, row)
    go_on(kit, s)


# Leaders


@rule
def finish_pledge(kit, s):
    """A seat has decided what it offers; the whole cost, or the last seat, decides (W13)."""
    confirm(s)
    if defeated(s):
        pay_tribute(s)
        go_on(kit, s)
    elif not ask_next(kit, s):
        let_act(kit, s)


@rule
def let_act(kit, s):
    """Nobody defeats the leader."""
    act_out(kit, s)
    if s.now[0].phase == PLEDGING:
        go_on(kit, s)


@rule
def resume_play(s):
    """The leader is dealt with."""
    ending = s.before_leader == ENDING
    dismiss(s)
    drop_void_trades(s)
    if ending:
        next_turn(s)


# The end


@rule
def result(kit, s, out):
    """Who has the whole wonder wins (W15); the others by the share of theirs, in percent."""
    for seat in range(s.seats):
        out[seat, SCORE] = share(kit, s.players[seat])
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
