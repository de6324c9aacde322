"""The log as lines of JSON, for machines. A line says what happened and where in the program, never
to whom: no address, name, cookie, token or seed. For people it stays as Python writes it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

INNERMOST = 20  # places of a traceback that are told

# The request that is being answered, if any: what is logged meanwhile bears its number.
request_number: ContextVar[str] = ContextVar("request_number", default="")


def number_for(given: str) -> str:
    """A request's number: the one that a proxy gave it, else a new one. Only digits pass, so that
    nothing else comes into the log this way."""
    return given if re.fullmatch(r"[0-9a-fA-F-]{8,36}", given) else uuid.uuid4().hex[:16]


class Lines(logging.Formatter):
    """A line of JSON for each event."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage().partition("\n")[0],  # below, others put their values
        }
        if number := request_number.get():
            line["request"] = number
        line |= getattr(record, "facts", {})
        if record.exc_info and record.exc_info[1] is not None:
            line["failure"] = failure(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def failure(problem: BaseException) -> list[dict[str, Any]]:
    """What failed, where, and what had failed before; not what it says, which may be somebody's."""
    found: list[dict[str, Any]] = []
    seen: BaseException | None = problem
    while seen is not None and len(found) < INNERMOST:
        places = traceback.extract_tb(seen.__traceback__)[-INNERMOST:]
        at = [f"{Path(place.filename).name}:{place.lineno} {place.name}" for place in places]
        found.append({"kind": type(seen).__name__, "at": at})
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return found


def write_lines() -> None:
    """From now on, every event of this process is a line of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("bottega").setLevel(logging.INFO)
    logging.captureWarnings(True)
