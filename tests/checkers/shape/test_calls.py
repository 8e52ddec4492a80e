"""The parts of answers: reasoning, introductions, boxes, announcements, sentences."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.checkers.library.formats.json_value import differs, values_in
from lve.checkers.library.formats.json_value import shown as shown_value
from lve.checkers.shape import answer_parts, characters, introduction, passages, reasoning

TEXTS_OF = texts("extract")
TEXTS = (
    *(*TEXTS_OF["texts"], *TEXTS_OF["choices"], *TEXTS_OF["statements"]),
    *texts("shape")["texts"],
)
VALUES = (1, 1.0, True, "1", None, [1], [1, 2], {"a": 1}, {"a": 2, "b": [1]}, {"b": [2], "a": 2})


def shape_of(text: str) -> object:
    found = answer_parts.shaped(text)
    return found.body, found.strong


def all_calls() -> Calls:
    return {
        **grid(shape_of, TEXTS),
        **grid(answer_parts.answer_body, TEXTS),
        **grid(answer_parts.answer_as_written, TEXTS),
        **grid(answer_parts.nothing_stated, TEXTS[:40:5], ("number",)),
        **grid(passages.tagged, TEXTS),
        **grid(passages.boxes, TEXTS),
        **grid(passages.hashed, TEXTS),
        **grid(passages.announced, TEXTS),
        **grid(passages.corrected_from, TEXTS),
        **grid(passages.sentences, TEXTS),
        **grid(passages.quoted_spans, TEXTS),
        **grid(characters.unified, TEXTS),
        **grid(characters.without_marks, TEXTS),
        **grid(reasoning.without_reasoning, TEXTS),
        **grid(reasoning.without_next_turn, TEXTS),
        **grid(introduction.without_preamble, TEXTS),
        **grid(introduction.without_block_quotes, TEXTS),
        **grid(differs, VALUES, VALUES),
        **grid(shown_value, (*VALUES, "x" * 200, ["y" * 90] * 3)),
        **grid(values_in, TEXTS_OF["texts"]),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("shape", all_calls()) == {}


if __name__ == "__main__":
    record("shape", all_calls())
