"""The labels that an answer leaves."""

from __future__ import annotations

import pytest

from lve.checkers.extract.left_labels import has_text_of_another
from lve.checkers.extract.settled import settled_labels, settled_options

TEXTS = ("Lyon", "Paris", "Paris and Lyon", "It isn't said.")
EMOTIONS = ("joy", "anger", "fear")


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("A: It isn't said.", ""),
        ("The answer is B) Lyon.", ""),
        ("C. Paris", ""),
        ("C. Paris and Lyon", "C"),
        ("B. Paris and Lyon", ""),
        ("D) it isn't said", "D"),
        ("B) Paris, as Lyon is smaller", "B"),
        ("B, the larger one", "B"),
    ],
)
def test_a_letter_with_the_text_of_another_option_is_neither(answer: str, letters: str) -> None:
    assert "".join(sorted(settled_options(answer, "ABCD", TEXTS).labels)) == letters


def test_a_letter_that_stands_alone_has_no_text() -> None:
    assert not has_text_of_another("A", "A", "AB", ("x", "y"))


def test_of_texts_that_are_numbers_an_answer_that_was_cut_off_chooses_none() -> None:
    prices = ("$6", "$7", "$8", "$9")
    answer = "The cost of a unit is $7" + ", plus the cost of what is lost" * 6
    assert not settled_options(f"{answer}, but we have to go on from", "ABCD", prices).labels
    assert settled_options(f"{answer}.", "ABCD", prices).labels == {"B"}


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("All of them except A and C.", "BD"),
        ("Everything but D is true.", "ABC"),
        ("All four are correct.", "ABCD"),
        ("All of the options are wrong.", ""),
        ("It can't be A, B or C.", "D"),
        ("正确选项是C，A和B都不符合题意。", "C"),
        ("A，C都对。", "AC"),
        ("I'd select A, and also C.", "AC"),
        ("Cross out A and B right away. Between C and D, D fits.", "D"),
        ("A: 10%, B: 70%, C: 15%, D: 5%", "B"),
        ("A: 40%, B: 40%, C: 15%, D: 5%", ""),
        ("A: 12, B: 15, C: 18, D: 20", ""),
    ],
)
def test_letters_that_are_left(answer: str, letters: str) -> None:
    assert "".join(sorted(settled_options(answer, "ABCD").labels)) == letters


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("joy: 0.1, anger: 0.2, fear: 0.7", "fear"),
        ('{"joy": 0.6, "anger": 0.3, "fear": 0.1}', "joy"),
        ("joy (80%), anger (15%), fear (5%)", "joy"),
        ("joy: 0.1, anger: 0.2", None),
    ],
)
def test_the_label_with_the_highest_share(answer: str, label: str | None) -> None:
    assert settled_labels(answer, EMOTIONS).labels == frozenset([label] if label else [])


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Nope.", "No"),
        ("I'm afraid so.", "Yes"),
        ("That's a common misconception: it isn't.", "No"),
        ("Contrary to popular belief, they don't.", "No"),
        ("There's no way to know.", None),
        ("You'd think yes, but no.", "No"),
    ],
)
def test_labels_in_capitals_have_the_same_words(answer: str, label: str | None) -> None:
    assert settled_labels(answer, ("Yes", "No")).labels == frozenset([label] if label else [])
