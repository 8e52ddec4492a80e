"""The page about the house: its names are in the code, and its walks are what really happens."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace
from support.forked import python

ROOT = Path(__file__).parents[2]
TRACED = (ROOT / "tests/docs/traced_calls.py").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MESSAGES = """\
description: d
model: dummy/dummy
prompt: [{role: user, content: "Say {x}"}]
prompt_parameters: [x]
checker_args: {checker_name: RegexChecker, pattern: l, match_safe: true}
"""
TEMPLATE = """\
description: d
model: dummy/dummy
dataset: {test: [{question: a, answer: b}], train: [{question: c, answer: d}]}
reader_cfg: {input_columns: [question], output_column: answer}
infer_cfg:
  ice_template: {type: PromptTemplate, template: "Q: {question} A: {answer}"}
  prompt_template: {type: PromptTemplate, template: "</E>Q: {question}", ice_token: "</E>"}
  retriever: {type: FixKRetriever, fix_id_list: [0]}
  inferencer: {type: GenInferencer}
checker_args: {checker_name: RegexChecker, pattern: l, match_safe: true}
"""
OBJECT = """\
description: d
model: dummy/dummy
prompt_object: {name: p, instruction: Answer., input_keys: [x], output_key: y, output_type: str}
prompt_parameters: [x]
checker_args: {checker_name: RegexChecker, pattern: l, match_safe: true}
"""
WALKS = {
    "One row, from": MESSAGES,
    "One row of a data set": TEMPLATE,
    "One prompt object": OBJECT,
}
MAX_HOPS = 25


def section(title: str) -> str:
    """Return the part of the page below the heading that begins with a text."""
    return next(part for part in PAGE.split("\n## ") if part.startswith(title))


def walk(title: str) -> list[str]:
    return re.findall(r"^\d+\. `([\w.]+)`", section(title), re.MULTILINE)


def is_there(name: str) -> bool:
    """Return whether a dotted name leads to a module, or to something in one."""
    module, _, rest = name, "", ""
    while module:
        try:
            value: Any = import_module(module)
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
            continue
        return all(
            (value := getattr(value, part, None)) is not None for part in rest.split(".") if part
        )
    return False


def test_the_limits_of_each_border_are_those_of_the_code() -> None:
    names = re.findall(r"`(lve(?:\.\w+)+\.[A-Z]\w+)`", section("Limits"))
    assert len(names) > 15
    for name in names:
        module, _, constant = name.rpartition(".")
        limit = getattr(import_module(module), constant)
        row = next(line for line in section("Limits").split("\n") if name in line)
        sizes = (f"{limit // 10**6} MB", f"{limit // 2**20} MiB", f"{limit // 10**6} million")
        assert any(re.search(rf"\b{size}\b", row) for size in (*sizes, f"{limit:,}")), (name, limit)


def test_every_name_is_in_the_code() -> None:
    names = set(re.findall(r"`(lve(?:\.\w+)+)`", PAGE)) - {"lve.yaml"}
    assert len(names) > 30
    assert sorted(name for name in names if not is_there(name)) == []


def test_every_path_is_in_the_checkout() -> None:
    paths = set(re.findall(r"`((?:lve|docs|schemas)/[\w./]*)`", PAGE))
    assert len(paths) > 20
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_every_room_is_on_the_page() -> None:
    rooms = {file.parent.name for file in (ROOT / "lve").glob("*/__init__.py")}
    assert sorted(room for room in rooms if f"`lve/{room}/`" not in PAGE) == []


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_is_what_happens(title: str, tmp_path: Path) -> None:
    steps = walk(title)
    assert 0 < len(steps) <= MAX_HOPS
    test = workspace(tmp_path) / "t"
    (test / "instances").mkdir(parents=True)
    (test / "test.yaml").write_text(WALKS[title], encoding="utf-8")
    if title != "One row of a data set":
        (test / "instances" / "a.jsonl").write_text('{"args": {"x": "y"}}\n', encoding="utf-8")
    calls = tmp_path / "calls.json"
    command = [*python(), "-c", TRACED, str(calls), "run", "t"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    traced = json.loads(calls.read_text("utf-8"))
    called = iter(name for name, _ in traced)
    # Each step comes after the one before it: `in` goes on where the last one was found.
    assert [step for step in steps if step not in called] == []
    assert on_the_way(steps, traced) - named_modules("One row, from", title) == set()


def on_the_way(steps: list[str], traced: list[tuple[str, list[str]]]) -> set[str]:
    """Return the modules whose functions call a step, directly or through others."""
    return {module for name, modules in traced if name in steps for module in modules}


def named_modules(*titles: str) -> set[str]:
    """Return the modules that sections of the page name."""
    names = {name for title in titles for name in re.findall(r"`(lve[\w.]+)`", section(title))}
    return {
        name for name in all_modules() if any(f"{one}.".startswith(f"{name}.") for one in names)
    }


def all_modules() -> list[str]:
    """Return the names of all modules of lve."""
    files = (file.relative_to(ROOT).with_suffix("") for file in (ROOT / "lve").rglob("*.py"))
    return [".".join(file.parts) for file in files if file.name != "__init__"]
