"""The command, end to end: each command, each bad input, and how it starts and stops."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bottega
from bottega.cli import main
from bottega.lab import simulate

SPLENDOR = bottega.game("splendor")
KIT = SPLENDOR.folder / "kit"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def saved(tmp_path) -> Path:
    """A match in the middle, in which seat 1 holds a card that only it has seen."""
    match = SPLENDOR.new(2, seed=7, names=["Ada", "Bruno"])
    for seat, key in enumerate(["take-white-blue-green", "reserve-deck-2", "take-white-blue-red"]):
        match.play(seat % 2, key)
    file = tmp_path / "match.txt"
    file.write_text(match.save(), encoding="utf-8")
    return file


@pytest.fixture
def ended(tmp_path) -> Path:
    """A match between bots, to its end."""
    match = SPLENDOR.new(2, seed=3)
    bot = bottega.bot("greedy")
    while not match.over:
        match.play(match.waiting[0], bot.choose(match, match.waiting[0]))
    file = tmp_path / "ended.txt"
    file.write_text(match.save(), encoding="utf-8")
    return file


def kit_with(tmp_path: Path, file: str, change) -> Path:
    """A copy of the kit with one of its files changed."""
    folder = tmp_path / "kit"
    shutil.copytree(KIT, folder)
    path = folder / file
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder / "default.toml"


def output(capsys, *arguments: str) -> str:
    """What a command prints that succeeds without a complaint."""
    assert main(list(arguments)) == 0
    captured = capsys.readouterr()
    assert "bottega:" not in captured.err
    return captured.out


def refuse(capsys, tmp_path: Path, *arguments: str) -> str:
    """The one line of a command that refuses; it must print and write nothing else."""
    before = contents(tmp_path)
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    complaints = [line for line in captured.err.splitlines() if not line.startswith("Compiling")]
    assert captured.out == ""
    assert contents(tmp_path) == before
    (line,) = complaints
    assert line.startswith("bottega: ")
    return line


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# What there is


def test_without_a_command_it_helps(capsys):
    shown = output(capsys)
    named = "games rules play simulate bench replay kit serve think backup restore"
    for command in named.split():
        assert command in shown


def test_games(capsys):
    shown = output(capsys, "games")
    for name in bottega.games():
        assert name in shown
    assert "2 to 4" in shown
    assert "payment" in shown


@pytest.mark.parametrize("name", bottega.games())
def test_rules(capsys, name):
    shown = output(capsys, "rules", name)
    assert bottega.game(name).title in shown
    assert "**" not in shown  # rendered, not raw


@pytest.mark.parametrize("name", bottega.games())
def test_rulings(capsys, name):
    """The marks that refusals cite can be looked up in the terminal, too."""
    shown = output(capsys, "rules", name, "--rulings")
    assert f"Rulings for {bottega.game(name).title}" in shown
    assert re.search(r"\b[A-Z]1: ", shown)
    assert "##" not in shown  # rendered, not raw


def test_python_runs_the_command_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "bottega", "rules", "chess"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert (
        done.stderr == f"bottega: there is no game 'chess'; there is {', '.join(bottega.games())}\n"
    )


# Simulating


def test_simulate_json_is_the_same_for_the_same_seed(capsys):
    command = ["simulate", "splendor", "--games", "40", "--bots", "greedy,random", "--json"]
    first = output(capsys, *command, "--seed", "5", "--threads", "1")
    assert output(capsys, *command, "--seed", "5", "--threads", "4") == first
    assert output(capsys, *command, "--seed", "6") != first
    summary = json.loads(first)
    assert summary["players"] == 2  # two bots were named
    assert [row["bot"] for row in summary["seats"]] == ["greedy", "random"]


def test_simulate_draws_a_seed_and_tells_it(capsys):
    command = ["simulate", "splendor", "--games", "30", "--json"]
    first = output(capsys, *command)
    seed = str(json.loads(first)["seed"])
    assert output(capsys, *command, "--seed", seed) == first


def test_simulate_table_agrees_with_json(capsys):
    command = ["simulate", "splendor", "--players", "3", "--games", "60", "--seed", "2"]
    command += ["--bots", "greedy,random,random"]
    summary = json.loads(output(capsys, *command, "--json"))
    shown = " ".join(output(capsys, *command).split())
    for row in summary["seats"]:
        interval = f"{row['share']:.1%} {row['low']:.1%} to {row['high']:.1%}"
        assert f"{row['seat']} {row['bot']}" in shown
        assert f"{interval} {row['score']['mean']:.2f}" in shown
    for row in summary["bots"]:
        assert f"{row['share']:.1%} {row['low']:.1%} to {row['high']:.1%}" in shown
    assert f"mean {summary['decisions']['mean']:.1f}" in shown
    assert "Unfinished" not in shown


def test_simulate_counts_unfinished_games_apart(capsys):
    command = ["simulate", "splendor", "--games", "20", "--seed", "1", "--limit", "60"]
    summary = json.loads(output(capsys, *command, "--json"))
    assert summary["limit"] == 60
    assert summary["unfinished"] > 0
    assert summary["finished"] + summary["unfinished"] == 20
    assert sum(row["wins"] for row in summary["seats"]) == summary["finished"]
    assert f"Unfinished: {summary['unfinished']} games" in output(capsys, *command)


def test_simulate_takes_options_and_another_kit(capsys, tmp_path):
    kit = kit_with(tmp_path, "default.toml", lambda text: text.replace('"default"', '"mine"'))
    command = ["simulate", "splendor", "--games", "5", "--seed", "1", "--json"]
    summary = json.loads(output(capsys, *command, "--option", "payment=choice", "--kit", str(kit)))
    assert summary["options"] == {"payment": "choice"}
    assert summary["kit"] == {"name": "mine", "hash": SPLENDOR.kit().hash}


def test_the_bar_shows_an_estimate_and_ctrl_c_ends_in_one_line():
    terminal, end = pty.openpty()
    command = "-m bottega simulate splendor --games 1000000 --bots greedy --seed 1"
    process = subprocess.Popen(
        [sys.executable, *command.split()],
        stdout=subprocess.PIPE,
        stderr=end,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
        # As in a person's terminal: a shell that starts tests in the background ignores Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(end)
    shown = read_until(terminal, b"left", seconds=120)
    process.send_signal(signal.SIGINT)
    shown += read_until(terminal, b"stopped\r\n", seconds=60)
    assert process.wait(60) == 130
    assert process.stdout is not None
    assert process.stdout.read() == b""
    os.close(terminal)
    assert b"/1000000" in shown
    assert b"Traceback" not in shown
    assert shown.count(b"bottega: stopped") == 1


def read_until(terminal: int, wanted: bytes, seconds: float) -> bytes:
    """What a terminal shows until something wanted appears."""
    shown = b""
    deadline = time.monotonic() + seconds
    while wanted not in shown:
        assert time.monotonic() < deadline, shown[-2000:]
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096)
    return shown


def test_nothing_of_a_stopped_simulation_is_printed(capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "run", stop)
    assert main(["simulate", "splendor", "--json"]) == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip() == "bottega: stopped"


def test_the_command_does_not_load_the_server():
    code = (
        "import sys; from bottega.cli import main; "
        "assert main(['simulate', 'splendor', '--games', '1', '--json']) == 0; "
        "print(sorted({'fastapi', 'sqlalchemy', 'uvicorn', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# Replaying


def test_replay_prints_the_log_and_the_board(capsys, saved):
    shown = output(capsys, "replay", str(saved))
    assert "Ada takes white, blue and green." in shown
    assert "Bank      2W  2U  3G  3R  4K  4O" in shown
    assert "Waiting for Bruno." in shown


def test_replay_of_an_ended_match_prints_the_standings(capsys, ended):
    match = bottega.replay(ended.read_text(encoding="utf-8"))
    shown = output(capsys, "replay", str(ended))
    assert "The game is over." in shown
    for seat in match.winners:
        assert f"{match.names[seat]} (won)" in shown
    for score in match.scores:
        assert re.search(rf"Player \d.* {score}\b", shown)


def test_replay_stops_where_it_is_told(capsys, saved):
    shown = output(capsys, "replay", str(saved), "--at", "1")
    assert "1 decisions" in shown
    assert "Bruno reserves" not in shown


def test_replay_shows_what_the_seat_may_know(capsys, saved):
    match = bottega.replay(saved.read_text(encoding="utf-8"))
    public, private = (match.log(viewer)[1].text for viewer in (None, 1))
    assert public != private
    for seat, line, hidden in [((), public, 1), (("0",), public, 1), (("1",), private, 0)]:
        options = ["--seat", *seat] if seat else []
        shown = " ".join(output(capsys, "replay", str(saved), *options).split())
        assert line in shown
        assert shown.count("hidden, level 2") == hidden


# Kits


def test_kit_check_says_what_it_is(capsys):
    shown = " ".join(output(capsys, "kit", "check", str(KIT / "default.toml")).split())
    kit = SPLENDOR.kit()
    assert "default.toml is in order." in shown
    assert kit.hash in shown
    assert kit.origin[:40] in shown
    assert "cards.csv: 90 rows" in shown
    assert "nobles.csv: 10 rows" in shown


def test_kit_check_tells_a_changed_kit_from_ours(capsys, tmp_path):
    ours = output(capsys, "kit", "check", str(KIT / "default.toml"))
    kit = kit_with(tmp_path, "nobles.csv", lambda text: text.replace(",3,", ",4,", 1))
    changed = output(capsys, "kit", "check", str(kit))
    assert "plays like" in ours
    assert "plays like" not in changed
    assert SPLENDOR.kit().hash not in changed


@pytest.mark.parametrize(
    ("file", "change", "complaint"),
    [
        ("cards.csv", lambda t: t.replace("bonus", "bonbon", 1), "column 'bonus' is missing"),
        ("cards.csv", lambda t: t[: t.rstrip().rindex("\n")] + "\n", "level 3 has 19 cards"),
        ("cards.csv", lambda t: t.replace("1,black,0", "1,pink,0", 1), "line 2: bonus is 'pink'"),
        ("cards.csv", lambda t: t.replace("1,black,0", "1,black,x", 1), "line 2: points is 'x'"),
        ("nobles.csv", lambda t: t[: t.rstrip().rindex("\n")] + "\n", "there are 9 nobles"),
        ("default.toml", lambda t: t.replace("origin", "orange"), "'origin' is missing"),
        ("default.toml", lambda t: t.replace("cards.csv", "none.csv"), "cannot read 'none.csv'"),
        ("default.toml", lambda t: t.replace('"splendor"', '"chess"', 1), "no game 'chess'"),
        ("default.toml", lambda t: t.replace("game", "gain", 1), "'game' is missing"),
        ("default.toml", lambda t: t + "[", "not a TOML file"),
    ],
)
def test_a_kit_that_is_wrong_is_refused(capsys, tmp_path, file, change, complaint):
    kit = kit_with(tmp_path, file, change)
    assert complaint in refuse(capsys, tmp_path, "kit", "check", str(kit))


def test_a_wrong_kit_cannot_be_played(capsys, tmp_path):
    kit = kit_with(tmp_path, "cards.csv", lambda text: text.replace("bonus", "bonbon", 1))
    for command in (["simulate", "splendor"], ["play", "splendor"]):
        complaint = refuse(capsys, tmp_path, *command, "--kit", str(kit))
        assert "column 'bonus' is missing" in complaint


# Bad input


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("frobnicate", "No such command 'frobnicate'"),
        ("simulate", "Missing argument 'GAME'"),
        ("simulate chess", "no game 'chess'"),
        ("simulate splendor --players 7", "for 2 to 4 players, not for 7"),
        ("simulate splendor --players many", "'--players'"),
        ("simulate splendor --games 0", "games must be 1 or more"),
        ("simulate splendor --games -5", "games=-5"),
        ("simulate splendor --seed -1", "seed=-1"),
        ("simulate splendor --seed 18446744073709551616", "seed=18446744073709551616"),
        ("simulate splendor --limit -1", "limit=-1"),
        ("simulate splendor --threads 0", "threads must be 1 or more"),
        ("simulate splendor --bots deep-thought", "no bot 'deep-thought'"),
        ("simulate splendor --bots greedy,", "no bot ''"),
        ("simulate splendor --bots greedy:2", "has no levels"),
        ("simulate splendor --bots random,random,random --players 2", "3 bots for 2 seats"),
        ("simulate splendor --option payment", "NAME=VALUE"),
        ("simulate splendor --option payment=never", "it must be auto or choice"),
        ("simulate splendor --option colour=red", "no option 'colour'"),
        ("simulate splendor --option players=3", "no option 'players'"),
        ("simulate splendor --kit nowhere.toml", "no such kit file"),
        ("simulate splendor --frob", "--frob"),
        ("bench chess", "no game 'chess'"),
        ("rules chess", "no game 'chess'"),
        ("play chess", "no game 'chess'"),
        ("play splendor --players 1", "not for 1"),
        ("play splendor --seat 2", "no seat 2"),
        ("play splendor --seat -1", "no seat -1"),
        ("play splendor --bots deep-thought", "no bot 'deep-thought'"),
        ("play splendor --option kit=3", "no option 'kit'"),
        ("play splendor --load nowhere.txt", "no such file"),
        ("replay nowhere.txt", "no such file"),
        ("replay .", "is a folder"),
        ("kit check nowhere.toml", "no such kit file"),
        ("kit check .", "is a folder"),
        ("kit", "Missing command"),
        ("backup", "Missing argument 'FILE'"),
        ("restore", "Missing argument 'FILE'"),
        ("restore kept.tar --force", "--force"),
    ],
)
def test_bad_input_is_one_line(capsys, tmp_path, command, complaint):
    assert complaint in refuse(capsys, tmp_path, *command.split())


@pytest.mark.parametrize("command", [["replay"], ["kit", "check"], ["play", "splendor", "--load"]])
def test_a_binary_file_is_refused(capsys, tmp_path, command):
    (tmp_path / "picture.png").write_bytes(bytes(range(256)))
    assert "picture.png" in refuse(capsys, tmp_path, *command, "picture.png")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda _: "", "not a notation"),
        (lambda t: t[: t.index("end 3")], "cut short"),
        (lambda t: t[: t.index("3 0 take") + 9], "cut short"),
        (
            lambda t: t.replace("2 1 reserve-deck-2", "2 1 reserve-deck-9"),
            "move 2 (reserve-deck-9)",
        ),
        (lambda t: t.replace("2 1 reserve-deck-2", "2 1 buy-3a"), "You cannot pay"),
        (lambda t: t.replace("2 1 reserve", "2 7 reserve"), "no seat 7"),
        (lambda t: t.replace("game splendor", "game chess"), "no game 'chess'"),
        (lambda t: t.replace("rules 1", "rules 99"), "version 99 of the rules"),
        (lambda t: re.sub("kit default .*", "kit default 0123456789abcdef", t), "another kit"),
        (lambda t: t.replace("payment=auto", "payment=maybe"), "it must be auto or choice"),
        (lambda t: t.replace("payment=auto", "limit=5"), "no option 'limit'"),
        (lambda t: t.replace("players 2", "players two"), "players 'two'"),
    ],
)
def test_a_save_that_does_not_fit_is_refused(capsys, tmp_path, saved, change, complaint):
    saved.write_text(change(saved.read_text(encoding="utf-8")), encoding="utf-8")
    for command in (["replay"], ["play", "splendor", "--load"]):
        assert complaint in refuse(capsys, tmp_path, *command, str(saved))


def test_replay_refuses_a_seat_and_a_move_that_are_not_there(capsys, tmp_path, saved):
    assert "no seat 2" in refuse(capsys, tmp_path, "replay", str(saved), "--seat", "2")
    assert "no move 4" in refuse(capsys, tmp_path, "replay", str(saved), "--at", "4")
    assert "no move -1" in refuse(capsys, tmp_path, "replay", str(saved), "--at", "-1")


def test_load_refuses_what_the_save_decides(capsys, tmp_path, saved):
    command = ["play", "splendor", "--load", str(saved)]
    for given in (["--seed", "3"], ["--players", "2"], ["--option", "payment=auto"]):
        assert f"leave out {given[0]}" in refuse(capsys, tmp_path, *command, *given)


def test_load_refuses_an_ended_match(capsys, tmp_path, ended):
    assert "is over" in refuse(capsys, tmp_path, "play", "splendor", "--load", str(ended))


def test_simulate_with_another_kit(capsys):
    command = ["simulate", "renaissance-man", "--players", "2", "--bots", "greedy", "--games", "4"]
    told = {}
    for kit in ("default", "permutations"):
        text = output(capsys, *command, "--seed", "3", "--json", "--kit", kit)
        told[kit] = json.loads(text)
        assert told[kit]["kit"]["name"] == kit
    assert told["default"]["decisions"] != told["permutations"]["decisions"]
