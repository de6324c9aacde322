"""The arena: bots against each other, seat by seat on the same deals.

Every *line-up* says which bots meet. Each deal is played once for every turn of the line-up
around the table, so that all bots have had the same cards in the same seats; luck of the deal
then cancels out. A game depends on its deal and its seating alone, so a run can be stopped and
taken up again, or be played on many machines, and gives the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

import bottega
from bottega.bots import Named, net
from bottega.bots.steering import steering
from bottega.engine.errors import BadOption
from bottega.engine.game import MOST_SEED, check_number
from bottega.engine.option import Value
from bottega.lab.simulate import wilson

LIMIT = 10_000  # decisions; ends the rare game in which no bot gets anywhere
STYLES = ("round-robin", "gauntlet")
APART = 1_000_003  # between the deals of one seed and those of the next


@dataclass(frozen=True)
class Contest:
    """What is played."""

    game: str
    players: int
    bots: tuple[Named, ...]
    style: str = "round-robin"
    seed: int = 1
    kit: str = "default"
    options: tuple[tuple[str, Value], ...] = ()

    @property
    def described(self) -> str:
        """Whose results these are: the same bots, with the same constants and network."""
        learned = net.shipped(bottega.game(self.game))
        return (
            f"{self!r}\n{steering(self.game, self.players)!r}\n"
            f"{steering(self.game, self.players, True)!r}\n{learned.hash if learned else None}"
        )

    def lineups(self) -> list[tuple[int, ...]]:
        """Which bots meet: every choice of as many bots as seats, or, of fewer bots than seats,
        one of each against the others. A gauntlet keeps those with the first bot."""
        everyone = range(len(self.bots))
        if len(self.bots) >= self.players:
            chosen = list(combinations(everyone, self.players))
        else:
            rest = self.players - 1
            chosen = [(a, *[b] * rest) for a in everyone for b in everyone if a != b]
        if self.style == "gauntlet":
            chosen = [lineup for lineup in chosen if lineup[0] == 0]
        return chosen


@dataclass(frozen=True, order=True)
class Bout:
    """One game: a line-up, a deal, and how far the line-up is turned around the table."""

    lineup: tuple[int, ...]
    deal: int
    turn: int

    @property
    def seats(self) -> tuple[int, ...]:
        """The bot in each seat."""
        return self.lineup[-self.turn :] + self.lineup[: -self.turn] if self.turn else self.lineup


def check(contest: Contest) -> Contest:
    """Refuse a contest that cannot be played."""
    game = bottega.game(contest.game)
    game.check_players(contest.players)
    game.check_options(dict(contest.options))
    game.kit(contest.kit)
    if contest.players < 2:
        raise BadOption("an arena needs two players or more; try `bottega simulate` for solo games")
    check_number("seed", contest.seed, MOST_SEED // APART - 1)
    if contest.style not in STYLES:
        raise BadOption(f"style={contest.style} is not possible: it must be {' or '.join(STYLES)}")
    if len(contest.bots) < 2 or len(set(contest.bots)) != len(contest.bots):
        raise BadOption("an arena needs two different bots or more")
    return contest


def bouts(contest: Contest, lineup: tuple[int, ...], games: int) -> Iterator[Bout]:
    """The games of a line-up: whole deals, at least so many games."""
    for deal in range(-(-games // contest.players)):
        for turn in range(contest.players):
            yield Bout(lineup, deal, turn)


def play(contest: Contest, bout: Bout) -> dict[str, Any]:
    """Play one game; the row that is kept of it."""
    game = bottega.game(contest.game)
    seed = contest.seed * APART + bout.deal
    options = dict(contest.options)
    match = game.new(contest.players, seed, kit=contest.kit, limit=LIMIT, **options)  # type: ignore[arg-type]
    bots = [contest.bots[at].make(seed * 31 + seat) for seat, at in enumerate(bout.seats)]
    while not match.over:
        seat = match.waiting[0]
        match.play(seat, bots[seat].choose(match, seat))
    return {
        "lineup": list(bout.lineup),
        "deal": bout.deal,
        "turn": bout.turn,
        "bots": [str(contest.bots[at]) for at in bout.seats],
        "places": [place for place, _ in match.standings],
        "scores": match.scores,
        "won": [(seat in match.winners) / max(1, len(match.winners)) for seat in range(len(bots))],
        "decisions": len(match.moves),
        "unfinished": match.unfinished,
    }


class Hands(Protocol):
    """Who plays the games: threads here, or a cluster."""

    def play(self, contest: Contest, bouts: Iterable[Bout]) -> Iterator[dict[str, Any]]:
        """Play games side by side; their rows, as they are done."""
        ...


class Threads:
    """Plays games on threads of this process."""

    def __init__(self, number: int) -> None:
        self.number = number

    def play(self, contest: Contest, bouts: Iterable[Bout]) -> Iterator[dict[str, Any]]:
        ahead = iter(bouts)
        with ThreadPoolExecutor(self.number) as pool:
            pending: set[Future[dict[str, Any]]] = set()
            try:
                while True:
                    for bout in ahead:
                        pending.add(pool.submit(play, contest, bout))
                        if len(pending) >= 2 * self.number:
                            break
                    if not pending:
                        return
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for game in done:
                        yield game.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


# Results: kept in Parquet, a part for every few games, so that nothing played is lost


class Results:
    """The rows of a contest, in a folder if one is given."""

    def __init__(self, contest: Contest, folder: Path | None = None) -> None:
        self.contest = contest
        self.folder = folder
        self.rows: list[dict[str, Any]] = []
        self._unsaved: list[dict[str, Any]] = []
        if folder:
            self._open(folder)

    def _open(self, folder: Path) -> None:
        import polars as pl

        if folder.exists() and not folder.is_dir():
            raise BadOption(f"{folder} is a file; results need a folder")
        folder.mkdir(parents=True, exist_ok=True)
        about = folder / "contest.txt"
        described = self.contest.described
        if about.exists() and about.read_text(encoding="utf-8") != described:
            raise BadOption(f"{folder} holds the results of another contest")
        about.write_text(described, encoding="utf-8")
        for part in sorted(folder.glob("part-*.parquet")):
            try:
                self.rows += pl.read_parquet(part).to_dicts()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise BadOption(
                    f"{part} cannot be read: {error}; without it, its games are played again"
                ) from error

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        self._unsaved.append(row)
        if len(self._unsaved) >= 20:
            self.save()

    def save(self) -> None:
        """Write what was played since the last time."""
        if not self.folder or not self._unsaved:
            return
        import polars as pl

        number = len(list(self.folder.glob("part-*.parquet")))
        scratch = self.folder / "unfinished.tmp"
        pl.DataFrame(self._unsaved).write_parquet(scratch)
        scratch.rename(self.folder / f"part-{number:05}.parquet")
        self._unsaved = []

    def has(self) -> set[Bout]:
        return {Bout(tuple(row["lineup"]), row["deal"], row["turn"]) for row in self.rows}

    def of(self, lineup: tuple[int, ...]) -> list[dict[str, Any]]:
        return [row for row in self.rows if tuple(row["lineup"]) == lineup]

    def ordered(self) -> list[dict[str, Any]]:
        """The rows in an order that does not depend on who was done first."""
        return sorted(self.rows, key=lambda row: (row["lineup"], row["deal"], row["turn"]))


def clear(contest: Contest, rows: Sequence[dict[str, Any]], lineup: tuple[int, ...]) -> bool:
    """Whether the 95 % interval of the first bot's wins clears its even share."""
    name = str(contest.bots[lineup[0]])
    wins, games = won(rows, name)
    if games < 10 * contest.players:
        return False
    low, high = wilson(wins, games)
    even = 1 / contest.players
    return low > even or high < even


