"""What happened at a table of Renaissance Man, as lines of the log.

A decision is told when it is revealed. The records before and after the last small step then
hold everything that was sealed and everything that followed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bottega.engine.bits import count
from bottega.engine.contract import Told
from bottega.engine.kit import Kit
from bottega.engine.lanes import lane, total, unpack
from bottega.engine.language import listing, plural
from bottega.engine.record import ENDED
from bottega.games.renaissance_man.nouns import card_name, deed, worker_name, workers_at
from bottega.games.renaissance_man.phases import RECRUIT
from bottega.games.renaissance_man.rules import DISCARD, DISCARD_MORE, REMOVE, TAKE
from bottega.games.renaissance_man.sight import ICONS_OF, place_name
from bottega.games.renaissance_man.state import (
    ACTION,
    BASE,
    CREATION,
    DECIDED,
    DISCARDING,
    HAND,
    KINDS,
    NO_CARD,
    NOTHING,
    RESOLUTION,
    ROW,
    SETTING,
    SUPPLY,
    TO_HAND,
)
from bottega.games.renaissance_man.structure import MASTER


@dataclass(frozen=True)
class Decision:
    """A sealed decision, as it is about to be revealed."""

    removed: int
    use: int
    card: int
    target: int
    dropped: int


def tell(
    kit: Kit, before: Any, after: Any, seat: int, action: int, viewer: int, names: Sequence[str]
) -> list[Told]:
    """What a decision did; nothing as long as it, or another one, is not revealed."""
    if after.turns == before.turns or int(before.owing) != 1 << seat:
        return []
    decisions = {
        other: sealed(before.players[other])
        for other in range(before.seats)
        if before.players[other].step == DECIDED
    }
    decisions[seat] = completed(before, seat, action)
    decisions = dict(sorted(decisions.items()))
    lines = {
        SETTING: tell_foundations,
        ACTION: tell_actions,
        CREATION: tell_creation,
        RESOLUTION: tell_recruit,
        DISCARDING: tell_discards,
    }[int(before.phase)](kit, before, after, decisions, viewer, names)
    return lines + tell_onward(kit, before, after, decisions, names)


def sealed(player: Any) -> Decision:
    """A decision as it stands in the record."""
    return Decision(
        int(player.removed),
        int(player.use),
        int(player.card),
        int(player.target),
        int(player.dropped),
    )


def completed(before: Any, seat: int, action: int) -> Decision:
    """The decision of the seat whose last step is only now being taken."""
    player = before.players[seat]
    target, dropped = int(player.target), int(player.dropped)
    if action == TAKE:
        target = TO_HAND
    elif DISCARD <= action < DISCARD_MORE:
        dropped = action - DISCARD
    elif DISCARD_MORE <= action < REMOVE:
        dropped |= action - DISCARD_MORE << ROW
    return Decision(int(player.removed), int(player.use), int(player.card), target, dropped)


# What was decided

Decisions = dict[int, Decision]


def tell_foundations(
    kit: Kit, before: Any, after: Any, decisions: Decisions, viewer: int, names: Sequence[str]
) -> list[Told]:
    """The rows of the Foundation (R4)."""
    lines: list[Told] = []
    for seat in decisions:
        row = [worker_name(kit, card) for card in after.players[seat].pyramid[:BASE]]
        lines.append((seat, f"{names[seat]} sets {listing(row)}."))
    return lines


def tell_actions(
    kit: Kit, before: Any, after: Any, decisions: Decisions, viewer: int, names: Sequence[str]
) -> list[Told]:
    """Removals and actions of everybody (R6), and who has created a Renaissance Man (R9)."""
    lines: list[Told] = []
    for seat, decision in decisions.items():
        lines += tell_removal(kit, before, seat, decision, names)
        lines.append((seat, f"{names[seat]} {told_action(kit, before, seat, decision)}."))
    for seat in decisions:
        if after.phase == CREATION and int(after.owing) >> seat & 1:
            created = f"{names[seat]} has all four tokens and creates a Renaissance Man."
            lines.append((seat, created))
    return lines


def tell_removal(
    kit: Kit, before: Any, seat: int, decision: Decision, names: Sequence[str]
) -> list[Told]:
    """The workers that left first (R16)."""
    if not decision.removed:
        return []
    workers = workers_at(kit, before.players[seat], decision.removed)
    return [(seat, f"{names[seat]} removes {workers}.")]


def told_action(kit: Kit, before: Any, seat: int, decision: Decision) -> str:
    """What a player did with which card."""
    if decision.use == NOTHING:
        return "takes no action"
    player, level = before.players[seat], int(before.level)
    return deed(kit, player, decision.use, decision.card, decision.target, level, "s")


def tell_creation(
    kit: Kit, before: Any, after: Any, decisions: Decisions, viewer: int, names: Sequence[str]
) -> list[Told]:
    """Where the Renaissance Men went (R9)."""
    lines: list[Told] = []
    for seat, decision in decisions.items():
        lines += tell_removal(kit, before, seat, decision, names)
        place = place_name(BASE + decision.target)
        lines.append((seat, f"{names[seat]} places a Renaissance Man at {place}."))
    return lines


def tell_recruit(
    kit: Kit, before: Any, after: Any, decisions: Decisions, viewer: int, names: Sequence[str]
) -> list[Told]:
    """Where a recruited card went by choice (R14)."""
    lines: list[Told] = []
    for seat, decision in decisions.items():
        lines += tell_removal(kit, before, seat, decision, names)
        lines.append((seat, won(kit, before, int(before.area), names[seat], decision.target)))
    return lines


def won(kit: Kit, before: Any, area: int, who: str, target: int) -> str:
    """A recruit and where it went."""
    card = card_name(kit, before.recruits[area])
    where = "the hand" if target == TO_HAND else place_name(BASE + target)
    return f"{who} wins the {ICONS_OF[area]} area: the {card} goes to {where}."


def tell_discards(
    kit: Kit, before: Any, after: Any, decisions: Decisions, viewer: int, names: Sequence[str]
) -> list[Told]:
    """How many cards each player discards; which ones, only to their owner (R15)."""
    lines: list[Told] = []
    for seat, decision in decisions.items():
        lines += tell_removal(kit, before, seat, decision, names)
        places = [place for place in range(HAND) if decision.dropped >> place & 1]
        if not places:
            continue
        what = plural(len(places), "card")
        if seat == viewer:
            cards = [before.players[seat].hand[place] for place in places]
            what = listing([f"the {card_name(kit, card)}" for card in cards])
        lines.append((seat, f"{names[seat]} discards {what}."))
    return lines


# What followed


def tell_onward(
    kit: Kit, before: Any, after: Any, decisions: Decisions, names: Sequence[str]
) -> list[Told]:
    """What went on by itself: recruits, a new deck, a new phase or round, the end."""
    lines: list[Told] = []
    if recruits_resolved(before, after):
        lines += tell_areas(kit, before, after, decisions, names)
    if after.renewals != before.renewals:
        lines.append((None, "The deck was used up; discards are shuffled into a new one."))
    if after.rounds != before.rounds:
        lines += tell_new_recruits(kit, before, after)
        if not after.over:
            lines.append((None, f"Round {after.rounds} begins."))
    elif after.phase == ACTION and after.level != before.level and not after.over:
        lines.append((None, f"Action phase {after.level} is called."))
    if after.over == ENDED and not before.over:
        lines.append((None, f"The game is over. {why(kit, after, names)}"))
    return lines


def recruits_resolved(before: Any, after: Any) -> bool:
    """Whether areas of the recruit board were resolved without a decision."""
    if before.phase in (SETTING, DISCARDING):
        return False
    if before.phase == RESOLUTION:
        return True
    return bool(after.phase in (RESOLUTION, DISCARDING) or after.rounds != before.rounds)


def tell_areas(
    kit: Kit, before: Any, after: Any, decisions: Decisions, names: Sequence[str]
) -> list[Told]:
    """The areas that resolved by themselves, from the left (R13)."""
    lines: list[Told] = []
    first = int(before.area) + 1 if before.phase == RESOLUTION else 0
    end = int(after.area) if after.phase == RESOLUTION else KINDS
    alone = before.seats == 1
    if alone and first == 0:
        lines.append((None, tell_rivals(after)))
    for area in range(first, end):
        knights = [knights_in(kit, before, seat, area, decisions) for seat in range(before.seats)]
        rivals = [int(lane(after.rival, area))] if alone else []
        lines += told_area(kit, before, area, knights, rivals, names)
    return lines


def tell_rivals(after: Any) -> str:
    """Alone: where opposing knights came; fewer than usual when there were no cards (R21)."""
    came = [ICONS_OF[a] for a in range(KINDS) for _ in range(int(lane(after.rival, a)))]
    if not came:
        return "There is no card left that could send an opposing knight."
    if len(came) == 1:
        return f"An opposing knight comes to {came[0]}."
    if came[0] == came[1]:
        return f"Two opposing knights come to {came[0]}."
    return f"Opposing knights come to {listing(came)}."


def knights_in(kit: Kit, before: Any, seat: int, area: int, decisions: Decisions) -> int:
    """A player's knights in an area, once the decisions are carried out."""
    player = before.players[seat]
    knights = unpack(player.knights, KINDS)
    decision = decisions.get(seat)
    if before.phase == ACTION and decision and decision.use in (RECRUIT, RECRUIT + KINDS):
        if decision.target != SUPPLY:
            knights[decision.target] -= 1
        knights[kit.record[0].kind[player.hand[decision.card]]] += 1
    return knights[area]


