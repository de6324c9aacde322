"""Batches: thousands of tables of one game, stepped together in compiled code.

On the CPU the tables are shared out over threads; on a GPU each has a thread of its own
(`cuda.py`). What happens at a table depends on the batch's seed, the table's number and its
actions alone, bit for bit, on either device and with any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bottega.engine.bits import WORD
from bottega.engine.errors import BadOption, IllegalMove
from bottega.engine.game import MOST_SEED, Game, check_number
from bottega.engine.kit import Kit
from bottega.engine.loops import CHOOSER
from bottega.engine.option import Value
from bottega.engine.record import blank
from bottega.engine.runs import FEW, Array, Outcomes, Plan, random_worker, run
from bottega.envs import LIMIT, loops
from bottega.envs.shares import Shares

MOST_TABLES = 1 << 24
DEVICES = ("cpu", "cuda")
LIGHT = 1 << 14  # tables; fewer are no work for several threads when each takes some nanoseconds


class Deal(NamedTuple):
    """What tables are dealt from: what the loops take first."""

    kits: Any  # [1], the kit
    setups: Any  # [1], SETUP
    blank: Any  # [1], a zeroed table
    options: Any  # as the game's `deal` takes them


class Desk(NamedTuple):
    """The tables and what lies beside them, a row for each: what the loops take next."""

    tables: Any  # [table], the records
    notes: Any  # [table], NOTE
    seats: Any  # [table], whom the table asks
    masks: Any  # [table, word], what that seat may do
    rewards: Any  # [table, seat], of the last step
    done: Any  # [table], whether the last step ended the game
    truncated: Any  # [table], whether it was the limit that ended it
    standings: Any  # [table, seat, 2], place and score when the latest game ended


class Batch:
    """Tables side by side. Make one with `bottega.batch(...)`.

    All arrays are written in place: they always show the batch as it is now.
    """

    device = "cpu"

    def __init__(
        self, plan: Plan, *, invitations: bool, auto_reset: bool, threads: int | None = None
    ) -> None:
        self.game = plan.game
        self.players = plan.players
        self.seed = plan.seed
        self.auto_reset = auto_reset
        # With invitations there is one action more: to let the invitation pass.
        self.actions = plan.game.actions + invitations
        self._plan = plan
        self._size = plan.games
        self._desk = self._new_desk()
        self._flags = self._new_flags()
        self._chosen = self._zeros(len(self), np.int64)
        self._choosers = self._zeros(len(self), CHOOSER)
        self._observations: Any = None
        self._chances: Any = None
        self._place(threads)
        self.reset()

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} tables of {self.game.name}, {self.players} players>"

    # What can be read at any time

    @property
    def state(self) -> Any:
        """[table], the records: everything about each table."""
        return self._show(self._desk.tables)

    @property
    def waiting(self) -> Any:
        """[table], the seat that the table asks; -1 where the game is over."""
        return self._show(self._desk.seats)

    @property
    def done(self) -> Any:
        """[table], whether the last step ended the game there."""
        return self._show(self._desk.done)

    @property
    def truncated(self) -> Any:
        """[table], whether it was the limit of decisions that ended it."""
        return self._show(self._desk.truncated)

    @property
    def rewards(self) -> Any:
        """[table, seat], of the last step: not 0 only where a game ended."""
        return self._show(self._desk.rewards)

    @property
    def standings(self) -> Any:
        """[table, seat, 2], place and score when the latest game ended there."""
        return self._show(self._desk.standings)

    # What can be done

    def reset(self, seed: int | None = None, where: Any = None) -> None:
        """Deal new games: everything anew, from another seed if one is given; or, `where` a
        truth value says so, the next game at that table."""
        if where is None:
            self.seed = check_number("seed", self.seed if seed is None else seed, MOST_SEED)
            self._begin_anew()
        elif seed is not None:
            raise BadOption("reset takes a seed or the tables, not both")
        self._start(where)

    def legal(self, packed: bool = False) -> Any:
        """[table, action], what the waiting seats may do, as truth values.

        `packed`: as [table, word] of 64-bit words, action a being bit a % 64 of word a // 64.
        These are always at hand and cost nothing.
        """
        if packed:
            return self._show(self._desk.masks)
        self._unpack()
        return self._show(self._flags)

    def step(self, actions: Any) -> None:
        """Each waiting seat carries out its action ([table], numbers). Where a game ends, the
        seats are rewarded, and with `auto_reset` the next game is dealt at once."""
        chosen = self._take(actions)
        self._check(chosen)
        self._step(chosen)

    def encode(self) -> Any:
        """[table, number], what the waiting seats know (`float32`)."""
        if self._observations is None:
            self._observations = self._new_observations()
        self._observe()
        return self._show(self._observations)

    def judge(self) -> Any:
        """[table, seat], a quick estimate of each seat's chance to win (`float32`), from all there
        is at the table, hidden or not: to learn by, not to play by. The last digits may differ
        from one device to another."""
        if self._chances is None:
            self._chances = self._zeros((len(self), self.players), np.float32)
        self._appraise()
        return self._show(self._chances)

    def random(self) -> Any:
        """[table], a fair random legal action for each waiting seat."""
        self._choose()
        return self._show(self._chosen)

    # How it is done on the CPU

    def _zeros(self, shape: Any, dtype: Any) -> Any:
        return np.zeros(shape, dtype)

    def _show(self, array: Any) -> Any:
        """An array as others see it."""
        return array

    def _place(self, threads: int | None) -> None:
        """Share the tables out."""
        self._shares = Shares(len(self), threads)
        self._desks = [Desk(*(array[rows] for array in self._desk)) for rows in self._shares.rows]

    def _new_desk(self) -> Desk:
        size, players, zeros = len(self), self.players, self._zeros
        return Desk(
            tables=zeros(size, self.game.table),
            notes=zeros(size, loops.NOTE),
            seats=zeros(size, np.int64),
            masks=zeros((size, -(-self.actions // WORD)), np.uint64),
            rewards=zeros((size, players), np.float32),
            done=zeros(size, np.bool_),
            truncated=zeros(size, np.bool_),
            standings=zeros((size, players, 2), np.int64),
        )

    def _begin_anew(self) -> None:
        """Forget all games so far."""
        empty = blank(self.game.table)
        self._deals = [
            Deal(self._plan.kit.record, self._setup(rows.start), empty, self._plan.options)
            for rows in self._shares.rows
        ]
        self._desk.notes[:] = 0
        self._choosers["rng"] = chooser_seeds(self.seed, len(self))

    def _setup(self, first: int = 0) -> Array:
        setups = new_setup(self._plan, self.seed, first)
        setups["uninvited"] = 0 if self.actions > self.game.actions else loops.NOBODY
        setups["renew"] = self.auto_reset
        return setups

    def _start(self, where: Any) -> None:
        dealt = np.full(len(self), loops.DEAL)
        if where is not None:
            dealt[~np.asarray(where, np.bool_)] = loops.KEEP
        self._step(self._take(dealt))

    def _take(self, actions: Any) -> Any:
        """Actions as the loops take them."""
        chosen = np.asarray(actions)
        if chosen.shape != (len(self),) or chosen.dtype.kind not in "iu":
            raise BadOption(f"step takes {len(self)} whole numbers, one for each table")
        return np.ascontiguousarray(chosen, np.int64)

    def _check(self, chosen: Any) -> None:
        """Refuse illegal actions before anything is changed."""
        seats, masks = self._desk.seats, self._desk.masks
        check = self.game.code(loops.first_illegal)
        table = check(self._deals[0].setups, seats, masks, chosen)
        if table >= 0:
            raise IllegalMove(
                f"table {table}: seat {seats[table]} may not play action {chosen[table]}"
            )

    def _step(self, chosen: Any) -> None:
        self._each(loops.step_all, lambda deal, desk, rows: (*deal, *desk, chosen[rows]))

    def _new_flags(self) -> Any:
        """Rows of whole words, of which the truth values of the actions are shown."""
        self._padded = np.zeros((len(self), -(-self.actions // 8) * 8), np.bool_)
        return self._padded[:, : self.actions]

    def _unpack(self) -> None:
        words = self._padded.view(np.uint64)
        self._each(loops.unpack_range, lambda _, desk, rows: (desk.masks, words[rows]), light=True)

    def _new_observations(self) -> Any:
        return self._zeros((len(self), self.game.observation), np.float32)

    def _observe(self) -> None:
        out = self._observations
        self._each(
            loops.observe_all,
            lambda deal, desk, rows: (deal.kits, desk.tables, desk.seats, out[rows]),
        )

    def _appraise(self) -> None:
        out = self._chances
        self._each(loops.appraise_all, lambda deal, desk, rows: (deal.kits, desk.tables, out[rows]))

    def _choose(self) -> None:
        self._each(
            loops.choose_all,
            lambda _, desk, rows: (
                desk.seats,
                desk.masks,
                self._choosers[rows],
                self._chosen[rows],
            ),
            light=True,
        )

    def _each(
        self,
        function: Callable[..., Any],
        arguments: Callable[[Deal, Desk, slice], tuple[Any, ...]],
        light: bool = False,
    ) -> None:
        """Call a compiled function for every part of the batch, on threads; what is light, and
        done before others are awake, for the whole."""
        code = self.game.code(function)
        if light and len(self) < LIGHT:
            code(*arguments(self._deals[0], self._desk, slice(None)))
            return
        parts = zip(self._deals, self._desks, self._shares.rows, strict=True)
        self._shares.run(code, [arguments(*part) for part in parts])


def new_setup(plan: Plan, seed: int, first: int = 0) -> Array:
    """What the tables of a plan have in common, for those from `first` on."""
    setups = blank(loops.SETUP)
    setup = setups[0]
    setup.seed, setup.first, setup.stride = seed, first, plan.games
    setup.limit, setup.actions, setup.players = plan.limit, plan.game.actions, plan.players
    return setups


def chooser_seeds(seed: int, size: int) -> Array:
    """Where the random decisions of each table begin; unrelated to what it is dealt from."""
    numbers = np.arange(size, dtype=np.uint64) + np.uint64(seed)
    return ~(numbers * np.uint64(0x9E3779B97F4A7C15))


def make(
    game: Game,
    tables: int,
    players: int | None = None,
    *,
    device: str = "cpu",
    seed: int = 0,
    threads: int | None = None,
    limit: int = LIMIT,
    kit: str | Path | Kit = "default",
    invitations: bool = False,
    auto_reset: bool = True,
    **options: Value,
) -> Batch:
    """See `bottega.batch`."""
    if check_number("tables", tables, MOST_TABLES) < 1:
        raise BadOption("tables must be 1 or more")
    plan = Plan.make(game, players, tables, seed, limit, kit, options)
    if check_device(device) == "cuda":
        from bottega.envs.cuda import CudaBatch

        return CudaBatch(plan, invitations=invitations, auto_reset=auto_reset)
    return Batch(plan, invitations=invitations, auto_reset=auto_reset, threads=threads)


def playouts(
    game: Game,
    games: int,
    players: int | None = None,
    *,
    device: str = "cpu",
    seed: int = 0,
    threads: int | None = None,
    limit: int = LIMIT,
    kit: str | Path | Kit = "default",
    **options: Value,
) -> Outcomes:
    """See `bottega.playouts`."""
    plan = Plan.make(game, players, games, seed, limit, kit, options)
    if check_device(device) == "cuda":
        from bottega.envs.cuda import cuda_playouts

        return cuda_playouts(plan)
    return run(plan, lambda: random_worker(plan, games <= FEW), threads, 4096)


def check_device(device: str) -> str:
    if device not in DEVICES:
        raise BadOption(f"device={device!r} is not possible: it must be {' or '.join(DEVICES)}")
    return device
