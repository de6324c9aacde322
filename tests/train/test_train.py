"""Training: what is learned from is right; a run goes on where it stopped, and tells its past."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bottega
from bottega.bots import net
from bottega.bots.policy import opinion
from bottega.cli import REFUSED, main
from bottega.engine.errors import NetError

torch = pytest.importorskip("torch", reason="PyTorch is not installed; .ci/run installs it")

from bottega.train import settings as reader  # noqa: E402
from bottega.train.card import unseen  # noqa: E402
from bottega.train.expert import Expert, Lessons, Searched, what_came_of  # noqa: E402
from bottega.train.network import Network  # noqa: E402
from bottega.train.ppo import Rollout, SelfPlay, returns  # noqa: E402
from bottega.train.run import Run, Wish  # noqa: E402
from bottega.train.tables import Short, results_of  # noqa: E402

GAMES = [bottega.game(name) for name in bottega.games()]
SPLENDOR = bottega.game("splendor")

SMALL = """
[usual]
wide = 32
narrow = 16
tables = 24
steps = 4
minibatch = 48
epochs = 1
rate = 1e-3
clip = 0.2
entropy = 0.01
smoothing = 0.97
guess = true
goal = 0
nearly = 0.0
limit = 60
compile = false
[usual.expert]
tables = 8
steps = 6
scatter = 2
iterations = 6
width = 4
stretch = 3.0
lesson = 2.0
kept = 0.9
explore = 0.8
untried = 0.1
root = 1.5
heat = 1.5
luck = 1.0
ahead = 0
wander = 0.05
window = 500
reuse = 2.0
minibatch = 4
rate = 3e-4
found = 0.25
"""


@pytest.fixture
def small(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL, encoding="utf-8")
    return file


def new_run(folder, small, minutes=0.02, expert=0.02, game=SPLENDOR, kit="default"):
    wish = Wish(minutes, expert, evaluate=60.0, games=4, seed=7)
    return Run(game, folder, game.kit(kit), "cpu", small, wish, print)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_settings_of_every_game_can_be_read(game):
    for device in ("cpu", "cuda"):
        settings = reader.read(game, device)
        counts = {share.players for share in settings.mix}
        assert counts == set(range(game.seats[0], game.seats[1] + 1))
        assert sum(share.share for share in settings.mix) == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("wide = 32", "'wide' is missing"),
        ("tables = 24", "'tables' is missing"),
        ("wide = 32\nwhatever = 3", "'whatever' is no setting"),
        ("wide = 3.5", "wide = 3.5 is not a whole number"),
        ("wide = -1", "wide = -1 is not possible"),
        ("wide = [", "not a TOML file"),
    ],
)
def test_broken_settings_get_a_sentence(small, line, reason):
    name = line.partition(" ")[0]
    lines = [old for old in SMALL.splitlines() if not old.startswith(f"{name} =")]
    if "missing" not in reason:
        lines.insert(2, line)
    elif name == "tables":
        lines = [old for old in SMALL.splitlines() if old != "tables = 24"]
    small.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(bottega.BadOption, match=reason):
        reader.read(SPLENDOR, "cpu", small)


def test_what_followed_tells_what_a_decision_was_worth():
    """Two seats, three steps, the game ends with the second; by hand, lambda = 1/2."""
    values = torch.tensor([[0.5, 0.5], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8]])[:, None]
    done = torch.tensor([[False], [True], [False]])
    results = torch.zeros(3, 1, 2)
    results[1, 0] = torch.tensor([1.0, 0.0])
    nothing = torch.zeros(0)
    rollout = Rollout(nothing, nothing, nothing, nothing, nothing, values, results, done)
    targets = returns(rollout, 0.5)[:, 0]
    assert torch.allclose(targets[2], values[3, 0])  # nothing else is known of the next game
    assert torch.allclose(targets[1], torch.tensor([1.0, 0.0]))
    assert torch.allclose(targets[0], 0.5 * values[1, 0] + 0.5 * torch.tensor([1.0, 0.0]))


def test_alone_a_lost_game_counts_for_how_close_it_came():
    """Won, a point short, three points short; with others only who won."""
    alone = torch.tensor([[[1, 15]], [[2, 14]], [[2, 12]]])
    assert results_of(alone)[:, 0].tolist() == [1, 0, 0]
    close = results_of(alone, Short(goal=15, worth=0.5))
    assert torch.allclose(close, torch.tensor([[1, 0], [0.5, 0.5], [0.125, 0.875]]))
    assert results_of(alone, Short(goal=15, worth=0.0))[:, 0].tolist() == [1, 0, 0]
    two = torch.tensor([[[1, 14], [2, 14]], [[1, 9], [1, 9]]])
    assert results_of(two, Short(goal=15, worth=0.5)).tolist() == [[1, 0], [0.5, 0.5]]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_tables_of_all_groups_are_seen_alike(game, small):
    """Inputs are what the waiting seats know and may do; values are by seat, and add up to 1."""
    settings = reader.read(game, "cpu", small)
    torch.manual_seed(1)
    play = SelfPlay(game, game.kit(), settings, Network(game, 32, 16), "cpu", 5)
    before = [
        (group.batch.encode().copy(), group.batch.legal().copy()) for group in play.tables.groups
    ]
    rollout = play.collect()
    seen = np.concatenate([one for one, _ in before])
    legal = np.concatenate([one for _, one in before])
    assert np.array_equal(rollout.inputs[0, :, : game.observation], seen)
    assert np.array_equal(rollout.inputs[0, :, game.observation :], legal)
    assert torch.allclose(rollout.values.sum(-1), torch.ones(()))
    chosen = rollout.inputs[..., game.observation :].gather(-1, rollout.actions[..., None])
    assert (chosen == 1).all()  # nothing illegal was played
    play.learn(rollout, 1.0)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_network_plays_as_it_was_trained(game, tmp_path):
    """PyTorch and the compiled code say the same of a table."""
    torch.manual_seed(2)
    network = Network(game, 32, 16)
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    file = tmp_path / "net.safetensors"
    network.save(file, {"game": game.name, "kit": game.kit().hash})
    learned = net.read(file, game)
    network.load(learned)  # rounded to 16 bits
    match = game.new(2, 3)
    seat = match.waiting[0]
    legal = np.zeros(game.actions, np.float32)
    legal[match.legal_numbers(seat)] = 1
    inputs = torch.from_numpy(np.concatenate([match.encode(seat), legal]))[None]
    answer = network(inputs)
    said = opinion(match, seat, learned)
    numbers = match.legal_numbers(seat)
    likely = answer.policy[0, numbers].softmax(0).tolist()
    assert list(said.actions.values()) == pytest.approx(likely, abs=1e-4)
    assert said.chances[seat] == pytest.approx(answer.value[0, :2].softmax(0)[0].item(), abs=1e-4)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_what_the_search_found_is_learned(game, small):
    """What should have been likely is legal and adds up to 1; so do everybody's chances."""
    settings = reader.read(game, "cpu", small)
    torch.manual_seed(3)
    expert = Expert(game, game.kit(), settings, Network(game, 32, 16), "cpu", 5)
    noted = expert.collect()
    assert 0 < noted == expert.lessons.noted
    lessons = expert.lessons
    policy, legal = lessons.policy[:noted].float(), lessons.inputs[:noted, game.observation :] > 0
    assert torch.allclose(policy.sum(-1), torch.ones(noted), atol=1e-2)
    assert not (policy.bool() & ~legal).any()
    assert (legal.sum(-1) > 1).all()  # where nothing is to be chosen, nothing is to be learned
    values, possible = lessons.value[:noted], lessons.possible[:noted]
    assert torch.allclose(values.sum(-1), torch.ones(noted), atol=1e-3)
    assert values.min() >= 0
    assert not values[torch.arange(values.shape[1]) >= possible].any()
    before = [weights.clone() for weights in expert.network.parameters()]
    assert expert.learn(1.0)["policy loss"] > 0
    assert not all(map(torch.equal, before, expert.network.parameters()))


