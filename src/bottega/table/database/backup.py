"""Backups: all that a server keeps in one file, made while it serves, and put back from there.

The file is a tar: what it is (`about.json`), the server's secret, and a copy of the database as it
was at one moment. It is there whole or not at all, was read again before it got its name, and is
for its owner's eyes only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from sqlalchemy import make_url

import bottega
from bottega.engine.language import plural
from bottega.table.database.migrations import revisions
from bottega.table.database.postgres_copy import PostgresCopy
from bottega.table.database.sqlite_copy import SqliteCopy
from bottega.table.faults import NoBackup
from bottega.table.secret import FILE as SECRET
from bottega.table.secret import write_whole
from bottega.table.settings import Settings

Tell = Callable[[float], None]  # hears how much of the whole is done, from 0 to 1

FORMAT = 1
ABOUT, COPY = "about.json", "database"
COPIED, PACKED = 0.8, 0.9  # of the whole, when the copy is made, and when it is in the file
UNPACKED, CHECKED = 0.3, 0.5
PIECE = 1 << 20  # bytes that are read at once


@dataclass(frozen=True)
class About:
    """What a backup is."""

    format: int
    bottega: str  # the version that made it
    made: str  # when, in UTC
    kind: str  # of the database
    schema: str
    tables: int
    moves: int
    hashes: dict[str, str]  # SHA-256 of the other parts, by name

    @property
    def has_secret(self) -> bool:
        return SECRET in self.hashes


def back_up(chosen: Settings, target: Path, tell: Tell) -> tuple[Path, About]:
    """Write a backup to a new file, or under a name of its own into a folder."""
    now = time.gmtime()
    file = target / time.strftime("bottega-%Y%m%d-%H%M%S.tar", now) if target.is_dir() else target
    if file.exists():
        raise NoBackup(f"There is a file {file} already; a backup overwrites nothing.")
    database = database_of(chosen)
    with working_folder(file.parent) as work:
        copy = work / COPY
        found = database.copy_to(copy, lambda share: tell(COPIED * share))
        database.check(copy)
        parts = {COPY: copy}
        if not chosen.secret and (chosen.data / SECRET).is_file():
            parts = {SECRET: chosen.data / SECRET, **parts}
        about = About(
            FORMAT,
            bottega.__version__,
            time.strftime("%Y-%m-%d %H:%M:%S", now),
            database.kind,
            found.schema,
            found.tables,
            found.moves,
            {name: hash_of(part.open("rb")) for name, part in parts.items()},
        )
        whole = work / "whole.tar"
        pack(whole, about, parts)
        tell(PACKED)
        check_whole(whole, about)
        whole.replace(file)
        sync(file.parent)
    tell(1)
    return file, about


def bring_back(chosen: Settings, file: Path, replace: bool, tell: Tell) -> tuple[About, list[str]]:
    """Put a backup where a server will find it; what was there before is kept under names that
    are returned, too."""
    about = read_about(file)
    database = database_of(chosen)
    if about.kind != database.kind:
        raise NoBackup(f"This is a backup of {about.kind}; the settings name {database.kind}.")
    if about.schema not in revisions():
        raise NoBackup(f"A newer Bottega ({about.bottega}) made this backup. Update this one.")
    make_folder(chosen.data)
    with database.unused(), working_folder(database.folder or chosen.data) as work:
        secret = None if chosen.secret or not about.has_secret else chosen.data / SECRET
        if not replace:
            refuse_overwriting(database.there(), secret, about)
        unpack(file, about, work)
        tell(UNPACKED)
        database.check(work / COPY)
        tell(CHECKED)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        kept = database.put_back(work / COPY, stamp)
        sync(work.parent)
        if secret is not None and not same_secret(secret, about):
            if secret.exists():
                kept.append(keep_aside(secret, stamp))
            write_whole(secret, (work / SECRET).read_bytes(), replace=True)
            sync(chosen.data)
    tell(1)
    return about, kept


def holdings(about: About) -> str:
    """What a backup holds, in words."""
    return f"{plural(about.tables, 'table')} with {plural(about.moves, 'move')}"


def database_of(chosen: Settings) -> SqliteCopy | PostgresCopy:
    """The database of these settings, as something that can be copied."""
    if file := chosen.sqlite_file:
        return SqliteCopy(file)
    url = make_url(chosen.url)
    if url.get_backend_name() != "postgresql":
        raise NoBackup("Only a database that outlasts its server can be backed up.")
    return PostgresCopy(url)


def refuse_overwriting(there: str, secret: Path | None, about: About) -> None:
    """Refuse to put something else in the place of what is there."""
    if there:
        raise NoBackup(f"{there} With --replace, the backup takes their place.")
    if secret is not None and secret.exists() and not same_secret(secret, about):
        raise NoBackup(f"{secret} is another secret. With --replace, the backup's takes its place.")


def same_secret(secret: Path, about: About) -> bool:
    return secret.exists() and hash_of(secret.open("rb")) == about.hashes[SECRET]


# The file


def pack(file: Path, about: About, parts: dict[str, Path]) -> None:
    """Write the parts into one file, to the disk."""
    with file.open("xb") as out:
        with tarfile.open(fileobj=out, mode="w") as tar:
            said = file.with_name(ABOUT)
            said.write_text(json.dumps(asdict(about), indent=2), encoding="utf-8")
            for name, part in {ABOUT: said, **parts}.items():
                tar.add(part, name, filter=for_its_owner)
        out.flush()
        os.fsync(out.fileno())
    file.chmod(0o600)


def for_its_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mode = 0o600
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def read_about(file: Path) -> About:
    """What a backup says about itself."""
    with opened(file) as tar:
        first = tar.next()
        content = tar.extractfile(first) if first is not None and first.name == ABOUT else None
        if content is None:
            raise NoBackup(f"{file} is not a backup of Bottega.")
        try:
            said = json.load(content)
            if said["format"] > FORMAT:
                raise NoBackup(f"A newer Bottega made {file}. Update this one.")
            return About(**said)
        except (ValueError, TypeError, KeyError):
            raise damaged(file) from None


def check_whole(file: Path, about: About) -> None:
    """See that the file has what was written to it."""
    if read_about(file) != about:
        raise damaged(file)
    with opened(file) as tar:
        for name in about.hashes:
            if hash_of(part_of(tar, file, name)) != about.hashes[name]:
                raise damaged(file)


def unpack(file: Path, about: About, folder: Path) -> None:
    """Bring the parts of a backup into a folder, if they are what was written."""
    with opened(file) as tar:
        for name in sorted(about.hashes.keys() & {COPY, SECRET}):
            part = folder / name
            with part_of(tar, file, name) as packed, part.open("xb") as out:
                part.chmod(0o600)
                shutil.copyfileobj(packed, out, PIECE)
                out.flush()
                os.fsync(out.fileno())
            if hash_of(part.open("rb")) != about.hashes[name]:
                raise damaged(file)


@contextmanager
def opened(file: Path) -> Iterator[tarfile.TarFile]:
    """A backup to be read."""
    try:
        with tarfile.open(file, "r:") as tar:
            yield tar
    except OSError as problem:
        raise NoBackup(f"{file} cannot be read: {problem.strerror}.") from None
    except tarfile.TarError:
        raise NoBackup(f"{file} is not a backup of Bottega, or only a part of one.") from None


def part_of(tar: tarfile.TarFile, file: Path, name: str) -> IO[bytes]:
    try:
        content = tar.extractfile(name)
    except KeyError:
        content = None
    if content is None:
        raise damaged(file)
    return content


def damaged(file: Path) -> NoBackup:
    return NoBackup(f"{file} is damaged: it is not what was written.")


# Folders


@contextmanager
def working_folder(within: Path) -> Iterator[Path]:
    """A folder for its owner alone, on the disk of what is to come; nothing of it stays."""
    try:
        folder = tempfile.mkdtemp(prefix=".bottega-", dir=within)
    except OSError as problem:
        raise NoBackup(f"The folder {within} cannot be used: {problem.strerror}.") from None
    try:
        yield Path(folder)
    except OSError as problem:
        raise NoBackup(f"It could not be written: {problem.strerror}.") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise NoBackup(f"The folder {folder} cannot be used: {problem.strerror}.") from None


def keep_aside(file: Path, stamp: str) -> str:
    aside = file.with_name(f"{file.name}.replaced-{stamp}")
    shutil.copy2(file, aside)
    return aside.name


def hash_of(content: IO[bytes]) -> str:
    with content:
        return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]


def sync(folder: Path) -> None:
    """Have the disk know the names in a folder."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
