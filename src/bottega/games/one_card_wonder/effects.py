"""The vocabulary of abilities: what a kit may say, as numbers for the rules and as a sentence.

An ability is a table with one head, and under it what it does:

| head | what it may say |
|---|---|
| `produce` | `drawn`, `kept`: so many more; or gifts |
| `claim` | `colours`: so many more; or gifts |
| `build` | `reduce` a colour of the cost `of` stages or buildings; `pay` a colour `as` another or anything; `buildings`: so many more in one action; or gifts after so many `stages` in one action |
| `sell` | `single`: one cube of this colour is enough; or gifts |
| `action` | gifts; or up to `exchange` times, `pay` a cube or a coin for gifts |
| `now` | gifts |
| `lasting` | `room`: so many places more |

Gifts: `take` named resources from the bag, `coins`, `draw` so many cubes, choose so many from the
`supply` or the `bag`. A leader's effect is a gift, or `room`, `sweep`, `levy`, `ban`, `ceiling` or
`stage`.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bottega.engine.lanes import pack
from bottega.engine.language import listing
from bottega.games.one_card_wonder.state import (
    ACTION_HEAD,
    BUILD_HEAD,
    CLAIM_HEAD,
    COLOURS,
    LASTING_HEAD,
    NOW_HEAD,
    PRODUCE_HEAD,
    SELL_HEAD,
)

RESOURCES = ("stone", "wood", "iron", "clay", "knowledge")
THINGS = (*RESOURCES, "coin")
SYMBOLS = (*THINGS, "any")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
MOST = 6  # of anything an ability gives

Table = Mapping[str, Any]
Numbers = dict[str, int]  # fields of the ability's record
Meaning = tuple[Numbers, str]


class Unclear(ValueError):
    """What is wrong with an ability."""


def ability(table: Any) -> Meaning:
    """The numbers and the sentence of a building's ability."""
    if not isinstance(table, Mapping) or len(table) != 1:
        raise Unclear("an ability has one head: " + ", ".join(HEADS))
    head, body = next(iter(table.items()))
    if head not in HEADS:
        raise Unclear(f"'{head}' is not a head of abilities; there are {', '.join(HEADS)}")
    if not isinstance(body, Mapping) or not body:
        raise Unclear(f"'{head}' says nothing")
    number, prefix, meanings = HEADS[head]
    for key, meaning in meanings.items():
        if key in body:
            numbers, sentence = meaning(body)
            break
    else:
        numbers, what = gifts(body, ())
        sentence = f"also {what}" if head in ("produce", "claim", "sell") else what
    if prefix:
        sentence = f"{prefix}: {sentence}"
    return {**numbers, "head": number}, f"{sentence}."


def effect(body: Any) -> Meaning:
    """The numbers and the sentence of a leader's effect."""
    if not isinstance(body, Mapping) or not body:
        raise Unclear("an effect says what happens")
    for key, meaning in LEADERS_ONLY.items():
        if key in body:
            numbers, sentence = meaning(body)
            break
    else:
        numbers, sentence = gifts(body, ())
    return numbers, f"{sentence[0].upper()}{sentence[1:]}."


# Reading


def only(body: Table, *keys: str) -> None:
    for key in body:
        if key not in keys:
            raise Unclear(f"'{key}' is not understood here; there is {', '.join(keys)}")


def number(body: Table, key: str, most: int = MOST) -> int:
    value = body.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Unclear(f"'{key}' must be a whole number from 1 to {most}")
    return value


def colour(body: Table, key: str) -> int:
    value = body.get(key)
    if value not in RESOURCES:
        raise Unclear(f"'{key}' must be one of {', '.join(RESOURCES)}")
    return RESOURCES.index(value)


def word(body: Table, key: str, words: tuple[str, ...]) -> str:
    value = body.get(key)
    if value not in words:
        raise Unclear(f"'{key}' must be {' or '.join(words)}")
    return str(value)


def symbols(text: Any) -> int:
    """A cost as lanes."""
    if not isinstance(text, str) or not text.split():
        raise Unclear("a cost is a text of symbols: " + ", ".join(SYMBOLS))
    for symbol in text.split():
        if symbol not in SYMBOLS:
            raise Unclear(f"'{symbol}' is not a symbol of a cost; there are {', '.join(SYMBOLS)}")
    return pack(text.split().count(symbol) for symbol in SYMBOLS)


# Gifts

GIFTS = ("take", "coins", "draw", "supply", "bag")


def gifts(body: Table, more: tuple[str, ...]) -> Meaning:
    """Things that come to the player."""
    only(body, *GIFTS, *more)
    numbers: Numbers = {}
    parts = []
    counts = [0] * len(THINGS)
    if "take" in body:
        counts[:COLOURS] = named(body["take"])
        parts.append(f"take {listing(amounts(counts))} from the bag")
    if "coins" in body:
        counts[COLOURS] = number(body, "coins")
        parts.append(f"gain {coins(counts[COLOURS])}")
    if any(counts):
        numbers["named"] = pack(counts)
    if "draw" in body:
        numbers["draw"] = number(body, "draw")
        parts.append(f"draw {cubes(numbers['draw'])} from the bag")
    if "supply" in body:
        numbers["from_supply"] = number(body, "supply")
        parts.append(f"take {cubes(numbers['from_supply'])} of your choice from the supply")
    if "bag" in body:
        numbers["from_bag"] = number(body, "bag")
        parts.append(f"take {cubes(numbers['from_bag'])} of your choice from the bag")
    if not parts:
        raise Unclear("nothing is given; there is " + ", ".join(GIFTS))
    return numbers, listing(parts)


