"""Play in the terminal, scripted: what is typed, what is shown, and that no secret is."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

import bottega
from bottega.bots.judgement import Judgement
from bottega.cli import main
from bottega.engine.errors import BadOption
from bottega.engine.match import Match
from bottega.terminal import files, seating, show
from bottega.terminal.play import Session

SPLENDOR = bottega.game("splendor")
Answers = Iterable[str] | Callable[[Session], str]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Script(Console):
    """A terminal before which somebody types what a script says."""

    def __init__(self, answers: Answers) -> None:
        self.screen = io.StringIO()
        super().__init__(file=self.screen, width=80, highlight=False, emoji=False)
        self.answers = answers if callable(answers) else iter(answers)
        self.session: Session

    def input(self, prompt="", **_):  # type: ignore[override]
        self.print(prompt, end="")
        if callable(self.answers):
            answer = self.answers(self.session)
        else:
            answer = next(self.answers, None)
            if answer is None:
                raise EOFError
        self.print(answer, markup=False)
        return answer

    @property
    def shown(self) -> str:
        return self.screen.getvalue()


def played(answers: Answers, **wishes) -> tuple[Session, str]:
    """A fresh match at which a script is typed."""
    console = Script(answers)
    console.session = seating.begin(SPLENDOR, console, **({"seed": 5, "seat": 0} | wishes))
    console.session.run()
    return console.session, console.shown


def resumed(answers: Answers, file: str, **wishes) -> tuple[Session, str]:
    console = Script(answers)
    console.session = seating.resume(SPLENDOR, console, Path(file), **wishes)
    console.session.run()
    return console.session, console.shown


def like_greedy(session: Session) -> str:
    """Somebody who plays as well as the bot."""
    if session.match.over:
        return ""
    return bottega.bot("greedy", seed=9).choose(session.match, session.seat).key


# Whole games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_game(players):
    session, shown = played(like_greedy, players=players, seat=players - 1)
    match = session.match
    assert match.over
    assert match.winners
    assert match.prompt(session.seat) in shown
    assert "(won)" in shown
    assert f"The seed was {match.seed}." in shown
    assert match.seed_hash in shown
    for line in match.log(session.seat):
        assert " ".join(line.text.split()) in " ".join(shown.split())


def test_a_whole_game_typed_into_the_command(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 400))
    assert main(["play", "splendor", "--seed", "3", "--seat", "1", "--name", "Ada"]) == 0
    shown = capsys.readouterr().out
    assert "Splendor: Greedy 1, Ada (you)" in shown
    assert "The seed was 3." in shown
    # The last answer, to the question for a file, was 1, too.
    match = bottega.replay((tmp_path / "1").read_text(encoding="utf-8"))
    assert match.over
    assert match.names == ("Greedy 1", "Ada")


def test_choosing_where_to_use_gold():
    seen = []

    def answer(session: Session) -> str:
        if not session.match.over and session.match.view(session.seat)["bill"] is not None:
            seen.append(session.match.legal(session.seat))
        return like_greedy(session)

    _, shown = played(answer, options={"payment": "choice"})
    assert seen
    assert "You are about to pay" in shown
    assert "How do you pay?" in shown


# What is shown


def test_choices_are_numbered_and_grouped_by_what_one_does():
    session, shown = played([])
    choices = session.choices()
    assert {choice.id for choice in choices} == set(session.match.legal_numbers(0))
    for number, choice in enumerate(choices, start=1):
        assert f"{number:>3} {choice.text}" in shown
    assert shown.index("\nReserve\n") < shown.index("\nTake\n")


def test_a_choice_by_number_is_the_one_shown():
    session, _ = played(["17"])
    fresh, _ = played([])
    assert session.match.moves[0].key == fresh.choices()[16].key


def test_what_the_others_did_is_told_once():
    session, shown = played(["take-white-blue-green", "b", "take-white-blue-red"])
    (line,) = [line.text for line in session.match.log(0) if line.number == 2]
    assert shown.count(line) == 1


def test_a_hint_is_the_best_choice_with_its_chance():
    session, shown = played(["h"])
    best = Judgement(session.match, 0).best
    number = [choice.key for choice in session.choices()].index(best.action.key) + 1
    told = " ".join(shown.split())
    assert f"Hint: choice {number}. {best.action.text}." in told
    assert f"as it looks: {best.chance:.0%}." in told
    assert 0 < best.chance < 1


def test_rules_open_where_it_matters():
    _, shown = played(["r"])
    assert "Do exactly one of these" in shown
    assert "Ten tokens" not in shown
    _, everything = played(["r all"])
    assert "Ten tokens" in everything


def test_log_shows_all_or_the_last_lines():
    _, nothing = played(["l"])
    assert "Nothing has happened yet." in nothing
    answers = iter([*["x"] * 12, "l", "l all"])
    first = "   1 Player takes"

    def answer(session: Session) -> str:
        word = next(answers, None)
        if word is None:
            raise EOFError
        return like_greedy(session) if word == "x" else word

    _, shown = played(answer)
    assert shown.count(first) == 2  # as news and in the whole log, not among the last lines


@pytest.mark.parametrize("answer", ["", "?", "0", "99", "-1", "²", "frob", "1 2", "[red]x[/nope]"])
def test_what_is_not_understood_is_explained(answer):
    session, shown = played([answer])
    assert not session.match.moves
    assert "Type a number from 1 to 30" in shown
    if answer not in ("", "?"):
        assert f"There is no choice '{answer}'." in shown


def test_an_illegal_choice_is_refused_with_its_rule():
    session, shown = played(["buy-3a"])
    assert not session.match.moves
    assert "(S6)" in shown


def test_end_of_input_ends_cleanly(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    assert main(["play", "splendor", "--seed", "5"]) == 0
    assert "without saving" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_cleanly(capsys, monkeypatch, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Console, "input", stop)
    assert main(["play", "splendor", "--seed", "5"]) == 130
    assert capsys.readouterr().err.strip().splitlines()[-1] == "bottega: stopped"
    assert not list(tmp_path.iterdir())


def test_a_seat_that_is_only_invited_may_say_not_now(monkeypatch):
    monkeypatch.setattr(Match, "invited", property(lambda _: [0]))
    monkeypatch.setattr(SPLENDOR.words, "prompt", lambda *_: "Do you want to?")
    session, shown = played(["take-white-blue-green", ""])
    assert "Enter for not now" in shown
    assert [move.seat for move in session.match.moves] == [0, 1]


# Taking back


def test_undo_takes_back_the_own_decision_and_the_answer_to_it():
    session, shown = played(["take-white-blue-green", "u", "u"])
    assert session.match.moves == ()
    assert "Taken back." in shown
    assert "Player has not decided anything yet." in shown


def test_undo_is_refused_when_something_hidden_was_shown():
    session, shown = played(["reserve-1a", "u"])
    assert len(session.match.moves) == 2
    assert "Something hidden has come to light since then" in shown


def test_after_an_undo_the_news_are_told_again():
    _, shown = played(["take-white-blue-green", "u", "take-white-blue-green"])
    assert shown.count("Player takes white, blue and green.") == 2


# Saving


def test_save_and_resume_play_the_same_game_as_without_a_break():
    whole, _ = played(like_greedy)
    steps = iter(["go"] * 9 + ["h", "s game.txt", "q"])

    def answer(session: Session) -> str:
        word = next(steps)
        return like_greedy(session) if word == "go" else word

    first, shown = played(answer)
    assert not first.match.over
    assert "Resume with --load game.txt" in shown
    assert "Save the game?" not in shown  # it is saved
    second, shown = resumed(like_greedy, "game.txt")
    assert f"Resumed after {len(first.match.moves)} decisions." in shown
    assert second.seat == 0
    assert second.match.state() == whole.match.state()
    assert second.match.save() == whole.match.save()


def test_quit_offers_to_save(tmp_path):
    session, shown = played(["take-white-blue-green", "q", str(tmp_path), "late.txt"])
    assert f"Cannot write {tmp_path}" in shown
    assert (tmp_path / "late.txt").read_text(encoding="utf-8") == session.match.save()
    assert [file.name for file in tmp_path.iterdir()] == ["late.txt"]


def test_quit_without_saving_writes_nothing(tmp_path):
    played(["take-white-blue-green", "q", ""])
    assert not list(tmp_path.iterdir())


def test_quit_before_anything_happened_asks_nothing():
    _, shown = played(["q"])
    assert "Save the game?" not in shown


def test_save_again_needs_no_name():
    session, shown = played(["s", "s a.txt", "take-white-blue-green", "s", "q"])
    assert "Name a file" in shown
    assert Path("a.txt").read_text(encoding="utf-8") == session.match.save()


def test_only_a_saved_match_is_overwritten():
    Path("letter.txt").write_text("Dear Ada", encoding="utf-8")
    _, shown = played(["s letter.txt", "s missing/x.txt"])
    assert "is no saved match; it stays as it is" in shown
    assert "Cannot write missing/x.txt" in shown
    assert Path("letter.txt").read_text(encoding="utf-8") == "Dear Ada"


def test_a_save_that_fails_leaves_nothing_behind(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(BadOption, match="No space left"):
        files.write_notation(tmp_path / "x.txt", "text")
    assert not list(tmp_path.iterdir())


# Seats


def test_resume_finds_its_bots_by_their_names():
    played(["s x.txt", "q"], players=3, seat=1, bots="random,greedy")
    session, _ = resumed([], "x.txt")
    assert session.seat == 1
    assert {seat: bot.name for seat, bot in session.others.items()} == {0: "random", 2: "greedy"}


def test_resume_with_another_seat_and_other_bots():
    played(["s x.txt", "q"], players=3, seat=1)
    session, _ = resumed([], "x.txt", seat=0, bots="random")
    assert session.seat == 0
    assert {bot.name for bot in session.others.values()} == {"random"}


def test_resume_refuses_another_game(monkeypatch):
    played(["s x.txt", "q"])
    text = Path("x.txt").read_text(encoding="utf-8")
    match = bottega.replay(text)
    other = type("Other", (), {"name": "chess", "title": "Chess"})
    with pytest.raises(BadOption, match="a match of Splendor, not of Chess"):
        seating.resume(other, Script([]), Path("x.txt"))  # type: ignore[arg-type]
    assert match.game is SPLENDOR


def test_the_seat_is_drawn_by_lot():
    seats = {seating.begin(SPLENDOR, Script([]), players=4, seed=seed).seat for seed in range(40)}
    assert seats == {0, 1, 2, 3}


# Honest play


def test_twin_worlds_look_the_same():
    """Two tables that differ only in what the person cannot know: the same screen."""
    match = SPLENDOR.new(3, seed=11, names=["Ada", "Greedy 1", "Greedy 2"])
    for seat, key in [(0, "reserve-deck-1"), (1, "reserve-deck-3"), (2, "reserve-deck-2")]:
        match.play(seat, key)
    match.play(0, "take-white-blue-green")
    match.play(1, "reserve-deck-3")
    match.play(2, "take-white-red-black")
    twins = [match.imagine(0, seed) for seed in (1, 2)]
    assert twins[0].state() != twins[1].state()
    screens = []
    for twin in twins:
        console = Script(["h", "b", "l all", "r", "buy-hand-1", "?"])
        Session(twin, 0, {}, console).run()
        screens.append(console.shown)
    assert screens[0] == screens[1]
    assert screens[0].count("hidden, level 3") == 4  # two cards, on two boards


def test_the_log_of_the_screen_is_that_of_the_seat():
    match = SPLENDOR.new(2, seed=11, names=["Ada", "Greedy 1"])
    match.play(0, "take-white-blue-green")
    match.play(1, "reserve-deck-3")
    console = Script(["l all"])
    Session(match, 0, {}, console).run()
    secret = match.view(1)["players"][1]["hand"][0]
    assert "Greedy 1 reserves a card from the deck of level 3 and takes a gold." in console.shown
    assert f"the {secret['bonus']} level 3 card" not in console.shown.split("Reserve\n")[0]


# The board as text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_board_fits_80_columns(players):
    names = ["[b]Ada[/b]", "名" * 20, "B" * 40, "Greedy 1"][:players]
    match = SPLENDOR.new(players, seed=players, names=names, payment="choice")
    chance = random.Random(players)
    while not match.over:
        viewers = (None, *range(players)) if len(match.moves) % 8 == 0 else (match.waiting[0],)
        for viewer in viewers:
            assert max(map(cell_len, board_of(match, viewer, 200).splitlines())) <= 80
        match.play(match.waiting[0], chance.choice(match.legal_numbers(match.waiting[0])))


def board_of(match: Match, viewer: int | None, width: int = 80) -> str:
    console = Console(file=(screen := io.StringIO()), width=width, emoji=False, highlight=False)
    console.print(show.board(match, viewer))
    return screen.getvalue()


def test_the_board_shows_everything_in_letters_too():
    match = SPLENDOR.new(2, seed=5, names=["[b]Ada[/b]", "Bruno"])
    letters = {"white": "W", "blue": "U", "green": "G", "red": "R", "black": "K", "gold": "O"}
    view = match.view(0)
    shown = board_of(match, 0)
    for kind, letter in letters.items():
        assert f"{letter} {kind}" in shown
        assert f"{view['bank'][kind]}{letter}" in shown
    for row in view["market"]:
        for card in row:
            cost = " ".join(f"{n}{letters[kind]}" for kind, n in card["cost"].items() if n)
            assert cost in shown
    for noble in view["nobles"]:
        need = " ".join(f"{n}{letters[kind]}" for kind, n in noble["need"].items() if n)
        assert f"+{noble['points']} {need}" in shown
    assert "> [b]Ada[/b] (you)" in shown


def test_the_board_shows_an_empty_place_and_a_noble_that_is_gone():
    match = SPLENDOR.new(2, seed=5)
    view = match.view(0)
    view["market"][2][1] = None
    view["nobles"][0] = None
    shown = SPLENDOR.words.sketch(view)
    assert "3b empty" in shown
    assert "1  gone" in shown
