"""One seat of a game against bots, as Gymnasium environments.

    import gymnasium
    import bottega.envs.gymnasium  # registers them

    env = gymnasium.make("bottega/Splendor-v0", players=3, opponents="greedy")
    envs = gymnasium.make_vec("bottega/Splendor-v0", num_envs=4096, opponents="random")

`info["action_mask"]` says what the seat may do. An illegal action ends the game as lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

import bottega
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_SEED, Game
from bottega.engine.kit import Kit
from bottega.engine.match import Match
from bottega.engine.option import Value
from bottega.engine.runs import Array
from bottega.envs import BOUND, LIMIT, picture
from bottega.envs.episode import Rules, rewards_at
from bottega.envs.seats import Opponents, check_opponents, check_place, find_bot

VERSION = 0  # of the environments: grows when what an agent sees or may do changes


class SeatEnv(gymnasium.Env[Array, np.int64]):
    """A seat at a table; bots sit on the others."""

    metadata = {"render_modes": list(picture.MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        players: int | None = None,
        opponents: Opponents = "greedy",
        seat: int | str = "any",
        *,
        limit: int = LIMIT,
        kit: str | Path | Kit = "default",
        render_mode: str | None = None,
        **options: Value,
    ) -> None:
        if render_mode is not None and render_mode not in picture.MODES:
            raise BadOption(f"render_mode must be {' or '.join(picture.MODES)}")
        self.rules = Rules(bottega.game(game), players, limit=limit, kit=kit, options=options)
        self.opponents = check_opponents(opponents, self.rules.players)
        self.place = check_place(seat, self.rules.players)
        self.render_mode = render_mode
        self.observation_space = new_observation_space(self.rules.game)
        self.action_space = spaces.Discrete(self.rules.game.actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal a table: the one of the seed; without one, the next of a random row."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(MOST_SEED, dtype=np.uint64))
        rules = self.rules
        players = rules.players
        self.match = Match(rules.game, rules.kit, players, seed, rules.options, rules.limit)
        self.seat = int(self.np_random.integers(players)) if self.place is None else self.place
        self.bots = {
            (self.seat + offset) % players: find_bot(
                name, int(self.np_random.integers(MOST_SEED, dtype=np.uint64))
            )
            for offset, name in enumerate(self.opponents, start=1)
        }
        self.illegal = False
        self._bots_play()
        return self.match.encode(self.seat), self._info()

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        match = self.match
        self.illegal = int(action) not in match.legal_numbers(self.seat)
        if not self.illegal:
            match.play(self.seat, int(action))
            self._bots_play()
        reward = -1.0 if self.illegal else self._reward()
        terminated = self.illegal or (match.over and not match.unfinished)
        if self.render_mode == "human":
            self.render()
        return match.encode(self.seat), reward, terminated, match.unfinished, self._info()

    def _bots_play(self) -> None:
        """The bots decide until the table waits for the agent."""
        match = self.match
        while not match.over and self.seat not in match.waiting:
            other = match.waiting[0]
            match.play(other, self.bots[other].choose(match, other))

    def _reward(self) -> float:
        table = np.frombuffer(self.match.state(), self.rules.game.table).copy()
        return rewards_at(self.rules, table)[self.seat]

    def _info(self) -> dict[str, Any]:
        mask = np.zeros(self.rules.game.actions, np.int8)
        if not self.illegal:
            mask[self.match.legal_numbers(self.seat)] = 1
        return {"action_mask": mask, "seat": self.seat}

    def render(self) -> Any:
        """The table as a spectator sees it."""
        return picture.draw(self.match, self.render_mode)


def new_observation_space(game: Game) -> spaces.Box:
    return spaces.Box(-BOUND, BOUND, (game.observation,), np.float32)


def name(game: Game) -> str:
    """The id of a game's environment."""
    words = game.name.replace("-", " ").replace("_", " ").split()
    return f"bottega/{''.join(word.capitalize() for word in words)}-v{VERSION}"


def register() -> None:
    """Make the environments of all games known to Gymnasium."""
    for game in map(bottega.game, bottega.games()):
        if name(game) not in gymnasium.registry:
            gymnasium.register(
                name(game),
                "bottega.envs.gymnasium:SeatEnv",
                vector_entry_point="bottega.envs.vector:SeatVectorEnv",
                kwargs={"game": game.name},
            )


register()
