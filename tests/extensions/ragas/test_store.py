"""Prompt objects in files: saved, loaded, never lost."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from extensions.ragas.prompt_objects import prompts, river
from hypothesis import given

from lve.errors import (
    PromptExistsError,
    PromptFileError,
    PromptObjectError,
)
from lve.extensions.ragas import saved_prompt
from lve.extensions.ragas.saved_prompt import Prompt


@given(prompt=prompts())
def test_a_saved_prompt_is_the_same_when_loaded(
    prompt: Prompt, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    path = prompt.save(folder)
    loaded = Prompt.load("english", "p", folder)
    assert loaded == prompt
    assert loaded.content_hash == prompt.content_hash
    assert loaded.to_string() == prompt.to_string()
    before = path.read_bytes()
    assert loaded.save(folder).read_bytes() == before


def test_a_changed_prompt_is_not_overwritten_by_accident(tmp_path: Path) -> None:
    path = river().save(tmp_path)
    river().save(tmp_path)
    with pytest.raises(PromptExistsError, match="overwrite=True"):
        river(instruction="Other.").save(tmp_path)
    assert Prompt.load("english", "river", tmp_path) == river()
    river(instruction="Other.").save(tmp_path, overwrite=True)
    assert Prompt.load("english", "river", tmp_path).instruction == "Other."
    assert [file.name for file in path.parent.iterdir()] == ["river.json"]


def test_what_newer_versions_saved_is_not_lost(tmp_path: Path) -> None:
    path = river().save(tmp_path)
    saved = {**json.loads(path.read_text()), "output_format_instruction": "As JSON."}
    path.write_text(json.dumps(saved))
    with pytest.raises(PromptExistsError):
        river().save(tmp_path)


@pytest.mark.parametrize(
    "name", ["a/b", "..", "a..b", "", " ", ".", "a\\b", "a\nb", "a\0b", "\ud800"]
)
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PromptObjectError, match="can't name a file"):
        river(name=name).save(tmp_path / "cache")
    with pytest.raises(PromptObjectError, match="can't name a file"):
        Prompt.load(name, "x", tmp_path)
    assert not (tmp_path / "cache").exists()


def test_a_drive_is_no_name_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(saved_prompt, "os", SimpleNamespace(name="nt", environ=os.environ))
    with pytest.raises(PromptObjectError, match="'c:x' can't name a file"):
        river(name="c:x").save(tmp_path)


def test_a_name_can_be_too_long_for_a_file(tmp_path: Path) -> None:
    river(name="ü" * 125).save(tmp_path)
    with pytest.raises(PromptObjectError, match=r"'ü+\.\.\. can't name a file \(it is longer than"):
        river(name="ü" * 126).save(tmp_path)


@pytest.mark.parametrize("name", ["a b", "qa: v2", " a", "名前", ".hidden", "a*?", "CON"])
def test_other_names_are_kept(name: str, tmp_path: Path) -> None:
    river(name=name, language="中文").save(tmp_path)
    assert Prompt.load("中文", name, tmp_path).name == name


def test_the_order_of_an_examples_keys_is_part_of_the_prompt(tmp_path: Path) -> None:
    other = river(examples=[{"answer": {"mouth": "Black Sea"}, "river": "Danube"}])
    assert other.to_string() != river().to_string()
    assert other.content_hash != river().content_hash
    river().save(tmp_path)
    with pytest.raises(PromptExistsError):
        other.save(tmp_path)


def test_a_saved_file_without_the_optional_fields_is_the_same_prompt(tmp_path: Path) -> None:
    prompt = river(examples=[])
    path = prompt.save(tmp_path)
    fields = {name: prompt.to_dict()[name] for name in ("output_key", "input_keys", "name")}
    path.write_text(json.dumps({**fields, "instruction": prompt.instruction}))
    prompt.save(tmp_path)
    assert json.loads(path.read_text()) == prompt.to_dict()


def test_of_many_that_save_at_once_one_does(tmp_path: Path) -> None:
    def save(number: int) -> bool:
        try:
            river(instruction=f"Number {number}.").save(tmp_path)
        except PromptExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(save, range(24)))
    assert sum(saved) == 1
    [file] = (tmp_path / "english").iterdir()
    assert Prompt.load("english", "river", tmp_path).instruction == f"Number {saved.index(True)}."
    assert file.name == "river.json"


def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    river().save(tmp_path)
    with pytest.raises(PromptExistsError):
        river(instruction="Other.").save(tmp_path)
    assert Prompt.load("english", "river", tmp_path) == river()


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_can_not_be_written_is_said(overwrite: bool, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "english" / "river.json").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "file"):
        with pytest.raises(PromptFileError, match=r"river\.json: can't be") as caught:
            river().save(folder, overwrite=overwrite)
        assert isinstance(caught.value, OSError)
    assert [file.name for file in (tmp_path / "english").iterdir()] == ["river.json"]
    with pytest.raises(PromptFileError, match="can't be read"):
        Prompt.load("english", "river", tmp_path)


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read and write everything")
def test_an_unreadable_file_is_not_taken_for_garbage(tmp_path: Path) -> None:
    path = river().save(tmp_path)
    path.chmod(0)
    with pytest.raises(PromptFileError, match="Permission denied"):
        river().save(tmp_path)
    with pytest.raises(PromptFileError, match="Permission denied"):
        Prompt.load("english", "river", tmp_path)


def test_a_large_prompt_is_saved_and_loaded(tmp_path: Path) -> None:
    prompt = river(instruction="x" * 3_000_000)
    prompt.save(tmp_path)
    assert Prompt.load("english", "river", tmp_path) == prompt
    with pytest.raises(PromptFileError, match="larger than"):
        river(instruction="x" * 16_000_000).save(tmp_path, overwrite=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "must hold one JSON object with a prompt.s fields, not a list"),
        (b"true", "must hold one JSON object with a prompt.s fields, not true"),
        (b'{"name": }', r"x\.json:1:10: not JSON"),
        (b"\xff", "not UTF-8"),
        (b"{" * 100_000, "not JSON"),
        (b'{"a":' * 100_000, "not JSON"),
        (b" " * 16_000_001, r"^[^(]*x\.json: larger than"),
        (b"{}", r"x\.json: instruction cannot be empty"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "english" / "x.json"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(PromptObjectError, match=message):
        Prompt.load("english", "x", tmp_path)


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"LVE_CACHE_HOME": "~/ours", "RAGAS_CACHE_HOME": "/theirs"}, "ours"),
        ({"RAGAS_CACHE_HOME": "~/theirs"}, "theirs"),
        ({"XDG_CACHE_HOME": "~/xdg"}, "xdg/ragas"),
        ({}, ".cache/ragas"),
    ],
)
def test_the_default_folder(
    variables: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LVE_CACHE_HOME", "RAGAS_CACHE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **variables}.items():
        monkeypatch.setenv(name, value)
    assert river().save() == tmp_path / folder / "english" / "river.json"


def test_a_file_of_a_later_release_shows_whose_text_it_is(tmp_path: Path) -> None:
    fields = river(version="0.1.22", output_format_instruction='Like {"mouth": ""}.')
    path = fields.save(tmp_path)
    saved = json.loads(path.read_text())
    assert list(saved)[:3] == ["name", "instruction", "output_format_instruction"]
    assert "version" not in saved
    loaded = Prompt.load("english", fields.name, tmp_path)
    assert loaded == fields == Prompt(**fields.to_dict())
    assert '\n\nLike {"mouth": ""}.\n\nExamples:\n' in loaded.format(river="Nile").to_string()


@pytest.mark.parametrize("number", range(23))
def test_every_release_is_written_saved_and_loaded(number: int, tmp_path: Path) -> None:
    prompt = river(version=f"0.1.{number}")
    prompt.save(tmp_path)
    assert Prompt.load("english", prompt.name, tmp_path) == prompt
    text = prompt.format(river="Nile").to_string()
    assert ("\nOutput in only valid JSON format.\n" in text) is (1 <= number <= 5)
    assert ("\nYour actual task:\n" in text) is (number >= 6)
    assert ('river: "Nile"' in text) is (number >= 14)


def test_the_largest_prompt_that_is_read_is_written(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    content = "{" + " " * (saved_prompt.MAX_BYTES - 2) + "}"
    saved_prompt.store(path, content, overwrite=True)
    assert saved_prompt.read_object(path) is not None
    with pytest.raises(PromptFileError, match="is larger than"):
        saved_prompt.store(path, content + " ", overwrite=True)
    assert path.stat().st_size == saved_prompt.MAX_BYTES
