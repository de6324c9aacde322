"""The board as text and as an image, drawn from a game's `sketch`, that is, from a view alone."""

from __future__ import annotations

from io import StringIO
from typing import Any

import numpy as np
from rich.color import Color
from rich.console import Console
from rich.markup import render
from rich.segment import Segment
from rich.style import Style

from bottega.engine.match import Match
from bottega.engine.runs import Array

MODES = ("human", "ansi", "rgb_array")
WIDTH = 400  # columns that no sketch needs: lines are not wrapped
POINTS = 10  # size of the letters
DOTS = 120  # per inch
CELL = (0.602 * POINTS / 72, 1.25 * POINTS / 72)  # inches of a letter of DejaVu Sans Mono
PAPER, INK = "#f6f1e7", "#2b2622"


def sketch(match: Match, seat: int | None = None) -> str:
    """The board as a seat (or a spectator) sees it, and the prompt, with Rich's markup."""
    return f"{match.game.words.sketch(match.view(seat))}\n\n{match.prompt(seat)}"


def draw(match: Match, mode: str | None) -> str | Array | None:
    """The table as `render` of an environment gives it: printed, as text, or as an image."""
    if mode == "human":
        Console(highlight=False, emoji=False).print(sketch(match))
    elif mode == "ansi":
        return text(match)
    elif mode == "rgb_array":
        return image(match)
    return None


def text(match: Match, seat: int | None = None) -> str:
    """The board as plain text."""
    return render(sketch(match, seat), emoji=False).plain


def segments(match: Match, seat: int | None = None) -> list[list[Segment]]:
    """The lines of the sketch, each as pieces of one style."""
    console = Console(file=StringIO(), width=WIDTH, highlight=False, emoji=False)
    lines = console.render_lines(console.render_str(sketch(match, seat)), pad=False)
    return [list(Segment.simplify(line)) for line in lines]


def image(match: Match, seat: int | None = None) -> Array:
    """[row, column, 3], the board as an image (`uint8`)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = segments(match, seat)
    columns = max(sum(part.cell_length for part in line) for line in lines) + 4
    rows = len(lines) + 2
    width, height = CELL
    figure = Figure((columns * width, rows * height), dpi=DOTS, facecolor=PAPER)
    canvas: Any = FigureCanvasAgg(figure)
    for row, line in enumerate(lines, start=1):
        column = 2
        for part in line:
            write(figure, part, column / columns, 1 - (row + 0.5) / rows, columns, rows)
            column += part.cell_length
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def write(figure: Any, part: Segment, x: float, y: float, columns: int, rows: int) -> None:
    """A piece of a line, with its colours."""
    from matplotlib.patches import Rectangle

    style = part.style or Style.null()
    ink, paper = shade(style.color), shade(style.bgcolor)
    if style.reverse:
        ink, paper = paper or PAPER, ink or INK
    if paper:
        size = part.cell_length / columns, 1 / rows
        figure.add_artist(Rectangle((x, y - size[1] / 2), *size, color=paper, lw=0))
    figure.text(
        x,
        y,
        part.text.replace("$", r"\$"),
        family="DejaVu Sans Mono",
        size=POINTS,
        weight="bold" if style.bold else "normal",
        color=ink or INK,
        alpha=0.6 if style.dim else 1.0,
        va="center_baseline",
    )


def shade(colour: Color | None) -> str | None:
    """A colour as matplotlib takes it; none for the terminal's own."""
    return None if colour is None or colour.is_default else colour.get_truecolor().hex
