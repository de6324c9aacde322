"""Each game has its own compiled copy of a loop; a changed source is never answered by old code."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

import bottega
from bottega.engine import elsewhere, loops, progress
from bottega.engine.chance import mix
from bottega.engine.compile import Code, Entry, fingerprint
from bottega.engine.rule import INTERPRETED, rule

PROGRAM = """
import bottega
print(bottega.playouts("splendor", 10).lengths)
"""
ONE_TABLE = """
import sys, time
import bottega
from bottega.engine import loops
match = bottega.game("splendor").new(2, 1)
door = match.game.code(loops.open_legal)
first = match.legal_numbers(0)
assert not door.ready, "it waited for the compiler"
until = time.monotonic() + 120
while not door.ready and time.monotonic() < until:
    assert match.legal_numbers(0) == first
    match.copy().play(0, first[0])
print("compiled elsewhere" if door.ready and match.legal_numbers(0) == first else "never")
"""
NOWHERE = """
import numba.core.dispatcher
def nowhere(function):
    raise RuntimeError("cannot cache function: no locator available")
numba.core.dispatcher.FunctionCache = nowhere
"""


def test_the_fingerprint_follows_every_source(tmp_path):
    (tmp_path / "rules.py").write_text("a = 1\n")
    first = fingerprint((tmp_path,))
    fingerprint.cache_clear()
    (tmp_path / "rules.py").write_text("a = 2\n")
    assert fingerprint((tmp_path,)) != first


def test_the_copy_calls_the_games_own_rules():
    game = bottega.game("splendor")
    seen = {}

    def judge(kit, s, out):
        seen["judge"] = True

    if os.environ.get("NUMBA_DISABLE_JIT"):
        code = Code("other", {**game.code.rules, "judge": judge}, game.folder)
        code(loops.open_judge)([None], [None], None)
        assert seen
    assert game.code.rules["play"] is game.rules.play


def test_first_use_says_that_it_compiles_and_the_second_does_not(tmp_path):
    """With an empty cache a line on stderr says so; with a full one nothing is printed."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True)
        for _ in range(2)
    )
    assert "Compiling splendor" in first.stderr
    assert "Compiling" not in second.stderr
    assert first.stdout == second.stdout != ""
    assert list(Path(tmp_path).rglob("*.nbc"))


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_two_processes_do_not_compile_the_same_thing_twice(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    (said, errors), (said_too, errors_too) = (process.communicate() for process in both)
    assert said == said_too != ""
    assert (errors + errors_too).count("Compiling splendor (playouts); once") == 1


def run(program: str, cache: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A program with a cache of its own."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **more}
    return subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_table_answers_at_once_and_is_compiled_elsewhere(tmp_path):
    done = run(ONE_TABLE, tmp_path)
    assert (done.stdout, done.stderr) == ("compiled elsewhere\n", "")
    assert list(tmp_path.rglob("*open_legal*.nbc"))


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_without_a_folder_it_is_said_once_and_compiled_in_memory(tmp_path):
    done = run(NOWHERE + ONE_TABLE, tmp_path)
    assert done.stdout == "compiled elsewhere\n"
    assert done.stderr.count("There is no folder to keep machine code in") == 1
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize(
    "command",
    [
        "bottega.playouts('splendor', 1)",
        "from bottega.envs.pettingzoo import splendor_v0; splendor_v0.env().reset(seed=1)",
        "from bottega.cli import main; main(['simulate', 'splendor', '--games', '1'])",
    ],
)
def test_one_table_compiles_nothing(tmp_path, command):
    done = run(f"import bottega; {command}", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Compiling" not in done.stderr
    assert not list(tmp_path.rglob("*.nbc"))


def test_what_cannot_be_compiled_elsewhere_is_compiled_here(monkeypatch):
    """A game that another process does not know, say."""
    game = bottega.game("splendor")
    code = Code("unknown-elsewhere", game.code.rules, game.folder)
    other = elsewhere.Elsewhere()
    other._codes[code.game] = code
    other._heard(code.game, "engine", elsewhere.FAILED)
    compiled = []
    door = code(loops.open_waiting)
    monkeypatch.setattr(door, "_compile", compiled.append)
    monkeypatch.setattr(door, "ready", False)
    match = game.new(2, 1)
    door(match.kit.record, match.records[-1])
    assert compiled


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_rules_that_allocate_do_not_compile():
    @rule
    def wasteful(size):
        return np.zeros(size)[0]

    with pytest.raises(numba.core.errors.NumbaError, match="zeros"):
        wasteful.compile((numba.int64,))


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_rule_called_from_python_is_interpreted_and_counts_modulo_2_64(recwarn):
    word = z = 2**64 - 1
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    assert int(mix(word)) == z ^ (z >> 31)
    assert not recwarn.list


def kept_in(folder):
    """An entry that would be kept in a folder."""
    function = SimpleNamespace(
        py_func=SimpleNamespace(__qualname__="door.chess.new"),
        stats=SimpleNamespace(cache_path=str(folder)),
    )
    entry = Entry.__new__(Entry)
    entry.game, entry.name, entry.function = "chess", "door", function
    entry.code = SimpleNamespace(keeps=True)
    return entry


def test_whoever_waits_for_another_process_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    entry = kept_in(tmp_path)

    def need_the_same():
        with entry._alone():
            pass

    other = threading.Thread(target=need_the_same)
    with entry._alone():
        other.start()
        until = time.monotonic() + 30
        said = ""
        while "Compiling chess (door) in another process" not in said:
            assert time.monotonic() < until, said
            time.sleep(0.01)
            said += capsys.readouterr().err
    other.join()


def test_sweeping_leaves_what_another_process_just_writes(tmp_path, monkeypatch):
    entry = kept_in(tmp_path)
    old, other = tmp_path / "loops.door.chess.old-1.py311.nbi", tmp_path / "loops.door.go.x-1.nbi"
    for file in (old, other):
        file.touch()
    listed, written = Entry._files, []

    def written_meanwhile(*arguments):
        written.append(tmp_path / f"loops.door.chess.new-1.py311.1.nbc.tmp.{len(written)}")
        written[-1].touch()
        return list(listed(*arguments))

    monkeypatch.setattr(Entry, "_files", written_meanwhile)
    entry.sweep()
    assert not old.exists()
    assert other.exists()
    assert written
    assert all(file.exists() for file in written)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_where_no_other_process_can_begin_this_one_compiles(monkeypatch):
    monkeypatch.setattr(elsewhere, "MODULE", "bottega.no_such_module")
    game = bottega.game("splendor")
    code = Code("splendor", game.code.rules, game.folder)
    elsewhere.Elsewhere().want(code, "engine")
    until = time.monotonic() + 60
    while not code.here and time.monotonic() < until:
        time.sleep(0.05)
    assert code.here == {"engine"}
