"""What stands in `deploy`, the Dockerfile and compose.yaml agrees with what it runs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import Counter, Histogram
from prometheus_client.metrics import MetricWrapperBase
from typer.main import get_command

from bottega.cli import app
from bottega.table import metrics
from bottega.table.settings import CONFIDENTIAL, IN_FILE, VARIABLES, variable_of

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service["image"] == "bottega"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
KNOWN = {variable_of(name) for name in VARIABLES}
KNOWN |= {variable_of(name) + IN_FILE for name in CONFIDENTIAL}


def understands(words: list[str]) -> None:
    """The command knows these words; nothing is run."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    command = commands[words[0]]
    command.make_context(words[0], words[1:], resilient_parsing=False)


@pytest.mark.parametrize("file", [ROOT / "Dockerfile", ROOT / "compose.yaml", *UNITS], ids=str)
def test_every_variable_is_a_setting(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    said = "\n".join(line for line in lines if not line.strip().startswith("#"))
    assert {*re.findall(r"\bBOTTEGA_\w+", said)} <= KNOWN


# compose.yaml


@pytest.mark.parametrize("name", OURS)
def test_a_service_runs_a_command_that_there_is(name: str) -> None:
    command = SERVICES[name].get("command") or json.loads(
        re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[-1]
    )
    understands(command)


def test_a_house_has_all_that_it_needs() -> None:
    commands = [(SERVICES[name].get("command") or ["serve"])[0] for name in OURS]
    assert sorted(commands) == ["backup", "serve", "serve", "think"]
    for name in OURS:
        assert {*SERVICES[name]["build"]["args"]} <= {*re.findall(r"^ARG (\w+)=", DOCKERFILE, re.M)}
        assert SERVICES[name]["depends_on"]["postgres"]["condition"] == "service_healthy"
    secrets = COMPOSE["secrets"]
    for service in SERVICES.values():
        assert {*service.get("secrets", [])} <= secrets.keys()
        for text in service.get("environment", {}).values():
            if str(text).startswith("/run/secrets/"):
                assert Path(text).name in service["secrets"]
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or source.startswith("./")
            assert "deploy" not in source or (ROOT / source).is_file()
        assert {*service["networks"]} <= COMPOSE["networks"].keys()
    assert "ports" not in SERVICES["web-one"], "nobody comes past the proxy"


def test_the_proxy_and_prometheus_know_the_servers() -> None:
    servers = {f"{name}:8000" for name in OURS if "command" not in SERVICES[name]}
    network = COMPOSE["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    addresses = {SERVICES[one[:-5]]["networks"]["inside"]["ipv4_address"] for one in servers}
    assert all(ip_address(one) in ip_network(network) for one in addresses)
    nginx = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    said = re.findall(r"^\s+server (\S+):8000 ", nginx, re.MULTILINE)
    assert {*said} == addresses
    told = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
    (job,) = told["scrape_configs"]
    assert {*job["static_configs"][0]["targets"]} == servers
    assert job.get("metrics_path", "/metrics") == "/metrics"


# The image


def test_the_image_is_made_of_what_there_is() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    copied = [words.split() for words in re.findall(r"^COPY (?!--)(.+)$", DOCKERFILE, re.MULTILINE)]
    assert {source for *sources, _ in copied for source in sources} == let_in
    assert all((ROOT / source).exists() for source in let_in)
    understands(re.findall(r"^RUN bottega (.+)$", DOCKERFILE, re.MULTILINE))
    assert "/readyz" in DOCKERFILE
    for word in ("ENTRYPOINT", "CMD", "STOPSIGNAL", "HEALTHCHECK"):
        assert re.search(rf"^\s*{word} ", DOCKERFILE, re.MULTILINE)
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert last.index("\nUSER ") < last.index("\nENTRYPOINT "), "it does not run as root"


# systemd


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_runs_a_command_that_there_is(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=/opt/bottega/bin/bottega (.+)$", text, re.MULTILINE)
    understands(shlex.split(line.replace("${WORKERS}", "2")))
    assert "User=bottega" in text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_understands_a_unit(unit: Path, tmp_path: Path) -> None:
    installed = tmp_path / unit.name
    text = unit.read_text(encoding="utf-8").replace("/opt/bottega/bin/bottega", "/bin/true")
    installed.write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(installed)]
    done = subprocess.run(command, capture_output=True, text=True)
    about_ours = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, about_ours) == (0, [])


# Grafana


def exported() -> dict[str, set[str]]:
    """The series that /metrics has, each with its labels."""
    found: dict[str, set[str]] = {}
    for value in vars(metrics).values():
        if isinstance(value, MetricWrapperBase):
            labels = {*value._labelnames}
            if isinstance(value, Histogram):
                found[f"{value._name}_bucket"] = {*labels, "le"}
                found |= {f"{value._name}_{end}": labels for end in ("sum", "count")}
            else:
                found[value._name + ("_total" if isinstance(value, Counter) else "")] = labels
    return found


def test_the_board_shows_what_is_exported_and_all_of_it() -> None:
    board = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    there, shown = exported(), set()
    for panel in board["panels"]:
        assert panel["title"]
        for target in panel["targets"]:
            (series,) = re.findall(r"\bbottega_\w+", target["expr"])
            assert series in there, f"{panel['title']} asks for {series}"
            shown.add(series)
            grouped = ",".join(re.findall(r"by \(([^)]*)\)", target["expr"]))
            labels = {label.strip() for label in grouped.split(",") if label}
            assert labels <= there[series] | {"instance"}
            assert {*re.findall(r"{{(\w+)}}", target["legendFormat"])} <= labels
    names = {re.sub(r"_(bucket|sum|count)$", "", series) for series in there}
    assert {re.sub(r"_(bucket|sum|count)$", "", series) for series in shown} == names
    places = [tuple(panel["gridPos"].values()) for panel in board["panels"]]
    assert len({*places}) == len(places)
