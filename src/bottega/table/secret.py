"""The server's secret, and the tokens that follow from it.

A visitor is known by a cookie that only the server can make. A seat's link holds a token made
from the server's secret, so that the host can be shown it again though no table of the database
holds it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

from bottega.table.faults import CannotServe
from bottega.table.settings import Settings

FILE = "secret"
SIZE = 32
HALF = 16  # characters of a visitor's cookie


class Secret:
    """Signs what must not be guessed."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, chosen: Settings) -> Secret:
        """The secret that the settings give, as processes on several machines share it, or else
        that of the data folder."""
        return cls(bytes.fromhex(chosen.secret)) if chosen.secret else cls.kept_in(chosen.data)

    @classmethod
    def kept_in(cls, folder: Path) -> Secret:
        """The secret of a data folder, made when first needed and readable by its owner only."""
        file = folder / FILE
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not file.exists():
                write_whole(file, secrets.token_bytes(SIZE))
            key = file.read_bytes()
        except OSError as problem:
            raise CannotServe(f"The folder {folder} cannot be used: {problem.strerror}.") from None
        if len(key) != SIZE:
            raise CannotServe(
                f"The file {file} is damaged: it has {len(key)} bytes instead of {SIZE}. Bring it "
                f"back from a copy; or remove it, and all links to seats must be sent anew."
            )
        return cls(key)

    def sign(self, *words: str | int) -> str:
        """A token that only this server can make from these words."""
        text = "\0".join(str(word) for word in words)
        digest = hmac.digest(self._key, text.encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:24]).decode()

    def luck(self, *words: str | int) -> int:
        """A number that nobody can guess who does not know the secret."""
        return int.from_bytes(base64.urlsafe_b64decode(self.sign("luck", *words))[:6], "big")

    def seat_token(self, table: str, seat: int, links: int = 0) -> str:
        """What a seat's link or a program's `Authorization` header holds, once the link was made
        anew so many times."""
        return self.sign("seat", table, seat, *([links] if links else []))

    def new_visitor(self) -> str:
        """The cookie of somebody new: half of it luck, half of it the mark that we made it."""
        luck = secrets.token_urlsafe(12)
        return luck + self._mark(luck)

    def is_ours(self, cookie: str) -> bool:
        """Whether a visitor's cookie was made here, and not by the visitor."""
        luck, mark = cookie[:HALF], cookie[HALF:]
        return same(mark, self._mark(luck))

    def _mark(self, luck: str) -> str:
        return self.sign("visitor", luck)[:HALF]

    def program_id(self, address: str) -> str:
        """What the database knows of whoever sets up tables by the API: no visitor has this id, and
        nobody else can tell the address from it."""
        return self.sign("program", address)

    def csrf_token(self, visitor: str) -> str:
        """What a form must send back, so that no other site can send it."""
        return self.sign("csrf", visitor)


def write_whole(file: Path, content: bytes, replace: bool = False) -> None:
    """A file that has all of its content or is not there, whatever happens meanwhile; unless it
    replaces another one, the first of two who write it wins."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)  # the owner's alone
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        if replace:
            part.replace(file)
            return
        try:
            os.link(part, file)
        except FileExistsError:
            return
        except OSError:  # not every file system has links
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def same(one: str, other: str) -> bool:
    """Whether two tokens are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def visitor_id(cookie: str) -> str:
    """What the database knows of a visitor's cookie: its hash."""
    return hashlib.sha256(cookie.encode()).hexdigest()[:32]


def new_table_id() -> str:
    """A table's address: whoever has not been told it cannot find it."""
    return secrets.token_urlsafe(9)
