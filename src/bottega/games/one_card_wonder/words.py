"""One Card Wonder in words: keys, sentences, prompts and refusals. The log is in `story`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.lanes import lane, total
from bottega.engine.language import listing, plural, seat_name, sentence
from bottega.games.one_card_wonder.actions import (
    ACCEPT,
    ASK,
    BUILD,
    CHOOSE,
    CLAIM,
    DECLINE,
    DONE,
    DROP,
    GIVE,
    GLOBE,
    NAME,
    PASS,
    PAY,
    PICK,
    PRODUCE,
    PROPOSE,
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
    WITHDRAW,
)
from bottega.games.one_card_wonder.effects import NUMBERS, RESOURCES, THINGS
from bottega.games.one_card_wonder.phrases import (
    amounts,
    one_thing,
    plain,
    price_in_words,
    price_of,
    stage_name,
)
from bottega.games.one_card_wonder.rules import cubes_for_coin
from bottega.games.one_card_wonder.sight import (
    Purse,
    building_in,
    seen_by,
    symbols,
)
from bottega.games.one_card_wonder.sketch import sketch
from bottega.games.one_card_wonder.state import (
    ACT,
    BUILDING,
    CLAIM_MORE,
    DRAFT,
    DRAFTED,
    ENDING,
    EXCHANGING,
    KEEP,
    MATS_CHOICE,
    NAMING,
    NO_TRADE,
    NO_WONDER,
    NOBODY,
    OBELISKS,
    ORDERING,
    OVERFLOW,
    PAYING,
    PLEDGING,
    PROPOSED,
    RAISING,
    SELLING,
    STAGES,
    TAKING,
)
from bottega.games.one_card_wonder.story import tell, why
from bottega.games.one_card_wonder.trading import LEAST_TRADERS

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

ICONS = {
    **{resource: f"one-card-wonder/{resource}" for resource in RESOURCES},
    "coin": "one-card-wonder/coin",
    "coins": "one-card-wonder/coin",
    "obelisk": "one-card-wonder/obelisk",
    "leader": "one-card-wonder/leader",
    "bag": "one-card-wonder/bag",
}

# From which number on: the word of the key, and what the rest of the number counts.
RANGES: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (PRODUCE, "produce", ()),
    (CLAIM, "claim", RESOURCES),
    (SELL, "sell", RESOURCES),
    (USE, "use", ("1", "2", "3", "4", "5", "6")),
    (STAGE, "stage", tuple(str(stage + 1) for stage in range(STAGES))),
    (BUILD, "build", ("1", "2", "3", "4", "5", "6")),
    (DONE, "done", ()),
    (PASS, "pass", ()),
    (PAY, "pay", THINGS),
    (SETTLE, "settle", ()),
    (PUT, "put", RESOURCES),
    (TAKE, "take", RESOURCES),
    (TAKE_BAG, "fetch", RESOURCES),
    (SPEND, "spend", THINGS),
    (DROP, "drop", THINGS),
    (PICK, "pick", ("1", "2", "3", "4", "5", "6", "7")),
    (CHOOSE, "mat", ("1", "2")),
    (REVEAL, "reveal", ()),
    (GLOBE, "globe", RESOURCES),
    (NAME, "name", RESOURCES),
    (TO, "trade-with", ("1", "2", "3", "4", "5", "6")),
    (GIVE, "give", THINGS),
    (ASK, "ask", THINGS),
    (PROPOSE, "propose", ()),
    (WITHDRAW, "withdraw", ()),
    (ACCEPT, "accept", ("1", "2", "3", "4", "5", "6")),
    (DECLINE, "decline", ("1", "2", "3", "4", "5", "6")),
)

# What one clicks on the board for a key's first word.
PLACES = {
    "produce": "bag",
    "claim": "supply",
    "sell": "own",
    "use": "building",
    "build": "building",
    "pay": "own",
    "put": "hand",
    "take": "supply",
    "fetch": "bag",
    "spend": "own",
    "drop": "own",
    "pick": "wonder",
    "reveal": "leader",
    "globe": "supply",
    "name": "supply",
    "trade-with": "seat",
    "give": "own",
    "ask": "partner",
}


def parts(action: int) -> tuple[str, str]:
    """The word of an action's key, and what it is about."""
    first, word, about = next(row for row in reversed(RANGES) if row[0] <= action)
    return word, about[action - first] if about else ""


