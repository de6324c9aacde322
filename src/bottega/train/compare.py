"""How a policy does, without any search, against bots and against other networks."""

from __future__ import annotations

import numpy as np
import torch

import bottega
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.runs import Plan
from bottega.envs.seats import SeatTables
from bottega.train.network import Network, log_policy
from bottega.train.settings import Settings

SEED = 10**9  # of the deals on which networks are measured
LIMIT = 3000  # decisions


def best(network: Network, seen: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """The likeliest action in each row."""
    inputs = torch.cat([seen, legal.to(seen.dtype)], 1)
    return log_policy(network(inputs).policy, legal.bool()).argmax(1)


@torch.no_grad()
def against(network: Network, game: Game, kit: Kit, opponent: str, games: int) -> float:
    """The share of games that the likeliest actions win against a bot, from any seat; alone, if
    the game can be played alone."""
    players = max(2, game.seats[0])
    plan = Plan.make(game, players, games, SEED, LIMIT, kit, {})
    tables = SeatTables(plan, opponent)
    tables.reset(seed=SEED)
    device = next(network.parameters()).device
    results = np.full(games, np.nan)
    while np.isnan(results).any():
        seen = torch.from_numpy(tables.observations).to(device)
        legal = torch.from_numpy(tables.legal()).to(device)
        tables.step(best(network, seen, legal).cpu().numpy())
        ended = (tables.terminated | tables.truncated) & np.isnan(results)
        results[ended] = tables.rewards[ended]
    return float((results > 0).mean() + 0.5 * (results == 0).mean())


@torch.no_grad()
def against_self(
    network: Network, other: Network, game: Game, kit: Kit, games: int, settings: Settings
) -> float:
    """The share of games of two that one network wins against another, half from each seat."""
    batch = bottega.batch(
        game.name, games, 2, seed=SEED, limit=settings.limit, kit=kit, auto_reset=False
    )
    device = next(network.parameters()).device
    mine = np.arange(games) % 2
    while (batch.waiting >= 0).any():
        seen = torch.from_numpy(batch.encode()).to(device)
        legal = torch.from_numpy(np.ascontiguousarray(batch.legal())).to(device)
        legal[:, 0] |= ~legal.any(1)  # a table that is over ignores what it is given
        one, two = best(network, seen, legal), best(other, seen, legal)
        turn = torch.from_numpy(batch.waiting == mine).to(device)
        batch.step(torch.where(turn, one, two).cpu().numpy())
    won = batch.standings[np.arange(games), mine, 0] == 1
    shared = (batch.standings[:, :, 0] == 1).sum(1)
    return float((won / np.maximum(1, shared)).mean())
