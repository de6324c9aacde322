"""The record of a table: one NumPy record that holds everything.

Every game's record begins with the same fields, so that the engine can run any of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

RUNNING, ENDED, UNFINISHED = 0, 1, 2  # values of `over`

HEADER: list[tuple[Any, ...]] = [
    ("rng", np.uint64),  # the generator; every random outcome at the table comes from it
    ("decisions", np.uint32),  # decisions played so far
    ("limit", np.uint32),  # the table ends unfinished after this many decisions; 0: no limit
    ("turns", np.uint32),  # chains of decisions completed: a chain ends when this grows
    ("shown", np.uint16),  # times something hidden came to light without a draw (a reveal)
    ("over", np.uint8),  # RUNNING, ENDED by the rules or UNFINISHED by the limit
    ("seats", np.uint8),  # number of players
]


def table_type(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a game's record: the common fields, then the game's own."""
    return record_type(HEADER + fields)


def record_type(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a record, aligned and without holes, so that equal records are equal bytes."""
    return np.dtype((np.record, _without_holes(np.dtype(fields, align=True))))


def _without_holes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout with the gaps that alignment leaves as fields of their own.

    NumPy copies fields and leaves gaps as they happen to be.
    """
    if dtype.subdtype:
        base, shape = dtype.subdtype
        return np.dtype((_without_holes(base), shape))
    if not dtype.names:
        return dtype
    whole: list[Any] = []
    at = 0
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        whole += [(f"_{at}", np.uint8, offset - at)] if offset > at else []
        whole.append((name, _without_holes(field)))
        at = offset + field.itemsize
    whole += [(f"_{at}", np.uint8, dtype.itemsize - at)] if dtype.itemsize > at else []
    return np.dtype(whole, align=True)


def blank(dtype: np.dtype[Any], size: int = 1) -> np.ndarray[Any, Any]:
    """Zeroed records. `blank(dtype)[0]` is one record, whose fields are attributes."""
    return np.zeros(size, dtype)
