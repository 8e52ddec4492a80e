"""Labelled answers get the verdict of a careful reader, except those that can't be decided."""

from __future__ import annotations

from pathlib import Path

from conformance import actual as runner

ROWS = list(runner.read_vectors(Path(__file__).parent / "vectors/verdicts"))
UNDECIDABLE = {
    "option-048": "the answer is an option's text, which the check doesn't know",
    "text-020": "the answer is a translation",
}


def test_every_row() -> None:
    """In one test: as a test of pytest, a row takes longer than by itself."""
    actual = runner.load_dialect("verdicts").actual
    found = {row["id"]: runner.run_vector(actual, row) for row in ROWS}
    expected = {row["id"]: row["expected"] for row in ROWS}
    wrong = {name: (found[name], expected[name]) for name in found if found[name] != expected[name]}
    assert len(found) == len(ROWS) > 200
    assert set(wrong) == set(UNDECIDABLE), wrong
