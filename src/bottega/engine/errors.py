"""What can be wrong with what a person or a program asks for. Each message is one clear line."""

from __future__ import annotations


class BottegaError(Exception):
    """Anything that the caller can put right."""


class UnknownName(BottegaError, LookupError):
    """No game, bot or kit of that name; the message lists those there are."""


class BadOption(BottegaError, ValueError):
    """A number of players, a seed, a seat or an option that does not fit."""


class IllegalMove(BottegaError, ValueError):
    """A decision that the rules forbid. The table is untouched."""


class CannotUndo(BottegaError, ValueError):
    """Taking back would undo what somebody has already seen."""


class KitError(BottegaError, ValueError):
    """Components that are incomplete or contradict each other."""


class NotationError(BottegaError, ValueError):
    """A notation that cannot be read or does not fit this game, kit or rules version."""


class LayoutError(BottegaError, ValueError):
    """A record kept by an earlier version that has no place in this one."""


class NetError(BottegaError, ValueError):
    """A network that cannot be read or does not fit the game."""
