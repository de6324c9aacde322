"""Every effect of the vocabulary; every building and every leader of the kit."""

from __future__ import annotations

import tomllib

import pytest

from bottega.engine.record import blank
from bottega.games.one_card_wonder import GAME
from bottega.games.one_card_wonder.effects import RESOURCES, THINGS
from bottega.games.one_card_wonder.sight import Purse
from bottega.games.one_card_wonder.state import BUILD_HEAD
from tests.games.one_card_wonder.conftest import Table, counted, lanes

DATA = tomllib.loads(GAME.kits["default"].read_text(encoding="utf-8"))
BUILDINGS = [
    (building["name"], next(iter(building["ability"])), next(iter(building["ability"].values())))
    for owner in (*DATA["mats"], *DATA["wonders"])
    for building in owner["buildings"]
]
LEADERS = [(leader["name"], leader["effect"]) for leader in DATA["leaders"]]


def ready(building: str) -> tuple[Table, int]:
    """A table whose seat 0 owns the building and nothing else, with a full bag."""
    t = Table(2, seed=3)
    t.hold(1)
    t.hold(0)
    slot = t.owns(building)
    t.hold(0)
    t.supply()
    return t, slot


def gain(t: Table, body: dict, before: dict[str, int]) -> None:
    """Choose what the gifts let one choose, and check that everything came."""
    taken = dict(before)
    for resource in body.get("take", []):
        taken[resource] = taken.get(resource, 0) + 1
    if "coins" in body:
        taken["coin"] = taken.get("coin", 0) + body["coins"]
    for source, word in (("supply", "take"), ("bag", "fetch")):
        for _ in range(body.get(source, 0)):
            key = min(key for key in t.may() if key.startswith(word))
            thing = key.removeprefix(f"{word}-")
            taken[thing] = taken.get(thing, 0) + 1
            t.play(key)
    drawn = body.get("draw", 0)
    now = t.stock()
    assert sum(now.values()) == sum(taken.values()) + drawn
    assert all(now.get(thing, 0) >= n for thing, n in taken.items())


def test_every_building_is_listed_once():
    assert len(BUILDINGS) == 48 + sum(len(wonder["buildings"]) for wonder in DATA["wonders"])
    assert len({name for name, _, _ in BUILDINGS}) == len(BUILDINGS)


def of(head: str, *keys: str) -> list:
    """The buildings with this head whose ability says one of the keys, or gives gifts."""
    return [
        pytest.param(name, body, id=name)
        for name, its_head, body in BUILDINGS
        if its_head == head
        and (any(key in body for key in keys) if keys else plain(its_head, body))
    ]


SPECIAL = {
    "produce": {"drawn", "kept"},
    "claim": {"colours"},
    "build": {"reduce", "pay", "buildings", "stages"},
    "sell": {"single"},
    "action": {"exchange"},
}


def plain(head: str, body: dict) -> bool:
    return not SPECIAL.get(head, set()) & body.keys()


def test_every_building_is_exercised_below():
    exercised = [
        param.values[0]
        for params in (
            *(of("produce", key) for key in ("drawn", "kept")),
            of("claim", "colours"),
            *(of("build", key) for key in ("reduce", "pay", "buildings", "stages")),
            of("sell", "single"),
            of("action", "exchange"),
            of("lasting", "room"),
            *(of(head) for head in ("produce", "claim", "sell", "action", "now")),
        )
        for param in params
    ]
    assert sorted(exercised) == sorted(name for name, _, _ in BUILDINGS)


# Produce


@pytest.mark.parametrize(("name", "body"), of("produce", "drawn"))
def test_produce_draws_more(name, body):
    t, _ = ready(name)
    t.play("produce")
    assert sum(t.match.view()["hand"].values()) == 3 + body["drawn"]
    assert t.middle.left == 1 + body["drawn"]
    while t.phase == "keep":
        t.play(min(t.may()))
    assert sum(t.stock().values()) == 2
    assert sum(t.on_supply().values()) == 1 + body["drawn"]


@pytest.mark.parametrize(("name", "body"), of("produce", "kept"))
def test_produce_keeps_more(name, body):
    t, _ = ready(name)
    t.play("produce")
    assert sum(t.stock().values()) == 2 + body["kept"]
    assert t.match.waiting == [1]


@pytest.mark.parametrize(("name", "body"), of("produce"))
def test_produce_gives(name, body):
    t, _ = ready(name)
    t.play("produce")
    hand = {k: n for k, n in t.match.view()["hand"].items() if n}
    put = min(hand)
    t.play(f"put-{put}")
    hand[put] -= 1
    gain(t, body, {k: n for k, n in hand.items() if n})
    assert t.match.waiting == [1]


# Claim


