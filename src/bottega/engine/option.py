"""The options of a game: a word from a list, or a whole number from a range."""

from __future__ import annotations

from dataclasses import dataclass

from bottega.engine.errors import BadOption

Value = str | int


@dataclass(frozen=True)
class Option:
    """One option. The rules see a word as its position in `choices`, a number as it is."""

    name: str
    text: str
    choices: tuple[str, ...] = ()
    numbers: range = range(0)
    default: Value = 0
    alone: bool = False  # whether it is for a game of one

    def number(self, value: Value) -> int:
        """The value as the rules see it; a value that does not fit is refused."""
        if self.choices:
            if isinstance(value, bool) and set(self.choices) == {"off", "on"}:
                value = "on" if value else "off"
            if value in self.choices:
                return self.choices.index(str(value))
        else:
            try:
                number = int(value)
            except (TypeError, ValueError):
                number = self.numbers.start - 1
            if number in self.numbers and not isinstance(value, bool | float):
                return number
        raise BadOption(f"{self.name}={value} is not possible: it must be {self.possible}")

    def value(self, number: int) -> Value:
        """The inverse of `number`."""
        return self.choices[number] if self.choices else number

    @property
    def possible(self) -> str:
        if self.choices:
            return " or ".join(self.choices)
        return f"a whole number from {self.numbers[0]} to {self.numbers[-1]}"
