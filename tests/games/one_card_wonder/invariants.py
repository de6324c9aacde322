"""What a table of One Card Wonder must add up to at any moment."""

from __future__ import annotations

from bottega.engine.lanes import covers, unpack
from bottega.engine.match import Match
from bottega.games.one_card_wonder.state import (
    BILLING,
    COIN,
    DRAFTED,
    KINDS,
    NO_LEADER,
    NO_MAT,
    NO_TRADE,
    NO_WONDER,
    NOBODY,
    OBELISKS,
    OFFERS,
    OVERFLOW,
    PAYING,
)

CUBES = {2: 6, 3: 8, 4: 10, 5: 10, 6: 12}
COINS = 16


def check(match: Match) -> None:
    """Cubes and coins are conserved; mats, wonders, leaders and trades are consistent."""
    s = match._table[0]
    check_things(match, s)
    check_components(match, s)
    check_trades(match, s)
    assert s.now[0].phase < BILLING, "a table rests only in phases that wait"


def check_things(match: Match, s) -> None:
    """Nothing appears or vanishes, not even a pledge or a payment half made."""
    middle = s.now[0]
    heaps = [middle.bag, middle.supply, middle.hand, *s.gifts[:OFFERS]]
    heaps += [s.players[seat].stock for seat in range(match.players)]
    together = [sum(kind) for kind in zip(*(unpack(heap, KINDS) for heap in heaps), strict=True)]
    assert together[:COIN] == [CUBES[match.players]] * COIN
    assert together[COIN] + int(middle.coins) == COINS
    for seat in range(match.players):
        player = s.players[seat]
        held = sum(unpack(player.stock, KINDS))
        private = middle.actor == seat
        if held > player.room and not s.surplus >> seat & 1:
            assert private or s.owner != NOBODY
        if private and middle.phase == OVERFLOW:
            assert held > player.room
        assert covers(player.stock, player.pledge)
    if middle.phase == PAYING:
        assert covers(s.players[middle.actor].stock, middle.bill)
        assert covers(middle.bill, middle.paid)


def check_components(match: Match, s) -> None:
    """Every wonder, mat and leader is in one place only."""
    players = [s.players[seat] for seat in range(match.players)]
    wonders = [int(p.wonder) for p in players if p.wonder != NO_WONDER]
    wonders += [int(wonder) for wonder in s.wonders if wonder != NO_WONDER]
    assert len(set(wonders)) == len(wonders)
    mats = [int(p.mat) for p in players if p.mat != NO_MAT]
    mats += [int(mat) for p in players if p.mat == NO_MAT for mat in p.dealt]
    assert len(set(mats)) == len(mats)
    leaders = [int(p.leader) for p in players if p.leader != NO_LEADER]
    leaders += [leader for leader in range(10) if s.revealed >> leader & 1]
    assert len(set(leaders)) == len(leaders)
    for seat, player in enumerate(players):
        assert bool(s.hidden >> seat & 1) == (player.leader != NO_LEADER)
        assert int(player.buildings).bit_count() <= OBELISKS
        check_stages(match, player)


def check_stages(match: Match, player) -> None:
    """Stages stand on stages that stand."""
    if player.wonder == NO_WONDER:
        return
    kit = match.kit.record[0]
    for stage in range(int(kit.stages[player.wonder])):
        if player.stages >> stage & 1:
            assert not int(kit.stage_needs[player.wonder, stage]) & ~int(player.stages)


def check_trades(match: Match, s) -> None:
    """Trades hold only what is there, and never with the seat on turn."""
    for seat in range(match.players):
        player = s.players[seat]
        if player.trade == NO_TRADE:
            assert (player.give, player.ask, player.partner) == (0, 0, 0)
            continue
        assert match.players >= 4
        assert s.turn not in (seat, player.partner)
        assert covers(player.stock, player.give)
        assert covers(s.players[player.partner].stock, player.ask)
        assert player.trade == DRAFTED or player.give or player.ask
