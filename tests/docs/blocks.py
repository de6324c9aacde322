"""Documentation that runs: the code blocks of a page, extracted and executed.

- A block whose first line names a file (```` ```python palio/rules.py ````) is written to that
  file; several blocks of one file follow each other.
- Any other Python block is executed, all blocks of a page in one namespace and in a folder that
  holds the page's files.
- A block marked `output` is what the Python block before it prints.

`python -m tests.docs.blocks` writes all expected outputs anew; what changed is then seen in the
diff.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from bottega.games import _added

ROOT = Path(__file__).parents[2]
GAP = {".py": "\n\n\n"}  # between two blocks of one file


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int  # of its first line of text, counted from 1
    language: str
    file: str  # the file it belongs to, or nothing
    text: str


@dataclass(frozen=True)
class Printed:
    """What a Python block printed, and the block that says what it should."""

    actual: str
    expected: Block


def pages() -> list[Path]:
    """Every page whose examples are executed."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found = []
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.map:
            language, _, file = token.info.strip().partition(" ")
            found.append(Block(page, token.map[0] + 2, language, file.strip(), token.content))
    return found


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page contains."""
    parts: dict[str, list[str]] = {}
    for block in blocks(page):
        if block.file:
            parts.setdefault(block.file, []).append(block.text.strip("\n"))
    for name, texts in parts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(GAP.get(file.suffix, "\n\n").join(texts) + "\n", encoding="utf-8")


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Import from a folder for a while; nothing of it stays behind."""
    modules, added = set(sys.modules), dict(_added)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
                del sys.modules[name]
        _added.clear()
        _added.update(added)


def run(page: Path, folder: Path) -> list[Printed]:
    """Execute a page's examples in a folder."""
    write_files(page, folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    results = []
    last = ""
    with importable(folder), chdir(folder):
        for block in blocks(page):
            if block.language == "output":
                results.append(Printed(last, block))
            elif block.language == "python" and not block.file:
                last = execute(block, names)
    return results


def execute(block: Block, names: dict[str, Any]) -> str:
    """Execute one block; errors point to its lines in the page. What it printed."""
    code = compile("\n" * (block.line - 1) + block.text, str(block.page), "exec")
    printed = StringIO()
    with redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def refresh(page: Path) -> None:
    """Write the expected outputs of a page anew."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        results = run(page, Path(folder))
    for result in reversed(results):
        first = result.expected.line - 1
        lines[first : first + result.expected.text.count("\n")] = [result.actual]
    page.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    for file in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        refresh(file)
