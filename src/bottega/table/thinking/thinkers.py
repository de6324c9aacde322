"""Who thinks: this process about bots' decisions, hints and analyses, as far as it has the room.

With SQLite there is this one process, and it thinks about everything. Where several processes share
a database, what is to be thought about are jobs that any of them takes; one that dies loses none.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import asdict
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bottega.bots import Bot, waking
from bottega.bots.search import SearchBot
from bottega.engine.match import Match
from bottega.table import metrics
from bottega.table.database.jobs import DECISION, HINT, NO_SEAT, STUDY, Job
from bottega.table.database.rows import BOT, PERSON
from bottega.table.database.signals import MISSED, THOUGHT, WORK, Signal
from bottega.table.faults import Fault, NotNow
from bottega.table.playing import levels
from bottega.table.playing.findings import Findings, Study
from bottega.table.playing.table import Table
from bottega.table.playing.tables import Tables
from bottega.table.thinking.analysis import study
from bottega.table.thinking.bots import Player, choose
from bottega.table.thinking.cluster import Cluster
from bottega.table.thinking.hints import hints
from bottega.table.threads import CORES, Turns, behind

log = logging.getLogger(__name__)

# How far thinking stands behind answering, as `nice` counts: somebody waits for a hint.
ADVISING, DECIDING, STUDYING = 5, 10, 15
FULL = 0.75  # seconds in which everybody has had a turn, where bots search for many at once
HANDS = 8  # decisions of one host's bots at a time, each with its pause
ASKED = 8  # hints for one host's tables at a time
QUEUE = 20  # games that wait to be studied; more are studied when looked at again
OWN = 4  # ... of one host
ROOM = 32 * CORES  # jobs in hand at most, where others could take them: most of them are pauses
BEAT = 5.0  # seconds between two signs that this process is still at its jobs
PATIENCE = 30.0  # seconds that a hint is waited for
SPREAD = 0.1  # seconds, at most, by which processes differ that hear of work at the same moment

T = TypeVar("T")


class Thinkers:
    """Starts thinking wherever something is to be thought about."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.jobs = tables.store.jobs
        self.thinks = tables.settings.think
        ray = tables.settings.ray
        self.cluster = Cluster(ray) if ray and self.thinks else None
        self.cores = self.cluster.cores if self.cluster else CORES
        self.turns = Turns(self.cores)
        self._hands = Turns(math.inf, HANDS)
        self._pool = behind("thinker", self.cores, DECIDING)
        self._advisers = behind("adviser", CORES, ADVISING)
        self._analysts = behind("analyst", 1, STUDYING)
        self._advising = Turns(CORES)
        self._studying = Turns(1)
        self._advice: dict[tuple[Match, int], asyncio.Task[list[dict[str, Any]]]] = {}
        self._studies: Counter[str] = Counter()  # games under way, by host
        self._stop = threading.Event()  # ends analyses
        self._tasks: set[asyncio.Task[Any]] = set()
        self._left = False  # whether there was no room for something
        self._heard = asyncio.Event()  # something was thought of elsewhere

    def open(self) -> None:
        self.tables.watchers.append(self.wake)
        self.tables.hearers.append(self._hear)
        if self.jobs.shared and self.thinks:
            self._begin(self._keep_at_it())
        if self.tables.settings.metrics != "off":
            self._begin(self._keep_counting())

    async def close(self) -> None:
        """End all thinking; what is not done is left to others, or begun anew another time."""
        self._stop.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.jobs.shared:
            with suppress(SQLAlchemyError, OSError):
                await self.jobs.let_go()
        for pool in (self._pool, self._advisers, self._analysts):
            pool.shutdown(wait=False, cancel_futures=True)
        if self.cluster is not None:
            await asyncio.to_thread(self.cluster.close)

    def _begin(self, doing: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def has_room(self) -> bool:
        return self.thinks and (not self.jobs.shared or len(self._tasks) < ROOM)

    async def _keep_counting(self) -> None:
        """Have those who watch over the server know how much waits."""
        while True:
            with suppress(SQLAlchemyError, OSError):
                for kind, number in (await self._waiting()).items():
                    metrics.thinking_queue.labels(kind).set(number)
            await asyncio.sleep(BEAT)

    async def _waiting(self) -> dict[str, int]:
        """What nobody thinks about yet: here, and among the jobs that nobody has taken."""
        free = await self.jobs.waiting() if self.jobs.shared else {}
        queues = {DECISION: self.turns, HINT: self._advising, STUDY: self._studying}
        here = {kind: turns.waiting for kind, turns in queues.items()}
        return {kind: number + free.get(kind, 0) for kind, number in here.items()}

    # Bots

    def wake(self, table: Table) -> None:
        """Let every bot think that may decide something and does not think yet."""
        for seat in table.due or ():
            if seat in table.thinkers or not table.awake:
                continue
            if self.has_room:
                table.thinkers[seat] = self._begin(self._sit(table, seat))
            else:
                self._left = True

    async def _sit(self, table: Table, seat: int, job: Job | None = None) -> None:
        """A bot decides, unless another process has it decide."""
        try:
            if self.jobs.shared:
                job = job or await self.jobs.take(table.id, DECISION, seat)
                if job is None:
                    return
            with self.jobs.at(job) if job else nullcontext():
                await self._decide(table, seat, job)
        except Fault as fault:
            log.warning("a bot stopped: %s", fault)
        except (SQLAlchemyError, OSError) as problem:
            log.warning("a bot stopped: %s", type(problem).__name__)
        except Exception:
            log.exception("a bot gave up")
        finally:
            table.thinkers.pop(seat, None)
            if self._left:  # now there is room, for whoever has least of it
                self._left = False
                self._begin(self._look_for_work(0))

    async def _decide(self, table: Table, seat: int, job: Job | None) -> None:
        """Until there is nothing to decide, or nobody looks any more."""
        player = Player(self.tables, table, seat, self._choose, self._hold)
        if self.cluster is not None:
            player.bot = self.cluster.bot(player.bot)
        while True:
            version = await self._while_looked_at(table, player)
            if job is None:
                return
            if version is None:
                await self.jobs.let_go(job)
                return
            if await self.jobs.drop(job, version):
                return
            await self.tables.find(table.id, look=False)

    async def _while_looked_at(self, table: Table, player: Player) -> int | None:
        """The version of the table at which there is nothing to decide; None if nobody looks."""
        deciding = asyncio.ensure_future(player.decide_all())
        try:
            while True:
                done, _ = await asyncio.wait([deciding], timeout=table.patience / 4)
                if done:
                    return deciding.result()
                if not await self._looked_at(table):
                    return None
        finally:
            deciding.cancel()
            with suppress(asyncio.CancelledError):
                await deciding

    async def _looked_at(self, table: Table) -> bool:
        """Whether somebody looks at a table, here or through another process."""
        if table.awake:
            return True
        return self.jobs.shared and await self.tables.store.looked_at(table.id)

    def _hold(self, table: Table) -> AbstractAsyncContextManager[None]:
        return self._hands.of(table.owner)

    async def _choose(self, bot: Bot, table: Table, match: Match, seat: int) -> int:
        """What a bot would do. Alone it searches on all cores. Among others it searches on one, and
        the more they are the shorter, so that nobody waits for long."""
        level = table.seats[seat].bot or levels.DEFAULT
        if not waking.searches(bot, match) or not waking.awake(bot, match):
            return await think(None, DECISION, level, choose, bot, match, seat)
        assert isinstance(bot, SearchBot)
        alone = not self.turns.owners
        try:
            async with self.turns.of(table.owner):
                if not alone:
                    bot.threads = 1
                if bot.seconds:
                    bot.seconds = min(bot.seconds, FULL * self.cores / self.turns.owners)
                return await think(self._pool, DECISION, level, choose, bot, match, seat)
        except asyncio.CancelledError:
            bot.stop()
            raise

    # Hints

    async def advise(self, table: Table, seat: int) -> list[dict[str, Any]]:
        """A hint for a seat."""
        if self.thinks:
            return await self._advise(table, seat)
        await self.jobs.want(HINT, table.entry, seat)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = await self.jobs.answered(table.id, HINT, seat)
            if found is not None:
                return list(found["hints"])
            with suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), 1.0)
        raise NotNow("Nobody has the time for a hint just now. Try again in a moment.")

    async def _advise(self, table: Table, seat: int) -> list[dict[str, Any]]:
        """A hint; whoever asks once more meanwhile gets the same one."""
        about = table.match, seat
        if about not in self._advice:
            self._advice[about] = self._begin(self._weigh(table.owner, *about))
            self._advice[about].add_done_callback(lambda _: self._advice.pop(about))
        return await asyncio.shield(self._advice[about])

    async def _weigh(self, owner: str, match: Match, seat: int) -> list[dict[str, Any]]:
        if self._advising.wanted(owner) >= ASKED:
            raise NotNow("Other hints are still being thought about. Try again in a moment.")
        async with self._advising.of(owner):
            return await think(self._advisers, HINT, "", hints, match, seat)

    async def _hint(self, job: Job) -> None:
        table = await self.tables.find(job.table, look=False)
        await self.jobs.answer(job, {"hints": await self._advise(table, job.seat)})

    # Analyses

    def study(self, table: Table) -> None:
        """Have a game studied that is over, unless that was begun already."""
        wanted = self.tables.settings.study and table.public and table.match.moves
        full = self._studies.total() >= QUEUE or self._studies[table.owner] >= OWN
        if not wanted or table.study is not None or full:
            return
        table.study = Study()
        self._studies[table.owner] += 1
        self._begin(self._study(table, table.study))
        table.changed(board=False)

    async def _study(self, table: Table, begun: Study) -> None:
        try:
            if not await self._known(table, begun):
                if not self.jobs.shared:
                    await self._look_through(table, begun, None)
                    return
                await self.jobs.want(STUDY, table.entry)
                job = await self.jobs.take(table.id, STUDY) if self.has_room else None
                if job is not None:
                    with self.jobs.at(job):
                        await self._look_through(table, begun, job)
        except Exception:
            log.exception("an analysis failed")
            begun.findings = Findings([], [])
            table.changed(board=False)
        finally:
            self._studies -= Counter([table.owner])

    async def _known(self, table: Table, begun: Study) -> bool:
        """Whether a game was studied before; what was found then is shown."""
        kept = await self.tables.store.analysis_of(table.id)
        if kept is not None:
            begun.findings, begun.percent = Findings.kept(kept), 100
            table.changed(board=False)
        return kept is not None

    async def _look_through(self, table: Table, begun: Study, job: Job | None) -> None:
        loop = asyncio.get_running_loop()

        def tell(percent: int) -> None:
            if percent // 10 != begun.percent // 10:  # pages need not follow every step
                loop.call_soon_threadsafe(self._tell, table, begun, percent, job)

        people = [at for at, seat in enumerate(table.seats) if seat.kind == PERSON]
        seconds = self.tables.settings.study
        judging = self.cluster and self.cluster.judge_each
        about = (table.match, people, seconds, self._stop, tell, judging)
        async with self._studying.of(table.owner):
            found = await think(self._analysts, STUDY, "", study, *about)
        if found is None:
            return
        await self.tables.stored(self.tables.store.keep_analysis(table.id, asdict(found)))
        await self._known(table, begun)
        if job is not None:
            await self.jobs.end(job)

    def _tell(self, table: Table, begun: Study, percent: int, job: Job | None) -> None:
        begun.percent = percent
        table.changed(board=False)
        if job is not None:
            self._begin(self.jobs.tell(job, percent))

    async def _study_job(self, job: Job) -> None:
        """A game that somebody looks at through another process."""
        table = await self.tables.find(job.table, look=False)
        table.study = table.study or Study()
        await self._look_through(table, table.study, job)

    async def _follow_study(self, table: Table, begun: Study) -> None:
        """How far another process has come with a game that is looked at here."""
        if not await self._known(table, begun):
            begun.percent = await self.jobs.percent_of(table.id) or begun.percent
            table.changed(board=False)

    # What other processes leave to do

    def _hear(self, signal: Signal) -> None:
        if signal.kind in (WORK, MISSED) and self.has_room:
            self._begin(self._look_for_work(random.uniform(0, SPREAD)))
        if signal.kind == THOUGHT:
            self._heard.set()
            self._heard = asyncio.Event()
            table = self.tables.known.get(signal.table)
            if table is not None and table.study is not None and table.study.findings is None:
                self._begin(self._follow_study(table, table.study))

    async def _keep_at_it(self) -> None:
        """Say again and again that this process is at its jobs, and look for others that nobody is
        at any more."""
        while True:
            try:
                await self.jobs.hold()
                await self._look_for_work(0)
            except (SQLAlchemyError, OSError) as problem:
                log.warning("no jobs can be taken just now: %s", type(problem).__name__)
            await asyncio.sleep(BEAT)

    async def _look_for_work(self, after: float) -> None:
        """Take what nobody has taken, as far as there is room."""
        await asyncio.sleep(after)
        while self.has_room and (job := await self.jobs.take_any()):
            self._begin(self._take_on(job))

    async def _take_on(self, job: Job) -> None:
        """Do what another process left."""
        doing = {DECISION: self._sit_down, HINT: self._hint, STUDY: self._study_job}
        try:
            with self.jobs.at(job):
                await doing[job.kind](job)
        except Fault as fault:  # the table is broken, or gone: nobody else could do it either
            log.warning("a job was given up: %s", fault)
            await self.jobs.end(job)
        except (SQLAlchemyError, OSError) as problem:
            log.warning("a job was given up: %s", type(problem).__name__)

    async def _sit_down(self, job: Job) -> None:
        table = await self.tables.find(job.table, look=False)
        if job.seat in table.thinkers:
            return  # it was just taken by who hears of the table, in this process, too
        if job.seat == NO_SEAT or table.seats[job.seat].kind != BOT:
            await self.jobs.end(job)
            return
        task = asyncio.current_task()
        assert task is not None
        table.thinkers[job.seat] = task
        await self._sit(table, job.seat, job)


async def think(
    pool: ThreadPoolExecutor | None, kind: str, level: str, thought: Callable[..., T], *about: Any
) -> T:
    """What comes of a thought in a thread; how long it took is measured there."""

    def timed() -> T:
        with metrics.thinking_seconds.labels(kind, level).time():
            return thought(*about)

    return await asyncio.get_running_loop().run_in_executor(pool, timed)
