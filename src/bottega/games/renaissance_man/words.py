"""Renaissance Man in words: keys, sentences, prompts and the rule behind a refusal.

What happened is told in `story.py`, the board as text is drawn in `sketch.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.lanes import lane, total
from bottega.engine.language import listing, plural
from bottega.games.renaissance_man.nouns import (
    card_name,
    deed,
    hand_card,
    source,
    supports,
    worker_name,
    workers_at,
)
from bottega.games.renaissance_man.phases import BARTER, HIRE, RECRUIT, TEACH
from bottega.games.renaissance_man.rules import (
    CARD,
    CONFIRM,
    DISCARD,
    DISCARD_MORE,
    DROP,
    KNIGHT,
    PASS,
    PLACE,
    REMOVE,
    SET,
    TAKE,
    USE,
    USE_TOKEN,
)
from bottega.games.renaissance_man.sight import (
    ICONS_OF,
    TYPES,
    WORKERS,
    fitting_places,
    given,
    place_name,
    uncovered_places,
)
from bottega.games.renaissance_man.sketch import sketch as sketch
from bottega.games.renaissance_man.state import (
    ACTION,
    BASE,
    CREATION,
    DISCARDING,
    KINDS,
    KNIGHTS,
    NOTHING,
    READY,
    RESOLUTION,
    ROW,
    SECOND_ROW,
    SETTING,
    START,
    SUPPLY,
    UPPER,
    WHICH_CARD,
    WHICH_TARGET,
)
from bottega.games.renaissance_man.story import tell as tell
from bottega.games.renaissance_man.story import why as why
from bottega.games.renaissance_man.structure import FREE, LEFT, LOWEST, MASTER, REMOVED

ICONS = {
    **{word: f"renaissance-man/{word}" for word in ICONS_OF},
    **{
        worker.lower(): f"renaissance-man/{kind}"
        for kind, worker in zip(ICONS_OF, WORKERS, strict=False)
    },
    "renaissance": "renaissance-man/any",
    "master": "renaissance-man/master",
}


def discarded(action: int) -> list[int]:
    """The hand places of a discard, counted from 0."""
    if action >= DISCARD_MORE:
        return [ROW + place for place in range(ROW) if action - DISCARD_MORE >> place & 1]
    return [place for place in range(ROW) if action - DISCARD >> place & 1]


def removal(action: int) -> list[str]:
    """The lowest places of a removal, by name."""
    return [place_name(BASE + place) for place in LOWEST[action - REMOVE]]


def key(action: int) -> str:
    """The stable key of an action."""
    if action < USE_TOKEN:
        return TYPES[action - USE]
    if action < CARD:
        return f"{TYPES[action - USE_TOKEN]}-by-token"
    if action < PLACE:
        return f"card-{action - CARD + 1}"
    if action < KNIGHT:
        return f"place-{place_name(BASE + action - PLACE)}"
    if action < DROP:
        return f"knight-from-{(*ICONS_OF, 'supply')[action - KNIGHT]}"
    if action < SET:
        return f"drop-{ICONS_OF[action - DROP]}"
    if action < PASS:
        return f"set-{WORKERS[action - SET].lower().replace(' ', '-')}"
    if action < DISCARD:
        return {PASS: "pass", TAKE: "take", CONFIRM: "confirm"}[action]
    if action == DISCARD:
        return "keep-all"
    if action == DISCARD_MORE:
        return "keep-rest"
    if action < REMOVE:
        return "-".join(["discard", *(str(place + 1) for place in discarded(action))])
    return "-".join(["remove", *removal(action)])


def picks(action: int) -> tuple[str, ...]:
    """The things on the board one clicks for an action."""
    if action < USE_TOKEN:
        return (f"use-{ICONS_OF[action - USE]}",)
    if action < CARD:
        return (f"token-{ICONS_OF[action - USE_TOKEN]}",)
    if action < PLACE:
        return (f"hand-{action - CARD + 1}",)
    if DROP <= action < SET:
        return (f"token-{ICONS_OF[action - DROP]}",)
    if action in (DISCARD, DISCARD_MORE) or action < DISCARD:
        return (key(action),)
    if action < REMOVE:
        return tuple(f"hand-{place + 1}" for place in discarded(action))
    return tuple(f"worker-{name}" for name in removal(action))


# The verb of each kind of action, from which number on.
VERBS = (
    (CARD, "which card"),
    (PLACE, "place"),
    (KNIGHT, "which knight"),
    (DROP, "drop"),
    (SET, "set"),
    (PASS, "pass"),
    (TAKE, "into your hand"),
    (CONFIRM, "confirm"),
    (DISCARD, "discard"),
    (REMOVE, "remove"),
)


def kind(action: int) -> str:
    """The verb of an action."""
    if action < CARD:
        return TYPES[action % KINDS]
    if action in (DISCARD, DISCARD_MORE):
        return "keep"
    return next(verb for first, verb in reversed(VERBS) if first <= action)


# Sentences


def text(kit: Kit, s: Any, seat: int, action: int) -> str:
    """What an action does, as a sentence."""
    player = s.players[seat]
    if action < CARD:
        return text_use(s, action - USE)
    if action < PLACE:
        return text_card(kit, player, action - CARD)
    if action < KNIGHT:
        place = action - PLACE
        on = supports(kit, player, int(LEFT[place]))
        return f"Place it at {place_name(BASE + place)}, on {on}"
    if action < DROP:
        area = action - KNIGHT
        if area == SUPPLY:
            return f"Send a knight of your supply ({KNIGHTS - int(total(player.knights))} there)"
        return f"Send a knight of yours from the {ICONS_OF[area]} area"
    if action < SET:
        return f"Drop a stored {ICONS_OF[action - DROP]} to make room"
    if action < PASS:
        return f"Put the {WORKERS[action - SET]} at {place_name(int(player.target))}"
    if action == PASS:
        return f"{removing(kit, player)}{'take' if player.removed else 'Take'} no action"
    if action == TAKE:
        card = card_name(kit, s.recruits[s.area])
        hand = f"{'t' if player.removed else 'T'}ake the {card} into your hand"
        return removing(kit, player) + hand
    if action == CONFIRM:
        return f"Confirm: {summary(kit, s, player)}"
    if action < REMOVE:
        return text_discard(kit, player, action)
    return text_removal(kit, player, action)


def text_use(s: Any, use: int) -> str:
    """An action and what gives access to it."""
    kind = use % KINDS
    what = {
        HIRE: "a hand card joins your structure",
        TEACH: "a token for your Renaissance Man area",
        BARTER: "a token for your store",
        RECRUIT: "a knight to the recruit board",
    }[kind]
    return f"{TYPES[kind].capitalize()} {source(use, int(s.level))}: {what}"


def text_card(kit: Kit, player: Any, place: int) -> str:
    """A hand card for the chosen use."""
    card = hand_card(kit, player, place)
    icon = ICONS_OF[kit.record[0].kind[player.hand[place]]]
    return {
        HIRE: f"Hire {card}",
        TEACH: f"Discard {card}, and learn {icon}",
        BARTER: f"Discard {card}, and store a {icon}".replace("a bread", "bread"),
        RECRUIT: f"Discard {card}, and send a knight to the {icon} area",
    }[int(player.use) % KINDS]


def text_discard(kit: Kit, player: Any, action: int) -> str:
    """Cards to discard, or none."""
    places = discarded(action)
    if not places:
        return "Keep all your cards" if action == DISCARD else "Keep the other cards"
    return f"Discard {'; '.join(hand_card(kit, player, place) for place in places)}"


def text_removal(kit: Kit, player: Any, action: int) -> str:
    """Workers to remove; those that rest on the chosen ones go with them."""
    going = int(REMOVED[action - REMOVE]) & int(player.upper)
    chosen = sum(1 << place for place in LOWEST[action - REMOVE])
    above = workers_at(kit, player, going & ~chosen)
    return f"First remove {workers_at(kit, player, chosen)}" + (f", with {above}" if above else "")


def removing(kit: Kit, player: Any) -> str:
    """The removals that go before, as the beginning of a sentence; it goes on a button."""
    number = int(player.removed).bit_count()
    if number == 0:
        return ""
    who = workers_at(kit, player, int(player.removed)) if number == 1 else f"{number} workers"
    return f"Remove {who}, then "


def summary(kit: Kit, s: Any, player: Any) -> str:
    """The whole decision in one sentence, before it is sealed."""
    if s.phase == SETTING:
        return listing([worker_name(kit, card) for card in player.pyramid[:BASE]])
    first = removing(kit, player)
    place = place_name(BASE + int(player.target)) if player.target < UPPER else ""
    if s.phase == CREATION:
        return f"{first}place the Renaissance Man at {place}".strip()
    if s.phase == RESOLUTION:
        card = card_name(kit, s.recruits[s.area])
        return f"{first}place the {card} at {place}"
    use, held, target = int(player.use), int(player.card), int(player.target)
    return first + deed(kit, player, use, held, target, int(s.level))


def caution(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """What passing gives away."""
    possible = possible_types(legal)
    if action != PASS or not possible:
        return ""
    return f"In this phase you could still {listing(possible, 'or')}."


def possible_types(legal: Sequence[int]) -> list[str]:
    """The types of action that can be chosen."""
    return [name for name in TYPES if any(kind(action) == name for action in legal)]


def prompt(kit: Kit, s: Any, seat: int, legal: Sequence[int]) -> str:
    """What the seat is asked."""
    player = s.players[seat]
    if player.step == READY:
        return "Confirm your decision, or undo it."
    if player.step in (WHICH_CARD, WHICH_TARGET):
        return prompt_use(player)
    if s.phase == SETTING:
        return f"Set your Foundation in secret: who lies at {place_name(int(player.target))}?"
    if player.step == SECOND_ROW:
        return "And of your other cards: discard some, or keep them."
    first = " You may remove workers first." if max(legal) >= REMOVE else ""
    return prompt_decision(kit, s, legal) + first


def prompt_decision(kit: Kit, s: Any, legal: Sequence[int]) -> str:
    """What is asked at the beginning of a decision."""
    if s.phase == CREATION:
        return "You have created a Renaissance Man: place him on any two neighbours."
    if s.phase == RESOLUTION:
        card = card_name(kit, s.recruits[s.area])
        if any(PLACE <= action < KNIGHT for action in legal):
            return f"You have won the {card}: place it where it fits, or take it into your hand."
        return f"You have won the {card}, which fits nowhere now: take it into your hand."
    if s.phase == DISCARDING:
        return "Discard cards or keep them all; your hand is then filled up to four."
    possible = listing([*possible_types(legal), "pass"], "or")
    only = "" if possible != "pass" else "you can only "
    return f"Action phase {s.level}: {only}{possible}."


def prompt_use(player: Any) -> str:
    """What an action of a chosen type still asks for."""
    chosen = int(player.use) % KINDS
    if player.step == WHICH_CARD:
        return {
            HIRE: "Which card joins your structure?",
            TEACH: "Which card do you give for its icon, to learn it?",
            BARTER: "Which card do you give for a token of its icon?",
            RECRUIT: "Which card do you give? Its icon is the area.",
        }[chosen]
    return {
        HIRE: "At which place?",
        BARTER: "Your store is full: which token do you drop?",
        RECRUIT: "Which knight do you send?",
    }[chosen]


def topic(kit: Kit, s: Any, viewer: int) -> str:
    """The heading of RULES.md that matters now."""
    if s.over:
        return "the end"
    if s.phase == ACTION:
        if viewer >= 0 and s.players[viewer].use != NOTHING:
            return ("hire", "teach", "barter", "recruit")[s.players[viewer].use % KINDS]
        return "an action phase"
    return {
        SETTING: "the foundation",
        CREATION: "teach",
        RESOLUTION: "resolving recruits",
        DISCARDING: "discarding and refilling",
    }[int(s.phase)]


# Refusals


def refusal(kit: Kit, s: Any, seat: int, action: int, legal: Sequence[int]) -> str:
    """Why an action is not possible now, and which rule says so."""
    player = s.players[seat]
    if not asked_for(s, player, action):
        return f"That is not what is asked now (R6). {prompt(kit, s, seat, legal)}"
    if action < CARD:
        return refuse_use(kit, s, player, action - USE)
    if action < PLACE:
        return refuse_card(kit, player, action - CARD)
    if action < KNIGHT:
        return refuse_place(kit, s, player, action - PLACE)
    if action < DROP:
        area = action - KNIGHT
        where = "in your supply" if area == SUPPLY else f"in the {ICONS_OF[area]} area"
        return f"You have no knight {where} (R11)."
    if action < SET:
        return f"You have no stored {ICONS_OF[action - DROP]} to drop (R6)."
    if action < PASS:
        return f"The {WORKERS[action - SET]} already lies in your row (R4)."
    if action < REMOVE:
        held = plural(int(player.held), "card")
        return f"You hold {held}, and not one at each of those places (R15)."
    if player.upper & MASTER:
        return "Under a Master nobody leaves any more (R23)."
    if player.removed:
        return "You have said already whom you remove: take that back to change it (R16)."
    return "Only workers of your structure, of level 2 or higher, can be removed (R16)."


def asked_for(s: Any, player: Any, action: int) -> bool:
    """Whether an action is of the sort that is asked for now."""
    if player.step == READY:
        return action == CONFIRM
    if player.step == WHICH_CARD:
        return CARD <= action < PLACE
    if player.step == SECOND_ROW:
        return DISCARD_MORE <= action < REMOVE
    if player.step != START:
        first, end = {
            HIRE: (PLACE, KNIGHT),
            BARTER: (DROP, SET),
            RECRUIT: (KNIGHT, DROP),
        }[int(player.use) % KINDS]
        return first <= action < end
    if s.phase == SETTING:
        return SET <= action < PASS
    if action >= REMOVE:
        return True
    return {
        ACTION: action < CARD,
        CREATION: PLACE <= action < KNIGHT,
        RESOLUTION: PLACE <= action < KNIGHT,
        DISCARDING: DISCARD <= action < DISCARD_MORE,
    }[int(s.phase)]


def refuse_use(kit: Kit, s: Any, player: Any, use: int) -> str:
    """No access to the action, or no card for it."""
    kind = use % KINDS
    name, icon = TYPES[kind].capitalize(), ICONS_OF[kind]
    if use >= KINDS:
        if not lane(player.store, kind):
            return f"You have no stored {icon} (R6)."
    else:
        level, filled = int(s.level), int(player.upper)
        here = [g for g in given(kit, player.pyramid.tolist(), level, filled) if g["kind"] == icon]
        if not here:
            return f"You have no {WORKERS[kind]} at level {level}, whose phase this is (R6)."
        uncovered = uncovered_places(filled & ~int(player.removed))
        if not any(g["place"] in uncovered for g in here):
            return (
                f"Your {WORKERS[kind]} at level {level} is covered or removed; only an uncovered "
                f"worker gives access to an action (R3, R7)."
            )
    if not player.held:
        return f"{name} takes a hand card, and you have none (R6)."
    if kind == HIRE:
        return "None of your cards fits a free place of your structure (R1)."
    return "Every type you hold is already in your Renaissance Man area (R9)."


def refuse_card(kit: Kit, player: Any, place: int) -> str:
    """A card that is not there or does not serve."""
    if place >= player.held:
        return f"You hold {plural(int(player.held), 'card')} (R6)."
    if int(player.use) % KINDS == HIRE:
        return f"The {card_name(kit, player.hand[place])} fits no free place (R1)."
    icon = ICONS_OF[kit.record[0].kind[player.hand[place]]]
    return f"Your Renaissance Man area has {icon} already (R9)."


def refuse_place(kit: Kit, s: Any, player: Any, place: int) -> str:
    """A place that is not free, or that the card does not fit."""
    name = place_name(BASE + place)
    if not FREE[int(player.upper) & ~int(player.removed)] >> place & 1:
        return f"{name} is not free: it must be empty, and both places below it filled (R2)."
    card = player.hand[player.card] if s.phase == ACTION else s.recruits[s.area]
    there = [place_name(BASE + p) for p in fitting_places(kit, player, card)]
    fits = f"it fits {listing(there)}" if there else "it fits nowhere"
    return f"The {card_name(kit, card)} does not match the offers below {name}; {fits} (R1)."
