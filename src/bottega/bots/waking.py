"""Bots at a table of people while their machine code is not there yet: nobody waits for a compiler.

What a bot decides by may still be interpreted, a thousand times slower. Then it looks less far
ahead, and a search plays like `greedy`. A program that asks for a bot gets that bot, however long
it takes: its decisions are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bottega.bots import Bot, guided, loops, tree
from bottega.bots.casual import CasualBot
from bottega.bots.greedy import GreedyBot
from bottega.bots.learned import LearnedBot
from bottega.bots.search import SearchBot
from bottega.engine.game import Game
from bottega.engine.match import Action, Match

PLAIN = (tree.search, tree.look_at_root, tree.chain_from)
GUIDED = (guided.search, guided.leave_out, guided.look_at_root, guided.chain_from)


def searches(bot: Bot, match: Match) -> bool:
    return isinstance(bot, SearchBot) and bool(bot.step(match).iterations)


def awake(bot: Bot, match: Match) -> bool:
    """Whether a bot decides as it can."""
    return bot.name == "random" or is_there(match.game, entries(bot, match))


def entries(bot: Bot, match: Match) -> Sequence[Any]:
    """What a bot decides by."""
    if isinstance(bot, LearnedBot | SearchBot) and bot.learned(match):
        return GUIDED if searches(bot, match) else (loops.open_mind,)
    return PLAIN if searches(bot, match) else (loops.open_greedy,)


def can_search(match: Match) -> bool:
    """Whether a search decides as it can at a table."""
    return awake(SearchBot(iterations=1), match)


def is_there(game: Game, wanted: Sequence[Any]) -> bool:
    return all(game.code(entry).at_hand for entry in wanted)


def for_now(bot: Bot, match: Match) -> Bot:
    """The bot, or who plays in its place until it is awake."""
    if awake(bot, match):
        return bot
    seed: int = getattr(bot, "seed", 0)
    if isinstance(bot, SearchBot):
        overlooks = bot.step(match).overlooks
        return CasualBot(seed, overlooks, nodes(match.game))
    if isinstance(bot, CasualBot):
        return CasualBot(seed, bot.overlooks, nodes(match.game))
    return GreedyBot(seed, nodes(match.game))


def first_sight(match: Match, seat: int) -> Action:
    """What looks best in a hurry: a hint, while nobody can search."""
    return GreedyBot(nodes=nodes(match.game)).choose(match, seat)


def nodes(game: Game) -> int:
    """How many decisions `greedy` may try at a table of people."""
    return loops.NODES if game.code(loops.open_greedy).at_hand else loops.HURRIED
