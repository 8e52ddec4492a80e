"""The attack that sends a text as an image."""

from __future__ import annotations

import random
import struct
import textwrap
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import write_test

import lve
from lve.errors import PromptError
from lve.extensions.attacks.text_changes.images import _COLUMNS, ASKS, _wrapped, drawn, png_of


def points(png: bytes) -> list[str]:
    """Return the lines of an image's points, `#` for black ones, without its margins."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, place = {}, 8
    while place < len(png):
        (size,) = struct.unpack(">I", png[place : place + 4])
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        assert zlib.crc32(kind + data) == struct.unpack(">I", png[place + 8 + size :][:4])[0]
        chunks[kind], place = data, place + 12 + size
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [1, 0, 0, 0, 0]
    raw, row = zlib.decompress(chunks[b"IDAT"]), -(-width // 8) + 1
    assert len(raw) == row * height
    bits = [
        "".join(f"{byte:08b}" for byte in raw[y * row + 1 : (y + 1) * row])[:width:6]
        for y in range(0, height, 6)
    ]
    lines = ["".join(" #"[bit == "0"] for bit in line) for line in bits]
    return [line[2:].rstrip() for line in lines if "#" in line]


def test_an_image_shows_the_text() -> None:
    assert points(png_of("Hello")) == drawn("Hello").split("\n")


def test_long_texts_are_wrapped_and_signs_and_accents_are_drawn() -> None:
    assert len(points(png_of("no " * 40))) == 4 * 5
    assert len(points(png_of("x" * 100))) == 3 * 5
    assert points(png_of("é")) == points(png_of("E"))
    assert points(png_of("#"))


@pytest.mark.parametrize("seed", range(20))
def test_words_are_wrapped_as_python_does(seed: int) -> None:
    chance = random.Random(seed)
    words = ["x" * chance.choice((1, 2, 19, 20, 38, 39, 40)) for _ in range(30)]
    text = " ".join(words)
    assert _wrapped(text) == textwrap.wrap(text, _COLUMNS, break_long_words=False)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a\n\nb", ["a", "", "b"]),
        ("x" * 41, ["x" * 40, "x"]),
        ("a " + "x" * 41 + " b", ["a", "x" * 40, "x b"]),
        ("x" * 80, ["x" * 40, "x" * 40]),
    ],
)
def test_long_words_are_broken_and_empty_lines_stay(text: str, lines: list[str]) -> None:
    assert _wrapped(text) == lines


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(PromptError, match="can't draw 你"):
        png_of("你 a")


def run(root: Path, attack: str, **keys: Any) -> list[Any]:
    sent: list[Any] = []

    def target(messages: list[dict[str, Any]]) -> str:
        sent.append(messages[-1]["content"])
        return "No."

    check = {"not_contains": "PINEAPPLE"}
    test = write_test(root / "t", checker_args=None, check=check, **keys)
    result = lve.run(test, model=target, attacks=attack, prompts=[attack], use_cache=False)
    assert [each.verdict for each in result.results] == ["passed"]
    return sent


def test_the_model_gets_the_image_and_what_to_do_with_it(root: Path) -> None:
    ((text, image),) = run(root, "image", prompt="Hello")
    assert text == {"type": "text", "text": ASKS}
    assert image["type"] == "image_url"
    data = image["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert b64decode(data) == png_of("Hello")


def test_an_encoded_text_may_be_drawn(root: Path) -> None:
    ((_, image),) = run(root, "rot13+image", prompt="Uryyb")
    assert b64decode(image["image_url"]["url"].partition(",")[2]) == png_of("Hello")


def test_an_image_has_to_be_the_last_step(root: Path) -> None:
    write_test(root / "t", attacks=["image+base64"])
    code, shown, errors = call("check", "t")
    assert code == 2
    assert "image has to be last: image+base64" in shown + errors
