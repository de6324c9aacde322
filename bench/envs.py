"""Environments side by side: steps a second of random legal play, with observation and mask.

    pip install -e '.[bench]'
    python bench/envs.py [GAME ...] [--seconds 1] [--repeats 3] [--cpu-time] [--json]

Everything is measured in turns in one run on one machine. A step is one decision: the mask (or the
list) of legal actions and the observation of whoever decides are made for each, one legal action
is drawn, and it is carried out; dealing is included. Batches use all cores. Peers that are not
installed are named. With `--cpu-time` it is the processor's time that counts, not the clock's (for
batches: shared by all cores), so that figures mean something on a machine that others use, too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import bottega
from bottega.engine.game import Game
from bottega.envs.episode import Episode, Rules
from bottega.lab.bench import describe, machine, number

TABLES = 4096
PGX_TABLES = 1024
SCALAR_GOAL = "OpenSpiel hanabi"  # one table of ours through Python is at least as fast
BATCH_GOAL = 3_000_000  # steps a second of a batch

Play = Callable[[int], int]  # plays about so many steps; how many it were


@dataclass(frozen=True)
class Contestant:
    """Something to be measured; `make` fails where it is not installed."""

    name: str
    kind: str  # batch or scalar
    ours: bool
    make: Callable[[], Play]


# Ours


def our_batch(game: Game, players: int) -> Play:
    """All tables at once, on all cores."""
    batch = bottega.batch(game.name, TABLES, players)
    for _ in range(50):  # away from the first moves, where all tables are alike
        batch.step(batch.random())

    def play(steps: int) -> int:
        rounds = max(1, steps // TABLES)
        for _ in range(rounds):
            batch.legal()
            batch.encode()
            batch.step(batch.random())
        return rounds * TABLES

    return play


def our_scalar(game: Game, players: int) -> Play:
    """One table through Python."""
    rules = Rules(game, players)
    draw = random.Random(1).random

    def play(steps: int) -> int:
        episode = Episode(rules, int(draw() * 2**60))
        for _ in range(steps):
            if episode.over:
                episode = Episode(rules, int(draw() * 2**60))
            legal = np.flatnonzero(episode.mask())
            episode.observe(episode.seat)
            episode.play(int(legal[int(draw() * len(legal))]))
        return steps

    return play


def our_pettingzoo(game: Game, players: int) -> Play:
    from bottega.envs import pettingzoo as zoo

    return pettingzoo_play(zoo.TableEnv(game, players))


# Peers


def open_spiel(name: str) -> Play:
    import pyspiel

    game = pyspiel.load_game(name)
    chance = random.Random(1)

    def play(steps: int) -> int:
        state = game.new_initial_state()
        done = 0
        while done < steps:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(outcomes, weights)[0])
            else:
                state.observation_tensor(state.current_player())
                state.apply_action(chance.choice(state.legal_actions()))
                done += 1
        return done

    return play


def pettingzoo_play(env: Any) -> Play:
    """PettingZoo's usual loop; the mask is in the observation or in the info."""
    draw = random.Random(1).random

    def play(steps: int) -> int:
        env.reset(seed=1)
        done = 0
        while done < steps:
            if not env.agents:
                env.reset()
            seen, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero((info if "action_mask" in info else seen)["action_mask"])
            env.step(int(legal[int(draw() * len(legal))]))
            done += 1
        return done

    return play


def pettingzoo(name: str) -> Play:
    from importlib import import_module

    return pettingzoo_play(import_module(f"pettingzoo.classic.{name}").raw_env())


def rlcard(name: str) -> Play:
    """RLCard's state has the observation and the legal actions."""
    from rlcard import make

    env = make(name, config={"seed": 1})
    chance = random.Random(1)

    def play(steps: int) -> int:
        state, _ = env.reset()
        for _ in range(steps):
            if env.is_over():
                state, _ = env.reset()
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
        return steps

    return play


