"""Which parts of an answer say what the answer is."""

from __future__ import annotations

import pytest

from lve.checkers.shape.shape import shaped

FIRST = [
    ("<answer>18</answer>\nThat leaves 5.", "tagged", "18"),
    ("6*3 <answer>\n18", "tagged", "18"),
    ("[ANSWER]18[/ANSWER] of 20", "tagged", "18"),
    ('```json\n{"reasoning": "A", "answer": "D"}\n```', "tagged", "D"),
    ('{"answer": ["A", "C"], "value": 3}', "tagged", "A, C"),
    ("So \\boxed{6}, no, \\boxed{\\text{18 {cm}}} it is.", "boxed", "\\text{18 {cm}}"),
    ("3 times 6\n#### 18", "hashed", "18"),
    ("#### Step 2\nThe answer is 18", "marked", "18"),
    ("**Final Answer**\n\n18", "marked", "18"),
    ("So:\n\n### Answer\n18 apples", "marked", "18 apples"),
    ("The answer to this question is: 18.\n\nIt isn't 4.", "marked", "18."),
    ("正确答案是：18", "marked", "18"),
    ("Das Ergebnis lautet 18", "marked", "18"),
    ("La risposta corretta è 18", "marked", "18"),
    ("Ответ: 18", "marked", "18"),
    ("الإجابة الصحيحة هي 18", "marked", "18"),
    ("정답은 18입니다", "marked", "18입니다"),
    ("The wrong answer is 4. Wait, it is 18", "corrected", "it is 18"),
    ("It's 4. Hold on, 18.", "corrected", "18"),
    ("At first glance 4, but on closer reading, 18", "corrected", "18"),
    ("18 in total, I think. There are 3 boxes.", "headline", "18 in total, I think."),
    ("1. It is 18\n2. No", "headline", "1. It is 18"),
    (
        'He said "the answer is 4 apples". It is 18.',
        "headline",
        'He said "the answer is 4 apples".',
    ),
]


@pytest.mark.parametrize(("text", "kind", "part"), FIRST)
def test_the_part_that_counts_first(text: str, kind: str, part: str) -> None:
    first = shaped(text).statements[0]
    assert (first.kind, first.text) == (kind, part)
    assert first.counts
