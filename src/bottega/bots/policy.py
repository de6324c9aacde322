"""What a network would do by itself, without any search."""

from __future__ import annotations

import math
import random
from typing import NamedTuple

from bottega.bots import loops, net
from bottega.bots.crowd import new_mind
from bottega.bots.start import choices, decision_seed
from bottega.engine.match import Action, Match


class Opinion(NamedTuple):
    """What a network says of a table, from what a seat knows."""

    actions: dict[int, float]  # by number: how likely it would choose it
    chances: list[float]  # of every seat to win


def opinion(match: Match, seat: int, learned: net.Learned) -> Opinion:
    """What the network thinks of a seat's choices."""
    numbers = choices(match, seat)
    mind = new_mind(match.game, learned)
    table = match.concealed(seat, 0)
    ask = match.game.code(loops.open_mind)
    ask(match.kit.record, table, seat, match.mask(seat), mind)
    scores = [float(mind.sheet.scores[number]) for number in numbers]
    likely = softmax(scores)
    outcomes = softmax([float(score) for score in mind.sheet.chances[: max(2, match.players)]])
    seats = [outcomes[(other - seat) % match.players] for other in range(match.players)]
    return Opinion(dict(zip(numbers, likely, strict=True)), seats)


def softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    whole = sum(parts)
    return [part / whole for part in parts]


def by_policy(match: Match, seat: int, learned: net.Learned, heat: float, seed: int) -> Action:
    """What the network would do: the likeliest at heat 0, else by chance, the more evenly the
    hotter (1: as likely as it says)."""
    numbers = choices(match, seat)
    if len(numbers) == 1:
        return match.action(seat, numbers[0])
    likely = opinion(match, seat, learned).actions
    if heat == 0:
        return match.action(seat, max(likely, key=lambda number: likely[number]))
    mood = random.Random(decision_seed(seed, match, seat))
    weights = [max(likely[number], 1e-12) ** (1 / heat) for number in numbers]
    return match.action(seat, mood.choices(numbers, weights)[0])
