"""The number that an answer settles on; tests/cases/verdicts/number.json has most cases."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lve.checkers.extract.numerals.final_number import final_numbers, number_of

LONG = [
    "9" * 1_000_000,
    "9 " * 300_000,
    "1," * 300_000,
    "1.2" * 200_000,
    "=" * 300_000,
    "answer " * 100_000,
    "the answer is " * 50_000,
    "one hundred and " * 50_000,
    "- " * 300_000,
    "十" * 300_000,
    "(" * 300_000,
    "\\boxed{" * 100_000,
    "\\frac{1" * 100_000,
    "not " * 100_000,
    "wait, " * 100_000,
    "1 and " * 100_000,
    " " * 1_000_000,
    "$" * 300_000,
    "```\n" * 100_000,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:12]))
@pytest.mark.timeout(10)
def test_long_answers_end(text: str) -> None:
    final_numbers(text)


def test_the_end_of_a_long_answer_counts() -> None:
    assert final_numbers("Let me think about 7. " * 50_000 + "The answer is 42.") == [42]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$18", (18,)),
        ("1,234", (1234,)),
        ("50%", (Fraction(1, 2), 50)),
        ("-3/4", (Fraction(-3, 4),)),
        ("none", ()),
        ("1 or 2", ()),
    ],
)
def test_what_a_test_may_want(text: str, values: tuple[object, ...]) -> None:
    assert number_of(text) == values


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("E = mc² gives 9 × 10¹⁶ J", 90_000_000_000_000_000),
        ("7 is the sum of 3 and 4.", 7),
        ("42 is the answer to 6 × 7.", 42),
        ("The maximum is 9 at x = 3.", 9),
        ("The temperature dropped to -5°C from 10°C.", -5),
        ("It is 1.496e8 km, or 1 AU.", 149_600_000),
        ("The probability is 0.25 or 25%.", Fraction(1, 4)),
        ("<think>5 or 6</think>I counted 12 at first, but there are 13.", 13),
        ("There are four seasons:\n1. Spring\n2. Summer\n3. Autumn\n4. Winter", 4),
        ("1. First, add 1 and 1.\n2. The result is 2.", 2),
        ("in 1492[^1].\n\n[^1]: Smith, 2003, p. 14.", 1492),
        ("It was 1776.\n\nReferences:\n[1] Boyd, 1950.", 1776),
        ("I'd give it an 8/10.", 8),
        ("<answer>24</answer>\nI checked this in 2 ways.", 24),
        ('{"answer": 5, "confidence": 0.9}', 5),
        ("#### 18\n\nQuestion: Tom has 3.\n#### 3", 18),
    ],
)
def test_what_an_answer_settles_on(answer: str, value: object) -> None:
    assert final_numbers(answer)[0] == value


@pytest.mark.parametrize(
    "answer",
    [
        "The answer is 5 to 7 days.",
        "-5 to 5",
        "It takes 8-10 hours.",
        "3 or 4",
        "√2",
        "2√3",
        "Around 3-4 million people.",
        "<think>\n4*5=20",
        "ISBN 978-3-16-148410-0",
        "192.168.1.1",
        "CO2",
    ],
)
def test_it_may_settle_on_none(answer: str) -> None:
    assert final_numbers(answer) == []


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("1 h 30 min", [90, Fraction(3, 2)]),
        ("The film takes 2 hours 15 minutes.", [135, Fraction(9, 4)]),
        ("50 %", [50, Fraction(1, 2)]),
    ],
)
def test_some_have_two_values(answer: str, values: list[object]) -> None:
    assert final_numbers(answer) == values


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("She fills 3, so she has 15 pens in total. That leaves 2 boxes empty.", 15),
        ("She had 15 pens in total. That leaves 2.", 2),
        ("So she had 15 pens in total. Then 13 went, so 2 are left.", 2),
        ("I'd say about 75 km, give or take 5 km.", 75),
        ("It is 20% (plus or minus 3%).", 20),
        ("x is 5 or, if you take 7, 6", 5),
    ],
)
def test_what_comments_on_a_conclusion_is_no_answer(answer: str, value: int) -> None:
    assert final_numbers(answer)[0] == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Joey's total is 214 + 26 = 240.\nJoey is winning by 240 - 235 = 5 points.", 5),
        ("There is a total of 55 x 2 = 110 chips.\nSo all five get 110/5 = 22 chips.", 22),
        ("Morning: 3 cups\nTotal: 12 cups\n\nThat is 5 today and 7 yesterday.", 12),
        ("The final result is 36. As 36 = 4 * 9, it is a square.", 36),
        ("There is a total of 6 x 8 = 48 cupcakes.\nShe bakes 48 / 12 = 4 pans.\nA: 4 pans", 4),
        ("6 x 8 = 48\nA: 4\nB: 5", 5),
        ("After getting 20 marbles from her friend, she has 250 + 20 = 270 marbles.", 270),
        ("He made $800 a week because he worked, so he made $800*4 = $3200 then.", 3200),
        ("Take 240 from the time to find the difference: 5 - 3 = 2 minutes.", 2),
        ("It costs 50 because 40 + 10 = 50 is the price of 2", 50),
    ],
)
def test_an_answer_goes_on_from_what_it_computed(answer: str, value: int) -> None:
    assert final_numbers(answer)[0] == value


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("I can't tell how many remain: there were 12, but it doesn't say how many went.", []),
        ("I can't say how many exactly, but I'd guess 12.", [12]),
        ("I can't tell: 12?", [12]),
        ("The price is 3.5. It would be 4.5 if it were new.", [3.5]),
        ("There are 4 boxes. If each had 3, there would be 12.", [12]),
    ],
)
def test_what_would_be_and_what_nobody_can_tell(answer: str, values: list[float]) -> None:
    assert final_numbers(answer)[:1] == values


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("★★★★½", Fraction(9, 2)),
        ("★★★☆☆", 3),
        ("⭐⭐⭐⭐", 4),
        ("★☆☆☆☆", 1),
        ("★ 4.2", Fraction(21, 5)),
        ("I rate it ★★★★☆ (4/5).", 4),
        ("5 dollars and 20 cents", Fraction(26, 5)),
        ("€10 and 5 cents", Fraction(201, 20)),
        ("206 bones, while a newborn has around 270.", 206),
        ("An adult has 206 bones, compared with 270 at birth.", 206),
        ("8 + 8 = 16, but we need 8 + 9, which is 17.", 17),
        ("x = 64, which is 8 squared.", 64),
        ("8,5 von 10 Punkten", Fraction(17, 2)),
        ("15 von 20 Leuten", 15),
    ],
)
def test_ratings_money_and_comparisons(answer: str, value: Fraction) -> None:
    assert final_numbers(f"It is {answer}")[0] == value


def test_what_cannot_be_determined_is_no_answer() -> None:
    assert final_numbers("The answer cannot be determined from the 27 rows given.") == []


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("You get 18 apples: 12 red and 6 green.", 18),
        ("Всего получится 18 яблок: 12 красных и 6 зелёных.", 18),
        ("The team has 11 players: 4 defenders, 4 midfielders, 2 wings and 1 keeper.", 11),
        ("Of 18 apples: 12 are red and 5 green.", 5),
    ],
)
def test_parts_that_add_up_explain_their_sum(answer: str, value: int) -> None:
    assert final_numbers(answer)[0] == value


@pytest.mark.parametrize(
    "answer",
    [
        "I don't have enough information to say how many came; only 12 speakers are named.",
        "There is not enough information to determine how many of the 12 came.",
        "We do not have sufficient information to calculate what 12 of them cost.",
    ],
)
def test_too_little_information_is_no_answer(answer: str) -> None:
    assert final_numbers(answer) == []


def test_a_clause_after_a_semicolon_is_an_answer_else() -> None:
    assert final_numbers("The first has 4; together they are 12.") == [12]


COMPUTATIONS = (
    *("{a} {o} {b} = {c}", "{a}{o}{b}={c}", "So {a} {o} {b} = {c}.", "${a} {o} {b} = {c}$"),
    *(
        "= {a} {o} {b} = {c}",
        "{a} {o} {b} equals {c}",
        "{a} {o} {b} is {c}.",
        "**{a} {o} {b} = {c}**",
    ),
    *("The result of {a} {o} {b} is {c}.", "{a} {o} {b} = **{c}**", "{a} {o} {b} → {c}"),
    *("- {a} {o} {b} = {c}", "1. Compute {a} {o} {b}.\n2. The result is {c}.", "{c} = {a} {o} {b}"),
    *("{c}, because {a} {o} {b} = {c}", "It's {c} ({a} {o} {b}).", "{c} ({a} {o} {b} = {c})"),
    *("Answer: {c}\n\nWorking: {a} {o} {b} = {c}", "x = {a} {o} {b} = {c}", "{a} {o} {b}\n= {c}"),
    *(
        "We compute {a} {o} {b}, which gives {c}.",
        "{a} {o} {b} ergibt {c}.",
        "{a} {o} {b} 等于 {c}。",
    ),
    *("答案：{c}（{a} {o} {b}）", "| step | value |\n|---|---|\n| {a} {o} {b} | {c} |"),
)
"""Forms in which answers compute: the result is stated, no term is."""


@pytest.mark.parametrize("form", COMPUTATIONS)
@pytest.mark.parametrize(
    ("a", "sign", "b", "c"),
    [(74, "-", 3, 71), (65, "+", 9, 74), (64, "×", 5, 320), (66, "*", 2, 132), (84, "÷", 7, 12)],
)
def test_the_result_of_a_computation_is_stated_and_no_term(
    form: str, a: int, sign: str, b: int, c: int
) -> None:
    text = form.replace("{a}", str(a)).replace("{o}", sign)
    assert set(final_numbers(text.replace("{b}", str(b)).replace("{c}", str(c)))) == {c}
