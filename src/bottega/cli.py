"""The command `bottega`. Each command loads only what it needs, so that it starts at once."""

from __future__ import annotations

import json
import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from bottega.engine.errors import BadOption, BottegaError
from bottega.table.faults import CannotServe
from bottega.table.settings import PORT
from bottega.table.settings import settings as make_settings

INTERRUPTED = 130  # the exit code of a program that Ctrl-C has stopped
REFUSED = 2

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Tabletop games with exact rules: play them, run them a million times.",
)
kits = typer.Typer(help="Kits: the components of a game as data.")
app.add_typer(kits, name="kit")

# Click's errors about how a command was written; Typer carries Click under changing names.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game of `bottega games`.")]
Players = Annotated[int | None, typer.Option(help="Number of players; the least, if not given.")]
Seed = Annotated[int | None, typer.Option(help="Everything random follows from it.")]
KitName = Annotated[str | None, typer.Option("--kit", help="Another kit: its name or file.")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the game.")
]
Data = Annotated[Path | None, typer.Option(help="The server's data folder; the user's otherwise.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON in place of tables.")]


@app.callback(invoke_without_command=True)
def command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def games() -> None:
    """List the games."""
    from bottega.terminal import show

    show.new_console().print(show.games())


@app.command()
def rules(
    game: GameName,
    rulings: Annotated[
        bool, typer.Option("--rulings", help="The rulings, which the rules cite by their marks.")
    ] = False,
) -> None:
    """Show the rules of a game."""
    import bottega
    from bottega.terminal import show

    text = show.rulings if rulings else show.rules
    show.new_console().print(text(bottega.game(game)))


@app.command()
def play(
    game: GameName,
    players: Players = None,
    bots: Annotated[
        str | None, typer.Option(help="Your opponents: one for all, or a list. [default: greedy]")
    ] = None,
    seat: Annotated[
        int | None, typer.Option(help="Your seat, from 0; drawn by lot, if not given.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Your name.")] = None,
    seed: Seed = None,
    option: Options = None,
    kit: KitName = None,
    load: Annotated[Path | None, typer.Option(help="Resume a saved match.")] = None,
) -> None:
    """Play in the terminal against bots."""
    import bottega
    from bottega.terminal import seating, show

    found, console = bottega.game(game), show.new_console()
    if load is None:
        session = seating.begin(
            found,
            console,
            players=players,
            seat=seat,
            bots=bots,
            seed=seed,
            kit=kit or "default",
            options=read_options(option),
            name=name,
        )
    else:
        given = {"players": players, "seed": seed, "option": option, "name": name}
        for word in (word for word, value in given.items() if value is not None):
            raise BadOption(f"--load decides that already: leave out --{word}")
        session = seating.resume(found, console, load, seat=seat, bots=bots, kit=kit)
    session.run()


