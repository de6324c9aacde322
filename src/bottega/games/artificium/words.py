"""Artificium in words: keys, sentences, prompts and the rule behind a refusal.

The log is in `story.py`, the board as text in `sketch.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.language import listing, plural, seat_name, sentence
from bottega.games.artificium.actions import (
    AGAINST,
    BACK,
    BUY,
    DISCARD,
    DONE,
    EXCHANGE,
    PASS,
    PLAY,
    REDRAW,
    RESOLVE,
    RETURN,
    SELL,
    STEAL,
    THROW,
)
from bottega.games.artificium.components import CARDS, RESOURCES
from bottega.games.artificium.market import EXCHANGE_PRICE
from bottega.games.artificium.nouns import (
    card_name,
    deed,
    effect_words,
    good_name,
    some_goods,
    total,
)
from bottega.games.artificium.playing import ROOM
from bottega.games.artificium.sketch import sketch
from bottega.games.artificium.state import (
    CHOOSE,
    COIN,
    EXPLORATION,
    FAIR,
    GOODS,
    KNIGHT,
    MARKET,
    MOST_SEATS,
    NO_CARD,
    PLACES,
    RECONSTRUCTION,
    THEFT,
    TURN_END,
    WIZARD,
)
from bottega.games.artificium.state import RESOLVE as RESOLVING
from bottega.games.artificium.story import tell, why
from bottega.games.artificium.turns import HAND

__all__ = [
    "ICONS",
    "caution",
    "key",
    "kind",
    "picks",
    "prompt",
    "refusal",
    "sketch",
    "tell",
    "text",
    "topic",
    "why",
]

PLAIN_KEYS = ("resolve", "discard", "take-back", "pass", "done", "redraw")


def key(action: int) -> str:
    """The stable key of an action."""
    if action < AGAINST:
        return PLAIN_KEYS[action]
    if action < STEAL:
        return f"against-seat-{action - AGAINST}"
    if action < RETURN:
        good, seat = divmod(action - STEAL, MOST_SEATS)
        return f"steal-{RESOURCES[good]}-seat-{seat}"
    if action < PLAY:
        return f"return-{CARDS[action - RETURN]}"
    if action < THROW:
        return f"play-{CARDS[action - PLAY]}"
    if action < SELL:
        return f"discard-{CARDS[action - THROW]}"
    if action < BUY:
        return f"sell-{RESOURCES[action - SELL]}"
    if action < EXCHANGE:
        return f"buy-{RESOURCES[action - BUY]}"
    card, place = divmod(action - EXCHANGE, PLACES)
    return f"exchange-{CARDS[card]}-{place + 1}"


def picks(action: int) -> tuple[str, ...]:
    """The things on the board one clicks for an action."""
    if action in (RESOLVE, DISCARD, BACK):
        return ("card",)
    if action == REDRAW:
        return ("deck",)
    if action < AGAINST:
        return (PLAIN_KEYS[action],)  # pass and done have buttons of their own
    if action < STEAL:
        return (f"rival-{action - AGAINST}",)
    if action < RETURN:
        good, seat = divmod(action - STEAL, MOST_SEATS)
        return (f"goods-{seat}-{RESOURCES[good]}",)
    if action < PLAY:
        return (f"front-{CARDS[action - RETURN]}",)
    if action < SELL:
        return (f"hand-{CARDS[(action - PLAY) % (THROW - PLAY)]}",)
    if action < EXCHANGE:
        return (key(action),)  # a place to sell and one to buy, beside each resource
    card, place = divmod(action - EXCHANGE, PLACES)
    return (f"hand-{CARDS[card]}", f"market-{place + 1}")


# The verb of each kind of action, from which number on.
VERBS = (
    (RESOLVE, "resolve"),
    (DISCARD, "discard"),
    (BACK, "take it back"),
    (PASS, "pass"),
    (DONE, "end your turn"),
    (REDRAW, "whole hand"),
    (AGAINST, "resolve"),
    (PLAY, "play"),
    (THROW, "discard"),
    (SELL, "sell"),
    (BUY, "buy"),
    (EXCHANGE, "exchange"),
)


def kind(action: int) -> str:
    """The verb of an action."""
    return next(verb for first, verb in reversed(VERBS) if first <= action)


# Sentences


def text(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What an action does, as a sentence."""
    if action >= EXCHANGE:
        card, place = divmod(action - EXCHANGE, PLACES)
        price = f"for {EXCHANGE_PRICE} coins" if s.exchanged >> seat & 1 else "free"
        taken = card_name(kit, s.market[place])
        return f"Give {card_name(kit, card)} and take {taken} from place {place + 1} ({price})"
    if action >= BUY:
        good = action - BUY
        price = plural(int(kit.record[0].buy[good]), "coin")
        return f"Buy 1 {good_name(kit, good)} for {price}"
    if action >= SELL:
        good = action - SELL
        price = plural(int(kit.record[0].sell[good]), "coin")
        return f"Sell 1 {good_name(kit, good)} for {price}"
    if action >= THROW:
        return f"Discard {card_name(kit, action - THROW)} from your hand"
    if action >= PLAY:
        return f"Play {card_name(kit, action - PLAY)}, face down until all have chosen"
    if action in (PASS, DONE, REDRAW):
        return text_plain(kit, s, seat, action)
    return text_card(kit, s, seat, action)


