"""A test as it is for one model."""

from __future__ import annotations

from typing import Any

import pytest

from lve.options.run_options import RunOptions
from lve.pipeline import spec_for_model
from lve.pipeline.spec_for_model import ForModel
from lve.settings.settings import Settings


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
