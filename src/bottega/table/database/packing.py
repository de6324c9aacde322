"""The moves of a table in one piece, for those at which nobody plays any more: a tenth of the room
and less."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from bottega.table.database.rows import Played


def packed(start: bytes, moves: Sequence[Played]) -> bytes:
    """The record as dealt and all moves, each with the record after it."""
    records = [start, *(move.record or b"" for move in moves)]
    told = [(move.seat, move.action, move.layout, move.rules) for move in moves]
    head = {"sizes": [len(record) for record in records], "moves": told}
    return zlib.compress(json.dumps(head).encode() + b"\n" + b"".join(records), 9)


def unpacked(piece: bytes) -> tuple[bytes, list[Played]]:
    """What was packed, to the byte."""
    head, _, together = zlib.decompress(piece).partition(b"\n")
    said = json.loads(head)
    records, at = [], 0
    for size in said["sizes"]:
        records.append(together[at : at + size])
        at += size
    start, *after = records
    moves = [
        Played(seat, action, record, layout, rules)
        for (seat, action, layout, rules), record in zip(said["moves"], after, strict=True)
    ]
    return start, moves
