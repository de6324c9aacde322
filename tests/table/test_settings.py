"""What the environment sets is checked at the start, and refused by name where it does not fit."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bottega.table.faults import CannotServe
from bottega.table.secret import Secret
from bottega.table.settings import VARIABLES, Settings, from_environment, settings
from tests.docs.blocks import ROOT

KEY = "0123456789abcdef" * 4


def test_every_setting_has_its_variable_and_is_documented() -> None:
    fields = [field.name for field in dataclasses.fields(Settings)]
    assert list(VARIABLES) == fields
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `BOTTEGA_(\w+)` \|", page, re.MULTILINE)
    assert sorted(documented) == sorted(name.upper() for name in fields)


def test_what_fits_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(f"{KEY}\n")
    said = {"DATA": "/srv/x", "PAUSE": "0.5", "CAPACITY": "9", "WARM": "0", "LOGS": "json"}
    for name, text in said.items():
        monkeypatch.setenv(f"BOTTEGA_{name}", text)
    monkeypatch.setenv("BOTTEGA_SECRET_FILE", str(file))
    monkeypatch.setenv("BOTTEGA_STUDY", "")  # as a file of the environment leaves one out
    found = settings(pause=2)
    assert (found.data, found.capacity, found.warm, found.logs) == (
        Path("/srv/x"),
        9,
        False,
        "json",
    )
    assert found.pause == 2, "what is given goes before the environment"
    assert found.secret == KEY
    assert found.study == Settings(Path()).study
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("PAUSE", "fast", "BOTTEGA_PAUSE is 'fast'; it must be a number, 0 or more."),
        ("PAUSE", "-1", "BOTTEGA_PAUSE is '-1'; it must be a number, 0 or more."),
        ("PACE", "nan", "BOTTEGA_PACE is 'nan'; it must be a number, 0 or more."),
        ("STUDY", "inf", "BOTTEGA_STUDY is 'inf'; it must be a number, 0 or more."),
        ("ABSENCE", "8s", "BOTTEGA_ABSENCE is '8s'; it must be a number, 0 or more."),
        ("CAPACITY", "0", "BOTTEGA_CAPACITY is '0'; it must be a whole number, 1 or more."),
        ("CAPACITY", "2.5", "BOTTEGA_CAPACITY is '2.5'; it must be a whole number, 1 or more."),
        ("CAPACITY", "²", "BOTTEGA_CAPACITY is '²'; it must be a whole number, 1 or more."),
        ("WARM", "maybe", "BOTTEGA_WARM is 'maybe'; it must be 1 or 0."),
        (
            "PROXIES",
            "proxy",
            "BOTTEGA_PROXIES is 'proxy'; it must be addresses or networks, as in ",
        ),
        ("PROXIES", "*", "BOTTEGA_PROXIES is '*'; it must be addresses or networks, as in "),
        ("PROXIES", "10.0.0.1/8", "BOTTEGA_PROXIES is '10.0.0.1/8'; it must be addresses or netwo"),
        (
            "PROXIES",
            "10.0.0.1,",
            "BOTTEGA_PROXIES is '10.0.0.1,'; it must be addresses or networks",
        ),
        ("METRICS", "all", "BOTTEGA_METRICS is 'all'; it must be off, local or open."),
        ("LOGS", "xml", "BOTTEGA_LOGS is 'xml'; it must be plain or json."),
        ("PAUZE", "1", "There is no setting BOTTEGA_PAUZE; the nearest is BOTTEGA_PAUSE."),
        ("DATABSE", "x", "There is no setting BOTTEGA_DATABSE; the nearest is BOTTEGA_DATABASE."),
        ("PAUSE_FILE", "x", "There is no setting BOTTEGA_PAUSE_FILE; "),
        ("SECRET_FILE", "/nowhere/x", "BOTTEGA_SECRET_FILE names a file that cannot be read: "),
    ],
)
def test_what_does_not_fit_is_refused_by_name(name: str, text: str, sentence: str) -> None:
    with pytest.raises(CannotServe) as refused:
        from_environment({f"BOTTEGA_{name}": text})
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("SECRET", KEY[1:], "64 hexadecimal digits"),
        ("SECRET", "x" + KEY[1:], "64 hexadecimal digits"),
        ("DATABASE", "ada:hush@host", "a URL like postgresql"),
        ("DATABASE", "postgresql+asyncpg://ada:hush@host:port/db", "a URL like postgresql"),
        ("DATABASE", "postgresql+hush://ada@host/db", "a URL like postgresql"),
        ("DATABASE", "sqlite:///hush", "a URL that begins with postgresql+asyncpg://"),
        ("DATABASE", "mysql+asyncmy://ada:hush@host/db", "whose driver is installed"),
    ],
)
def test_what_is_confidential_is_not_repeated(name: str, text: str, wanted: str) -> None:
    with pytest.raises(CannotServe) as refused:
        from_environment({f"BOTTEGA_{name}": text})
    said = str(refused.value)
    assert said.startswith(f"BOTTEGA_{name} does not fit; it must be ")
    assert wanted in said
    assert "hush" not in said
    assert KEY[1:] not in said


def test_a_setting_is_not_made_twice(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY)
    both = {"BOTTEGA_SECRET": KEY, "BOTTEGA_SECRET_FILE": str(tmp_path / "key")}
    with pytest.raises(CannotServe, match="are both set"):
        from_environment(both)


def test_an_empty_file_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "key").touch()
    with pytest.raises(CannotServe, match="64 hexadecimal digits"):
        from_environment({"BOTTEGA_SECRET_FILE": str(tmp_path / "key")})


def test_the_command_says_it_in_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bottega", "serve", "--port", "0", "--data", str(tmp_path)]
    environment = {**os.environ, "BOTTEGA_PAUZE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "There is no setting BOTTEGA_PAUZE; the nearest is BOTTEGA_PAUSE.\n"
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_a_secret_of_the_settings_is_used_in_place_of_the_file(tmp_path: Path) -> None:
    given = Secret.of(Settings(tmp_path, secret=KEY))
    assert given.seat_token("table", 0) == Secret(bytes.fromhex(KEY)).seat_token("table", 0)
    assert not list(tmp_path.iterdir())
    kept = Secret.of(Settings(tmp_path))
    assert kept.seat_token("table", 0) != given.seat_token("table", 0)
    assert Secret.of(Settings(tmp_path)).seat_token("table", 0) == kept.seat_token("table", 0)
