"""Keys in the wrong place. What a test must say of them: tests/cases/invalid/misplaced-keys."""

from __future__ import annotations

import pytest

from lve.documents.misplaced_keys import hint_elsewhere

OF_TEST = {"default_model_args": 1, "expect": 1, "model": 1}
OF_ENTRY = {"model": 1, "args": 1, "expect": 1}


@pytest.mark.parametrize(
    ("key", "known", "hint"),
    [
        ("temperature", OF_TEST, "write `default_model_args: {temperature: ...}`"),
        ("temperature", OF_ENTRY, "write `args: {temperature: ...}`"),
        ("temperature", {"role": 1, "content": 1}, None),
        ("pass_rate", OF_ENTRY, "write `expect: {pass_rate: 0.9}`"),
        ("pass_rate", {"content": 1}, None),
        ("default_model_args", OF_ENTRY, "an entry of `models` has them in `args`"),
        ("surprise", OF_TEST, None),
    ],
)
def test_a_hint_is_given_where_the_object_has_the_place(
    key: str, known: dict[str, int], hint: str | None
) -> None:
    assert hint_elsewhere(key, known) == hint