@pytest.mark.parametrize(("name", "body"), of("claim", "colours"))
def test_claim_takes_more_colours(name, body):
    t, _ = ready(name)
    t.supply(stone=2, wood=1, iron=1)
    t.play("claim-stone")
    assert t.phase == "claim more"
    assert t.may() == {"claim-wood", "claim-iron", "done"}
    t.play("claim-wood")
    assert t.stock() == {"stone": 2, "wood": 1}
    assert t.match.waiting == [1]


@pytest.mark.parametrize(("name", "body"), of("claim"))
def test_claim_gives(name, body):
    t, _ = ready(name)
    t.supply(stone=1, wood=2)
    t.play("claim-stone")
    gain(t, body, {"stone": 1})
    assert t.match.waiting == [1]


# Build


@pytest.mark.parametrize(("name", "body"), of("build", "reduce"))
def test_build_costs_less(name, body):
    """Only this colour, once for each, and never `?` or a coin."""
    t, _ = ready(name)
    player = t.match.view(0)["players"][0]
    what = body["of"]
    things = player["wonder"]["stages"] if what == "stages" else player["buildings"]
    cheaper = 0
    for thing in things:
        expected = list(thing["cost"])
        if body["reduce"] in expected:
            expected.remove(body["reduce"])
            cheaper += 1
        assert sorted(thing["price"]) == sorted(expected)
    assert cheaper
    others = player["buildings"] if what == "stages" else player["wonder"]["stages"]
    assert all(sorted(thing["price"]) == sorted(thing["cost"]) for thing in others)
    for number, thing in enumerate(things, start=1):
        open_now = thing.get("open", not thing["built"])
        if open_now and thing["price"] != thing["cost"]:
            t.hold(0, **counted(thing["price"]))
            word = "stage" if what == "stages" else "build"
            key = f"{word}-{number if what == 'stages' else thing['slot'] + 1}"
            assert key in t.may()
            t.play(key)
            assert t.stock() == {}
            return
    assert what == "stages", "a building that is cheaper can be built"


@pytest.mark.parametrize(("name", "body"), of("build", "pay"))
def test_build_pays_a_colour_as_another(name, body):
    t, _ = ready(name)
    payer = body["pay"]
    payees = [r for r in RESOURCES if r != payer] if body["as"] == "anything" else [body["as"]]
    for payee in RESOURCES:
        if payee == payer:
            continue
        # The first stage on the ground costs nothing but this colour.
        stage = 0
        cost = t.kit.stage_cost.copy()
        try:
            t.kit.stage_cost[t.player().wonder, stage] = lanes(**{payee: 1})
            t.hold(0, **{payer: 1})
            assert ("stage-1" in t.may()) == (payee in payees)
        finally:
            t.kit.stage_cost[:] = cost
    payee = payees[0]
    cost = t.kit.stage_cost.copy()
    try:
        t.kit.stage_cost[t.player().wonder, 0] = lanes(**{payee: 1})
        t.hold(0, **{payer: 1, payee: 1})
        t.play("stage-1")
        assert t.may() == {"settle", f"pay-{payer}", f"pay-{payee}"}
        t.play("settle")
        assert t.stock() == {payer: 1}
    finally:
        t.kit.stage_cost[:] = cost


@pytest.mark.parametrize(("name", "body"), of("build", "buildings"))
def test_build_raises_more_buildings(name, body):
    t, slot = ready(name)
    others = [number for number in range(1, 5) if number != slot][:2]
    prices = [t.price(number) for number in others]
    t.hold(0, **counted([*prices[0], *prices[1]]))
    for number in others:
        t.play(f"build-{number}")
        while t.phase in ("pay", "take"):
            t.play("settle" if "settle" in t.may() else "done")
    assert int(t.player().buildings).bit_count() == 3
    assert not {key for key in t.may() if key.startswith("build")}


@pytest.mark.parametrize(("name", "body"), of("build", "stages"))
def test_build_gives_after_stages(name, body):
    """With as many stages as it asks for, not with one fewer."""
    for stages in (body["stages"], body["stages"] - 1):
        t, _ = ready(name)
        if "Glass" not in name:
            t.wonder("Stonehenge")
        view = t.match.view(0)["players"][0]["wonder"]["stages"]
        ground = [number for number, stage in enumerate(view, 1) if stage["open"]][:stages]
        price = [symbol for number in ground for symbol in view[number - 1]["price"]]
        t.hold(0, **counted(price))
        for number in ground:
            t.play(f"stage-{number}", *["settle"] * (t.phase == "pay"))
            if t.phase == "pay":
                t.play("settle")
        assert t.stock() == {}
        t.play("done")
        if stages == body["stages"]:
            gain(t, body, {})
        assert t.match.waiting == [1]
        if stages < body["stages"]:
            assert t.stock() == {}


# Sell


