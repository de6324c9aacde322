"""The tables of the database. What brings an older one to this is in `migrations`."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

meta = sa.MetaData()

TABLES = sa.Table(
    "tables",
    meta,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Integer, nullable=False),  # version of the rules it was begun by
    sa.Column("kit", sa.String(80), nullable=False),
    sa.Column("kit_hash", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("seed", sa.String(20), nullable=False),  # 64 bits without sign, as digits
    sa.Column("turn_limit", sa.BigInteger, nullable=False),  # of decisions; 0: none
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("names", sa.JSON, nullable=False),  # by seat
    sa.Column("mode", sa.String(16), nullable=False),  # seating.MODES, or "opened"
    sa.Column("invite", sa.String(16), nullable=False),  # seating.INVITES
    sa.Column("host", sa.String(40), index=True),  # a visitor, or programs of an address
    sa.Column("follower", sa.String(24)),  # the rematch, once there is one
    sa.Column("epoch", sa.Integer, nullable=False),  # of servers before 0003, which counted loads
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("waiting", sa.JSON, nullable=False),  # seats, so that lists need no replay
    sa.Column("result", sa.String(400), nullable=False),  # a sentence, once over
    sa.Column("length", sa.Integer, nullable=False),  # how many moves, private ones among them
    sa.Column("turns", sa.Integer, nullable=False),  # how many turns, which everybody may know
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),  # times it was changed
    sa.Column("start", sa.LargeBinary),  # the record as dealt; empty where it is in ARCHIVES
    sa.Column("layout", sa.String(16)),  # of that record; see LAYOUTS
    sa.Column("rewinds", sa.Integer, nullable=False, server_default="0"),  # times moves were cut
    sa.Column("manners", sa.JSON, nullable=False, server_default="{}"),  # see playing.manners
    sa.Column("looked", sa.Float, nullable=False, server_default="0"),  # when somebody was there
)


def _of_a_table(**more: Any) -> sa.Column[Any]:
    return sa.Column("table", sa.ForeignKey("tables.id", ondelete="CASCADE"), **more)


SEATS = sa.Table(
    "seats",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),  # person, bot or open
    sa.Column("bot", sa.String(40)),  # the level, for a bot
    sa.Column(
        "links", sa.Integer, nullable=False, server_default="0"
    ),  # times its link was made anew
)
HOLDERS = sa.Table(  # whose browsers hold a seat
    "holders",
    meta,
    sa.Column("visitor", sa.String(40), primary_key=True),  # the hash of a cookie
    _of_a_table(primary_key=True, index=True),
    sa.Column("seat", sa.Integer, primary_key=True),
)
MOVES = sa.Table(
    "moves",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),  # from 1, without gaps
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("action", sa.String(80), nullable=False),  # its key
    # Of tables that are older than these columns, they are filled when one is first opened.
    sa.Column("record", sa.LargeBinary),  # the table after the move
    sa.Column("layout", sa.String(16)),  # of that record
    sa.Column("rules", sa.Integer),  # version of the rules it was played by
)
ARCHIVES = sa.Table(  # the moves of tables that have ended, each in one piece; see `packing`
    "archives",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("packed", sa.LargeBinary, nullable=False),
)
LAYOUTS = sa.Table(  # what the bytes of records mean
    "layouts",
    meta,
    sa.Column("id", sa.String(16), primary_key=True),  # a hash of the fields
    sa.Column("fields", sa.JSON, nullable=False),  # as `record.layout` describes them
)
CHAT = sa.Table(
    "chat",
    meta,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_a_table(nullable=False, index=True),
    sa.Column("seat", sa.Integer),  # nothing for a spectator
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("text", sa.String(1000), nullable=False),
)
ANALYSES = sa.Table(  # of ended tables, so that none is studied twice
    "analyses",
    meta,
    _of_a_table(primary_key=True),
    sa.Column("found", sa.JSON, nullable=False),  # analysis.Findings, as plain values
)
VISITORS = sa.Table(
    "visitors",
    meta,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(40), nullable=False),  # as last given
)
PROCESSES = sa.Table(  # the servers and thinkers that use this database
    "processes",
    meta,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("alive", sa.Float, nullable=False),  # when it last said so
)
PRESENCE = sa.Table(  # how many pages of a seat are open at each process
    "presence",
    meta,
    sa.Column("process", sa.ForeignKey("processes.id", ondelete="CASCADE"), primary_key=True),
    _of_a_table(primary_key=True, index=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("pages", sa.Integer, nullable=False),
)
JOBS = sa.Table(  # what is to be thought about
    "jobs",
    meta,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),  # thinking.jobs.KINDS
    _of_a_table(nullable=False, index=True),
    sa.Column("seat", sa.Integer, nullable=False),  # -1: no seat's
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),  # of the table, when it was made
    sa.Column("worker", sa.String(16)),  # the process that has taken it
    sa.Column("until", sa.Float, nullable=False, server_default="0"),  # ... and for how long
    sa.Column("percent", sa.Integer, nullable=False, server_default="0"),  # how far it is
    sa.Column("result", sa.JSON),
    sa.UniqueConstraint("table", "kind", "seat"),
)
