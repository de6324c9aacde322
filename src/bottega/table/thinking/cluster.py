"""Long thoughts on a Ray cluster: what the strongest bots search, and the decisions of ended games.

What is sent holds what one seat knows, and comes to the same there as here. A thought whose worker
is lost is thought again. Ray ends a process that has lost its cluster: another process stands
between, and while there is no way to the cluster, everything is thought about here.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.managers import BaseManager
from typing import Any, TypeVar

import numpy as np

import bottega
from bottega.bots import Bot
from bottega.bots.search import SearchBot
from bottega.engine.match import Match, Past
from bottega.engine.option import Value
from bottega.table.faults import CannotServe
from bottega.table.thinking.analysis import Verdict, judge
from bottega.table.threads import CORES

log = logging.getLogger(__name__)

PATIENCE = 10.0  # seconds for a thought there, after which it is thought here
BEGINNING = 60.0  # seconds for the first one, for which workers have to start
KNOCK = 5.0  # seconds for it to answer at all
MOST = 512  # thoughts there at a time
AGAIN = 30.0  # seconds until a cluster that was lost is looked for again

T = TypeVar("T")


# What is sent


@dataclass(frozen=True)
class Known:
    """A table as a seat knows it, for thoughts of that seat: they come to the same as at the true
    one, to which nothing leads back."""

    game: str
    rules: int
    kit: str
    kit_hash: str
    options: dict[str, Value]
    limit: int
    names: tuple[str, ...]
    seat: int
    table: bytes  # a concealed record
    decided: int  # how often it has: the luck of a search follows from it

    @classmethod
    def of(cls, match: Match, seat: int) -> Known:
        return cls(
            match.game.name,
            match.game.rules_version,
            match.kit.name,
            match.kit.hash,
            match.options,
            match.limit,
            match.names,
            seat,
            match.concealed(seat, 0).tobytes(),
            sum(move.seat == seat for move in match.moves),
        )

    def match(self) -> Match:
        """The match of another process."""
        game = bottega.game(self.game)
        if (game.rules_version, game.kit(self.kit).hash) != (self.rules, self.kit_hash):
            raise CannotServe("The cluster has another Bottega.")
        table = np.frombuffer(self.table, game.table).copy()
        moves = [(self.seat, game.keys[0])] * self.decided  # what they were is not told
        past = Past(table, moves, [table] * len(moves), [self.rules] * (len(moves) + 1))
        return game.new(
            len(self.names),
            0,
            kit=self.kit,
            limit=self.limit,
            names=self.names,
            past=past,
            **self.options,
        )


# What is thought there


class FarBot(SearchBot):
    """A search that thinks wherever `send` has it think, and keeps its plans here."""

    def __init__(self, like: SearchBot, send: Callable[..., list[int]]) -> None:
        super().__init__(**means(like))
        self._send = send

    def _best_chain(self, match: Match, seat: int) -> list[int]:
        return self._send(best_chain, Known.of(match, seat), means(self))


def means(bot: SearchBot) -> dict[str, Any]:
    """By what a search decides."""
    names = ("seed", "level", "iterations", "seconds", "threads", "knobs", "net")
    return {name: getattr(bot, name) for name in names}


def best_chain(known: Known, how: dict[str, Any]) -> list[int]:
    return SearchBot(**how)._best_chain(known.match(), known.seat)


def judge_known(known: Known, number: int, action: int) -> Verdict:
    return judge(known.match(), known.seat, number, action)


def version() -> str:
    return bottega.__version__


# The way there


class Driver:
    """The cluster, as the process sees it that talks to it."""

    def __init__(self) -> None:
        self._asking = ThreadPoolExecutor(MOST)

    def connect(self, address: str) -> int:
        """How many cores there are, if they can think as we do."""
        _end_with_parent()
        try:
            import ray

            atexit.register(os._exit, 0)  # Ray itself would wait for a cluster that is lost
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            there = self.think(BEGINNING, version)
        except (Exception, SystemExit) as problem:
            reason = str(problem).strip().splitlines() or [type(problem).__name__]
            raise CannotServe(reason[0]) from None
        if there != version():
            raise CannotServe(f"it has Bottega {there}, and here is {version()}")
        return int(ray.cluster_resources().get("CPU", 1))  # type: ignore[no-untyped-call]

    def think(self, patience: float, thought: Callable[..., Any], *about: Any) -> Any:
        """What comes of a thought, within so many seconds: Ray's own calls may wait for longer."""
        return self._asking.submit(self._ask, thought, *about).result(patience)

    def _ask(self, thought: Callable[..., Any], *about: Any) -> Any:
        import ray

        return ray.get(_remote(thought).remote(*about))


