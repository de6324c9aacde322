"""The model card: what a network is, how it was made, how strong it is, what it never saw."""

from __future__ import annotations

from typing import Any

from bottega.engine.game import Game


def card(game: Game, record: dict[str, Any]) -> str:
    """A page for the folder of a network."""
    lines = [
        f"# The network of {game.title}",
        "",
        f"For the kit `{record['kit']['name']}` ({record['kit']['hash']}). What a seat knows and "
        "may do goes in; how likely it would choose each action, and everybody's chances to win, "
        "come out. It knows nothing that its seat may not know.",
        "",
        "## How it was made",
        "",
        *how_made(record),
        "",
        "The mix of tables:",
        "",
        "| players | options | share |",
        "|---|---|---|",
        *mixed(record["settings"]["mix"]),
        "",
        "## How strong it is",
        "",
        *how_strong(record["curves"]),
        "How strong the search is that uses it: `docs/strength.md`.",
        "",
        "## What it has never seen",
        "",
        *(f"- {what}" for what in unseen(game, record["settings"])),
    ]
    return "\n".join(lines) + "\n"


def how_made(record: dict[str, Any]) -> list[str]:
    settings, hours, decisions = record["settings"], record["hours"], record["decisions"]
    phases = [
        f"{decisions['ppo'] / 1e6:,.0f} million decisions by the policy alone (PPO, "
        f"{60 * hours['ppo']:.1f} minutes)"
    ]
    if decisions["expert"]:
        phases.append(
            f"{decisions['expert'] / 1e6:,.2f} million by a search of "
            f"{settings['expert']['iterations']} iterations with its help (expert iteration, "
            f"{60 * hours['expert']:.1f} minutes)"
        )
    start = record["starts"][-1] if record["starts"] else {}
    guess = "While learning, the game's own judge gave a first guess of the values."
    before = int(record["begun"].get("decisions", 0))
    some = f"from a network that had learned from {before / 1e6:,.0f} million decisions"
    origin = some if before else "from nothing"
    return [
        f"By playing against itself, {origin}: {', then '.join(phases)}, on "
        f"{start.get('device', 'an unknown machine')}. No game of people was used.",
        *([guess] if settings["guess"] else []),
        "",
        f"Layers of {settings['wide']}, {settings['narrow']} and {settings['narrow']} numbers. "
        f"Made by `bottega train` at commit {start.get('commit', 'unknown')} with seed "
        f"{start.get('seed')} and the settings of `{start.get('settings', 'unknown')}`.",
    ]


def mixed(mix: list[dict[str, Any]]) -> list[str]:
    whole = sum(share["share"] for share in mix)
    rows = []
    for share in mix:
        options = ", ".join(f"{name}: {value}" for name, value in share["options"].items())
        rows.append(f"| {share['players']} | {options or 'usual'} | {share['share'] / whole:.0%} |")
    return rows


def how_strong(curves: list[dict[str, Any]]) -> list[str]:
    if not curves:
        return []
    won = ", ".join(f"{curves[-1][name]:.0%} against {name}" for name in ("random", "greedy"))
    return [f"Two players, its likeliest action always, no search: won {won}."]


def unseen(game: Game, settings: dict[str, Any]) -> list[str]:
    """What was not in the mix."""
    mix = settings["mix"]
    there = {share["players"] for share in mix}
    least, most = game.seats
    found = [f"tables of {n}" for n in range(least, most + 1) if n not in there]
    for option in game.options:
        values = {share["options"].get(option.name, option.default) for share in mix}
        if option.choices:
            others = [value for value in option.choices if value not in values]
        else:
            others = [f"anything but {', '.join(map(str, sorted(values)))}"]
        if others:
            found.append(f"the option `{option.name}`: {', '.join(others)}")
    return [*found, "other kits: with those the bots search without it"]
