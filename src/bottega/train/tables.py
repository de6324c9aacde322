"""Tables of all kinds in the mix, side by side, as tensors: what the seats that decide know and
may do, and how games end."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

import bottega
from bottega.engine.contract import PLACE, SCORE
from bottega.engine.game import Game
from bottega.engine.kit import Kit
from bottega.envs.batch import Batch
from bottega.train.settings import Settings

LEAST = 1e-3  # a guess of the judge is taken to be at least this


def tensor(array: Any) -> Tensor:
    """An array of a batch as a tensor, on the same device and without a copy."""
    return torch.from_dlpack(array)


class Group:
    """Tables of one kind. All tensors show the batch as it is now."""

    def __init__(self, batch: Batch, outcomes: int) -> None:
        self.batch = batch
        self.possible = max(2, batch.players)  # outcomes; alone, one wins or does not
        self.seen = tensor(batch.encode())
        self.legal = tensor(batch.legal())
        self.guesses = tensor(batch.judge())
        self.seats = tensor(batch.waiting)
        self.done = tensor(batch.done)
        self.standings = tensor(batch.standings)
        self._each = torch.arange(outcomes, device=self.seats.device)

    def refresh(self, guess: bool) -> None:
        """See what the waiting seats know and may do."""
        self.batch.encode()
        self.batch.legal()
        if guess:
            self.batch.judge()

    def turned(self, by_seat: Tensor) -> Tensor:
        """[table, outcome] as the waiting seats see it, from [table, seat]."""
        places = (self.seats[:, None] + self._each) % self.possible
        return or_lose(by_seat).gather(1, places[:, : self.possible])


class Short(NamedTuple):
    """Alone, nobody wins by chance, and where nobody wins nothing is learned. So a lost game is
    worth something at first, the more the closer its score came to the goal."""

    goal: int  # the score that wins
    worth: float  # of being a point short; of each further one, so much of that


class Tables:
    """So many tables in all, shared out as the settings mix them."""

    def __init__(
        self,
        game: Game,
        kit: Kit,
        settings: Settings,
        number: int,
        outcomes: int,
        device: str,
        seed: int,
    ) -> None:
        whole = sum(share.share for share in settings.mix)
        batches = [
            bottega.batch(
                game.name,
                max(1, round(number * share.share / whole)),
                share.players,
                device=device,
                seed=seed + (at << 40),
                limit=settings.limit,
                kit=kit,
                **share.options,
            )
            for at, share in enumerate(settings.mix)
        ]
        self.known = game.observation  # numbers of the inputs that say what a seat knows
        self.inputs = game.observation + game.actions
        self.device = device
        self.groups = [Group(batch, outcomes) for batch in batches]
        self.sizes = [len(batch) for batch in batches]
        self.each = torch.arange(outcomes, device=device)
        self.possible = self._column([group.possible for group in self.groups])

    def __len__(self) -> int:
        return sum(self.sizes)

    def _column(self, numbers: list[int]) -> Tensor:
        """[table, 1], a number for each group."""
        of = torch.tensor(numbers).repeat_interleave(torch.tensor(self.sizes))
        return of.to(self.device)[:, None]

    def see(self, inputs: Tensor, guesses: Tensor | None = None) -> Tensor:
        """Fill in what all waiting seats know and may do, and logarithms of what the judge guesses
        as they see the table; who they are."""
        for group, rows in self._rows():
            group.refresh(guesses is not None)
            inputs[rows, : self.known] = group.seen
            inputs[rows, self.known :] = group.legal
            if guesses is not None:
                guess = group.turned(group.guesses.clamp(min=LEAST)).log()
                guesses[rows, : group.possible] = guess
        return torch.cat([group.seats for group in self.groups])

    def step(
        self, actions: Tensor, results: Tensor, done: Tensor, short: Short | None = None
    ) -> None:
        """Everybody decides; fill in who won where a game ended."""
        for group, rows in self._rows():
            group.batch.step(actions[rows])
            results[rows, : group.possible] = results_of(group.standings, short)
            done[rows] = group.done

    def _rows(self) -> list[tuple[Group, slice]]:
        ends = torch.tensor(self.sizes).cumsum(0).tolist()
        return [
            (group, slice(end - size, end))
            for group, size, end in zip(self.groups, self.sizes, ends, strict=True)
        ]

    def by_seat(self, chances: Tensor, seats: Tensor) -> Tensor:
        """Chances by seat, from those as the waiting seats see them; 0 where nobody sits."""
        ahead = (self.each - seats[:, None]) % self.possible
        return chances.gather(1, ahead) * (self.each < self.possible)

    def turned(self, by_seat: Tensor, seats: Tensor) -> Tensor:
        """[step, table, outcome] as those who decided see it."""
        places = (seats[..., None] + self.each) % self.possible
        return by_seat.gather(2, places) * (self.each < self.possible)


def results_of(standings: Tensor, short: Short | None = None) -> Tensor:
    """[table, outcome by seat], who won where a game ended just now; alone, falling short may count
    for something."""
    won = (standings[:, :, PLACE] == 1).float()
    if short is not None and standings.shape[1] == 1:
        close = short.worth ** (short.goal - standings[:, :, SCORE]).clamp(min=1).float()
        won = torch.maximum(won, close)
    return or_lose(won / won.sum(1, keepdim=True).clamp(min=1.0))


def or_lose(chances: Tensor) -> Tensor:
    """[table, outcome by seat]; alone, the other outcome is to lose."""
    return torch.cat([chances, 1 - chances], 1) if chances.shape[1] == 1 else chances