@cache
def _remote(thought: Callable[..., Any]) -> Any:
    """If a worker is lost, another one has the same thought."""
    import ray

    return ray.remote(max_retries=-1)(thought)


def _end_with_parent() -> None:
    """However this process's parent ends: it may be killed."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


class Door(BaseManager):
    """The process that talks to the cluster."""


Door.register("Driver", Driver)


def knock(address: str) -> None:
    """Ray itself would try for minutes to reach a machine that does not answer."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), KNOCK).close()


class Way:
    """A way to a cluster; or a sentence about why there is none."""

    def __init__(self, address: str) -> None:
        self._door = Door(ctx=multiprocessing.get_context("spawn"))
        self._driver: Any = None
        try:
            knock(address)
            self._door.start()
            self._driver = self._door.Driver()  # type: ignore[attr-defined]
            self.cores: int = self._driver.connect(address)
            return
        except CannotServe as problem:
            reason = str(problem).rstrip(".")
        except (EOFError, OSError):
            reason = "it does not answer"
        self.close()
        raise CannotServe(f"The Ray cluster {address} cannot be used: {reason}.")

    def think(self, thought: Callable[..., Any], *about: Any) -> Any:
        return self._driver.think(PATIENCE, thought, *about)

    def close(self) -> None:
        with suppress(Exception):  # it may never have begun, or has ended by itself
            self._door.shutdown()


def check_cluster(address: str) -> None:
    """Refuse a cluster that cannot be used."""
    if address:
        Way(address).close()


class Cluster:
    """Has thoughts thought on a cluster, or here while there is none."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cores = CORES
        self._way: Way | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        try:
            self._way = Way(address)
            self.cores = self._way.cores
        except CannotServe as problem:
            self._lose(None, problem)

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            if self._way is not None:
                self._way.close()

    def bot(self, bot: Bot) -> Bot:
        """The same bot, thinking there if it is one of those that think by the clock."""
        return FarBot(bot, self.think) if isinstance(bot, SearchBot) and bot.seconds else bot

    def judge_each(self, match: Match, decisions: Sequence[int]) -> Generator[Verdict, None, None]:
        """Many decisions of an ended game at a time."""
        pool = ThreadPoolExecutor(self.cores)
        try:
            yield from pool.map(partial(self._judge, match), decisions)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _judge(self, match: Match, number: int) -> Verdict:
        move = match.moves[number]
        known = Known.of(match.at(number), move.seat)
        return self.think(judge_known, known, number, move.action)

    def think(self, thought: Callable[..., T], *about: Any) -> T:
        way = self._way
        if way is not None:
            try:
                found: T = way.think(thought, *about)
                return found
            except Exception as problem:
                self._lose(way, problem)
        return thought(*about)

    def _lose(self, way: Way | None, problem: Exception) -> None:
        """There is no way to the cluster, says the first who notices; it is looked for again."""
        with self._lock:
            if self._closed.is_set() or way is not self._way:
                return
            self._way = None
        log.warning("what was for the Ray cluster is thought here: %s", type(problem).__name__)
        threading.Thread(target=self._look_for_it, args=[way], daemon=True).start()

    def _look_for_it(self, lost: Way | None) -> None:
        if lost is not None:
            lost.close()
        while not self._closed.wait(AGAIN):
            with suppress(CannotServe):
                found = Way(self.address)
                with self._lock:
                    self._way = found
                log.warning("the Ray cluster is there again")
                return
