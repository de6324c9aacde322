"""A match in the terminal: one person against bots.

The person sees `match.view`, `match.log` and `match.legal` of the own seat and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.markup import escape

from bottega import warm
from bottega.bots import Bot, waking
from bottega.bots.judgement import Judgement
from bottega.engine.elsewhere import compiler
from bottega.engine.errors import BottegaError
from bottega.engine.language import sentence
from bottega.engine.match import Action, Match
from bottega.terminal import show
from bottega.terminal.files import write_notation

RECENT = 20  # lines of the log that `l` shows
HELP = (
    "h hint   u undo   b board   l log   l all   r rules   r all   s FILE save   q quit\n"
    "A choice is its number, or its key as in a saved match."
)


class Quit(Exception):
    """The person leaves the table."""


class Session:
    """One person's seat at a match, the bots around it and the terminal before it."""

    def __init__(
        self,
        match: Match,
        seat: int,
        others: Mapping[int, Bot],
        console: Console,
        file: Path | None = None,
    ) -> None:
        self.match = match
        self.seat = match.check_seat(seat)
        self.others = others
        self.console = console
        self.file = file  # where it was saved, or loaded from
        self.saved = match.moves  # the decisions that need no saving
        self.told = len(match.log(seat))  # lines of the log already shown
        self.declined = -1  # decisions at the time of the last "not now"
        self.drowsy: set[int] = set()  # the bots of whom it was said that they are waking up
        self.commands: dict[str, Callable[[str], bool]] = {
            "undo": lambda _: self.undo(),
            "hint": lambda _: self.hint(),
            "board": lambda _: self.board(),
            "log": self.log,
            "rules": self.rules,
            "save": self.save,
            "quit": lambda _: self.quit(),
        }

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        if not warm.at_hand(self.match.game):
            compiler.want(self.match.game.code, "bots", first=True)
        self.welcome()
        try:
            while not self.match.over:
                self.step()
        except Quit:
            return
        except EOFError:
            self.say("\nThe input has ended; the game stops here, without saving.")
            return
        self.farewell()

    def step(self) -> None:
        """One decision, by whoever owes or may take one; the person comes first."""
        match = self.match
        invited = self.seat in match.invited and self.declined != len(match.moves)
        if self.seat in match.waiting or invited:
            self.ask()
        else:
            seat = match.waiting[0]
            match.play(seat, self.player(seat).choose(match, seat))

    def player(self, seat: int) -> Bot:
        """The bot in a seat, or who plays in its place until its machine code is there."""
        bot = self.others[seat]
        if not waking.awake(bot, self.match) and seat not in self.drowsy:
            self.drowsy.add(seat)
            name = self.match.names[seat]
            self.console.print(
                f"[dim]{escape(name)} is still waking up, and plays on first sight.[/dim]"
            )
        return waking.for_now(bot, self.match)

    # What the person sees

    def say(self, text: str) -> None:
        self.console.print(escape(text))

    def complain(self, problem: BottegaError) -> None:
        self.say(sentence(str(problem)))

    def welcome(self) -> None:
        match = self.match
        names = [
            f"{name} (you)" if seat == self.seat else name for seat, name in enumerate(match.names)
        ]
        self.console.print(f"[b]{escape(match.game.title)}[/b]: {escape(', '.join(names))}")
        self.console.print(f"[dim]{escape(match.kit.title)}. {escape(match.kit.origin)}[/dim]")
        self.console.print(
            f"[dim]Hash of the seed, which is told at the end: {match.seed_hash}[/dim]"
        )
        if match.moves:
            self.say(f"Resumed after {len(match.moves)} decisions.")
        self.console.print(f"[dim]{HELP}[/dim]")

    def news(self) -> None:
        """What happened since the person was last asked."""
        lines = self.match.log(self.seat)
        if self.told < len(lines):
            self.console.print()
            self.console.print(show.log(lines[self.told :]))
        self.told = len(lines)

    def farewell(self) -> None:
        self.news()
        self.board()
        self.console.print(f"[b]{escape(self.match.prompt(self.seat))}[/b]")
        self.console.print(show.standings(self.match))
        self.console.print(f"[dim]The seed was {self.match.seed}.[/dim]")
        try:
            self.offer_to_save()
        except EOFError:
            self.console.print()

    def choices(self) -> list[Action]:
        """The legal actions as they are numbered: grouped by the first word of their keys."""
        order: dict[str, list[Action]] = {}
        for action in self.match.legal(self.seat):
            order.setdefault(verb(action), []).append(action)
        return [action for group in order.values() for action in group]

    def show_choices(self, actions: list[Action]) -> None:
        numbered = enumerate(actions, start=1)
        groups = [
            (word, list(group)) for word, group in groupby(numbered, lambda one: verb(one[1]))
        ]
        for word, group in groups:
            if len(groups) > 1:
                self.console.print(f"[b]{escape(word.capitalize())}[/b]")
            lines = [f"[b]{number:>3}[/b] {escape(action.text)}" for number, action in group]
            self.console.print(Columns(lines, padding=(0, 2), column_first=True))

    # Asking

    def ask(self) -> None:
        """Ask until the person has decided something, or taken something back."""
        self.news()
        self.board()
        actions = self.choices()
        self.show_choices(actions)
        owing = self.seat in self.match.waiting
        while True:
            self.console.print(f"[b]{escape(self.match.prompt(self.seat))}[/b]")
            hint = "number or ?" if owing else "number, ? or Enter for not now"
            answer = " ".join(self.console.input(f"({hint}) > ").split())
            if not answer and not owing:
                self.declined = len(self.match.moves)
                return
            if self.answer(answer, actions):
                return

    def answer(self, answer: str, actions: list[Action]) -> bool:
        """Carry out an answer; whether the table has changed."""
        word, _, rest = answer.partition(" ")
        try:
            if answer.isdecimal() and 1 <= int(answer) <= len(actions):
                self.match.play(self.seat, actions[int(answer) - 1])
                return True
            if answer in self.match.game.numbers:
                self.match.play(self.seat, answer)
                return True
            for name, command in self.commands.items():
                if word.lower() in (name, name[0]):
                    return command(rest)
        except BottegaError as problem:
            self.complain(problem)
            return False
        if answer not in ("", "?"):
            self.say(f"There is no choice '{answer}'.")
        self.say(f"Type a number from 1 to {len(actions)}, or one of these:\n{HELP}")
        return False

    # Commands; each tells whether the table has changed

    def undo(self) -> bool:
        self.match.undo(self.seat)
        self.told = min(self.told, len(self.match.log(self.seat)))
        self.say("Taken back.")
        return True

    def hint(self) -> bool:
        if not waking.can_search(self.match):
            action = waking.first_sight(self.match, self.seat)
            self.say(f"At first sight: {sentence(action.text)} Ask again in a while.")
            return False
        best = Judgement(self.match, self.seat).best
        number = [choice.id for choice in self.choices()].index(best.action.id) + 1
        chance = f"Your chance to win, as it looks: {best.chance:.0%}."
        self.say(f"Hint: choice {number}. {sentence(best.action.text)} {chance}")
        return False

    def board(self) -> bool:
        self.console.print()
        self.console.print(show.board(self.match, self.seat))
        self.console.print()
        return False

    def log(self, rest: str) -> bool:
        lines = self.match.log(self.seat)
        shown = lines if rest == "all" else lines[-RECENT:]
        self.console.print(show.log(shown) or "Nothing has happened yet.")
        return False

    def rules(self, rest: str) -> bool:
        topic = None if rest == "all" else self.match.topic(self.seat)
        self.console.print(show.rules(self.match.game, topic))
        return False

    def save(self, rest: str) -> bool:
        path = Path(rest) if rest else self.file
        if path is None:
            self.say("Name a file: s FILE")
        else:
            self.write(path)
        return False

    def quit(self) -> bool:
        self.offer_to_save()
        raise Quit

    def offer_to_save(self) -> None:
        """Ask for a file until the match is saved or need not be."""
        while self.saved != self.match.moves:
            answer = self.console.input("Save the game? Name a file, or Enter for no: ").strip()
            if not answer:
                return
            try:
                self.write(Path(answer))
            except BottegaError as problem:
                self.complain(problem)

    def write(self, path: Path) -> None:
        write_notation(path, self.match.save())
        self.file, self.saved = path, self.match.moves
        self.say(f"Saved, with every secret of the table. Resume with --load {path}")


def verb(action: Action) -> str:
    """The first word of an action's key."""
    return action.key.partition("-")[0]
