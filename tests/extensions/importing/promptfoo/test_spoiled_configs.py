"""Configurations of promptfoo with one place changed each, and each assertion with values of many
forms: what becomes of them, and what is left out (tests/cases/importers/spoiled.json).

`make records` writes the file anew: each change of it is meant, and seen in the diff.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from extensions.importing.promptfoo.sources import source_in
from spec.test_spoiled_documents import changed, leaves, shortened

from lve.errors import LveError
from lve.extensions.importing.promptfoo.assertions import MAKERS, Checks
from lve.extensions.importing.promptfoo.config import CONFIG, read_config
from lve.extensions.importing.promptfoo.source import UnsupportedError

CASES = Path(__file__).parents[3] / "cases" / "importers"
CONFIGS = ("groups",)
RECORDED = CASES / "spoiled.json"
VALUES: tuple[Any, ...] = (
    "a", "a, {{b}}", "{{ b | upper }}", "{c}", ["a", "b"], [], 7, 0.5, True, None, "", "(a+", "5",
    {"type": "object"}, "file://schema.json", "file://nothing.txt", {"x": [1]}, "a\nb",
)  # fmt: skip
MORE: tuple[dict[str, Any], ...] = (
    {}, {"threshold": 0.5}, {"threshold": "x"}, {"threshold": -1}, {"weight": 2}, {"metric": "m"},
    {"provider": "openai:gpt-4"}, {"transform": "x"}, {"threshold": 1e999},
)  # fmt: skip
KINDS = (*MAKERS, "ruby", "unknown", "assert-set", 7, None)


def assertions() -> Iterator[Any]:
    """Yield assertions of every type."""
    yield from ("plain", 7, None, [])
    for kind in KINDS:
        for value in VALUES:
            yield {"type": kind, "value": value}
        for more in MORE:
            yield {"type": kind, "value": "5", **more}
        yield from ({"type": kind}, {"type": f"not-{kind}", "value": "a"})


def converted(assertion: Any, folder: Path) -> Any:
    """Return what an assertion becomes: its check, names, files, and what is told."""
    source, _ = source_in(folder)
    checks = Checks(source)
    try:
        check: Any = checks.convert(assertion)
    except (UnsupportedError, LveError) as error:
        check = f"{type(error).__name__}: {error}"
    rest = [[*checks.names], checks.files, [str(text) for text in source.left_out]]
    return json.loads(json.dumps([check, *rest]))


def imported(folder: Path) -> Any:
    """Return what becomes of the configuration in a folder, by place."""
    try:
        result = read_config(folder)
    except LveError as error:
        return str(error).splitlines()
    tests = [_without_source(dataclasses.asdict(test)) for test in result.tests]
    told = {"tests": tests, "left_out": [str(text) for text in result.left_out]}
    return dict(leaves(json.loads(json.dumps(told, default=str))))


def _without_source(test: dict[str, Any]) -> dict[str, Any]:
    """Return a test without what says where it comes from, which each change of a file changes."""
    del test["document"]["source"], test["files"]["import.json"]
    return test


def of_config(name: str, root: Path) -> dict[str, Any]:
    """Return what becomes of each change of a configuration."""
    folder = Path(shutil.copytree(CASES / "promptfoo" / name, root / name))
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    result: dict[str, Any] = {}
    whole: Any = None
    for label, spoiled in changed(config):
        (folder / CONFIG).write_text(json.dumps(spoiled, indent=1), encoding="utf-8")
        now = imported(folder)
        whole = now if whole is None else whole
        result[label] = now if now is whole else shortened(whole, now)
    return result


def of_assertions(root: Path) -> dict[str, Any]:
    """Return what becomes of each assertion."""
    folder = Path(shutil.copytree(CASES / "promptfoo" / "checks", root / "assertions"))
    return {json.dumps(given): converted(given, folder) for given in assertions()}


def results(name: str, root: Path) -> dict[str, Any]:
    """Return what becomes of a configuration's changes, or of assertions."""
    return of_assertions(root) if name == "assertions" else of_config(name, root)


@pytest.mark.parametrize("name", ["assertions", *CONFIGS])
def test_what_becomes_of_each_change(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    now = results(name, tmp_path)
    wrong = [what for what in recorded if now.get(what) != recorded[what]]
    assert [(what, recorded[what], now.get(what)) for what in wrong] == []


def main() -> None:
    """Write what becomes of all now, one change a line."""
    parts = []
    for name in ("assertions", *CONFIGS):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            rows = results(name, Path(folder).resolve()).items()
            os.chdir("/")
        lines = (f"  {json.dumps(label)}: {json.dumps(said)}" for label, said in rows)
        parts.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    RECORDED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
