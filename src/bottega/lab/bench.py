"""How fast the rules are on this machine: random legal play, measured the same way everywhere."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

import bottega
from bottega.bots.search import SearchBot
from bottega.engine.game import Game
from bottega.engine.runs import Outcomes, Plan, random_worker, run
from bottega.lab.simulate import LIMIT

SECONDS = 0.4  # that one repeat takes at least
REPEATS = 5
STARTS = 3
ITERATIONS = 1000  # of each search
EVERY = 5  # decisions of a game, one of which is searched
HOW = (
    "Random legal play of whole games: legal moves computed at every step, dealing and results "
    f"included. Best of {REPEATS} repeats of {SECONDS} s or more, after a warm-up; the interpreted "
    "rules in a process of their own (NUMBA_DISABLE_JIT=1), best of 2. One core: one thread. "
    f"Search: {ITERATIONS} iterations for every {EVERY}th decision of a game, one thread. "
    "Start: the whole command `bottega simulate GAME --games 1`, from the shell to its end, with "
    f"an empty cache of compiled code, and best of {STARTS} with a full one."
)

Speed = dict[str, float]  # moves and games a second


def measure(games: list[Game], step: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Every figure, as a plain value; `step` hears what comes next."""
    return {
        "machine": machine(),
        "how": HOW,
        "games": [measure_game(game, step) for game in games],
    }


def steps(game: Game) -> int:
    """How often `measure` calls `step` for a game."""
    return 3 * len(counts(game)) + 3


