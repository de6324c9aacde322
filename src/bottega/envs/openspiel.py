"""Every game for OpenSpiel: importing this module makes them known to `pyspiel.load_game`.

    import pyspiel
    import bottega.envs.openspiel

    game = pyspiel.load_game("bottega_splendor", {"players": 3})

All chance is inside the state (`SAMPLED_STOCHASTIC`). The only chance node is the first: it deals
the table, from the game's parameter `seed` on or, if that is -1, from any seed. The parameters
are `players`, `seed`, `limit`, `kit`, `invitations` and the options of the game.

A clone holds everything hidden, as OpenSpiel has it. `resample_from_infostate` gives a state that
is fair to what a seat knows; OpenSpiel's IS-MCTS uses it.

A state is saved by `state.serialize()` and `game.deserialize_state(text)`, or pickled.
(`pyspiel.serialize_game_and_state` wants a generator in the game, which OpenSpiel offers to games
in C++ alone.)
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

import bottega
from bottega.engine import loops as doors
from bottega.engine.game import MOST_SEED, Game
from bottega.engine.runs import Array
from bottega.envs import LIMIT, picture
from bottega.envs.episode import Episode, Rules

DEAL = 0  # the only chance outcome


def name(game: Game) -> str:
    """The name by which OpenSpiel loads a game."""
    return f"bottega_{game.name.replace('-', '_')}"


def game_type(game: Game) -> pyspiel.GameType:
    """What OpenSpiel wants to know about a game."""
    kinds = pyspiel.GameType
    # Alone, what one wins nobody loses. OpenSpiel wants one word for all numbers of players.
    utility = kinds.Utility.GENERAL_SUM if game.seats[0] == 1 else kinds.Utility.ZERO_SUM
    return kinds(
        short_name=name(game),
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.SAMPLED_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.seats[1],
        min_num_players=game.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": game.seats[0],
            "seed": -1,
            "limit": LIMIT,
            "kit": "default",
            "invitations": False,
            **{option.name: option.default for option in game.options},
        },
    )


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its parameters. Each game has a class of its own (`register`)."""

    game: Game

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game = self.game
        options = {option.name: parameters[option.name] for option in game.options}
        limit = parameters["limit"] or LIMIT  # OpenSpiel's games are all of a known length
        self.rules = Rules(
            game,
            parameters["players"],
            limit=limit,
            kit=parameters["kit"],
            invitations=parameters["invitations"],
            options=options,
        )
        self.seed = parameters["seed"]
        self.dealt = 0
        players = self.rules.players
        # Between two decisions, each seat may let one invitation pass.
        longest = limit * (players + 1) if self.rules.invitations else limit
        super().__init__(
            game_type(game),
            pyspiel.GameInfo(
                num_distinct_actions=self.rules.actions,
                max_chance_outcomes=1,
                num_players=players,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=None if game.seats[0] == 1 else 0.0,
                max_game_length=longest,
            ),
            dict(parameters),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (name(self.game), self.get_parameters())

    def next_seed(self) -> int:
        """The seed of the next table."""
        if self.seed < 0:
            return int(np.random.default_rng().integers(MOST_SEED, dtype=np.uint64))
        self.dealt += 1
        return (int(self.seed) + self.dealt - 1) & MOST_SEED

    def new_initial_state(self) -> TableState:
        return TableState(self)

    def max_chance_nodes_in_history(self) -> int:
        return 1

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> Observer:
        if parameters:
            raise ValueError("observations have no parameters")
        return Observer(self.rules, recall=kind is not None and kind.perfect_recall)


class TableState(pyspiel.State):  # type: ignore[misc]
    """A table. OpenSpiel copies and saves what is in its `__dict__`."""

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        self.episode: Episode | None = None  # none before the deal
        self.recall: list[bytes] = []  # for each seat, a digest of all that it has seen

    def __reduce__(self) -> tuple[Any, ...]:
        return load_state, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        if self.episode is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.episode.over else self.episode.seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(DEAL, 1.0)]

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self._table.mask()).tolist()

    def _apply_action(self, action: int) -> None:
        if self.episode is None:
            game = self.get_game()
            self.episode = Episode(game.rules, game.next_seed())
            self.recall = [b""] * game.rules.players
        else:
            seat = self.episode.seat
            self.episode.play(action)
            self.recall[seat] = digest(self.recall[seat], str(action).encode())
        for seat, seen in enumerate(self.recall):
            self.recall[seat] = remember(seen, self.episode.observe(seat).tobytes())

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return "deal"
        return str(self.get_game().rules.key(action))

    def is_terminal(self) -> bool:
        return self.episode is not None and self.episode.over

    def returns(self) -> list[float]:
        return [0.0] * self.num_players() if self.episode is None else self.episode.rewards()

    def __str__(self) -> str:
        if self.episode is None:
            return "Nothing is dealt yet."
        state = digest(self.episode.table.tobytes(), b"").hex()
        return f"{picture.text(self.episode.look())}\n{state}"

    def resample_from_infostate(self, player: int, sampler: Any = None) -> TableState:
        """A state that the player cannot tell from this one: what is hidden is drawn anew."""
        state: TableState = self.clone()
        table = state._table
        rules = table.rules
        draw = np.random.random() if sampler is None else sampler()
        hide = rules.game.code(doors.open_hide)
        hide(rules.kit.record, table.table, player, np.uint64(draw * 2**53))
        table.ask()
        state.recall = [seen if seat == player else b"" for seat, seen in enumerate(self.recall)]
        return state

    @property
    def _table(self) -> Episode:
        assert self.episode is not None, "nothing is dealt yet"
        return self.episode


def digest(*parts: bytes) -> bytes:
    """A fingerprint of bytes."""
    return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def remember(seen: bytes, observation: bytes) -> bytes:
    """What a seat has seen, with a new observation. It is the digest of the whole past followed by
    that of the latest sight; seeing the same again changes nothing, so that the small steps
    that others take in private leave no trace."""
    latest = digest(observation)
    return seen if seen.endswith(latest) else digest(seen) + latest


class Observer:
    """What a seat knows: as text, and as numbers by the game's `encode`.

    With perfect recall the text is a digest of everything the seat has ever seen; the numbers
    are the same.
    """

    def __init__(self, rules: Rules, *, recall: bool) -> None:
        self.recall = recall
        self.tensor: Array = np.zeros(rules.game.observation, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: TableState, player: int) -> None:
        if state.episode is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = state.episode.observe(player)

    def string_from(self, state: TableState, player: int) -> str:
        if state.episode is None:
            return "Nothing is dealt yet."
        if self.recall:
            return f"player {player}, {state.recall[player].hex()}"
        return picture.text(state.episode.look(), player)


def load_state(game: TableGame, text: str) -> TableState:
    """A state from what `serialize` gave."""
    state: TableState = game.deserialize_state(text)
    return state


def register() -> None:
    """Make all games known to OpenSpiel."""
    known = set(pyspiel.registered_names())
    for game in map(bottega.game, bottega.games()):
        if name(game) not in known:
            # OpenSpiel keeps what it is given until after Python's end; a class bears that.
            pyspiel.register_game(game_type(game), type(name(game), (TableGame,), {"game": game}))


register()
