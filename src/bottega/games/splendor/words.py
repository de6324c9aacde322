"""Splendor in words: keys, sentences, prompts, log lines and the rule behind a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.markup import escape, render

from bottega.engine.contract import Told
from bottega.engine.kit import Kit
from bottega.engine.lanes import lane, shortfall, total, unpack
from bottega.engine.language import listing, plural, sentence
from bottega.engine.record import ENDED
from bottega.games.splendor.rules import (
    BUY,
    BUY_HELD,
    DIFFERENT,
    MOST_TOKENS,
    NOBLE,
    PASS,
    PILE_FOR_TWO,
    RESERVE,
    RESERVE_DECK,
    RETURN,
    SETTLE,
    SWAP,
    TAKE,
    TAKE_TWO,
)
from bottega.games.splendor.sight import KINDS, card_view, noble_view
from bottega.games.splendor.state import (
    ACT,
    GEMS,
    GIVE_BACK,
    GOLD,
    HAND,
    NO_CARD,
    NO_NOBLE,
    PAY,
    ROW,
    WELCOME,
)


def place_name(place: int) -> str:
    """A place of the market: the level, then a letter from the left."""
    return f"{place // ROW + 1}{'abcd'[place % ROW]}"


def taken(action: int) -> list[str]:
    """The gems of a take."""
    if action >= TAKE_TWO:
        return [KINDS[action - TAKE_TWO]] * 2
    return [KINDS[gem] for gem in DIFFERENT[action - TAKE]]


def key(action: int) -> str:
    """The stable key of an action."""
    if action < BUY_HELD:
        return f"buy-{place_name(action - BUY)}"
    if action < RESERVE:
        return f"buy-hand-{action - BUY_HELD + 1}"
    if action < RESERVE_DECK:
        return f"reserve-{place_name(action - RESERVE)}"
    if action < TAKE:
        return f"reserve-deck-{action - RESERVE_DECK + 1}"
    if action < PASS:
        return "-".join(["take", *taken(action)])
    if action == PASS:
        return "pass"
    if action < RETURN:
        return f"welcome-{action - NOBLE + 1}"
    if action < SWAP:
        return f"return-{KINDS[action - RETURN]}"
    if action < SETTLE:
        return f"gold-for-{KINDS[action - SWAP]}"
    return "settle"


def picks(action: int) -> tuple[str, ...]:
    """The things on the board one clicks for an action."""
    if action < BUY_HELD:
        return (f"card-{place_name(action - BUY)}",)
    if action < RESERVE:
        return (f"hand-{action - BUY_HELD + 1}",)
    if action < RESERVE_DECK:
        return (f"card-{place_name(action - RESERVE)}",)
    if action < TAKE:
        return (f"deck-{action - RESERVE_DECK + 1}",)
    if action < PASS:
        return tuple(f"bank-{gem}" for gem in taken(action))
    if NOBLE <= action < RETURN:
        return (f"noble-{action - NOBLE + 1}",)
    if RETURN <= action < SWAP:
        return (f"own-{KINDS[action - RETURN]}",)
    return (key(action),)  # pass, swaps and settle have buttons of their own


# The verb of each kind of action, and how a prompt speaks of those of a usual turn.
TURN = {"take": "take gems", "reserve": "reserve a card", "buy": "buy a card"}


def kind(action: int) -> str:
    """The verb of an action."""
    if action < PASS:
        return "buy" if action < RESERVE else "reserve" if action < TAKE else "take"
    if action < RETURN:
        return "pass" if action == PASS else "welcome"
    return "give back" if action < SWAP else "pay"


# Things


def amounts(counts: dict[str, int]) -> str:
    """Counts in words: 2 white and 1 gold."""
    return listing([f"{number} {kind}" for kind, number in counts.items() if number]) or "nothing"


def card_name(kit: Kit, card: int) -> str:
    """A card in words: blue level 2 card worth 3 points."""
    seen = card_view(kit.record[0], card)
    if seen is None:
        return "empty place"
    worth = f" worth {plural(seen['points'], 'point')}" if seen["points"] else ""
    return f"{seen['bonus']} level {seen['level']} card{worth}"


def noble_name(kit: Kit, noble: int) -> str:
    """A noble by name and needs."""
    seen = noble_view(kit.record[0], noble)
    if seen is None:
        return "nobody"
    return f"{kit.words['nobles'][noble]} ({amounts(seen['need'])})"


def card_of(s: Any, seat: int, action: int) -> int:
    """The card that a buy or a reserve of a visible card is about."""
    if action < BUY_HELD:
        return int(s.market[action - BUY])
    if action < RESERVE:
        return int(s.players[seat].hand[action - BUY_HELD])
    return int(s.market[action - RESERVE])


def price(kit: Kit, s: Any, seat: int, card: int) -> dict[str, int]:
    """What a card costs the seat: gems first, gold for the shortfall (S7)."""
    player = s.players[seat]
    due = shortfall(kit.record[0].cost[card], player.bonuses)
    missing = shortfall(due, player.tokens)
    counts = [*unpack(due - missing, GEMS), int(total(missing))]
    return dict(zip(KINDS, counts, strict=True))


# Sentences


def text(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What an action does, as a sentence."""
    if action < RESERVE:
        card = card_of(s, seat, action)
        where = (
            f"at {place_name(action)}"
            if action < BUY_HELD
            else f"from your hand ({action - BUY_HELD + 1})"
        )
        return f"Buy the {card_name(kit, card)} {where}: pay {amounts(price(kit, s, seat, card))}"
    if action < TAKE:
        gold = " and take a gold" if lane(s.bank, GOLD) else ", without gold"
        if action >= RESERVE_DECK:
            level = action - RESERVE_DECK + 1
            return f"Reserve the top card of level {level}, unseen by the others{gold}"
        place = place_name(action - RESERVE)
        return f"Reserve the {card_name(kit, card_of(s, seat, action))} at {place}{gold}"
    if action < TAKE_TWO:
        return f"Take {listing(taken(action))}"
    if action < PASS:
        return f"Take two {KINDS[action - TAKE_TWO]}"
    if action == PASS:
        return "Pass: there is nothing you can do"
    if action < RETURN:
        return f"Welcome {noble_name(kit, s.nobles[action - NOBLE])}"
    if action < SWAP:
        return f"Give back a {KINDS[action - RETURN]}"
    if action < SETTLE:
        return f"Pay a gold in place of a {KINDS[action - SWAP]}"
    return f"Pay {amounts(dict(zip(KINDS, unpack(s.bill, GEMS + 1), strict=True)))}"


