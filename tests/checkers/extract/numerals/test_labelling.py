"""Numbers that say which one are no quantities."""

from __future__ import annotations

import re
import time

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers
from lve.checkers.extract.numerals.labelling import goes_on, is_pointed_at, says_which


def which(text: str) -> list[str]:
    numbers = re.finditer(r"\d+", text)
    return [m[0] for m in numbers if says_which(text, m.start(), m.end())]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("See chapter 5 for the 3 reasons.", ["5"]),
        ("Pages 12 is blank.", ["12"]),
        ("as Fig. 3 shows", ["3"]),
        ("no 3 apples", []),
        ("No. 3 won.", ["3"]),
        ("issue #7", ["7"]),
        ("Siehe Abschnitt 2, voir page 4, véase la tabla 6.", ["2", "4", "6"]),
        ("请参见第6章。", ["6"]),
        ("the 2nd of 10 terms", ["2"]),
        ("she was in 5th + 1 = 6th place", ["5"]),
        ("opens at 8 am for 3 hours", ["8"]),
        ("on the 20th of July, at 30 degrees", ["20"]),
        ("On July 20 it was 30 degrees.", ["20"]),
        ("El 3 de mayo hubo 43.", ["3"]),
        ("It may 20 times.", []),
        ("In May 20 people came.", []),
        ("In May 20, 5 people came.", ["20"]),
        ("The Boeing 747 has 4 engines.", ["747"]),
        ("Apollo 11 carried 3 people.", ["11"]),
        ("World War 2 lasted 6 years.", ["2"]),
        ("Exactly 5 were left of 9.", []),
        ("Hopefully 5 were left.", []),
        ("The total 42 is right.", []),
        ("Exercise 3 times a week.", ["3"]),
        ("You should exercise 3 times a week.", []),
        ("There are 30 images per page 2.", []),
        ("It costs 18 in total.", []),
    ],
)
def test_numbers_that_say_which_one(text: str, numbers: list[str]) -> None:
    assert which(text) == numbers


@pytest.mark.parametrize(
    ("text", "pointed"),
    [
        ("See chapter 5.", True),
        ("Please go back to step 5.", True),
        ("Further details are in section 5.", True),
        ("As figure 5 shows", True),
        ("请参见第5章", True),
        ("Chapter 5", False),
        ("On page 5.", False),
        ("The bug is on line 5.", False),
        ("Es steht auf Seite 5.", True),
        ("Das ist auf Seite 5.", False),
        ("第5章", False),
        ("答案在第5章", False),
        ("It finished 5th.", False),
    ],
)
def test_what_a_text_only_points_at(text: str, pointed: bool) -> None:
    assert is_pointed_at(text, text.index("5")) is pointed


def test_a_list_belongs_to_one_noun() -> None:
    assert all(map(goes_on, [", ", " and ", "-", " & ", ", and "]))
    assert not any(map(goes_on, [" of ", ". ", " it took all of ", ""]))


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("In chapters 5 and 6, there are 30 tasks.", [30]),
        ("See chapters 5 and 6.", []),
        ("It is in chapter 5.", [5]),
        ("Chapter 12, verse 3.", [12]),
        ("It came on the 20th of July.", [20]),
        ("7.5/10. The prose is strong, though chapter 3 drags.", [0.75]),
        ("<answer>Page 12</answer>", [12]),
    ],
)
def test_they_count_where_there_is_no_other(answer: str, values: list[float]) -> None:
    assert final_numbers(answer) == values


@pytest.mark.parametrize("text", ["chapter 5 ", "5 and ", "Name 5 is ", "the 5th of ", "#5", "A "])
def test_long_answers_end(text: str) -> None:
    start = time.process_time()
    final_numbers(text * 100_000)
    assert time.process_time() - start < 2
