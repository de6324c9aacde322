"""Splendor's rules (rulings S1 to S13), compiled.

The actions, by number:

| from | action                                                                  |
|------|-------------------------------------------------------------------------|
| BUY  | a face-up card (12 places), then a card of the own hand (3 places)       |
| RESERVE | a face-up card (12 places), then the top card of a deck (3 levels)    |
| TAKE | different gems: 10 triples, 10 pairs, 5 single ones; then 5 times two alike |
| PASS | when nothing else is possible                                           |
| NOBLE | welcome the noble at one of 5 places                                   |
| RETURN | one token of 6 kinds                                                  |
| SWAP | pay a gold in place of a gem, 5 kinds                                    |
| SETTLE | pay as chosen                                                         |
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bottega.engine.bits import allow, bit, count, lowest
from bottega.engine.chance import pick, seed_chance
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.lanes import at_least, covers, one, pack, shortfall, total
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.splendor.state import (
    ACT,
    GEMS,
    GIVE_BACK,
    GOLD,
    HAND,
    LEVELS,
    MOST_NOBLES,
    NO_CARD,
    NO_NOBLE,
    NOBLES,
    PAY,
    PLACES,
    ROW,
    WELCOME,
)

GOAL = 15
MOST_TOKENS = 10
GOLD_TOKENS = 5
PILE_FOR_TWO = 4  # two alike only from a pile of four (S4)

# Every way to take gems, as sets of colours: exactly three, or all there are if fewer (S3).
DIFFERENT = [c for size in (3, 2, 1) for c in combinations(range(GEMS), size)]
TAKES = np.array(
    [pack([gem in colours for gem in range(GEMS)]) for colours in DIFFERENT]
    + [pack([2 * (gem == twice) for gem in range(GEMS)]) for twice in range(GEMS)]
)

ONE_OF_EACH = pack([1] * GEMS)

BUY = 0
BUY_HELD = BUY + PLACES
RESERVE = BUY_HELD + HAND
RESERVE_DECK = RESERVE + PLACES
TAKE = RESERVE_DECK + LEVELS
TAKE_TWO = TAKE + len(DIFFERENT)
PASS = TAKE_TWO + GEMS
NOBLE = PASS + 1
RETURN = NOBLE + MOST_NOBLES
SWAP = RETURN + GEMS + 1
SETTLE = SWAP + GEMS
ACTIONS = SETTLE + 1


def _takes_from(piles: int) -> int:
    """The set of legal takes of different gems when these piles are not empty."""
    there = [gem for gem in range(GEMS) if piles >> gem & 1]
    size = min(3, len(there))
    return sum(1 << i for i, c in enumerate(DIFFERENT) if len(c) == size and set(c) <= set(there))


TAKES_FROM = np.array([_takes_from(piles) for piles in range(1 << GEMS)])


# Setting up


@rule
def deal(kit, s, players, seed, options):
    """A fresh table (S1). Decks are not shuffled: each draw takes a random card of those left."""
    seed_chance(s, seed)
    s.seats = players
    s.choose_payment = options[0]
    pile = 7 if players == 4 else players + 2
    s.bank = pile * ONE_OF_EACH + GOLD_TOKENS * one(GOLD)
    for level in range(LEVELS):
        s.decks[level] = kit.full[level]
    for place in range(PLACES):
        refill(kit, s, place)
    pool = (1 << NOBLES) - 1
    for place in range(MOST_NOBLES):
        s.nobles[place] = NO_NOBLE
        if place <= players:
            noble = pick(s, pool)
            pool ^= bit(noble)
            s.nobles[place] = noble
    for seat in range(players):
        for place in range(HAND):
            s.players[seat].hand[place] = NO_CARD


@rule
def draw(kit, s, level):
    """A random card of those left in a deck that is not empty."""
    card = pick(s, s.decks[level])
    s.decks[level] ^= bit(card)
    return kit.first[level] + card


@rule
def refill(kit, s, place):
    """Fill a place of the market from its deck (S8)."""
    level = place // ROW
    s.market[place] = draw(kit, s, level) if s.decks[level] != 0 else NO_CARD


# What may be done


@rule
def waiting(kit, s):
    """The seat on turn."""
    return 0 if s.over else bit(s.turn)


@rule
def invited(kit, s):
    """Nobody acts out of turn."""
    return 0


@rule
def legal(kit, s, seat, mask):
    """Fill the mask with what the seat on turn may do."""
    mask[0] = 0
    mask[1] = 0
    if s.phase == ACT:
        legal_acts(kit, s, s.players[seat], mask)
    elif s.phase == GIVE_BACK:
        legal_returns(s.players[seat], mask)
    elif s.phase == WELCOME:
        welcome = qualifying(kit, s, s.players[seat])
        for place in range(MOST_NOBLES):
            if welcome >> place & 1:
                allow(mask, NOBLE + place)
    else:
        legal_swaps(s, s.players[seat], mask)


@rule
def legal_acts(kit, s, player, mask):
    """The four actions: buy (S6), reserve (S5), take different gems (S3), take two alike (S4)."""
    wealth = player.bonuses + player.tokens
    gold = player.tokens >> (8 * GOLD)
    acts = 0
    for place in range(PLACES):
        card = s.market[place]
        acts |= (total(shortfall(kit.cost[card], wealth)) <= gold) << (BUY + place)
        acts |= (card != NO_CARD and player.held < HAND) << (RESERVE + place)
    for place in range(HAND):
        card = player.hand[place]
        acts |= (total(shortfall(kit.cost[card], wealth)) <= gold) << (BUY_HELD + place)
    for level in range(LEVELS):
        acts |= (s.decks[level] != 0 and player.held < HAND) << (RESERVE_DECK + level)
    acts |= TAKES_FROM[at_least(s.bank, 1) & 31] << TAKE
    acts |= (at_least(s.bank, PILE_FOR_TWO) & 31) << TAKE_TWO
    acts |= (acts == 0) << PASS
    mask[0] = acts


@rule
def legal_returns(player, mask):
    """Any kind of token held (S9)."""
    for kind in range(GEMS + 1):
        if player.tokens >> (8 * kind) & 127:
            allow(mask, RETURN + kind)


@rule
def legal_swaps(s, player, mask):
    """Settle, or replace a gem of the bill by gold still held (S7)."""
    allow(mask, SETTLE)
    if s.bill >> (8 * GOLD) < player.tokens >> (8 * GOLD):
        for gem in range(GEMS):
            if s.bill >> (8 * gem) & 127:
                allow(mask, SWAP + gem)


# Doing it


@rule
def play(kit, s, seat, action):
    """Carry out one decision of the seat on turn."""
    player = s.players[seat]
    if action < RESERVE:
        buy(kit, s, player, action)
    elif action < TAKE:
        reserve(kit, s, player, action - RESERVE)
    elif action < PASS:
        take(s, player, action - TAKE)
    elif action == PASS:
        s.passes += 1
    elif action < RETURN:
        welcome(kit, s, player, action - NOBLE)
        end_turn(s, player)
        return
    elif action < SWAP:
        give_back(s, player, action - RETURN)
    elif action < SETTLE:
        s.bill += one(GOLD) - one(action - SWAP)
    else:
        complete(kit, s, player, s.buying, s.bill)
        s.phase = ACT
        s.buying = 0
        s.bill = 0
    if s.phase != PAY:
        finish_action(kit, s, player)


@rule
def take(s, player, choice):
    """Gems from the bank: three different, or two alike (S3, S4)."""
    gems = TAKES[choice]
    player.tokens += gems
    s.bank -= gems


@rule
def reserve(kit, s, player, choice):
    """A face-up card or the top of a deck into the hand, with a gold if there is one (S5)."""
    if choice < PLACES:
        card = np.int64(s.market[choice])
        refill(kit, s, choice)
    else:
        card = np.int64(draw(kit, s, choice - PLACES))
        player.unseen |= bit(player.held)
    player.hand[player.held] = card
    player.held += 1
    if s.bank >> (8 * GOLD):
        player.tokens += one(GOLD)
        s.bank -= one(GOLD)


@rule
def buy(kit, s, player, choice):
    """Pay for a card and get it (S6); with the option, first choose how to pay (S7)."""
    card = player.hand[choice - BUY_HELD] if choice >= BUY_HELD else s.market[choice]
    price = shortfall(kit.cost[card], player.bonuses)
    missing = shortfall(price, player.tokens)
    bill = price - missing + total(missing) * one(GOLD)
    if s.choose_payment and price != missing and bill >> (8 * GOLD) < player.tokens >> (8 * GOLD):
        s.phase = PAY
        s.buying = choice
        s.bill = bill
    else:
        complete(kit, s, player, choice, bill)


@rule
def complete(kit, s, player, choice, bill):
    """Hand over the payment and take the card."""
    player.tokens -= bill
    s.bank += bill
    if choice < BUY_HELD:
        card = np.int64(s.market[choice])
        refill(kit, s, choice)
    else:
        s.shown += player.unseen >> (choice - BUY_HELD) & 1
        card = leave_hand(player, choice - BUY_HELD)
    level = level_of(kit, card)
    player.cards[level] |= bit(card - kit.first[level])
    player.bonuses += kit.bonus[card]
    player.points += kit.points[card]
    player.bought += 1


@rule
def level_of(kit, card):
    """The level of a card, 0 to 2."""
    return np.int64(card >= kit.first[1]) + np.int64(card >= kit.first[2])


@rule
def leave_hand(player, place):
    """Take a reserved card out of the hand and close the gap."""
    card = np.int64(player.hand[place])
    below = bit(place) - 1
    player.unseen = (player.unseen & below) | (np.int64(player.unseen) >> 1 & ~below)
    for later in range(place, HAND - 1):
        player.hand[later] = player.hand[later + 1]
    player.hand[HAND - 1] = NO_CARD
    player.held -= 1
    return card


@rule
def give_back(s, player, kind):
    """Return one token to the bank (S9)."""
    player.tokens -= one(kind)
    s.bank += one(kind)


@rule
def finish_action(kit, s, player):
    """After the action: down to ten tokens (S9), then nobles (S10), then the next seat."""
    if total(player.tokens) > MOST_TOKENS:
        s.phase = GIVE_BACK
        return
    welcome_set = qualifying(kit, s, player)
    if count(welcome_set) > 1:
        s.phase = WELCOME
        return
    if welcome_set:
        welcome(kit, s, player, lowest(welcome_set))
    end_turn(s, player)


@rule
def qualifying(kit, s, player):
    """The set of noble places whose needs the player's bonuses meet."""
    places = 0
    for place in range(MOST_NOBLES):
        places |= covers(player.bonuses, kit.need[s.nobles[place]]) << place
    return places


@rule
def welcome(kit, s, player, place):
    """A noble comes to the player."""
    noble = s.nobles[place]
    player.points += kit.favour[noble]
    player.nobles |= bit(noble)
    s.nobles[place] = NO_NOBLE


@rule
def end_turn(s, player):
    """The next seat's turn, or the end when the last round is full (S11, S12)."""
    s.phase = ACT
    s.turns += 1
    if player.points >= GOAL:
        s.last_round = 1
    s.turn += 1
    if s.turn == s.seats:
        if s.last_round or s.passes == s.seats:
            s.over = ENDED
        s.turn = 0
        s.passes = 0


@rule
def result(kit, s, out):
    """Most points, then fewest developments; still tied: shared (S12)."""
    for seat in range(s.seats):
        out[seat, SCORE] = s.players[seat].points
        out[seat, PLACE] = 1
        for other in range(s.seats):
            out[seat, PLACE] += standing(s.players[other]) > standing(s.players[seat])


@rule
def standing(player):
    """Points and the tie-break as one number, the more the better."""
    return 256 * np.int64(player.points) - np.int64(player.bought)
