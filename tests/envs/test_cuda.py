"""The kernels of a GPU, as far as they can be tried without one.

They are compiled to PTX where the toolkit's NVVM is there, and run in Numba's simulator, whose
batches and play-outs must be those of the CPU, bit for bit. `bench/gpu.py` compares on a real GPU.
"""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import numba
import numba.cuda
import numpy as np
import pytest

import bottega
from bottega.engine.loops import CHOOSER
from bottega.engine.record import blank
from bottega.engine.runs import Outcomes
from bottega.envs import loops
from bottega.envs.batch import make
from bottega.envs.dlpack import CPU, Lent
from tests.envs import simulated
from tests.envs.tables import SIZES

TARGET = (9, 0)  # an H100 or H200


def arguments(game):
    """What each kernel is launched with."""
    batch = make(game, 8, threads=1)
    deal, desk = batch._deals[0], batch._desk
    by_columns = np.zeros((game.observation, 8), np.float32).T
    numbers = np.zeros(8, np.int64)
    rows = Outcomes.empty(8, game.seats[0]).part(0, 8)
    plain = (deal.kits, deal.blank, deal.options, 2, np.uint64(1), 1, numbers)
    return {
        "step_all": (*deal, *desk, numbers),
        "observe_all": (deal.kits, desk.tables, desk.seats, by_columns),
        "appraise_all": (deal.kits, desk.tables, np.zeros((8, 2), np.float32)),
        "unpack_kernel": (desk.masks, np.zeros((8, batch.actions), np.bool_)),
        "choose_all": (desk.seats, desk.masks, blank(CHOOSER, 8), numbers),
        "playout_kernel": (*plain, *rows),
    }


@pytest.fixture
def compile_ptx(monkeypatch):
    """Numba's compiler for a GPU that is not there."""
    cuda = pytest.importorskip("numba.cuda", reason="this Numba has no CUDA target")
    try:
        cuda.compile_ptx(lambda: None, (), cc=TARGET)
    except Exception as problem:
        pytest.skip(f"the CUDA toolkit (NVVM) is not there: {str(problem).splitlines()[0]}")
    device = SimpleNamespace(compute_capability=TARGET)
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: device)
    return lambda kernel, types: cuda.compile_ptx(kernel, types, cc=TARGET)[0]


@pytest.mark.parametrize("name", bottega.games())
def test_kernels_compile_to_ptx(name, compile_ptx):
    from bottega.envs.cuda import CudaCode

    game = bottega.game(name)
    code = CudaCode(game)
    for kernel, values in arguments(game).items():
        if kernel == "playout_kernel" and name != "splendor":
            continue  # it takes long, and is made of what is in the others
        source = getattr(code.own, kernel, None) or getattr(loops, kernel)
        bound = code.bind(source, code.constants)
        ptx = compile_ptx(bound, tuple(numba.typeof(value) for value in values))
        assert ".entry" in ptx
        assert ".target sm_90" in ptx


def test_simulated_gpu_equals_cpu():
    simulator = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.envs.simulated",
            *(str(word) for size in SIZES for word in size),
        ],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    ).stdout.splitlines()
    assert simulator == [line for size in SIZES for line in simulated.digests(*size, "cpu")]


@pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.uint64, np.float32])
def test_arrays_are_lent_by_dlpack(dtype):
    """The capsules are right: NumPy opens them, here with memory of the CPU."""
    array = np.arange(12).reshape(3, 4).astype(dtype).T
    lent = Lent(array, lambda: None, (CPU, 0))
    taken = np.from_dlpack(lent)
    assert taken.dtype == array.dtype
    assert np.array_equal(taken, array)
    array[2, 1] = 0
    assert taken[2, 1] == 0
    del array, lent
    assert taken.shape == (4, 3)
    Lent(taken, lambda: None, (CPU, 0)).__dlpack__()  # nobody opens this one


@pytest.mark.skipif(numba.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_is_said():
    with pytest.raises(bottega.BadOption, match=r"CUDA GPU|numba-cuda"):
        make(bottega.game("splendor"), 2, device="cuda")
