"""A test as it is for one model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.options.run_options import RunOptions
from lve.pipeline import spec_for_model
from lve.pipeline.spec_for_model import ForModel, for_model
from lve.settings.settings import Settings
from lve.spec.load import load_spec


def test_a_test_is_looked_at_once_for_all_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, str]] = []

    def seen(spec: Any, model: str, *_: object) -> Any:
        asked.append((spec, model))
        return (spec, model)

    monkeypatch.setattr(spec_for_model, "for_model", seen)
    remembers: Any = ForModel(RunOptions(), Settings())
    rows = [("a", "m"), ("a", "m"), ("b", "m"), ("b", "n"), ("b", "n"), ("a", "m")]
    assert [remembers(*row) for row in rows] == rows
    assert asked == [("a", "m"), ("b", "m"), ("b", "n"), ("a", "m")]


@pytest.mark.parametrize(
    ("own", "of_settings", "by"),
    [
        ([], (), ()),
        (["a"], (), ("a",)),
        ([], ("b",), ("b",)),
        (["a"], ("b",), ("a",)),
    ],
)
def test_a_test_says_first_by_what_it_is_counted(
    tmp_path: Path, own: list[str], of_settings: tuple[str, ...], by: tuple[str, ...]
) -> None:
    keys: dict[str, Any] = {"prompt_parameters": ["a"], "prompt": [{"content": "{a}"}]}
    spec = load_spec(write_test(tmp_path / "t", **keys, **({"by": own} if own else {})))
    found = for_model(spec, "dummy/dummy", RunOptions(), Settings(by=of_settings))
    assert tuple(found.by) == by
