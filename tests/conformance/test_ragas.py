"""Every recorded vector of the prompt objects of ragas 0.1."""

from __future__ import annotations

from collections.abc import Mapping
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


def test_every_vector() -> None:
    """In one test: as a test of pytest, a vector takes longer than by itself."""
    results = {vector["id"]: runner.run_vector(ragas.actual, vector) for vector in VECTORS}
    expected = {vector["id"]: _expected(vector) for vector in VECTORS}
    wrong = {name: results[name] for name in expected if not is_as(results[name], expected[name])}
    assert len(results) == len(VECTORS) > 600
    assert wrong == {}, {name: expected[name] for name in wrong}


def _expected(vector: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = DECIDED.get(vector["id"], vector["expected"])
    return found


def is_as(actual: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a result is the expected one, an error one of the expected class and words."""
    if expected["ok"]:
        return actual == expected
    if actual.get("ok", True):  # also where it crashed
        return False
    error, wanted = actual["error"], expected["error"]
    has_words = all(text in error["message"] for text in wanted["must_contain"])
    return wanted["base"] in error["bases"] and has_words


def test_a_crash_and_another_error_are_wrong() -> None:
    refused = {"ok": False, "error": {"bases": ["ValueError"], "message": "too long"}}
    wanted = {"ok": False, "error": {"base": "ValueError", "must_contain": ["long"]}}
    assert is_as(refused, wanted)
    assert not is_as({"crash": "KeyError: 'x'"}, wanted)
    assert not is_as({"ok": True, "string": "x"}, wanted)
    assert not is_as(refused, {"ok": False, "error": {"base": "TypeError", "must_contain": []}})
    assert not is_as(refused, {"ok": False, "error": {**wanted["error"], "must_contain": ["x"]}})
    assert not is_as(refused, {"ok": True, "string": "x"})


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
    assert ragas.sent(ragas.of_profile(vector), tmp_path) == _expected(vector)["string"]


def test_only_quirks_and_a_missing_field_are_decided_otherwise() -> None:
    quirks = {vector["id"] for vector in VECTORS if vector.get("quirk")}
    assert {*quirks, "invalid-missing-input-keys@0.1.22"} >= set(DECIDED)
