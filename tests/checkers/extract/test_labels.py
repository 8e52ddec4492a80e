"""Where an answer mentions options and labels."""

from __future__ import annotations

import pytest

from lve.checkers.extract.labels import label_mentions, letter_mentions


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("B and (c), but AD too", ["B", "C", "AD"]),
        ("A rock is heavier than A", ["A"]),
        ("A is right", ["A"]),
        ("Vitamin A, plan B and hepatitis C", []),
        ("C++ and B-side and D'Arcy", []),
        ("Б) Лондон", ["B"]),
        ("А Пётр сказал, что В Москве", []),
        ("(ب)", ["B"]),
        ("甲烷是气体，选丙。", ["C"]),
        ("option 3 of 4", ["C"]),
        ("4번", ["D"]),
        ("the second option", ["B"]),
        ("Die letzte Antwort", ["D"]),
        ("option 9", []),
        ("the second time", []),
    ],
)
def test_letters(text: str, letters: list[str]) -> None:
    assert ["".join(mention.labels) for mention in letter_mentions(text, "ABCD")] == letters


def test_a_single_letter_is_enough() -> None:
    assert [mention.labels for mention in letter_mentions("B, not A: AA", "A")] == [("A",)]


@pytest.mark.parametrize(
    ("text", "count"), [("I'd pick I", 1), ("I. e. none", 1), ("I.e. none", 0), ("I know", 0)]
)
def test_the_pronoun_is_no_option(text: str, count: int) -> None:
    assert len(letter_mentions(text, "GHI")) == count


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Yes, no changes are needed.", ["yes"]),
        ("No, yes-men are bad.", ["no"]),
        ("No problem! Yes, you can.", ["yes"]),
        ("No refunds", ["no"]),
        ("yes or no without more", ["yes", "no"]),
        ("Unfortunately not. Yep", ["no", "yes"]),
        ("Yes because", ["yes"]),
    ],
)
def test_a_particle_counts_where_it_is_an_answer(text: str, labels: list[str]) -> None:
    assert [mention.labels[0] for mention in label_mentions(text, ["yes", "no"])] == labels


def test_labels_are_whole_words_and_have_several_spellings() -> None:
    labels = ["not_spam", "spam", "中性"]
    assert [m.labels[0] for m in label_mentions("Not spam: spammy, 情感是中性的", labels)] == [
        "not_spam",
        "中性",
    ]


def test_a_label_of_one_letter_is_no_article() -> None:
    text = "This is a tie: A kind of draw, not A."
    assert [m.labels[0] for m in label_mentions(text, ["A", "B", "tie"])] == ["tie", "A"]
