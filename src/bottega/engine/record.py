"""The record of a table: one NumPy record that holds everything.

Every game's record begins with the same fields, so that the engine can run any of them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bottega.engine.errors import LayoutError

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
    # As `np.record`, a part would no longer know how it must be aligned.
    plain = [(name, _without_holes(np.dtype(kind)), *shape) for name, kind, *shape in fields]
    return np.dtype((np.record, _without_holes(np.dtype(plain, align=True))))


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


# Records that are kept. Bytes mean nothing without their layout, so it is kept beside them, and
# what a field was is found again by its name when records have changed since.

Layout = list[list[Any]]  # of each field: name, NumPy's word for its type or a layout, shape
HOLE = re.compile(r"_\d+")  # the name of a field that fills a hole


def layout(dtype: np.dtype[Any]) -> Layout:
    """The fields of a record in a form that JSON can carry."""
    described = []
    for name in dtype.names or ():
        base, shape = dtype[name].subdtype or (dtype[name], ())
        described.append([name, layout(base) if base.names else base.str, list(shape)])
    return described


def read_records(kept: bytes, described: Layout, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Records of a layout as records of a type, matched by the names of their fields.

    A field that is new stays zero. One that has no place any more is an error that names it.
    """
    if described == layout(dtype):
        return np.frombuffer(kept, _sized(kept, dtype))
    old = np.frombuffer(kept, _sized(kept, _described(described)))
    new = np.zeros(len(old), dtype)
    _fit(old, new, "")
    return new


def _described(described: Layout) -> np.dtype[Any]:
    """The type that a layout describes. Holes are fields of their own, so nothing is between."""
    try:
        return np.dtype(
            [
                (name, _described(kind) if isinstance(kind, list) else kind, tuple(shape))
                for name, kind, shape in described
            ]
        )
    except (TypeError, ValueError):
        raise LayoutError("the layout that is kept with a record is broken") from None


def _sized(kept: bytes, dtype: np.dtype[Any]) -> np.dtype[Any]:
    if not dtype.itemsize or len(kept) % dtype.itemsize:
        raise LayoutError(f"{len(kept)} bytes are kept; a record has {dtype.itemsize}")
    return dtype


def _fit(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any], path: str) -> None:
    """Copy every field to where its name is now."""
    for name in old.dtype.names or ():
        if HOLE.fullmatch(name):
            continue
        if name not in (new.dtype.names or ()):
            raise LayoutError(f"the field '{path}{name}' of a kept record has no place any more")
        was, now = old[name], new[name]
        if was.shape != now.shape or bool(was.dtype.names) != bool(now.dtype.names):
            raise LayoutError(f"the field '{path}{name}' of a kept record has another shape now")
        if was.dtype.names:
            _fit(was, now, f"{path}{name}.")
            continue
        now[...] = was
        if not np.array_equal(was, now):
            raise LayoutError(f"the field '{path}{name}' of a kept record is too large now")
