"""Bots at a table of people while their machine code is not there yet: nobody waits for a compiler.

What a bot decides by may still be interpreted, a thousand times slower. Then it looks less far
ahead, and a search plays like `greedy`. A program that asks for a bot gets that bot, however long
it takes: its decisions are the same everywhere.
"""

from __future__ import annotations

from bottega.bots import Bot, loops, tree
from bottega.bots.casual import CasualBot
from bottega.bots.greedy import GreedyBot
from bottega.bots.search import SearchBot
from bottega.engine.game import Game
from bottega.engine.match import Action, Match

SEARCHES = (tree.search, tree.look_at_root, tree.chain_from)


def searches(bot: Bot, match: Match) -> bool:
    return isinstance(bot, SearchBot) and bool(bot.step(match.game, match.players).iterations)


def awake(bot: Bot, match: Match) -> bool:
    """Whether a bot decides as it can."""
    if searches(bot, match):
        return can_search(match.game)
    return bot.name == "random" or match.game.code(loops.open_greedy).at_hand


def can_search(game: Game) -> bool:
    return all(game.code(entry).at_hand for entry in SEARCHES)


def for_now(bot: Bot, match: Match) -> Bot:
    """The bot, or who plays in its place until it is awake."""
    if awake(bot, match):
        return bot
    seed: int = getattr(bot, "seed", 0)
    if isinstance(bot, SearchBot):
        overlooks = bot.step(match.game, match.players).overlooks
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
