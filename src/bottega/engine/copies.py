"""Copies of functions that call something else: the same source, interpreted, compiled for a game,
or on a GPU."""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import FunctionType
from typing import Any


def copy_of(function: Any, change: Callable[[str, Any], Any]) -> FunctionType:
    """A copy of a function for whose globals stands what `change` makes of each name and value."""
    names = dict(function.__globals__)
    for name in globals_in(function):
        changed = change(name, names.get(name))
        if changed is not None:  # a builtin is no global and stays one
            names[name] = changed
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__qualname__ = function.__qualname__
    copy.__doc__ = function.__doc__
    return copy


def globals_in(function: Any) -> set[str]:
    """The global names in a function. Fields of records, which may be called alike, are none."""
    steps = dis.get_instructions(function)
    return {str(step.argval) for step in steps if step.opname == "LOAD_GLOBAL"}
