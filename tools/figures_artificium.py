"""The figures of Artificium in docs/figures.md: `python tools/figures_artificium.py`.

Games between greedy bots: the points of each seat with each number of players, and how often
each card, once it is revealed, is resolved, discarded or taken back.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
from rich.console import Console
from rich.progress import track

import bottega
from bottega.engine.match import Match

ENDS = ("resolved", "discarded", "taken back")
RESOLVING = ("resolve", "against-", "steal-", "return-")
LIMIT = 10_000
PROGRESS = Console(stderr=True)


class Figures:
    """What is counted over many games with one number of players."""

    def __init__(self, players: int) -> None:
        self.scores: list[list[int]] = []
        self.wins = np.zeros(players)
        self.cards: Counter[tuple[str, str]] = Counter()

    def add(self, players: int, seed: int) -> None:
        """One game between greedy bots."""
        match = bottega.game("artificium").new(players, seed, limit=LIMIT)
        bots = [bottega.bot("greedy", seed=seed + seat) for seat in range(players)]
        while not match.over:
            seat = match.waiting[0]
            key = bots[seat].choose(match, seat).key
            if end := end_of(key):
                self.cards[revealed(match, seat), end] += 1
            match.play(seat, key)
        self.scores.append(match.scores)
        self.wins[match.winners] += 1 / max(1, len(match.winners))

    def points(self) -> str:
        """A line of the table of points."""
        means = " / ".join(f"{mean:.1f}" for mean in np.mean(self.scores, axis=0))
        shares = " / ".join(f"{share:.0%}" for share in self.wins / len(self.scores))
        low, middle, high = np.percentile(np.max(self.scores, axis=1), [5, 50, 95])
        winner = f"{middle:.0f}, {low:.0f} to {high:.0f}"
        return f"| {len(self.wins)} | {means} | {winner} | {shares} |"


def end_of(key: str) -> str | None:
    """What a decision does with the revealed card; nothing if it is about something else."""
    if key.startswith(RESOLVING):
        return "resolved"
    return {"discard": "discarded", "take-back": "taken back"}.get(key)


def revealed(match: Match, seat: int) -> str:
    """The name of the card that a seat is about to resolve."""
    name: str = match.view(seat)["players"][seat]["card"]["name"]
    return name


def show_cards(cards: Counter[tuple[str, str]], games: int) -> None:
    """How often each card met each end."""
    print("| card | revealed a game | resolved | discarded | taken back |\n|---|---|---|---|---|")
    for card in filter(None, bottega.game("artificium").kit().words["cards"]):
        ends = [cards[card, end] for end in ENDS]
        shares = " | ".join(f"{number / max(1, sum(ends)):.0%}" for number in ends)
        print(f"| {card} | {sum(ends) / games:.1f} | {shares} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200, help="with each number of players")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    least, most = bottega.game("artificium").seats
    cards: Counter[tuple[str, str]] = Counter()
    print("| players | points by seat | the best: middle, nine in ten | won by seat |")
    print("|---|---|---|---|")
    for players in range(least, most + 1):
        figures = Figures(players)
        seeds = range(asked.seed, asked.seed + asked.games)
        for seed in track(seeds, f"{players} players", console=PROGRESS, transient=True):
            figures.add(players, seed)
        print(figures.points(), flush=True)
        cards += figures.cards
    print()
    show_cards(cards, asked.games * (most - least + 1))


if __name__ == "__main__":
    main()