def run(
    contest: Contest,
    games: int,
    hands: Hands,
    results: Results,
    until_clear: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """Play every line-up, up to so many games each; with `until_clear`, a line-up ends as soon
    as the interval of its first bot's wins clears the even share."""
    check(contest)
    try:
        for lineup in contest.lineups():
            _meet(contest, lineup, games, hands, results, until_clear, progress)
    finally:
        results.save()
    return results


def _meet(
    contest: Contest,
    lineup: tuple[int, ...],
    games: int,
    hands: Hands,
    results: Results,
    until_clear: bool,
    progress: Callable[[int], None] | None,
) -> None:
    planned = list(bouts(contest, lineup, games))
    done = results.has()
    step = 20 * contest.players if until_clear else len(planned)
    for at in range(0, len(planned), step):
        if until_clear and clear(contest, results.of(lineup), lineup):
            break
        batch = planned[at : at + step]
        left = [bout for bout in batch if bout not in done]
        if progress:
            progress(len(batch) - len(left))
        for row in hands.play(contest, left):
            results.add(row)
            if progress:
                progress(1)


# What the results show


def won(rows: Iterable[dict[str, Any]], name: str) -> tuple[float, int]:
    """A bot's wins, shared ones in part, and the seats it played in finished games."""
    wins, games = 0.0, 0
    for row in rows:
        if not row["unfinished"]:
            for bot, share in zip(row["bots"], row["won"], strict=True):
                if bot == name:
                    wins += share
                    games += 1
    return wins, games


def ahead(rows: Iterable[dict[str, Any]], one: str, two: str) -> tuple[float, int]:
    """How often one bot came in before another, a tie counting half."""
    better, meetings = 0.0, 0
    for row in rows:
        if row["unfinished"] or one not in row["bots"] or two not in row["bots"]:
            continue
        for a, mine in zip(row["bots"], row["places"], strict=True):
            for b, other in zip(row["bots"], row["places"], strict=True):
                if (a, b) == (one, two):
                    meetings += 1
                    better += (mine < other) + (mine == other) / 2
    return better, meetings


def ratings(rows: Iterable[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Plackett-Luce ratings (openskill): mean and deviation of each bot."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    known: dict[str, Any] = {}
    for row in rows:
        if row["unfinished"]:
            continue
        teams = [[known.setdefault(bot, model.rating(name=bot))] for bot in row["bots"]]
        rated = model.rate(teams, ranks=[float(place) for place in row["places"]])
        for bot, (new,) in zip(row["bots"], rated, strict=True):
            known[bot] = new
    return {bot: (rating.mu, rating.sigma) for bot, rating in known.items()}


def summarise(results: Results) -> dict[str, Any]:
    """Everything the tables show, as a plain value; the same however the games were played."""
    rows = results.ordered()
    contest = results.contest
    names = [str(bot) for bot in contest.bots]
    rated = ratings(rows)
    table = []
    for name in names:
        wins, games = won(rows, name)
        mean, deviation = rated.get(name, (25.0, 25 / 3))
        low, high = wilson(wins, games) if games else (0.0, 1.0)
        table.append(
            {
                "bot": name,
                "games": games,
                "wins": wins,
                "share": wins / games if games else None,
                "low": low,
                "high": high,
                "rating": mean,
                "deviation": deviation,
            }
        )
    cross = {
        one: {two: _share(*ahead(rows, one, two)) for two in names if two != one} for one in names
    }
    return {
        "game": contest.game,
        "players": contest.players,
        "style": contest.style,
        "seed": contest.seed,
        "games": len(rows),
        "unfinished": sum(row["unfinished"] for row in rows),
        "bots": table,
        "cross": cross,
    }


def _share(better: float, meetings: int) -> dict[str, float | int | None]:
    if not meetings:
        return {"games": 0, "share": None, "low": None, "high": None}
    low, high = wilson(better, meetings)
    return {"games": meetings, "share": better / meetings, "low": low, "high": high}


# The summary as a person reads it


def show(summary: dict[str, Any], title: str) -> RenderableType:
    """Standings and the cross table."""
    about = f"[b]{escape(title)}[/b]: {summary['players']} players, {summary['games']} games"
    if summary["unfinished"]:
        about += f", {summary['unfinished']} of them unfinished and in no figure"
    return Group(about, standings_table(summary), cross_table(summary))


def standings_table(summary: dict[str, Any]) -> Table:
    table = Table("Bot", box=box.SIMPLE)
    for heading in ("Games", "Wins", "95 % interval", "Rating"):
        table.add_column(heading, justify="right")
    for row in sorted(summary["bots"], key=lambda row: -row["rating"]):
        share = "-" if row["share"] is None else f"{row['share']:.1%}"
        table.add_row(
            row["bot"],
            str(row["games"]),
            share,
            f"{row['low']:.1%} to {row['high']:.1%}",
            f"{row['rating']:.1f} ± {row['deviation']:.1f}",
        )
    return table


def cross_table(summary: dict[str, Any]) -> Table:
    """How often the bot of the row came in before the bot of the column."""
    names = list(summary["cross"])
    table = Table("ahead of", *names, box=box.SIMPLE)
    for one in names:
        table.add_row(one, *[_cell(summary["cross"][one].get(two)) for two in names])
    return table


def _cell(share: dict[str, Any] | None) -> str:
    if not share or share["share"] is None:
        return "·"
    return f"{share['share']:.0%} ({share['low']:.0%}-{share['high']:.0%}, {share['games']})"
