"""Every recorded vector of the prompt objects of ragas 0.1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conformance import actual as runner
from conformance import ragas

HERE = Path(__file__).parent

VECTORS = [
    vector
    for folder in ("ragas", "ragas_more")
    for vector in runner.read_vectors(HERE / "vectors" / folder)
    if vector["profile"] in ragas.PROFILES
]

DECIDED = {
    "format-braces-str-type": {"ok": True, "string": (
        "Close the block.\n\ncode: \"f() {\"\no: \"f() {}\"\n\ncode: g() {\no: \n"
    )},
    "valid-str-output-number": {"ok": False, "error": {
        "base": "ValueError",
        "must_contain": ["o in example 1 must be a text, as output_type is str (found 5)"],
    }},
    "invalid-missing-input-keys@0.1.22": {"ok": False, "error": {
        "base": "ValueError", "must_contain": ["input_keys cannot be empty"],
    }},
}  # fmt: skip
"""Where we decide otherwise (docs/prompt-objects.md says why). The other quirks are kept."""


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]) -> None:
    expected = DECIDED.get(vector["id"], vector["expected"])
    actual = runner.run_vector(ragas.actual, vector)
    if expected["ok"]:
        assert actual == expected
        return
    assert not actual["ok"], actual
    assert expected["error"]["base"] in actual["error"]["bases"]
    for text in expected["error"]["must_contain"]:
        assert text in actual["error"]["message"]


FILLED = [
    vector
    for vector in VECTORS
    if vector["input"]["op"] == "format"
    and vector["expected"]["ok"]
    # In an instance null means that a parameter is not given.
    and None not in vector["input"]["kwargs"].values()
]


@pytest.mark.parametrize("vector", FILLED, ids=lambda vector: vector["id"])
def test_lve_run_sends_what_the_prompt_gives(vector: dict[str, Any], tmp_path: Path) -> None:
    expected = DECIDED.get(vector["id"], vector["expected"])
    assert ragas.sent(ragas.of_profile(vector), tmp_path) == expected["string"]


def test_only_quirks_and_a_missing_field_are_decided_otherwise() -> None:
    quirks = {vector["id"] for vector in VECTORS if vector.get("quirk")}
    assert {*quirks, "invalid-missing-input-keys@0.1.22"} >= set(DECIDED)
