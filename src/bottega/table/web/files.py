"""The files that browsers keep, ours and each game's: styles, drawings, the modules of the script.

An address holds the version of the folder that the file lies in, so that browsers may keep it for
ever. Modules import each other by their names alone (`./page.js`), which keeps the version: those
of two versions never meet, whatever a browser has kept and whichever server answers.
"""

from __future__ import annotations

import hashlib
import time
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

import bottega
from bottega.engine.errors import UnknownName

STATIC = Path(__file__).parent / "static"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
OF_A_GAME = ("board.css", "board.js", "icons.svg", "cover.svg")
FOR_EVER = "public, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False)


def url_static(name: str) -> str:
    return f"/static/{version(STATIC)}/{name}"


def url_game(game: str, name: str) -> str:
    return f"/games/{game}/{version(bottega.game(game).folder)}/{name}"


def version(folder: Path) -> str:
    """A name for what the files of a folder are together."""
    return _looked_up(folder, int(time.monotonic()))


@lru_cache(maxsize=32)
def _looked_up(folder: Path, second: int) -> str:  # noqa: ARG001
    """A page has hundreds of addresses, so that the folder is looked at once a second."""
    files = sorted(file for file in folder.iterdir() if file.suffix in KINDS)
    return _fingerprint(tuple((file, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=32)
def _fingerprint(files: tuple[tuple[Path, int], ...]) -> str:
    digest = hashlib.sha256()
    for file, _ in files:
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:10]


@router.get("/static/{file}")
@router.get("/static/{asked}/{file}")
async def our_file(file: str, asked: str = "") -> Response:
    """A file of ours."""
    return _answer(STATIC / file, asked)


@router.get("/games/{name}/{file}")
@router.get("/games/{name}/{asked}/{file}")
async def game_file(name: str, file: str, asked: str = "") -> Response:
    """A game's own style and drawings."""
    try:
        folder = bottega.game(name).folder
    except UnknownName:
        raise HTTPException(404) from None
    if file not in OF_A_GAME:
        raise HTTPException(404)
    return _answer(folder / file, asked)


def _answer(file: Path, asked: str) -> Response:
    """A file, asked for by an address of this version. While servers are upgraded one may be asked
    for what another has: a style or a drawing serves for once, a module would fit no other."""
    kept = asked == version(file.parent)
    strange = asked and not kept and file.suffix == ".js"
    if strange or file.suffix not in KINDS or not file.is_file():
        raise HTTPException(404)
    lasting = {"cache-control": FOR_EVER if kept else "no-cache"}
    return FileResponse(file, media_type=KINDS[file.suffix], headers=lasting)
