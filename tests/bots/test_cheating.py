"""An adversarial check that the search does not cheat: the same search, given the true table,
wins measurably more."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import bottega
from bottega.bots.search import ClassicBot
from bottega.engine.match import Match
from bottega.engine.rule import rule

GAME = bottega.game("splendor")


@rule
def conceal_nothing(kit, s, seat, seed):
    return


# The same game, in which everybody knows everything: the deck, and what others hold.
OPEN = replace(
    GAME,
    name="open-splendor",
    sight=SimpleNamespace(**{**vars(GAME.sight), "conceal": conceal_nothing}),
)


class Cheat(ClassicBot):
    """Searches from the true table."""

    def choose(self, match: Match, seat: int) -> bottega.Action:
        true = OPEN.new(match.players, 0, kit=replace(match.kit, game=OPEN.name))
        true._table = match._table.copy()
        best = super().choose(true, seat)
        return match.action(seat, best.id)


def wins(deals: int, iterations: int) -> float:
    """The cheat's wins over an honest search of the same budget, from both seats of each deal."""
    won = 0.0
    for deal in range(deals):
        for seat in (0, 1):
            match = GAME.new(2, deal, limit=1000)
            bots = {seat: Cheat(deal, iterations=iterations)}
            bots[1 - seat] = ClassicBot(deal + 1, iterations=iterations)
            while not match.over:
                actor = match.waiting[0]
                match.play(actor, bots[actor].choose(match, actor))
            won += (seat in match.winners) / max(1, len(match.winners))
    return won


def test_who_sees_everything_wins_more():
    deals = 30
    assert wins(deals, 200) / (2 * deals) > 0.62
