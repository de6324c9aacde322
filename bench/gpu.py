"""The games on a CUDA GPU: the same bits as on the CPU, and how fast.

    pip install -e '.[gpu]'
    python bench/gpu.py [GAME ...] [--seconds 0.5] [--hold] [--log FILE]

1. With the same seeds and actions, one table (through Python), a batch on the CPU and a batch on
   the GPU are compared after every step: records, seats, masks, observations, rewards, standings.
   Play-outs on both devices must end alike, game by game.
2. Arrays are lent to PyTorch, CuPy and JAX, where they are installed.
3. Play-outs: moves a second, for some shapes of the launch.
4. `step` + `legal` + `encode` with random actions: steps a second, for some numbers of tables.

Every game has processes of its own, which compile at the same time. Speeds are measured one after
the other when all have compiled; with `--hold` not before a line comes in, so that other work on
the GPU can end first. The exit status is not 0 when anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
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
PACKAGES = ("numpy", "numba", "numba-cuda", "bottega")

TABLES, STEPS, GAMES = 256, 150, 2000  # that are compared
EPISODES = 8  # of the tables, also played through Python
SEED = 7
SHORT, LIMIT = 150, 1000  # decisions of a game, compared and measured
SHAPES = ((64, 16), (128, 16), (256, 8))  # threads of a block, blocks a multiprocessor


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
    """The numbers of players that are tried."""
    return sorted({max(2, game.seats[0]), game.seats[1]})


# The same bits: each process tells digests of what it saw.


def digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(np.asarray(array)).tobytes()).hexdigest()


def new_batch(game: Game, players: int, device: str) -> Batch:
    return make(game, TABLES, players, device=device, seed=SEED, limit=SHORT, invitations=True)


def sight(batch: Batch) -> dict[str, str]:
    """Digests of all that a batch shows, and of what it chooses next."""
    return {
        "records": digest(batch.state),
        "seats": digest(batch.waiting),
        "packed masks": digest(batch.legal(packed=True)),
        "masks": digest(batch.legal()),
        "observations": digest(batch.encode()),
        "rewards": digest(batch.rewards),
        "ends": digest(batch.done),
        "truncations": digest(batch.truncated),
        "standings": digest(batch.standings),
        "random actions": digest(batch.random()),
    }


def trace(batch: Batch) -> list[dict[str, str]]:
    """What a batch shows at each step of random play."""
    sights = []
    for _ in range(STEPS):
        sights.append(sight(batch))
        batch.step(batch._chosen)
    return sights


class Episodes:
    """The first tables of a batch, played through Python beside it."""

    def __init__(self, game: Game, players: int) -> None:
        self.rules = Rules(game, players, limit=SHORT, invitations=True)
        self.tables = [Episode(self.rules, SEED + i) for i in range(EPISODES)]
        self.games = [1] * EPISODES

    def alike(self, batch: Batch) -> bool:
        masks, seen = batch.legal(), batch.encode()
        return all(
            table.table[0].tobytes() == batch.state[i].tobytes()
            and table.seat == batch.waiting[i]
            and (table.mask().astype(bool) == masks[i]).all()
            and table.observe(table.seat).tobytes() == seen[i].tobytes()
            for i, table in enumerate(self.tables)
        )

    def play(self, actions: Any) -> None:
        for i, table in enumerate(self.tables):
            table.play(int(actions[i]))
            if table.over:
                self.tables[i] = Episode(self.rules, SEED + i + TABLES * self.games[i])
                self.games[i] += 1


def trace_beside(batch: Batch, episodes: Episodes) -> tuple[list[dict[str, str]], int, int]:
    """As `trace`, with the tables through Python; how often they were like those of the batch,
    and how many games ended."""
    sights, alike, ended = [], 0, 0
    for _ in range(STEPS):
        sights.append(sight(batch))
        alike += episodes.alike(batch)
        episodes.play(batch._chosen)
        batch.step(batch._chosen)
        ended += int(batch.done.sum())
    return sights, alike, ended


def ends(played: Outcomes) -> list[str]:
    return [digest(array) for array in played.part(0, GAMES)]


def playout_plan(game: Game, players: int, games: int, limit: int = LIMIT) -> Plan:
    return Plan.make(game, players, games, SEED, limit, "default", {})


# What the processes do: each first tells what is compared, then, when asked, how fast it is.


def on_cpu(game: Game, _: float) -> Iterator[Any]:
    """The batch, the tables through Python and the play-outs on the CPU."""
    told = {}
    for players in sizes(game):
        traced = trace_beside(new_batch(game, players, "cpu"), Episodes(game, players))
        played = playouts(game, GAMES, players, seed=SEED, limit=LIMIT)
        told[players] = (*traced, ends(played), played.decisions)
    yield told


def batch_on_gpu(game: Game, seconds: float) -> Iterator[Any]:
    yield {players: trace(new_batch(game, players, "cuda")) for players in sizes(game)}
    for players in sizes(game):
        yield list(step_speeds(game, players, seconds))


def playouts_on_gpu(game: Game, seconds: float) -> Iterator[Any]:
    told = {}
    for players in sizes(game):
        told[players] = ends(cuda_playouts(playout_plan(game, players, GAMES)))
    yield told
    for players in sizes(game):
        yield list(playout_speeds(game, players, seconds))


ROLES = {"cpu": on_cpu, "batch": batch_on_gpu, "playouts": playouts_on_gpu}


def playout_speeds(game: Game, players: int, seconds: float) -> Iterator[str]:
    """Moves a second with all results on the CPU at the end; the best shape of the launch."""
    units = find_cuda().get_current_device().MULTIPROCESSOR_COUNT
    games = 300_000
    _, spent = timed(playout_plan(game, players, games), 16 * units, 128)
    games = int(games * max(1.0, seconds / spent))
    best = 0.0
    for block, each in SHAPES:
        moves, spent = timed(playout_plan(game, players, games), each * units, block)
        best = max(best, moves / spent)
        yield (
            f"    {each:>2} blocks of {block:>3} threads a multiprocessor: "
            f"{moves / spent / 1e6:8.1f} M moves/s ({games:,} games, {spent:.2f} s)"
        )
    goal = GOALS.get(game.name, OTHER_GOAL)
    yield f"  {game.name}, {players} players: {best / 1e6:,.1f} M moves/s; {met(best, goal)}"


def timed(plan: Plan, blocks: int, block: int) -> tuple[int, float]:
    started = time.perf_counter()
    played = cuda_playouts(plan, blocks, block)
    return played.decisions, time.perf_counter() - started


def step_speeds(game: Game, players: int, seconds: float) -> Iterator[str]:
    """Steps a second with mask and observation."""
    best = 0.0
    for tables in (65_536, 131_072):
        batch = make(game, tables, players, device="cuda", limit=LIMIT)
        for _ in range(60):  # away from the first moves, where all tables are alike
            batch.step(batch.random())
        chosen = batch.random()
        parts = {
            "random": (batch.random,),
            "legal": (batch.legal,),
            "encode": (batch.encode,),
            # The same choice again would be illegal, so a step is timed with a new one.
            "step": (batch.random, lambda batch=batch, chosen=chosen: batch.step(chosen)),
        }
        spent = {name: clock(calls, seconds / 4) for name, calls in parts.items()}
        spent["step"] -= spent["random"]
        whole = clock((*parts["step"], batch.legal, batch.encode), seconds)
        best = max(best, tables / (whole - spent["random"]))
        each = ", ".join(f"{name} {seconds * 1e6:.0f} us" for name, seconds in spent.items())
        yield (
            f"    {tables:>7,} tables: {tables / whole / 1e6:6.1f} M steps/s, "
            f"{tables / (whole - spent['random']) / 1e6:6.1f} M but for the random choice ({each})"
        )
        assert not batch.illegal.any()
    yield (
        f"  {game.name}, {players} players: {best / 1e6:,.1f} M steps/s with mask and observation; "
        f"{met(best, STEP_GOAL)}"
    )


def clock(calls: tuple[Any, ...], seconds: float) -> float:
    """Seconds of one round."""
    cuda = find_cuda()
    rounds, spent = 5, 0.0
    while True:
        cuda.synchronize()
        started = time.perf_counter()
        for _ in range(rounds):
            for call in calls:
                call()
        cuda.synchronize()
        spent = time.perf_counter() - started
        if spent >= seconds:
            return spent / rounds
        rounds = max(2 * rounds, int(1.1 * rounds * seconds / spent))


def met(speed: float, goal: float) -> str:
    return f"goal {goal / 1e6:,.0f} M: {'met' if speed >= goal else 'NOT MET'}"


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
    hosts = {
        "torch": lambda taken: taken.cpu().numpy(),
        "cupy": lambda taken: taken.get(),
        "jax.dlpack": np.asarray,
    }
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others need memory, too
    os.environ.setdefault("JAX_ENABLE_X64", "true")  # else JAX halves words of 64 bits
    for library, to_host in hosts.items():
        try:
            module = __import__(library, fromlist=["from_dlpack"])
        except Exception as problem:
            log(f"  {library}: not installed ({problem})")
            continue
        for name, array in arrays.items():
            try:
                values = to_host(module.from_dlpack(array))
                log.check(np.array_equal(values, np.asarray(array)), f"{library}: {name}")
            except Exception as problem:
                log.check(False, f"{library}: {name}: {type(problem).__name__}: {problem}")


# The conductor


class Worker:
    """A process that works on one game."""

    def __init__(self, role: str, game: str, seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        arguments = (role, game, seconds, other)
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        self.process.start()

    def answer(self) -> Any:
        """What it tells next; a text says what went wrong."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return "the process ended"

    def ask(self) -> Any:
        """What it tells when it may go on."""
        try:
            self.pipe.send(None)
        except OSError:
            return "the process ended"
        return self.answer()


