"""The notation: a match as a text that a person can read and a program can replay.

    Bottega notation 1
    game splendor
    rules 1
    kit default 8f0c...
    players 2
    options payment=auto
    seed 7
    names ["Ada", "Bruno"]

    1 0 take-white-blue-green   # Ada takes white, blue and green.
    2 1 reserve-deck-3          # Bruno reserves a card from the deck of level 3.
    end 2

A move is its number, the seat and the action's key; what follows `#` is for people. The last
line counts the moves, so that a text cut short is noticed.

A notation with records says so in its first line (`Bottega notation 2`). Its head has the field
`layout`, and before the first move and behind each one stands a line `= RULES RECORD`: the version
of the rules it was played by, and what the table was then. It is read without playing it through.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bottega.engine.errors import BottegaError, NotationError
from bottega.engine.kit import Kit
from bottega.engine.record import layout, read_records

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from bottega.engine.game import Game
    from bottega.engine.match import Match, Past

TITLE = "Bottega notation"
PLAIN, WITH_RECORDS = "1", "2"  # versions
LONGEST = 4_000_000  # characters; far more than any game takes
LARGEST = 1 << 16  # bytes of a record
FIELDS = ("game", "rules", "kit", "players", "options", "limit", "seed", "names", "layout")
NEEDED = ("game", "rules", "kit", "players", "seed")
MOVE = re.compile(r"(\d{1,9}) (\d{1,3}) (\S+)")
RECORD = re.compile(r"= (\d{1,9}) (\S+)")


@dataclass
class Text:
    """What a notation says."""

    head: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[int, str]] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)  # with records: of the deal and of each move
    records: list[bytes] = field(default_factory=list)


def write(match: Match, records: bool = False) -> str:
    """The notation of a match."""
    lines = [f"{TITLE} {WITH_RECORDS if records else PLAIN}"]
    lines += [f"game {match.game.name}", f"rules {match.rules[0]}"]
    lines += [f"kit {match.kit.name} {match.kit.hash}", f"players {match.players}"]
    if match.options:
        lines.append("options " + " ".join(f"{k}={v}" for k, v in match.options.items()))
    if match.limit:
        lines.append(f"limit {match.limit}")
    lines += [f"seed {match.seed}", "names " + json.dumps(match.names, ensure_ascii=False)]
    kept = [_packed(*one) for one in zip(match.rules, match.records, strict=True)]
    lines += [f"layout {json.dumps(layout(match.game.table))}", "", kept[0]] if records else [""]
    for number, (move, told) in enumerate(zip(match.moves, match.told(), strict=True), start=1):
        text = f"{number} {move.seat} {move.key}"
        lines.append(f"{text:<34} # {' '.join(told)}".rstrip(" #"))
        lines += [kept[number]] if records else []
    return "\n".join([*lines, f"end {len(match.moves)}", ""])


def _packed(rules: int, record: np.ndarray[Any, Any]) -> str:
    return f"= {rules} {base64.b64encode(zlib.compress(record.tobytes(), 9)).decode()}"


def _unpacked(text: str) -> bytes:
    unpacking = zlib.decompressobj()
    record = unpacking.decompress(base64.b64decode(text, validate=True), LARGEST)
    if not unpacking.eof:
        raise ValueError
    return record


def read(
    text: str,
    find_game: Callable[[str], Game],
    kit: str | Path | Kit | None = None,
    *,
    trusted: bool = True,
) -> Match:
    """The match of a notation. `kit` gives the file of a kit that does not come with us.

    Records are believed, and wrong ones may lead the rules anywhere: of a text that is not
    `trusted`, the moves are played through all the same.
    """
    said = _parse(text)
    try:
        match = _table(said, find_game, kit, trusted)
    except NotationError:
        raise
    except BottegaError as problem:
        raise NotationError(f"this notation does not fit: {problem}") from None
    for number, (seat, key) in enumerate(said.moves[len(match.moves) :], len(match.moves) + 1):
        try:
            match.play(seat, key)
        except BottegaError as problem:
            raise NotationError(f"move {number} ({key}) does not fit: {problem}") from None
    return match


def _parse(text: str) -> Text:
    if len(text) > LONGEST:
        raise NotationError(f"this text is longer than any notation ({LONGEST} characters)")
    lines = [(n, _without_comment(line.strip())) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line]
    if not lines or not lines[0][1].startswith(TITLE):
        raise NotationError(f"this is not a notation: it does not begin with '{TITLE}'")
    version = lines[0][1].removeprefix(TITLE).strip()
    if version not in (PLAIN, WITH_RECORDS):
        raise NotationError(
            f"{lines[0][1]!r} is not a version known here; these are {PLAIN} and {WITH_RECORDS}"
        )
    said = Text()
    moves = said.moves
    for n, line in lines[1:]:
        word, _, rest = line.partition(" ")
        if word == "end":
            if rest != str(len(moves)):
                raise NotationError(f"line {n}: {len(moves)} moves are here, 'end' says {rest}")
            if (n, line) != lines[-1]:
                raise NotationError(f"line {n}: something follows the end")
            return _complete(said, version)
        if word in FIELDS and not moves and not said.records:
            said.head[word] = rest.strip()
        elif found := MOVE.fullmatch(line):
            if int(found[1]) != len(moves) + 1:
                raise NotationError(f"line {n}: move {found[1]} where {len(moves) + 1} should be")
            moves.append((int(found[2]), found[3]))
        elif version == WITH_RECORDS and (found := RECORD.fullmatch(line)):
            _add_record(said, n, int(found[1]), found[2])
        else:
            raise NotationError(f"line {n}: '{line[:60]}' is neither a field nor a move")
    raise NotationError(f"the notation is cut short: its end is missing after {len(moves)} moves")


def _add_record(said: Text, n: int, rules: int, packed: str) -> None:
    if len(said.records) != len(said.moves):
        raise NotationError(f"line {n}: a record where none should be")
    said.rules.append(rules)
    try:
        said.records.append(_unpacked(packed))
    except (ValueError, binascii.Error, zlib.error):
        raise NotationError(f"line {n}: this is not a record") from None


def _without_comment(line: str) -> str:
    """Only moves and whole lines have comments; a name may well contain a `#`."""
    return line.split("#")[0].rstrip() if line[:1].isdigit() or line.startswith("#") else line


def _complete(said: Text, version: str) -> Text:
    for needed in (*NEEDED, "layout") if version == WITH_RECORDS else NEEDED:
        if needed not in said.head:
            raise NotationError(f"the notation does not say its {needed}")
    if version == WITH_RECORDS and len(said.records) != len(said.moves) + 1:
        raise NotationError("not every move has its record")
    return said


def _table(
    said: Text, find_game: Callable[[str], Game], kit: str | Path | Kit | None, trusted: bool
) -> Match:
    head = said.head
    game = find_game(head["game"])
    resumed = trusted and bool(said.records)
    by = {head["rules"], *map(str, said.rules)} - {str(game.rules_version)}
    if by and not resumed:
        raise NotationError(
            f"it was played by version {' and '.join(sorted(by))} of the rules of {game.title}, "
            f"this is version {game.rules_version}"
            + ("; its records tell, but not to a stranger" if said.records else "")
        )
    options = {}
    for word in head.get("options", "").split():
        name, _, value = word.partition("=")
        options[name] = value
    game.check_options(options)  # before they become keywords: none may be called `limit`
    return game.new(
        _whole(head, "players"),
        _whole(head, "seed"),
        kit=_kit(head["kit"], game, kit),
        limit=_whole(head, "limit") if "limit" in head else 0,
        names=_names(head["names"]) if "names" in head else None,
        past=_past(said, game) if resumed else None,
        **options,
    )


def _past(said: Text, game: Game) -> Past:
    from bottega.engine.match import Past

    try:
        described = json.loads(said.head["layout"])
    except json.JSONDecodeError:
        raise NotationError("layout is not a list of fields") from None
    start, *after = (read_records(record, described, game.table) for record in said.records)
    return Past(start, said.moves, after, said.rules)


def _kit(field: str, game: Game, given: str | Path | Kit | None) -> Kit:
    name, _, wanted = field.partition(" ")
    if given is None and name not in game.kits:
        raise NotationError(f"it was played with the kit '{name}'; give that kit's file")
    kit = game.kit(name if given is None else given)
    if kit.hash != wanted:
        raise NotationError(f"it was played with another kit: {name} {wanted}, not {kit.hash}")
    return kit


def _whole(head: dict[str, str], field: str) -> int:
    try:
        return int(head[field])
    except ValueError:
        raise NotationError(f"{field} '{head[field][:40]}' is not a whole number") from None


def _names(text: str) -> list[str]:
    try:
        names = json.loads(text)
    except json.JSONDecodeError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise NotationError("names is not a list of texts")
    return names
