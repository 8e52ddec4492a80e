"""Which parts of an answer say what the answer is."""

from __future__ import annotations

import pytest

from lve.checkers.shape.answer_parts import shaped
from lve.checkers.shape.passages import (
    announced,
    corrected_from,
    sentence_at,
    sentences,
    tagged,
)

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


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('{"answer": "D"}', "D"),
        ('{"a": 1, "answer": "D"', "D"),  # cut off
        ('It is {"answer": "D"}', "D"),
        ('It is ```{"answer": "D"}\r\n```\n', "D"),
        ('It is ```json\n{"answer": "D"}\n``` I think.', "D"),
        ('```\n{"answer": "D"}\n``` I think.', "D"),
        ('{"label": "B", "final_answer": "D", "value": 3}', "D"),
        ('{"label": "B", "result": "C"}', "C"),
        ('In {"answer": "D"} the key is right.', None),  # about JSON, not in JSON
        ('"answer": "D"', None),
        ('{"a": "D"}', None),
    ],
)
def test_an_answer_in_json_is_named_in_it(text: str, content: str | None) -> None:
    assert tagged(text) == content


@pytest.mark.parametrize(
    "closing",
    [
        *("Let me know if it is unclear.", "Hope this helps!", "Feel free to reply."),
        "Confidence: 9",
        *("Happy to help.", "Any further questions?", "Would you like more?"),
        "Do you want more?",
        *("Is there anything else?", "If you want, ask.", "Ask me more.", "Note that it rains."),
        *("Sources: the web", "References: none", "Tokens used: 9"),
        *("Have a nice day!", "Disclaimer: none.", "I double-checked it.", "[^1] A book", "Page 3"),
        *(
            "Chapter 3",
            "Section 3",
            "Figure 3",
            "Table 3",
            "Verify: yes",
            "Checking it.",
            "Hinweis: ja",
        ),
        *("Anmerkung: ja", "Nota: sí", "Remarque : oui"),
    ],
)
def test_a_closing_phrase_is_no_sentence_of_an_answer(closing: str) -> None:
    text = f"It is Paris.\n{closing}"
    assert [text[p.start : p.end] for p in sentences(text)] == ["It is Paris."]


@pytest.mark.parametrize(
    "turn",
    [
        *("Wait,", "Scratch that:", "Strike that:", "Hold on,", "Correction:", "Actually", "Edit:"),
        *("Let me recheck:", "Let me correct this:", "Let me fix that:", "Let me try again:"),
        *(
            "I made a slip:",
            "I have made a slip:",
            "I misread it:",
            "That's wrong:",
            "This is wrong:",
        ),
        *("That was incorrect:", "That is not right:", "That was a mistake:", "On second thought,"),
        *(
            "On reflection,",
            "After further consideration,",
            "Upon review,",
            "On closer inspection,",
        ),
        *("After careful reading,", "Upon reflection", "After second examination:", "Sorry, "),
        *("Moment mal,", "Halt,", "Bei genauerem Hinsehen", "Auf den zweiten Blick", "En fait,"),
        *(
            "Non, attendez:",
            "En realidad,",
            "Pensándolo bien",
            "Espera,",
            "Na verdade,",
            "In realtà,",
        ),
        *("Aspetta:", "My apologies, "),
    ],
)
def test_a_correction_is_read_in_each_of_its_wordings(turn: str) -> None:
    text = f"It is 4. {turn} it must be 5."
    assert corrected_from(text) > 0


@pytest.mark.parametrize(
    "name",
    [
        *(
            "answer",
            "the answer",
            "my result",
            "final solution",
            "conclusion",
            "outcome",
            "overall total",
        ),
        *(
            "verdict",
            "response",
            "antwort",
            "Ergebnis",
            "Lösung",
            "réponse",
            "résultat",
            "respuesta",
        ),
        *(
            "resultado",
            "solución",
            "risposta",
            "risultato",
            "resposta",
            "antwoord",
            "svaret",
            "vastaus",
        ),
        *("odpowiedź", "odpověď", "cevap", "yanıt", "jawaban", "đáp án", "câu trả lời", "ответ"),
        *(
            "відповідь",
            "απάντηση",
            "答え",
            "答案",
            "結論",
            "정답",
            "الإجابة",
            "תשובה",
            "उत्तर",
            "คำตอบ",
        ),
    ],
)
def test_an_answer_is_announced_in_each_language(name: str) -> None:
    text = f"Some words.\n{name}: 7"
    assert [text[p.start : p.end] for p in announced(text)] == ["7"]


def test_a_sentence_ends_with_its_mark() -> None:
    text = "One? Two!  Three; four. 五。六； 7"
    parts = [text[p.start : p.end].strip() for p in sentences(text)]
    assert parts == ["One?", "Two!", "Three;", "four.", "五。", "六；", "7"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One is. Two is! Three?", ["One is.", " ", "Two is!", " ", "Three?"]),
        ("1. One is. Two.\n2. Three", ["1. One is.", " ", "Two.", "\n", "2. Three"]),
        ("A\nBe. See", ["A", "\n", "Be.", " ", "See"]),
        ("Only one", ["Only one"]),
    ],
)
def test_each_place_is_in_one_sentence(text: str, parts: list[str]) -> None:
    assert "".join(parts) == text
    begin = 0
    for part in parts:
        end = begin + len(part)
        if part.strip():
            assert {sentence_at(text, place) for place in range(begin, end)} == {(begin, end)}
        begin = end
