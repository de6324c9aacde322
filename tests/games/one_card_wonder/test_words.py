"""What One Card Wonder says to people."""

from __future__ import annotations

from bottega.games.one_card_wonder import GAME


def test_sentences_name_the_players_they_speak_of():
    names = ["Ada", "Bruno", "Carla", "Dario"]
    match = GAME.new(4, 1, names=names, draft="random")
    assert match.prompt(1) == "It is Ada's turn. You may trade meanwhile."
    assert [action.text for action in match.legal(1)] == ["Trade with Carla", "Trade with Dario"]
    match.play(1, "trade-with-3")
    match.play(1, next(action for action in match.legal(1) if action.key.startswith("give-")))
    match.play(1, "propose")
    assert match.prompt(2) == (
        "Bruno proposes a trade: accept or decline it. You may trade meanwhile."
    )
    assert "Decline the trade of Bruno" in [action.text for action in match.legal(2)]
