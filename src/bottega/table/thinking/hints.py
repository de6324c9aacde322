"""A hint: the best choices of a seat, in words."""

from __future__ import annotations

from typing import Any

from bottega.bots import waking
from bottega.bots.judgement import Judgement
from bottega.engine.match import Match

SHOWN = 3
TOLD = 2  # of the small decisions that go on from a choice


def hints(match: Match, seat: int) -> list[dict[str, Any]]:
    """The best choices, each with its chance, what it does and why."""
    if not match.legal_numbers(seat):
        return []
    if not waking.can_search(match):
        return [at_first_sight(match, seat)]
    weighed = Judgement(match, seat).first(SHOWN)
    chances = [percent(one.chance) for one in weighed]
    return [
        {
            "key": one.action.key,
            "text": one.action.text,
            "then": list(one.then[:TOLD]),
            "chance": one.chance,
            "best": place == 0,
            "reason": reason(chances, place),
        }
        for place, one in enumerate(weighed)
    ]


def at_first_sight(match: Match, seat: int) -> dict[str, Any]:
    """What can be said at once, before the adviser's machine code is there."""
    action = waking.first_sight(match, seat)
    return {
        "key": action.key,
        "text": action.text,
        "then": [],
        "chance": match.chances(seat)[seat],
        "best": True,
        "reason": "At first sight. The adviser is still waking up; ask again in a while.",
    }


def reason(chances: list[int], place: int) -> str:
    """Why, in one sentence; `chances` in percent, the best first."""
    if len(chances) == 1:
        return "It is the only thing you can do."
    behind = chances[0] - chances[place]
    if place:
        return f"{behind} in 100 less than the best." if behind else "Nearly as good."
    ahead = chances[0] - chances[1]
    return f"Clearly the best, by {ahead} in 100." if ahead > 4 else "Nothing looks better."


def percent(chance: float) -> int:
    return round(100 * chance)
