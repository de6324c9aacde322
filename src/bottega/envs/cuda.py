"""Batches and play-outs on a GPU, with the very functions of the rules (extra `gpu`: numba-cuda).

The rules are compiled again as device functions, from the same source (`CudaCode`). Arrays stay on
the GPU. They are handed to PyTorch, CuPy and JAX without a copy, by DLPack or by
`__cuda_array_interface__` (`Lent`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from bottega.engine.compile import PER_GAME, is_contract
from bottega.engine.copies import copy_of
from bottega.engine.errors import BadOption
from bottega.engine.game import Game
from bottega.engine.loops import CHOOSER
from bottega.engine.progress import compiling
from bottega.engine.record import blank
from bottega.engine.rule import rule
from bottega.engine.runs import Array, Outcomes, Plan
from bottega.envs import loops
from bottega.envs.batch import Batch, Deal, chooser_seeds
from bottega.envs.dlpack import Lent

BLOCK = 128  # threads of a block
BLOCKS = 16  # of play-outs, for each multiprocessor
# Registers of a thread, at most. Whole games, and ways down a tree, gain more from more threads at
# once than they lose by keeping less at hand; single steps do not.
REGISTERS = {"playout_kernel": 40, "descend_kernel": 128}


@rule
def smaller(first: Any, second: Any) -> Any:
    """`min` of two numbers."""
    return second if second < first else first


@rule
def larger(first: Any, second: Any) -> Any:
    """`max` of two numbers."""
    return second if second > first else first


# Numba's own CUDA target does not compile functions of any number of arguments.
OF_TWO = {"min": smaller, "max": larger}


def find_cuda() -> Any:
    """Numba's CUDA, where there is a GPU."""
    try:
        cuda: Any = import_module("numba.cuda")
    except ImportError:
        raise BadOption("device='cuda' needs numba-cuda: pip install 'bottega[gpu]'") from None
    if not cuda.is_available():
        raise BadOption("device='cuda' needs a CUDA GPU and its driver, and none was found")
    return cuda


class CudaCode:
    """A game's kernels. The rules, which are compiled for the CPU, become device functions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._jit: Any = import_module("numba.cuda").jit
        # Numba's simulator has no registers.
        self._simulated: bool = import_module("numba.core.config").ENABLE_CUDASIM
        self.own = import_module("bottega.envs.kernels")
        self.constants = {
            "TABLE": game.table,
            "WORDS": game.mask_words,
            "SEATS": game.seats[1],
            "first": self.own.first,
            "behind_last": self.own.behind_last,
        }
        self._kernels: dict[Callable[..., Any], Any] = {}
        self._parts: dict[Callable[..., Any], Any] = {}

    def launch(self, source: Callable[..., Any], blocks: int, block: int, *arguments: Any) -> None:
        """Run a kernel. Its first run compiles it."""
        if source in self._kernels:
            self._kernels[source][blocks, block](*arguments)
            return
        name = source.__name__
        limited = name in REGISTERS and not self._simulated
        options = {"max_registers": REGISTERS[name]} if limited else {}
        self._kernels[source] = self._jit(**options)(self.bind(source, self.constants))
        with compiling(self.game.name, name):
            self._kernels[source][blocks, block](*arguments)

    def bind(self, function: Callable[..., Any], constants: dict[str, Any] | None = None) -> Any:
        """A copy of a function that calls device functions and the game's own rules."""

        def change(name: str, value: Any) -> Any:
            value = (constants or {}).get(name, OF_TWO.get(name) if value is None else value)
            if is_contract(value):
                return self._part(self.game.code.rules[name])
            own = hasattr(value, "py_func") or hasattr(value, PER_GAME)
            return self._part(value) if own else value

        copy = copy_of(function, change)
        copy.__qualname__ = f"{function.__name__}.{self.game.name}"
        return copy

    def _part(self, function: Any) -> Any:
        source = getattr(function, "py_func", function)
        if source not in self._parts:
            self._parts[source] = self._jit(device=True)(self.bind(source))
        return self._parts[source]


@cache
def code_of(game: Game) -> CudaCode:
    """The kernels of a game, compiled once."""
    return CudaCode(game)