def serve(role: str, game: str, seconds: float, pipe: Any) -> None:
    """Tell what the role yields, a part each time it is asked."""
    try:
        for answer in ROLES[role](bottega.game(game), seconds):
            pipe.send(answer)
            pipe.recv()
    except EOFError:
        pass
    except Exception:
        pipe.send(traceback.format_exc())


def compare(game: Game, told: dict[str, Any], log: Log) -> None:
    """What the processes of a game told first."""
    failed = {role: answer for role, answer in told.items() if isinstance(answer, str)}
    for role, answer in failed.items():
        log.check(False, f"{game.name}, {role}: {answer}")
    if failed:
        return
    for players in sizes(game):
        sights, alike, ended, played, moves = told["cpu"][players]
        wrong = {}
        for step, (ours, theirs) in enumerate(zip(sights, told["batch"][players], strict=True)):
            for name in ours:
                if ours[name] != theirs[name]:
                    wrong.setdefault(name, step)
        for name, step in wrong.items():
            log(f"    {name}: first at step {step}")
        table = f"{game.name}, {players} players"
        told_of = f"{TABLES} tables, {STEPS} steps, {ended} games ended"
        log.check(not wrong, f"{table}: batches on CPU and GPU, {told_of}")
        log.check(alike == STEPS, f"{table}: {EPISODES} tables through Python, {STEPS} steps")
        same = played == told["playouts"][players]
        log.check(same, f"{table}: {GAMES} play-outs on CPU and GPU, {moves} moves")


