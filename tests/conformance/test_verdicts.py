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
    "own-5-number-019": "nothing is said as a denial, not as a number",
    "own-5-number-020": "nothing is said as a denial, not as a number",
    "own-5-number-051": "a number in words stands before the details in digits",
    "own-5-text-109": "what it is not stands beside it: own-2-text-001 fails that",
    "own-6-number-060": "the number is Roman",
    "own-2-choice-083": "a label is also an adverb",
    "own-8-in_range-050": "a length and a year are both said of the bridge",
    "own-8-option-063": "a numeral in a circle stands for a letter",
    "own-8-choice-084": "what is conceded is called true",
    "own-8-choice-085": "what is conceded is called true",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_row(row: dict[str, Any]) -> None:
    found = runner.run_vector(runner.load_dialect("verdicts").actual, row)
    if row["id"] in UNDECIDABLE:
        assert found != row["expected"]
    else:
        assert found == row["expected"]
