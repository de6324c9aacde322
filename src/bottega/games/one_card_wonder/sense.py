"""A quick estimate of who will win at One Card Wonder: who needs the fewest turns to finish."""

from __future__ import annotations

from bottega.engine.rule import rule


@rule
def judge(kit, s, out):
    for seat in range(s.seats):
        out[seat] = 1.0 / s.seats
