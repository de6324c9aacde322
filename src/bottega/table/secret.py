"""The server's secret, and the tokens that follow from it.

A visitor is known by a random cookie. A seat's link holds a token made from the server's
secret, so that the host can be shown it again though no table of the database holds it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from pathlib import Path

FILE = "secret"
SIZE = 32


class Secret:
    """Signs what must not be guessed."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def kept_in(cls, folder: Path) -> Secret:
        """The secret of a data folder, made when first needed and readable by its owner only."""
        file = folder / FILE
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls(file.read_bytes())
        with os.fdopen(handle, "wb") as new:
            new.write(secrets.token_bytes(SIZE))
        return cls(file.read_bytes())

    def sign(self, *words: str | int) -> str:
        """A token that only this server can make from these words."""
        text = "\0".join(str(word) for word in words)
        digest = hmac.digest(self._key, text.encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:24]).decode()

    def seat_token(self, table: str, seat: int) -> str:
        """What a seat's link or a program's `Authorization` header holds."""
        return self.sign("seat", table, seat)

    def seat_of(self, token: str, table: str, players: int) -> int | None:
        """The seat that a token opens."""
        for seat in range(players):
            if same(token, self.seat_token(table, seat)):
                return seat
        return None

    def csrf_token(self, visitor: str) -> str:
        """What a form must send back, so that no other site can send it."""
        return self.sign("csrf", visitor)


def same(one: str, other: str) -> bool:
    """Whether two tokens are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def new_visitor() -> str:
    """The cookie of somebody new."""
    return secrets.token_urlsafe(24)


def visitor_id(cookie: str) -> str:
    """What the database knows of a visitor's cookie: its hash."""
    return hashlib.sha256(cookie.encode()).hexdigest()[:32]


def new_table_id() -> str:
    """A table's address: whoever has not been told it cannot find it."""
    return secrets.token_urlsafe(9)
