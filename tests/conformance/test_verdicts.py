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
    "own-text-020": "an article before a name that begins with one",
    "own-5-number-051": "a number in words stands before the details in digits",
    "own-6-number-060": "the number is Roman",
    "own-10-number-037": "two years are both said of the war",
    "own-15-number-059": "a year and an age follow each other",
    "own-2-choice-083": "a label is also an adverb",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    found = runner.run_vector(runner.load_dialect("verdicts").actual, row)
    if row["id"] in UNDECIDABLE:
        assert found != row["expected"]
    else:
        assert found == row["expected"]
