"""Splitting texts into words: the same as upstream's Penn Treebank tokenizer."""

from __future__ import annotations

import time

import pytest

from lve.extensions.opencompass.retrievers.bm25 import words

TEXTS = {
    "": "",
    "Don't panic, it's fine.": "Do n't panic , it 's fine .",
    'He said "stop" (twice).': "He said `` stop '' ( twice ) .",
    "A pop-up costs $1,000.50; isn't 50% off?": ("A pop-up costs $ 1,000.50 ; is n't 50 % off ?"),
    "Dr. Lee met J. Smith... They can't, cannot, gonna go -- ever.": (
        "Dr. Lee met J. Smith ... They ca n't , can not , gon na go -- ever ."
    ),
    "the dogs' bowls: a:1, b": "the dogs ' bowls : a:1 , b",
    "U.S. troops. Go!": "U.S. troops . Go !",
    "x=a<b [1] #tag @me & you": "x=a < b [ 1 ] # tag @ me & you",
    "厕所，凝固在时间里。": "厕所，凝固在时间里。",
    "It ended. He left.": "It ended . He left .",
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items())
def test_words_are_those_of_upstream(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


@pytest.mark.parametrize(
    "piece", [".", ".)", "a.", "'", "'s", '"', "`", "-", ". ", "a. ", ":1", "x"]
)
def test_no_text_takes_long(piece: str) -> None:
    began = time.process_time()
    words(piece * (200_000 // len(piece)) + "!")
    assert time.process_time() - began < 2
