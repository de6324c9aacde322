"""The examples run, on a small budget."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import bottega

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str):
    """An example's module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tried():
    source = Path(__file__).read_text(encoding="utf-8")
    for file in EXAMPLES.glob("*.py"):
        assert f'example("{file.stem}")' in source, f"{file.name} is not tried here"


@pytest.mark.parametrize("name", bottega.games())
def test_random_agents(name, capsys):
    example("batch_random").main([name, "--tables", "64", "--steps", "50"])
    example("pettingzoo_random").main([name, "--limit", "200"])
    example("gymnasium_random").main(
        [name, "--limit", "200", "--players", "2", "--tables", "32", "--steps", "50"]
    )
    example("openspiel_random").main([name, "--limit", "200"])
    assert "decisions" in capsys.readouterr().out


@pytest.mark.parametrize("search", ["mcts", "ismcts"])
def test_tree_searches_of_openspiel(search):
    arguments = ["--search", search, "--simulations", "6", "--games", "1", "--limit", "40"]
    assert -1 <= example("openspiel_mcts").main(arguments) <= 1


def test_ppo(tmp_path):
    """The losses, the advantages along each seat's decisions, a plot, and a network to keep."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs it")
    ppo = example("ppo")
    history = ppo.main(
        f"--tables 64 --steps 16 --updates 3 --games 20 --width 32 --limit 200 --evaluate 0 "
        f"--folder {tmp_path}".split()
    )
    assert [row["decisions"] for row in history] == [0, 1024, 2048, 3072]
    assert all(0 <= row[name] <= 1 for row in history for name in ("random", "greedy"))
    assert (tmp_path / "ppo.svg").read_text(encoding="utf-8").startswith("<svg")
    assert torch.load(tmp_path / "ppo.pt")["policy.bias"].shape == (78,)
    # One table, two seats in turn, the game won by seat 0 at the last step.
    rows = torch.arange(4)
    rollout = ppo.Rollout(
        seen=rows, legal=rows, guesses=rows, actions=rows, chances=rows,
        seats=torch.tensor([[0], [1], [0], [1]]),
        values=torch.zeros(4, 1),
        rewards=torch.tensor([[[0.0, 0.0]]] * 3 + [[[1.0, -1.0]]]),
        done=torch.tensor([[False]] * 3 + [[True]]),
        last=torch.tensor([0.7]), last_seats=torch.tensor([0]),
    )  # fmt: skip
    gains = ppo.advantages(rollout, gamma=1.0, smoothing=0.5).flatten()
    assert gains.tolist() == pytest.approx([0.5, -0.5, 1.0, -1.0])
