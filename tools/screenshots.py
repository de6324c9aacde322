"""Pictures of every page, wide and narrow, light and dark, into docs/pictures.

Run by `make screenshots`. The positions come from matches with fixed seeds, opened on the home
page as notation files, so that the same pictures come out again.
"""

from __future__ import annotations

import base64
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import BrowserType, Page, sync_playwright

import bottega
from bottega.engine.match import Match

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SCREENS = {"wide": (1280, 800), "phone": (360, 740)}
THEMES = ("light", "dark")
SEED = 24
BEST = "table-splendor-wide-light.png"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "bottega.table", "--port", str(port), "--data", str(folder)]
    server = subprocess.Popen([*command, "--pause", "0"])
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()


def chromium(kind: BrowserType) -> str:
    """The system's Chromium, or the one that Playwright brought."""
    return shutil.which("chromium") or shutil.which("google-chrome") or kind.executable_path


def played(name: str) -> Match:
    """A match between bots, to its end."""
    game = bottega.game(name)
    players = min(3, game.seats[1])
    names = ["Ada", "Bruno", "Carla"][:players]
    match = game.new(players, seed=SEED, limit=4000, names=names)
    bot = bottega.bot("greedy")
    while not match.over:
        seat = match.waiting[0]
        match.play(seat, bot.choose(match, seat))
    return match


def busy_moment(match: Match) -> int:
    """A moment in the middle in which the first seat decides among many things."""
    middle = len(match.moves) * 55 // 100
    moments = [n for n in range(middle, len(match.moves)) if match.at(n).waiting == [0]]
    return max(moments[:8] or [middle], key=lambda n: len(match.at(n).legal_numbers(0)))


def open_replay(page: Page, match: Match, folder: Path) -> str:
    """Open a notation; the address of its replay."""
    file = folder / "match.txt"
    file.write_text(match.save(), encoding="utf-8")
    page.goto("/")
    page.set_input_files("#file", file)
    page.click('form[action="/open"] button')
    page.wait_for_selector("#at")
    return page.url.split("?")[0]


def sit_down(page: Page, replay: str, number: int) -> str:
    """Play on from there; the address of the table."""
    page.goto(f"{replay}?at={number}")
    page.click(".fork summary")
    page.select_option('.fork [name="seat"]', "0")
    page.click(".fork button")
    page.wait_for_selector('#table[data-mine="yes"]')
    return page.url


def play_out(page: Page, replay: str, number: int) -> str:
    """Play the last decisions of a game; the address of the table that ended."""
    page.goto(f"{replay}?at={number}")
    page.click(".fork summary")
    page.click(".fork button")
    while page.wait_for_selector('#table[data-mine="yes"], #table.over'):
        if page.locator("#table.over").count():
            break
        page.click("#choices summary")
        page.locator("#choices button").first.click()
        page.wait_for_selector('[aria-busy="true"]', state="detached")
    return page.url


def decision_that_mattered(page: Page, address: str) -> str | None:
    """Wait until an ended game is studied; the address of the first decision that mattered."""
    page.goto(address)
    page.wait_for_selector("#study:not([role])", timeout=120_000)
    points = page.locator(".mattering a")
    return points.first.get_attribute("href") if points.count() else None


def set_table(page: Page, mode: str) -> str:
    """Set a table of the first game by one of the other ways; its address."""
    page.goto("/")
    page.click(".game:first-child .more summary")
    page.check(f'.game:first-child form.way [value="{mode}"]')
    page.click(".game:first-child form.way button")
    page.wait_for_selector("#table")
    return page.url


def addresses(page: Page, folder: Path) -> dict[str, str]:
    """Every page worth a picture, by the name of the picture."""
    pages = {"home": "/"}
    for name in bottega.games():
        match = played(name)
        replay = open_replay(page, match, folder)
        pages[f"table-{name}"] = sit_down(page, replay, busy_moment(match))
        if name == "splendor":
            pages["hint"] = pages[f"table-{name}"]
            pages["replay"] = (
                decision_that_mattered(page, replay) or f"{replay}?at={len(match.moves) // 2}"
            )
            pages["end"] = play_out(page, replay, len(match.moves) - 3)
            decision_that_mattered(page, pages["end"])
            pages["rules"] = f"/rules/{name}"
    pages["invite"] = set_table(page, "friends")
    pages["curtain"] = set_table(page, "hotseat")
    pages["error"] = "/t/nowhere"
    return pages


PIXELS = """async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0);
  const { data } = brush.getImageData(0, 0, image.width, image.height);
  const file = new FileReader();
  file.readAsDataURL(new Blob([data]));
  await new Promise((resolve) => { file.onload = resolve; });
  return [image.width, image.height, file.result.split(",")[1]];
}"""


def shrink(png: bytes, desk: Page) -> bytes:
    """The picture with at most 256 colours, a third of the size. `desk`: an empty page."""
    width, height, data = desk.evaluate(PIXELS, base64.b64encode(png).decode())
    pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(-1, 4)[:, :3].astype(int)
    rough = (pixels >> 3) @ [1 << 10, 1 << 5, 1]
    _, kind, often = np.unique(rough, return_inverse=True, return_counts=True)
    sums = [np.bincount(kind, pixels[:, channel]) for channel in range(3)]
    colours = np.stack(sums, axis=1) / often[:, None]
    palette = colours[np.argsort(often)[::-1][:256]]
    far = ((colours[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2)
    rows = far.argmin(axis=1)[kind].astype(np.uint8).reshape(height, width)
    lines = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [
        (b"IHDR", header),
        (b"PLTE", palette.round().astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )


def take(page: Page, desk: Page, name: str, screen: str, theme: str) -> None:
    """One picture. On the game's own table, something is picked, so that one sees how."""
    page.wait_for_timeout(300)
    if name == "table-splendor":
        page.locator(".market .payable.can").last.click()
        page.wait_for_timeout(250)
    if name == "hint":
        page.click("[data-hint]")
        page.wait_for_selector("#hint li")
    picture = shrink(page.screenshot(), desk)
    (PICTURES / f"{name}-{screen}-{theme}.png").write_bytes(picture)


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(Path(scratch)) as url,
        sync_playwright() as playwright,
    ):
        kind = playwright.chromium
        browser = kind.launch(executable_path=chromium(kind), args=["--no-sandbox"])
        context = browser.new_context(base_url=url, reduced_motion="reduce")
        page, desk = context.new_page(), context.new_page()
        pages = addresses(page, Path(scratch))
        for old in PICTURES.glob("*.png"):
            old.unlink()
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme="light" if theme == "light" else "dark")
                for name, address in pages.items():
                    page.goto(address)
                    take(page, desk, name, screen, theme)
        browser.close()
    (PICTURES / BEST).rename(PICTURES / "table.png")
    total = sum(file.stat().st_size for file in PICTURES.glob("*.png"))
    print(f"{len(list(PICTURES.glob('*.png')))} pictures, {total / 1e6:.1f} MB, in {PICTURES}")


if __name__ == "__main__":
    main()
