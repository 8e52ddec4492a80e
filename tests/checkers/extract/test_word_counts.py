"""Words and sentences, counted as a reader does."""

from __future__ import annotations

import time

import pytest

from lve.checkers.extract.word_counts import sentence_count, word_count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("*** --- …", 0),
        ("It's a well-known fact", 4),
        ("1. one\n2) two\n- [x] three\n* four", 4),
        ("a) one\n(b) two", 2),
        ("| a | b |\n|---|---|\n| c | d |", 4),
        ("## One two—three … four", 4),
        ("> **One**, _two_ & 🎉 three", 3),
        ("See [the docs](https://example.org/a-b) or https://example.org/?a=b,c", 5),
        ("Write to jo.doe@example.org now", 4),
        ("$1,299.99 for one,two", 4),
        ("one...two--three", 3),
        ("Stated there[1] and<br>here [^2]", 4),
        ("x = y + z", 3),
        ("今日は晴れ。", 5),
        ("Python 很好", 3),
        ("ดี", 1),
        ("यह हिन्दी है", 3),
        ("L’homme n’est pas là", 4),
    ],
)
def test_words(text: str, count: int) -> None:
    assert word_count(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("No end", 1),
        ("今日は晴れ。とても良い。", 2),
        ("「行く。」と言った。", 1),  # what follows the bracket goes on
        ("「行く。」彼は言った。", 2),
        ("今日は晴れ！とても良い？はい。", 3),
        ("Dr. Smith met J. R. Lee of the U.S. Senate at 5 p.m. sharp.", 1),
        ("He lives in the U.S. It is big.", 2),
        ("The answer is no. Paris isn't it.", 2),
        ("No. 5 and Fig. 3 are on p. 7.", 1),
        ("Am 3. Oktober, im 19. Jahrhundert, z. B. bei Prof. Weber.", 1),
        ("He has 3. She has 4.", 2),
        ("Он живёт на ул. Ленина, д. 5, и т. д. Она нет.", 2),
        ("Use e.g. apples... or pears etc. and Yahoo! in between.", 1),
        ("yes. it is. ok.", 3),
        ('"Stop!" he said. “Go.” “No.”', 3),
        ("今天很热。我们去吧！", 2),
        ("「行くよ。」と言った。「はい。」", 2),
        ("यह घर है। वह बाग है।", 2),
        ("Τι είναι; Σπίτι.", 2),
        ("He came; she went.", 1),
        ("One.[1] **Two.** Three…", 3),
        ("Here:\n- a\n- b\n\nEnd.", 4),
        ("1. Mix\n2. Bake", 2),
        ("## Title\n\nOne.", 1),
        ("## Only a title", 1),
        ("```python\na. b = 1\n```\nIt sets b.", 1),
        ("Version 2.0.1 of www.example.org is out.", 1),
        ("Roses are red\nviolets are blue", 1),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert sentence_count(text) == count


@pytest.mark.parametrize(
    "part",
    ["a", ". ", "[", "`", "1. ", "<a", "\n", " ", "@", "a@", "a-", "![", "\n> ", "www.", "a."],
)
def test_the_time_grows_with_the_length_alone(part: str) -> None:
    text = part * (50_000 // len(part))
    began = time.process_time()
    word_count(text)
    sentence_count(text)
    assert time.process_time() - began < 2
