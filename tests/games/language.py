"""What is wrong with a sentence, as far as a program can tell.

Every text of every game is read over random play (`properties.py`). For a thorough reading:
`python -m tests.games.language --games 1000` plays so many games of each game and reads all log
lines, prompts, choices and refusals.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence

import bottega

# Things that are counted; resources like Wood or iron are not, one says two Wood.
COUNTED = (
    "card|coin|point|cube|thing|token|knight|worker|stage|building|player|noble|obelisk|place|"
    "turn|round|decision|Crystal|Potion|Sword"
)
FAULTS = {
    "doubled punctuation": r"[.,;:!?]\s*[.,;:!?]",
    "punctuation after a space": r"\s[.,;:!?]",
    "doubled space": r"\s\s",
    "an empty list": r"\b(?:to|of|and|or|with|for|from|at|the|a|an|by|in|lack|pays?|gets?|gives?)"
    r"\s*[.,;]",
    "empty brackets": r"\(\s*\)",
    "one of many": rf"\b(?:1|one)\s(?:{COUNTED})s\b",
    "many of one": r"(?<!level )\b(?:\d*[02-9]|\d*1\d|two|three|four|five|six|several)\s"
    rf"(?:{COUNTED})\b",
    "are one": r"\bare 1\b",
    "is many": r"\bis (?:[2-9]|\d\d+)\b",
    "a wrong article": r"\b(?:a [aeio]|an [^aeiouh\s])",
    "an unresolved name": r"\bPlayer \d\b|[{}]|\bNone\b(?! of)|\bnan\b",
    "a bare symbol": r"\b1 any\b|\bany any\b|\b\d any\b",
    "a small beginning": r"^[a-z]",
    "no end": r"[^.!?]$",
    "a word twice": r"\b(\w+) \1\b",
}
ALLOWED = re.compile(r"\bone-|Joan|that that")


def faults(text: str, names: Sequence[str]) -> list[str]:
    """What is wrong with a sentence; `names` may be in it as they are."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"{re.escape(name)}(?!\w)", "Xaver", text)
    text = ALLOWED.sub("", text)
    return [fault for fault, pattern in FAULTS.items() if re.search(pattern, text)]


def read(name: str, games: int, seed: int = 0) -> dict[str, str]:
    """Play games of all sizes at random and by greedy bots; each fault once, with its text."""
    from tests.games import properties

    game = bottega.game(name)
    found: dict[str, str] = {}
    for number in range(games):
        players = game.seats[0] + number % (game.seats[1] - game.seats[0] + 1)
        chance = random.Random(seed + number)
        match = properties.new_table(game, players, seed + number)
        match.rename(["Ada", "Bruno", "Clara", "Dante", "Elena", "Fabio"][:players])
        bot = bottega.bot("greedy")
        while not match.over:
            seat = chance.choice(match.waiting)
            for text in texts(match, seat, chance):
                for fault in faults(text, match.names):
                    found.setdefault(f"{fault}: {re.sub(r'[0-9]+', '#', text)}", text)
            properties.check_prompt(match, seat)
            if number % 2:
                match.play(seat, chance.choice(match.legal_numbers(seat)))
            else:
                match.play(seat, bot.choose(match, seat))
        for viewer in (None, 0):
            for line in match.log(viewer):
                for fault in faults(line.text, match.names):
                    found.setdefault(f"{fault}: {re.sub(r'[0-9]+', '#', line.text)}", line.text)
    return found


def texts(match: bottega.Match, seat: int, chance: random.Random) -> list[str]:
    """What a seat may read now: its prompt, its choices, and some refusals."""
    from bottega.engine.language import sentence

    read = [match.prompt(seat), *(sentence(action.text) for action in match.legal(seat))]
    for number in chance.sample(range(match.game.actions), 5):
        try:
            match.copy().play(seat, number)
        except bottega.IllegalMove as refused:
            read.append(str(refused))
    return read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=bottega.games())
    parser.add_argument("--games", type=int, default=1000)
    asked = parser.parse_args()
    for name in asked.names:
        found = read(name, asked.games)
        print(f"{name}: {asked.games} games read, {len(found)} faults")
        for text in sorted(found):
            print(f"  {text}")


if __name__ == "__main__":
    main()
