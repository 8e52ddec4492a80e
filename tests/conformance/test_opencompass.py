"""Every recorded vector of OpenCompass and AISBench, as the vectors' README says they must pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conformance.opencompass import actual

FOLDER = Path(__file__).parent / "vectors" / "opencompass"
VECTORS = [v for file in sorted(FOLDER.glob("*.json")) for v in json.loads(file.read_text("utf-8"))]
STAGES = [
    "template", "dataset", "retriever", "retrieve", "ice", "prompt", "model", "parse", "infer",
    "messages",
]  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector_gives_what_upstream_gives(vector: dict[str, Any], tmp_path: Path) -> None:
    given = {key: value for key, value in vector.items() if not key.startswith("expected")}
    result = actual(given, tmp_path)
    wanted = dict(vector["expected"])
    if vector["conformance"] == "deviation":
        wanted = dict(vector.get("expected_documented", wanted))
    wanted.pop("prompts_raw", None)
    error = wanted.pop("error", None)
    if error is None:
        assert "error" not in result, result["error"]
    else:
        assert STAGES.index(result["error"]["stage"]) <= STAGES.index(error["stage"])
    assert {key: result.get(key) for key in wanted} == wanted


def test_there_are_vectors_of_every_area() -> None:
    assert len(VECTORS) == 188
    assert len({vector["area"] for vector in VECTORS}) == 12
