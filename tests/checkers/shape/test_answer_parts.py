"""What of an answer is read, and in which order."""

from __future__ import annotations

import time

import pytest

from lve.checkers.shape.answer_parts import MAX_READ, Fence, Shape, answer_body, shaped


def test_what_is_taken_back_quoted_or_somebody_elses_comes_last() -> None:
    shape = shaped('"Surely the answer is 4". My first answer is 5. The answer is 6. Wait: 18.')
    last = [(s.text, s.is_aside, s.is_negated, s.is_retracted) for s in shape.statements[-7:]]
    assert ("6. Wait: 18.", False, False, True) in last
    assert ("5. The answer is 6. Wait: 18.", False, True, True) in last
    assert any(is_aside for _, is_aside, _, _ in last)
    assert shape.statements[0].text == "18"


@pytest.mark.parametrize("last", ["B", "C"])
def test_the_last_of_two_corrections_counts(last: str) -> None:
    shape = shaped(f"The answer is A. Wait, it is D. Actually, {last} fits. Scratch that")
    assert shape.statements[0].text == f"{last} fits. Scratch that"


def test_boxes_are_in_the_order_of_the_text() -> None:
    assert shaped(r"\boxed{7} is off by two: \boxed{9}").boxes == ("7", "9")


def test_sentences_are_read_from_the_end_without_closing_phrases() -> None:
    shape = shaped("One. Two!\n- Three; four\nLet me know if you need more.\n[1] A source")
    assert [s.text for s in shape.statements] == ["One.", "four", "- Three;", "Two!", "One."]


def test_code_beside_prose_is_no_answer() -> None:
    shape = shaped("```python\nprint(4)\n```\nIt prints 18.\n```text\n18\n```")
    assert shape.plain == "It prints 18.\n18"
    assert shape.fences == (Fence("python", "print(4)"), Fence("text", "18"))
    assert shaped("```python\nprint(4)\n```").plain == "print(4)"
    assert shaped("Use this:\n~~~c++\nf();\n~~~").plain == "Use this:\nf();"
    assert shaped("```\n18").plain == "18"


@pytest.mark.parametrize("text", ["<think>\n6*7=42", "<think>\n\\boxed{42}", "<think>", ""])
def test_an_answer_that_was_never_given(text: str) -> None:
    shape = shaped(text)
    assert shape.is_cut is bool(text)
    assert shape.statements == ()


def test_a_long_answer_keeps_its_beginning_and_end() -> None:
    text = "Yes. " + "\u2474x " * MAX_READ + "The answer is 18."
    assert len(shaped(text).body) <= MAX_READ + 1
    assert shaped(text).statements[0].text == "18."
    assert shaped(text).plain.startswith("Yes.")
    assert len(answer_body(text)) > MAX_READ


@pytest.mark.parametrize(
    "part",
    [
        *(
            "the answer is ",
            "answer",
            "answer\n",
            "wait, ",
            "at first ",
            "\\boxed{",
            "<answer>",
            "#### a\n",
        ),
        *('"answer": "', '"a b c" ', "```\n", "a. ", "1. ", "\n", " ", "final ", "答案", "- ", "{"),
    ],
)
def test_it_takes_time_in_proportion(part: str) -> None:
    began = time.process_time()
    for text in (part * 100_000, "Answer: " + part * 100_000 + " x}"):
        assert isinstance(Shape(text).statements, tuple)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("answer", "plain"),
    [
        ("> What is 2+2?\n\nIt is 4.", "It is 4."),
        ("> The text said that it was 7\n\nIt is 4.", "It is 4."),
        ("It is 4.\n\n> The text said that it was 7\n\nSo 4.", "It is 4.\n\nSo 4."),
        ("It is 4.\n\n> The text said that it was 7", "It is 4.\n\nThe text said that it was 7"),
        (
            "Final answer:\n> 42\n\nIt follows from the text.",
            "Final answer:\n42\n\nIt follows from the text.",
        ),
        ("> 42\n\nIt follows from the text.", "42\n\nIt follows from the text."),
        ("> only a quotation", "only a quotation"),
    ],
)
def test_quoted_lines_that_an_answer_goes_on_from_are_none_of_it(answer: str, plain: str) -> None:
    assert [*filter(None, shaped(answer).plain.split("\n"))] == [*filter(None, plain.split("\n"))]


def test_quotations_without_end_are_read_in_time() -> None:
    for text in ("> a\n" * 50_000, "\n> " * 50_000, ">" * 100_000, "a\n\n\n" * 30_000 + ">"):
        began = time.process_time()
        assert shaped(text).plain is not None
        assert time.process_time() - began < 1
