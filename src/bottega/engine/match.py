"""`Match`: one table of a game, for people and programs.

It keeps the record, the decisions so far and the record before each of them, so that taking
back, the log and a replay need nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bottega.engine import loops
from bottega.engine.contract import PLACE, SCORE, SPECTATOR, Told
from bottega.engine.errors import BadOption, BottegaError, CannotUndo, IllegalMove
from bottega.engine.kit import Kit
from bottega.engine.language import listing
from bottega.engine.option import Value
from bottega.engine.record import RUNNING, UNFINISHED

if TYPE_CHECKING:
    from bottega.engine.game import Game

LONGEST_NAME = 40
SEAT = re.compile(r"\bPlayer ([1-9])\b")  # how a game's texts speak of seats


@dataclass(frozen=True)
class Action:
    """One thing a seat may do: its number, its stable key and a sentence."""

    id: int
    key: str
    text: str


@dataclass(frozen=True)
class Move:
    """A decision that was played."""

    seat: int
    action: int
    key: str


@dataclass(frozen=True)
class Line:
    """One line of the log: whose deed it tells of, if anybody's, and what happened.

    Lines of one decision have the same number. It counts only the decisions that told the
    reader something, so that it does not tell of others' private steps.
    """

    number: int
    seat: int | None
    text: str


@dataclass(frozen=True)
class Past:
    """How a match came to where it stands: its moves, and the records around them.

    Records are arrays of one record each. `rules` are the versions of the rules by which the
    table was dealt and then each move was played: rules are mended while a game lasts.
    """

    start: np.ndarray[Any, Any]
    moves: Sequence[tuple[int, str]]  # seat and key
    after: Sequence[np.ndarray[Any, Any]]  # the record after each move
    rules: Sequence[int]  # one more than moves


class Match:
    """A table. Make one with `game.new(...)` or `bottega.replay(text)`."""

    def __init__(
        self,
        game: Game,
        kit: Kit,
        players: int,
        seed: int,
        options: np.ndarray[Any, Any],
        limit: int = 0,
        names: Sequence[str] | None = None,
        past: Past | None = None,
    ) -> None:
        self.game = game
        self.kit = kit
        self.players = players
        self.seed = seed
        self.limit = limit
        self.names = check_names(names, players)
        self._options = options
        self._moves: list[Move] = []
        self._past: list[np.ndarray[Any, Any]] = []  # the record before each move
        self._rules: list[int] = [game.rules_version]  # of the deal and of each move
        self._goes_on = True  # whether it is played on from here, and not only looked at
        self._told: dict[int, list[list[Told]]] = {}  # lines of each move, by viewer
        self._table = game.new_table()
        if past is not None:
            self._resume(past)
            return
        begin = game.code(loops.open_begin)
        blank = game.new_table()
        begin(kit.record, self._table, blank, players, np.uint64(seed), options, limit)

    def _resume(self, past: Past) -> None:
        """Stand where a stored match stood, without playing it through."""
        dealt, *played = past.rules
        self._table, self._rules = past.start.copy(), [dealt]
        self.follow(past.moves, past.after, played)

    def follow(
        self,
        moves: Sequence[tuple[int, str]],
        after: Sequence[np.ndarray[Any, Any]],
        rules: Sequence[int],
    ) -> None:
        """Go on as the match went on elsewhere: the moves, the record after each of them and the
        versions of the rules by which they were played."""
        for (seat, key), record, version in zip(moves, after, rules, strict=True):
            self.check_seat(seat)
            self._past.append(self._table)
            self._moves.append(Move(seat, self._number(key), key))
            self._rules.append(version)
            self._table = record.copy()

    def __repr__(self) -> str:
        state = "over" if self.over else f"waiting for {self.waiting}"
        return (
            f"<Match {self.game.name}, {self.players} players, {len(self._moves)} moves, {state}>"
        )

    # Where the table stands

    @property
    def options(self) -> dict[str, Value]:
        values = zip(self.game.options, self._options, strict=False)
        return {option.name: option.value(int(number)) for option, number in values}

    @property
    def seed_hash(self) -> str:
        """A promise of the seed, to be published before it may be known."""
        return hashlib.sha256(f"bottega {self.game.name} {self.seed}".encode()).hexdigest()

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(self._moves)

    @property
    def records(self) -> list[np.ndarray[Any, Any]]:
        """The record as dealt and after each move: arrays of one record, not to be written."""
        return [*self._past, self._table]

    @property
    def rules(self) -> tuple[int, ...]:
        """The versions of the rules by which it was dealt and each move was played."""
        return tuple(self._rules)

    @property
    def turns(self) -> int:
        """Complete turns so far: chains of decisions that were confirmed."""
        return int(self._table["turns"][0])

    @property
    def waiting(self) -> list[int]:
        """The seats that owe a decision."""
        return _members(self.game.code(loops.open_waiting)(self.kit.record, self._table))

    @property
    def invited(self) -> list[int]:
        """The seats that may act now though nothing waits for them."""
        if self.over:
            return []
        return _members(self.game.code(loops.open_invited)(self.kit.record, self._table))

    @property
    def over(self) -> bool:
        return bool(self._table["over"][0] != RUNNING)

    @property
    def unfinished(self) -> bool:
        """Whether the table was ended by its limit of decisions."""
        return bool(self._table["over"][0] == UNFINISHED)

    @property
    def standings(self) -> list[tuple[int, int]]:
        """Place and score of each seat, as it stands."""
        out = np.zeros((self.players, 2), np.int64)
        self.game.code(loops.open_result)(self.kit.record, self._table, out)
        return [(int(row[PLACE]), int(row[SCORE])) for row in out]

    @property
    def scores(self) -> list[int]:
        return [score for _, score in self.standings]

    @property
    def ranking(self) -> list[list[int]]:
        """The seats, best first; tied seats together."""
        places = [place for place, _ in self.standings]
        return [
            [seat for seat in range(self.players) if places[seat] == place]
            for place in sorted(set(places))
        ]

    @property
    def winners(self) -> list[int]:
        """Who won: several when they share it, nobody when unfinished or lost."""
        if not self.over or self.unfinished:
            return []
        return [seat for seat, (place, _) in enumerate(self.standings) if place == 1]

    # Deciding

    def legal(self, seat: int) -> list[Action]:
        """What the seat may do now; empty when it may do nothing."""
        return [self.action(seat, number) for number in self.legal_numbers(seat)]

    def legal_numbers(self, seat: int) -> list[int]:
        """The numbers of the legal actions, without their texts."""
        self.check_seat(seat)
        if seat not in self.waiting and seat not in self.invited:
            return []
        mask = self.mask(seat)
        return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")).tolist()

    def mask(self, seat: int) -> np.ndarray[Any, Any]:
        """The mask of a seat that is waiting or invited, as `legal` of the rules fills it."""
        mask = self.game.new_mask()
        self.game.code(loops.open_legal)(self.kit.record, self._table, seat, mask)
        return mask

    def action(self, seat: int, number: int) -> Action:
        """A legal action of the seat by its number."""
        text = self.game.words.text(self.kit, self._table[0], seat, number)
        return Action(number, self.game.keys[number], self._named(text))

    def play(self, seat: int, action: Action | int | str) -> Move:
        """Carry out a decision. An illegal one raises `IllegalMove` and changes nothing."""
        number = self._number(action)
        if number not in self.legal_numbers(seat):
            raise IllegalMove(self._refusal(seat, number))
        self._past.append(self._table.copy())
        self.game.code(loops.open_decide)(self.kit.record, self._table, seat, number)
        move = Move(seat, number, self.game.keys[number])
        self._moves.append(move)
        self._rules.append(self.game.rules_version)
        return move

    def undo(self, seat: int, *, force: bool = False) -> None:
        """Take back the seat's latest decision.

        One that is still its own business (`private`) goes alone; of any other, what others
        decided since goes with it. Refused when something hidden has come to light since then:
        a draw, a reveal. Who must agree is the business of those at the table; if they do,
        `force` takes back even that.
        """
        index = self._latest(seat)
        alone = self._without(index)
        if alone is not None:
            self._rewind(index)
            for later in alone:
                self.play(later.seat, later.action)
            return
        if not force and not self._nothing_shown_since(index):
            raise CannotUndo("something hidden has come to light since then; it cannot be unseen")
        self._rewind(index)

    def can_undo(self, seat: int) -> bool:
        """Whether `undo(seat)` would be accepted."""
        try:
            return self._nothing_shown_since(self._latest(seat))
        except CannotUndo:
            return False

    def private(self, seat: int) -> bool:
        """Whether the seat's latest decision is still its own business: a step that is not
        confirmed, or a choice that is sealed until all have chosen. Nobody else was told of it,
        so nobody need be asked before it is taken back."""
        try:
            return self._without(self._latest(seat)) is not None
        except CannotUndo:
            return False

    def rename(self, names: Sequence[str]) -> None:
        """Other names for the players; the log uses them throughout."""
        self.names = check_names(names, self.players)
        self._told.clear()

    # What a seat may know

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """What the seat sees, as a plain value; `None` for a spectator."""
        viewer = self._viewer(seat)
        view: dict[str, Any] = {
            "game": self.game.name,
            "seat": seat,
            "names": list(self.names),
            "waiting": self.waiting,
            "invited": self.invited,
            "turns": self.turns,
            "over": self.over,
            "unfinished": self.unfinished,
            "winners": self.winners,
        }
        if self.over:
            view |= {"scores": self.scores, "ranking": self.ranking}
        view.update(self.game.sight.view(self.kit, self._table[0], viewer))
        return view

    def prompt(self, seat: int | None = None) -> str:
        """One sentence: what the seat may do now, or whom the table waits for."""
        viewer = self._viewer(seat)
        if self.over:
            return self._ending(viewer)
        waiting = self.waiting
        if viewer in waiting or viewer in self.invited:
            legal = self.legal_numbers(viewer)
            return self._named(self.game.words.prompt(self.kit, self._table[0], viewer, legal))
        return f"Waiting for {listing([self.names[other] for other in waiting])}."

    def topic(self, seat: int | None = None) -> str:
        """The heading of RULES.md that matters for the seat now."""
        return str(self.game.words.topic(self.kit, self._table[0], self._viewer(seat)))

    def log(self, seat: int | None = None) -> list[Line]:
        """What happened so far, as the seat may know it."""
        log: list[Line] = []
        number = 0
        for told in self._stories(self._viewer(seat)):
            number += bool(told)
            log += [Line(number, *one) for one in told]
        if self._goes_on and self._rules[-1] != self.game.rules_version and not self.over:
            log.append(Line(number + 1, None, mended(self.game.rules_version)))
        return log

    def told(self, seat: int | None = None) -> list[list[str]]:
        """For each decision so far, what the seat was told about it."""
        return [[text for _, text in told] for told in self._stories(self._viewer(seat))]

    def concealed(self, seat: int | None, seed: int) -> np.ndarray[Any, Any]:
        """A table as it may be, for all the seat knows: an array of one record."""
        table = self._table.copy()
        hide = self.game.code(loops.open_hide)
        hide(self.kit.record, table, self._viewer(seat), np.uint64(seed))
        return table

    def imagine(self, seat: int | None, seed: int) -> Match:
        """A match on a concealed table, without a past: nothing leads back to the true one."""
        other = self._bare()
        other._table = self.concealed(seat, seed)
        other.seed = 0
        return other

    def encode(self, seat: int) -> np.ndarray[Any, Any]:
        """What the seat knows as a vector."""
        self.check_seat(seat)
        out = np.zeros(self.game.observation, np.float32)
        self.game.code(loops.open_encode)(self.kit.record, self._table, seat, out)
        return out

    def chances(self, seat: int | None = None, samples: int = 16) -> list[float]:
        """Each seat's chance to win by the game's quick judgement, for all the seat knows."""
        total = np.zeros(self.players)
        out = np.zeros(self.players)
        for sample in range(samples):
            table = self.concealed(seat, sample)
            self.game.code(loops.open_judge)(self.kit.record, table, out)
            total += out
        return [float(chance) for chance in total / samples]

    # The whole

    def copy(self) -> Match:
        """An independent match at the same point."""
        other = self._bare()
        other._table = self._table.copy()
        other._moves = list(self._moves)
        other._past = list(self._past)  # records of the past are never written
        other._rules = list(self._rules)
        other._told = {viewer: list(lines) for viewer, lines in self._told.items()}
        return other

    def at(self, number: int) -> Match:
        """The match as it was after so many decisions."""
        if not 0 <= number <= len(self._moves):
            raise BadOption(f"there is no move {number}; there are 0 to {len(self._moves)}")
        other = self.copy()
        if number < len(self._moves):
            other._rewind(number)
            other._goes_on = False
        return other

    def save(self, *, records: bool = False) -> str:
        """The notation. It holds the seed, and so every secret of the table.

        With `records`, what the table was after each move is written beside it, so that it can
        be shown whatever the rules are then. So is a match during which the rules were mended:
        no rules would play it through.
        """
        from bottega.engine.notation import write

        return write(self, records or len({*self._rules, self.game.rules_version}) > 1)

    def state(self) -> bytes:
        """The record as bytes: equal bytes, equal tables."""
        return self._table.tobytes()

    def check_seat(self, seat: int) -> int:
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer):
            raise BadOption(f"a seat is a number from 0 to {self.players - 1}, not {seat!r}")
        if not 0 <= seat < self.players:
            raise BadOption(f"there is no seat {seat}; the seats are 0 to {self.players - 1}")
        return int(seat)

    # Helpers

    def _bare(self) -> Match:
        other = Match.__new__(Match)
        other.game, other.kit, other.players = self.game, self.kit, self.players
        other.seed, other.limit, other.names = self.seed, self.limit, self.names
        other._options, other._goes_on = self._options, self._goes_on
        other._moves, other._past, other._told = [], [], {}
        other._rules = self._rules[-1:]
        return other

    def _viewer(self, seat: int | None) -> int:
        return SPECTATOR if seat is None else self.check_seat(seat)

    def _number(self, action: Action | int | str) -> int:
        if isinstance(action, Action):
            return action.id
        if isinstance(action, str):
            if action not in self.game.numbers:
                raise IllegalMove(f"{self.game.title} has no action '{action}'")
            return self.game.numbers[action]
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise IllegalMove(f"{action!r} is not an action")
        if not 0 <= action < self.game.actions:
            raise IllegalMove(
                f"there is no action {action}; there are 0 to {self.game.actions - 1}"
            )
        return int(action)

    def _refusal(self, seat: int, number: int) -> str:
        if self.over:
            return "The game is over."
        if seat not in self.waiting and seat not in self.invited:
            waiting = listing([self.names[other] for other in self.waiting])
            return f"It is not {self.names[seat]}'s decision; the table waits for {waiting}."
        legal = self.legal_numbers(seat)
        return self._named(self.game.words.refusal(self.kit, self._table[0], seat, number, legal))

    def _named(self, text: str) -> str:
        """A game's text, with the names of the seats it speaks of."""
        return SEAT.sub(lambda seat: self.names[int(seat[1]) - 1], text)

    def _ending(self, viewer: int) -> str:
        """Who won, and why."""
        if self.unfinished:
            return "The table reached its limit of decisions; nobody has won."
        why = self.game.words.why(self.kit, self._table[0], self.names)
        return f"{self._winning(viewer)} {why}".strip()

    def _winning(self, viewer: int) -> str:
        winners = self.winners
        if winners == [viewer]:
            return "You have won!"
        if not winners:
            return "You have lost." if viewer >= 0 else f"{self.names[0]} has lost."
        names = ["you" if seat == viewer else self.names[seat] for seat in winners]
        shared = listing(names)
        return (
            f"{shared[0].upper()}{shared[1:]} {'share the win' if len(winners) > 1 else 'has won'}."
        )

    def _stories(self, viewer: int) -> list[list[Told]]:
        """For each decision so far, what the viewer was told about it."""
        told = self._told.setdefault(viewer, [])
        for index in range(len(told), len(self._moves)):
            version = self._rules[index + 1]
            first: list[Told] = [(None, mended(version))] * (version != self._rules[index])
            told.append(first + self._tell(index, viewer))
        return told

    def _tell(self, index: int, viewer: int) -> list[Told]:
        move = self._moves[index]
        before = self._past[index]
        after = self._past[index + 1] if index + 1 < len(self._past) else self._table
        return self.game.words.tell(
            self.kit, before[0], after[0], move.seat, move.action, viewer, self.names
        )

    def _latest(self, seat: int) -> int:
        self.check_seat(seat)
        for index in range(len(self._moves) - 1, -1, -1):
            if self._moves[index].seat == seat:
                return index
        raise CannotUndo(f"{self.names[seat]} has not decided anything yet")

    def _nothing_shown_since(self, index: int) -> bool:
        before = self._past[index]
        return all(bool(before[field][0] == self._table[field][0]) for field in ("rng", "shown"))

    def _without(self, index: int) -> list[Move] | None:
        """What others decided since a move, if that move can be taken out from before it."""
        mover = self._moves[index].seat
        others = [SPECTATOR, *(seat for seat in range(self.players) if seat != mover)]
        if not self._nothing_shown_since(index) or any(self._tell(index, v) for v in others):
            return None
        since = self._moves[index + 1 :]
        trial = self.at(index)
        try:
            for later in since:
                trial.play(later.seat, later.action)
        except BottegaError:
            return None  # they were an answer to it
        return since

    def _rewind(self, index: int) -> None:
        self._table = self._past[index].copy()
        del self._moves[index:], self._past[index:], self._rules[index + 1 :]
        for lines in self._told.values():
            del lines[index:]


def look_at(game: Game, kit: Kit, options: np.ndarray[Any, Any], table: Any) -> Match:
    """A match at a table that is played elsewhere (an array of one record), without a past."""
    header = table[0]
    match = Match(game, kit, int(header["seats"]), 0, options, int(header["limit"]))
    match._table = table
    return match


def check_names(names: Sequence[str] | None, players: int) -> tuple[str, ...]:
    """One name for each seat."""
    if names is None:
        return tuple(f"Player {seat + 1}" for seat in range(players))
    names = tuple(" ".join(str(name).split()) for name in names)
    if len(names) != players:
        raise BadOption(f"{len(names)} names for {players} players")
    for name in names:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadOption(f"a name has 1 to {LONGEST_NAME} printable characters, unlike {name!r}")
    if len(set(names)) != players:
        raise BadOption("two players have the same name")
    return names


def mended(version: int) -> str:
    """What the log says where other rules take over."""
    return f"The rules were mended: from here on by version {version}."


def _members(word: int) -> list[int]:
    return [seat for seat in range(int(word).bit_length()) if int(word) >> seat & 1]
