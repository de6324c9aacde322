"""What a table of Renaissance Man must add up to at any moment."""

from __future__ import annotations

from collections import Counter

from bottega.engine.lanes import unpack
from bottega.engine.match import Match
from bottega.games.renaissance_man.state import (
    BASE,
    CARDS,
    CREATION,
    DECIDED,
    FOUNDATION,
    HALF,
    HAND,
    IDLE,
    KNIGHTS,
    MOST_STORED,
    NO_CARD,
    PLACES,
    RENAISSANCE_MAN,
    RESOLUTION,
    SETTING,
)
from bottega.games.renaissance_man.structure import LEFT


def check(match: Match) -> None:
    """Cards, structures, tokens and knights are complete and where they may be."""
    s = match._table[0]
    check_cards(match, s)
    for seat in range(match.players):
        check_structure(match, s.players[seat], s)
        check_tokens(s.players[seat])
    check_decisions(match, s)


def members(pile) -> list[int]:
    return [card for card in range(CARDS) if int(pile[card // HALF]) >> (card % HALF) & 1]


def check_cards(match: Match, s) -> None:
    """Each of the 96 cards is in exactly one place."""
    cards = [*members(s.deck), *members(s.discards), *members(s.face_down)]
    cards += [int(card) for card in s.recruits if card != NO_CARD]
    face_down = 0
    for seat in range(match.players):
        player = s.players[seat]
        hand = [int(card) for card in player.hand if card != NO_CARD]
        assert len(hand) == player.held <= HAND
        assert all(card == NO_CARD for card in player.hand[len(hand) :])
        upper = [int(card) for card in player.pyramid[BASE:] if card != NO_CARD]
        face_down += upper.count(RENAISSANCE_MAN)
        face_down += s.phase == CREATION and player.step != IDLE
        cards += hand + [card for card in upper if card != RENAISSANCE_MAN]
    assert sorted(cards) == list(range(CARDS)), Counter(cards).most_common(3)
    assert len(members(s.face_down)) == face_down


def check_structure(match: Match, player, s) -> None:
    """The Foundation is complete, every worker rests on two others and matches their offers."""
    row = sorted(int(card) for card in player.pyramid[:BASE])
    if s.phase == SETTING:
        assert all(FOUNDATION <= card <= NO_CARD for card in row)
    else:
        assert row == list(range(FOUNDATION, NO_CARD))
    kit = match.kit.record[0]
    for place in range(BASE, PLACES):
        card = player.pyramid[place]
        there = card != NO_CARD
        assert there == bool(int(player.upper) >> (place - BASE) & 1)
        if there:
            left, right = player.pyramid[LEFT[place - BASE]], player.pyramid[LEFT[place - BASE] + 1]
            assert kit.need_left[card] & kit.offer_right[left]
            assert kit.need_right[card] & kit.offer_left[right]


def check_tokens(player) -> None:
    assert sum(unpack(player.store, 7)) == sum(unpack(player.store, 4)) <= MOST_STORED
    assert sum(unpack(player.knights, 7)) == sum(unpack(player.knights, 4)) <= KNIGHTS
    assert player.taught < 15, "four tokens become a Renaissance Man at once"


def check_decisions(match: Match, s) -> None:
    """Who owes a decision has not sealed one; a Master ends the game."""
    for seat in range(match.players):
        player = s.players[seat]
        owing = bool(int(s.owing) >> seat & 1)
        assert owing == (player.step not in (IDLE, DECIDED)) or match.over
    if not match.over and s.phase not in (CREATION, RESOLUTION):  # R18: these are completed first
        assert not any(int(s.players[seat].upper) >> 9 & 1 for seat in range(match.players))
