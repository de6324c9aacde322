"""A hint: the best choices of a seat, with reasons, from what that seat may know."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from bottega import bots
from bottega.bots.search import SearchBot, Thought
from bottega.engine.match import Action, Match
from bottega.table import levels


@dataclass(frozen=True)
class Effort:
    """How long to think about a decision."""

    iterations: int  # of a search, or as many as fit into
    seconds: float
    samples: int  # possible tables on which each choice is tried where nothing is searched


SHOWN = 3
EFFORT = Effort(12_000, 0.5, 4)
MOST = 60  # choices that are tried there, those first that look best at first sight
CHAIN = 12  # further small decisions that complete a choice
TOLD = 2  # of these are told


@dataclass(frozen=True)
class Weighed:
    """A choice and what became of it in thought."""

    action: Action
    chance: float  # of the seat to win


def hints(match: Match, seat: int) -> list[dict[str, Any]]:
    """The best choices, each with its chance, and in words what it does and why."""
    weighed = weigh(match, seat, EFFORT)
    if not weighed:
        return []
    only = len(weighed) == 1
    now = None if searches(match, seat) else match.chances(seat)[seat]
    return [
        {
            "key": one.action.key,
            "text": one.action.text,
            "then": sequel(match, seat, one.action),
            "chance": one.chance,
            "best": one is weighed[0],
            "reason": reason(one.chance, weighed[0].chance, now, one is weighed[0], only),
        }
        for one in weighed[:SHOWN]
    ]


def weigh(match: Match, seat: int, effort: Effort) -> list[Weighed]:
    """The choices of a seat, the best first, as far as they were looked at."""
    if not match.legal_numbers(seat):
        return []
    if not searches(match, seat):
        return judged(match, seat, effort)
    thoughts = search(match, seat, effort)
    weighed = [
        Weighed(thought.action, thought.chance)
        for thought in thoughts
        if thought.visits or thought is thoughts[0]
    ]
    if len(weighed) < min(SHOWN, len(thoughts)):
        weighed += overlooked(match, seat, weighed, effort)
    return weighed


def overlooked(match: Match, seat: int, weighed: list[Weighed], effort: Effort) -> list[Weighed]:
    """The choices that looked too bad to be searched, by the quick judgement: none is better."""
    known = {one.action.id for one in weighed}
    return [
        Weighed(one.action, min(one.chance, weighed[-1].chance))
        for one in judged(match, seat, effort)
        if one.action.id not in known
    ]


def search(match: Match, seat: int, effort: Effort) -> list[Thought]:
    return SearchBot(iterations=effort.iterations, seconds=effort.seconds).think(match, seat)


def compare(
    match: Match, seat: int, played: Action, effort: Effort
) -> tuple[Weighed, Weighed] | None:
    """The best choice and the one that was played; None if they are the same."""
    bot = bots.find("greedy")
    if searches(match, seat):
        thoughts = search(match, seat, effort)
        best = thoughts[0]
        own = next(one for one in thoughts if one.action.id == played.id)
        if own is not best and own.visits:
            return Weighed(best.action, best.chance), Weighed(played, own.chance)
        first = best.action
    else:
        first = bot.choose(match, seat)
    if first.id == played.id:
        return None
    both = [
        Weighed(one, prospect(match, seat, one, bot, effort.samples)) for one in (first, played)
    ]
    return both[0], both[1]


def searches(match: Match, seat: int) -> bool:
    """Whether thinking ahead is known to help here. A guest's decision is not searched."""
    return levels.searches(match.game.name) and seat in match.waiting


def judged(match: Match, seat: int, effort: Effort) -> list[Weighed]:
    """The choices by the quick judgement, the first being what the greedy bot would do."""
    bot = bots.find("greedy")
    best = bot.choose(match, seat)
    until = time.monotonic() + effort.seconds
    promising = sorted(
        match.legal(seat),
        key=lambda action: (action.id != best.id, -_at_sight(match, seat, action)),
    )
    weighed: list[Weighed] = []
    for one in promising[:MOST]:
        if len(weighed) >= SHOWN and time.monotonic() > until:
            break
        weighed.append(Weighed(one, prospect(match, seat, one, bot, effort.samples)))
    return sorted(weighed, key=lambda one: (one.action.id != best.id, -one.chance))


def _at_sight(match: Match, seat: int, action: Action) -> float:
    table = match.imagine(seat, 0)
    table.play(seat, action.id)
    return table.chances(seat, samples=1)[seat]


def prospect(match: Match, seat: int, action: Action, bot: bots.Bot, samples: int) -> float:
    """The seat's chance to win after a choice, on tables as they may be for all it knows."""
    return float(np.mean([_tried(match, seat, action, bot, seed) for seed in range(samples)]))


def _tried(match: Match, seat: int, action: Action, bot: bots.Bot, seed: int) -> float:
    table, _ = completed(match, seat, action, bot, seed)
    if table.over:
        return 1 / len(table.winners) if seat in table.winners else 0.0
    return table.chances(seat, samples=1)[seat]


def completed(
    match: Match, seat: int, action: Action, bot: bots.Bot, seed: int
) -> tuple[Match, list[str]]:
    """A possible table after a choice and the small decisions that complete it, and those."""
    table = match.imagine(seat, seed)
    turns = table.turns
    table.play(seat, action.id)
    further: list[str] = []
    for _ in range(CHAIN):
        if table.over or table.turns != turns or seat not in table.waiting:
            break
        then = bot.choose(table, seat)
        further.append(then.text)
        table.play(seat, then)
    return table, further


def sequel(match: Match, seat: int, action: Action) -> list[str]:
    """How one would go on in the same turn."""
    _, further = completed(match, seat, action, bots.find("greedy"), 0)
    return further[:TOLD]


def reason(chance: float, best: float, now: float | None, first: bool, only: bool) -> str:
    """Why, in one sentence. `now`: the chance before, if it was estimated in the same way."""
    if only:
        return "It is the only thing you can do."
    if first and now is None:
        return "Thinking ahead, nothing looks better."
    if first and now is not None:
        change = percent(chance) - percent(now)
        if change > 2:
            return f"It raises your chances by {change} in 100."
        if change < -2:
            return f"Nothing loses less here: {-change} in 100."
        return "It keeps your chances, and nothing else looks better."
    behind = percent(best) - percent(chance)
    return "Nearly as good." if behind < 1 else f"{behind} in 100 less than the best."


def percent(chance: float) -> int:
    return round(100 * chance)
