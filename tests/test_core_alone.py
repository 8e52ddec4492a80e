"""lve without any extra: every module can be imported where only the dependencies are installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pythons.claims import dependencies

IMPORT_ALL = """
import importlib.abc, importlib.metadata, pkgutil, re, sys

ALLOWED = set(sys.argv[1].split(","))
OWNERS = importlib.metadata.packages_distributions()


class OnlyDependencies(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        owners = {re.sub(r"[-_.]+", "-", one).lower() for one in OWNERS.get(name, ())}
        if owners and not owners & ALLOWED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, OnlyDependencies())
import lve

names = [found.name for found in pkgutil.walk_packages(lve.__path__, "lve.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
"""


def closure(needed: list[Requirement]) -> set[str]:
    """Return the names of packages and of all that they need."""
    found: set[str] = set()
    waiting = list(needed)
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        try:
            waiting += map(Requirement, requires(name) or ())
        except PackageNotFoundError:  # for another system
            continue
    return found


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    allowed = closure(dependencies()) | {"lve"}
    assert {"click", "pluggy"} <= allowed
    assert not {"psycopg", "sqlglot", "boto3"} & allowed
    command = [sys.executable, "-c", IMPORT_ALL, ",".join(sorted(allowed))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500