def caution(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Nothing is given away here that is not plain to see."""
    return ""


def prompt(kit: Kit, s: Any, seat: int, legal: Sequence[int]) -> str:
    """What the seat is asked."""
    if s.phase == PAY:
        return "How do you pay? Gold may stand for any gem."
    if s.phase == GIVE_BACK:
        surplus = int(total(s.players[seat].tokens)) - MOST_TOKENS
        return f"You hold more than ten tokens: give back {surplus}."
    if s.phase == WELCOME:
        return "Several nobles would come to you: welcome one."
    last = " This is your last turn." if s.last_round else ""
    possible = [TURN[verb] for verb in TURN if any(kind(action) == verb for action in legal)]
    if not possible:
        return f"There is nothing you can do: pass.{last}"
    ways = listing(possible, "or").replace("a card or buy a card", "a card or buy one")
    return f"{sentence(ways)}{last}"


def topic(kit: Kit, s: Any, seat: int) -> str:
    """The heading of RULES.md that matters now."""
    return {
        ACT: "your turn",
        PAY: "buying",
        GIVE_BACK: "ten tokens",
        WELCOME: "nobles",
    }[int(s.phase) if seat == s.turn else ACT]


# The log


def tell(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[Told]:
    """What a decision did, as the viewer may know it."""
    who = names[seat]
    lines: list[Told] = []
    if action < RESERVE or action == SETTLE:
        if after.phase != PAY or action == SETTLE:
            lines.append((seat, tell_purchase(kit, before, after, seat, action, who)))
    elif action < TAKE:
        lines.append((seat, tell_reserve(kit, before, after, seat, action, viewer, who)))
    elif action < PASS:
        gems = "two " + KINDS[action - TAKE_TWO] if action >= TAKE_TWO else listing(taken(action))
        lines.append((seat, f"{who} takes {gems}."))
    elif action == PASS:
        lines.append((seat, f"{who} can do nothing and passes."))
    elif RETURN <= action < SWAP:
        lines.append((seat, f"{who} gives back a {KINDS[action - RETURN]}."))
    return lines + tell_consequences(kit, before, after, seat, names)


def tell_purchase(kit: Kit, before: Any, after: Any, seat: int, action: int, who: str) -> str:
    """A card bought, and what was paid."""
    card = card_of(before, seat, int(before.buying) if action == SETTLE else action)
    paid = before.players[seat].tokens - after.players[seat].tokens
    counts = dict(zip(KINDS, unpack(paid, GEMS + 1), strict=True))
    return f"{who} buys the {card_name(kit, card)} and pays {amounts(counts)}."


def tell_reserve(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, who: str
) -> str:
    """A card reserved; what it is, only to those who saw it (S5)."""
    gold = " and takes a gold" if lane(before.bank, GOLD) else ""
    if action < RESERVE_DECK:
        return f"{who} reserves the {card_name(kit, card_of(before, seat, action))}{gold}."
    deck = f"a card from the deck of level {action - RESERVE_DECK + 1}"
    if viewer == seat:
        place = int(before.players[seat].held)
        card = after.players[seat].hand[place]
        deck += f": the {card_name(kit, card)}"
        gold = gold and f",{gold}"
    return f"{who} reserves {deck}{gold}."


def tell_consequences(
    kit: Kit, before: Any, after: Any, seat: int, names: Sequence[str]
) -> list[Told]:
    """What followed by itself: a new card, a noble, the last round, the end."""
    lines: list[Told] = []
    for place, card in enumerate(after.market):
        if card != before.market[place]:
            empty = (
                f"The deck of level {place // ROW + 1} is empty; {place_name(place)} stays open."
            )
            shown = f"A {card_name(kit, card)} appears at {place_name(place)}."
            lines.append((None, empty if card == NO_CARD else shown))
    left = [noble != NO_NOBLE for noble in before.nobles]
    for place in compress(range(len(left)), left):
        if after.nobles[place] == NO_NOBLE:
            noble = noble_name(kit, before.nobles[place])
            lines.append((seat, f"{noble} comes to {names[seat]}."))
    if after.last_round and not before.last_round:
        has = f"{names[seat]} has {plural(int(after.players[seat].points), 'point')}"
        lines.append((seat, f"{has}: the round is played to its end."))
    if after.over == ENDED and not before.over:
        lines.append((None, f"The game is over. {why(kit, after, names)}"))
    return lines


def why(kit: Kit, s: Any, names: Sequence[str]) -> str:
    """By how many points, and of tied players by how few cards, it was won (S11, S12)."""
    stuck = "" if s.last_round else "Nobody could do anything any more. "
    most = max(int(s.players[seat].points) for seat in range(s.seats))
    tied = [seat for seat in range(s.seats) if s.players[seat].points == most]
    points = plural(most, "point")
    if len(tied) == 1:
        rest = [
            f"{names[seat]} {s.players[seat].points}" for seat in range(s.seats) if seat not in tied
        ]
        return f"{stuck}{names[tied[0]]} has {points}, {listing(rest)}."
    have = f"{stuck}{listing([names[seat] for seat in tied])} have {points}"
    bought = {seat: int(s.players[seat].bought) for seat in tied}
    if len(set(bought.values())) == 1:
        return f"{have} and {plural(bought[tied[0]], 'card')} each."
    counts = ", ".join(f"{names[seat]} {bought[seat]}" for seat in tied)
    return f"{have} each; the fewest cards bought decide: {counts}."


# Refusals


def refusal(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Why an action is not possible now, and which rule says so."""
    phases = {
        ACT: action <= PASS,
        WELCOME: NOBLE <= action < RETURN,
        GIVE_BACK: RETURN <= action < SWAP,
        PAY: action >= SWAP,
    }
    if not phases[int(s.phase)]:
        return f"That cannot be done now. {prompt(kit, s, seat, legal)}"
    if action < RESERVE:
        return refuse_purchase(kit, s, seat, action)
    if action < TAKE:
        return refuse_reserve(s, seat, action)
    if action < PASS:
        return refuse_take(s, action)
    if action == PASS:
        return "You may pass only when nothing else is possible (S11)."
    if action < RETURN:
        return "That noble does not come to you: your bonuses do not meet its needs (S10)."
    if action < SWAP:
        return f"You hold no {KINDS[action - RETURN]} to give back (S9)."
    return "You have no gold left for that, or the bill has no such gem (S7)."


def refuse_purchase(kit: Kit, s: Any, seat: int, action: int) -> str:
    """A card that is not there or too expensive (S6)."""
    card = card_of(s, seat, action)
    if card == NO_CARD:
        return "There is no card to buy (S6)."
    player = s.players[seat]
    missing = shortfall(kit.record[0].cost[card], player.bonuses + player.tokens)
    lacking = amounts(dict(zip(KINDS, unpack(missing, GEMS), strict=False)))
    name = card_name(kit, card)
    return f"You cannot pay for the {name}: you lack {lacking}, and gold does not cover it (S6)."


def refuse_reserve(s: Any, seat: int, action: int) -> str:
    """No room, or nothing there (S5)."""
    if s.players[seat].held == HAND:
        return "You hold three reserved cards already (S5)."
    if action >= RESERVE_DECK:
        return f"The deck of level {action - RESERVE_DECK + 1} is empty (S5)."
    return "There is no card to reserve (S5)."


def refuse_take(s: Any, action: int) -> str:
    """Piles too small, or too few gems taken (S3, S4)."""
    if action >= TAKE_TWO:
        kind = action - TAKE_TWO
        return (
            f"Two alike only from a pile of {PILE_FOR_TWO} or more; "
            f"the {KINDS[kind]} one has {lane(s.bank, kind) or 'none'} (S4)."
        )
    for kind in DIFFERENT[action - TAKE]:
        if not lane(s.bank, kind):
            return f"The bank has no {KINDS[kind]} (S3)."
    piles = sum(lane(s.bank, gem) > 0 for gem in range(GEMS))
    if piles < 3:
        return "Take a gem of each colour that the bank still has (S3)."
    return "Take exactly three different gems, not fewer (S3)."


# The board as text, in 80 columns

COLOURS = {
    "white": "bold",  # the terminal's own colour, legible on light and on dark
    "blue": "dodger_blue1",
    "green": "green",
    "red": "red",
    "black": "grey50",
    "gold": "dark_goldenrod",
}
LETTERS = {"white": "W", "blue": "U", "green": "G", "red": "R", "black": "K", "gold": "O"}
LABEL, CELL = 10, 17  # widths: what stands at the left, and each of the four columns beside it


def gems(counts: dict[str, int]) -> str:
    """Counts as coloured letters: 3W 1O."""
    return " ".join(gem(kind, number) for kind, number in counts.items() if number) or "-"


def gem(kind: str, number: int) -> str:
    """A count with its letter."""
    return f"[{COLOURS[kind]}]{number}{LETTERS[kind]}[/]"


def piles(counts: dict[str, int], width: int) -> str:
    """Counts in columns; a dot for none."""
    return "".join(
        cell(gem(kind, number) if number else "·", width) for kind, number in counts.items()
    )


def cell(text: str, width: int) -> str:
    """Text with markup, filled up to a width."""
    return text + " " * max(1, width - render(text).cell_len)


def sketch(view: dict[str, Any]) -> str:
    """The board as text."""
    legend = "  ".join(f"[{COLOURS[kind]}]{LETTERS[kind]}[/] {kind}" for kind in KINDS)
    lines = [cell("[b]Bank[/b]", LABEL) + piles(view["bank"], 4), ""]
    lines += grid(
        ["[b]Nobles[/b]"], [[sketch_noble(*noble)] for noble in enumerate(view["nobles"], 1)]
    )
    for level in reversed(range(len(view["market"]))):
        label = [f"[b]Level {level + 1}[/b]", f"{view['decks'][level]} left"]
        cards = enumerate(view["market"][level], level * ROW)
        lines += ["", *grid(label, [sketch_card(*card) for card in cards])]
    lines += ["", f"{'':24}[b]points cards  {'bonuses':21}tokens[/b]"]
    for seat in range(len(view["players"])):
        lines += sketch_player(view, seat)
    if view["bill"] is not None:
        lines += ["", f"You are about to pay {gems(view['bill'])}"]
    lines += ["", f"[dim]{legend}   +2 is two points[/dim]"]
    return "\n".join(line.rstrip() for line in lines)


def grid(label: list[str], cells: list[list[str]]) -> list[str]:
    """Cells of one or two lines, four beside each other; the label stands before the first."""
    lines = []
    for start in range(0, len(cells), ROW):
        for number, line in enumerate(zip(*cells[start : start + ROW], strict=True)):
            left = cell(label[number], LABEL) if start == 0 else " " * LABEL
            lines.append(left + "".join(cell(text, CELL) for text in line))
    return lines


def sketch_noble(number: int, noble: dict[str, Any] | None) -> str:
    """A noble's points and needs."""
    return f"{number}  +{noble['points']} {gems(noble['need'])}" if noble else f"{number}  gone"


def sketch_card(place: int, card: dict[str, Any] | None) -> list[str]:
    """A card of the market in two lines: place, gem and points; cost."""
    if card is None:
        return [f"{place_name(place)} empty", ""]
    return [f"{place_name(place)} {sketch_bonus(card)}", gems(card["cost"])]


def sketch_bonus(card: dict[str, Any]) -> str:
    """The gem a card gives, and its points."""
    points = f" +{card['points']}" if card["points"] else ""
    return f"[reverse {COLOURS[card['bonus']]}] {LETTERS[card['bonus']]} [/]{points}"


def sketch_player(view: dict[str, Any], seat: int) -> list[str]:
    """What a player has; a second line for reserved cards."""
    player = view["players"][seat]
    sign = ">" if seat == view["turn"] and not view["over"] else " "
    you = " (you)" if seat == view["seat"] else ""
    name = view["names"][seat]
    name = escape(set_cell_size(name, min(cell_len(name), 21 - len(you))))
    have = f"{player['points']:>6} {player['bought']:>5}  "
    bonuses, tokens = piles(player["bonuses"], 4), piles(player["tokens"], 3)
    held = sum(player["tokens"].values())
    lines = [cell(f"{sign} {name}{you}", 24) + f"{have}{bonuses} {tokens} {held:>2}"]
    if player["hand"]:
        hand = [cell(sketch_held(*card), 22) for card in enumerate(player["hand"], 1)]
        lines.append(cell("  hand", LABEL) + "".join(hand))
    return lines


def sketch_held(number: int, card: dict[str, Any]) -> str:
    """A reserved card as far as it is known."""
    if card["id"] is None:
        return f"{number} hidden, level {card['level']}"
    return f"{number} {sketch_bonus(card)} {gems(card['cost'])}"


# The drawings that stand before these words, in the log and in the choices

ICONS = {kind: f"splendor/gem-{kind}" for kind in KINDS}
