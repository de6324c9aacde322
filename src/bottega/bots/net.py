"""A network that learned a game: what a seat knows goes in, how it would decide and everybody's
chances come out (`bottega train` makes one).

Three layers. What a seat knows is mostly zeros, and so is what comes out of a layer: only the rest
is multiplied. The sums are done in a fixed order, so that the same numbers come out everywhere.
Weights are 16-bit numbers: fractions on disk (`safetensors`), whole ones with a scale in memory,
where half the bytes are a fifth of the time.
"""

from __future__ import annotations

import hashlib
import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bottega.engine.bits import WORD, lowest
from bottega.engine.errors import NetError
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.engine.loops import choices, nth_action
from bottega.engine.progress import say_once
from bottega.engine.rule import rule

FILE = "net.safetensors"  # in the folder of a game: the network that comes with it
LANES = 8  # sums that are kept side by side
EPSILON = 1e-5  # of the norms, as PyTorch has it
BIAS, GAIN, SHIFT = 0, 1, 2  # rows of a layer's `norm`
LEAST_OUTCOMES = 2  # alone, one wins or does not
LAYERS = ("first", "second", "third", "policy", "value")  # weights that are multiplied
MOST_WEIGHT = 32767  # a weight as a whole number


class Net(NamedTuple):
    """The weights; those that belong to one input lie together. Those of LAYERS are whole numbers,
    to be multiplied by the layer's scale."""

    first: Any  # [what a seat knows, then what it may do; width]
    first_norm: Any  # [3, width]: what is added, then the norm's gain and shift
    second: Any
    second_norm: Any
    third: Any  # its input is added to its output
    third_norm: Any
    policy: Any  # [width, action]
    policy_bias: Any
    value: Any  # [width, outcome]: the seat wins, the next one clockwise does, ...
    value_bias: Any
    scales: Any  # [one of LAYERS]


class Sheet(NamedTuple):
    """What a network works on; one for each thread."""

    places: Any  # of the inputs of a layer that are not zero
    amounts: Any  # of these, by the layer's scale
    first: Any
    second: Any
    third: Any
    scores: Any  # [action], the logarithm of how likely it is; those that are illegal, too
    chances: Any  # [outcome], likewise


def new_sheet(net: Net) -> Sheet:
    inputs, wide = net.first.shape
    return Sheet(
        places=np.zeros(max(inputs, wide), np.int64),
        amounts=np.zeros(max(inputs, wide), np.float32),
        first=np.zeros(wide, np.float32),
        second=np.zeros(net.second.shape[1], np.float32),
        third=np.zeros(net.third.shape[1], np.float32),
        scores=np.zeros(net.policy.shape[1], np.float32),
        chances=np.zeros(net.value.shape[1], np.float32),
    )


# In compiled code


@rule
def ask(net, seen, mask, sheet):
    """Fill in scores and chances for what a seat knows and may do."""
    number = list_inputs(seen, mask, net.scales[0], sheet)
    add_up(number, net.first, net.first_norm[BIAS], sheet, sheet.first)
    normalise(net.first_norm, sheet.first)
    number = list_nonzero(sheet.first, net.scales[1], sheet)
    add_up(number, net.second, net.second_norm[BIAS], sheet, sheet.second)
    normalise(net.second_norm, sheet.second)
    number = list_nonzero(sheet.second, net.scales[2], sheet)
    add_up(number, net.third, net.third_norm[BIAS], sheet, sheet.third)
    normalise(net.third_norm, sheet.third)
    for at in range(sheet.third.shape[0]):
        sheet.third[at] += sheet.second[at]
    number = list_nonzero(sheet.third, net.scales[3], sheet)
    add_up(number, net.policy, net.policy_bias, sheet, sheet.scores)
    number = list_nonzero(sheet.third, net.scales[4], sheet)
    add_up(number, net.value, net.value_bias, sheet, sheet.chances)


