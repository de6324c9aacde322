"""Every game as a PettingZoo environment (AEC): one agent a seat, action masks.

    from bottega.envs.pettingzoo import splendor_v0

    env = splendor_v0.env(players=3, render_mode="ansi")

An observation is the game's `encode` for the agent's seat (docs/environments.md has its layout).
The info of an agent has its `action_mask`, all 0 when the agent is not asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

import bottega
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_SEED, Game
from bottega.engine.kit import Kit
from bottega.engine.option import Value
from bottega.engine.runs import Array
from bottega.envs import BOUND, LIMIT, picture
from bottega.envs.episode import Episode, Rules

VERSION = 0  # of the environments: grows when what an agent sees or may do changes


@dataclass(frozen=True)
class Versioned:
    """A game's environment in one version, as PettingZoo's modules offer theirs."""

    game: Game

    def env(self, **settings: Any) -> Any:
        """The environment, guarded: an illegal action ends the game, with -1 for who took it."""
        env: Any = self.raw_env(**settings)
        env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
        env = wrappers.AssertOutOfBoundsWrapper(env)
        return wrappers.OrderEnforcingWrapper(env)

    def raw_env(self, **settings: Any) -> TableEnv:
        """The environment itself; an illegal action raises `bottega.IllegalMove`."""
        return TableEnv(self.game, **settings)


class TableEnv(AECEnv[str, Array, int]):  # type: ignore[misc]
    """A table of a game; the agents are the seats, `player_0` and so on."""

    metadata: dict[str, Any]

    def __init__(
        self,
        game: Game,
        players: int | None = None,
        *,
        limit: int = LIMIT,
        kit: str | Path | Kit = "default",
        invitations: bool = False,
        render_mode: str | None = None,
        **options: Value,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in picture.MODES:
            raise BadOption(f"render_mode must be {' or '.join(picture.MODES)}")
        self.rules = Rules(
            game, players, limit=limit, kit=kit, invitations=invitations, options=options
        )
        self.render_mode = render_mode
        self.metadata = {
            "name": name(game),
            "render_modes": list(picture.MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.agents: list[str] = []
        size = (game.observation,)
        self.observation_spaces = {
            agent: spaces.Box(-BOUND, BOUND, size) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self.rules.actions) for agent in self.possible_agents
        }
        self._nothing = np.zeros(self.rules.actions, np.int8)
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a table: the one of the seed; without one, the next of a random row."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        else:
            seed = int(self._random.integers(MOST_SEED, dtype=np.uint64))
        self.episode = Episode(self.rules, seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._nothing} for agent in self.agents}
        self._ask()

    def _ask(self) -> None:
        """Select the agent that the table asks."""
        self.agent_selection = self.possible_agents[self.episode.seat]
        self.infos[self.agent_selection] = {"action_mask": self.episode.mask()}

    def observe(self, agent: str) -> Array:
        return self.episode.observe(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.episode.play(-1 if action is None else int(action))
        self.infos[agent] = {"action_mask": self._nothing}
        if self.episode.over:
            self._end()
        else:
            self._ask()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        self.rewards = dict(zip(self.agents, self.episode.rewards(), strict=True))
        over = self.truncations if self.episode.truncated else self.terminations
        over.update(dict.fromkeys(self.agents, True))
        self.agent_selection = self.agents[0]

    def render(self) -> Any:
        """The table as a spectator sees it."""
        return picture.draw(self.episode.look(), self.render_mode)

    def close(self) -> None:
        """Nothing to close."""


def name(game: Game) -> str:
    """The name of a game's environment, with its version."""
    return f"{game.name.replace('-', '_')}_v{VERSION}"


def __getattr__(attribute: str) -> Versioned:
    """`splendor_v0` and so on, for every game there is."""
    for game in map(bottega.game, bottega.games()):
        if attribute == name(game):
            return Versioned(game)
    raise AttributeError(f"there is no environment '{attribute}'")
