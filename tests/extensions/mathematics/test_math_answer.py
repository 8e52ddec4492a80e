"""The expression that an answer ends with."""

from __future__ import annotations

import pytest

from lve.checkers.contract import CheckContext
from lve.extensions.mathematics.math_answer import Math, expressions


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        ("\\boxed{3} and then \\boxed{5}", "5"),
        ("<answer>7</answer> as \\boxed{7} says", "7"),
        ("#### 18", "18"),
        ("**Answer:** $x = 3.5$", "x = 3.5"),
        ("It is $1$. Wait, that's wrong: it is $2$.", "2"),
        ("$x=5$ since $2x=10$.", "x=5"),
        ("The area is \\(4\\pi\\).", "4\\pi"),
        ("x**2 + 1", "x^2 + 1"),
    ],
)
def test_the_first_candidate(answer: str, first: str) -> None:
    assert expressions(answer)[0] == first


def test_several_boxes_are_also_one_answer() -> None:
    assert expressions("x = \\boxed{3} and y = \\boxed{4}") == ["4", "3, 4"]


def test_both_sides_of_an_equation_are_candidates() -> None:
    assert expressions("\\boxed{x = 4}") == ["x = 4", "x = 4", " 4"]


@pytest.mark.parametrize("answer", ["", "<think>\n\\boxed{42}", "x" * 2000])
def test_there_may_be_none(answer: str) -> None:
    assert expressions(answer) == []


@pytest.mark.parametrize(
    ("answer", "candidate"),
    [
        ("So $x = \\sqrt{2} \\approx 1.414$.", " \\sqrt{2} "),
        ("So $x = \\sqrt{2} \\approx 1.414$.", " 1.414"),
        ("θ = π/6 (that is, 30°).", " π/6"),
        ("The factor is $x+1$ (and $x-1$ is the other one).", "x+1"),
        ("The answer is one half.", "1/2"),
    ],
)
def test_a_candidate(answer: str, candidate: str) -> None:
    assert candidate in expressions(answer)


@pytest.mark.parametrize(
    ("answer", "candidate"),
    [
        ("x = 3 = 4", "3"),
        ("y = 2 (sin x)", " 2"),
        ("The factor is $x+1$ (and $x-1$ is the other one).", "x-1"),
    ],
)
def test_no_candidate(answer: str, candidate: str) -> None:
    assert candidate not in expressions(answer)


@pytest.mark.parametrize(
    ("answer", "reference", "passed"),
    [
        ("The answer is 42, I think so.", "42", True),
        ("It's 41. No wait, it's 42.", "42", True),
        ("So the odds are 3/4 overall", "3/4", True),
        ("There are 7 of them in the box.", "7", True),
        ("It's not 42.", "42", False),
        ("5x", "5", False),
        ("5 x", "5", False),
        ("2 sin x", "2", False),
        ("x is 3 or y", "3", False),
        ("There are 7 or 8", "7", False),
        ("less than 3", "3", False),
        ("5 plus y", "5", False),
    ],
)
def test_words_beside_an_expression(answer: str, reference: str, passed: bool) -> None:
    assert Math(reference).check_response(answer, CheckContext(())).passed is passed


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("<answer>42</answer>", " (in its answer tag)"),
        ("\\boxed{42}", " (in its last box)"),
        ("#### 42", " (after ####)"),
        ("The answer is 42.", " (where it names its answer)"),
        ("It's 41. No wait, it's 42.", " (after a correction)"),
        ("42", ""),
    ],
)
def test_the_reason_says_where_the_expression_stands(answer: str, place: str) -> None:
    right = Math("42").check_response(answer, CheckContext(()))
    wrong = Math("41").check_response(answer, CheckContext(()))
    assert right.reason == f"found '42'{place}"
    assert wrong.reason.endswith(place)
    assert Math("41").check_response("", CheckContext(())).reason.endswith("settles on")


def test_prose_and_many_alternatives_end() -> None:
    """Each of these once took time that doubles with each letter or alternative."""
    assert expressions(f"It is 3 {'abcdefghij' * 20} (")[0].startswith("It is 3 abc")
    assert expressions(" or ".join(map(str, range(40))))
