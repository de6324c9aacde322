"""What the command shows: games, rules, kits, boards, logs, standings, progress."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

import bottega
from bottega.engine.errors import KitError
from bottega.engine.game import Game
from bottega.engine.kit import Kit, KitFile
from bottega.engine.match import Line, Match


def new_console() -> Console:
    """The terminal. Names and texts come as they are: no emoji codes, no guessed colours."""
    return Console(highlight=False, emoji=False)


# Games


def games() -> Table:
    """The games there are."""
    table = Table("Name", "Game", "Players", "Minutes", box=box.SIMPLE)
    for game in map(bottega.game, bottega.games()):
        least, most = game.seats
        players = f"{least} to {most}" if least < most else f"{least}"
        about = [f"[b]{escape(game.title)}[/b] by {escape(game.designer)}", escape(game.summary)]
        about += [escape(f"option {o.name}: {o.possible} ({o.text})") for o in game.options]
        table.add_row(game.name, "\n".join(about), players, str(game.minutes))
    return table


def rules(game: Game, heading: str | None = None) -> RenderableType:
    """A game's rules, or what stands under one heading of them."""
    text = written(game, "rules")
    return Markdown(section(text, heading) if heading else text)


def rulings(game: Game) -> RenderableType:
    """What the marks in the rules and in refusals stand for."""
    return Markdown(written(game, "rulings"))


def written(game: Game, what: str) -> str:
    """The text of a game's rules or rulings."""
    try:
        return (game.folder / f"{what.upper()}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise KitError(f"{game.title} has no text of its {what}") from None


def section(text: str, heading: str) -> str:
    """A section of a Markdown text; the whole text if it has no such section."""
    title = re.search(rf"^(#+) {re.escape(heading)}\s*$", text, re.MULTILINE | re.IGNORECASE)
    if not title:
        return text
    following = re.compile(rf"^#{{1,{len(title[1])}}} ", re.MULTILINE).search(text, title.end())
    return text[title.start() : following.start() if following else len(text)]


# Kits


def kit(file: KitFile, kit: Kit, game: Game) -> RenderableType:
    """A kit that was found to be complete: what was read, and what it is."""
    table = Table(box=None, show_header=False)
    table.add_row("[b]Kit[/b]", escape(f"{kit.name}: {kit.title}"))
    table.add_row("[b]Game[/b]", escape(game.title))
    table.add_row("[b]Origin[/b]", escape(kit.origin))
    table.add_row("[b]Hash[/b]", kit.hash)
    table.add_row("[b]Checked[/b]", escape("\n".join(checked(file))))
    alike = [name for name in game.kits if game.kit(name).hash == kit.hash]
    if alike:
        table.add_row("", escape(f"It plays like the kit that comes with the game: {alike[0]}"))
    return Group(f"{escape(file.path.name)} is in order.", table)


def checked(file: KitFile) -> list[str]:
    """What the loading of a kit has read and found complete."""
    lines = [f"{file.path.name}: {', '.join(file.data)}"]
    for value in file.data.values():
        if isinstance(value, str) and (path := file.path.parent / value).is_file():
            rows = [row for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]
            lines.append(
                f"{path.name}: {len(rows) - 1} rows; columns {', '.join(rows[0].split(','))}"
            )
    return [*lines, "Every value, and the counts that the game needs."]


# Matches


def board(match: Match, seat: int | None) -> str:
    """The board as the seat sees it, with Rich's markup."""
    return match.game.words.sketch(match.view(seat))


def log(lines: Sequence[Line]) -> str:
    """Lines of the log, each with the number of its decision."""
    return "\n".join(f"[dim]{line.number:>4}[/dim] {escape(line.text)}" for line in lines)


def standings(match: Match) -> Table:
    """How an ended match stands; place 1 of an unfinished one is no win."""
    table = Table("Place", "Seat", "Name", "Score", box=box.SIMPLE)
    for seat in (seat for tied in match.ranking for seat in tied):
        place, score = match.standings[seat]
        won = " (won)" if seat in match.winners else ""
        table.add_row(str(place), str(seat), escape(match.names[seat] + won), str(score))
    return table


def replay(match: Match, seat: int | None) -> RenderableType:
    """A match so far: its log, its board and how it stands, as the seat may know it."""
    players = f"{match.players} player{'s' * (match.players != 1)}"
    parts: list[RenderableType] = [
        f"[b]{escape(match.game.title)}[/b], {players}, {len(match.moves)} decisions",
        log(match.log(seat)),
        "",
        board(match, seat),
        "",
        escape(match.prompt(seat)),
    ]
    if match.over:
        parts.append(standings(match))
    return Group(*parts)


# Progress


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with an estimate, on the terminal alone; it hears how much more is done.

    It appears with the first step, since compiling shows a bar of its own before that.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=total)

    def step(done: int) -> None:
        bar.start()
        bar.advance(task, done)

    try:
        yield step
    finally:
        bar.stop()
