"""Saved matches: notations in files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bottega.engine.errors import BadOption, NotationError
from bottega.engine.notation import LONGEST, TITLE


def read_notation(path: Path) -> str:
    """The text of a saved match; never more of a file than a notation can be long."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LONGEST + 1)
    except FileNotFoundError:
        raise NotationError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise NotationError(f"{path} is a folder, not a saved match") from None
    except UnicodeDecodeError:
        raise NotationError(f"{path} is not a text, so it is no saved match") from None
    except OSError as problem:
        raise NotationError(f"{path}: cannot be read ({problem.strerror})") from None


def write_notation(path: Path, text: str) -> None:
    """Write a saved match whole or not at all; only an older saved match is replaced."""
    if path.exists() and not path.is_dir():
        check_replaceable(path)
    try:
        # Made in the same folder, so that putting it in place is one step.
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as problem:
        raise BadOption(f"cannot write {path}: {problem.strerror}") from None


def check_replaceable(path: Path) -> None:
    """Refuse to overwrite what is not a saved match."""
    try:
        old = read_notation(path)
    except NotationError:
        old = ""
    if not old.startswith(TITLE):
        raise BadOption(f"{path} is there already and is no saved match; it stays as it is")
