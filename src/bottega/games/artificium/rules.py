"""Artificium's rules (rulings A1 to A19), compiled.

The actions, by number:

| from     | action                                                                     |
|----------|----------------------------------------------------------------------------|
| RESOLVE  | resolve the revealed card, where no target is to be chosen                 |
| DISCARD  | discard it                                                                 |
| BACK     | take it back and pass                                                      |
| PASS     | at the market, or instead of choosing a card                               |
| DONE     | complete the turn's end                                                    |
| REDRAW   | discard the whole hand and draw five instead of the free exchange          |
| AGAINST  | resolve Exploration or the Knight against one of 6 seats                   |
| STEAL    | resolve Theft: one of 9 resources from one of 6 seats, the seats together  |
| RETURN   | resolve Reconstruction: one of 18 kinds returns to the hand                |
| PLAY     | choose a card of one of 18 kinds for this step                             |
| THROW    | discard a card of one of 18 kinds: the Wizard's, or at the turn's end      |
| SELL     | one of 9 resources                                                         |
| BUY      | one of 9 resources                                                         |
| EXCHANGE | give a card of one of 18 kinds for that at one of 6 places of the market   |
"""

from __future__ import annotations

import numpy as np

from bottega.engine.bits import allow, bit
from bottega.engine.chance import below, seed_chance
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.record import ENDED
from bottega.engine.rule import rule
from bottega.games.artificium.state import (
    CHOOSE,
    COIN,
    EVERYBODY,
    EXPLORATION,
    FAIR,
    GOODS,
    KINDS,
    KNIGHT,
    MARKET,
    MOST_SEATS,
    NO_CARD,
    OPEN,
    PLACES,
    RECONSTRUCTION,
    SEALED_PASS,
    SPACES,
    THE_WIZARD,
    THEFT,
    TURN_END,
    WIZARD,
)
from bottega.games.artificium.state import RESOLVE as RESOLVING

TURNS = 4
HAND = 5
START_COINS = 5
EXCHANGE_PRICE = 2
COINS_A_POINT = 4
ROOM = 99  # of one resource that can be bought; nobody comes near it, and counts stay small
MOST_KNOWN = 7  # cards of a kind that `known` can count

RESOLVE, DISCARD, BACK, PASS, DONE, REDRAW = 0, 1, 2, 3, 4, 5
AGAINST = REDRAW + 1
STEAL = AGAINST + MOST_SEATS
RETURN = STEAL + GOODS * MOST_SEATS
PLAY = RETURN + KINDS
THROW = PLAY + KINDS
SELL = THROW + KINDS
BUY = SELL + GOODS
EXCHANGE = BUY + GOODS
ACTIONS = EXCHANGE + KINDS * PLACES


# Setting up


@rule
def deal(kit, s, players, seed, options):
    """A fresh table, the first turn begun. A draw takes a random card of those left."""
    seed_chance(s, seed)
    s.seats = players
    for kind in range(KINDS):
        s.deck[kind] = kit.copies[kind]
        s.left += kit.copies[kind]
    for seat in range(players):
        player = s.players[seat]
        player.coins = START_COINS
        player.purse = START_COINS
        player.card = NO_CARD
    start_turn(kit, s)


@rule
def cards_in(cards):
    """How many cards there are of all kinds."""
    number = np.int64(0)
    for kind in range(KINDS):
        number += cards[kind]
    return number


@rule
def nth_card(cards, number):
    """The kind of the n-th of some cards, counted from 0."""
    kind = 0
    while number >= cards[kind]:
        number -= cards[kind]
        kind += 1
    return kind


@rule
def draw(s):
    """A random card of the deck, which the discards renew; NO_CARD if there are none (A18)."""
    if s.left == 0:
        renew_deck(s)
        if s.left == 0:
            return NO_CARD
    kind = nth_card(s.deck, below(s, s.left))
    s.deck[kind] -= 1
    s.left -= 1
    return kind


@rule
def renew_deck(s):
    """All discards become the deck."""
    for kind in range(KINDS):
        s.deck[kind] = s.discards[kind]
        s.discards[kind] = 0
        for seat in range(s.seats):
            s.deck[kind] += s.players[seat].buried[kind]
            s.players[seat].buried[kind] = 0
        s.left += s.deck[kind]


