"""The log of One Card Wonder: what a decision did, as everybody may know it.

Nothing is told while a chain of decisions is open. When it is confirmed, the table is compared
with what it was before the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.engine.contract import SPECTATOR
from bottega.engine.kit import Kit
from bottega.engine.lanes import shortfall, total
from bottega.engine.match import listing
from bottega.games.one_card_wonder.actions import (
    ACCEPT,
    CHOOSE,
    DECLINE,
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
) -> list[str]:
    """What a decision did; nothing while it is private."""
    if after.turns == before.turns:
        return []
    start = seen_by(before, SPECTATOR)
    if action >= TO:
        lines = tell_trade(start, after, seat, action, names)
    elif PICK <= action < REVEAL:
        lines = tell_setup(kit, start, after, seat, action, names)
    elif before.surplus:
        lines = [f"{names[seat]} gives up {one_thing(THINGS[action - DROP])}."]
    elif action == REVEAL or start.owner != NOBODY:
        lines = tell_leader(kit, before, start, after, seat, action, names)
    else:
        lines = tell_turn(kit, before, start, after, seat, action, names[seat])
    if action < TO:
        lines += tell_fallen(start, after, names)
    if after.over and not before.over:
        winner = after.now[0].actor
        wonder = kit.words["wonders"][after.players[winner].wonder]["name"]
        lines.append(f"{names[winner]} completes {wonder} and wins.")
    return lines


# Setting up


def tell_setup(
    kit: Kit, start: Any, after: Any, seat: int, action: int, names: Sequence[str]
) -> list[str]:
    """Wonders picked, mats chosen and revealed."""
    if action < CHOOSE:
        place = action - PICK
        wonder = kit.words["wonders"][start.wonders[place]]["name"]
        return [f"{names[seat]} picks {wonder} with {amounts(start.gifts[place])}."]
    lines = [f"{names[seat]} has chosen a mat."]
    if after.now[0].phase != MATS_CHOICE:
        for other in range(after.seats):
            mat = kit.words["mats"][after.players[other].mat]["name"]
            lines.append(f"{names[other]} plays {mat}.")
    return lines


# Turns


def tell_turn(
    kit: Kit, before: Any, start: Any, after: Any, seat: int, action: int, who: str
) -> list[str]:
    """An action of the seat on turn, or a part of it that is settled."""
    if action == PASS:
        return [f"{who} can do nothing and passes."]
    if start.now[0].phase == ENDING:
        return []
    head = int(head_of(action) if before.now[0].phase == ACT else before.now[0].head)
    spent = int(after.now[0].spent)
    given_up = int(after.now[0].given_up)
    no_room = [f"{who} has no room for {amounts(given_up)} and gives it up."] * (given_up > 0)
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


def tell_trade(start: Any, after: Any, seat: int, action: int, names: Sequence[str]) -> list[str]:
    """A trade proposed, withdrawn, accepted or declined."""
    who = names[seat]
    if action == PROPOSE:
        terms = after.players[seat]
        return [
            f"{who} offers {names[terms.partner]} {amounts(terms.give)} for {amounts(terms.ask)}."
        ]
    if action == WITHDRAW:
        return [f"{who} withdraws the proposal."]
    if action >= DECLINE:
        return [f"{who} declines the trade of {names[action - DECLINE]}."]
    terms = start.players[action - ACCEPT]
    return [
        f"{who} trades with {names[action - ACCEPT]}: "
        f"gives {amounts(terms.ask)} and gets {amounts(terms.give)}."
    ]


def tell_fallen(start: Any, after: Any, names: Sequence[str]) -> list[str]:
    """Proposals that fell by themselves (W12)."""
    return [
        f"The proposal of {names[seat]} to {names[start.players[seat].partner]} falls."
        for seat in range(after.seats)
        if start.players[seat].trade == PROPOSED and after.players[seat].trade == NO_TRADE
    ]


# Leaders


def tell_leader(
    kit: Kit, before: Any, start: Any, after: Any, seat: int, action: int, names: Sequence[str]
) -> list[str]:
    """A leader revealed, paid off or at work."""
    who = names[seat]
    if action == REVEAL:
        leader = kit.words["leaders"][before.players[seat].leader]
        cost = price_in_words(leader["defeat"])
        lines = [f"{who} reveals {leader['name']}: {leader['text']} To defeat: {cost}."]
        undecided = after.owner == seat and after.now[0].phase == PLEDGING
        return lines if undecided else lines + tell_effect(kit, start, after, names)
    if start.now[0].phase == PLEDGING:
        lines = [f"{who} offers {amounts(before.players[seat].pledge)}."]
        if before.now[0].globe:
            lines.append(f"{one_thing(RESOURCES[before.now[0].globe - 1])} of the supply counts.")
            lines[-1] = lines[-1].capitalize()
        name = kit.words["leaders"][before.leader]["name"]
        owner = names[before.owner]
        if total(before.now[0].paid) == total(before.now[0].due):
            return [*lines, f"{name} is defeated: {owner} gets {amounts(before.now[0].paid)}."]
        if after.owner != NOBODY and after.now[0].phase == PLEDGING:
            return lines
        return [*lines, f"Nobody defeats {name}.", *tell_effect(kit, start, after, names)]
    named = [f"{who} names {RESOURCES[action - NAME]}."] if NAME <= action < TO else []
    return named + tell_effect(kit, start, after, names)


def tell_effect(kit: Kit, start: Any, after: Any, names: Sequence[str]) -> list[str]:
    """What everybody won and lost, and stages that stand now."""
    lines = []
    for seat, name in enumerate(names):
        old, new = start.players[seat], after.players[seat]
        built = new_things(kit, old, new)
        if built:
            lines.append(f"{name} builds {listing(built)} for nothing.")
        if gained := shortfall(int(new.stock), int(old.stock)):
            lines.append(f"{name} gets {amounts(gained)}.")
        if lost := shortfall(int(old.stock), int(new.stock)):
            lines.append(f"{name} loses {amounts(lost)}.")
    return lines
