"""Plays the decisions of a golden playthrough again and compares the record after each.

Run as a module under `NUMBA_DISABLE_JIT=1`, it checks that interpreted rules come to the same
records as the compiled ones that wrote the file, up to the Master.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

import bottega
from tests.games import playthrough

DECISION = re.compile(
    r"^\d+\. (?P<name>\w+): .*\n   may .*\n   does (?P<key>\S+)\n"
    r"(?:   .*\n)*?   record (?P<hash>\w+)$",
    re.MULTILINE,
)


def check(file: Path) -> int:
    """Play a playthrough again; how many decisions agreed."""
    made = playthrough.header(file)
    names = playthrough.NAMES[: made["players"]]
    match = bottega.game("renaissance-man").new(
        made["players"], made["seed"], names=names, limit=made["limit"], **made["options"]
    )
    number = 0
    for number, found in enumerate(DECISION.finditer(file.read_text(encoding="utf-8")), 1):
        match.play(names.index(found["name"]), found["key"])
        state = hashlib.sha256(match.state()).hexdigest()[:8]
        assert state == found["hash"], f"{file.name}, decision {number}"
    assert match.over
    return number


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(check(Path(name)))