class CudaBatch(Batch):
    """A batch whose tables and arrays are on a GPU.

    Nothing is checked on the way, since asking the GPU would make it wait: an illegal action leaves
    its table as it was, and `illegal` says where that has ever happened.
    """

    device = "cuda"

    def __init__(self, plan: Plan, *, invitations: bool, auto_reset: bool) -> None:
        self._cuda = find_cuda()
        super().__init__(plan, invitations=invitations, auto_reset=auto_reset)

    @property
    def illegal(self) -> Array:
        """[table], whether the table was ever given an illegal action; copied from the GPU."""
        return np.asarray(self._desk.notes.copy_to_host()["illegal"] != 0)

    def _zeros(self, shape: Any, dtype: Any) -> Any:
        return self._cuda.to_device(np.zeros(shape, dtype))

    def _show(self, array: Any) -> Any:
        return Lent(array, self._cuda.synchronize)

    def _place(self, threads: int | None) -> None:
        """Each table has a thread of its own."""

    def _begin_anew(self) -> None:
        put = self._cuda.to_device
        self._deal = Deal(
            put(self._plan.kit.record),
            put(self._setup()),
            put(blank(self.game.table)),
            put(self._plan.options),
        )
        self._desk.notes.copy_to_device(blank(loops.NOTE, len(self)))
        choosers = blank(CHOOSER, len(self))
        choosers["rng"] = chooser_seeds(self.seed, len(self))
        self._choosers.copy_to_device(choosers)

    def _check(self, chosen: Any) -> None:
        """See above: the kernel itself leaves a table alone."""

    def _step(self, chosen: Any) -> None:
        self._launch(loops.step_all, *self._deal, *self._desk, chosen)

    def _new_flags(self) -> Any:
        return self._zeros((len(self), self.actions), np.bool_)

    def _unpack(self) -> None:
        unpack = code_of(self.game).own.unpack_kernel
        self._launch(unpack, self._desk.masks, self._flags, each=self.actions)

    def _new_observations(self) -> Any:
        """Stored by columns: threads that encode tables side by side write side by side."""
        shape = len(self), self.game.observation
        return self._cuda.to_device(np.zeros(shape, np.float32, order="F"))

    def _observe(self) -> None:
        desk = self._desk
        self._launch(
            loops.observe_all, self._deal.kits, desk.tables, desk.seats, self._observations
        )

    def _appraise(self) -> None:
        self._launch(loops.appraise_all, self._deal.kits, self._desk.tables, self._chances)

    def _choose(self) -> None:
        desk = self._desk
        self._launch(loops.choose_all, desk.seats, desk.masks, self._choosers, self._chosen)

    def _take(self, actions: Any) -> Any:
        """Actions on the GPU; those that are there are not copied."""
        if isinstance(actions, Lent):
            actions = actions.array
        if not hasattr(actions, "__cuda_array_interface__"):
            return self._cuda.to_device(super()._take(actions))
        chosen = self._cuda.as_cuda_array(actions)
        if chosen.shape != (len(self),) or chosen.dtype != np.int64:
            raise BadOption(f"step takes {len(self)} numbers (int64), one for each table")
        return chosen

    def _launch(self, kernel: Callable[..., Any], *arguments: Any, each: int = 1) -> None:
        """Run a kernel with so many threads for each table."""
        code_of(self.game).launch(kernel, -(-len(self) * each // BLOCK), BLOCK, *arguments)


def cuda_playouts(plan: Plan, blocks: int | None = None, block: int = BLOCK) -> Outcomes:
    """Whole games of random legal play on the GPU; the same games as on the CPU."""
    cuda = find_cuda()
    put = cuda.to_device
    outcomes = Outcomes.empty(plan.games, plan.players)
    parts = outcomes.part(0, plan.games)
    arrays = [cuda.device_array(part.shape, part.dtype) for part in parts]
    if blocks is None:
        blocks = BLOCKS * cuda.get_current_device().MULTIPROCESSOR_COUNT
    code = code_of(plan.game)
    code.launch(
        code.own.playout_kernel,
        blocks,
        block,
        put(plan.kit.record),
        put(blank(plan.game.table)),
        put(plan.options),
        plan.players,
        np.uint64(plan.seed),
        plan.limit,
        put(np.zeros(1, np.int64)),
        *arrays,
    )
    for array, part in zip(arrays, parts, strict=True):
        array.copy_to_host(part)
    return outcomes