@rule
def draw_cards(s, player, number):
    """Cards from the deck into the hand, as far as there are any."""
    for _ in range(number):
        kind = draw(s)
        if kind != NO_CARD:
            player.hand[kind] += 1
            player.held += 1


# What may be done


@rule
def waiting(kit, s):
    """Who decides: one seat, or all together when they choose cards and at the turn's end."""
    if s.over:
        return 0
    if s.phase == TURN_END:
        return everybody(s) & ~np.int64(s.passed)
    if s.phase != CHOOSE:
        return bit(s.actor)
    seats = 0
    for seat in range(s.seats):
        if s.players[seat].sealed == OPEN and s.passed >> seat & 1 == 0:
            seats |= bit(seat)
    return seats


@rule
def invited(kit, s):
    """Nobody acts out of turn."""
    return 0


@rule
def everybody(s):
    """The set of all seats."""
    return bit(s.seats) - 1


@rule
def legal(kit, s, seat, mask):
    """Fill the mask with what a seat that decides may do."""
    for word in range(mask.shape[0]):
        mask[word] = 0
    player = s.players[seat]
    if s.phase == MARKET:
        legal_exchanges(s, seat, player, mask)
    elif s.phase == CHOOSE:
        allow(mask, PASS)
        allow_cards(player.hand, PLAY, mask)
    elif s.phase == RESOLVING:
        allow(mask, DISCARD)
        allow(mask, BACK)
        legal_trade(kit, player, mask)
        legal_resolutions(kit, s, seat, player, mask)
    elif s.phase == WIZARD:
        allow_cards(player.hand, THROW, mask)
    else:
        allow(mask, DONE)
        allow_cards(player.hand, THROW, mask)
        legal_sales(player, mask)


@rule
def allow_cards(cards, first, mask):
    """One action for each kind that is there."""
    for kind in range(KINDS):
        if cards[kind]:
            allow(mask, first + kind)


@rule
def legal_exchanges(s, seat, player, mask):
    """Pass, exchange, or discard the hand instead of the first exchange (A3, A4)."""
    allow(mask, PASS)
    if s.exchanged >> seat & 1 == 0:
        allow(mask, REDRAW)
    elif player.coins < EXCHANGE_PRICE:
        return
    for kind in range(KINDS):
        if player.hand[kind]:
            for place in range(PLACES):
                if s.market[place] != NO_CARD:
                    allow(mask, EXCHANGE + PLACES * kind + place)


@rule
def legal_sales(player, mask):
    """Any resource held."""
    for good in range(GOODS):
        if player.goods[good]:
            allow(mask, SELL + good)


@rule
def legal_trade(kit, player, mask):
    """Sales, and purchases that the coins pay for (A6, A7)."""
    legal_sales(player, mask)
    for good in range(GOODS):
        if player.coins >= kit.buy[good] and player.goods[good] < ROOM:
            allow(mask, BUY + good)


@rule
def legal_resolutions(kit, s, seat, player, mask):
    """Every way to resolve the revealed card; none if its cost or target is missing (A15)."""
    card = player.card
    if not affordable(kit, player, card):
        return
    effect = kit.effect[card]
    if effect == RECONSTRUCTION:
        legal_returns(kit, s, seat, player, mask)
    elif effect in (EXPLORATION, KNIGHT, THEFT):
        for other in range(s.seats):
            if other != seat:
                legal_targets(kit, player, other, s.players[other], effect, mask)
    else:
        allow(mask, RESOLVE)


@rule
def legal_returns(kit, s, seat, player, mask):
    """Any card lying in front (A11); but when all others have passed, one Reconstruction for
    another would change nothing, for ever."""
    alone = s.passed | bit(seat) == everybody(s)
    for kind in range(KINDS):
        if player.front[kind] and not (alone and kit.effect[kind] == RECONSTRUCTION):
            allow(mask, RETURN + kind)


@rule
def affordable(kit, player, card):
    """Whether the player has what a card takes."""
    enough = player.coins >= kit.takes[card, COIN]
    for good in range(GOODS):
        enough = enough and player.goods[good] >= kit.takes[card, good]
    return enough


@rule
def legal_targets(kit, player, other, victim, effect, mask):
    """What may be done to one opponent: with Exploration (A9), Theft (A10), a Knight (A14)."""
    if effect == KNIGHT or (effect == EXPLORATION and victim.held > 0):
        allow(mask, AGAINST + other)
    elif effect == THEFT:
        coins = np.int64(player.coins) - np.int64(kit.takes[player.card, COIN])
        for good in range(GOODS):
            price = kit.amount[player.card, kit.level[good]]
            if victim.goods[good] and price and price <= coins:
                allow(mask, STEAL + MOST_SEATS * good + other)


