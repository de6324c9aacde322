"""Gymnasium's vector environments: one seat against bots at thousands of tables, stepped in one
compiled call. Only bots that are compiled can sit there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import bottega
from bottega.bots.greedy import KINDS, Scratch
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_SEED, check_number
from bottega.engine.kit import Kit
from bottega.engine.loops import CHOOSER
from bottega.engine.option import Value
from bottega.engine.record import blank
from bottega.engine.runs import Array, Plan
from bottega.envs import LIMIT, loops, seat_loops
from bottega.envs.batch import chooser_seeds, new_setup
from bottega.envs.gymnasium import Opponents, check_opponents, check_place, new_observation_space
from bottega.envs.shares import Shares

WORTH = 128  # tables that are worth a thread's while: bots think at each


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
        self.num_envs = num_envs
        self.plan = Plan.make(bottega.game(game), players, num_envs, 0, limit, kit, options)
        self.copy = copy
        place = check_place(seat, self.plan.players)
        self._place = seat_loops.ANY_SEAT if place is None else place
        self._kinds = compiled_kinds(check_opponents(opponents, self.plan.players))
        self.single_observation_space = new_observation_space(self.plan.game)
        self.single_action_space = spaces.Discrete(self.plan.game.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._shares = Shares(num_envs, threads, WORTH)
        self._take_memory()

    def _take_memory(self) -> None:
        size, game = self.num_envs, self.plan.game
        self._tables = blank(game.table, size)
        self._notes = blank(loops.NOTE, size)
        self._seats = np.zeros(size, np.int64)
        self._masks = np.zeros((size, game.mask_words), np.uint64)
        self._rewards = np.zeros(size, np.float32)
        self._terminated = np.zeros(size, np.bool_)
        self._truncated = np.zeros(size, np.bool_)
        self._observations = np.zeros((size, game.observation), np.float32)
        self._choosers = blank(CHOOSER, size)
        self._scratches = [Scratch(game) for _ in self._shares.rows]
        self._gains = np.zeros((len(self._shares.rows), self.plan.players), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal everywhere: table i from the seed + i."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(MOST_SEED, dtype=np.uint64))
        self._seed = check_number("seed", seed, MOST_SEED)
        self._notes[:] = 0
        self._choosers["rng"] = chooser_seeds(self._seed, self.num_envs)
        self._run(np.zeros(self.num_envs, np.int64), fresh=True)
        return self._out(self._observations), self._info()

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise BadOption(f"step takes {self.num_envs} actions, one for each table")
        self._run(chosen, fresh=False)
        return (
            self._out(self._observations),
            self._out(self._rewards),
            self._out(self._terminated),
            self._out(self._truncated),
            self._info(),
        )

    def _run(self, actions: Array, *, fresh: bool) -> None:
        plan = self.plan
        empty = blank(plan.game.table)
        jobs = []
        for rows, scratch, gains in zip(
            self._shares.rows, self._scratches, self._gains, strict=True
        ):
            setup = new_setup(plan, self._seed, rows.start)
            jobs.append(
                (
                    plan.kit.record,
                    setup,
                    empty,
                    plan.options,
                    self._kinds,
                    self._place,
                    fresh,
                    self._tables[rows],
                    self._notes[rows],
                    self._seats[rows],
                    self._masks[rows],
                    self._rewards[rows],
                    self._terminated[rows],
                    self._truncated[rows],
                    self._observations[rows],
                    self._choosers[rows],
                    actions[rows],
                    scratch.tables,
                    scratch.masks,
                    scratch.chances,
                    scratch.standing,
                    scratch.choosers,
                    gains,
                )
            )
        self._shares.run(plan.game.code(seat_loops.seat_steps), jobs)

    def _info(self) -> dict[str, Any]:
        bits = self._masks.view(np.uint8)
        mask = np.unpackbits(bits, axis=1, count=self.plan.game.actions, bitorder="little")
        return {"action_mask": mask.view(np.int8), "seat": self._out(self._seats)}

    def _out(self, array: Array) -> Array:
        return array.copy() if self.copy else array


def compiled_kinds(names: list[str]) -> Array:
    """The bots as the loops know them, behind the agent's own place."""
    for bot in names:
        if bot.strip() not in KINDS:
            there = " or ".join(KINDS)
            raise BadOption(
                f"'{bot}' does not play at many tables at once, {there} does; "
                "vectorization_mode='sync' takes any bot"
            )
    return np.array([0, *(KINDS[bot.strip()] for bot in names)], np.int64)
