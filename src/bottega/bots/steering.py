"""How each game is searched, and what its levels are: constants chosen by play."""

from __future__ import annotations

from typing import NamedTuple

from bottega.bots.tree import MOST


class Step(NamedTuple):
    """How a level decides."""

    overlooks: float = 0.0  # share of its choices that it does not see, with each decision anew
    iterations: int = 0  # of the search for each decision; without, it takes what looks best
    heat: float | None = None  # it plays by the network alone, the more at random the hotter


GREEDY = Step()


class Steering(NamedTuple):
    """What steers the search of a game (tools/tune_search.py), and the game's levels."""

    knobs: tuple[float, ...]  # of `tree` (explore, sharp, trust, ...) or `guided` (explore, ...)
    levels: tuple[Step, ...]  # meant to rise in strength; docs/strength.md has what was shown
    # Iterations of `judgement`: a tenth of a second or two, so that a whole game can be looked
    # through after its end. 0: no search, where it was not shown to be of use.
    judges: int = 0


def overlooking(*shares: float) -> tuple[Step, ...]:
    return tuple(Step(overlooks=share) for share in shares)


def thinking(*iterations: int) -> tuple[Step, ...]:
    return tuple(Step(iterations=number) for number in iterations)


def slower(usual: Steering, iterations: int, judges: int) -> Steering:
    """The same where iterations take longer: for the strongest level, and for the judgement."""
    levels = (*usual.levels[:-1], *thinking(iterations))
    return usual._replace(levels=levels, judges=judges)


# Laps cost time. Splendor does without: there the next decision's best chain says enough. Where
# what is begun now pays off several decisions later, a judgement made at once says little.
# Renaissance Man numbers removals last, and nine chains in ten begin with one: below the root they
# are hardly ever worth their time. There all decide together, tried against choices at random of
# those who still owe theirs: such judgements are not counted. Artificium is better off with them.
# In these two a search gains little by more iterations: three of their levels overlook less and
# less, up to `greedy` as the fourth.
USUAL = Steering(
    (2.0, 0.35, 5.0, 1.0, MOST, 1.0),
    (*overlooking(0.3), GREEDY, *thinking(300, 3_000, 30_000)),
)
STEERING = {
    "one-card-wonder": USUAL._replace(judges=1_500),
    "splendor": Steering(
        (2.0, 0.35, 1.0, 0.0, MOST, 1.0),
        (*overlooking(0.6), GREEDY, *thinking(400, 4_000, 100_000)),
        judges=4_000,
    ),
    "renaissance-man": Steering(
        (2.0, 0.35, 5.0, 8.0, 60.0, 0.0),
        (*overlooking(0.26, 0.19, 0.13), GREEDY, *thinking(3_000)),
        judges=600,
    ),
    "artificium": Steering(
        (2.0, 0.35, 5.0, 4.0, MOST, 1.0),
        (*overlooking(0.5, 0.32, 0.18), GREEDY, *thinking(4_000)),
        judges=200,
    ),
}
# Alone, without removals, the game was won half as often.
ALONE = {
    "renaissance-man": Steering(
        (2.0, 0.35, 5.0, 4.0, MOST, 1.0),
        (*overlooking(0.1), GREEDY, *thinking(120, 700, 4_000)),
        judges=600,
    ),
}


# With more than two players an iteration takes longer, and the strongest level has no more than two
# cores do in about a second. One Card Wonder needs more laps there: what matters is what the others
# do until it is one's turn again.
MANY = {
    "splendor": slower(STEERING["splendor"], 40_000, judges=3_000),
    "renaissance-man": slower(STEERING["renaissance-man"], 2_000, judges=150),
    "artificium": slower(STEERING["artificium"], 1_200, judges=60),
    "one-card-wonder": Steering(
        (2.0, 0.35, 5.0, 4.0, MOST, 1.0),
        (*overlooking(0.3), GREEDY, *thinking(80, 500, 2_500)),
        judges=150,
    ),
}


# Guided by a network. The lower levels play by its policy alone: hot, it does what beginners do;
# cold, what it finds best at first sight. Too hot, nobody ever finishes a pyramid.
def heated(*heats: float) -> tuple[Step, ...]:
    return tuple(Step(heat=heat) for heat in heats)


# The strongest level has as many iterations as two cores do in about a second. The policy is surer
# than it should be, and is softened: below the root so much that there is a tree at all, and not
# one line; in Renaissance Man, where every world leads elsewhere, that gains nothing. A leaf is
# judged some decisions later, by then its errors differ; in One Card Wonder that gains nothing. The
# root is searched in rounds that leave the worse half of its 16 likeliest edges out. In Artificium
# what is found differs from the policy by luck more than by merit, and counts less.
GUIDED_USUAL = Steering(
    (1.0, 0.0, 0.0, 4.0, 1.5, 5.0, 16.0, 3.0, 1.0),
    (*heated(8.0, 4.0, 0.0), *thinking(300, 20_000)),
    judges=1_500,
)
GUIDED = {
    "splendor": GUIDED_USUAL._replace(levels=(*heated(8.0, 5.5, 3.0), *thinking(300, 16_000))),
    "one-card-wonder": Steering(
        (1.0, 0.0, 0.0, 3.0, 1.0, 0.0, 16.0, 3.0, 1.0),
        (*heated(16.0, 8.0, 4.0, 2.0), *thinking(90_000)),
        judges=5_000,
    ),
    "artificium": Steering(
        (1.0, 0.0, 0.0, 4.0, 1.5, 5.0, 8.0, 0.5, 1.0),
        (*heated(16.0, 7.0, 4.5, 3.0), *thinking(15_000)),
        judges=1_500,
    ),
    "renaissance-man": Steering(
        (0.4, 0.0, 0.0, 2.0, 2.0, 10.0, 16.0, 3.0, 0.0),
        (*heated(4.0, 3.4, 2.5), *thinking(100, 9_000)),
        judges=800,
    ),
}
# Alone nobody hides a decision, and a tree grows deep: what is judged at once won as often as what
# was played on first, in a fifth of the time.
GUIDED_ALONE = {
    "renaissance-man": Steering(
        (0.4, 0.0, 0.0, 4.0, 2.0, 0.0, 16.0, 3.0, 1.0),
        (*heated(5.0, 3.2, 1.6), *thinking(50, 40_000)),
        judges=4_000,
    ),
}


def steering(game: str, players: int, guided: bool = False) -> Steering:
    """How a game is searched, with or without a network."""
    usual = GUIDED.get(game, GUIDED_USUAL) if guided else STEERING.get(game, USUAL)
    if players == 1:
        return (GUIDED_ALONE if guided else ALONE).get(game, usual)
    return MANY.get(game, usual) if players > 2 and not guided else usual
