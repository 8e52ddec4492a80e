"""Whether the words around a label are for it or against it."""

from __future__ import annotations

import pytest

from lve.checkers.extract.stances import NAMED, NEITHER, RIGHT, WRONG, stance


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("I'd go with | here", NAMED),
        ("so it has to be |", NAMED),
        ("Sentiment: |", NAMED),
        ("因此选|", NAMED),
        ("but | is the most precise", NAMED),
        ("but | is right as well", RIGHT),
        ("only | fits", NAMED),
        ("Therefore the ribosome, option |", NAMED),
        ("| is correct", RIGHT),
        ("|: richtig", RIGHT),
        ("✅ |", RIGHT),
        ("[x] |", RIGHT),
        ("Severity: |", RIGHT),
        ("| isn't wrong", RIGHT),
        ("| 正确", RIGHT),
        ("|: no", WRONG),
        ("Incorrect: |", WRONG),
        ("| is not the right one", WRONG),
        ("| is half right", WRONG),
        ("| is tempting", WRONG),
        ("| 错误", WRONG),
        ("not |", WRONG),
        ("rather than option |", WRONG),
        ("it can't be |", WRONG),
        ("don't pick |", WRONG),
        ("although | has some merit", WRONG),
        ("students say |", WRONG),
        ("it would be | if cats flew", WRONG),
        ("the wrong one is |", WRONG),
        ("|?", WRONG),
        ("| was built in 1900", NEITHER),
        ("the tower, |", NEITHER),
    ],
)
def test_words_decide(clause: str, expected: int) -> None:
    before, _, after = clause.partition("|")
    assert stance(before, after) == expected
