"""The arena: fair seatings, the same results however the games are played, honest intervals."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import bottega
from bottega.bots.search import SearchBot
from bottega.cli import main
from bottega.lab import arena
from bottega.lab.lineup import Named, read


def contest(bots="greedy,random", players=2, **more):
    return arena.Contest("splendor", players, tuple(read(bots)), **more)


def played(what, games=12, hands=None, folder=None, **more):
    results = arena.Results(what, folder)
    return arena.run(what, games, hands or arena.Threads(2), results, **more)


def test_every_bot_sits_in_every_seat_of_every_deal():
    what = contest("greedy,random,casual", players=3)
    assert what.lineups() == [(0, 1, 2)]
    seatings = [bout.seats for bout in arena.bouts(what, (0, 1, 2), 6)]
    assert seatings == [(0, 1, 2), (2, 0, 1), (1, 2, 0)] * 2
    for seat in range(3):
        assert Counter(seats[seat] for seats in seatings) == {0: 2, 1: 2, 2: 2}


def test_line_ups():
    assert contest("greedy,random,casual").lineups() == [(0, 1), (0, 2), (1, 2)]
    assert contest("greedy,random,casual", style="gauntlet").lineups() == [(0, 1), (0, 2)]
    assert contest(players=4).lineups() == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert contest(players=4, style="gauntlet").lineups() == [(0, 1, 1, 1)]


def test_the_same_deal_with_the_seats_swapped():
    """Common random numbers: two bots of one kind win each deal once from each side."""
    what = contest("greedy,casual")
    rows = played(what, 4).ordered()
    assert [(row["deal"], row["turn"]) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert rows[0]["bots"] == ["greedy", "casual"]
    assert rows[1]["bots"] == ["casual", "greedy"]


def test_threads_and_order_change_nothing():
    what = contest("greedy,random,search@30")
    one = arena.summarise(played(what, 6, arena.Threads(1)))
    assert one == arena.summarise(played(what, 6, arena.Threads(3)))
    assert json.loads(json.dumps(one)) == one
    assert one != arena.summarise(played(contest("greedy,random,search@30", seed=2), 6))


def test_a_stopped_run_is_taken_up_again(tmp_path):
    what = contest()
    whole = arena.summarise(played(what, 30))

    class Stop(Exception):
        pass

    seen = []

    def stop(number):
        seen.append(number)
        if sum(seen) >= 10:
            raise Stop

    with pytest.raises(Stop):
        played(what, 30, folder=tmp_path, progress=stop)
    kept = len(arena.Results(what, tmp_path).rows)
    assert 0 < kept < 30
    again = []
    results = played(what, 30, folder=tmp_path, progress=again.append)
    assert arena.summarise(results) == whole
    assert len(arena.Results(what, tmp_path).rows) == 30
    assert sum(again) == 30
    assert again[0] == kept, "what was played is not played again"


def test_results_of_another_contest_are_not_mixed(tmp_path):
    played(contest(), 2, folder=tmp_path)
    with pytest.raises(bottega.BadOption, match="another contest"):
        arena.Results(contest(seed=9), tmp_path)


def test_what_the_results_show():
    what = contest("greedy,random")
    rows = [
        {"bots": ["greedy", "random"], "places": [1, 2], "won": [1.0, 0.0], "unfinished": False},
        {"bots": ["random", "greedy"], "places": [1, 1], "won": [0.5, 0.5], "unfinished": False},
        {"bots": ["random", "greedy"], "places": [1, 2], "won": [0.0, 0.0], "unfinished": True},
    ]
    assert arena.won(rows, "greedy") == (1.5, 2)
    assert arena.ahead(rows, "greedy", "random") == (1.5, 2)
    rated = arena.ratings(rows)
    assert rated["greedy"][0] > rated["random"][0]
    assert not arena.clear(what, rows, (0, 1)), "too few games"


def test_until_clear_stops_early():
    what = contest()
    results = played(what, 400, until_clear=True)
    assert len(results.rows) == 40, "greedy beats random beyond doubt in the first batch"
    assert arena.clear(what, results.rows, (0, 1))


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ({"bots": "greedy"}, "two different bots"),
        ({"bots": "greedy,greedy"}, "two different bots"),
        ({"style": "knockout"}, "round-robin or gauntlet"),
        ({"players": 7}, "2 to 4 players"),
        ({"seed": -3}, "seed=-3 is not a whole number"),
        ({"options": (("colour", "red"),)}, "no option 'colour'"),
    ],
)
def test_what_does_not_fit_is_refused(what, reason):
    with pytest.raises(bottega.BadOption, match=reason):
        played(contest(**what), 2)


@pytest.mark.parametrize(
    "word",
    ["search@", "search@x", "search@0", "search@9999999", "search:6", "search:x", "greedy@5"],
)
def test_bad_bots(word):
    with pytest.raises(bottega.BadOption):
        read(word)


def test_results_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    """A file instead of a folder, a broken part, and bots whose constants have changed."""
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(bottega.BadOption, match="is a file; results need a folder"):
        arena.Results(contest(), file)
    folder = tmp_path / "results"
    arena.Results(contest(), folder)
    (folder / "part-00000.parquet").write_text("broken")
    with pytest.raises(bottega.BadOption, match="cannot be read"):
        arena.Results(contest(), folder)
    monkeypatch.setattr(arena, "steering", lambda *_: "other levels")
    with pytest.raises(bottega.BadOption, match="results of another contest"):
        arena.Results(contest(), folder)


def test_levels_of_the_arena_count_iterations_on_one_thread():
    """So that level 5, too, plays the same games everywhere."""
    bot = Named("search", 5).make(3)
    assert isinstance(bot, SearchBot)
    assert (bot.level, bot.seconds, bot.threads) == (5, None, 1)


def test_the_command(tmp_path, capsys):
    words = ["arena", "splendor", "--bots", "greedy,random", "--games", "4"]
    words += ["--out", str(tmp_path)]
    assert main([*words, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["games"] == 4
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "greedy" in shown
    assert "ahead of" in shown
    assert main(["arena", "splendor", "--bots", "greedy"]) == 2
    assert "two different bots" in capsys.readouterr().err


@pytest.mark.timeout(240)
def test_ray_gives_the_same_results_even_when_a_node_is_lost():
    """Two local nodes; one is killed half-way. Its games are played again."""
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster as Nodes

    from bottega.lab.cluster import Cluster

    what = contest("greedy,search@60")
    expected = arena.summarise(played(what, 40))
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    try:
        hands = Cluster(nodes.address)
        assert ray.cluster_resources()["CPU"] == 2
        done = []

        def kill_half_way(number):
            done.append(number)
            if sum(done) == 12:
                nodes.remove_node(second, allow_graceful=False)

        assert arena.summarise(played(what, 40, hands, progress=kill_half_way)) == expected
        assert second not in nodes.list_all_nodes()
    finally:
        ray.shutdown()
        nodes.shutdown()
