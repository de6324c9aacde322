"""What must hold at every table of every game, as functions over a `Game`.

`tests/games/test_every_game.py` runs them over all registered games; a game from elsewhere can
be given to them in the same way. `Invariants` is a game's own check of a table: what its
components must add up to.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import bottega
from bottega.engine.game import Game
from bottega.engine.language import sentence
from bottega.engine.match import Match
from tests.games import language

Invariants = Callable[[Match], None]
LIMIT = 400  # decisions; play at random need not ever end by itself


def random_play(match: Match, seed: int) -> Iterator[Match]:
    """Play at random to the end; yields the match before the first and after each decision.

    Seats that are only invited act now and then.
    """
    chance = random.Random(seed)
    yield match
    while not match.over:
        seats = match.waiting
        guests = match.invited
        if guests and chance.random() < 0.25:
            seats = guests
        seat = chance.choice(seats)
        match.play(seat, chance.choice(match.legal_numbers(seat)))
        yield match


def new_table(game: Game, players: int, seed: int) -> Match:
    """A table with a limit, its options chosen by the seed."""
    chance = random.Random(seed)
    options = {}
    for option in game.options:
        values = option.choices or option.numbers
        options[option.name] = chance.choice(values) if seed % 2 else option.default
    return game.new(players, seed, limit=LIMIT, **options)


# One table, at one moment


def check_table(match: Match) -> None:
    """Everything that must hold at any moment."""
    check_no_negative_count(match)
    check_waiting(match)
    for seat in range(match.players):
        check_legal(match, seat)
        check_view(match, seat)
        assert match.prompt(seat)
        check_prompt(match, seat)
        assert np.isfinite(match.encode(seat)).all()
    check_view(match, None)
    check_standings(match)


def check_no_negative_count(match: Match) -> None:
    for name, value in numbers_of(match._table[0]):
        assert value >= 0, f"{name} is {value}"


def numbers_of(record: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Every signed number in a record."""
    for name in record.dtype.names:
        value = record[name]
        if record.dtype[name].names or (
            record.dtype[name].subdtype and record.dtype[name].subdtype[0].names
        ):
            for index, part in enumerate(np.atleast_1d(value)):
                yield from numbers_of(part, f"{prefix}{name}[{index}].")
        elif np.asarray(value).dtype.kind == "i":
            for number in np.asarray(value).ravel():
                yield prefix + name, int(number)


def check_waiting(match: Match) -> None:
    """Somebody owes a decision exactly as long as the table is not over."""
    seats = match.waiting
    assert bool(seats) != match.over
    assert all(0 <= seat < match.players for seat in [*seats, *match.invited])
    assert not set(seats) & set(match.invited), "a seat either owes a decision or is invited"