def named(value: Any) -> list[int]:
    if not isinstance(value, list) or not value or not all(item in RESOURCES for item in value):
        raise Unclear(f"'take' must list resources: {', '.join(RESOURCES)}")
    if len(value) > MOST:
        raise Unclear(f"'take' lists more than {MOST} resources")
    return [value.count(resource) for resource in RESOURCES]


def amounts(counts: list[int]) -> list[str]:
    return [f"{n} {thing}" for thing, n in zip(RESOURCES, counts, strict=False) if n]


def cubes(n: int) -> str:
    return f"{NUMBERS[n]} cube{'s' * (n > 1)}"


def coins(n: int) -> str:
    return "a coin" if n == 1 else f"{NUMBERS[n]} coins"


# Lasting changes of the four actions


def drawn(body: Table) -> Meaning:
    only(body, "drawn")
    n = number(body, "drawn")
    return {"drawn": n}, f"draw {cubes(n)} more"


def kept(body: Table) -> Meaning:
    only(body, "kept")
    n = number(body, "kept")
    return {"kept": n}, f"keep {NUMBERS[n]} more of the cubes drawn"


def colours(body: Table) -> Meaning:
    only(body, "colours")
    n = number(body, "colours", COLOURS - 1)
    return {"claims": n}, f"take all cubes of up to {NUMBERS[n + 1]} colours"


def reduce(body: Table) -> Meaning:
    only(body, "reduce", "of")
    what = word(body, "of", ("stages", "buildings"))
    lane = colour(body, "reduce")
    savings = pack(int(index == lane) for index in range(COLOURS))
    return {f"{what[:-1]}_savings": savings}, f"each {what[:-1]} costs one {RESOURCES[lane]} less"


def substitute(body: Table) -> Meaning:
    only(body, "pay", "as")
    payer = colour(body, "pay")
    others = [index for index in range(COLOURS) if index != payer]
    if body.get("as") == "anything":
        payees, what = others, "any resource"
    else:
        payees, what = [colour(body, "as")], str(body["as"])
    if payer in payees:
        raise Unclear(f"{RESOURCES[payer]} is paid as {RESOURCES[payer]} anyway")
    numbers = {"payer": payer, "payee": sum(1 << index for index in payees)}
    return numbers, f"{RESOURCES[payer]} may be paid as {what}"


def buildings(body: Table) -> Meaning:
    only(body, "buildings")
    n = number(body, "buildings", 3)
    return {"per_build": n}, f"up to {NUMBERS[n + 1]} buildings may be built in one action"


def after_stages(body: Table) -> Meaning:
    numbers, what = gifts(body, ("stages",))
    n = number(body, "stages")
    if n == 1:
        return {**numbers, "stages": n}, f"after an action with a stage, {what}"
    return {**numbers, "stages": n}, f"after an action with {NUMBERS[n]} stages or more, {what}"


def single(body: Table) -> Meaning:
    only(body, "single")
    which = colour(body, "single")
    return {"singles": 1 << which}, f"a single {RESOURCES[which]} is worth a coin"


def exchange(body: Table) -> Meaning:
    numbers, what = gifts(body, ("exchange", "pay"))
    if numbers.keys() - {"from_supply", "from_bag"}:
        raise Unclear("an exchange gives cubes of choice, from the 'supply' or the 'bag'")
    numbers["times"] = number(body, "exchange")
    paid = word(body, "pay", ("cube", "coin"))
    numbers["pays_coin"] = int(paid == "coin")
    often = f"up to {NUMBERS[numbers['times']]} times, " if numbers["times"] > 1 else ""
    return numbers, f"{often}pay a {paid} and {what}"


def room(body: Table) -> Meaning:
    only(body, "room")
    n = number(body, "room")
    return {"room": n}, f"your mat holds {NUMBERS[n]} more"


# What only leaders do


def sweep(body: Table) -> Meaning:
    only(body, "sweep")
    return {"sweep": 1}, "take everything from the supply"


def levy(body: Table) -> Meaning:
    only(body, "levy")
    n = number(body, "levy")
    return {"levy": n}, f"every other player gives you {coins(n)}, as far as they have any"


def ban(body: Table) -> Meaning:
    only(body, "ban")
    return {"ban": 1}, "name a colour: every other player puts all cubes of it on the supply"


def ceiling(body: Table) -> Meaning:
    only(body, "ceiling")
    n = number(body, "ceiling")
    return {"ceiling": n}, f"every other player keeps at most {NUMBERS[n]} things"


def stage(body: Table) -> Meaning:
    only(body, "stage")
    return {"free_stages": 1}, "build an open stage of your wonder for nothing"


Meanings = dict[str, Callable[[Table], Meaning]]
LEADERS_ONLY: Meanings = {
    "room": room,
    "sweep": sweep,
    "levy": levy,
    "ban": ban,
    "ceiling": ceiling,
    "stage": stage,
}
HEADS: dict[str, tuple[int, str, Meanings]] = {
    "produce": (PRODUCE_HEAD, "Produce", {"drawn": drawn, "kept": kept}),
    "claim": (CLAIM_HEAD, "Claim", {"colours": colours}),
    "build": (
        BUILD_HEAD,
        "Build",
        {
            "reduce": reduce,
            "pay": substitute,
            "buildings": buildings,
            "stages": after_stages,
        },
    ),
    "sell": (SELL_HEAD, "Sell", {"single": single}),
    "action": (ACTION_HEAD, "New Action", {"exchange": exchange}),
    "now": (NOW_HEAD, "Immediately", {}),
    "lasting": (LASTING_HEAD, "", {"room": room}),
}
