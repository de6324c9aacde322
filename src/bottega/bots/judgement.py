"""How good a seat's choices are, from what the seat may know: one judgement for hints, for the
graph of chances and for what is said of decisions after the game.

It counts iterations, not seconds: the same position has the same numbers, whenever and wherever
it is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot, wasteful
from bottega.engine.match import Action, Match

SAMPLES = 4  # possible tables on which a choice is tried that was not searched
MOST_TRIED = 60  # choices that are tried so, those first that look best at first sight
CHAIN = 12  # further small decisions that complete a choice


@dataclass(frozen=True)
class Weighed:
    """A choice, and what became of it in thought."""

    action: Action
    chance: float  # of the seat to win
    then: tuple[str, ...] = ()  # the small decisions that go on from it, as sentences


class Judgement:
    """A seat's choices, the best first. No other has a higher chance than the first."""

    def __init__(self, match: Match, seat: int) -> None:
        self.match = match
        self.seat = seat
        self.numbers = match.legal_numbers(seat)
        iterations = SearchBot().steering(match).judges
        searched = bool(iterations) and seat in match.waiting  # a guest's decision is not
        self._known = self._searched(iterations) if searched else self._tried()

    @property
    def best(self) -> Weighed:
        return self._known[0]

    @property
    def chance(self) -> float:
        """The seat's chance to win: that of its best choice."""
        return self.best.chance

    def of(self, number: int) -> Weighed:
        """What is known of one choice, or learned of it now: it looked too bad to be tried."""
        for one in self._known:
            if one.action.id == number:
                return one
        chain = completed(self.match, self.seat, number)
        chance = min(prospect(self.match, self.seat, number), self._known[-1].chance)
        return self._weighed(chain, chance)

    def first(self, most: int) -> list[Weighed]:
        """The best choices, in falling order; none that goes round in a circle."""
        known = {one.action.id for one in self._known}
        found: list[Weighed] = []
        if len(known) < most:
            rest = self._sound([number for number in self.numbers if number not in known])
            found = [self.of(number) for number in rest]
            found.sort(key=lambda one: -one.chance)
        return [*self._known, *found][:most]

    def _sound(self, numbers: list[int]) -> list[int]:
        """Choices that look promising and can be completed without a circle."""
        match, seat = self.match, self.seat
        chosen = promising(match, seat, numbers)[:MOST_TRIED]
        return [n for n in chosen if not wasteful(match, seat, completed(match, seat, n))]

    def _searched(self, iterations: int) -> list[Weighed]:
        """What a search has tried, its own favourite first."""
        bot = SearchBot(iterations=iterations)
        thoughts = bot.think(self.match, self.seat)
        tried = [thought for thought in thoughts if thought.visits] or thoughts[:1]
        chains = [bot.chain(self.match, self.seat, thought.action.id) for thought in tried]
        sound = [
            at for at, chain in enumerate(chains) if not wasteful(self.match, self.seat, chain)
        ]
        if not sound:
            return self._tried()
        most = tried[sound[0]].chance  # of the others none is better: they were looked at less
        weighed = [self._weighed(chains[at], min(tried[at].chance, most)) for at in sound]
        return weighed[:1] + sorted(weighed[1:], key=lambda one: -one.chance)

    def _tried(self) -> list[Weighed]:
        """Where nothing is searched: each choice tried by the quick judgement."""
        match, seat = self.match, self.seat
        weighed = [
            self._weighed(completed(match, seat, number), prospect(match, seat, number))
            for number in self._sound(self.numbers) or self.numbers[:1]
        ]
        return sorted(weighed, key=lambda one: -one.chance)

    def _weighed(self, chain: list[int], chance: float) -> Weighed:
        (first, *then) = along(self.match, self.seat, chain)
        return Weighed(first, chance, tuple(action.text for action in then))


# Chains of small decisions, tried on tables as they may be for all the seat knows


def along(match: Match, seat: int, chain: list[int]) -> list[Action]:
    """The actions of a chain as sentences, as far as it can be followed without luck."""
    world = match.imagine(seat, 0)
    actions = []
    for number in chain:
        if number not in world.legal_numbers(seat):
            break
        actions.append(world.action(seat, number))
        world.play(seat, number)
    return actions


def promising(match: Match, seat: int, numbers: list[int]) -> list[int]:
    """Choices, those first that look best at first sight."""

    def at_sight(number: int) -> float:
        world = match.imagine(seat, 0)
        world.play(seat, number)
        return world.chances(seat, samples=1)[seat]

    return sorted(numbers, key=lambda number: -at_sight(number))


def prospect(match: Match, seat: int, number: int) -> float:
    """The seat's chance to win after a choice by the quick judgement."""
    return float(np.mean([_tried_on(match, seat, number, seed)[1] for seed in range(SAMPLES)]))


def completed(match: Match, seat: int, number: int) -> list[int]:
    """A choice and the small decisions by which a greedy bot would complete it."""
    return _tried_on(match, seat, number, 0)[0]


def _tried_on(match: Match, seat: int, number: int, seed: int) -> tuple[list[int], float]:
    world = match.imagine(seat, seed)
    turns = world.turns
    chain = [number]
    world.play(seat, number)
    for _ in range(CHAIN):
        if world.over or world.turns != turns or seat not in world.waiting:
            break
        chain.append(GreedyBot().choose(world, seat).id)
        world.play(seat, chain[-1])
    if world.over:
        return chain, 1 / len(world.winners) if seat in world.winners else 0.0
    return chain, world.chances(seat, samples=1)[seat]
