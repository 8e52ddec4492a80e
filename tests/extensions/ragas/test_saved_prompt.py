"""Prompt objects beyond the recorded vectors: checks, round trips, arbitrary texts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from extensions.ragas.prompt_objects import river

from lve.errors import (
    MissingExtraError,
    PromptError,
    PromptNotFoundError,
    PromptTypeError,
)
from lve.extensions.ragas.saved_prompt import Prompt
from lve.messages import Message


def test_a_filled_prompt_is_a_user_message() -> None:
    value = river().format(river="Nile")
    assert value.to_messages() == [Message(content=value.prompt_str)]


def test_langchain_gets_its_own_class() -> None:
    values = pytest.importorskip("langchain_core.prompt_values")
    value = river().format(river="{Nile}")
    given = value.to_langchain()
    assert isinstance(given, values.PromptValue)
    assert given.to_string() == value.prompt_str
    assert [message.content for message in given.to_messages()] == [value.prompt_str]


def test_without_langchain_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core.prompt_values", None)
    with pytest.raises(MissingExtraError, match="pip install langchain-core"):
        river().format(river="Nile").to_langchain()


def test_the_hash_tells_whether_the_prompt_changed() -> None:
    hashes = {
        river().content_hash,
        river(output_type="JSON").content_hash,
    }
    assert len(hashes) == 1
    for change in (
        {"name": "other"},
        {"instruction": "Other."},
        {"examples": []},
        {"output_type": "str", "examples": []},
        {"language": "german"},
    ):
        assert river(**change).content_hash not in hashes


def test_the_errors_are_builtin_errors_too(tmp_path: Path) -> None:
    assert issubclass(PromptTypeError, TypeError)
    with pytest.raises(FileNotFoundError) as caught:
        Prompt.load("german", "river", tmp_path)
    assert isinstance(caught.value, PromptNotFoundError)
    assert isinstance(caught.value, PromptError)
