"""The known word that is closest to a misspelt one."""

from __future__ import annotations

import pytest

from lve.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("modle", ["name", "model", "mode_of_use"], "model"),
        ("Model-Args", ["model", "model_args"], "model_args"),
        ("opneai/gpt", ["openai/gpt", "replay"], "openai/gpt"),
        ("zebra", ["name", "model"], None),
        ("", ["name"], None),
        ("name", [], None),
    ],
)
def test_closest(word: str, known: list[str], expected: str | None) -> None:
    assert closest(word, known) == expected


def test_the_cutoff_says_how_alike() -> None:
    assert closest("langage", ["language"], cutoff=0.8) == "language"
    assert closest("lang", ["language"], cutoff=0.8) is None


def test_did_you_mean() -> None:
    assert did_you_mean("rol", iter(["role"])) == "did you mean `role`?"
    assert did_you_mean("content", ["role"]) is None
