"""docs/test-format.md: every key is there, every example is a valid test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lve.checkers.static import check_statically
from lve.data.instances import iter_instances
from lve.documents.validation.schema import load_schema
from lve.errors import Problem
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec

PAGE = (Path(__file__).parents[2] / "docs" / "test-format.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(?:yaml|text) (\S+)\n(.*?)```", re.DOTALL)


def examples() -> list[dict[str, str]]:
    """Return the files of each example: a document and what follows it."""
    found: list[dict[str, str]] = []
    for name, content in BLOCK.findall(PAGE):
        if name == "test.yaml":
            found.append({})
        found[-1][name] = content
    return found


@pytest.mark.parametrize("files", examples(), ids=lambda files: files["test.yaml"].split("\n")[0])
def test_example_is_a_valid_test(files: dict[str, str], tmp_path: Path) -> None:
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    spec = load_spec(tmp_path)
    plan = build_plan(spec)
    assert check_statically(spec) == []
    found = list(iter_instances(spec))
    assert not any(isinstance(item, Problem) for item in found)
    for instance in found:
        assert not isinstance(instance, Problem)
        assert plan.preview(instance)


def test_every_key_is_explained() -> None:
    missing = [key for key in load_schema("test")["properties"] if f"`{key}" not in PAGE]
    assert missing == []
