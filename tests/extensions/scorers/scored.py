"""A test with a scorer, and an environment with a package of OpenCompass' shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lve.checkers.processes import checker_process
from lve.extensions.importing.boxes.box import TOOLS

OVERLAP = """
class Overlap:
    def __init__(self, bonus=0):
        self.bonus = bonus

    def score(self, predictions, references, test_set):
        hits = [bool({*p.split()} & {*r.split()}) for p, r in zip(predictions, references)]
        share = 100 * sum(hits) / len(hits) + self.bonus
        details = [{"correct": hit} for hit in hits]
        return {"overlap": share, "columns": len(test_set[0]), "details": details}
"""
ROWS = [{"q": "one", "a": "Hello you"}, {"q": "two", "a": "Bye"}]


def write_scored(folder: Path, code: str = OVERLAP, /, **check: object) -> None:
    """Write a test whose answers, `Hello world`, are judged by a scorer of its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "description": "Words in common.",
        "model": "dummy/dummy",
        "prompt": [{"content": "{q}"}],
        "dataset": "rows.jsonl",
        "reader_cfg": {"input_columns": ["q"], "output_column": "a"},
        "check": {"scorer": "scorer.py:Overlap", **check},
    }
    (folder / "test.json").write_text(json.dumps(document))
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    (folder / "scorer.py").write_text(code)


def install_upstream(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str = "opencompass",
    package_name: str = "opencompass",
) -> Path:
    """Set up the environment of a tool with an empty package of its name, and return the package's
    folder."""
    monkeypatch.setenv("LVE_TOOLS", str(folder / "tools"))
    checker_process._KEPT.clear()  # one that an earlier test has started has its variables
    checker_process._SHARED.clear()
    home = TOOLS[tool].folder
    packages = home / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    real = Path(sys.executable).resolve()
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to(real)
    (home / "pyvenv.cfg").write_text(f"home = {real.parent}\n")
    (home / "installed").touch()
    package, configs = packages / package_name, packages / "mmengine"
    for each in (package, package / "datasets", package / "openicl", configs):
        each.mkdir(parents=True)
        (each / "__init__.py").touch()
    (package / "openicl" / "icl_evaluator.py").touch()
    (package / "registry.py").write_text(
        "class Registry: module_dict = {}\nEVALUATORS = Registry()"
    )
    (configs / "config.py").write_text("class ConfigDict(dict): pass")
    return package
