"""What the author of a test is told while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.escape import escape_line
from lve.pipeline.preparing.run_warnings import MAX_CALL_WARNINGS, call_warner
from lve.spec.load import load_spec
from lve.spec.spec import Spec

TOOLS = [{"name": "f"}]


def spec_of(folder: Path, **keys: Any) -> Spec:
    return load_spec(write_test(folder / "t", **keys), folder)


def test_a_few_calls_without_a_mock_are_told_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    spec = spec_of(tmp_path, tools=TOOLS, mocks={"f": {"result": 1}})
    warn = call_warner(spec, told.append)
    assert warn is not None
    monkeypatch.setenv("MY_KEY", "a-secret")
    for problem in ("a-secret", "a-secret", "\x1b[31m" + "x" * 999, *map(str, range(9))):
        warn(problem)
    assert len(told) == MAX_CALL_WARNINGS
    hint = "the model gets an error: add a mock, or one without `args`"
    assert escape_line(told[0]) == f"t: [redacted]; {hint} [tool_mock]"
    assert len(told[1]) < 400


def test_a_test_without_mocks_has_no_such_warnings(tmp_path: Path) -> None:
    assert call_warner(spec_of(tmp_path), print) is None
    assert call_warner(spec_of(tmp_path, tools=TOOLS), print) is None
