"""Every vector of LVE prompts, and the runner that prints the results of vectors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conformance import actual as runner

HERE = Path(__file__).parent

GIVEN = list(runner.read_vectors(HERE / "vectors/lve"))
OURS = list(runner.read_vectors(HERE / "vectors/lve_more"))


def matches(actual: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a result equals an expected one, as the vectors' README defines it."""
    if not expected["ok"]:
        stages = ["load", "fill", "run"]
        allowed = stages[: stages.index(expected["stage"]) + 1]
        message = actual.get("message", "").lower()
        return actual.get("stage") in allowed and all(
            word.lower() in message for word in expected.get("must_mention", [])
        )
    return actual == expected


@pytest.mark.parametrize("vector", GIVEN + OURS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]) -> None:
    actual = runner.run_vector(runner.load_dialect("lve").actual, vector)
    accepted = [vector["expected"], *vector.get("alternatives", [])]
    assert any(matches(actual, expected) for expected in accepted), actual


def test_the_runner_prints_a_line_per_vector(tmp_path: Path) -> None:
    vectors = [{key: v for key, v in vector.items() if key != "expected"} for vector in GIVEN]
    (tmp_path / "x.json").write_text(json.dumps(vectors), encoding="utf-8")
    command = [sys.executable, str(HERE / "actual.py"), "lve", str(tmp_path)]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [line["id"] for line in lines] == [vector["id"] for vector in GIVEN]
    assert all("ok" in line["actual"] for line in lines)


def test_a_crash_is_not_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(vector: object, workdir: object) -> dict[str, Any]:
        raise KeyError("x")

    assert runner.run_vector(broken, {"id": "x"}) == {"crash": "KeyError: 'x'"}
    assert "KeyError" in capsys.readouterr().err
