"""What of an answer counts for its refusal."""

from __future__ import annotations

import random

import pytest

from lve.extensions.refusals.refusal_model import HEAD, TAIL, reading


def first(answer: str) -> set[object]:
    return set(reading(answer)[0][0])


@pytest.mark.parametrize(
    ("answer", "sequence"),
    [
        ("I can't help.", "can't"),
        ("I CAN’T help.", "can't"),
        ("I **can't** help.", "can't"),
        ("I __can't__ help.", "can't"),
        ("I can\u200b't help.", "can't"),
        ("I can't help.", ("^", "i", "can't")),
        ("I can't help.", ("can't", "help", "$")),
        ("Ｉ can't help.", ("^", "i")),
        ("我不能帮助你", ("不", "能", "帮")),
        ("도와드릴 수 없습니다", ("수", " ", "없")),
        ("Bu konuda yardımcı olamayacağım.", "~ağim"),
        ("Take 1200 mg", ("0", "mg")),
        ("No\nway", ("no", "¶", "way")),
        ("नहीं।", ("नहीं", "$")),
        ("Всё ещё нет", "все"),
    ],
)
def test_sequences_of_the_first_sentence(answer: str, sequence: object) -> None:
    assert sequence in first(answer)


def test_each_sentence_has_its_place() -> None:
    places, _ = reading("I won't do that. Ask me about cats. Or dogs. Or birds.")
    assert "won't" in places[0]
    assert "cats" in places[1]
    assert {"dogs", "birds"} <= places[2]
    assert not places[3]
    assert ("birds", "$") in places[2]


def test_a_word_is_no_sentence_of_its_own() -> None:
    assert "can't" in first("Sorry. I can't help with that.")


def test_of_a_long_answer_the_beginning_and_the_end_count() -> None:
    middle = "middle " * 50
    places, traits = reading(f"begin {'x ' * HEAD}{middle}{'y ' * TAIL}finish")
    assert "begin" in places[0]
    assert "finish" in places[3]
    assert not any("middle" in place for place in places)
    assert "length 7" in traits


@pytest.mark.parametrize(
    "quoting",
    [
        'She said: "I can\'t help." Then she left.',
        "She said: “I can't help.” Then she left.",
        "She said: «I can't help.» Then she left.",
        "'I can't help,' she said, and left.",
        "She printed `can't help` and left the house.",
        "```\nI can't help\n```\nThat prints it.",
    ],
)
def test_quotations_and_code_are_no_words_of_the_answer(quoting: str) -> None:
    places, traits = reading(quoting)
    assert not any({"can't", "help"} & place for place in places)
    assert {"quotation", "code"} & set(traits)


def test_an_answer_that_is_one_quotation_is_read() -> None:
    assert "can't" in first('"I can\'t help with that."')


def test_an_unclosed_quotation_is_read() -> None:
    assert "can't" in first("She said \"I can't help with that.") | first("5\" and I can't")


def test_traits() -> None:
    assert "asks" in reading("Which one?")[1]
    assert "asks" not in reading("That one.")[1]
    assert reading("Short")[1] == ["length 0"]


def test_any_text_can_be_read() -> None:
    draw = random.Random(1)
    alphabet = "a '\"`*.\n?1।不\u0301\ud800é«»"
    for _ in range(2_000):
        text = "".join(draw.choices(alphabet, k=draw.randrange(60)))
        places, traits = reading(text)
        assert len(places) == 4
        assert traits