# Doing it


@rule
def play(kit, s, seat, action):
    """Carry out one decision."""
    player = s.players[seat]
    if s.phase == MARKET:
        trade_cards(kit, s, seat, player, action)
    elif s.phase == CHOOSE:
        choose(kit, s, player, action)
    elif SELL <= action < EXCHANGE:
        trade(kit, player, action)
    elif s.phase == RESOLVING:
        resolve(kit, s, seat, player, action)
    elif s.phase == WIZARD:
        discard_for_wizard(kit, s, player, action - THROW)
    elif action == DONE:
        be_done(kit, s, seat)
    else:
        player.hand[action - THROW] -= 1
        player.front[action - THROW] += 1


@rule
def trade(kit, player, action):
    """Sell or buy one resource. The others see it when the decision is complete (A6, A16)."""
    if action < BUY:
        player.goods[action - SELL] -= 1
        player.coins += kit.sell[action - SELL]
    else:
        player.goods[action - BUY] += 1
        player.coins -= kit.buy[action - BUY]


@rule
def publish(player):
    """Let the others see the resources and the coins as they are."""
    player.purse = player.coins
    for good in range(GOODS):
        player.board[good] = player.goods[good]


# 1. Start of the turn


@rule
def start_turn(kit, s):
    """First player (A1), hands of five (A2), six cards at the market."""
    s.turn += 1
    s.first = first_player(s)
    for offset in range(s.seats):
        player = s.players[(s.first + offset) % s.seats]
        draw_cards(s, player, max(0, HAND - np.int64(player.held)))
    for place in range(PLACES):
        s.market[place] = draw(s)
    s.phase = MARKET
    s.passed = 0
    s.exchanged = 0
    s.actor = s.first


@rule
def first_player(s):
    """Fewest points; of tied players the first one clockwise from the last first player."""
    best = np.int64(s.first)
    for offset in range(s.seats):
        seat = (np.int64(s.first) + offset) % s.seats
        if s.players[seat].points < s.players[best].points:
            best = seat
    return best


# 2. The card market


@rule
def trade_cards(kit, s, seat, player, action):
    """Pass, exchange a card, or discard the hand and draw five (A3, A4)."""
    if action == PASS:
        s.passed |= bit(seat)
    elif action == REDRAW:
        redraw(s, player)
    else:
        kind = (action - EXCHANGE) // PLACES
        place = (action - EXCHANGE) % PLACES
        if s.exchanged >> seat & 1:
            player.coins -= EXCHANGE_PRICE
        exchange(s, player, kind, place)
    if action != PASS:
        s.exchanged |= bit(seat)
    publish(player)
    s.turns += 1
    next_at_market(kit, s)


@rule
def exchange(s, player, kind, place):
    """The card given takes the place of the card taken, before everybody's eyes."""
    taken = np.int64(s.market[place])
    s.market[place] = kind
    player.hand[kind] -= 1
    player.hand[taken] += 1
    seen_to_leave(player, kind)
    seen_to_join(player, taken)


@rule
def redraw(s, player):
    """The whole hand into the discards, unseen, and five new cards."""
    for kind in range(KINDS):
        player.buried[kind] += player.hand[kind]
        player.hand[kind] = 0
    for knower in range(MOST_SEATS + 1):
        player.known[knower] = 0
    player.held = 0
    draw_cards(s, player, HAND)


@rule
def next_at_market(kit, s):
    """The next seat that can still exchange; who cannot has passed. Without any, play begins."""
    for _ in range(s.seats):
        s.actor = (s.actor + 1) % s.seats
        if s.passed >> s.actor & 1 == 0:
            player = s.players[s.actor]
            if s.exchanged >> s.actor & 1 == 0 or (
                player.held > 0 and player.coins >= EXCHANGE_PRICE
            ):
                return
            s.passed |= bit(s.actor)
    for place in range(PLACES):
        if s.market[place] != NO_CARD:
            s.discards[s.market[place]] += 1
            s.market[place] = NO_CARD
    s.passed = 0
    start_step(kit, s)


# 3. Playing cards


