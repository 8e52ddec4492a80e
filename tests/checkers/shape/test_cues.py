"""Cues: what a text has no word of isn't searched, so each pattern must say its words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.checkers.extract.numerals import clauses, sentence_order
from lve.checkers.shape import passages
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.cues import (
    ANNOUNCEMENT,
    CLOSING,
    CONCESSION,
    CONTRAST,
    CORRECTION,
    EVERY,
    NEGATION,
    NOTE,
    cues,
)

PATTERNS = {
    ANNOUNCEMENT: passages._MARKER,
    CORRECTION: passages._CORRECTION,
    CONCESSION: passages._CONCEDED,
    CONTRAST: passages._CONCEDED,
    CLOSING: passages._CHATTER,
    NOTE: sentence_order._NOTES,
}
CASES = Path(__file__).parents[2] / "cases"
VECTORS = Path(__file__).parents[2] / "conformance/vectors/verdicts"


def answers() -> list[str]:
    texts = list[str]()
    for file in sorted(VECTORS.glob("*.json")):
        texts += [row["answer"] for row in json.loads(file.read_text(encoding="utf-8"))]
    for file in sorted((CASES / "verdicts").glob("*.json")):
        for group in json.loads(file.read_text(encoding="utf-8")):
            texts += [*group.get("passed", ()), *group.get("failed", ())]
    return [text for text in texts if isinstance(text, str) and text.isascii()]


@pytest.mark.parametrize("cue", PATTERNS)
def test_what_has_no_cue_of_a_pattern_does_not_fit_it(cue: int) -> None:
    fits = [text for text in answers() if PATTERNS[cue].search(lowered(text))]
    assert fits, "no answer has this cue: the test would see nothing"
    assert [text for text in fits if not cues(text) & cue] == []


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Eight. Oops, wait: nine.", CORRECTION),
        ("SCRATCH THAT, nine.", CORRECTION),
        ("Eight. This was not right: nine.", CORRECTION),
        ("8. Let me re-check: 9.", CORRECTION),
        ("8. Let me re-calculate: 9.", CORRECTION),
        ("8. Let me redo that: 9.", CORRECTION),
        ("8. Let me try again: 9.", CORRECTION),
        ("8. Let me fix that: 9.", CORRECTION),
        ("8. Correction: 9.", CORRECTION),
        ("8. I miscounted, 9.", CORRECTION),
        ("Huit. En fait, neuf.", CORRECTION),
        ("Initially 8, but 9.", CONCESSION),
        ("It would appear to be 8, but it is 9.", CONCESSION),
        ("A primera vista 8, pero 9.", CONCESSION),
        ("It seems like 8, YET it is 9.", CONTRAST),
        ("The answers are: 9", ANNOUNCEMENT),
        ("Ergebnis: 9", ANNOUNCEMENT),
        ("9\nTokens used: 12", CLOSING),
        ("9\np.s. 12 is wrong", CLOSING),
        ("[1] page 12", CLOSING),
        ("9\nPlease verify: 12", CLOSING),
        ("9\nWould you like 12?", CLOSING),
        ("9\nReferences\n12", NOTE),
        ("9\n[^1]: 12", NOTE),
    ],
)
def test_a_cue_is_seen_in_any_case_beside_any_sign(text: str, cue: int) -> None:
    assert PATTERNS[cue].search(lowered(text))
    assert cues(text) & cue


@pytest.mark.parametrize("denial", [text for text in clauses._NEGATIONS if text.isascii()])
def test_each_denial_of_the_table_is_a_cue(denial: str) -> None:
    for text in (denial, f"Is {denial} 8", f"IS X{denial.upper()}Y, 8", f"8, {denial}"):
        assert cues(text) & NEGATION


def test_what_has_no_cue_of_a_denial_has_none_of_its_words() -> None:
    denying = [
        text for text in answers() if any(map(f"{text} ".lower().__contains__, clauses._NEGATIONS))
    ]
    assert denying, "no answer denies anything: the test would see nothing"
    assert [text for text in denying if not cues(text) & NEGATION] == []


def test_plain_prose_has_no_cue() -> None:
    assert cues("First, 17 + 20 = 37. Then 37 + 5 = 42 apples.") & ~CONCESSION == 0


def test_other_scripts_may_have_each_cue() -> None:
    assert cues("是 42") == EVERY