def text_plain(kit: Kit, s: Any, seat: int, action: int) -> str:
    """Passing, being done and the redraw."""
    if action == REDRAW:
        return f"Discard your whole hand and draw {HAND} cards, instead of the free exchange"
    if action == PASS:
        what = "exchange no more cards" if s.phase == MARKET else "play no more cards"
        return f"Pass: {what} this turn"
    player = s.players[seat]
    cards = total(player.front)
    sold = [int(player.board[good]) - int(player.goods[good]) for good in range(GOODS)]
    deeds = [f"discard {plural(cards, 'card')}"] if cards else []
    deeds += [f"sell {listing(some_goods(kit, sold))}"] if any(sold) else []
    return f"End your turn: {listing(deeds) or 'keep everything'}"


def text_card(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What is done with the revealed card."""
    card = int(s.players[seat].card)
    name = card_name(kit, card)
    if action == DISCARD:
        return f"Discard {name} and play on"
    if action == BACK:
        return f"Take {name} back and pass"
    deeds = [deed(kit, card), outcome(kit, s, seat, action)]
    return f"Resolve {name}: {'; '.join(what for what in deeds if what)}"


def outcome(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What the effect of the revealed card does, on its target if it has one."""
    player = s.players[seat]
    card = int(player.card)
    amount = kit.record[0].amount[card]
    effect = kit.record[0].effect[card]
    if RETURN <= action < PLAY:
        return f"{card_name(kit, action - RETURN)} returns to your hand"
    if STEAL <= action < RETURN:
        good, other = divmod(action - STEAL, MOST_SEATS)
        price = plural(int(amount[kit.record[0].level[good]]), "coin")
        return f"pay {price} and steal 1 {good_name(kit, good)} from {seat_name(other)}"
    if AGAINST <= action < STEAL:
        whom = seat_name(action - AGAINST)
        if effect == EXPLORATION:
            return f"take a card at random from {whom}"
        points = int(s.players[action - AGAINST].points)
        return f"{whom} moves back from {points} to {max(0, points - int(amount[0]))}"
    if effect == FAIR:
        return plural(int(amount[0]) * total(player.front), "coin")
    return effect_words(kit, card)


def caution(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """What passing gives away."""
    if action != PASS:
        return ""
    if s.phase == CHOOSE:
        held = plural(int(s.players[seat].held), "card")
        return f"You hold {held} and are out until the end of this turn."
    return "" if s.exchanged >> seat & 1 else "You have not used your free exchange."


def prompt(kit: Kit, s: Any, seat: int, legal: Sequence[int]) -> str:
    """What the seat is asked."""
    verbs = {kind(action) for action in legal}
    if s.phase == MARKET:
        return prompt_market(s, seat, verbs)
    if s.phase == CHOOSE:
        return "Choose a card to play, or pass."
    if s.phase == WIZARD:
        return f"The Wizard wants {plural(int(s.due), 'card')} back: discard from your hand."
    if s.phase == TURN_END:
        return prompt_turn_end(verbs)
    return prompt_card(kit, s, seat, verbs)


def prompt_market(s: Any, seat: int, verbs: set[str]) -> str:
    """What may be done at the market."""
    price = (
        f"another card for {EXCHANGE_PRICE} coins" if s.exchanged >> seat & 1 else "a card for free"
    )
    ways = [f"exchange {price}"] if "exchange" in verbs else []
    ways += [f"give your whole hand for {HAND} new cards"] if "whole hand" in verbs else []
    return sentence(listing([*ways, "pass"], "or"))


def prompt_turn_end(verbs: set[str]) -> str:
    """What may be done at the end of a turn."""
    ways = ["discard cards"] if "discard" in verbs else []
    ways += ["sell resources"] if "sell" in verbs else []
    if not ways:
        return "End your turn; all is shown when everybody has."
    return sentence(f"{listing(ways)} if you like, then end your turn; all show it together")


def prompt_card(kit: Kit, s: Any, seat: int, verbs: set[str]) -> str:
    """What may be done with the revealed card."""
    name = card_name(kit, s.players[seat].card)
    lacking = missing(kit, s, seat)
    trade = listing([verb for verb in ("buy", "sell") if verb in verbs])
    first = f"{trade} if you like; then " if trade else ""
    if lacking:
        return sentence(f"for {name} {lacking}: {first}discard it, or take it back and be out")
    return sentence(f"{first}resolve {name}, discard it, or take it back and be out")


def missing(kit: Kit, s: Any, seat: int) -> str:
    """What is missing to resolve the revealed card (A15); nothing if nothing is."""
    player = s.players[seat]
    components = kit.record[0]
    card = int(player.card)
    have = [*player.goods, player.coins]
    lack = [max(0, int(components.takes[card, i]) - int(have[i])) for i in range(COIN + 1)]
    if any(lack):
        return f"you lack {listing(some_goods(kit, lack))}"
    effect = components.effect[card]
    others = [s.players[other] for other in range(s.seats) if other != seat]
    if effect == EXPLORATION and not any(other.held for other in others):
        return "no opponent holds a card"
    if effect == RECONSTRUCTION and not returnable(kit, s, seat):
        return "no card lies in front of you that could return"
    if effect == THEFT and not any(
        0 < price <= player.coins - components.takes[card, COIN] and other.goods[good]
        for other in others
        for good in range(GOODS)
        if (price := components.amount[card, components.level[good]])
    ):
        return "there is nothing to steal that you can pay for"
    return ""


def returnable(kit: Kit, s: Any, seat: int) -> list[int]:
    """The cards that a Reconstruction may return (A11, A20)."""
    return [
        card
        for card, number in enumerate(s.players[seat].front)
        if number and kit.record[0].effect[card] != RECONSTRUCTION
    ]


def topic(kit: Kit, s: Any, viewer: int) -> str:
    """The heading of RULES.md that matters now."""
    if s.over:
        return "final score"
    return {
        MARKET: "the card market",
        CHOOSE: "playing cards",
        RESOLVING: "resolving a card",
        WIZARD: "the buildings",
        TURN_END: "the end of a turn",
    }[int(s.phase)]


# Refusals


def refusal(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Why an action is not possible now, and which rule says so."""
    if not fits_phase(s, action):
        return f"That cannot be done now. {prompt(kit, s, seat, legal)}"
    if s.phase == MARKET:
        return refuse_exchange(kit, s, seat, action)
    if action >= SELL:
        return refuse_trade(kit, s, seat, action)
    if action >= PLAY:
        card = (action - PLAY) % (THROW - PLAY)
        name = card_name(kit, card)
        rule = {CHOOSE: "A5", WIZARD: "A13", TURN_END: "A16"}[int(s.phase)]
        return f"You hold no {name} ({rule})." if name else f"The kit has no such card ({rule})."
    return refuse_resolution(kit, s, seat, action)


def fits_phase(s: Any, action: int) -> bool:
    """Whether an action is of the kind that the phase is about."""
    return {
        MARKET: action in (PASS, REDRAW) or action >= EXCHANGE,
        CHOOSE: action == PASS or PLAY <= action < THROW,
        RESOLVING: action < PASS or AGAINST <= action < PLAY or SELL <= action < EXCHANGE,
        WIZARD: THROW <= action < SELL,
        TURN_END: action == DONE or THROW <= action < BUY,
    }[int(s.phase)]


def refuse_exchange(kit: Kit, s: Any, seat: int, action: int) -> str:
    """No redraw after the first exchange, no coins, no such card (A3, A4)."""
    player = s.players[seat]
    if action == REDRAW:
        return "Your hand can be discarded only instead of the first exchange (A4)."
    card, place = divmod(action - EXCHANGE, PLACES)
    if s.exchanged >> seat & 1 and player.coins < EXCHANGE_PRICE:
        return (
            f"Another exchange costs {EXCHANGE_PRICE} coins; "
            f"you have {plural(int(player.coins), 'coin')} (A4)."
        )
    if s.market[place] == NO_CARD:
        return f"Place {place + 1} of the market is empty (A3)."
    return f"You hold no {card_name(kit, card) or 'such card'} to give (A3)."


def refuse_trade(kit: Kit, s: Any, seat: int, action: int) -> str:
    """Nothing to sell, or too few coins to buy (A6)."""
    if action < BUY:
        return f"You have no {good_name(kit, action - SELL)} to sell (A6)."
    good = action - BUY
    player = s.players[seat]
    if player.goods[good] >= ROOM:
        return f"Your board has no room for more {good_name(kit, good)}."
    return (
        f"{good_name(kit, good)} costs {plural(int(kit.record[0].buy[good]), 'coin')}; "
        f"you have {plural(int(player.coins), 'coin')} (A6)."
    )


def refuse_resolution(kit: Kit, s: Any, seat: int, action: int) -> str:
    """The cost or the target is missing, or it is no target of this card (A9 to A15)."""
    player = s.players[seat]
    components = kit.record[0]
    card = int(player.card)
    name = card_name(kit, card)
    lacking = missing(kit, s, seat)
    if lacking:
        return f"{name} cannot be resolved: {lacking} (A15)."
    effect = components.effect[card]
    if effect == EXPLORATION:
        return "Exploration needs an opponent who holds cards: choose one (A9)."
    if effect == KNIGHT:
        return "A Knight needs an opponent: choose who moves back (A14)."
    if effect == RECONSTRUCTION:
        there = listing([card_name(kit, other) for other in returnable(kit, s, seat)])
        return f"{name} returns a card resolved earlier this turn: {there} (A11, A20)."
    if effect == THEFT:
        return f"{name} takes a resource of a level you can pay for from an opponent's board (A10)."
    return f"{name} needs no target: resolve it, discard it, or take it back and pass (A6)."


# The drawings that stand before these words, in the log and in the choices

ICONS = {
    **{resource: f"artificium/{resource}" for resource in RESOURCES},
    "coin": "artificium/coin",
    "coins": "artificium/coin",
}