@pytest.mark.parametrize(("name", "body"), of("sell", "single"))
def test_sell_a_single_cube(name, body):
    t, _ = ready(name)
    other = next(resource for resource in RESOURCES if resource != body["single"])
    t.hold(0, **{body["single"]: 3, other: 1})
    assert {key for key in t.may() if key.startswith("sell")} == {f"sell-{body['single']}"}
    t.play(*[f"sell-{body['single']}"] * 3, "done")
    assert t.stock() == {other: 1, "coin": 3}


@pytest.mark.parametrize(("name", "body"), of("sell"))
def test_sell_gives(name, body):
    t, _ = ready(name)
    t.hold(0, stone=2)
    t.play("sell-stone", "done")
    gain(t, body, {"coin": 1})


# New actions


@pytest.mark.parametrize(("name", "body"), of("action"))
def test_new_action_gives(name, body):
    t, slot = ready(name)
    t.supply(stone=2, wood=1, clay=1)
    t.play(f"use-{slot}")
    gain(t, body, {})
    assert t.match.waiting == [1]


@pytest.mark.parametrize(("name", "body"), of("action", "exchange"))
def test_new_action_exchanges(name, body):
    t, slot = ready(name)
    paid = "coin" if body["pay"] == "coin" else "wood"
    got = body.get("bag", body.get("supply"))
    word = "fetch" if "bag" in body else "take"
    if body["pay"] == "coin":
        t.hold(0, wood=2)
        assert f"use-{slot}" not in t.may()
    t.hold(0, **{paid: body["exchange"]})
    t.play(f"use-{slot}")
    for time in range(body["exchange"]):
        assert ("done" in t.may()) == (time > 0)
        t.play(f"spend-{paid}")
        for _ in range(got):
            t.play(f"{word}-clay" if f"{word}-clay" in t.may() else min(t.may() - {"done"}))
    assert t.stock().get(paid, 0) == 0
    assert sum(t.stock().values()) == got * body["exchange"]
    assert t.match.waiting == [1]


def test_new_actions_trigger_nothing_else(table):
    """They are no Produce, Claim, Build or Sell."""
    t = table()
    t.mat("The Foresters")
    t.hold(1)
    t.hold(0)
    rafts = t.owns("Raftsmen")
    t.owns("Tree Nursery")
    t.hold(0)
    t.play(f"use-{rafts}")
    assert sum(t.stock().values()) == 3
    assert t.match.waiting == [1]


# Immediately, and for good


@pytest.mark.parametrize(("name", "body"), of("now"))
def test_immediately(name, body):
    t = Table(2, seed=3)
    t.hold(1)
    slot = t.find(name)
    t.hold(0, **counted(t.price(slot)))
    t.supply(stone=1)
    t.play(f"build-{slot}")
    gain(t, body, {})
    assert t.phase == "build"
    t.play("done")
    t.until(0)
    held = t.stock()
    assert f"use-{slot}" not in t.may()
    t.play("produce")
    t.play(min(t.may()))
    assert sum(t.stock().values()) == sum(held.values()) + 2


def test_what_is_gained_at_once_may_be_built_with(table):
    t = table()
    t.wonder("Parthenon")
    t.mat("The Pioneers")
    slot = t.find("Prospectors")
    t.hold(1)
    t.hold(0, wood=3)
    t.play(f"build-{slot}", *["settle"] * (t.phase == "pay"))
    assert t.stock() == {"stone": 1, "iron": 1, "clay": 1}
    t.play("stage-2")
    assert t.stock() == {"iron": 1}


@pytest.mark.parametrize(("name", "body"), of("lasting", "room"))
def test_a_larger_mat(name, body):
    t, _ = ready(name)
    room = 8 + body["room"]
    assert t.match.view(0)["players"][0]["room"] == room
    t.hold(1)
    t.hold(0, wood=4, iron=4)
    t.supply(stone=min(body["room"] + 1, 6))
    t.play("claim-stone")
    assert sum(t.stock().values()) == 8 + min(body["room"] + 1, 6)
    assert t.phase == ("overflow" if body["room"] + 1 <= 6 else "act")


def test_w18_substitutes_do_not_chain(table):
    """Iron as wood and wood as stone do not make iron a stone."""
    t = table()
    player = t.player()
    kept = t.match.kit.record.copy()
    try:
        t.kit.stage_cost[player.wonder, :2] = lanes(stone=1), lanes(wood=1)
        for slot, (payer, payee) in enumerate([("iron", "wood"), ("wood", "stone")]):
            row = int(player.mat) * 4 + slot
            t.kit.cost[row] = lanes(clay=1)
            t.kit.ability[row] = blank(t.kit.ability.dtype)[0]
            t.kit.ability[row]["payer"] = THINGS.index(payer)
            t.kit.ability[row]["payee"] = 1 << THINGS.index(payee)
            t.kit.ability[row]["head"] = BUILD_HEAD
        for slot in (1, 2):
            t.until(0)
            t.hold(0, clay=1)
            t.play(f"build-{slot}", "done")
        t.until(0)
        for held, may in (("iron", False), ("wood", True), ("stone", True)):
            t.hold(0, **{held: 1})
            assert ("stage-1" in t.may()) == may, held
            lacking = Purse.of(player).lacks(["stone"])
            assert (lacking == []) == may, "the board says the same"
    finally:
        t.match.kit.record[:] = kept


