"""What the JSON API takes and sends, with examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.table.database.rows import Kind
from bottega.table.playing import levels

EXAMPLE_ID = "pVx3n0Qw9sLk"
EXAMPLE_EVENT = "id: 1000005\nevent: update\ndata: 1000005\n\n"
EXAMPLE_TOKEN = "x9mC0m2tqkq2cVbZ2bq0zv1uY5cYbq3a"


class Problem(BaseModel):
    """Why a request was refused."""

    error: str = Field(examples=["It is not Ada's decision; the table waits for Bruno."])
    seq: int | None = Field(None, description="The current number, if yours was stale.")


class OptionInfo(BaseModel):
    """An option of a game."""

    name: str = Field(examples=["payment"])
    text: str = Field(examples=["pay gems first, or choose where to use gold"])
    choices: list[str] = Field(description="The possible words; empty for a number.")
    least: int | None = None
    most: int | None = None
    default: str | int = Field(examples=["auto"])


class GameInfo(BaseModel):
    """A game."""

    name: str = Field(examples=["splendor"])
    title: str = Field(examples=["Splendor"])
    summary: str
    least_players: int = Field(examples=[2])
    most_players: int = Field(examples=[4])
    actions: int = Field(description="How many numbered actions there are.", examples=[87])
    options: list[OptionInfo]
    kits: list[str] = Field(examples=[["default"]])


class BotInfo(BaseModel):
    """A bot that can take a seat."""

    name: str = Field(examples=["search-3"])
    title: str = Field(examples=["Artisan"])
    text: str


class Catalogue(BaseModel):
    """What can be played here, and against whom."""

    games: list[GameInfo]
    bots: list[BotInfo]


class NewTable(BaseModel):
    """A table to be set up."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"game": "splendor", "players": 2, "mode": "bots", "bot": "search-2"},
                {"game": "splendor", "players": 3, "mode": "friends", "name": "Ada"},
            ]
        },
    )

    game: str = Field(max_length=40)
    players: int | None = Field(None, description="By default the fewest that can play.")
    mode: Literal["bots", "friends", "hotseat", "watch"] = Field(
        "bots",
        description="Who has the seats: you and bots; you and friends; you alone; bots alone.",
    )
    bot: str = Field(
        levels.DEFAULT,
        max_length=40,
        description="How strong the bots are; with `-blitz` behind it, they answer at once.",
    )
    bots: int = Field(0, description="With friends or alone: how many seats are bots'.")
    seat: int | None = Field(None, description="Where you sit; by default at random.")
    name: str = Field("", max_length=40)
    invite: Literal["seat-links", "one-link"] = Field(
        "seat-links", description="Whether friends need their own token, or may just join."
    )
    options: dict[str, str | int] = Field(default_factory=dict)
    kit: str = Field("default", max_length=80)


class SeatInfo(BaseModel):
    """A seat of a new table."""

    seat: int
    name: str = Field(examples=["Ada"])
    kind: Kind
    bot: str | None = None
    token: str | None = Field(description="Opens the seat.", examples=[EXAMPLE_TOKEN])


class TableMade(BaseModel):
    """A table that was set up. Keep the tokens; they are not sent again."""

    id: str = Field(examples=[EXAMPLE_ID])
    url: str = Field(description="Its page.", examples=[f"/t/{EXAMPLE_ID}"])
    seed_hash: str = Field(description="The promise of the seed: sha256 of 'bottega GAME SEED'.")
    seats: list[SeatInfo]


class Joining(BaseModel):
    """Who comes."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Bruno"}]})

    name: str = Field("", max_length=40)


class Joined(BaseModel):
    """The seat that was taken."""

    seat: int
    token: str = Field(examples=[EXAMPLE_TOKEN])


class Renewed(Joined):
    """The seat that you hold, and what opens it from now on."""


class PlayerInfo(BaseModel):
    """Who sits in a seat."""

    seat: int
    name: str
    kind: Kind
    bot: str | None
    waiting: bool = Field(description="Whether the table waits for this seat.")
    here: bool = Field(description="Whether somebody listens for this seat.")


class View(BaseModel):
    """What the seat, or a spectator, sees."""

    seat: int | None
    seq: int = Field(description="Another one whenever what you see has changed.")
    prompt: str = Field(examples=["Take gems, reserve a card or buy one."])
    over: bool
    players: list[PlayerInfo]
    view: dict[str, Any] = Field(description="The board; each game has its own.")
    seed_hash: str
    seed: str | None = Field(description="Once the game is over: the seed, in digits.")


class Choice(BaseModel):
    """Something the seat may do."""

    id: int = Field(examples=[41])
    key: str = Field(examples=["take-white-blue-green"])
    text: str = Field(examples=["Take white, blue and green"])
    picks: list[str] = Field(description="The things on the board that it is about.")


class Choices(BaseModel):
    """Everything the seat may do now; empty while the table waits for others."""

    seat: int | None
    seq: int
    actions: list[Choice]


class Decision(BaseModel):
    """One decision."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"action": "take-white-blue-green", "seq": 1000004}]},
    )

    action: Annotated[str, Field(max_length=80)] | int = Field(
        description="An action's key or its number."
    )
    seq: int | None = Field(
        None, description="What you saw when you decided; refused if the board has changed since."
    )


class Played(BaseModel):
    """The decision counts: it is stored."""

    seq: int
    over: bool
    waiting: list[int] = Field(description="The seats that owe a decision now.")


class LogLine(BaseModel):
    """One line of the log. Lines of one decision have the same number."""

    number: int
    seat: int | None = Field(description="Whose deed it tells of; null for the table's own.")
    text: str = Field(examples=["Ada takes white, blue and green."])


class Log(BaseModel):
    """What happened so far, as you may know it."""

    seq: int
    lines: list[LogLine]