def searched(seats, expected, results, done, strayed):
    """One table, two seats."""
    steps = len(seats)
    nothing = torch.zeros(0)
    return Searched(
        inputs=nothing,
        seats=torch.tensor(seats).reshape(steps, 1),
        policy=nothing,
        expected=torch.tensor(expected).reshape(steps + 1, 1, 2),
        strayed=torch.tensor(strayed).reshape(steps, 1),
        results=torch.tensor(results).reshape(steps, 1, 2),
        done=torch.tensor(done).reshape(steps, 1),
    )


def test_what_came_of_decisions_is_told_from_the_end():
    """By hand: a share of one half for what the search expected at each decision. The game ends
    with the third; of the next one nothing is known but what is expected."""
    told = what_came_of(
        searched(
            seats=[0, -1, 1, 0],
            expected=[[0.4, 0.6], [9.0, 9.0], [0.2, 0.8], [0.5, 0.5], [0.7, 0.3]],
            results=[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]],
            done=[False, False, True, False],
            strayed=[False, False, False, False],
        ),
        0.5,
    )[:, 0]
    assert told[3].tolist() == pytest.approx([0.6, 0.4])
    assert told[2].tolist() == pytest.approx([0.6, 0.4])
    assert told[1].tolist() == pytest.approx([0.6, 0.4])  # a forced decision tells nothing new
    assert told[0].tolist() == pytest.approx([0.5, 0.5])


