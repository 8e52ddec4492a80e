"""What isn't part of an answer: the model's reasoning before it, a next turn after it."""

from __future__ import annotations

import time

import pytest

from lve.checkers.shape.reasoning import without_next_turn, without_reasoning


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>6*7</think>\n42", "42"),
        ("<thinking>a</thinking>42", "42"),
        ("<reasoning>\na\n</reasoning>\n42", "42"),
        ("◁think▷a◁/think▷42", "42"),
        ("[THINK]a[/THINK]42", "42"),
        ("<seed:think>a</seed:think>42", "42"),
        ("<|begin_of_thought|>a<|end_of_thought|>42", "42"),
        ("<|START_THINKING|>a<|END_THINKING|>42", "42"),
        ("<unused94>thought\na<unused95>42", "42"),
        ("the start mark is part of the prompt</think>42", "42"),
        ("<think>a</think> b</think>42", "42"),
        ("<think>use <think> here</think>42", "42"),
        ("<think>a</think>4<think>b</think>2", "42"),
        ("<think>no end <answer>42</answer>", "<answer>42</answer>"),
        ("The <think> tag", "The <think> tag"),
        ("`<think>` begins it, `</think>` ends it", "`<think>` begins it, `</think>` ends it"),
        ("[Reasoning] a [Answer] b", "[Reasoning] a [Answer] b"),
        ("a < b > c", "a < b > c"),
        ("42\n<think>\nwas that right?", "42"),
    ],
)
def test_reasoning_is_no_answer(text: str, answer: str) -> None:
    found = without_reasoning(text)
    assert found is not None
    assert found.strip() == answer


@pytest.mark.parametrize(
    "text",
    [
        "<think>\n6*7=42",
        "  <think>\\boxed{42}",
        "◁think▷42",
        "<think>a</think>\n<think>42",
        "<|channel|>analysis<|message|>42",
    ],
)
def test_reasoning_that_was_cut_off_leaves_no_answer(text: str) -> None:
    assert without_reasoning(text) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("18<|endoftext|>What is 4?", "18"),
        ("18</s>4", "18"),
        ("18<｜end▁of▁sentence｜>4", "18"),
        ("18<end_of_turn>\n<start_of_turn>user", "18"),
        ("<|im_start|>assistant\n18<|im_end|>", "18"),
        ("<s> 18", "18"),
        (
            "<|channel|>analysis<|message|>4<|end|><|start|>assistant<|channel|>final<|message|>18",
            "18",
        ),
        ("18\n\nQuestion: What is 4?\nAnswer: 4", "18"),
        ("18\nQ: What?", "18"),
        ("18\n\n### Human: next", "18"),
        ("正确\n问题：下一个", "正确"),
        ("positive\n\nReview: It broke.\nSentiment: negative", "positive"),
        ("Question: How many?\nAnswer: 18", "Question: How many?\nAnswer: 18"),
        ("Q: How many?\nA: 18\n\nQ: Next?\nA: 4", "Q: How many?\nA: 18"),
        ("## My answer\n\nQuestion: How many?\nIt is 18.", None),
        ("Here is the table:\n\nExample: 18", None),
        ("My question: none", None),
        ("a < b, [1]", None),
    ],
)
def test_a_next_turn_is_no_answer(text: str, answer: str | None) -> None:
    assert without_next_turn(text).strip() == (text if answer is None else answer)


@pytest.mark.parametrize(
    "part", ["<think>", "</think>", "<|", "[", "\nQ:", "\n\n", "Q: ", "<s>", "<|a|>"]
)
def test_it_takes_time_in_proportion(part: str) -> None:
    began = time.process_time()
    without_next_turn(without_reasoning(part * 100_000 + "x") or part * 100_000)
    assert time.process_time() - began < 2
