"""`python -m bottega.table`: the server alone, without the rest of the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from bottega.table.server.app import serve, work
from bottega.table.settings import PORT


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m bottega.table")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--data", type=Path, help="folder of the tables")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument("--pause", type=float, help="seconds a bot takes at least")
    parser.add_argument("--workers", type=int, default=1, help="processes that answer")
    parser.add_argument("--worker", type=int, nargs=2, help=argparse.SUPPRESS)  # see `workers`
    chosen = parser.parse_args()
    if chosen.worker:
        work(*chosen.worker)
        return
    more = {} if chosen.pause is None else {"pause": chosen.pause}
    serve(chosen.host, chosen.port, chosen.open, chosen.data, chosen.workers, **more)


main()
