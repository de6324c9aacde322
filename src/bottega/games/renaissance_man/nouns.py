"""How the things of Renaissance Man are called."""

from __future__ import annotations

from typing import Any

from bottega.engine.kit import Kit
from bottega.engine.lanes import total
from bottega.engine.language import listing
from bottega.games.renaissance_man.phases import BARTER, HIRE, TEACH
from bottega.games.renaissance_man.sight import ICONS_OF, WORKERS, card_view, place_name
from bottega.games.renaissance_man.state import BASE, KINDS, MOST_STORED, SUPPLY, UPPER


def card_name(kit: Kit, card: int) -> str:
    """A card by its worker and what it stands on; what it offers, unless that is its own icon."""
    seen = card_view(kit, card)
    if seen is None:
        return "nobody"
    if seen["id"] is None:
        return str(seen["worker"])
    name = f"{seen['worker']} over {seen['need'][0]} and {seen['need'][1]}"
    if set(seen["offer"]) != {seen["kind"]}:
        name += f" (offers {seen['offer'][0]} and {seen['offer'][1]})"
    return name


def worker_name(kit: Kit, card: int) -> str:
    """The worker on a card."""
    return WORKERS[kit.record[0].kind[card]]


def hand_card(kit: Kit, player: Any, place: int) -> str:
    """A card of the hand, with its place, since two cards may be alike."""
    return f"card {place + 1}, the {card_name(kit, player.hand[place])}"


def upper_places(word: int) -> list[int]:
    """The members of a set of upper places, the highest level first."""
    return [place for place in reversed(range(UPPER)) if int(word) >> place & 1]


def workers_at(kit: Kit, player: Any, word: int) -> str:
    """The workers of a set of upper places, by name and place."""
    return listing(
        [
            f"the {worker_name(kit, player.pyramid[BASE + place])} at {place_name(BASE + place)}"
            for place in upper_places(word)
        ]
    )


def supports(kit: Kit, player: Any, left: int) -> str:
    """The two workers that a place rests on."""
    one, other = (worker_name(kit, player.pyramid[place]) for place in (left, left + 1))
    if one != other:
        return f"the {one} and the {other}"
    return "two Renaissance Men" if one.endswith("Man") else f"two {one}s"


def source(use: int, level: int) -> str:
    """What gave access to an action: a worker or a token."""
    kind = use % KINDS
    if use >= KINDS:
        return f"with a stored {ICONS_OF[kind]}"
    return f"by a {WORKERS[kind]} of level {level}"


def deed(kit: Kit, player: Any, use: int, place: int, target: int, level: int, s: str = "") -> str:
    """An action with its card; `s` for a verb in the third person."""
    card = player.hand[place]
    icon = ICONS_OF[kit.record[0].kind[card]]
    by = source(use, level)
    kind = use % KINDS
    if kind == HIRE:
        return f"hire{s} the {card_name(kit, card)} at {place_name(BASE + target)}, {by}"
    if kind == TEACH:
        return f"teach{'e' * bool(s)}{s} {by}: a {worker_name(kit, card)} brings {icon}"
    if kind == BARTER:
        full = use == BARTER and total(player.store) == MOST_STORED
        drop = f", and a stored {ICONS_OF[target]} is dropped" if full else ""
        return f"barter{s} {by}: a {worker_name(kit, card)} brings {icon}{drop}"
    start = "" if target == SUPPLY else f" from the {ICONS_OF[target]} area"
    return f"recruit{s} {by}: a knight goes{start} to the {icon} area"
