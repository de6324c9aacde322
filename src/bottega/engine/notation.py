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
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from bottega.engine.errors import BottegaError, NotationError
from bottega.engine.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable

    from bottega.engine.game import Game
    from bottega.engine.match import Match

TITLE = "Bottega notation"
VERSION = 1
LONGEST = 4_000_000  # characters; far more than any game takes
FIELDS = ("game", "rules", "kit", "players", "options", "limit", "seed", "names")
NEEDED = ("game", "rules", "kit", "players", "seed")
MOVE = re.compile(r"(\d{1,9}) (\d{1,3}) (\S+)")


def write(match: Match) -> str:
    """The notation of a match."""
    lines = [f"{TITLE} {VERSION}"]
    lines += [f"game {match.game.name}", f"rules {match.game.rules_version}"]
    lines += [f"kit {match.kit.name} {match.kit.hash}", f"players {match.players}"]
    if match.options:
        lines.append("options " + " ".join(f"{k}={v}" for k, v in match.options.items()))
    if match.limit:
        lines.append(f"limit {match.limit}")
    lines += [f"seed {match.seed}", "names " + json.dumps(match.names, ensure_ascii=False), ""]
    for number, (move, told) in enumerate(zip(match.moves, match.told(), strict=True), start=1):
        text = f"{number} {move.seat} {move.key}"
        lines.append(f"{text:<34} # {' '.join(told)}".rstrip(" #"))
    return "\n".join([*lines, f"end {len(match.moves)}", ""])


def read(text: str, find_game: Callable[[str], Game], kit: str | Path | Kit | None = None) -> Match:
    """Play a notation through. `kit` gives the file of a kit that does not come with us."""
    head, moves = _parse(text)
    try:
        match = _table(head, find_game, kit)
    except NotationError:
        raise
    except BottegaError as problem:
        raise NotationError(f"this notation does not fit: {problem}") from None
    for number, (seat, key) in enumerate(moves, start=1):
        try:
            match.play(seat, key)
        except BottegaError as problem:
            raise NotationError(f"move {number} ({key}) does not fit: {problem}") from None
    return match


def _parse(text: str) -> tuple[dict[str, str], list[tuple[int, str]]]:
    if len(text) > LONGEST:
        raise NotationError(f"this text is longer than any notation ({LONGEST} characters)")
    lines = [(n, _without_comment(line.strip())) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line]
    if not lines or not lines[0][1].startswith(TITLE):
        raise NotationError(f"this is not a notation: it does not begin with '{TITLE}'")
    if lines[0][1] != f"{TITLE} {VERSION}":
        raise NotationError(f"{lines[0][1]!r} is not a version known here; this is {VERSION}")
    head: dict[str, str] = {}
    moves: list[tuple[int, str]] = []
    for n, line in lines[1:]:
        word, _, rest = line.partition(" ")
        if word == "end":
            if rest != str(len(moves)):
                raise NotationError(f"line {n}: {len(moves)} moves are here, 'end' says {rest}")
            if (n, line) != lines[-1]:
                raise NotationError(f"line {n}: something follows the end")
            return _complete(head), moves
        if word in FIELDS and not moves:
            head[word] = rest.strip()
        elif found := MOVE.fullmatch(line):
            if int(found[1]) != len(moves) + 1:
                raise NotationError(f"line {n}: move {found[1]} where {len(moves) + 1} should be")
            moves.append((int(found[2]), found[3]))
        else:
            raise NotationError(f"line {n}: '{line[:60]}' is neither a field nor a move")
    raise NotationError(f"the notation is cut short: its end is missing after {len(moves)} moves")


def _without_comment(line: str) -> str:
    """Only moves and whole lines have comments; a name may well contain a `#`."""
    return line.split("#")[0].rstrip() if line[:1].isdigit() or line.startswith("#") else line


def _complete(head: dict[str, str]) -> dict[str, str]:
    for field in NEEDED:
        if field not in head:
            raise NotationError(f"the notation does not say its {field}")
    return head


def _table(
    head: dict[str, str], find_game: Callable[[str], Game], kit: str | Path | Kit | None
) -> Match:
    game = find_game(head["game"])
    if head["rules"] != str(game.rules_version):
        raise NotationError(
            f"it was played by version {head['rules']} of the rules of {game.title}, "
            f"this is version {game.rules_version}"
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
        **options,
    )


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
