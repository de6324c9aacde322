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
from bottega.engine.record import UNFINISHED
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
        self.blank = game.new_table()
        self.begin = game.code(doors.open_begin)
        self.waiting = game.code(doors.open_waiting)
        self.invited = game.code(doors.open_invited)
        self.legal = game.code(doors.open_legal)
        self.decide = game.code(doors.open_decide)
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
        self.table = rules.game.new_table()
        self.asked = 0  # set of the guests asked in this turn
        rules.begin(
            rules.kit.record,
            self.table,
            rules.blank,
            rules.players,
            np.uint64(seed),
            rules.options,
            rules.limit,
        )
        self._ask()

    def __deepcopy__(self, memo: Any) -> Episode:
        """An independent table at the same point."""
        other = Episode.__new__(Episode)
        other.__dict__ |= self.__dict__
        other.table = self.table.copy()
        return other

    def _ask(self) -> None:
        """Whom the table asks, as in `loops.ask`; -1 when it is over."""
        rules = self.rules
        self.guest = False
        self.seat = loops.NO_SEAT
        if self.over:
            return
        seats = 0
        if rules.invitations:
            seats = int(rules.invited(rules.kit.record, self.table)) & ~self.asked
            self.guest = seats != 0
        if not self.guest:
            seats = int(rules.waiting(rules.kit.record, self.table))
        self.seat = (seats & -seats).bit_length() - 1

    @property
    def over(self) -> bool:
        return bool(self.table["over"][0])

    @property
    def truncated(self) -> bool:
        """Whether the limit of decisions ended it."""
        return bool(self.table["over"][0] == UNFINISHED)

    def mask(self) -> Array:
        """[action], what the seat that is asked may do, as 0 or 1 (`int8`)."""
        rules = self.rules
        words = np.zeros(rules.words, np.uint64)
        if self.seat != loops.NO_SEAT:
            rules.legal(rules.kit.record, self.table, self.seat, words)
        flags = np.unpackbits(words.view(np.uint8), count=rules.actions, bitorder="little")
        if self.guest:
            flags[rules.let_pass] = 1
        return flags.view(np.int8)

    def play(self, action: int) -> None:
        """The seat that is asked decides. An illegal action changes nothing."""
        rules = self.rules
        if not 0 <= action < rules.actions or not self.mask()[action]:
            raise IllegalMove(f"seat {self.seat} may not play action {action}")
        if action == rules.let_pass:
            self.asked |= 1 << self.seat
        else:
            turns = self.table["turns"][0]
            rules.decide(rules.kit.record, self.table, self.seat, action)
            if self.guest or self.table["turns"][0] != turns:
                self.asked = 0
        self._ask()

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