def measure(games: list[Game], workers: dict[tuple[str, str], Worker], log: Log) -> None:
    """Speeds, one after the other."""
    titles = {
        "playouts": "Play-outs: whole games of random legal play",
        "batch": "Batches: step + legal + encode, random legal play",
    }
    for role, title in titles.items():
        log(f"\n{title}")
        for game in games:
            for _ in sizes(game):
                lines = workers[game.name, role].ask()
                if isinstance(lines, str):
                    log.check(False, f"{game.name}, {role}: {lines}")
                    break
                for line in lines:
                    log(line)


def found(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (no version)"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("games", nargs="*", default=bottega.games(), metavar="GAME")
    options.add_argument("--seconds", type=float, default=0.5, help="of a measurement, at least")
    options.add_argument("--hold", action="store_true", help="measure when a line comes in")
    options.add_argument("--log", help="a file for what is printed")
    asked = options.parse_args()
    cuda = find_cuda()
    started = time.perf_counter()
    games = [bottega.game(name) for name in asked.games]
    workers = {
        (game.name, role): Worker(role, game.name, asked.seconds)
        for game in games
        for role in ROLES
    }
    with open(asked.log or os.devnull, "w", encoding="utf-8") as file:
        log = Log(file)
        device = cuda.get_current_device()
        name = device.name.decode() if isinstance(device.name, bytes) else device.name
        log(f"{name}, {device.MULTIPROCESSOR_COUNT} multiprocessors, {platform.system()}, ")
        log(", ".join([f"python {platform.python_version()}", *map(found, PACKAGES)]))
        log("\nArrays lent to others")
        lend(log)
        log("\nThe same bits: one table, a batch on the CPU, a batch on the GPU")
        for game in games:
            compare(game, {role: workers[game.name, role].answer() for role in ROLES}, log)
        log(f"  ({time.perf_counter() - started:.0f} s, compiling included)")
        if asked.hold:
            sys.stdin.readline()
        measure(games, workers, log)
        log(f"\n{'Something differed.' if log.failed else 'Everything was the same.'}")
        sys.exit(log.failed)


if __name__ == "__main__":
    main()
