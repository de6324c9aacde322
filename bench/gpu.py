"""The games on a CUDA GPU: the same bits as on the CPU, and how fast.

    pip install -e '.[gpu]'
    python bench/gpu.py [GAME ...] [--quick] [--log FILE]

1. With the same seeds and actions, one table (through Python), a batch on the CPU and a batch on
   the GPU are compared after every step: records, seats, masks, observations, rewards, standings.
   Play-outs on both devices must end alike, game by game.
2. Play-outs: moves a second, for some shapes of the launch.
3. `step` + `legal` + `encode` with random actions: steps a second, for some numbers of tables.
4. Arrays are lent to PyTorch, CuPy and JAX, where they are installed.

The exit status is not 0 when anything differs.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TextIO

import numpy as np

import bottega
from bottega.engine.game import Game
from bottega.engine.runs import Outcomes, Plan
from bottega.envs.batch import Batch, make, playouts
from bottega.envs.cuda import cuda_playouts, find_cuda
from bottega.envs.episode import Episode, Rules

GOALS = {"splendor": 1e9}  # moves a second of play-outs
OTHER_GOAL = 3e8
STEP_GOAL = 5e7  # steps a second with mask and observation
LIMIT = 10_000


class Log:
    """What is printed, and kept in a file if one is asked for."""

    def __init__(self, file: TextIO | None) -> None:
        self.file = file
        self.failed = False

    def __call__(self, text: str) -> None:
        for out in (sys.stdout, self.file):
            if out:
                print(text, file=out, flush=True)

    def check(self, good: bool, what: str) -> None:
        self.failed |= not good
        self(f"  {'same' if good else 'DIFFERENT'}: {what}")


def sizes(game: Game) -> list[int]:
    return sorted(set(game.seats))


# The same bits


def compare(game: Game, players: int, steps: int, log: Log) -> None:
    """One table, a batch on the CPU and a batch on the GPU, step by step."""
    tables, limit = 256, 150
    settings: dict[str, Any] = {"seed": 7, "limit": limit, "invitations": True}
    cpu = make(game, tables, players, **settings)
    gpu = make(game, tables, players, device="cuda", **settings)
    rules = Rules(game, players, limit=limit, invitations=True)
    episodes = [Episode(rules, 7 + i) for i in range(8)]
    games = [1] * len(episodes)
    wrong: dict[str, int] = {}
    ended = 0
    for step in range(steps):
        for name, (ours, theirs) in sights(cpu, gpu).items():
            if np.asarray(ours).tobytes() != np.ascontiguousarray(np.asarray(theirs)).tobytes():
                wrong.setdefault(f"CPU and GPU, {name}", step)
        for i, episode in enumerate(episodes):
            if not alike(episode, cpu, i):
                wrong.setdefault("one table and CPU", step)
        actions = cpu.random()
        if np.asarray(gpu.random()).tobytes() != actions.tobytes():
            wrong.setdefault("CPU and GPU, random actions", step)
        for i, episode in enumerate(episodes):
            episode.play(int(actions[i]))
            if episode.over:
                seed = 7 + i + tables * games[i]
                episodes[i], games[i] = Episode(rules, seed), games[i] + 1
        cpu.step(actions)
        gpu.step(actions)
        ended += int(cpu.done.sum())
    for name, step in wrong.items():
        log(f"    {name}: first at step {step}")
    told = f"{game.name}, {players} players: {tables} tables, {steps} steps, {ended} games ended"
    log.check(not wrong, told)


def sights(cpu: Batch, gpu: Batch) -> dict[str, tuple[Any, Any]]:
    """What both batches show."""
    return {
        "records": (cpu.state, gpu.state),
        "seats": (cpu.waiting, gpu.waiting),
        "packed masks": (cpu.legal(packed=True), gpu.legal(packed=True)),
        "masks": (np.ascontiguousarray(cpu.legal()), gpu.legal()),
        "observations": (cpu.encode(), gpu.encode()),
        "rewards": (cpu.rewards, gpu.rewards),
        "ends": (cpu.done, gpu.done),
        "truncations": (cpu.truncated, gpu.truncated),
        "standings": (cpu.standings, gpu.standings),
    }


def alike(episode: Episode, batch: Batch, i: int) -> bool:
    """Whether a table through Python is that of a batch."""
    return bool(
        episode.table[0].tobytes() == batch.state[i].tobytes()
        and episode.seat == batch.waiting[i]
        and (episode.mask().astype(bool) == batch.legal()[i]).all()
        and episode.observe(episode.seat).tobytes() == batch.encode()[i].tobytes()
    )


def compare_playouts(game: Game, players: int, games: int, log: Log) -> None:
    plan = Plan.make(game, players, games, 3, 1000, "default", {})
    gpu = cuda_playouts(plan)
    cpu = playouts(game, games, players, seed=3, limit=1000)
    good = all(
        (ours == theirs).all()
        for ours, theirs in zip(cpu.part(0, games), gpu.part(0, games), strict=True)
    )
    log.check(good, f"{game.name}, {players} players: {games} play-outs, {cpu.decisions} moves")


# Speed


def measure_playouts(game: Game, players: int, quick: bool, log: Log) -> float:
    """Moves a second with all results on the CPU at the end; the best shape of the launch."""
    cuda = find_cuda()
    units = cuda.get_current_device().MULTIPROCESSOR_COUNT
    games = 200_000
    played, spent = timed(game, players, games, None, 128)
    games = int(games * max(1.0, (0.5 if quick else 2.0) / spent))
    best = 0.0
    for block in (64, 128, 256):
        for each in (8, 16, 32) if block < 256 else (4, 8):
            played, spent = timed(game, players, games, each * units, block)
            speed = played.decisions / spent
            best = max(best, speed)
            log(
                f"    {each:>2} blocks of {block:>3} threads a multiprocessor: "
                f"{speed / 1e6:8.1f} M moves/s ({games:,} games, {spent:.2f} s)"
            )
    goal = GOALS.get(game.name, OTHER_GOAL)
    met = "met" if best >= goal else "NOT MET"
    told = f"{best / 1e6:.1f} M moves/s; goal {goal / 1e6:.0f} M: {met}"
    log(f"  {game.name}, {players} players: {told}")
    return best


def timed(
    game: Game, players: int, games: int, blocks: int | None, block: int
) -> tuple[Outcomes, float]:
    plan = Plan.make(game, players, games, 1, LIMIT, "default", {})
    cuda_playouts(Plan.make(game, players, 1, 1, 10, "default", {}), blocks, block)  # compiles
    started = time.perf_counter()
    played = cuda_playouts(plan, blocks, block)
    return played, time.perf_counter() - started


def measure_steps(game: Game, players: int, quick: bool, log: Log) -> None:
    """Steps a second with mask and observation."""
    cuda = find_cuda()
    best = 0.0
    for tables in (65_536, 262_144):
        batch = make(game, tables, players, device="cuda", limit=LIMIT)
        for _ in range(60):  # away from the first moves, where all tables are alike
            batch.step(batch.random())
        parts = {
            "random": batch.random,
            "legal": batch.legal,
            "encode": batch.encode,
            "step": lambda batch=batch: batch.step(batch._chosen),
        }
        rounds = 50 if quick else 300
        spent = {}
        for name, run in parts.items():
            run()
            # Stepping without a new choice would be illegal, so it is timed with one.
            both = (batch.random, run) if name == "step" else (run,)
            spent[name] = clock(cuda, both, rounds)
        spent["step"] -= spent["random"]
        whole = clock(cuda, (batch.random, batch.legal, batch.encode, parts["step"]), rounds)
        best = max(best, tables / (whole - spent["random"]))
        each = ", ".join(f"{name} {seconds * 1e6:.0f} us" for name, seconds in spent.items())
        log(
            f"    {tables:>7,} tables: {tables / whole / 1e6:6.1f} M steps/s, "
            f"{tables / (whole - spent['random']) / 1e6:6.1f} M but for the random choice ({each})"
        )
        assert not batch.illegal.any()
    met = "met" if best >= STEP_GOAL else "NOT MET"
    log(
        f"  {game.name}, {players} players: {best / 1e6:.1f} M steps/s with mask and observation; "
        f"goal {STEP_GOAL / 1e6:.0f} M: {met}"
    )


def clock(cuda: Any, calls: tuple[Any, ...], rounds: int) -> float:
    """Seconds of one round."""
    cuda.synchronize()
    started = time.perf_counter()
    for _ in range(rounds):
        for call in calls:
            call()
    cuda.synchronize()
    return (time.perf_counter() - started) / rounds


# Lending


def lend(log: Log) -> None:
    """Other libraries take the arrays as they are."""
    batch = make(bottega.game("splendor"), 64, 2, device="cuda")
    arrays = {
        "observations": batch.encode(),
        "masks": batch.legal(),
        "packed masks": batch.legal(packed=True),
        "seats": batch.waiting,
        "rewards": batch.rewards,
    }
    for library, take in (
        ("torch", "from_dlpack"),
        ("cupy", "from_dlpack"),
        ("jax.dlpack", "from_dlpack"),
    ):
        try:
            module = __import__(library, fromlist=[take])
        except ImportError:
            log(f"  {library}: not installed")
            continue
        for name, array in arrays.items():
            try:
                taken = getattr(module, take)(array)
                values = (
                    taken.cpu().numpy()
                    if library == "torch"
                    else np.asarray(taken.get() if library == "cupy" else taken)
                )
                log.check(np.array_equal(values, np.asarray(array)), f"{library}: {name}")
            except Exception as problem:
                log.check(False, f"{library}: {name}: {type(problem).__name__}: {problem}")


def found(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (no version)"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("games", nargs="*", default=bottega.games(), metavar="GAME")
    options.add_argument("--quick", action="store_true", help="shorter measurements")
    options.add_argument("--skip", default="", help="of: same, playouts, steps, lend")
    options.add_argument("--log", help="a file for what is printed")
    asked = options.parse_args()
    cuda = find_cuda()
    with open(asked.log or os.devnull, "w", encoding="utf-8") as file:
        log = Log(file)
        device = cuda.get_current_device()
        name = device.name.decode() if isinstance(device.name, bytes) else device.name
        log(f"{name}, {device.MULTIPROCESSOR_COUNT} multiprocessors, {platform.system()}, ")
        log(", ".join([f"python {platform.python_version()}", *map(found, PACKAGES)]))
        games = [bottega.game(game) for game in asked.games]
        cases = [(game, players) for game in games for players in sizes(game)]
        if "same" not in asked.skip:
            log("\nThe same bits: one table, a batch on the CPU, a batch on the GPU")
            for game, players in cases:
                started = time.perf_counter()
                compare(game, players, 60 if asked.quick else 400, log)
                compare_playouts(game, players, 500 if asked.quick else 5000, log)
                log(f"    ({time.perf_counter() - started:.0f} s, compiling included)")
        if "lend" not in asked.skip:
            log("\nArrays lent to others")
            lend(log)
        if "playouts" not in asked.skip:
            log("\nPlay-outs: whole games of random legal play")
            for game, players in cases:
                measure_playouts(game, players, asked.quick, log)
        if "steps" not in asked.skip:
            log("\nBatches: step + legal + encode, random legal play")
            for game, players in cases:
                measure_steps(game, players, asked.quick, log)
        sys.exit(log.failed)


PACKAGES = ("numpy", "numba", "numba-cuda", "bottega")


if __name__ == "__main__":
    main()
