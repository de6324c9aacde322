"""Weights of a game's `judge`: tuned numbers, kept as data beside it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np


def load_weights(module: str, features: tuple[str, ...]) -> np.ndarray[Any, Any]:
    """The weights in the CSV file of the module's name, in the order of the features."""
    file = Path(module).with_suffix(".csv")
    with file.open(encoding="utf-8", newline="") as lines:
        weights = {row["feature"]: float(row["weight"]) for row in csv.DictReader(lines)}
    return np.array([weights[feature] for feature in features])


def save_weights(module: str, features: tuple[str, ...], weights: Any) -> None:
    """Write tuned weights."""
    file = Path(module).with_suffix(".csv")
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["feature", "weight"])
        writer.writerows(
            [name, f"{weight:.5f}"] for name, weight in zip(features, weights, strict=True)
        )
