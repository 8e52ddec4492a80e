"""What of a short answer is compared with a text; tests/cases/verdicts has most cases."""

from __future__ import annotations

import time

import pytest

from lve.checkers.extract.bare_text import Stated, bare_text, expected_forms


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("`*.py`", "*.py"),
        ("__init__", "__init__"),
        (".NET", ".net"),
        ("Ph.D.", "PhD"),
        ("x != y", "x != y"),
        ("Vitamin A", "vitamin A"),
        ("a team", "The team"),
        ("$5", "$5"),
        ("$\\text{Paris}$", "Paris"),
        ("Lyon? No, Paris.", "Paris"),
        ("「東京」です。", "東京"),
        ("中国的首都是北京。", "北京"),
        ("日本の首都は東京です。", "東京"),
        ("Die Antwort lautet: Rom.", "Rom"),
        ("Paris\n\nLet me know if you need more!", "Paris"),
        ("Paris", "**Paris**"),
        ("It's **Mount Everest**, of course!", "Mount Everest"),
        ("It's Mount Everest, of course!", "Mount Everest"),
        ("The highest mountain on Earth is Mount Everest.", "Mount Everest"),
        ("The capital of Australia is **Canberra** (not Sydney).", "Canberra"),
        ('In French, you would say "Bonjour".', "bonjour"),
        ("This process is called *photosynthesis*.", "photosynthesis"),
        ("> What is the capital of Turkey?\n\nAnkara", "Ankara"),
        ("Berlin, not Bonn.", "Berlin"),
        ("The film is No Way Home.", "No Way Home"),
        ("Das Buch ist Nicht ohne Grund", "Nicht ohne Grund"),
        ("Paris \U0001f600 [1]", "Paris"),
    ],
)
def test_the_same_text(answer: str, text: str) -> None:
    assert {*Stated(answer).forms()} & {*expected_forms(text)}


@pytest.mark.parametrize(
    ("answer", "text", "place"),
    [
        ("```\nParis\n```", "Paris", "in its code block"),
        ("Here:\n~~~\nParis\n~~~", "Paris", "in its code block"),
        ("```\nParis\n```\n\n```\nRome\n```", "Paris Rome", ""),  # which of them isn't said
        ("It is Rome.\n```\nParis\n```", "Rome Paris", ""),
    ],
)
def test_an_answer_that_is_one_code_block_is_its_text(answer: str, text: str, place: str) -> None:
    stated = Stated(answer)
    assert stated.place == place
    assert bare_text(text) in {form.removeprefix("it is ") for form in stated.forms()}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("NET", ".NET"),
        ("It is not **Paris**.", "Paris"),
        ("It's **Paris** or Lyon.", "Paris"),
        ("**Paris** is lovely. So is **Lyon**.", "Paris"),
        ("It might be **Paris**.", "Paris"),
        ("The city is not Paris.", "Paris"),
        ("The city is Paris. It is large.", "Paris"),
        ("> Is it Paris?\n\nNo, Lyon.", "Paris"),
        (".env", "env"),
        ("x = y", "x != y"),
        ("Vitamin", "Vitamin A"),
        ("5", "$5"),
        ("--help", "help"),
        ("init", "__init__"),
        ("<think>\nParis", "Paris"),
        ("Paris. Actually, London.", "Paris"),
        ("Paris, no London.", "Paris"),
        ("Paris, not correct.", "Paris"),
        ("Paris, pas du tout", "Paris"),
        ("Paris (wrong)", "Paris"),
        ("Paris ❌", "Paris"),
        ('{"wrong": "Paris"}', "Paris"),
        ('{"city_it_is_not": "Paris"}', "Paris"),
        ("Ruled out: Paris", "Paris"),
        ("The wrong answer is Paris.", "Paris"),
        ("Die falsche Antwort ist Paris.", "Paris"),
        ("La capitale non è Paris.", "Paris"),
        ("неверно - Paris", "Paris"),
        ("Paris?\nExplanation: No. London.", "Paris"),
    ],
)
def test_another_text(answer: str, text: str) -> None:
    assert not {*Stated(answer).forms()} & {*expected_forms(text)}


def test_what_is_compared_first_is_what_the_answer_states() -> None:
    assert bare_text("Sure! The answer is **Paris** (France).") == "paris"


@pytest.mark.parametrize("part", ["\U0001f600", "[1]", "\U0001f600 "])
def test_long_rows_of_emojis_and_references_take_linear_time(part: str) -> None:
    began = time.process_time()
    assert bare_text(f"x {part * 24} x")
    assert bare_text(f"x {part * 50_000} x")
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["The " + "word " * 2_000, "a" * 12_000, "it was by " * 1_200])
def test_long_texts_take_linear_time(text: str) -> None:
    began = time.process_time()
    assert len([*Stated(text).forms()]) > 1
    assert time.process_time() - began < 1