@rule
def list_inputs(seen, mask, scale, sheet):
    """Note what a seat knows that is not zero, and what it may do; how many there are."""
    number = list_nonzero(seen, scale, sheet)
    for word in range(mask.shape[0]):
        left = mask[word]
        while left != np.uint64(0):
            sheet.places[number] = seen.shape[0] + WORD * word + lowest(left)
            sheet.amounts[number] = scale
            number += 1
            left &= left - np.uint64(1)
    return number


@rule
def list_nonzero(numbers, scale, sheet):
    """Note the numbers that are not zero; how many there are."""
    number = 0
    for at in range(numbers.shape[0]):
        sheet.places[number] = at
        sheet.amounts[number] = numbers[at] * scale
        number += numbers[at] != np.float32(0.0)
    return number


@rule
def add_up(number, weights, bias, sheet, out):
    """Add up the rows of the listed inputs, four at a time: the sums are touched less often."""
    for at in range(out.shape[0]):
        out[at] = bias[at]
    last = number - number % 4
    for i in range(0, last, 4):
        a, b, c, d = sheet.places[i], sheet.places[i + 1], sheet.places[i + 2], sheet.places[i + 3]
        p, q, r, s = (
            sheet.amounts[i],
            sheet.amounts[i + 1],
            sheet.amounts[i + 2],
            sheet.amounts[i + 3],
        )
        for at in range(out.shape[0]):
            one = p * np.float32(weights[a, at]) + q * np.float32(weights[b, at])
            two = r * np.float32(weights[c, at]) + s * np.float32(weights[d, at])
            out[at] += one + two
    for i in range(last, number):
        a = sheet.places[i]
        p = sheet.amounts[i]
        for at in range(out.shape[0]):
            out[at] += p * np.float32(weights[a, at])


@rule
def normalise(norm, out):
    """Bring the numbers of a layer to mean 0 and deviation 1, stretch and shift them, and cut off
    what is below zero. Widths are multiples of LANES."""
    size = np.float32(out.shape[0])
    mean = lane_sum(out, np.float32(0.0), False) / size
    spread = lane_sum(out, mean, True) / size
    scale = np.float32(1.0) / np.float32(math.sqrt(spread + np.float32(EPSILON)))
    for at in range(out.shape[0]):
        number = (out[at] - mean) * scale * norm[GAIN, at] + norm[SHIFT, at]
        out[at] = max(number, np.float32(0.0))


@rule
def lane_sum(numbers, mean, squared):
    """The sum of the numbers' differences from a mean, or of their squares."""
    zero = np.float32(0.0)
    a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
    for at in range(0, numbers.shape[0], LANES):
        a += part(numbers[at] - mean, squared)
        b += part(numbers[at + 1] - mean, squared)
        c += part(numbers[at + 2] - mean, squared)
        d += part(numbers[at + 3] - mean, squared)
        e += part(numbers[at + 4] - mean, squared)
        f += part(numbers[at + 5] - mean, squared)
        g += part(numbers[at + 6] - mean, squared)
        h += part(numbers[at + 7] - mean, squared)
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@rule
def part(number, squared):
    return number * number if squared else number


@rule
def likeliest(scores, mask):
    """The action of a mask with the highest score."""
    best = nth_action(mask, 0)
    for n in range(1, choices(mask)):
        action = nth_action(mask, n)
        if scores[action] > scores[best]:
            best = action
    return best


@rule
def to_chances(scores, number):
    """Turn the first so many logarithms into chances that add up to 1."""
    top = scores[0]
    for at in range(1, number):
        top = max(top, scores[at])
    whole = np.float32(0.0)
    for at in range(number):
        scores[at] = math.exp(scores[at] - top)
        whole += scores[at]
    for at in range(number):
        scores[at] /= whole


# From and to disk


def compact(weights: dict[str, Any]) -> Net:
    """Weights as compiled code takes them."""
    found = {name: np.ascontiguousarray(numbers, np.float32) for name, numbers in weights.items()}
    scales = np.array([np.abs(found[name]).max(initial=0.0) for name in LAYERS], np.float32)
    scales = np.where(scales > 0.0, scales / np.float32(MOST_WEIGHT), np.float32(1.0))
    for name, scale in zip(LAYERS, scales, strict=True):
        found[name] = np.rint(found[name] / scale).astype(np.int16)
    return Net(**found, scales=scales)


