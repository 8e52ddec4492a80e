"""An answer's first sentence holds against others that only add to it."""

from __future__ import annotations

import re
from random import Random

import pytest
from checkers.extract.numerals.prose import prose

from lve.checkers.extract.numerals import opening
from lve.checkers.extract.numerals.opening import MAX_OPENED, opening_sentence
from lve.checkers.shape.characters import lowered

STATED = "K2 is 8,611 metres high."


@pytest.mark.parametrize(
    "addition",
    [
        "It was first climbed in 1954.",
        "Some 300 people have been there.",
        "Mount Everest, with 8,849 metres, is higher.",
        "A mountain twice as high would have 17,222 metres.",
    ],
)
def test_an_addition_leaves_the_first_sentence(addition: str) -> None:
    assert opening_sentence(f"{STATED} {addition}") == STATED


@pytest.mark.parametrize(
    "text",
    [
        "K2 is 8,611 metres high.",
        "The mountain is high. It was first climbed in 1954.",
        "K2 is 8,611 metres high. It is a mountain.",
        "I first thought of 8,611 metres. Some say 8,600.",
        "Suppose it is 8,611 metres high. Others may be 8,000.",
        "Is it 8,611 metres high? Others are 8,000.",
        "I don't know whether K2 has 8,611 metres. Others have 8,000.",
        "K2 is 8,611 metres high. So the answer is 9.",
        "K2 is 8,611 metres high. It's 9 now.",
        "K2 is 8,611 metres high. Of these, 9 are snow.",
        "K2 is 8,611 metres high. Another 9 = 3 * 3.",
        "K2 is 8,611 metres high.\nSomething has 9.",
        "Das war am 9. November 1989.",
        "The maximum is 68.5. The minimum is 61.5. The range is 45.",
        "4, 9, 16, ... Another one: 25.",
        "20 metres per second is a speed. Others call it 189 km/h.",
    ],
)
def test_others_may_state_the_number(text: str) -> None:
    assert opening_sentence(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Lena has 12 cards. She hands 5 to Max. Lena keeps 7 cards.",
        "Each box holds 15 pens. The school orders 3 boxes. The school gets 45 pens.",
        "The train covers 180 km. The trip takes 2 hours. The speed is 90 km/h.",
        "The shirt is $50. It is reduced by 30%. The customer pays $35.",
        "The bill was $50. The tip came to 10%. They paid $55.",
        "A jar holds 200 beans. The blue ones make up 30%. The jar holds 60 blue beans.",
        "Tom is 12 years old. His sister is twice as old. Her age is 24.",
        "The rope measures 9 m. Half of it is 4.5 m.",
        "Ten kilos are in a bag. A triple bag holds 30 kilos.",
        "The square has an area of 36 cm^2. Every side measures 6 cm.",
        "A square has sides of 6 cm. Its area comes to 36 cm^2.",
        "Seven friends order three slices each. The table gets 21 slices.",
        "Red: 4 cars. Blue: 5 cars. Green: 6 cars. The lot holds 15 cars.",
        "There are 30 marbles. The bag holds 30 marbles.",
        "One pack contains 10 cookies. Two packs contain 20 cookies.",
        "10 of 20, 30 of 40, 50 of 60, 70 of 80 and 11 of 12 are done. The list has 99.",
    ],
)
def test_a_number_that_comes_of_those_before_is_a_result(text: str) -> None:
    assert opening_sentence(text) is None


def test_a_long_answer_is_no_statement_with_additions() -> None:
    text = f"{STATED} It was first climbed in 1954."
    assert opening_sentence(text.ljust(MAX_OPENED + 1, ".")) is None


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("You save $75. The old price was $300 and the discount is 25%.", "You save $75."),
        ("A day has 1,440 minutes. That follows from 24 hours of 60.", "A day has 1,440 minutes."),
        ("The car drives at 65 mph. After 2 hours it has covered 130 miles.", None),
        (
            "Ann gave 4 of 10 to Ben, so she has 6. Ben has 4.",
            "Ann gave 4 of 10 to Ben, so she has 6.",
        ),
        ("Ann gave 4 of 10 to Ben, so she has 6. Ann has 6.", None),
        ("15 got on, 4 got off and 7 got on. Now 18 are there.", None),
    ],
)
def test_what_explains_or_repeats_a_number_is_no_answer(text: str, stated: str | None) -> None:
    assert opening_sentence(text) == stated


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("The first method gives 60. The second method gives 70.", True),
        ("It could be 5. It could also be 7.", True),
        ("Clarity: 8/10\nDepth: 6/10", True),
        ("The first method gives 60. The second method gives 60.", False),
        ("The first box has 5. The second box has 10, twice as many.", False),
        ("Rows: 18\nChairs per row: 3\nChairs: 54", False),
        ("Clarity: 8\nOverall: 6", False),
        ("41? No: 42.", False),
    ],
)
def test_alternatives_of_which_none_is_chosen(text: str, is_open: bool) -> None:
    assert (opening_sentence(text) == "") is is_open


@pytest.mark.parametrize(
    "lower",
    ["_STATES_NONE", "_CONCLUDES", "_SO", "_FACTORS", "_PREMISES"],
)
def test_in_lower_case_these_fit_where_they_did_in_any_case(lower: str) -> None:
    pattern: re.Pattern[str] = vars(opening)[lower]
    assert re.sub(r"\\.|\(\?P?", "", pattern.pattern).islower()
    any_case, random = re.compile(pattern.pattern, re.IGNORECASE), Random(lower)
    texts = [prose(random) for _ in range(300)]
    texts += [text.upper() for text in texts] + [text.title() for text in texts]
    assert {bool(any_case.search(text)) for text in texts} == {True, False}
    for text in texts:
        spans = [match.span() for match in any_case.finditer(text)]
        assert [match.span() for match in pattern.finditer(lowered(text))] == spans


def test_a_numbered_name_states_no_number() -> None:
    addition = "It landed 4 days later."
    assert opening_sentence(f"Apollo 11 flew around the moon. {addition}") is None
    flights = "Apollo flew around it 11 times."
    assert opening_sentence(f"{flights} {addition}") == flights
