"""What a run of training tells on the terminal: a bar with an estimate, and a line now and then."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PHASES = {"ppo": "playing by itself", "expert": "playing by search"}
EVERY = 30.0  # seconds of training between two lines where no bar can be shown


class Teller:
    """Hears the rows of a run's log."""

    def __init__(self, title: str, folder: Path) -> None:
        self.title = title
        self.folder = folder
        self.console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._task: Any = None
        self._phase = ""
        self._said = -EVERY

    def __enter__(self) -> Teller:
        self.console.print(f"{self.title}: the run is kept in {self.folder}")
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def __call__(self, row: dict[str, Any]) -> None:
        if row.get("measured"):
            won = ", ".join(
                f"{row[name]:.1%} against {'its ' if name == 'earlier self' else ''}{name}"
                for name in ("random", "greedy", "earlier self")
                if name in row
            )
            self.console.print(f"after {row['seconds'] / 60:.1f} min {row['phase']}: won {won}")
            return
        if row["phase"] != self._phase:
            self._phase, self._said = row["phase"], -EVERY
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task("", total=row["of"])
        what = f"{PHASES[row['phase']]}, {row['speed']:,} decisions/s"
        self._bar.update(self._task, completed=row["seconds"], description=what)
        if not self.console.is_terminal and row["seconds"] >= self._said + EVERY:
            self._said = row["seconds"]
            left = (row["of"] - row["seconds"]) / 60
            rest = ", ".join(
                f"{name} {row[name]:.3f}" for name in row if name.endswith(("loss", "entropy"))
            )
            self.console.print(f"{row['seconds']:.0f} s {what}, {rest}; {left:.1f} min left")
