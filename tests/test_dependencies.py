"""`make play` installs what pyproject.toml declares and nothing else; the tests have more."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REFUSE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused!r}:
            raise ModuleNotFoundError(name + " is not declared", name=name)

sys.meta_path.insert(0, Refuse())
import {module}
"""


def declared() -> set[str]:
    """The distributions that an installation of Bottega without extras brings."""
    todo, found = [("bottega", "")], set()
    while todo:
        name, extra = one = todo.pop()
        if one in found:
            continue
        try:
            needs = [Requirement(need) for need in distribution(name).requires or []]
        except PackageNotFoundError:  # for another system
            continue
        found.add(one)
        for need in needs:
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                todo += [(canonicalize_name(need.name), more) for more in ("", *need.extras)]
    return {name for name, _ in found}


@pytest.mark.parametrize("module", ["bottega.table.server.app", "bottega.cli"])
def test_what_is_declared_is_enough(module):
    there = declared()
    refused = {
        package
        for package, owners in packages_distributions().items()
        if not there & {canonicalize_name(owner) for owner in owners}
    }
    assert "pytest" in refused
    script = REFUSE.format(refused=refused, module=module)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