def told_area(
    kit: Kit, before: Any, area: int, knights: list[int], rivals: list[int], names: Sequence[str]
) -> list[Told]:
    """Who got the card of an area, or that it is tied."""
    most = max(knights + rivals)
    if most == 0:
        return []
    if (knights + rivals).count(most) > 1:
        stay = "all knights go home" if rivals else "the knights stay"
        return [(None, f"The {ICONS_OF[area]} area is tied: {stay}.")]
    if rivals == [most]:
        who = "An opposing knight wins" if most == 1 else "The opposing knights win"
        card = card_name(kit, before.recruits[area])
        return [(None, f"{who} the {ICONS_OF[area]} area: the {card} is discarded.")]
    seat = knights.index(most)
    return [(seat, won(kit, before, area, names[seat], TO_HAND))]


def tell_new_recruits(kit: Kit, before: Any, after: Any) -> list[Told]:
    """The cards that came to the recruit board."""
    return [
        (None, f"The {card_name(kit, card)} appears in the {ICONS_OF[area]} area.")
        for area, card in enumerate(after.recruits)
        if card not in (before.recruits[area], NO_CARD)
    ]


def why(kit: Kit, s: Any, names: Sequence[str]) -> str:
    """Who has a Master, and of several what else they have; or that it is lost (R18, R21)."""
    if s.lost:
        return "A card had to be drawn and the deck was used up before a Master stood."
    masters = [seat for seat in range(s.seats) if int(s.players[seat].upper) & MASTER]
    if len(masters) == 1:
        return f"{names[masters[0]]} has a Master."
    have = f"{listing([names[seat] for seat in masters])} have a Master"
    counts = {seat: in_play(s.players[seat]) for seat in masters}
    if len(set(counts.values())) == 1:
        return f"{have} and as many tokens and knights in play, {counts[masters[0]]} each."
    each = ", ".join(f"{names[seat]} {counts[seat]}" for seat in masters)
    return f"{have} each; tokens and knights in play decide: {each}."


def in_play(player: Any) -> int:
    """Stored tokens, learned ones and knights on the board: the tie-break (R18)."""
    return int(total(player.store) + count(player.taught) + total(player.knights))
