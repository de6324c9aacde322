"""`@rule`: a small Python function that Numba compiles.

Rules take records, fill arrays that the caller owns and return plain numbers. They never
allocate, raise, recurse or touch strings, so the same source runs interpreted, on a CPU core
and inside a GPU kernel. Called from Python, a rule is interpreted; compiled code calls it
compiled. With `NUMBA_DISABLE_JIT=1` nothing is ever compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
import numpy as np

from bottega.engine.copies import copy_of
from bottega.engine.linking import Part, PartCompiler

INTERPRETED: bool = bool(numba.core.config.DISABLE_JIT)  # type: ignore[attr-defined]

if INTERPRETED:
    # The generator and the lanes count modulo 2**64, as compiled code does without a word.
    np.seterr(over="ignore")


# Compiled rules allocate nothing, so nothing needs to be counted: without Numba's runtime (`_nrt`)
# an allocation does not compile, and passing an array on costs nothing.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


class Rule(Part):
    """A function of the rules."""

    def __init__(self, function: Callable[..., Any]) -> None:
        options = {**OPTIONS, "nopython": True, "boundscheck": None}
        super().__init__(function, targetoptions=options, pipeline_class=PartCompiler)

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return plain(self.interpreted(*arguments))

    @cached_property
    def interpreted(self) -> Callable[..., Any]:
        """The plain function, which calls other plain functions."""
        return copy_of(self.py_func, lambda _, value: interpreted(value))


def plain(answer: Any) -> Any:
    """A number as compiled code gives it to Python."""
    if isinstance(answer, tuple):
        return tuple(map(plain, answer))
    return answer.item() if isinstance(answer, np.generic) else answer


def interpreted(value: Any) -> Any:
    """A global of a rule as interpreted code sees it."""
    return value.interpreted if isinstance(value, Rule) else value


def rule(function: Callable[..., Any]) -> Any:
    """A function of the rules. It is compiled as a part of what calls it."""
    return function if INTERPRETED else Rule(function)
