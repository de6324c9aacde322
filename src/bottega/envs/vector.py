"""Gymnasium's vector environments: one seat against compiled bots, at thousands of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import bottega
from bottega.engine.game import MOST_SEED
from bottega.engine.kit import Kit
from bottega.engine.option import Value
from bottega.engine.runs import Array, Plan
from bottega.envs import LIMIT
from bottega.envs.gymnasium import new_observation_space
from bottega.envs.seats import Opponents, SeatTables


class SeatVectorEnv(VectorEnv[Array, Array, Array]):
    """A seat at each of many tables; bots sit on the others.

    Arrays are copied when they are handed out, unless `copy=False`: then they show the tables as
    they are now.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        game: str,
        players: int | None = None,
        opponents: Opponents = "greedy",
        seat: int | str = "any",
        *,
        limit: int = LIMIT,
        kit: str | Path | Kit = "default",
        threads: int | None = None,
        copy: bool = True,
        **options: Value,
    ) -> None:
        plan = Plan.make(bottega.game(game), players, num_envs, 0, limit, kit, options)
        self.tables = SeatTables(plan, opponents, seat, threads)
        self.num_envs = num_envs
        self.copy = copy
        self.single_observation_space = new_observation_space(plan.game)
        self.single_action_space = spaces.Discrete(plan.game.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal everywhere: table i from the seed + i."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(MOST_SEED, dtype=np.uint64))
        self.tables.reset(seed)
        return self._out(self.tables.observations), self._info()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """The agent's decisions, answered by the bots. Where the last step ended a game, the
        next one is dealt instead. An illegal action ends a game as lost."""
        tables = self.tables
        tables.step(actions)
        return (
            self._out(tables.observations),
            self._out(tables.rewards),
            self._out(tables.terminated),
            self._out(tables.truncated),
            self._info(),
        )

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.tables.legal(), "seat": self._out(self.tables.seats)}

    def _out(self, array: Array) -> Array:
        return array.copy() if self.copy else array
