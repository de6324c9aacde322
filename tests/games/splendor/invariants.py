"""What a table of Splendor must add up to at any moment."""

from __future__ import annotations

from collections import Counter

from bottega.engine.lanes import unpack
from bottega.engine.match import Match
from bottega.games.splendor.state import (
    CARDS,
    GEMS,
    GIVE_BACK,
    HAND,
    LEVELS,
    NO_CARD,
    NO_NOBLE,
)

PILES = {2: 4, 3: 5, 4: 7}


def check(match: Match) -> None:
    """Tokens, cards, bonuses, points and nobles are conserved."""
    s, kit = match._table[0], match.kit.record[0]
    check_tokens(match, s)
    check_cards(match, s, kit)
    check_nobles(match, s, kit)


def check_tokens(match: Match, s) -> None:
    held = [unpack(s.players[seat].tokens, GEMS + 1) for seat in range(match.players)]
    together = [sum(kind) for kind in zip(unpack(s.bank, GEMS + 1), *held, strict=True)]
    assert together == [PILES[match.players]] * GEMS + [5]
    for seat, tokens in enumerate(held):
        returning = s.phase == GIVE_BACK and s.turn == seat
        assert sum(tokens) <= (13 if returning else 10)


def check_cards(match: Match, s, kit) -> None:
    """Every card is in a deck, on the market, in a hand, or bought."""
    places = [int(card) for card in s.market if card != NO_CARD]
    for level in range(LEVELS):
        deck = int(s.decks[level])
        places += [int(kit.first[level]) + i for i in range(40) if deck >> i & 1]
    for seat in range(match.players):
        player = s.players[seat]
        hand = [int(card) for card in player.hand if card != NO_CARD]
        assert len(hand) == player.held <= HAND
        assert int(player.unseen) < 1 << int(player.held)
        places += hand
        assert sum(unpack(player.bonuses, GEMS)) == player.bought
    assert max(Counter(places).values()) == 1
    bought = sum(int(s.players[seat].bought) for seat in range(match.players))
    assert len(places) + bought == CARDS
    gone = set(range(CARDS)) - set(places)
    points = sum(int(kit.points[card]) for card in gone)
    bonuses = [sum(int(kit.bonus[card]) >> 8 * gem & 127 for card in gone) for gem in range(GEMS)]
    everyone = [unpack(s.players[seat].bonuses, GEMS) for seat in range(match.players)]
    assert [sum(gem) for gem in zip(*everyone, strict=True)] == bonuses
    assert points + noble_points(match, s, kit) == sum(
        int(s.players[seat].points) for seat in range(match.players)
    )


def noble_points(match: Match, s, kit) -> int:
    return sum(
        int(kit.favour[noble])
        for seat in range(match.players)
        for noble in range(10)
        if int(s.players[seat].nobles) >> noble & 1
    )


def check_nobles(match: Match, s, kit) -> None:
    waiting = [int(noble) for noble in s.nobles if noble != NO_NOBLE]
    won = [
        noble
        for seat in range(match.players)
        for noble in range(10)
        if int(s.players[seat].nobles) >> noble & 1
    ]
    assert len(waiting) + len(won) == match.players + 1
    assert len({*waiting, *won}) == len(waiting) + len(won)
