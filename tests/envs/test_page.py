"""The page about the environments says what the code says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "environments_page.py"


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("environments_page", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.whole(page), "python tools/environments_page.py writes it anew"
