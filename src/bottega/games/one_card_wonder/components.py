"""One Card Wonder's kit: from its file into the record that the rules read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bottega.engine.kit import Kit, KitFile
from bottega.engine.kit import make_kit as finish
from bottega.engine.lanes import pack, total
from bottega.engine.record import blank
from bottega.games.one_card_wonder import effects
from bottega.games.one_card_wonder.effects import SYMBOLS, Unclear, symbols
from bottega.games.one_card_wonder.state import (
    ANY,
    BUILDINGS,
    KIT,
    LEADERS,
    MAT_BUILDINGS,
    MATS,
    STAGES,
    WONDER_BUILDINGS,
    WONDERS,
)

COMPLEXITIES = ("I", "II", "III")
OF_EACH = WONDERS // len(COMPLEXITIES)
FEWEST_STAGES = 8
STAGE_SYMBOLS = 2  # at most, of a stage's cost
BUILDING_SYMBOLS = 4
DEFEAT_SYMBOLS = 4
SHAPES = (
    "arch",
    "battlement",
    "block",
    "columns",
    "dome",
    "gable",
    "onion",
    "roof",
    "spire",
    "statue",
    "steps",
    "taper",
    "terrace",
)
NEVER = pack([127 * (symbol == ANY) for symbol in range(len(SYMBOLS))])  # nobody can pay this

Table = Mapping[str, Any]


def make_kit(file: KitFile) -> Kit:
    """Read and check the wonders, the mats and the leaders."""
    wonders = entries(file, "wonders", WONDERS)
    mats = entries(file, "mats", MATS)
    leaders = entries(file, "leaders", LEADERS)
    check_complexities(file, wonders)
    record = blank(KIT)
    record[0].cost[:] = NEVER
    words: dict[str, list[dict[str, Any]]] = {"wonders": [], "mats": [], "leaders": []}
    for number, wonder in enumerate(wonders):
        words["wonders"].append(read_wonder(file, record[0], number, wonder))
    for number, mat in enumerate(mats):
        words["mats"].append(read_mat(file, record[0], number, mat))
    for number, leader in enumerate(leaders):
        words["leaders"].append(read_leader(file, record[0], number, leader))
    return finish(file, "one-card-wonder", record, **words)


def entries(file: KitFile, key: str, size: int) -> list[Table]:
    """A list of tables with different names."""
    found = file.data.get(key)
    if not isinstance(found, list) or len(found) != size:
        there = len(found) if isinstance(found, list) else 0
        raise file.fail(f"there are {there} {key}, there must be {size}")
    for number, entry in enumerate(found, start=1):
        if not isinstance(entry, Mapping):
            raise file.fail(f"{key}, entry {number}: not a table")
        text(file, f"{key}, entry {number}", entry, "name")
    names = [entry["name"] for entry in found]
    for name in names:
        if names.count(name) > 1:
            raise file.fail(f"{key}: the name '{name}' comes twice")
    return found


def text(file: KitFile, where: str, entry: Table, key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise file.fail(f"{where}: '{key}' is missing or not a text")
    return value


def check_complexities(file: KitFile, wonders: list[Table]) -> None:
    for wonder in wonders:
        if wonder.get("complexity") not in COMPLEXITIES:
            raise file.fail(f"{wonder['name']}: complexity must be {' or '.join(COMPLEXITIES)}")
    for complexity in COMPLEXITIES:
        there = sum(wonder["complexity"] == complexity for wonder in wonders)
        if there != OF_EACH:
            raise file.fail(
                f"{there} wonders have complexity {complexity}, there must be {OF_EACH}"
            )


def cost(file: KitFile, where: str, value: Any, most: int) -> int:
    """A cost of one to `most` symbols."""
    try:
        lanes = symbols(value)
    except Unclear as problem:
        raise file.fail(f"{where}: {problem}") from None
    if total(lanes) > most:
        raise file.fail(f"{where}: a cost of {total(lanes)} symbols; at most {most} are possible")
    return lanes


# Wonders


def read_wonder(file: KitFile, record: Any, number: int, wonder: Table) -> dict[str, Any]:
    """A wonder into the record; its words."""
    name = str(wonder["name"])
    stages = wonder.get("stages")
    if not isinstance(stages, list) or not FEWEST_STAGES <= len(stages) <= STAGES:
        raise file.fail(f"{name}: a wonder has {FEWEST_STAGES} to {STAGES} stages")
    record.stages[number] = len(stages)
    record.complexity[number] = COMPLEXITIES.index(wonder["complexity"]) + 1
    drawn = [
        read_stage(file, record, number, f"{name}, stage {place + 1}", place, stage)
        for place, stage in enumerate(stages)
    ]
    check_order(file, name, [int(needs) for needs in record.stage_needs[number, : len(stages)]])
    buildings = wonder.get("buildings")
    if not isinstance(buildings, list) or not 1 <= len(buildings) <= WONDER_BUILDINGS:
        raise file.fail(f"{name}: a wonder has 1 or {WONDER_BUILDINGS} buildings")
    first = MATS * MAT_BUILDINGS + number * WONDER_BUILDINGS
    return {
        "name": name,
        "place": text(file, name, wonder, "place"),
        "years": text(file, name, wonder, "years"),
        "complexity": wonder["complexity"],
        "stages": drawn,
        "buildings": read_buildings(file, record, first, name, buildings),
    }


def read_stage(
    file: KitFile, record: Any, number: int, where: str, place: int, stage: Any
) -> dict[str, Any]:
    """A stage into the record; how it is drawn."""
    if not isinstance(stage, Mapping):
        raise file.fail(f"{where}: not a table")
    record.stage_cost[number, place] = cost(file, where, stage.get("cost"), STAGE_SYMBOLS)
    on = stage.get("on")
    if not isinstance(on, list) or not all(isinstance(other, int) for other in on):
        raise file.fail(f"{where}: 'on' must list numbers of stages")
    for other in on:
        if not 1 <= other <= STAGES or other == place + 1:
            raise file.fail(f"{where}: it cannot stand on stage {other}")
        record.stage_needs[number, place] |= 1 << (other - 1)
    at = stage.get("at")
    if not isinstance(at, list) or len(at) != 4 or not all(isinstance(n, int | float) for n in at):
        raise file.fail(f"{where}: 'at' must be four numbers: left, height above ground, size")
    if min(at) < 0 or 0 in at[2:]:
        raise file.fail(f"{where}: 'at' must not be negative, nor its size zero")
    if stage.get("shape") not in SHAPES:
        raise file.fail(f"{where}: its shape must be one of {', '.join(SHAPES)}")
    return {
        "cost": stage["cost"].split(),
        "at": list(at),
        "shape": stage["shape"],
        "on": list(on),
    }


def check_order(file: KitFile, name: str, needs: list[int]) -> None:
    """Every stage can be built in the end: all it needs is there, and nothing goes in circles."""
    everything = (1 << len(needs)) - 1
    for place, needed in enumerate(needs):
        if needed & ~everything:
            raise file.fail(f"{name}, stage {place + 1}: it stands on a stage that is not there")
    built = 0
    while built != everything:
        ready = [p for p, needed in enumerate(needs) if not built >> p & 1 and not needed & ~built]
        if not ready:
            circle = [p + 1 for p in range(len(needs)) if not built >> p & 1]
            raise file.fail(f"{name}: stages {circle} wait for each other in a circle")
        for place in ready:
            built |= 1 << place


# Buildings, mats, leaders


def read_buildings(
    file: KitFile, record: Any, first: int, owner: str, buildings: list[Any]
) -> list[dict[str, Any]]:
    """Buildings into rows of the record; their names, costs and sentences."""
    words = []
    for place, building in enumerate(buildings):
        if not isinstance(building, Mapping):
            raise file.fail(f"{owner}, building {place + 1}: not a table")
        name = text(file, f"{owner}, building {place + 1}", building, "name")
        where = f"{owner}, {name}"
        record.cost[first + place] = cost(file, where, building.get("cost"), BUILDING_SYMBOLS)
        try:
            numbers, sentence = effects.ability(building.get("ability"))
        except Unclear as problem:
            raise file.fail(f"{where}: {problem}") from None
        write_ability(record.ability[first + place], numbers)
        words.append({"name": name, "cost": building["cost"].split(), "text": sentence})
    return words


def write_ability(row: Any, numbers: Mapping[str, int]) -> None:
    for field, value in numbers.items():
        row[field] = np.int64(value)


def read_mat(file: KitFile, record: Any, number: int, mat: Table) -> dict[str, Any]:
    """A mat into the record; its words."""
    name = str(mat["name"])
    buildings = mat.get("buildings")
    if not isinstance(buildings, list) or len(buildings) != MAT_BUILDINGS:
        raise file.fail(f"{name}: a mat has {MAT_BUILDINGS} buildings")
    first = number * MAT_BUILDINGS
    return {
        "name": name,
        "motto": text(file, name, mat, "motto"),
        "buildings": read_buildings(file, record, first, name, buildings),
    }


def read_leader(file: KitFile, record: Any, number: int, leader: Table) -> dict[str, Any]:
    """A leader into the record; its words."""
    name = str(leader["name"])
    record.defeat[number] = cost(file, name, leader.get("defeat"), DEFEAT_SYMBOLS)
    if not isinstance(leader.get("globe"), bool):
        raise file.fail(f"{name}: 'globe' must be true or false")
    record.globe[number] = leader["globe"]
    try:
        numbers, sentence = effects.effect(leader.get("effect"))
    except Unclear as problem:
        raise file.fail(f"{name}: {problem}") from None
    write_ability(record.ability[BUILDINGS + number], numbers)
    return {
        "name": name,
        "text": sentence,
        "defeat": leader["defeat"].split(),
        "globe": leader["globe"],
    }