@app.command()
def simulate(
    game: GameName,
    players: Players = None,
    games: Annotated[int, typer.Option(help="How many games.")] = 1000,
    bots: Annotated[
        str, typer.Option(help="The players: one bot for all seats, or a list in order of seats.")
    ] = "random",
    seed: Seed = None,
    limit: Annotated[
        int, typer.Option(help="End a game after so many decisions, unfinished; 0 for never.")
    ] = 10_000,
    kit: KitName = None,
    option: Options = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads; as many as cores, if not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play many games between bots and say who wins."""
    import bottega
    from bottega.engine.runs import Plan
    from bottega.lab import lineup
    from bottega.lab.simulate import check_threads, show, summarise
    from bottega.lab.simulate import simulate as run
    from bottega.terminal.show import new_console, progress_bar

    found = bottega.game(game)
    named = lineup.read(bots)
    if players is None and len(named) > 1:
        players = len(named)
    if seed is None:
        seed = secrets.randbits(32)
    plan = Plan.make(found, players, games, seed, limit, kit or "default", read_options(option))
    seats = lineup.seated(bots, plan.players)
    threads = check_threads(threads)
    with progress_bar(f"{found.title}: games", games) as progress:
        outcomes = run(plan, seats, threads, progress)
    summary = summarise(plan, seats, outcomes)
    print_json(summary) if as_json else new_console().print(show(summary, found.title))


@app.command()
def arena(
    game: GameName,
    bots: Annotated[
        str, typer.Option(help="Who meets: greedy, search:3 (a level), search@2000 (iterations).")
    ],
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each line-up, at most.")] = 100,
    style: Annotated[
        str, typer.Option(help="round-robin, or gauntlet: the first bot against each other.")
    ] = "round-robin",
    until_clear: Annotated[
        bool, typer.Option(help="End a line-up once its 95 % interval clears the even share.")
    ] = False,
    seed: Annotated[int, typer.Option(help="The deals follow from it.")] = 1,
    kit: KitName = None,
    option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for the results, to stop and take up again.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads; as many as cores, if not given.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on a Ray cluster (auto: find it).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let bots meet on the same deals in every seat, and rate them."""
    import os

    import bottega
    from bottega.lab import arena as lab
    from bottega.lab import lineup
    from bottega.lab.simulate import check_threads
    from bottega.terminal.show import new_console, progress_bar

    found = bottega.game(game)
    contest = lab.check(
        lab.Contest(
            game,
            max(2, found.check_players(players)) if players is None else players,
            tuple(lineup.read(bots)),
            style,
            seed,
            kit or "default",
            tuple(read_options(option).items()),
        )
    )
    results = lab.Results(contest, out)
    if ray is None:
        hands: lab.Hands = lab.Threads(check_threads(threads) or os.cpu_count() or 1)
    else:
        from bottega.lab.cluster import Cluster

        hands = Cluster(ray)
    total = sum(1 for line in contest.lineups() for _ in lab.bouts(contest, line, games))
    with progress_bar(f"{found.title}: arena", total) as progress:
        lab.run(contest, games, hands, results, until_clear, progress)
    summary = lab.summarise(results)
    print_json(summary) if as_json else new_console().print(lab.show(summary, found.title))


@app.command()
def bench(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game; all without.")] = None,
    as_json: Json = False,
) -> None:
    """Measure how fast the rules are on this machine."""
    import bottega
    from bottega.lab import bench
    from bottega.terminal.show import new_console, progress_bar

    found = [bottega.game(name) for name in ([game] if game else bottega.games())]
    with progress_bar("Measuring", sum(map(bench.steps, found))) as progress:
        figures = bench.measure(found, lambda _: progress(1))
    print_json(figures) if as_json else new_console().print(bench.show(figures))


@app.command()
def warm(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game; all without.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; as many as cores, if not given.")
    ] = None,
) -> None:
    """Compile everything now, for images and machines without people: nothing is compiled later."""
    import os

    import bottega
    from bottega import warm
    from bottega.terminal.show import progress_bar

    found = [bottega.game(name) for name in ([game] if game else bottega.games())]
    warm.check_kept(found[0])
    with progress_bar("Compiling", len(found) * len(warm.STEPS)) as progress:
        warm.everything([one.name for one in found], jobs or os.cpu_count() or 1, progress)


@app.command()
def train(
    game: GameName,
    minutes: Annotated[float, typer.Option(min=0, help="Of self-play by the policy alone.")] = 10,
    expert: Annotated[float, typer.Option(min=0, help="Minutes of self-play by the search.")] = 5,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; a GPU if there is one, if not given.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where the run is kept, and goes on from. [runs/GAME]")
    ] = None,
    kit: KitName = None,
    settings: Annotated[
        Path | None, typer.Option(help="A file like src/bottega/train/settings.toml.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="A network (net.safetensors) to begin a new run with.")
    ] = None,
    evaluate: Annotated[float, typer.Option(help="Minutes between two measurements.")] = 3,
    games: Annotated[int, typer.Option(min=1, help="Games of a measurement.")] = 400,
    seed: Seed = None,
) -> None:
    """Have a network learn a game by playing against itself, or go on where a run has stopped."""
    import bottega

    try:
        from bottega.train import run
    except ImportError as problem:
        if problem.name != "torch":
            raise
        raise BadOption("training needs PyTorch: pip install 'bottega[train]'") from None
    from bottega.terminal.training import Teller

    found = bottega.game(game)
    wish = run.Wish(minutes, expert, 60 * evaluate, games, 1 if seed is None else seed)
    where = folder or Path("runs") / game
    with Teller(found.title, where) as tell:
        run.Run(
            found,
            where,
            found.kit(kit or "default"),
            run.device(device),
            settings,
            wish,
            tell,
            start,
        ).train()


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved match.")],
    at: Annotated[int | None, typer.Option(help="Stop after so many decisions.")] = None,
    seat: Annotated[
        int | None, typer.Option(help="As this seat saw it, from 0; a spectator, if not given.")
    ] = None,
    kit: KitName = None,
) -> None:
    """Print the log and the board of a saved match."""
    import bottega
    from bottega.terminal import show
    from bottega.terminal.files import read_notation

    match = bottega.replay(read_notation(file), kit)
    if at is not None:
        match = match.at(at)
    if seat is not None:
        match.check_seat(seat)
    show.new_console().print(show.replay(match, seat))


