"""The log of One Card Wonder: what a decision did, as everybody may know it.

Nothing is told while a chain of decisions is open. When it is confirmed, the table is compared
with what it was before the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.contract import SPECTATOR, Told
from bottega.engine.kit import Kit
from bottega.engine.lanes import shortfall, total
from bottega.engine.language import listing, sentence
from bottega.engine.record import ENDED
from bottega.games.one_card_wonder.actions import (
    ACCEPT,
    CHOOSE,
    DECLINE,
    DONE,
    DROP,
    NAME,
    PASS,
    PICK,
    PRODUCE,
    PROPOSE,
    REVEAL,
    TO,
    USE,
    WITHDRAW,
)
from bottega.games.one_card_wonder.effects import RESOURCES, THINGS
from bottega.games.one_card_wonder.phrases import (
    amounts,
    one_thing,
    price_in_words,
    stage_name,
)
from bottega.games.one_card_wonder.rules import head_of
from bottega.games.one_card_wonder.sight import building_in, seen_by
from bottega.games.one_card_wonder.state import (
    ACT,
    ACTION_HEAD,
    CLAIM_HEAD,
    ENDING,
    KEEP,
    MATS_CHOICE,
    NO_TRADE,
    NOBODY,
    OVERFLOW,
    PLEDGING,
    PRODUCE_HEAD,
    PROPOSED,
    SELL_HEAD,
    SLOTS,
    STAGES,
)


def tell(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[Told]:
    """What a decision did; nothing while it is private."""
    if after.turns == before.turns:
        return []
    start = seen_by(before, SPECTATOR)
    lines: list[Told]
    if action >= TO:
        lines = tell_trade(start, after, seat, action, names)
    elif PICK <= action < REVEAL:
        lines = tell_setup(kit, start, after, seat, action, names)
    elif before.surplus:
        lines = [(seat, f"{names[seat]} gives up {one_thing(THINGS[action - DROP])}.")]
    elif action == REVEAL or start.owner != NOBODY:
        lines = tell_leader(kit, before, start, after, seat, action, names)
        lines += tell_interruption(before, seat, action, viewer, names)
    else:
        turn = tell_turn(kit, before, start, after, seat, action, names[seat])
        lines = [(seat, text) for text in turn]
    if not lines and action == DONE:
        lines.append((seat, f"{names[seat]} leaves it at that."))
    if action < TO:
        lines += tell_fallen(start, after, names)
    if after.over == ENDED and not before.over:
        lines.append((None, f"The game is over. {why(kit, after, names)}"))
    return lines


def why(kit: Kit, s: Any, names: Sequence[str]) -> str:
    """Whose wonder stands, and how far the others came (W15)."""
    stages = [
        len(kit.words["wonders"][s.players[seat].wonder]["stages"]) for seat in range(s.seats)
    ]
    built = [int(s.players[seat].stages).bit_count() for seat in range(s.seats)]
    winner = next(seat for seat in range(s.seats) if built[seat] == stages[seat])
    wonder = kit.words["wonders"][s.players[winner].wonder]["name"]
    rest = [f"{names[o]} {built[o]} of {stages[o]}" for o in range(s.seats) if o != winner]
    return f"{names[winner]} has built all {stages[winner]} stages of {wonder}; {listing(rest)}."


# Setting up


def tell_setup(
    kit: Kit, start: Any, after: Any, seat: int, action: int, names: Sequence[str]
) -> list[Told]:
    """Wonders picked; mats when the last one is chosen and all are revealed (W3)."""
    if action < CHOOSE:
        place = action - PICK
        wonder = kit.words["wonders"][start.wonders[place]]["name"]
        return [(seat, f"{names[seat]} picks {wonder} with {amounts(start.gifts[place])}.")]
    if after.now[0].phase == MATS_CHOICE:
        return []
    mats = [kit.words["mats"][after.players[other].mat]["name"] for other in range(after.seats)]
    return [(other, f"{names[other]} plays {mat}.") for other, mat in enumerate(mats)]


# Turns


def tell_turn(
    kit: Kit, before: Any, start: Any, after: Any, seat: int, action: int, who: str
) -> list[str]:
    """An action of the seat on turn, or a part of it that is settled."""
    if action == PASS:
        return [f"{who} can do nothing and passes."]
    if start.now[0].phase == ENDING:
        return [f"{who} ends the turn."]
    head = int(head_of(action) if before.now[0].phase == ACT else before.now[0].head)
    spent = int(after.now[0].spent)
    given_up = int(after.now[0].given_up)
    no_room = [f"{who} has no room for {amounts(given_up)} and gives that up."] * (given_up > 0)
    if start.now[0].phase == OVERFLOW:
        return no_room
    gained = int(after.players[seat].stock) - int(start.players[seat].stock) + spent + given_up
    gets = f"gets {amounts(gained)}"
    if head == PRODUCE_HEAD:
        lines = [f"{who} {tell_produce(after, action, gets)}."]
    elif head == CLAIM_HEAD:
        lines = [f"{who} claims and {gets}."]
    elif head == SELL_HEAD:
        lines = [f"{who} sells {amounts(spent)} and {gets}."]
    elif head == ACTION_HEAD:
        slot = action - USE if before.now[0].phase == ACT else int(before.now[0].slot)
        building = building_in(kit, after.players[seat], slot)
        paid = f"pays {amounts(spent)} and " * (spent > 0)
        lines = [f"{who} uses {building['name'] if building else 'it'}, {paid}{gets}."]
    else:
        lines = tell_build(kit, start, after, seat, who, spent, gets * (gained > 0))
    return lines + no_room


def tell_produce(after: Any, action: int, gets: str) -> str:
    """The draw, or what was kept of it."""
    if action == PRODUCE and after.now[0].phase == KEEP:
        return f"produces and draws {amounts(after.now[0].hand)}"
    if action == PRODUCE:
        return f"produces and {gets}"
    return f"{gets}; the rest goes to the supply"


def tell_build(
    kit: Kit, start: Any, after: Any, seat: int, who: str, spent: int, gets: str
) -> list[str]:
    """Stages and buildings that stand now."""
    built = new_things(kit, start.players[seat], after.players[seat])
    if not built:
        return [f"{who} {gets}."] if gets else []
    pays = f"pays {amounts(spent)}" if spent else "pays nothing"
    return [f"{who} builds {listing(built)}, {pays}{' and ' * (gets > '')}{gets}."]


def new_things(kit: Kit, old: Any, new: Any) -> list[str]:
    """Stages and buildings that the player did not have before, by name."""
    stages = int(new.stages) & ~int(old.stages)
    slots = int(new.buildings) & ~int(old.buildings)
    names = [stage_name(stage) for stage in range(STAGES) if stages >> stage & 1]
    words = [building_in(kit, new, slot) for slot in range(SLOTS) if slots >> slot & 1]
    return names + [building["name"] for building in words if building]


# Trades


def tell_trade(start: Any, after: Any, seat: int, action: int, names: Sequence[str]) -> list[Told]:
    """A trade proposed, withdrawn, accepted or declined."""
    who = names[seat]
    if action == PROPOSE:
        terms = after.players[seat]
        gives, asks = amounts(terms.give), amounts(terms.ask)
        return [(seat, f"{who} offers {names[terms.partner]} {gives} for {asks}.")]
    if action == WITHDRAW:
        return [(seat, f"{who} withdraws the proposal.")]
    if action >= DECLINE:
        return [(seat, f"{who} declines the trade of {names[action - DECLINE]}.")]
    terms = start.players[action - ACCEPT]
    gives, gets = amounts(terms.ask), amounts(terms.give)
    return [(seat, f"{who} trades with {names[action - ACCEPT]}: gives {gives} and gets {gets}.")]


def tell_fallen(start: Any, after: Any, names: Sequence[str]) -> list[Told]:
    """Proposals that fell by themselves (W12)."""
    return [
        (seat, f"The proposal of {names[seat]} to {names[start.players[seat].partner]} falls.")
        for seat in range(after.seats)
        if start.players[seat].trade == PROPOSED and after.players[seat].trade == NO_TRADE
    ]


# Leaders


def tell_leader(
    kit: Kit, before: Any, start: Any, after: Any, seat: int, action: int, names: Sequence[str]
) -> list[Told]:
    """A leader revealed, paid off or at work."""
    who = names[seat]
    lines: list[Told]
    if action == REVEAL:
        leader = kit.words["leaders"][before.players[seat].leader]
        cost = price_in_words(leader["defeat"])
        lines = [(seat, f"{who} reveals {leader['name']}: {leader['text']} To defeat: {cost}.")]
        undecided = after.owner == seat and after.now[0].phase == PLEDGING
        return lines if undecided else lines + tell_effect(kit, start, after, names)
    if start.now[0].phase == PLEDGING:
        return tell_pledge(kit, before, start, after, seat, names)
    lines = []
    if NAME <= action < TO:
        lines.append((seat, f"{who} names {RESOURCES[action - NAME]}."))
    return lines + tell_effect(kit, start, after, names)


def tell_pledge(
    kit: Kit, before: Any, start: Any, after: Any, seat: int, names: Sequence[str]
) -> list[Told]:
    """What a seat offers to defeat a leader, and what comes of it."""
    offered = amounts(before.players[seat].pledge)
    lines: list[Told] = [(seat, f"{names[seat]} offers {offered}.")]
    if before.now[0].globe:
        cube = one_thing(RESOURCES[before.now[0].globe - 1])
        lines.append((None, sentence(f"{cube} of the supply counts")))
    name = kit.words["leaders"][before.leader]["name"]
    owner = int(before.owner)
    if total(before.now[0].paid) == total(before.now[0].due):
        tribute = amounts(before.now[0].paid)
        return [*lines, (owner, f"{name} is defeated: {names[owner]} gets {tribute}.")]
    if after.owner != NOBODY and after.now[0].phase == PLEDGING:
        return lines
    return [*lines, (None, f"Nobody defeats {name}."), *tell_effect(kit, start, after, names)]


def tell_interruption(
    before: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[Told]:
    """The turn that a leader interrupts goes on from its start (W19). That something was begun is
    known only to who began it, and so is that it was taken back."""
    turn = int(before.turn)
    if action != REVEAL or turn == seat:
        return []
    begun = before.open and viewer == turn
    what = f"What {names[turn]} had begun is taken back; the" if begun else f"{names[turn]}'s"
    return [(turn, f"{what} turn goes on from its start.")]


def tell_effect(kit: Kit, start: Any, after: Any, names: Sequence[str]) -> list[Told]:
    """What everybody won and lost, and stages that stand now."""
    lines: list[Told] = []
    for seat, name in enumerate(names):
        old, new = start.players[seat], after.players[seat]
        built = new_things(kit, old, new)
        if built:
            lines.append((seat, f"{name} builds {listing(built)} for nothing."))
        if gained := shortfall(int(new.stock), int(old.stock)):
            lines.append((seat, f"{name} gets {amounts(gained)}."))
        if lost := shortfall(int(old.stock), int(new.stock)):
            lines.append((seat, f"{name} loses {amounts(lost)}."))
    return lines
