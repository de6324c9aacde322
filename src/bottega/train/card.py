"""The model card: what a network is, how it was made, how strong it is, what it never saw."""

from __future__ import annotations

from typing import Any

from bottega.engine.game import Game


def card(game: Game, record: dict[str, Any]) -> str:
    """A page for the folder of a network."""
    settings, hours, decisions = record["settings"], record["hours"], record["decisions"]
    start = record["starts"][-1] if record["starts"] else {}
    lines = [
        f"# The network of {game.title}",
        "",
        f"For the kit `{record['kit']['name']}` ({record['kit']['hash']}). What a seat knows and "
        "may do goes in; how likely it would choose each action, and everybody's chances to win, "
        "come out. It knows nothing that its seat may not know.",
        "",
        "## How it was made",
        "",
        f"By playing against itself, from nothing: {decisions['ppo'] / 1e6:,.0f} million decisions "
        f"by the policy alone (PPO, {60 * hours['ppo']:.0f} minutes), then "
        f"{decisions['expert'] / 1e6:,.2f} million by a search of "
        f"{settings['expert']['iterations']} iterations with its help (expert iteration, "
        f"{60 * hours['expert']:.0f} minutes), on {start.get('device', 'an unknown machine')}. "
        "No game of people was used."
        + (
            " While learning, the game's own judge gave a first guess of the values."
            if settings["guess"]
            else ""
        ),
        "",
        f"Layers of {settings['wide']}, {settings['narrow']} and {settings['narrow']} numbers; the "
        f"whole is {start.get('commit', 'unknown')} with seed {start.get('seed')} and the settings "
        "below `src/bottega/train/settings.toml`; `bottega train` made it.",
        "",
        "The mix of tables:",
        "",
        "| players | options | share |",
        "|---|---|---|",
    ]
    whole = sum(share["share"] for share in settings["mix"])
    for share in settings["mix"]:
        options = ", ".join(f"{name}: {value}" for name, value in share["options"].items())
        lines.append(
            f"| {share['players']} | {options or 'usual'} | {share['share'] / whole:.0%} |"
        )
    lines += ["", "## How strong it is", ""]
    if record["curves"]:
        last = record["curves"][-1]
        won = ", ".join(
            f"{last[name]:.0%} against {'its ' if name == 'earlier self' else ''}{name}"
            for name in ("random", "greedy", "earlier self")
            if name in last
        )
        lines.append(f"Two players, its likeliest action always, no search: won {won}.")
    lines += ["How strong the search is that uses it: `docs/strength.md`.", ""]
    lines += ["## What it has never seen", "", *(f"- {what}" for what in unseen(game, settings))]
    return "\n".join(lines) + "\n"


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
            others = [f"anything but {', '.join(map(str, values))}"]
        if others:
            found.append(f"the option `{option.name}`: {', '.join(others)}")
    return [*found, "other kits: with those the bots search without it"]