def check_legal(match: Match, seat: int) -> None:
    """The mask equals the list; keys and texts are unique; who owes a decision has a choice."""
    actions = match.legal(seat)
    acting = seat in match.waiting or seat in match.invited
    assert bool(actions) == acting
    if not acting:
        return
    mask = match.mask(seat)
    marked = [
        number for number in range(64 * len(mask)) if int(mask[number // 64]) >> (number % 64) & 1
    ]
    assert marked == [action.id for action in actions]
    assert marked[-1] < match.game.actions
    assert len({action.key for action in actions}) == len(actions)
    assert len({action.text for action in actions}) == len(actions), sorted(
        action.text for action in actions
    )
    for action in actions:
        assert action.text.strip() == action.text != ""
        assert match.game.keys[action.id] == action.key
        assert match.game.words.picks(action.id)


def check_view(match: Match, seat: int | None) -> None:
    """Views are plain values: what JSON gives back is the same."""
    view = match.view(seat)
    assert json.loads(json.dumps(view)) == view
    assert match.game.words.sketch(view)


def check_standings(match: Match) -> None:
    standings = match.standings
    places = sorted(place for place, _ in standings)
    assert places[0] == 1 or match.players == 1
    chances = match.chances(None, samples=1)
    assert all(0 <= chance <= 1 for chance in chances)
    # Alone, what is missing to 1 is the chance to lose.
    assert match.players == 1 or abs(sum(chances) - 1) < 1e-9
    assert sorted(seat for tied in match.ranking for seat in tied) == list(range(match.players))


def check_refusals(match: Match, seat: int, chance: random.Random) -> None:
    """An illegal action is refused with a reason and changes nothing."""
    legal = set(match.legal_numbers(seat))
    before = match.state()
    for number in chance.sample(range(match.game.actions), min(6, match.game.actions)):
        if number not in legal:
            with pytest.raises(bottega.IllegalMove, match=r"\S"):
                match.play(seat, number)
    assert match.state() == before


# Secrets


def twin(match: Match, seat: int | None, seed: int) -> Match:
    """A match that differs only in what the seat cannot know."""
    other = match.copy()
    other._table = match.concealed(seat, seed)
    return other


def known(match: Match, seat: int | None) -> Any:
    """Everything a seat (or a spectator) gets to see, apart from the log."""
    seen: list[Any] = [match.view(seat), match.prompt(seat), match.topic(seat)]
    if seat is not None:
        seen += [match.legal(seat), match.encode(seat).tolist(), match.can_undo(seat)]
    return seen


def check_twins(match: Match, seat: int | None) -> bool:
    """Twin worlds look the same to the seat; whether their hidden parts differ."""
    one, two = twin(match, seat, 1), twin(match, seat, 2)
    assert known(one, seat) == known(two, seat)
    seen = known(one, seat)
    true = known(match, seat)
    assert seen[:5] == true[:5]
    again = twin(one, seat, 2)
    assert again.state() == two.state(), "conceal depends on more than what the seat knows"
    return hidden_parts(one) != hidden_parts(two)


def check_knowledge(match: Match, seat: int | None, before: Any) -> Any:
    """What the seat has not noticed changes nothing in how the table may be for it."""
    now = known(match, seat)[:3], match.log(seat), match.concealed(seat, 3).tobytes()
    if before and now[:2] == before[:2]:
        assert now[2] == before[2], "conceal depends on what the seat did not notice"
    return now


def hidden_parts(match: Match) -> bytes:
    """The record without its generator, which always differs between twins."""
    table = match._table.copy()
    table["rng"] = 0
    return table.tobytes()


def check_log_twins(match: Match, seat: int | None, chance: random.Random) -> None:
    """As long as twins that go on alike look alike to the seat, its log reads alike."""
    one, two = twin(match, seat, 1), twin(match, seat, 2)
    one._table["rng"] = two._table["rng"]
    for _ in range(8):
        if one.over or two.over:
            return
        actor = chance.choice(one.waiting)
        both = sorted({*one.legal_numbers(actor)} & {*two.legal_numbers(actor)})
        if not both:
            return
        action = chance.choice(both)
        one.play(actor, action)
        two.play(actor, action)
        if known(one, seat) != known(two, seat):
            return  # something hidden has come to light
        assert one.told(seat)[len(match.moves) :] == two.told(seat)[len(match.moves) :]


def check_bots(match: Match, seat: int, bots: list[str]) -> None:
    """Every bot decides alike in both twins and at the true table, and legally."""
    for name in bots:
        bot = bottega.bot(name, seed=5)
        choices = {bot.choose(twin(match, seat, seed), seat).id for seed in (1, 2)}
        choices.add(bot.choose(match, seat).id)
        assert len(choices) == 1, f"{name} sees more than its seat"
        assert choices <= set(match.legal_numbers(seat))


# Taking back


def check_undo_never_peeks(match: Match, chance: random.Random) -> Match:
    """Decide something; if it showed another seat what that seat could not have known, nobody may
    take back anything from before it. The match after it."""
    seat = chance.choice(match.waiting)
    action = chance.choice(match.legal_numbers(seat))
    before, after = match, match.copy()
    after.play(seat, action)
    others = [viewer for viewer in range(match.players) if viewer != seat]
    if not set(after.waiting) <= set(before.waiting):
        assert after.told()[-1], f"somebody else's decision comes, and nobody is told of {action}"
    if any(learned(before, after, viewer, seat, action) for viewer in others):
        decided = {move.seat for move in after.moves}
        assert not any(after.can_undo(one) for one in decided), after.moves[-1]
    return after


def learned(before: Match, after: Match, viewer: int, seat: int, action: int) -> bool:
    """Whether a decision told a viewer what it could not have known: in some world that looked
    the same to the viewer, nothing that the seat might do would look like it."""
    if not after.told(viewer)[-1]:
        return False  # a private step shows no more than that something was decided
    private = []  # the steps that the seat has taken since the viewer last learned of any
    for number in range(len(before.moves) - 1, -1, -1):
        mine = before.moves[number].seat == seat
        if (mine and before.told(viewer)[number]) or showed(before, number):
            break
        private += [before.moves[number].action] * mine
    private.reverse()
    seen = after.view(viewer), after.told(viewer)[-1]
    for seed in (1, 2, 3):
        world = twin(before, viewer, seed)
        world._table["rng"] = before._table["rng"]
        if not might_look_like(world, viewer, seat, [*private, action], seen):
            return True
    return False


def showed(match: Match, number: int) -> bool:
    """Whether a move drew or revealed something."""
    one, two = match.records[number : number + 2]
    return bool(one["rng"] != two["rng"] or one["shown"] != two["shown"])


def might_look_like(world: Match, viewer: int, seat: int, steps: list[int], seen: Any) -> bool:
    """Whether the seat can do what the viewer saw: by the same steps, or by another last one."""
    for step in steps[:-1]:
        if step not in world.legal_numbers(seat):
            return False
        world.play(seat, step)
    legal = world.legal_numbers(seat)
    for last in sorted(legal, key=lambda number: number != steps[-1]):
        trial = world.copy()
        trial.play(seat, last)
        if (trial.view(viewer), trial.told(viewer)[-1]) == seen:
            return True
    return False


def check_seals_are_free(match: Match, chance: random.Random) -> bool:
    """A decision that is still private goes alone: what the others decided stays, and they see no
    more than that it is owed again. Whether there was one."""
    sealed = [seat for seat in range(match.players) if match.private(seat)]
    if not sealed:
        return False
    seat = chance.choice(sealed)
    other = match.copy()
    other.undo(seat)
    mine = [move for move in match.moves if move.seat == seat]
    assert [move for move in other.moves if move.seat == seat] == mine[:-1]
    rest = [move for move in match.moves if move.seat != seat]
    assert [move for move in other.moves if move.seat != seat] == rest
    for viewer in [None, *range(match.players)]:
        if viewer != seat:
            assert other.log(viewer) == match.log(viewer)
    other.play(seat, mine[-1].action)
    assert other.state() == match.state()
    return True


# Words


def check_prompt(match: Match, seat: int) -> None:
    """A prompt names every kind of action that is legal, and no other."""
    legal = match.legal_numbers(seat)
    if not legal:
        return
    kinds = {match.game.words.kind(action) for action in range(match.game.actions)}
    possible = {match.game.words.kind(action) for action in legal}
    prompt = match.prompt(seat)
    named = {kind for kind in kinds if re.search(rf"\b(?:{kind})\b", prompt, re.IGNORECASE)}
    assert named == possible, (prompt, [match.game.keys[action] for action in legal])


def check_language(match: Match, seat: int, chance: random.Random) -> None:
    """Prompts, choices, cautions and refusals are good English; so is the log, at the end."""
    legal = match.legal(seat)
    texts = [match.prompt(seat), *(sentence(action.text) for action in legal)]
    words = match.game.words
    numbers = [action.id for action in legal]
    for action in legal:
        assert not action.text.endswith("."), action.text
        texts.append(words.caution(match.kit, match._table[0], seat, action.id, numbers))
    for number in chance.sample(range(match.game.actions), min(4, match.game.actions)):
        try:
            match.copy().play(seat, number)
        except bottega.IllegalMove as refused:
            texts.append(str(refused))
    for text in filter(None, texts):
        assert language.faults(text, match.names) == [], text


# Whole games


def check_random_game(game: Game, players: int, seed: int, invariants: Invariants) -> None:
    """A game at random with every check after every move."""
    chance = random.Random(seed)
    match = new_table(game, players, seed)
    for number, _ in enumerate(random_play(match, seed)):
        invariants(match)
        check_table(match)
        check_refusals(match, chance.randrange(players), chance)
        check_language(match, chance.randrange(players), chance)
        if number % 97 == 5:
            check_copy(match)
            check_replay(match)
    check_replay(match)
    for viewer in [None, *range(players)]:
        for line in match.log(viewer):
            assert language.faults(line.text, match.names) == [], line.text
            assert line.seat is None or 0 <= line.seat < players
    assert match.over
    assert match.unfinished == (len(match.moves) == LIMIT and not match.winners)


def check_copy(match: Match) -> None:
    """A copy goes its own way."""
    before = match.state(), match.save()
    copy = match.copy()
    assert (copy.state(), copy.save()) == before
    for _ in zip(random_play(copy, 1), range(20), strict=False):
        pass
    assert (match.state(), match.save()) == before


def check_replay(match: Match) -> None:
    """Saved and replayed, the record is the same to the last bit."""
    again = bottega.replay(match.save(), kit=match.kit)
    assert again.state() == match.state()
    assert again.save() == match.save()
    assert [line.text for line in again.log(0)] == [line.text for line in match.log(0)]


def check_secrets(game: Game, players: int, seed: int, bots: list[str]) -> bool:
    """A game at random with the twin-world checks, for every seat and a spectator; whether
    anything hidden ever varied."""
    chance = random.Random(seed)
    match = new_table(game, players, seed)
    varied = False
    viewers = [None, *range(players)]
    knew: dict[int | None, Any] = {}
    for number, _ in enumerate(random_play(match, seed)):
        for viewer in viewers:
            knew[viewer] = check_knowledge(match, viewer, knew.get(viewer))
        viewer = viewers[number % len(viewers)]
        varied |= check_twins(match, viewer)
        check_log_twins(match, viewer, chance)
        if number % 7 == 0 and not match.over:
            check_bots(match, match.waiting[number % len(match.waiting)], bots)
    return varied


def check_undo(game: Game, players: int, seed: int) -> int:
    """A game at random in which nobody ever unsees anything; how many private decisions there
    were to be taken back."""
    chance = random.Random(seed)
    match = new_table(game, players, seed)
    private = 0
    while not match.over:
        match = check_undo_never_peeks(match, chance)
        private += check_seals_are_free(match, chance)
    return private


def check_interleaved(game: Game, players: int) -> None:
    """Tables that are played in turns do not disturb each other."""
    alone = []
    for seed in range(3):
        *_, last = random_play(new_table(game, players, seed), seed)
        alone.append(last.state())
    tables = [new_table(game, players, seed) for seed in range(3)]
    plays = [random_play(table, seed) for seed, table in enumerate(tables)]
    while plays:
        plays = [play for play in plays if next(play, None) is not None]
    assert [table.state() for table in tables] == alone