# Leaders


def court(name: str, owner: int = 0, players: int = 3) -> Table:
    t = Table(players, seed=2, leaders="on")
    t.leader(name, owner)
    for seat in range(players):
        t.hold(seat)
    t.supply()
    return t


def test_every_leader_is_exercised_below():
    kinds = {next(iter(effect)) for _, effect in LEADERS}
    assert len(LEADERS) == 10
    assert {"stage", "coins", "ban", "bag", "draw", "sweep", "room", "levy", "ceiling"} >= kinds


def leaders(key: str) -> list:
    return [pytest.param(name, body, id=name) for name, body in LEADERS if key in body]


GIFTS = ("take", "coins", "draw", "supply", "bag")


@pytest.mark.parametrize(
    ("name", "body"),
    [pytest.param(n, b, id=n) for n, b in LEADERS if any(key in b for key in GIFTS)],
)
def test_leader_gives(name, body):
    t = court(name)
    t.play("reveal")
    while t.phase == "pledge":
        t.play("done")
    gain(t, body, {})
    assert t.match.view()["players"][0]["leader"] is None


@pytest.mark.parametrize(("name", "body"), leaders("stage"))
def test_leader_builds_a_stage(name, body):
    t = court(name, owner=1)
    t.wonder("Parthenon", 1)
    t.by(1, "reveal")
    assert t.may(1) == {"stage-1", "stage-2"}
    t.by(1, "stage-2")
    assert t.match.view()["players"][1]["built"] == 1
    assert t.match.waiting == [0]


def test_leader_may_win_the_game():
    t = court("Imhotep", owner=1)
    t.wonder("Parthenon", 1)
    t.built(*range(1, 8), seat=1)
    t.by(1, "reveal")
    t.by(1, "stage-8")
    assert t.match.winners == [1]
    assert "Player 2 has built all 8 stages of Parthenon" in t.match.log()[-1].text


@pytest.mark.parametrize(("name", "body"), leaders("ban"))
def test_leader_bans_a_colour(name, body):
    t = court(name)
    t.hold(0, wood=1)
    t.hold(1, wood=2, clay=1)
    t.hold(2, wood=1)
    t.play("reveal")
    while t.phase == "pledge":
        t.play("done")
    assert t.may(0) == {f"name-{resource}" for resource in RESOURCES}
    t.play("name-wood")
    assert (t.stock(0), t.stock(1), t.stock(2)) == ({"wood": 1}, {"clay": 1}, {})
    assert t.on_supply() == {"wood": 3}


@pytest.mark.parametrize(("name", "body"), leaders("sweep"))
def test_leader_sweeps_the_supply(name, body):
    t = court(name, players=4)
    t.supply(stone=2, wood=3, iron=4)
    t.play("reveal")
    assert t.phase == "overflow"
    t.play("drop-wood")
    assert t.stock() == {"stone": 2, "wood": 2, "iron": 4}
    assert t.on_supply() == {"wood": 1}


@pytest.mark.parametrize(("name", "body"), leaders("room"))
def test_leader_enlarges_the_mat(name, body):
    t = court(name)
    t.play("reveal")
    assert t.match.view()["players"][0]["room"] == 8 + body["room"]


@pytest.mark.parametrize(("name", "body"), leaders("levy"))
def test_leader_levies_coins(name, body):
    t = court(name)
    t.hold(1, coin=body["levy"] + 1)
    t.hold(2, coin=1)
    t.play("reveal")
    while t.phase == "pledge":
        t.play("done")
    assert t.stock(0) == {"coin": body["levy"] + 1}
    assert (t.stock(1), t.stock(2)) == ({"coin": 1}, {})


@pytest.mark.parametrize(("name", "body"), leaders("ceiling"))
def test_leader_sets_a_ceiling(name, body):
    t = court(name)
    most = body["ceiling"]
    t.hold(0, iron=7)
    t.hold(1, wood=most + 2)
    t.hold(2, clay=most)
    t.play("reveal")
    while t.phase == "pledge":
        t.play("done")
    assert t.match.waiting == [1]
    assert t.match.invited == []
    t.by(1, "drop-wood", "drop-wood")
    assert sum(t.stock(1).values()) == most
    assert sum(t.stock(0).values()) == 7
    assert t.match.waiting == [0]
    assert t.s.ceiling == 0
