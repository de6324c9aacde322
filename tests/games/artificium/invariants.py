"""What a table of Artificium must add up to at any moment."""

from __future__ import annotations

from bottega.engine.match import Match
from bottega.games.artificium.cards import known
from bottega.games.artificium.state import (
    CHOOSE,
    GOODS,
    KINDS,
    MOST_SEATS,
    NO_CARD,
    OPEN,
    RESOLVE,
    TURN_END,
)


def check(match: Match) -> None:
    """Cards are conserved, hands are as large as they seem, nobody knows what is not so."""
    s, kit = match._table[0], match.kit.record[0]
    check_cards(match, s, kit)
    for seat in range(match.players):
        check_player(match, s, seat)
        check_knowledge(match, s, seat)
    for seat in range(match.players, MOST_SEATS):
        assert not s.players[seat].tobytes().strip(b"\0"), "an empty seat has something"


def check_cards(match: Match, s, kit) -> None:
    """All 108 cards are somewhere, each kind as often as the kit says."""
    counts = [int(s.deck[kind]) + int(s.discards[kind]) for kind in range(KINDS)]
    for card in s.market:
        if card != NO_CARD:
            counts[card] += 1
    for seat in range(match.players):
        player = s.players[seat]
        for kind in range(KINDS):
            counts[kind] += int(player.hand[kind])
            counts[kind] += int(player.front[kind])
            counts[kind] += int(player.buried[kind])
        if player.card != NO_CARD:
            counts[player.card] += 1
    assert counts == kit.copies.tolist()
    assert sum(counts) == 108
    assert int(s.deck.sum()) == s.left


def check_player(match: Match, s, seat: int) -> None:
    player = s.players[seat]
    laid_out = int(player.front.sum()) if s.phase == TURN_END else 0
    assert int(player.hand.sum()) + laid_out == player.held
    assert player.coins >= 0
    assert player.purse >= 0
    assert player.points >= 0
    private = not match.over and (s.phase == TURN_END or (s.phase == RESOLVE and s.actor == seat))
    if not private:
        assert player.purse == player.coins
        assert [int(player.board[good]) for good in range(GOODS)] == player.goods.tolist()
    assert player.sealed == OPEN or s.phase == CHOOSE
    assert player.card == NO_CARD or s.phase >= RESOLVE


def check_knowledge(match: Match, s, seat: int) -> None:
    """What anybody is certain of is true, and everybody knows no more than each."""
    player = s.players[seat]
    laid_out = player.front if s.phase == TURN_END else [0] * KINDS
    for kind in range(KINDS):
        held = int(player.hand[kind]) + int(laid_out[kind])
        for knower in [*range(match.players), MOST_SEATS]:
            certain = known(player, knower, kind)
            assert certain <= held
            assert known(player, MOST_SEATS, kind) <= certain