def pgx(name: str) -> Play:
    """A jitted batch on the CPU, with Pgx's auto-reset; observations come with each step."""
    import jax
    import jax.numpy as jnp
    from pgx import make
    from pgx.experimental import auto_reset

    env = make(name)
    init, advance = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def step(state: Any, key: Any) -> Any:
        chosen, drawn = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(chosen, logits)
        return advance(state, actions, jax.random.split(drawn, PGX_TABLES))

    keys = jax.random.split(jax.random.PRNGKey(1), PGX_TABLES)
    state = jax.jit(init)(keys)

    def play(steps: int) -> int:
        nonlocal state
        rounds = max(1, steps // PGX_TABLES)
        for key in jax.random.split(jax.random.PRNGKey(rounds), rounds):
            state = step(state, key)
        jax.block_until_ready(state.observation)
        return rounds * PGX_TABLES

    return play


# Measuring


def contestants(games: list[Game]) -> Iterator[Contestant]:
    for game in games:
        for players in sorted({max(2, game.seats[0]), game.seats[1]}):
            name = f"{game.title}, {players} players"
            yield Contestant(
                f"{name}: batch of {TABLES:,}", "batch", True, bound(our_batch, game, players)
            )
            yield Contestant(f"{name}: one table", "scalar", True, bound(our_scalar, game, players))
            yield Contestant(
                f"{name}: PettingZoo", "scalar", True, bound(our_pettingzoo, game, players)
            )
    for name in ("backgammon", "connect_four"):
        yield Contestant(f"Pgx {name}, batch of {PGX_TABLES:,}", "batch", False, bound(pgx, name))
    for name in ("leduc_poker", "hanabi", "backgammon"):
        yield Contestant(f"OpenSpiel {name}", "scalar", False, bound(open_spiel, name))
    for name in ("connect_four_v3", "leduc_holdem_v4"):
        yield Contestant(f"PettingZoo {name}", "scalar", False, bound(pettingzoo, name))
    for name in ("uno", "gin-rummy"):
        yield Contestant(f"RLCard {name}", "scalar", False, bound(rlcard, name))


def bound(function: Callable[..., Play], *arguments: Any) -> Callable[[], Play]:
    return lambda: function(*arguments)


def speed(play: Play, seconds: float, clock: Callable[[], float]) -> float:
    """Steps a second over at least that time."""
    steps = 1024
    while True:
        started = clock()
        done = play(steps)
        spent = max(clock() - started, 1e-6)
        if spent >= seconds:
            return done / spent
        steps = max(2 * steps, int(1.2 * done * seconds / spent))


def measure(
    games: list[Game], seconds: float, repeats: int, cpu_time: bool, console: Console
) -> dict[str, Any]:
    """Every contestant in turns, `repeats` times; the best of each."""
    clocks = dict.fromkeys(("batch", "scalar"), time.perf_counter)
    if cpu_time:
        clocks = {"batch": shared_time, "scalar": time.process_time}
    plays: dict[Contestant, Play] = {}
    missing = []
    for contestant in contestants(games):
        console.print(f"[dim]preparing {contestant.name}[/dim]")
        try:
            plays[contestant] = contestant.make()
            plays[contestant](1024)  # it may compile
        except Exception as problem:  # a peer that is not there, or broken, is named
            if contestant.ours:
                raise
            missing.append({"name": contestant.name, "why": f"{type(problem).__name__}: {problem}"})
    best = dict.fromkeys(plays, 0.0)
    for repeat in range(repeats):
        for contestant, play in plays.items():
            console.print(f"[dim]{repeat + 1} of {repeats}: {contestant.name}[/dim]")
            best[contestant] = max(best[contestant], speed(play, seconds, clocks[contestant.kind]))
    return {
        "machine": machine(),
        "load": os.getloadavg()[0],
        "clock": "the processor's time" if cpu_time else "the clock's time",
        "versions": {
            name: installed(name) for name in ("open_spiel", "pettingzoo", "rlcard", "pgx")
        },
        "speeds": [
            {"name": c.name, "kind": c.kind, "ours": c.ours, "steps": best[c]} for c in plays
        ],
        "missing": missing,
    }


def shared_time() -> float:
    """The time of the processor, as if all cores had worked together."""
    return time.process_time() / (os.cpu_count() or 1)


def installed(package: str) -> str:
    try:
        return version(package)
    except ImportError:
        return "missing"


def verdicts(figures: dict[str, Any]) -> list[str]:
    """Which goals are met."""
    rows = figures["speeds"]
    ours = {
        kind: [r for r in rows if r["ours"] and r["kind"] == kind] for kind in ("batch", "scalar")
    }
    lines = []
    goal = next((row for row in rows if row["name"] == SCALAR_GOAL), None)
    if goal:
        slow = [row["name"] for row in ours["scalar"] if row["steps"] < goal["steps"]]
        lines.append(f"One table at least as fast as {SCALAR_GOAL}: {told(slow)}")
    slow = [row["name"] for row in ours["batch"] if row["steps"] < BATCH_GOAL]
    lines.append(f"Batches of at least {number(BATCH_GOAL)} steps a second: {told(slow)}")
    for kind in ("batch", "scalar"):
        peers = [row for row in rows if not row["ours"] and row["kind"] == kind]
        slow = [
            f"{row['name']} behind {peer['name']}"
            for row in ours[kind]
            for peer in peers
            if row["steps"] < peer["steps"]
        ]
        lines.append(f"Ahead of every peer, {kind}: {told(slow)}")
    return lines


def told(slow: list[str]) -> str:
    return "not met by " + "; ".join(slow) if slow else "met"


def show(figures: dict[str, Any]) -> Table:
    table = Table("Environment", box=box.SIMPLE)
    table.add_column("steps/s", justify="right")
    for row in figures["speeds"]:
        style = "bold" if row["ours"] else ""
        table.add_row(row["name"], number(row["steps"]), style=style)
    for row in figures["missing"]:
        table.add_row(row["name"], "missing", style="dim")
    return table


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("games", nargs="*", default=bottega.games(), metavar="GAME")
    options.add_argument("--seconds", type=float, default=1.0, help="of one repeat, at least")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--cpu-time", action="store_true", help="of the processor, not the clock")
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = options.parse_args()
    games = [bottega.game(name) for name in asked.games]
    progress = Console(stderr=True, highlight=False)
    figures = measure(games, asked.seconds, asked.repeats, asked.cpu_time, progress)
    if asked.json:
        print(json.dumps(figures, indent=2))
        return
    console = Console(highlight=False)
    console.print(show(figures))
    for line in verdicts(figures):
        console.print(line)
    for row in figures["missing"]:
        console.print(f"[dim]missing: {row['name']} ({row['why']})[/dim]")
    versions = ", ".join(f"{name} {found}" for name, found in figures["versions"].items())
    console.print(
        f"[dim]{describe(figures['machine'])} {versions}. Load {figures['load']:.1f}. "
        f"Measured: {figures['clock']}.[/dim]"
    )


if __name__ == "__main__":
    main()
