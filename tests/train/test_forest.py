"""The search on a GPU, as far as it can be tried without one: its kernels compile, and in Numba's
simulator it finds what the search on the CPU finds, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np

import bottega
from bottega.bots import guided
from bottega.envs.cuda import CudaCode
from bottega.train import kernels
from tests.envs.test_cuda import compile_ptx  # noqa: F401  (a fixture)


def test_the_kernels_compile_to_ptx(compile_ptx):  # noqa: F811
    game = bottega.game("splendor")
    code, number = CudaCode(game), 8
    forest = guided.new_memory(game, 9, (number,))
    forest = forest._replace(seen=np.asfortranarray(forest.seen))
    found = guided.new_found(game, number)
    kit, knobs = game.kit().record, np.zeros(guided.KNOBS)
    whole, real = np.zeros(number, np.int64), np.zeros((number, 4), np.float32)
    roots, actions = np.zeros(number, game.table), np.zeros((number, game.actions), np.float32)
    for kernel, values in {
        "plant_kernel": (actions, forest),
        "descend_kernel": (kit, roots, whole, whole, knobs, forest, whole),
        "settle_kernel": (kit, whole, whole, actions, real, knobs, forest),
        "cut_kernel": (whole, 0.5, knobs, forest, found),
        "look_kernel": (whole, knobs, forest, found),
    }.items():
        bound = code.bind(getattr(kernels, kernel), code.constants)
        ptx = compile_ptx(bound, tuple(numba.typeof(value) for value in values))
        assert ".entry" in ptx


def test_the_simulated_gpu_finds_what_the_cpu_finds():
    sizes = [(name, bottega.game(name).seats[1]) for name in bottega.games()]
    simulator = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.train.simulated",
            *(str(word) for size in sizes for word in size),
        ],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert simulator.returncode == 0, simulator.stderr
    lines = simulator.stdout.splitlines()
    assert len(lines) == 2 * len(sizes)
    assert all(" 0:" not in line for line in lines)
    assert lines[::2] == lines[1::2]