@rule
def start_step(kit, s):
    """Who has cards and has not passed chooses one (A5). Without any, the turn ends."""
    for seat in range(s.seats):
        if s.players[seat].held == 0:
            s.passed |= bit(seat)
    if s.passed == everybody(s):
        end_turn(kit, s)
    else:
        s.phase = CHOOSE


@rule
def choose(kit, s, player, action):
    """Seal a card or a pass; the last one to do so starts the reveal."""
    player.sealed = SEALED_PASS if action == PASS else action - PLAY + 1
    s.turns += 1
    if waiting(kit, s) == 0:
        reveal(kit, s)


@rule
def reveal(kit, s):
    """The chosen cards leave the hands and lie open."""
    s.shown += 1
    for seat in range(s.seats):
        player = s.players[seat]
        if player.sealed == SEALED_PASS:
            s.passed |= bit(seat)
        elif player.sealed != OPEN:
            card = np.int64(player.sealed) - 1
            player.card = card
            player.hand[card] -= 1
            player.held -= 1
            seen_to_leave(player, card)
        player.sealed = OPEN
    s.phase = RESOLVING
    next_to_resolve(kit, s)


@rule
def next_to_resolve(kit, s):
    """Actions clockwise from the first player, then Buildings (A5); then the next step."""
    s.phase = RESOLVING
    for later in range(2):
        for offset in range(s.seats):
            seat = (s.first + offset) % s.seats
            card = s.players[seat].card
            if card != NO_CARD and kit.action[card] != later:
                s.actor = seat
                return
    start_step(kit, s)


@rule
def resolve(kit, s, seat, player, action):
    """Resolve the revealed card, discard it, or take it back and pass (A6)."""
    card = np.int64(player.card)
    player.card = NO_CARD
    s.turns += 1
    if action == DISCARD:
        s.discards[card] += 1
    elif action == BACK:
        player.hand[card] += 1
        player.held += 1
        seen_to_join(player, card)
        s.passed |= bit(seat)
    else:
        pay_and_gain(kit, player, card)
        take_effect(kit, s, seat, player, card, action)
        player.front[card] += 1
    publish(player)
    if s.phase != WIZARD:
        next_to_resolve(kit, s)


@rule
def pay_and_gain(kit, player, card):
    """What the card takes, what it gives, and its points."""
    for good in range(GOODS):
        player.goods[good] -= kit.takes[card, good]
        player.goods[good] += kit.gives[card, good]
    player.coins -= kit.takes[card, COIN]
    player.coins += kit.gives[card, COIN]
    score(kit, player, kit.points[card])


@rule
def score(kit, player, points):
    """Forward on the score track, collecting the resources passed or reached (A8)."""
    for _ in range(points):
        player.points += 1
        if player.points < SPACES and kit.space[player.points]:
            player.goods[np.int64(kit.space[player.points]) - 1] += 1


@rule
def take_effect(kit, s, seat, player, card, action):
    """The effect of a card on its target."""
    effect = kit.effect[card]
    if effect == EXPLORATION:
        explore(s, seat, player, action - AGAINST)
    elif effect == THEFT:
        good = (action - STEAL) // MOST_SEATS
        steal(player, s.players[(action - STEAL) % MOST_SEATS], good)
        player.coins -= kit.amount[card, kit.level[good]]
    elif effect == RECONSTRUCTION:
        reconstruct(player, action - RETURN)
    elif effect == FAIR:
        player.coins += np.int64(kit.amount[card, 0]) * cards_in(player.front)
    elif effect == THE_WIZARD:
        draw_cards(s, player, kit.amount[card, 0])
        s.due = min(kit.amount[card, 1], player.held)
        if s.due:
            s.phase = WIZARD
    elif effect == KNIGHT:
        victim = s.players[action - AGAINST]
        victim.points = max(0, np.int64(victim.points) - np.int64(kit.amount[card, 0]))


@rule
def explore(s, seat, player, other):
    """A random card of an opponent's hand; the opponent draws a new one (A9)."""
    victim = s.players[other]
    card = nth_card(victim.hand, below(s, victim.held))
    for knower in range(MOST_SEATS + 1):
        if knower == seat:
            forget(victim, knower, card)
            continue
        # Nobody else saw the card, unless all in that hand are known to be alike.
        if knower == other or known(victim, knower, card) == victim.held:
            learn(player, knower, card)
        doubt(victim, knower, 1)
    victim.hand[card] -= 1
    victim.held -= 1
    player.hand[card] += 1
    player.held += 1
    draw_cards(s, victim, 1)


