"""`@rule`: a small Python function that Numba compiles.

Rules take records, fill arrays that the caller owns and return plain numbers. They never
allocate, raise, recurse or touch strings, so the same source runs interpreted
(`NUMBA_DISABLE_JIT=1`), on a CPU core and inside a GPU kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

INTERPRETED: bool = bool(numba.core.config.DISABLE_JIT)  # type: ignore[attr-defined]

if INTERPRETED:
    # The generator and the lanes count modulo 2**64, as compiled code does without a word.
    np.seterr(over="ignore")


def rule(function: Callable[..., Any]) -> Any:
    """Compile a function of the rules. It is compiled as a part of what calls it."""
    return numba.njit(nogil=True, error_model="numpy")(function)
