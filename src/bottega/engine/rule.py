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


# Compiled rules allocate nothing, so nothing needs to be counted: without Numba's runtime (`_nrt`)
# an allocation does not compile, and passing an array on costs nothing.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def rule(function: Callable[..., Any]) -> Any:
    """Compile a function of the rules. It is compiled as a part of what calls it."""
    return numba.njit(**OPTIONS)(function)
