"""A match as the database keeps it, and how it comes back."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import bottega
from bottega.engine.errors import LayoutError
from bottega.engine.game import Game
from bottega.engine.match import Match, Past
from bottega.engine.option import Value
from bottega.engine.record import read_records
from bottega.table.database.rows import Entry, Loaded, Played
from bottega.table.faults import Broken


def state(match: Match, before: Match | None = None) -> dict[str, Any]:
    """What lists of tables show without playing the match through.

    A step that is not yet confirmed is private, and so is when it was taken.
    """
    result = match.prompt(None) if match.over else ""
    shown = {
        "over": match.over,
        "waiting": match.waiting,
        "turns": match.turns,
        "result": result[:400],
    }
    noticed = before is None or before.turns != match.turns
    return {**shown, "changed": time.time()} if noticed else shown


def own_options(game: Game, options: Mapping[str, Value] | None) -> dict[str, Any]:
    """The options that are the game's: nothing else of a table can be set by a request."""
    game.check_options(options or {})
    return dict(options or {})


def stored_moves(match: Match, name: str, kept: int = 0) -> list[Played]:
    """The moves of a match behind those that are stored; the layout of their records has this
    name in the database."""
    latest = zip(
        match.moves[kept:], match.records[kept + 1 :], match.rules[kept + 1 :], strict=True
    )
    return [
        Played(move.seat, move.key, record.tobytes(), name, rules) for move, record, rules in latest
    ]


def resumed(loaded: Loaded, known: Match | None = None) -> Match:
    """The match of a stored table, from its records: no rule is asked again. A match that is
    `known` goes on with the moves that were played since."""
    entry, moves = loaded.entry, loaded.moves
    versions = [move.rules or entry.rules for move in moves]
    newest = bottega.game(entry.game).rules_version
    if max([entry.rules, *versions]) > newest:
        raise Broken(
            f"It was played by version {max([entry.rules, *versions])} of the rules, which is "
            f"newer than the {newest} that are here."
        )
    played = [(move.seat, move.action) for move in moves]
    after = read_all(loaded, [(move.layout, move.record) for move in moves])
    if known is not None:
        match = known.copy()
        match.follow(played, after, versions)
        if list(match.names) != entry.names:
            match.rename(entry.names)
        return match
    (start,) = read_all(loaded, [(entry.layout, entry.start)])
    return fresh(entry, Past(start, played, after, [entry.rules, *versions]))


def read_all(loaded: Loaded, kept: Sequence[tuple[str | None, bytes | None]]) -> list[Any]:
    """The records of a stored table, whatever layout each of them has."""
    table = bottega.game(loaded.entry.game).table
    found: list[Any] = []
    for name, run in itertools.groupby(kept, key=lambda one: one[0]):
        parts = [record or b"" for _, record in run]
        if name not in loaded.layouts:
            raise LayoutError(f"the layout {name} of its records is missing")
        made = read_records(b"".join(parts), loaded.layouts[name], table)
        if len(made) != len(parts) or len({len(part) for part in parts}) != 1:
            raise LayoutError("its records are not all of the same size")
        found += [made[at : at + 1] for at in range(len(made))]
    return found


def replayed(loaded: Loaded) -> Match:
    """The match of a table without records, all its moves played by the rules of today. If they
    come to something else than was seen then, it is not the same match."""
    entry = loaded.entry
    match = fresh(entry)
    for move in loaded.moves:
        match.play(move.seat, move.action)
    known = (entry.over, entry.waiting, entry.turns)
    if (match.over, match.waiting, match.turns) != known:
        raise Broken(
            f"It was begun by version {entry.rules} of the rules of {match.game.title}, and by "
            f"those of today its moves lead elsewhere."
        )
    return match


def fresh(entry: Entry, past: Past | None = None) -> Match:
    """The match of a stored table as it was dealt, or where its past ends."""
    game = bottega.game(entry.game)
    if entry.kit not in game.kits or game.kit(entry.kit).hash != entry.kit_hash:
        raise Broken(f"Its kit '{entry.kit}' is not here or has changed.")
    return game.new(
        entry.players,
        int(entry.seed),
        kit=entry.kit,
        limit=entry.turn_limit,
        names=entry.names,
        past=past,
        **own_options(game, entry.options),
    )