def measure_game(game: Game, step: Callable[[str], None]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for players in counts(game):
        step(f"{game.title}, {players} players, one core")
        alone = one_core(game, players, SECONDS, REPEATS)
        step(f"{game.title}, {players} players, all cores")
        row = {"players": players, "one_core": alone, "all_cores": all_cores(game, players)}
        step(f"{game.title}, {players} players, search")
        rows.append({**row, "search": search(game, players, SECONDS)})
    step(f"{game.title}, interpreted")
    for row, speed in zip(rows, interpreted(game), strict=True):
        row["interpreted"] = speed
    starts = {}
    for bot in ("random", "greedy"):
        step(f"{game.title}, compiling from nothing ({bot} bots)")
        starts[bot] = start(game, bot)
    return {
        "game": game.name,
        "title": game.title,
        "bytes": game.table.itemsize,
        "speeds": rows,
        "start": starts,
    }


def counts(game: Game) -> range:
    """The numbers of players that a game is for."""
    return range(game.seats[0], game.seats[1] + 1)


def plan(game: Game, players: int, games: int) -> Plan:
    return Plan.make(game, players, games, 1, LIMIT, "default", {})


def one_core(game: Game, players: int, seconds: float, repeats: int) -> Speed:
    """One thread, without Python in between."""
    work = random_worker(plan(game, players, 1))

    def play(games: int) -> Outcomes:
        outcomes = Outcomes.empty(games, players)
        work(0, outcomes.part(0, games))
        return outcomes

    return best(play, seconds, repeats)


def all_cores(game: Game, players: int) -> Speed:
    """A thread for each core."""

    def play(games: int) -> Outcomes:
        what = plan(game, players, games)
        return run(what, lambda: random_worker(what), cores(), max(1, games // (8 * cores())))

    return best(play, SECONDS, REPEATS)


def search(game: Game, players: int, seconds: float) -> float:
    """Iterations a second of the bot `search` on one thread, at decisions spread over a game."""
    bot = SearchBot(iterations=ITERATIONS)
    greedy = bottega.bot("greedy")
    match = game.new(players, 1, limit=LIMIT)
    spent = 0.0
    done = 0
    while not match.over and spent < seconds:
        seat = match.waiting[0]
        if len(match.moves) % EVERY == 0 and len(match.legal_numbers(seat)) > 1:
            if not done:
                bot.think(match, seat)  # it may compile
            started = time.perf_counter()
            bot.think(match, seat)
            spent += time.perf_counter() - started
            done += ITERATIONS
        match.play(seat, greedy.choose(match, seat))
    return done / spent if done else 0.0


def best(play: Callable[[int], Outcomes], seconds: float, repeats: int) -> Speed:
    """The best of some repeats, of as many games as take the given time."""
    play(1)  # it may compile
    games = 1
    while (spent := timed(play, games)[0]) < seconds:
        games = max(2 * games, round(1.2 * games * seconds / spent))
    spent, outcomes = min((timed(play, games) for _ in range(repeats)), key=lambda run: run[0])
    return {"moves": outcomes.decisions / spent, "games": games / spent}


def timed(play: Callable[[int], Outcomes], games: int) -> tuple[float, Outcomes]:
    started = time.perf_counter()
    outcomes = play(games)
    return time.perf_counter() - started, outcomes


def interpreted(game: Game, seconds: float = SECONDS) -> list[Speed]:
    """The same rules without Numba, for each number of players."""
    code = f"from bottega.lab.bench import print_interpreted as go; go({game.name!r}, {seconds})"
    answer = python(["-c", code], NUMBA_DISABLE_JIT="1")
    speeds: list[Speed] = json.loads(answer)
    return speeds


def print_interpreted(name: str, seconds: float) -> None:
    """What the process of its own does."""
    game = bottega.game(name)
    print(json.dumps([one_core(game, players, seconds, 2) for players in counts(game)]))


def start(game: Game, bot: str) -> Speed:
    """Seconds of a first and of a later simulation of one game."""
    command = ["-m", "bottega", "simulate", game.name, "--games", "1", "--bots", bot, "--json"]
    with tempfile.TemporaryDirectory() as cache:
        spent = []
        for _ in range(1 + STARTS):
            started = time.perf_counter()
            python(command, NUMBA_CACHE_DIR=cache)
            spent.append(time.perf_counter() - started)
    return {"first": spent[0], "cached": min(spent[1:])}


def python(arguments: list[str], **environment: str) -> str:
    """What a fresh Python prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names this machine."""
    return {
        "core": core_type(),
        "cores": cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "bottega": bottega.__version__,
    }


def core_type() -> str:
    """The processor's model, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


# The figures as a person reads them


def show(figures: dict[str, Any]) -> RenderableType:
    """The figures as tables."""
    parts: list[RenderableType] = []
    for game in figures["games"]:
        start = "; ".join(
            f"{bot} bots {spent['first']:.1f} s from nothing, {spent['cached']:.2f} s cached"
            for bot, spent in game["start"].items()
        )
        parts += [
            f"[b]{game['title']}[/b]: a table is {game['bytes']} bytes",
            speeds_table(game, figures["machine"]["cores"]),
            f"Start: {start}",
            "",
        ]
    return Group(
        *parts, f"[dim]{figures['how']}[/dim]", f"[dim]{describe(figures['machine'])}[/dim]"
    )


def speeds_table(game: dict[str, Any], cores: int) -> Table:
    table = Table("Players", box=box.SIMPLE)
    for heading in ("one core", f"all {cores} cores", "interpreted"):
        table.add_column(f"{heading}\nmoves/s", justify="right")
        table.add_column("\ngames/s", justify="right")
    table.add_column("search, one core\niterations/s", justify="right")
    for row in game["speeds"]:
        speeds = [row[kind] for kind in ("one_core", "all_cores", "interpreted")]
        cells = [number(speed[unit]) for speed in speeds for unit in ("moves", "games")]
        table.add_row(str(row["players"]), *cells, number(row["search"]))
    return table


def number(value: float) -> str:
    """Three digits that count."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def describe(machine: dict[str, Any]) -> str:
    """The machine in a line."""
    versions = ", ".join(
        f"{name} {machine[name]}" for name in ("python", "numba", "numpy", "bottega")
    )
    return f"{machine['cores']} cores of type {machine['core']}; {machine['system']}; {versions}."
