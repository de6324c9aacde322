"""One table that asks one seat at a time: what the scalar environments are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bottega.engine import loops as doors
from bottega.engine.bits import WORD
from bottega.engine.errors import IllegalMove
from bottega.engine.game import MOST_LIMIT, MOST_SEED, Game, check_number
from bottega.engine.kit import Kit
from bottega.engine.match import Match, look_at
from bottega.engine.option import Value
from bottega.engine.record import UNFINISHED, blank
from bottega.engine.runs import Array
from bottega.envs import LIMIT, loops
from bottega.games import find


class Rules:
    """What every table of an environment has in common, checked, with the doors into its game."""

    def __init__(
        self,
        game: Game,
        players: int | None = None,
        *,
        limit: int = LIMIT,
        kit: str | Path | Kit = "default",
        invitations: bool = False,
        options: Mapping[str, Value] | None = None,
    ) -> None:
        self.game = game
        self.players = game.check_players(players)
        self.limit = check_number("limit", limit, MOST_LIMIT)
        self.kit = game.kit(kit)
        self.invitations = invitations
        self.options = game.check_options(options or {})
        self._made = (game.name, self.players, limit, kit, invitations, dict(options or {}))
        # With invitations there is one action more: to let the invitation pass.
        self.actions = game.actions + invitations
        self.let_pass = game.actions
        self.words = -(-self.actions // WORD)
        self.setup = blank(loops.SETUP)
        self.setup["actions"] = game.actions
        self.setup["uninvited"] = 0 if invitations else loops.NOBODY
        self.blank = game.new_table()
        self.begin = game.code(doors.open_begin)
        self.turn = game.code(loops.open_turn)
        self.settle = game.code(loops.open_settle)
        self.encode = game.code(doors.open_encode)

    def __reduce__(self) -> tuple[Any, ...]:
        """A saved table finds its game again by name."""
        return rules_of, self._made

    def key(self, action: int) -> str:
        """The stable key of an action."""
        return "let-pass" if action == self.let_pass else self.game.keys[action]


def rules_of(
    name: str,
    players: int,
    limit: int,
    kit: str | Path | Kit,
    invitations: bool,
    options: dict[str, Value],
) -> Rules:
    """What an environment was made from, made again."""
    return Rules(
        find(name), players, limit=limit, kit=kit, invitations=invitations, options=options
    )


class Episode:
    """A table from the deal to the end."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules
        self.seed = check_number("seed", seed, MOST_SEED)
        self.seat = loops.NO_SEAT  # whom the table asks; -1 when it is over
        self.table = rules.game.new_table()
        self._note = blank(loops.NOTE)
        self._note["asked"] = rules.setup["uninvited"]
        self._words = np.zeros(rules.words, np.uint64)  # what that seat may do
        rules.begin(
            rules.kit.record,
            self.table,
            rules.blank,
            rules.players,
            np.uint64(seed),
            rules.options,
            rules.limit,
        )
        self.ask()

    def __deepcopy__(self, memo: Any) -> Episode:
        """An independent table at the same point."""
        other = Episode.__new__(Episode)
        other.__dict__ |= self.__dict__
        other.table = self.table.copy()
        other._note = self._note.copy()
        other._words = self._words.copy()
        return other

    def ask(self) -> None:
        """See whom the table asks, and what that seat may do."""
        self.seat = self._turn(loops.KEEP)

    def play(self, action: int) -> None:
        """The seat that is asked decides. An illegal action changes nothing."""
        seat = self._turn(action)
        if seat == loops.ILLEGAL:
            raise IllegalMove(f"seat {self.seat} may not play action {action}")
        self.seat = seat

    def _turn(self, action: int) -> int:
        rules = self.rules
        seat: int = rules.turn(
            rules.kit.record,
            rules.setup,
            self.table,
            self._note,
            self._words,
            self.seat,
            action,
        )
        return seat

    @property
    def over(self) -> bool:
        return self.seat == loops.NO_SEAT

    @property
    def truncated(self) -> bool:
        """Whether the limit of decisions ended it."""
        return bool(self.table["over"][0] == UNFINISHED)

    def mask(self) -> Array:
        """[action], what the seat that is asked may do, as 0 or 1 (`int8`)."""
        words = self._words.view(np.uint8)
        return np.unpackbits(words, count=self.rules.actions, bitorder="little").view(np.int8)

    def observe(self, seat: int) -> Array:
        """[number], what a seat knows (`float32`)."""
        rules = self.rules
        out = np.zeros(rules.game.observation, np.float32)
        rules.encode(rules.kit.record, self.table, seat, out)
        return out

    def rewards(self) -> list[float]:
        """Each seat's reward: not 0 only when the game has ended by the rules."""
        return rewards_at(self.rules, self.table)

    def look(self) -> Match:
        """The table as a match, with its views, texts and standings; it has no past."""
        rules = self.rules
        return look_at(rules.game, rules.kit, rules.options, self.table)


def rewards_at(rules: Rules, table: Array) -> list[float]:
    """Each seat's reward at a table (an array of one record)."""
    standing = np.zeros((rules.players, 2), np.int64)
    rewards = np.zeros(rules.players, np.float32)
    if table["over"][0]:
        rules.settle(rules.kit.record, table, standing, rewards)
    return [float(reward) for reward in rewards]
