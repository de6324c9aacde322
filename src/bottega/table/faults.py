"""What can be wrong with a request, each with the status that says so."""

from __future__ import annotations


class Fault(Exception):
    """A request that is refused. The message is one friendly sentence; nothing has changed."""

    status = 400
    title = "That does not work"


class Unauthorized(Fault):
    status = 401
    title = "Not a key to this table"


class Forbidden(Fault):
    status = 403
    title = "Not your seat"


class NoSuchTable(Fault):
    status = 404
    title = "No such table"


class Stale(Fault):
    """The page was older than the table."""

    status = 409
    title = "The table has moved on"

    def __init__(self, message: str, seq: int) -> None:
        super().__init__(message)
        self.seq = seq


class NotNow(Fault):
    status = 409
    title = "Not now"


class Broken(Fault):
    """A stored table that cannot be played through any more."""

    status = 409
    title = "This table is broken"


class CannotServe(Exception):
    """Why a server cannot start. The message is a sentence for its host."""


class NoBackup(CannotServe):
    """Why a backup cannot be made, or not be put back."""


class TooLarge(Fault):
    status = 413
    title = "Too large"


class TooSlow(Fault):
    status = 408
    title = "Too slow"


class TooFast(Fault):
    status = 429
    title = "One moment"

    def __init__(self, message: str, wait: int = 2) -> None:
        super().__init__(message)
        self.wait = wait  # seconds until it may be tried again


class TooMany(TooFast):
    """Too much at the same time."""


class NotStored(Fault):
    """The database did not take it."""

    status = 503
    title = "Not possible just now"


class OurMistake(Fault):
    status = 500
    title = "Our mistake"