def test_what_followed_chance_says_nothing_of_what_came_before():
    told = what_came_of(
        searched(
            seats=[0, 1],
            expected=[[0.4, 0.6], [0.2, 0.8], [0.5, 0.5]],
            results=[[0.0, 0.0], [1.0, 0.0]],
            done=[False, True],
            strayed=[False, True],
        ),
        0.0,
    )[:, 0]
    assert told[0].tolist() == told[1].tolist() == pytest.approx([0.2, 0.8])


def test_the_oldest_lessons_are_forgotten():
    lessons = Lessons(5, 2, 1, 2, "cpu")
    for first in (0, 3, 6):
        rows = torch.arange(first, first + 3).float()[:, None]
        lessons.note(rows.expand(-1, 2), rows, rows.expand(-1, 2), rows.long())
    assert len(lessons) == 5
    assert sorted(lessons.policy[:, 0].tolist()) == [4, 5, 6, 7, 8]
    assert torch.equal(lessons.inputs[:, 0], lessons.value[:, 1].half())
    many = torch.arange(20).float()[:, None]
    lessons.note(many.expand(-1, 2), many, many.expand(-1, 2), many.long())
    assert sorted(lessons.policy[:, 0].tolist()) == [15, 16, 17, 18, 19]


def test_a_run_is_kept_goes_on_and_says_what_made_it(tmp_path, small):
    folder = tmp_path / "run"
    new_run(folder, small).train()
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record["kit"]["hash"] == SPLENDOR.kit().hash
    assert record["settings"]["wide"] == 32
    assert record["decisions"]["ppo"] > 0
    assert record["decisions"]["expert"] > 0
    assert record["starts"][0]["seed"] == 7
    assert record["starts"][0]["commit"]
    assert {"random", "greedy", "earlier self"} <= record["curves"][-1].keys()
    assert "<svg" in (folder / "curves.svg").read_text(encoding="utf-8")
    assert "never seen" in (folder / "NET.md").read_text(encoding="utf-8")
    learned = net.read(folder / "net.safetensors", SPLENDOR)
    match = SPLENDOR.new(2, 1)
    bot = bottega.bot("search", iterations=20, net=folder / "net.safetensors")
    assert bot.choose(match, 0) in match.legal(0)
    spent = 60 * record["hours"]["ppo"]  # minutes; on a busy machine more than was asked for
    again = new_run(folder, small, minutes=spent + 0.02, expert=0.02)
    assert np.allclose(again.network.weights()["first"], net.plain(learned.net)["first"], atol=1e-3)
    again.train()
    later = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert len(later["starts"]) == 2
    assert later["decisions"]["ppo"] > record["decisions"]["ppo"]
    assert later["decisions"]["expert"] == record["decisions"]["expert"]