@kits.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A kit's TOML file.")],
) -> None:
    """Check a kit and say what it is."""
    import bottega
    from bottega.engine.kit import read_kit_file
    from bottega.terminal import show

    data = read_kit_file(file)
    game = bottega.game(data.text("game"))
    show.new_console().print(show.kit(data, game.make_kit(data), game))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.", min=0, max=65535)] = PORT,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    data: Annotated[
        Path | None, typer.Option(help="Where tables are kept; the user's data folder otherwise.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that answer; several need PostgreSQL.")
    ] = 1,
) -> None:
    """Start the server: play in the browser, with friends or bots."""
    from bottega.table.server.app import serve as start

    start(host, port, open_page, data, workers)


@app.command()
def think(
    data: Annotated[
        Path | None, typer.Option(help="The servers' data folder, which has their secret.")
    ] = None,
) -> None:
    """Think for the servers that share a PostgreSQL database: bots, hints and analyses."""
    import asyncio

    from bottega.table.thinking import worker

    with for_a_host():
        asyncio.run(worker.think(make_settings(data)))


@app.command()
def backup(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file; or a folder, for one named by time.")
    ],
    data: Data = None,
) -> None:
    """Copy all that a server keeps into one file, also while it runs."""
    from bottega.table.database.backup import back_up, holdings
    from bottega.terminal.show import progress_bar

    with for_a_host(), stopped_alike():
        chosen = make_settings(data)
        with progress_bar("Backing up: per cent", 100) as progress:
            file, about = back_up(chosen, target, in_hundredths(progress))
    print(f"{file} has {holdings(about)}", end="")
    if about.has_secret:
        print(", and the server's secret: keep it where nobody else can read it.")
    elif chosen.secret:
        print(". The secret is a setting (BOTTEGA_SECRET): keep it, too, in another place.")
    else:
        print(f". There is no secret in {chosen.data}: keep the servers' own, too.")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `bottega backup` wrote.")],
    data: Data = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of tables that are there.")
    ] = False,
) -> None:
    """Put a backup where a server will find it. No server may run there meanwhile."""
    from bottega.table.database.backup import bring_back, holdings
    from bottega.terminal.show import progress_bar

    with for_a_host(), stopped_alike():
        chosen = make_settings(data)
        with progress_bar("Restoring: per cent", 100) as progress:
            about, kept = bring_back(chosen, file, replace, in_hundredths(progress))
    print(f"What is there now: {holdings(about)}, as of {about.made} UTC.")
    if kept:
        print(f"What was there before is kept as {' and '.join(kept)}.")
    if not about.has_secret or chosen.secret:
        print("The secret is a setting: with another one, links to seats do not open.")


@contextmanager
def for_a_host() -> Iterator[None]:
    """What the host of a server can put right is said in a sentence."""
    try:
        yield
    except CannotServe as problem:
        raise SystemExit(str(problem)) from None


@contextmanager
def stopped_alike() -> Iterator[None]:
    """SIGTERM, by which a timer or a container ends a command, is as good as Ctrl-C: whoever is
    stopped clears up."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def in_hundredths(progress: Callable[[int], None]) -> Callable[[float], None]:
    """A bar that hears how much of the whole is done."""
    shown = 0

    def tell(share: float) -> None:
        nonlocal shown
        more = int(100 * share) - shown
        if more > 0:
            progress(more)
            shown += more

    return tell


def read_options(words: list[str] | None) -> dict[str, str | int]:
    """Options of a game from NAME=VALUE."""
    options: dict[str, str | int] = {}
    for word in words or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise BadOption(f"--option wants NAME=VALUE, not '{word}'")
        options[name] = value
    return options


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def complain(problem: object) -> None:
    """One line, whatever the problem has to say."""
    print("bottega:", " ".join(str(problem).split()), file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code. What the caller can put right is said in one line."""
    try:
        code = app(arguments, prog_name="bottega", standalone_mode=False)
    except BottegaError as problem:
        complain(problem)
        return REFUSED
    except UsageError as problem:
        complain(problem.format_message())  # type: ignore[attr-defined]
        return REFUSED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        complain("stopped")
    return code if isinstance(code, int) else 0
