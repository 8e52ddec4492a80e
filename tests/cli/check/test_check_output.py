"""What `lve check` says of examples that it can't judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

READY = [{"response": "Ready", "verdict": "passed"}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("check", "unjudged"),
    [
        ({"all": [{"contains": "eady"}, {"max_latency": "2 s"}]}, 1),
        ({"any": [{"contains": "eady"}, {"max_latency": "2 s"}]}, 1),
        ({"not": {"any": [{"max_latency": "2 s"}]}}, 2),
        ({"weighted": [{"contains": "eady"}, {"max_output_tokens": 2, "weight": 2}]}, 2),
        ({"max_latency": "2 s"}, 2),
    ],
)
def test_examples_whose_verdict_depends_on_what_is_measured_are_counted(
    root: Path, check: object, unjudged: int
) -> None:
    examples = [*READY, {"response": "Bye", "verdict": "failed"}]
    write_test(root / "t", checker_args=None, check=check, examples=examples)
    code, out, _ = call("check", root)
    assert code == 0
    were = "1 example was" if unjudged == 1 else "2 examples were"
    name = "max_output_tokens" if "max_output_tokens" in str(check) else "max_latency"
    assert out == f"1 test: all valid; {were} not judged: {name} judges what a server measures\n"
    _, out, _ = call("check", root, "--json")
    (test,) = json.loads(out)["tests"]
    assert test["unjudged_examples"] == unjudged
    assert test["why_unjudged"] == f"{name} judges what a server measures"
