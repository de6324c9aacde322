"""The arena's games on a Ray cluster: real tasks on real workers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

import ray

from bottega.lab.arena import Bout, Contest, play

AHEAD = 4  # games on their way for each core of the cluster


class Cluster:
    """Plays games on a Ray cluster. The games of a worker that is lost are played again."""

    def __init__(self, address: str) -> None:
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        self._play = ray.remote(max_retries=-1)(play)

    def play(self, contest: Contest, bouts: Iterable[Bout]) -> Iterator[dict[str, Any]]:
        ahead = iter(bouts)
        shared = ray.put(contest)
        pending: list[Any] = []
        while True:
            cores = ray.cluster_resources().get("CPU", 1)  # type: ignore[no-untyped-call]
            room = AHEAD * max(1, int(cores)) - len(pending)
            for _, bout in zip(range(room), ahead, strict=False):
                pending.append(self._play.remote(shared, bout))
            if not pending:
                return
            done, pending = ray.wait(pending, num_returns=1)
            yield from ray.get(done)