@rule
def steal(player, victim, good):
    """One resource from board to board (A10)."""
    victim.goods[good] -= 1
    victim.board[good] -= 1
    player.goods[good] += 1


@rule
def reconstruct(player, card):
    """A card resolved earlier this turn returns to the hand (A11)."""
    player.front[card] -= 1
    player.hand[card] += 1
    player.held += 1
    seen_to_join(player, card)


@rule
def discard_for_wizard(kit, s, player, card):
    """One of the cards that the Wizard wants discarded, unseen by the others (A13)."""
    player.hand[card] -= 1
    player.held -= 1
    player.buried[card] += 1
    for knower in range(MOST_SEATS + 1):
        doubt(player, knower, 1)
    s.due -= 1
    s.turns += 1
    if s.due == 0:
        next_to_resolve(kit, s)


# 4. The turn's end


@rule
def end_turn(kit, s):
    """Played cards are discarded; then all discard and sell in secret (A16).

    Not after the last turn: cards are worth nothing then, and everything is sold anyway.
    """
    for seat in range(s.seats):
        player = s.players[seat]
        for kind in range(KINDS):
            s.discards[kind] += player.front[kind]
            player.front[kind] = 0
    if s.turn == TURNS:
        final_score(kit, s)
        return
    s.phase = TURN_END
    s.passed = 0
    for seat in range(s.seats):
        if nothing_left(s.players[seat]):
            s.passed |= bit(seat)
    if s.passed == everybody(s):
        start_turn(kit, s)


@rule
def nothing_left(player):
    """Whether a player has neither cards nor resources."""
    things = np.int64(player.held)
    for good in range(GOODS):
        things += player.goods[good]
    return things == 0


@rule
def be_done(kit, s, seat):
    """The last seat to be done shows what all have discarded and sold."""
    s.passed |= bit(seat)
    s.turns += 1
    if s.passed != everybody(s):
        return
    s.shown += 1
    for other in range(s.seats):
        player = s.players[other]
        number = cards_in(player.front)
        for kind in range(KINDS):
            player.buried[kind] += player.front[kind]
            player.front[kind] = 0
        for knower in range(MOST_SEATS + 1):
            doubt(player, knower, number)
        player.held -= number
        publish(player)
    start_turn(kit, s)


@rule
def final_score(kit, s):
    """All resources are sold; each four coins are a point, without collecting (A17)."""
    for seat in range(s.seats):
        player = s.players[seat]
        for good in range(GOODS):
            player.coins += np.int64(player.goods[good]) * np.int64(kit.sell[good])
            player.goods[good] = 0
        player.points += player.coins // COINS_A_POINT
        publish(player)
    s.over = ENDED


@rule
def result(kit, s, out):
    """Most points; tied players share the place (A17)."""
    for seat in range(s.seats):
        out[seat, SCORE] = s.players[seat].points
        out[seat, PLACE] = 1
        for other in range(s.seats):
            out[seat, PLACE] += s.players[other].points > s.players[seat].points


# What others know of a hand (A19)


@rule
def known(player, knower, card):
    """How many cards of a kind a seat is certain to be in a player's hand."""
    return player.known[knower] >> (3 * card) & MOST_KNOWN


@rule
def learn(player, knower, card):
    """One more card of the kind is certain."""
    if known(player, knower, card) < MOST_KNOWN:
        player.known[knower] += bit(3 * card)


@rule
def forget(player, knower, card):
    """One card of the kind has left, whether it was certain or not."""
    if known(player, knower, card) > 0:
        player.known[knower] -= bit(3 * card)


@rule
def doubt(player, knower, number):
    """Some cards have left unseen: of each kind so many fewer are certain."""
    for card in range(KINDS):
        gone = min(number, known(player, knower, card))
        player.known[knower] -= np.int64(gone) << (3 * card)


@rule
def seen_to_join(player, card):
    """Everybody sees a card go into a hand."""
    for knower in range(EVERYBODY + 1):
        learn(player, knower, card)


@rule
def seen_to_leave(player, card):
    """Everybody sees a card leave a hand."""
    for knower in range(EVERYBODY + 1):
        forget(player, knower, card)
