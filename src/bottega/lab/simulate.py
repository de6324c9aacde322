"""Games between bots, and what they show: who wins, how long it takes, the scores.

The summary is a plain value. It depends on what was played alone, never on time or threads, and
the table is drawn from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from bottega.bots import Named
from bottega.bots.crowd import KINDS, bots_worker
from bottega.engine.errors import BadOption
from bottega.engine.game import check_number
from bottega.engine.match import Match
from bottega.engine.record import ENDED, UNFINISHED
from bottega.engine.runs import FEW, MOST_THREADS, Array, Outcomes, Plan, Worker, random_worker, run

LIMIT = 10_000  # decisions; ends the rare game in which neither bot gets anywhere
Z95 = 1.959963984540054  # the normal distribution holds 95 % within so many deviations


def simulate(
    plan: Plan,
    lineup: Sequence[Named],
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Outcomes:
    """Play a plan's games, compiled where the bots are."""
    names = [bot.name for bot in lineup]
    if set(names) == {"random"}:
        return run(plan, lambda: random_worker(plan, plan.games <= FEW), threads, 4096, progress)
    if set(names) <= set(KINDS):
        return run(plan, lambda: bots_worker(plan, names), threads, 32, progress)
    return run(plan, lambda: match_worker(plan, lineup), threads, 1, progress)


def check_threads(threads: int | None) -> int | None:
    """A number of threads that makes sense, or none for as many as cores."""
    if threads is not None and check_number("threads", threads, MOST_THREADS) < 1:
        raise BadOption("threads must be 1 or more")
    return threads


def match_worker(plan: Plan, lineup: Sequence[Named]) -> Worker:
    """Plays games between any bots, each deciding at a `Match`."""

    def work(first: int, rows: tuple[Array, Array, Array, Array]) -> None:
        places, scores, lengths, ends = rows
        for row in range(len(lengths)):
            seed = int(plan.seed_of(first + row))
            match = Match(plan.game, plan.kit, plan.players, seed, plan.options, plan.limit)
            bots = [bot.make(seed) for bot in lineup]
            while not match.over:
                seat = match.waiting[0]
                match.play(seat, bots[seat].choose(match, seat))
            places[row], scores[row] = zip(*match.standings, strict=True)
            lengths[row] = len(match.moves)
            ends[row] = UNFINISHED if match.unfinished else ENDED

    return work


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share. For shared wins, which vary less, it is a little wide."""
    share = wins / games
    spread = Z95**2 / games
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def summarise(plan: Plan, lineup: Sequence[Named], outcomes: Outcomes) -> dict[str, Any]:
    """What the games show. Who shares a win has a share of it; unfinished games have no winner."""
    finished = outcomes.ends == ENDED
    games = int(np.count_nonzero(finished))
    wins = shares(outcomes.places, finished)
    names = [str(bot) for bot in lineup]
    options = zip(plan.game.options, plan.options, strict=False)
    return {
        "game": plan.game.name,
        "players": plan.players,
        "games": plan.games,
        "finished": games,
        "unfinished": plan.games - games,
        "seed": plan.seed,
        "limit": plan.limit,
        "kit": {"name": plan.kit.name, "hash": plan.kit.hash},
        "options": {option.name: option.value(int(number)) for option, number in options},
        "seats": [
            {
                "seat": seat,
                "bot": names[seat],
                **share_of(wins[seat], games),
                "score": spread_of(outcomes.scores[finished, seat]),
            }
            for seat in range(plan.players)
        ],
        "bots": [
            {
                "bot": name,
                "seats": [seat for seat in range(plan.players) if names[seat] == name],
                **share_of(
                    sum(wins[seat] for seat in range(plan.players) if names[seat] == name), games
                ),
            }
            for name in dict.fromkeys(names)
        ],
        "decisions": spread_of(outcomes.lengths[finished]),
    }


def shares(places: Array, finished: Array) -> list[float]:
    """Each seat's wins: a win shared by two is a half for each."""
    won = (places == 1) & finished[:, None]
    sharing = won.sum(axis=1, dtype=np.int8)
    counts = [np.bincount(sharing[won[:, seat]]) for seat in range(places.shape[1])]
    return [float(sum(n / winners for winners, n in enumerate(row) if winners)) for row in counts]


def share_of(wins: float, games: int) -> dict[str, float | None]:
    """Wins as a share of the finished games, with its interval."""
    if not games:
        return {"wins": 0.0, "share": None, "low": None, "high": None}
    low, high = wilson(wins, games)
    return {"wins": wins, "share": wins / games, "low": low, "high": high}


def spread_of(values: Array) -> dict[str, float | int] | None:
    """Numbers in short; nothing when there are none."""
    if not len(values):
        return None
    return {
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "least": int(values.min()),
        "most": int(values.max()),
    }


# The summary as a person reads it


def show(summary: dict[str, Any], title: str) -> RenderableType:
    """The summary as tables."""
    kit = "" if summary["kit"]["name"] == "default" else f", kit {summary['kit']['name']}"
    options = "".join(f", {name}={value}" for name, value in summary["options"].items())
    parts: list[RenderableType] = [
        f"[b]{escape(title)}[/b]: {summary['players']} players, {count(summary['games'], 'game')}, "
        f"seed {summary['seed']}{escape(options + kit)}",
        seats_table(summary),
    ]
    if len(summary["bots"]) > 1 and len(summary["bots"]) < summary["players"]:
        parts.append(bots_table(summary))
    if summary["decisions"]:
        parts.append("Decisions a game: {}".format(spread(summary["decisions"])))
    if summary["unfinished"]:
        parts.append(
            f"Unfinished: {count(summary['unfinished'], 'game')}, ended by the limit of "
            f"{summary['limit']} decisions. Nobody won them; they are in no other figure."
        )
    return Group(*parts)


def seats_table(summary: dict[str, Any]) -> Table:
    table = Table("Seat", "Bot", box=box.SIMPLE)
    for heading in ("Wins", "Share", "95 % interval", "Mean score", "Scores"):
        table.add_column(heading, justify="right")
    for row in summary["seats"]:
        score = row["score"]
        scores = (f"{score['mean']:.2f}", f"{score['least']} to {score['most']}") if score else ()
        table.add_row(str(row["seat"]), row["bot"], *share_cells(row), *scores)
    return table


def bots_table(summary: dict[str, Any]) -> Table:
    table = Table("Bot", "Seats", box=box.SIMPLE)
    for heading in ("Wins", "Share", "95 % interval"):
        table.add_column(heading, justify="right")
    for row in summary["bots"]:
        table.add_row(row["bot"], ", ".join(map(str, row["seats"])), *share_cells(row))
    return table


def share_cells(row: dict[str, Any]) -> tuple[str, str, str]:
    wins = f"{row['wins']:.2f}".removesuffix(".00")
    if row["share"] is None:
        return wins, "-", "-"
    return wins, f"{row['share']:.1%}", f"{row['low']:.1%} to {row['high']:.1%}"


def spread(values: dict[str, Any]) -> str:
    return (
        f"mean {values['mean']:.1f}, median {values['median']:g}, "
        f"{values['least']} to {values['most']}"
    )


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}".replace(",", " ")
