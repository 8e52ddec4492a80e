"""The options and labels that an answer settles on; tests/cases/verdicts has most cases."""

from __future__ import annotations

import pytest

from lve.checkers.extract.settled import settled_labels, settled_options

LONG = [
    "A " * 300_000,
    "A, " * 200_000,
    "A is " * 100_000,
    "not A " * 100_000,
    "the answer is " * 50_000,
    "(" * 300_000,
    "A" * 300_000,
    " " * 1_000_000,
    "answer to the " * 50_000,
    "A? " * 100_000,
    "A\n" * 200_000,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:12]))
@pytest.mark.timeout(10)
def test_long_answers_end(text: str) -> None:
    settled_options(text, "ABCD")
    settled_labels(text, ["yes", "A"])


def test_the_end_of_a_long_answer_counts() -> None:
    assert settled_options("A is a trap. " * 50_000 + "The answer is B.", "ABCD").labels == {"B"}


@pytest.mark.parametrize(
    ("text", "found"),
    [("I", set()), ("A rock", set()), ("A", {"A"}), ("A or B", set()), ("A and B", {"A", "B"})],
)
def test_letters_that_are_words(text: str, found: set[str]) -> None:
    assert settled_options(text, "ABCD").labels == found


def test_of_course_is_no_yes_before_a_denial() -> None:
    assert settled_labels("Of course, it is.", ["yes", "no"]).labels == {"yes"}
    assert settled_labels("Of course, it isn't.", ["yes", "no"]).labels != {"yes"}


def test_labels_keep_their_spelling() -> None:
    assert settled_labels("Not Entailment", ["entailment", "not_entailment"]).labels == {
        "not_entailment"
    }


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Between C and D, C fits the evidence better.", {"C"}),
        ("Between C and D, D fits the evidence better.", {"D"}),
    ],
)
def test_a_letter_that_is_said_again_begins_a_new_list(text: str, letters: set[str]) -> None:
    assert settled_options(text, "ABCD").labels == letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("The statements that are true:\n\n- A\n- D\n\nB and C are false.", {"A", "D"}),
        ("- A\n- B is wrong\n- D", {"A", "D"}),
        ("- A\n- B is right\n- D", {"B"}),
    ],
)
def test_a_list_beside_what_is_called_wrong(text: str, letters: set[str]) -> None:
    assert settled_options(text, "ABCD").labels == letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ('The note said "it has to be A". Option B.', {"B"}),
        ('Option B. The note said "it has to be A".', {"B"}),
        ('The note said "it may be C or A". Option B.', {"B"}),
        ('The note said "option A". Option B.', {"A", "B"}),  # two words may be a name
        ('"It has to be A"', {"A"}),  # nothing else is said
        ('The note said "it has to be A".', {"A"}),
    ],
)
def test_whoever_is_quoted_has_not_answered(text: str, letters: set[str]) -> None:
    assert settled_options(text, "ABCD").labels == letters


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Ответ: {}.", "АБВГ"),
        ("Правильный ответ {}.", "абвг"),
        ("الإجابة هي {}.", "أبجد"),
        ("الإجابة هي {}.", "ابجد"),  # often written without the mark
        ("答えは{}。", "アイウエ"),
        ("答案是{}。", "甲乙丙丁"),
        ("정답은 {}번입니다.", "1234"),
    ],
)
def test_options_of_other_alphabets(sentence: str, names: str) -> None:
    found = [settled_options(sentence.format(name), "ABCD").labels for name in names]
    assert found == [{letter} for letter in "ABCD"]
