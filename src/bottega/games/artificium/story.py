"""Artificium's log: what a decision did, as a viewer may know it (A19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.contract import Told
from bottega.engine.kit import Kit
from bottega.engine.language import listing, plural
from bottega.engine.record import ENDED
from bottega.games.artificium.actions import (
    AGAINST,
    BACK,
    DISCARD,
    DONE,
    EXCHANGE,
    PASS,
    PLAY,
    REDRAW,
    RETURN,
    SELL,
    STEAL,
    THROW,
)
from bottega.games.artificium.market import EXCHANGE_PRICE
from bottega.games.artificium.nouns import (
    card_name,
    collected,
    deed,
    good_name,
    some_cards,
    some_goods,
    total,
)
from bottega.games.artificium.state import (
    CHOOSE,
    EXPLORATION,
    FAIR,
    GOODS,
    KINDS,
    MARKET,
    MOST_SEATS,
    NO_CARD,
    OPEN,
    PLACES,
    RESOLVE,
    SEALED_PASS,
    THE_WIZARD,
    TURN_END,
    WIZARD,
)
from bottega.games.artificium.turns import COINS_A_POINT


def tell(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[Told]:
    """What a decision did, as the viewer may know it."""
    lines: list[Told]
    if before.phase == MARKET:
        lines = tell_market(kit, before, after, seat, action, names)
    elif before.phase == CHOOSE:
        revealed = after.shown != before.shown
        lines = tell_reveal(kit, before, seat, action, names) if revealed else []
    elif SELL <= action < EXCHANGE:
        lines = []  # trade is told with what it was for
    elif before.phase == RESOLVE:
        texts = tell_trade(kit, before, names[seat])
        texts += tell_card(kit, before, after, seat, action, viewer, names)
        lines = [(seat, text) for text in texts]
    elif before.phase == WIZARD:
        thrown = f", {card_name(kit, action - THROW)}" if viewer == seat else ""
        lines = [(seat, f"{names[seat]} discards a card{thrown}.")]
    else:
        revealed = action == DONE and after.shown != before.shown
        lines = tell_turn_end(kit, before, viewer, names) if revealed else []
    return lines + tell_consequences(kit, before, after, names)


def tell_market(
    kit: Kit, before: Any, after: Any, seat: int, action: int, names: Sequence[str]
) -> list[Told]:
    """An exchange, a redraw or a pass (A3, A4)."""
    who = names[seat]
    if action == PASS:
        done = f"{who} passes at the market."
    elif action == REDRAW:
        held = int(after.players[seat].held)
        done = f"{who} discards the whole hand and draws {plural(held, 'card')}."
    else:
        card, place = divmod(action - EXCHANGE, PLACES)
        paid = f" for {EXCHANGE_PRICE} coins" if before.exchanged >> seat & 1 else ""
        given, taken = card_name(kit, card), card_name(kit, before.market[place])
        done = f"{who} gives {given} to the market and takes {taken}{paid}."
    lines: list[Told] = [(seat, done)]
    if after.phase != MARKET:
        lines.append((None, "The market closes; its cards are discarded."))
    else:
        out = int(after.passed) & ~int(before.passed)
        lines += [
            (other, f"{names[other]} cannot pay for another exchange and is out of the market.")
            for other in range(after.seats)
            if out >> other & 1 and (other != seat or action != PASS)
        ]
    return lines


def tell_reveal(kit: Kit, before: Any, seat: int, action: int, names: Sequence[str]) -> list[Told]:
    """All chosen cards, clockwise from the first player (A5)."""
    lines: list[Told] = []
    for offset in range(before.seats):
        other = (int(before.first) + offset) % int(before.seats)
        sealed = int(before.players[other].sealed)
        if other == seat:
            sealed = SEALED_PASS if action == PASS else action - PLAY + 1
        if sealed == SEALED_PASS:
            lines.append((other, f"{names[other]} passes."))
        elif sealed != OPEN:
            lines.append((other, f"{names[other]} reveals {card_name(kit, sealed - 1)}."))
    return lines


def tell_trade(kit: Kit, before: Any, who: str) -> list[str]:
    """What was bought and sold before a card was resolved (A6)."""
    prices = kit.record[0]
    deeds = []
    for verb, traded, price in (
        ("buys", before.bought.tolist(), prices.buy.tolist()),
        ("sells", before.sold.tolist(), prices.sell.tolist()),
    ):
        if any(traded):
            coins = sum(number * each for number, each in zip(traded, price, strict=True))
            what = listing(some_goods(kit, traded))
            deeds.append(f"{verb} {what} for {plural(coins, 'coin')}")
    return [f"{who} {listing(deeds)}."] if deeds else []


def tell_card(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[str]:
    """A card discarded, taken back or resolved (A6)."""
    who = names[seat]
    player = before.players[seat]
    card = int(player.card)
    name = card_name(kit, card)
    if action == DISCARD:
        return [f"{who} discards {name}."]
    if action == BACK:
        return [f"{who} takes {name} back and passes."]
    done = deed(kit, card)
    lines = [f"{who} resolves {name}{f': {done}' if done else ''}."]
    track = collected(kit, int(player.points), int(kit.record[0].points[card]))
    if any(track):
        lines.append(f"{who} collects {listing(some_goods(kit, track))} on the score track.")
    return lines + tell_effect(kit, before, after, seat, action, viewer, names)


def tell_effect(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[str]:
    """The effect of a resolved card."""
    who = names[seat]
    player = before.players[seat]
    amount = kit.record[0].amount[player.card]
    effect = kit.record[0].effect[player.card]
    if RETURN <= action < PLAY:
        return [f"{card_name(kit, action - RETURN)} returns to {who}'s hand."]
    if STEAL <= action < RETURN:
        good, other = divmod(action - STEAL, MOST_SEATS)
        price = plural(int(amount[kit.record[0].level[good]]), "coin")
        return [f"{who} pays {price} and steals 1 {good_name(kit, good)} from {names[other]}."]
    if AGAINST <= action < STEAL:
        other = action - AGAINST
        if effect == EXPLORATION:
            return [tell_exploration(kit, before, after, seat, other, viewer, names)]
        start, end = (int(record.players[other].points) for record in (before, after))
        return [f"A Knight drives {names[other]} back from {start} to {end}."]
    if effect == FAIR:
        return [f"{who} earns {plural(int(amount[0]) * total(player.front), 'coin')} at the Fair."]
    if effect == THE_WIZARD:
        drawn = int(after.players[seat].held) - int(player.held)
        return [f"The Wizard lets {who} draw {plural(drawn, 'card')}."]
    return []


def tell_exploration(
    kit: Kit, before: Any, after: Any, seat: int, other: int, viewer: int, names: Sequence[str]
) -> str:
    """A card changes hands; which one, only to those two (A19)."""
    taken = ""
    if viewer in (seat, other):
        hands = before.players[seat].hand, after.players[seat].hand
        card = next(kind for kind in range(KINDS) if hands[1][kind] > hands[0][kind])
        taken = f", {card_name(kit, card)},"
    line = f"{names[seat]} takes a card{taken} from {names[other]}'s hand"
    if after.players[other].held == before.players[other].held:
        return f"{line}; {names[other]} draws a new one."
    return f"{line}."


def tell_turn_end(kit: Kit, before: Any, viewer: int, names: Sequence[str]) -> list[Told]:
    """What each player discarded and sold; which cards, only to the player (A16, A19)."""
    lines: list[Told] = []
    for seat in range(before.seats):
        player = before.players[seat]
        cards = total(player.front)
        sold = [int(player.board[good]) - int(player.goods[good]) for good in range(GOODS)]
        deeds = []
        if cards:
            what = some_cards(kit, player.front) if viewer == seat else plural(cards, "card")
            deeds.append(f"discards {what}")
        if any(sold):
            coins = plural(int(player.coins) - int(player.purse), "coin")
            deeds.append(f"sells {listing(some_goods(kit, sold))} for {coins}")
        if deeds:
            lines.append((seat, f"{names[seat]} {listing(deeds)}."))
    return lines


def tell_consequences(kit: Kit, before: Any, after: Any, names: Sequence[str]) -> list[Told]:
    """What followed by itself: the turn's end, a new turn, the final score."""
    lines: list[Told] = []
    if after.phase == TURN_END != before.phase:
        lines.append((None, f"All have passed: turn {before.turn} ends."))
    if after.renewals != before.renewals:
        lines.append((None, "The discards are shuffled and become the deck."))
    if after.turn != before.turn:
        market = [card_name(kit, card) for card in after.market if card != NO_CARD]
        lines.append((None, f"Turn {after.turn} begins. {first_player(after, names)}"))
        lines.append((None, f"At the market: {listing(market) or 'nothing'}."))
    if after.over == ENDED and not before.over:
        lines.append((None, "The last turn ends: all resources are sold."))
        for seat in range(after.seats):
            coins = int(after.players[seat].coins)
            points = plural(coins // COINS_A_POINT, "point")
            lines.append((seat, f"{names[seat]} has {plural(coins, 'coin')}: {points}."))
        lines.append((None, f"The game is over. {why(kit, after, names)}"))
    return lines


def first_player(s: Any, names: Sequence[str]) -> str:
    """Who goes first, and why (A1)."""
    fewest = min(int(s.players[seat].points) for seat in range(s.seats))
    last = [names[seat] for seat in range(s.seats) if s.players[seat].points == fewest]
    if len(last) == 1:
        return f"{names[s.first]} has the fewest points and goes first."
    return f"{listing(last)} have the fewest points; {names[s.first]} is next and goes first."


def why(kit: Kit, s: Any, names: Sequence[str]) -> str:
    """By how many points it was won (A17)."""
    points = [int(s.players[seat].points) for seat in range(s.seats)]
    best = [names[seat] for seat in range(s.seats) if points[seat] == max(points)]
    rest = [f"{names[seat]} {n}" for seat, n in enumerate(points) if n < max(points)]
    have = f"{listing(best)} {'has' if len(best) == 1 else 'have'}"
    each = "" if len(best) == 1 else " each"
    others = f", {listing(rest)}" if rest else ""
    return f"{have} {plural(max(points), 'point')}{each}{others}."
