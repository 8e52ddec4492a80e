"""The changes of answers."""

from __future__ import annotations

import pytest

from lve.extensions.mutate.changes import CHANGES, MAX_ANSWER, change_in_words, changed


@pytest.mark.parametrize(
    ("name", "text", "forms"),
    [
        ("markdown", "It is 4.", ["**It is 4.**", "*It is 4.*"]),
        ("markdown", "It is **4**.", []),
        ("markdown", "- one\n- two", []),
        ("heading", "4", ["## Answer\n\n4"]),
        ("fence", " 4\n", ["```\n4\n```", "```text\n4\n```"]),
        ("fence", "[4]", ["```\n[4]\n```", "```json\n[4]\n```"]),
        ("fence", "<a/>", ["```\n<a/>\n```", "```xml\n<a/>\n```"]),
        ("fence_label", "a\n```\n4\n```\nb", ["a\n```text\n4\n```\nb"]),
        ("fence_label", "```py\n4\n```", ["```\n4\n```"]),
        ("fence_label", "4", []),
        ("label", "So:\nAnswer: Paris ", ["So:\nAnswer: **Paris**", "So:\n**Answer:** Paris"]),
        ("label", "Answer: **Paris**", []),
        ("label", "It is 10:30", []),
        ("fence", "```\n4\n```", []),
        ("thousands", "It is 1234567.", ["It is 1,234,567.", "It is 1\u202f234\u202f567."]),
        ("thousands", "It is 12,345.", ["It is 12345."]),
        ("thousands", "In 1969, room 0012345, 2.123456", []),
        ("punctuation", "Paris", ["Paris."]),
        ("punctuation", "Paris.", ["Paris"]),
        ("punctuation", "Paris...", []),
        ("case", "Paris", ["paris", "PARIS"]),
        ("case", "\\text{Paris}", []),
        ("lead", "Paris", ["The answer is Paris", "**Answer:** Paris"]),
        ("lead", "Paris is where it is", []),
        ("lead", "東京", []),
        ("quotes", "It's \"so\"", ["It\u2019s \u201cso\u201d"]),
        ("quotes", "an e-mail", ["an e\u2011mail"]),
        ("quotes", "`it's`", []),
        ("unicode", "café", ["cafe\u0301"]),
        ("unicode", "cafe", []),
        ("digits", "x = -4", ["x = -\uff14", "x = \u22124"]),
        ("blanks", "a b", ["a\u00a0b", "a\u202fb"]),
        ("ends", "a", ["\na\n", " a "]),
        ("ends", "a:\n  b", ["\na:\n  b\n"]),
        ("line_ends", "a\nb", ["a\r\nb"]),
        ("latex", "4", ["$\\boxed{4}$", "\\[ 4 \\]"]),
        ("latex", "Paris", ["$\\boxed{\\text{Paris}}$", "\\[ \\text{Paris} \\]"]),
        ("latex", "It is four.", []),
    ],
)  # fmt: skip
def test_a_change(name: str, text: str, forms: list[str]) -> None:
    assert changed(name, text) == forms


@pytest.mark.parametrize("name", ["think", "doubts", "reasoning", "chatter"])
def test_what_stands_before_an_answer_leaves_it_as_it_is(name: str) -> None:
    assert changed(name, "It is 4.")
    assert all(text.endswith("\n\nIt is 4.") for text in changed(name, "It is 4."))


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_changes_something_and_says_what(name: str) -> None:
    texts = ("Paris", 'A "b" c-d', "123456 é", "x = -4\ny", "4", "Answer: 4", "```\n4\n```")
    assert any(changed(name, text) for text in texts)
    assert change_in_words(name).endswith(".")


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("text", ["", " \n", "!!", "a" * (MAX_ANSWER + 1)])
def test_nothing_and_too_much_are_left_alone(name: str, text: str) -> None:
    assert changed(name, text) == []
