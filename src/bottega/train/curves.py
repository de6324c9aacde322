"""The curves of a run as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLOURS = {"random": "#2a6fb0", "greedy": "#b0462a", "earlier self": "#4c8b3f"}


def draw_curves(rows: list[dict[str, Any]], file: Path) -> None:
    """The share of games won against each opponent, over the minutes of training."""
    minutes, at = [], 0.0
    past: dict[str, float] = {}
    for row in rows:
        at += row["seconds"] - past.get(row["phase"], 0.0)
        past[row["phase"]] = row["seconds"]
        minutes.append(at / 60)
    most = max(minutes, default=0.0) or 1.0
    parts = [
        '<rect width="640" height="400" fill="#fff"/>',
        f'<text x="470" y="385">{most:.1f} minutes</text>',
    ]
    for percent in range(0, 101, 20):
        y = 350 - 3 * percent
        parts.append(f'<path d="M60 {y}H600" stroke="#ddd"/>')
        parts.append(f'<text x="16" y="{y + 4}">{percent} %</text>')
    for number, (name, colour) in enumerate(COLOURS.items()):
        points = " ".join(
            f"{60 + 540 * minute / most:.1f},{350 - 300 * row[name]:.1f}"
            for minute, row in zip(minutes, rows, strict=True)
            if name in row
        )
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{80 + 180 * number}" y="30" fill="{colour}">against {name}</text>')
    about = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif"'
    file.write_text(f'<svg {about} font-size="13">{"".join(parts)}</svg>', encoding="utf-8")
