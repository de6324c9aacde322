"""Long thoughts on a Ray cluster: the same as here, and here when there is none."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import bottega
from bottega.bots.search import SearchBot
from bottega.engine.game import Game
from bottega.engine.match import Match
from bottega.table import settings
from bottega.table.faults import CannotServe
from bottega.table.thinking import cluster as clusters
from bottega.table.thinking.analysis import study
from bottega.table.thinking.cluster import Cluster, Known, best_chain, check_cluster, means
from tests.games.properties import random_play, twin
from tests.table.test_live import wait_for

GAMES = [bottega.game(name) for name in bottega.games()]


def at_a_choice(game: Game, seed: int = 3, moves: int = 14) -> tuple[Match, int]:
    """A match, and a seat with something to choose."""
    match = game.new(2, seed=seed)
    for _ in zip(random_play(match, seed), range(moves), strict=False):
        pass
    for _ in random_play(match, seed):
        seat = match.waiting[0]
        if len(match.legal_numbers(seat)) > 1:
            break
    return match, match.waiting[0]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_sent_is_what_the_seat_knows_and_comes_to_the_same(game: Game) -> None:
    match, seat = at_a_choice(game)
    how = means(SearchBot(seed=5, iterations=40))
    assert best_chain(Known.of(match, seat), how) == SearchBot(**how)._best_chain(match, seat)
    worlds = [twin(match, seat, world) for world in (1, 2)]
    assert Known.of(worlds[0], seat) == Known.of(worlds[1], seat)


def test_another_kit_or_rules_are_refused_there() -> None:
    match, seat = at_a_choice(GAMES[0])
    known = Known.of(match, seat)
    other = replace(known, kit_hash="other")
    with pytest.raises(CannotServe, match="another Bottega"):
        other.match()


def test_the_strongest_bots_and_analyses_think_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The same as here, also when a worker is lost; and here, once the cluster is."""
    pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster as Nodes

    head = {"num_cpus": 1, "include_dashboard": False}
    nodes = Nodes(initialize_head=True, head_node_args=head)
    try:
        cluster = Cluster(nodes.address)
        there = cluster.think(process)
        assert there not in (os.getpid(), cluster.think(killed_once, tmp_path / "killed"))
        match, seat = at_a_choice(GAMES[0], moves=3)
        bot = SearchBot(seed=5, iterations=40, seconds=60)
        far = cluster.bot(bot)
        told: list[int] = []
        assert far.choose(match, seat) == bot.choose(match, seat)
        assert look_through(match, told, cluster) == look_through(match, told)
        assert not caplog.records, "all of it was thought there"
    finally:
        nodes.shutdown()
    assert far.choose(match, seat) == bot.choose(match, seat)
    assert cluster.think(process) == os.getpid()
    (told_once,) = caplog.messages
    assert "is thought here" in told_once
    cluster.close()


def process(*_: object) -> int:
    return os.getpid()


def killed_once(mark: Path) -> int:
    """As when a machine is lost in the middle of a thought."""
    if not mark.exists():
        mark.touch()
        os._exit(1)
    return os.getpid()


def look_through(match: Match, told: list[int], cluster: Cluster | None = None) -> object:
    judging = cluster and cluster.judge_each
    return study(match, [0], 60.0, threading.Event(), told.append, judging)


def test_a_cluster_is_looked_for_until_it_is_there_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Way:
        cores = 7
        broken = True

        def __init__(self, _: str) -> None:
            if self.broken:
                raise CannotServe("It is not there.")

        def think(self, *_: object) -> str:
            if self.broken:
                raise EOFError
            return "there"

        def close(self) -> None:
            pass

    monkeypatch.setattr(clusters, "Way", Way)
    monkeypatch.setattr(clusters, "AGAIN", 0.01)
    cluster = Cluster("somewhere")
    for times in (1, 2):
        assert [cluster.think(str, "here") for _ in range(3)] == ["here"] * 3
        assert "is thought here" in caplog.messages[-1]
        monkeypatch.setattr(Way, "broken", False)
        wait_for(lambda: cluster.think(str, "here") == "there")
        assert len(caplog.messages) == 2 * times, "each is said once"
        monkeypatch.setattr(Way, "broken", True)
    cluster.close()


def test_a_cluster_that_does_not_answer_is_refused_with_a_sentence() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with pytest.raises(CannotServe, match=r"The Ray cluster 127.0.0.1:1 cannot be used: .+\.$"):
        check_cluster("127.0.0.1:1")


def test_without_ray_there_is_no_such_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "find_spec", lambda _: None)
    with pytest.raises(CannotServe, match=r"BOTTEGA_RAY .*pip install 'bottega\[lab\]'"):
        settings.from_environment({"BOTTEGA_RAY": "auto"})