def key(action: int) -> str:
    """The stable key of an action."""
    return "-".join(part for part in parts(action) if part)


def picks(action: int) -> tuple[str, ...]:
    """The thing on the board one clicks for an action."""
    word, about = parts(action)
    return ("-".join(part for part in (PLACES.get(word, word), about) if part),)


# The verb of each kind of action, by the word of its key; where it is another one.
VERBS = {
    "stage": "build",
    "done": "be done|no more|end your turn|leave it at that",
    "pay": "pay|offer",
    "settle": "pay|offer",
    "spend": "pay|offer",
    "take": "from the supply",
    "fetch": "from the bag",
    "drop": "give up",
    "mat": "choose",
    "globe": "of the supply",
    "trade-with": "trade meanwhile",
    "give": "give(?! up)",
    "withdraw": "withdraw|call it off",
}


def kind(action: int) -> str:
    """The verb of an action, as a regular expression."""
    word, _ = parts(action)
    return VERBS.get(word, word)


# Sentences


def text(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What an action does, as a sentence."""
    word, about = parts(action)
    player = s.players[seat]
    if word in SIMPLE:
        return SIMPLE[word].format(thing=about, a_thing=one_thing(about))
    if word == "claim":
        n = lane(s.now[0].supply, action - CLAIM)
        return f"Claim all {about} from the supply: {n}"
    if word == "sell":
        n = cubes_for_coin(player, action - SELL)
        return f"Sell {NUMBERS[n]} {about} for a coin"
    if word == "use":
        building = building_in(kit, player, action - USE)
        assert building
        return f"Use {building['name']}. {plain(building['text'])}"
    if word in ("stage", "build"):
        return text_of_build(kit, s, player, action)
    if word == "done":
        if s.now[0].phase == PLEDGING and not player.pledge:
            return "Offer nothing"
        return DONE_TEXTS[int(s.now[0].phase)]
    if word == "settle":
        return f"Pay {amounts(s.now[0].bill - s.now[0].paid)}"
    if word == "pick":
        wonder = kit.words["wonders"][s.wonders[action - PICK]]
        return f"Pick {wonder['name']} with {amounts(s.gifts[action - PICK])}"
    if word == "mat":
        mat = kit.words["mats"][player.dealt[action - CHOOSE]]
        return f"Choose {mat['name']}: {plain(mat['motto'])}"
    if word == "reveal":
        leader = kit.words["leaders"][player.leader]
        return f"Reveal {leader['name']}: {plain(leader['text'])}"
    if word == "pay":
        towards = "Offer" if s.now[0].phase == PLEDGING else "Pay with"
        return f"{towards} {one_thing(about)}"
    return text_of_trade(s, seat, action)


SIMPLE = {
    "produce": "Produce: draw cubes from the bag",
    "pass": "Pass: there is nothing you can do",
    "put": "Put {a_thing} on the supply",
    "take": "Take {a_thing} from the supply",
    "fetch": "Take {a_thing} from the bag",
    "spend": "Pay {a_thing}",
    "drop": "Give up {a_thing}",
    "globe": "Let {a_thing} of the supply count",
    "name": "Name {thing}",
    "give": "Offer {a_thing}",
    "ask": "Ask for {a_thing}",
}
DONE_TEXTS = {
    CLAIM_MORE: "Claim no more",
    BUILDING: "Be done with building",
    SELLING: "Be done with selling",
    EXCHANGING: "Exchange no more",
    TAKING: "Take no more",
    ENDING: "End your turn",
    PLEDGING: "Leave it at what you offer",
}


def text_of_build(kit: Kit, s: Any, player: Any, action: int) -> str:
    """Building a stage or a building, with its price."""
    if s.now[0].phase == RAISING:
        return f"Build {stage_name(action - STAGE)} for nothing"
    price = price_in_words(price_of(kit, player, action))
    if action < BUILD:
        return f"Build {stage_name(action - STAGE)} of your wonder for {price}"
    building = building_in(kit, player, action - BUILD)
    assert building
    return f"Build {building['name']} for {price}. {plain(building['text'])}"


def text_of_trade(s: Any, seat: int, action: int) -> str:
    """Trading, and its answers."""
    player = s.players[seat]
    if action < GIVE:
        return f"Trade with {seat_name(action - TO)}"
    if action == PROPOSE:
        return (
            f"Propose to {seat_name(int(player.partner))}: you give {amounts(player.give)} "
            f"and get {amounts(player.ask)}"
        )
    if action == WITHDRAW:
        return "Drop this trade" if player.trade == DRAFTED else "Withdraw your proposal"
    other = action - (ACCEPT if action < DECLINE else DECLINE)
    terms = s.players[other]
    if action >= DECLINE:
        return f"Decline the trade of {seat_name(other)}"
    return (
        f"Accept the trade of {seat_name(other)}: you give {amounts(terms.ask)} "
        f"and get {amounts(terms.give)}"
    )


def caution(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Nothing is given away here that is not plain to see."""
    return ""


def prompt(kit: Kit, s: Any, seat: int, legal: Sequence[int]) -> str:
    """What the seat is asked."""
    middle = s.now[0]
    words = {parts(action)[0] for action in legal}
    if s.surplus >> seat & 1:
        most = int(s.ceiling) or int(s.players[seat].room)
        return overflow_prompt(s.players[seat], most)
    if middle.phase == MATS_CHOICE:
        return "Choose one of your two mats. All are shown together."
    if seat != middle.actor:
        return guest_prompt(s, seat, words)
    if middle.phase == ACT:
        return turn_prompt(words)
    if middle.phase == DRAFT:
        return f"Pick a wonder; you begin with its two cubes.{joined(kit, s)}"
    if middle.phase == PAYING:
        price = price_in_words(symbols(middle.due))
        return f"How do you pay {price}? A coin may stand for any resource."
    if middle.phase == KEEP:
        return f"You drew {amounts(middle.hand)}. Put {NUMBERS[int(middle.left)]} on the supply."
    if middle.phase == TAKING:
        return taking_prompt(middle)
    if middle.phase == OVERFLOW:
        return overflow_prompt(s.players[seat], int(s.players[seat].room))
    if middle.phase == PLEDGING:
        return pledge_prompt(kit, s, words)
    if middle.phase == EXCHANGING:
        return f"Pay something for the exchange{', or be done' if 'done' in words else ''}."
    if words == {"done"}:
        return "There is nothing more that you could do here: be done."
    return PROMPTS[int(middle.phase)]


PROMPTS = {
    CLAIM_MORE: "Claim another colour, too, or be done.",
    BUILDING: "Build on, or be done.",
    SELLING: "Sell more, or be done.",
    ORDERING: "Several abilities: which one do you use first?",
    ENDING: "End your turn, or reveal your leader before.",
    NAMING: "Name a colour: the others lose all cubes of it to the supply.",
    RAISING: "Build an open stage of your wonder for nothing.",
}
TURN = {
    "produce": "produce",
    "claim": "claim",
    "sell": "sell",
    "stage": "build",
    "build": "build",
    "use": "use a building",
    "pass": "pass",
    "reveal": "reveal your leader",
}


def turn_prompt(words: set[str]) -> str:
    """What the turn may be used for."""
    ways = listing(list(dict.fromkeys(TURN[word] for word in TURN if word in words)), "or")
    return f"There is nothing you can do: {ways}." if "pass" in words else f"Your turn: {ways}."


def joined(kit: Kit, s: Any) -> str:
    """That wonders of another complexity had to join those that were asked for (W2)."""
    asked = int(s.complexity)
    on_offer = [int(wonder) for wonder in s.wonders if wonder < NO_WONDER]
    drafted = [int(s.players[seat].wonder) for seat in range(s.seats)]
    there = on_offer + [wonder for wonder in drafted if wonder < NO_WONDER]
    others = {int(kit.record[0].complexity[wonder]) for wonder in there} - {asked}
    if not asked or not others:
        return ""
    marks = listing(["I" * other for other in sorted(others)])
    return f" There are too few of complexity {'I' * asked}: {marks} joined."


def overflow_prompt(player: Any, most: int) -> str:
    surplus = int(total(player.stock)) - most
    return f"You may keep {plural(most, 'thing')}: give up {surplus}. Cubes go to the supply."


def taking_prompt(middle: Any) -> str:
    wanted = []
    if middle.from_supply:
        wanted.append(f"{NUMBERS[int(middle.from_supply)]} from the supply")
    if middle.from_bag:
        wanted.append(f"{NUMBERS[int(middle.from_bag)]} from the bag")
    return f"Cubes of your choice: {listing(wanted)}; or no more."


def pledge_prompt(kit: Kit, s: Any, words: set[str]) -> str:
    """What may be offered to defeat a leader (W13)."""
    name = kit.words["leaders"][s.leader]["name"]
    due = price_in_words(symbols(s.now[0].due))
    ways = ["offer something"] if "pay" in words else []
    ways += ["let a cube of the supply count"] if "globe" in words else []
    so_far = f"; {amounts(s.now[0].paid)} offered so far" if s.now[0].paid else ""
    ways.append("leave it at that")
    return f"{name} can be defeated for {due}{so_far}. {sentence(listing(ways, 'or'))}"


def guest_prompt(s: Any, seat: int, words: set[str]) -> str:
    """What a seat that is not on turn may do."""
    asked = [seat_name(other) for other in range(s.seats) if proposes(s, other, seat)]
    lines = [f"{name} proposes a trade: accept or decline it." for name in asked]
    partner = seat_name(int(s.players[seat].partner))
    if s.players[seat].trade == DRAFTED:
        terms = {"give": "give something", "ask": "ask for something", "propose": "propose it"}
        ways = [way for word, way in terms.items() if word in words]
        lines.append(f"With {partner}: {listing([*ways, 'call it off'], 'or')}.")
    elif s.players[seat].trade == PROPOSED:
        lines.append(f"Your proposal waits for {partner}; you may withdraw it.")
    may = ["reveal your leader first"] if "reveal" in words else []
    may += ["trade meanwhile"] if "trade-with" in words else []
    if may:
        turn = "" if lines else f"It is {seat_name(int(s.turn))}'s turn. "
        lines.append(f"{turn}You may {listing(may, 'or')}.")
    return " ".join(lines)


def proposes(s: Any, other: int, seat: int) -> bool:
    return bool(s.players[other].trade == PROPOSED and s.players[other].partner == seat)


def topic(kit: Kit, s: Any, viewer: int) -> str:
    """The heading of RULES.md that matters for the viewer now."""
    s = seen_by(s, viewer)
    if viewer >= 0 and s.surplus >> viewer & 1:
        return "eight places"
    phase = int(s.now[0].phase)
    if viewer != s.now[0].actor and phase > MATS_CHOICE and s.owner == NOBODY:
        return "trading" if s.seats >= LEAST_TRADERS and viewer >= 0 else "your turn"
    return TOPICS.get(phase, "your turn")


TOPICS = {
    DRAFT: "setting up",
    MATS_CHOICE: "setting up",
    KEEP: "produce",
    CLAIM_MORE: "claim",
    BUILDING: "build",
    PAYING: "paying",
    SELLING: "sell",
    EXCHANGING: "support buildings",
    TAKING: "support buildings",
    ORDERING: "support buildings",
    OVERFLOW: "eight places",
    ENDING: "leaders",
    PLEDGING: "leaders",
    NAMING: "leaders",
    RAISING: "leaders",
}


# Refusals


def refusal(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Why an action is not possible now, and which rule says so."""
    word, about = parts(action)
    if s.surplus:
        return f"First somebody must give something up (W9). {prompt(kit, s, seat, legal)}"
    if word in ("trade-with", "give", "ask", "propose", "withdraw", "accept", "decline"):
        return refuse_trade(s, seat, action)
    if word == "reveal":
        return refuse_reveal(s, seat)
    if s.now[0].phase == MATS_CHOICE:
        return f"That cannot be done now (W3). {prompt(kit, s, seat, legal)}"
    if seat != s.now[0].actor:
        return f"You are not on turn (W4). {prompt(kit, s, seat, legal)}"
    if int(s.now[0].phase) not in WHEN[word]:
        return f"That cannot be done now. {prompt(kit, s, seat, legal)}"
    if word in ("stage", "build"):
        return refuse_build(kit, s, s.players[seat], action)
    if word == "pay" and s.now[0].phase == PLEDGING:
        return "You have no such thing left, or the leader's cost does not ask for it (W13)."
    return REASONS[word].format(thing=about)


WHEN: dict[str, tuple[int, ...]] = {
    "produce": (ACT,),
    "claim": (ACT, CLAIM_MORE),
    "sell": (ACT, SELLING),
    "use": (ACT, ORDERING),
    "stage": (ACT, BUILDING, RAISING),
    "build": (ACT, BUILDING),
    "done": (),
    "pass": (ACT,),
    "pay": (PAYING, PLEDGING),
    "settle": (PAYING,),
    "put": (KEEP,),
    "take": (TAKING,),
    "fetch": (TAKING,),
    "spend": (EXCHANGING,),
    "drop": (OVERFLOW,),
    "pick": (DRAFT,),
    "mat": (),
    "globe": (PLEDGING,),
    "name": (NAMING,),
}
REASONS = {
    "produce": "The bag is empty: there is nothing to draw (W5).",
    "claim": "There is no {thing} on the supply to claim (W6).",
    "sell": "You have no pair of {thing} to sell, or no coin is left (W8).",
    "use": "That building is not built, or gives you nothing now (W14).",
    "pass": "You may pass only when no action is possible (W11).",
    "pay": "You have no {thing} left for that, or the cost does not take it (W10).",
    "put": "You did not draw {thing} (W5).",
    "take": "There is no {thing} for you to take from the supply.",
    "fetch": "There is no {thing} for you to take from the bag.",
    "spend": "You cannot pay {thing} in this exchange.",
    "drop": "You have no {thing} to give up (W9).",
    "pick": "There is no wonder at that place (W2).",
    "globe": "No {thing} of the supply counts towards this leader's cost (W13).",
}


def refuse_build(kit: Kit, s: Any, player: Any, action: int) -> str:
    """A stage that is built, not open or too expensive; a building likewise (W7, W16)."""
    if action >= BUILD:
        building = building_in(kit, player, action - BUILD)
        if building is None:
            return "There is no building in that place."
        if player.buildings >> (action - BUILD) & 1:
            return f"{building['name']} stands already."
        if int(player.buildings).bit_count() == OBELISKS:
            return "You have no obelisk left for another building (W16)."
        if s.now[0].built >= player.per_build:
            return "You have built in this action what buildings you may (W7)."
        name = building["name"]
    else:
        stage = action - STAGE
        name = stage_name(stage)
        wonder = kit.words["wonders"][player.wonder]
        if stage >= len(wonder["stages"]):
            return f"{wonder['name']} has only {plural(len(wonder['stages']), 'stage')}."
        if player.stages >> stage & 1:
            return f"That stage stands already: {name}."
        below = [n for n in wonder["stages"][stage]["on"] if not player.stages >> (n - 1) & 1]
        if below:
            needed = listing([stage_name(n - 1) for n in below])
            return f"Before {name}, {needed} must stand (W7)."
        if s.now[0].closed:
            return "A building was built after the stages: no more stages in this action (W7)."
    lacking = Purse.of(player).lacks(price_of(kit, player, action))
    words = price_in_words(lacking) if lacking else "something"
    return f"You cannot pay for {name}: you lack {words} (W10)."


def refuse_reveal(s: Any, seat: int) -> str:
    """A leader at the wrong time, or none (W13)."""
    if not s.hidden >> seat & 1:
        return "You have no leader to reveal (W13)."
    return "A leader is revealed at the start of a turn, or before you end your own (W13)."


def refuse_trade(s: Any, seat: int, action: int) -> str:
    """Trades that are not possible (W12)."""
    if s.seats < LEAST_TRADERS:
        return "Only four or more players trade (W12)."
    if s.now[0].phase <= MATS_CHOICE or s.owner != NOBODY:
        return "Nobody trades now (W12)."
    if seat == s.turn:
        return "You are on turn: only players who are not on turn trade (W12)."
    if action >= ACCEPT:
        return "That player has proposed nothing to you (W12)."
    trade = s.players[seat].trade
    if action < GIVE:
        if trade != NO_TRADE:
            return "Finish or drop the trade you have begun first (W12)."
        return "You cannot trade with yourself or with the player on turn (W12)."
    if trade == NO_TRADE:
        return "Say first with whom you want to trade (W12)."
    if trade == PROPOSED:
        return "You have proposed it already; withdraw it to change it (W12)."
    if action < ASK:
        return "You have no more of that, or you have already begun to ask (W12)."
    if action < PROPOSE:
        return "Your partner has no more of that, or you give it yourself (W12)."
    return "The trade is empty (W12)."
