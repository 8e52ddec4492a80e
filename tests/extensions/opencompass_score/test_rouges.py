"""ROUGE has its cases in test_evaluators.py; here is what they don't show."""

from __future__ import annotations

from lve.extensions.opencompass_score.rouges import keyword_f1, rouge_1, rouge_l


def test_a_word_counts_once_in_rouge_l_and_often_in_rouge_1() -> None:
    assert round(rouge_l("red red red", "red"), 6) == 1
    assert rouge_1("red red red", "red") == 0.5


def test_sentences_of_an_answer_share_their_words() -> None:
    assert round(rouge_l("b. a", "a b"), 6) == 1
    assert rouge_l("...", "a b") == 0


def test_an_answer_without_keywords_has_no_f1() -> None:
    assert keyword_f1("it was the end", ["it was the end", "Paris"], language="en") == 0
    assert keyword_f1("it was Paris", ["it was the end", "Paris"], language="en") > 0


def test_of_two_longest_subsequences_it_is_the_one_of_the_package_rouge() -> None:
    assert round(rouge_l("b a.b", "a b"), 6) == 0.5
