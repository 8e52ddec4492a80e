"""Prompt objects beyond the recorded vectors: checks, round trips, any text at all."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import (
    LveError,
    MissingExtraError,
    PromptError,
    PromptExistsError,
    PromptFileError,
    PromptIndexError,
    PromptNotFoundError,
    PromptObjectError,
    PromptTypeError,
)
from lve.messages import Message
from lve.prompts.objects.prompt import Prompt

TEXT = st.text(st.characters(), max_size=40)
"""Any Unicode text, lone surrogates included."""
KEY = st.text(st.characters(exclude_characters="{}"), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    keys = draw(st.lists(KEY, min_size=1, max_size=3))
    output_key = draw(KEY.filter(bool))
    output_type = draw(st.sampled_from(["json", "JSON", "str", "Str"]))
    output = TEXT if output_type.lower() == "str" else JSON.filter(lambda v: not isinstance(v, str))
    examples = draw(
        st.lists(
            st.builds(
                lambda values, out: {**values, output_key: out},
                st.fixed_dictionaries(dict.fromkeys(keys, JSON)),
                output,
            ),
            max_size=2,
        )
    )
    return Prompt(
        name="p",
        instruction=draw(TEXT.filter(bool)),
        examples=examples,
        input_keys=keys,
        output_key=output_key,
        output_type=output_type,
    )


def river(**changes: Any) -> Prompt:
    fields = {
        "name": "river",
        "instruction": "Name the mouth of the river.",
        "examples": [{"river": "Danube", "answer": {"mouth": "Black Sea"}}],
        "input_keys": ["river"],
        "output_key": "answer",
    }
    return Prompt(**{**fields, **changes})


@given(prompt=prompts(), data=st.data())
def test_any_text_can_be_filled_in(prompt: Prompt, data: st.DataObject) -> None:
    values = {key: data.draw(TEXT) for key in prompt.input_keys}
    text = prompt.format(**values).to_string()
    lines = "".join(f"\n{key}: {values[key]}" for key in prompt.input_keys)
    assert text.endswith(f"{lines}\n{prompt.output_key}: \n")


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


@pytest.mark.parametrize(
    "instruction",
    ["Return {}", 'Return {"a": {"b": 1}}', "{", "}", "{river.x}", "{0}", "{river!r}"],
)
def test_braces_in_the_instruction_stand_as_they_are(instruction: str) -> None:
    text = river(instruction=instruction).format(river="{Nile}").to_string()
    assert text.startswith(instruction + "\n\nriver:")
    assert '{"mouth": "Black Sea"}' in text
    assert text.endswith("\nriver: {Nile}\nanswer: \n")


def test_an_instruction_that_is_a_template_of_the_inputs_is_filled_as_in_ragas() -> None:
    prompt = river(instruction='About {river}. Return {{"mouth": "..."}}.')
    text = prompt.format(river="Nile").to_string()
    assert text.startswith('About Nile. Return {"mouth": "..."}.\n')
    assert text == prompt.to_string().format(river="Nile")


def test_all_problems_come_at_once() -> None:
    with pytest.raises(PromptObjectError) as caught:
        Prompt(name="x", instruction="", input_keys=[], output_type=None)
    assert caught.value.problems == (
        "instruction cannot be empty",
        "output_key cannot be empty",
        "output_type: field required",
        "input_keys cannot be empty",
    )
    assert isinstance(caught.value, LveError)
    assert isinstance(caught.value, ValueError)


def test_every_example_is_checked() -> None:
    examples = [{"answer": "{x"}, {"river": {1}, "answer": 1}, {"river": "Po"}]
    with pytest.raises(PromptObjectError) as caught:
        river(examples=examples)
    assert [problem.split(" (")[0].split(": Exp")[0] for problem in caught.value.problems] == [
        "example 1 does not have the variable river in the definition",
        "answer in example 1 is not in valid json format",
        "example 2: river can't be written as JSON",
        "example 3 does not have the variable answer in the definition",
    ]


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(PromptObjectError, match="did you mean `language`"):
        river(langauge="german")


def test_examples_are_not_shared_with_the_caller() -> None:
    examples = [{"river": ["Po"], "answer": {"mouth": "Adria"}}]
    prompt = river(examples=examples)
    examples[0]["river"].append("changed")  # type: ignore[attr-defined]
    assert prompt.examples[0]["river"] == ["Po"]


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


@pytest.mark.parametrize("number", [1, 7, -2])
def test_there_is_no_such_example(number: int) -> None:
    with pytest.raises(
        PromptIndexError, match=f"example number {number} is out of range"
    ) as caught:
        river().get_example_str(number)
    assert isinstance(caught.value, ValueError)


def test_the_message_names_missing_and_unknown_keys() -> None:
    with pytest.raises(PromptObjectError, match="missing: river; unknown: revir"):
        river().format(revir="Nile")


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


def test_what_json_changes_is_changed_at_once(tmp_path: Path) -> None:
    prompt = river(input_keys=("river",), examples=[{"river": (1, {2: float("nan")}), "answer": 1}])
    assert isinstance(prompt.examples[0]["river"], list)
    prompt.save(tmp_path)
    assert repr(Prompt.load("english", "river", tmp_path)) == repr(prompt)


def test_a_value_can_be_nested_too_deeply() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(PromptObjectError, match="example 1: river is nested more than 100 levels"):
        river(examples=[{"river": value, "answer": 1}])


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


def test_the_errors_are_builtin_errors_too(tmp_path: Path) -> None:
    assert issubclass(PromptTypeError, TypeError)
    with pytest.raises(FileNotFoundError) as caught:
        Prompt.load("german", "river", tmp_path)
    assert isinstance(caught.value, PromptNotFoundError)
    assert isinstance(caught.value, PromptError)


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


def test_what_has_no_effect_is_not_dropped_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prompt = river(output_format_instruction="As JSON.", colour="blue")
    assert prompt.unused == ["colour", "output_format_instruction"]
    path = prompt.save(tmp_path)
    assert json.loads(path.read_text())["version"] == "0.1.0"
    assert Prompt.load("english", prompt.name, tmp_path) == prompt
    assert caplog.messages == [f"{prompt.name}: no effect: output_format_instruction"]


@pytest.mark.parametrize("version", ["0.2.0", "0.1.23", "0.1", "", 1])
def test_other_versions_are_refused(version: Any) -> None:
    with pytest.raises(PromptObjectError, match=r"version: must be a release of ragas 0\.1"):
        river(version=version)
