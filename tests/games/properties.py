"""What must hold at every table of every game, as functions over a `Game`.

`tests/games/test_every_game.py` runs them over all registered games; a game from elsewhere can
be given to them in the same way. `Invariants` is a game's own check of a table: what its
components must add up to.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import bottega
from bottega.engine.game import Game
from bottega.engine.match import Match

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


# Whole games


def check_random_game(game: Game, players: int, seed: int, invariants: Invariants) -> None:
    """A game at random with every check after every move."""
    chance = random.Random(seed)
    match = new_table(game, players, seed)
    for number, _ in enumerate(random_play(match, seed)):
        invariants(match)
        check_table(match)
        check_refusals(match, chance.randrange(players), chance)
        if number % 97 == 5:
            check_copy(match)
            check_replay(match)
    check_replay(match)
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