def test_a_run_that_breaks_down_says_so_and_keeps_what_was_there_before(
    tmp_path, small, monkeypatch
):
    folder = tmp_path / "run"
    new_run(folder, small, expert=0).train()
    before = (folder / "net.safetensors").read_bytes()
    monkeypatch.setattr(Expert, "learn", lambda *_: {"value loss": float("nan")})
    with pytest.raises(NetError, match="broke down"):
        new_run(folder, small, expert=5).train()
    assert (folder / "net.safetensors").read_bytes() == before


def test_a_run_that_is_stopped_keeps_what_there_is(tmp_path, small, monkeypatch):
    run = new_run(tmp_path / "run", small, minutes=5)
    step = SelfPlay.learn

    def stopped(self, *how):
        step(self, *how)
        raise KeyboardInterrupt

    monkeypatch.setattr(SelfPlay, "learn", stopped)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    assert (tmp_path / "run" / "checkpoint.pt").exists()
    net.read(tmp_path / "run" / "net.safetensors", SPLENDOR)


def test_a_run_does_not_go_on_with_another_kit_or_shape(tmp_path, small):
    folder = tmp_path / "run"
    new_run(folder, small).keep()
    with pytest.raises(bottega.BadOption, match="holds a run of splendor"):
        new_run(folder, small, game=bottega.game("artificium"))
    small.write_text(SMALL.replace("wide = 32", "wide = 64"), encoding="utf-8")
    with pytest.raises(bottega.BadOption, match="a network of another shape"):
        new_run(folder, small)


def test_a_network_can_be_where_a_run_begins(tmp_path, small):
    first = new_run(tmp_path / "one", small)
    first.past.decisions["ppo"] = 7_000_000
    first.keep()
    wish = Wish(0.01, 0.0, games=4)
    second = Run(
        SPLENDOR, tmp_path / "two", SPLENDOR.kit(), "cpu", small, wish, print,
        start=tmp_path / "one" / "net.safetensors",
    )  # fmt: skip
    for name, weights in first.network.weights().items():
        assert np.allclose(second.network.weights()[name], weights, atol=1e-3)
    second.past.decisions["ppo"] = 2_000_000
    second.keep()
    assert second.about()["decisions"] == "9000000"
    card = (tmp_path / "two" / "NET.md").read_text(encoding="utf-8")
    assert "had learned from 7 million decisions: 2 million" in card
    assert f"the settings of `{small.name}`" in card
    assert str(tmp_path) not in card
    again = Run(SPLENDOR, tmp_path / "two", SPLENDOR.kit(), "cpu", small, wish, print)
    assert again.about()["decisions"] == "9000000"


def test_the_card_names_what_was_not_in_the_mix():
    settings = reader.read(bottega.game("one-card-wonder"), "cuda").plain()
    assert any("`complexity`" in what for what in unseen(bottega.game("one-card-wonder"), settings))
    settings["mix"] = settings["mix"][:1]
    assert "tables of 3" in unseen(bottega.game("one-card-wonder"), settings)


def test_the_command(tmp_path, small, capsys):
    folder = tmp_path / "run"
    arguments = ["train", "splendor", "--device", "cpu", "--folder", str(folder), "--games", "4"]
    small_steps = ["--minutes", "0.01", "--expert", "0", "--settings", str(small)]
    assert main([*arguments, *small_steps]) == 0
    assert "against its earlier self" in " ".join(capsys.readouterr().err.split())
    assert (folder / "net.safetensors").exists()
    assert main([*arguments, "--device", "quantum"]) == REFUSED
    if not torch.cuda.is_available():
        assert main([*arguments, "--device", "cuda"]) == REFUSED
        assert "needs a CUDA GPU" in capsys.readouterr().err
