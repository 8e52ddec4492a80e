"""Labelled answers get the verdict of a careful reader, except those that can't be decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conformance import actual as runner

ROWS = list(runner.read_vectors(Path(__file__).parent / "vectors/verdicts"))
UNDECIDABLE = {
    "option-048": "the answer is an option's text, which the check doesn't know",
    "text-020": "the answer is a translation",
    "own-in_range-022": "the answer is a range, not a number",
    "own-text-020": "an article before a name that begins with one",
    "own-4-number-014": "one and a half in one German word",
    "own-4-number-034": "a day stands after the year",
    "own-4-in_range-040": "four and a half stars before the score in digits",
    "own-4-option-125": "a small letter after an article",
    "own-4-number-161": "a chapter is all that the answer names",
    "own-2-choice-083": "a label is also an adverb",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    found = runner.run_vector(runner.load_dialect("verdicts").actual, row)
    if row["id"] in UNDECIDABLE:
        assert found != row["expected"]
    else:
        assert found == row["expected"]