def plain(net: Net) -> dict[str, Any]:
    """Weights as they are on disk."""
    found = net._asdict()
    scales = found.pop("scales")
    for name, scale in zip(LAYERS, scales, strict=True):
        found[name] = found[name] * scale
    return found


STORED = tuple(name for name in Net._fields if name != "scales")


class Learned(NamedTuple):
    """A network with what its file says about it."""

    net: Net
    about: dict[str, str]  # game, kit (its hash), and how it was made
    hash: str  # of the file


def read(file: Path, game: Game) -> Learned:
    """The network of a file, checked."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "numpy") as tensors:
            about = dict(tensors.metadata() or {})
            found = {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as problem:
        raise NetError(f"{file}: no network can be read here ({problem})") from None
    if about.get("game") != game.name:
        what = about.get("game", "no game")
        raise NetError(f"{file.name}: this network is for {what}, not for {game.name}")
    if set(found) != set(STORED):
        raise NetError(f"{file.name}: this is no network of bottega train")
    check(found, game, file)
    return Learned(compact(found), about, hashlib.sha256(file.read_bytes()).hexdigest()[:16])


def check(weights: dict[str, Any], game: Game, file: Path) -> None:
    """Compiled code looks at nothing twice: the shapes must be right."""
    inputs, outcomes = game.observation + game.actions, outcomes_of(game)
    one, two = weights["first"].shape[-1], weights["second"].shape[-1]
    shapes = {
        "first": (inputs, one),
        "first_norm": (3, one),
        "second": (one, two),
        "second_norm": (3, two),
        "third": (two, two),
        "third_norm": (3, two),
        "policy": (two, game.actions),
        "policy_bias": (game.actions,),
        "value": (two, outcomes),
        "value_bias": (outcomes,),
    }
    for name, shape in shapes.items():
        is_there = weights[name].shape
        if is_there != shape or one % LANES or two % LANES:
            raise NetError(
                f"{file.name}: this network does not fit the rules of {game.title} as they are "
                f"({name} is {is_there}, not {shape}); bottega train {game.name} makes a new one"
            )


def save(file: Path, weights: dict[str, Any], about: dict[str, str]) -> None:
    """Write a network, as 16-bit numbers."""
    from safetensors.numpy import save_file

    rounded = {name: np.ascontiguousarray(numbers, np.float16) for name, numbers in weights.items()}
    save_file(rounded, file, about)


def outcomes_of(game: Game) -> int:
    return max(LEAST_OUTCOMES, game.seats[1])


@cache
def shipped(game: Game) -> Learned | None:
    """The network that comes with a game, if it fits: who changes the rules plays without."""
    file = game.folder / FILE
    try:
        return read(file, game) if file.exists() else None
    except NetError as problem:
        say_once(str(problem))
        return None


@cache
def from_file(file: Path, game: Game) -> Learned:
    return read(file, game)


def find(game: Game, kit: Kit, players: int, file: str | Path | None = None) -> Learned | None:
    """The network to play a kit with, of a file or that which comes with the game, if it learned
    that very kit with so many players."""
    learned = shipped(game) if file is None else from_file(Path(file), game)
    if learned is None or learned.about.get("kit") != kit.hash:
        return None
    counts = learned.about.get("players", str(players)).split()
    return learned if str(players) in counts else None


def why_not(game: Game, kit: Kit, players: int) -> str:
    """Why nobody who learned plays a kit."""
    learned = shipped(game)
    if learned is None:
        return f"no network comes with {game.title}; bottega train {game.name} makes one"
    if learned.about.get("kit") == kit.hash:
        return f"the network of {game.title} has not learned to play with {players}"
    return (
        f"the network of {game.title} learned another kit than {kit.name}; "
        f"bottega train {game.name} --kit FILE makes one for it"
    )


def empty() -> Net:
    """Stands where a network could be and none is."""
    rows = {name: np.zeros((0, 0), np.float32) for name in STORED}
    flat = {name: np.zeros(0, np.float32) for name in ("policy_bias", "value_bias")}
    return compact(rows | flat)
