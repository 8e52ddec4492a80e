from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from documents.documents import JSON_VALUES, all_paths
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import MAX_NESTING, Finding, LineIndex, TextError, spell_path
from lve.documents.read import read_document, read_text
from lve.documents.yaml_text import parse_yaml
from lve.errors import SpecError
from lve.files.inside import DOCUMENT_BYTES


def findings_of(parse: Callable[[str], Any], text: str) -> Sequence[Finding] | None:
    try:
        parse(text)
    except TextError as err:
        return err.findings
    return None


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write_file(content: str | bytes, name: str = "test.json") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def test_a_value_and_its_key_have_positions(write: Any) -> None:
    document = read_document(write('{\n  "a": [1,\n    {"b c": "é", "d": 2}]\n}\n'))
    assert document.data == {"a": [1, {"b c": "é", "d": 2}]}
    assert document.position(()) == (1, 1)
    assert document.position(("a",)) == (2, 8)
    assert document.position(("a",), key=True) == (2, 3)
    assert document.position(("a", 1, "b c")) == (3, 13)
    assert document.position(("a", 1, "d")) == (3, 23)


def test_what_is_not_there_has_the_position_of_what_is_around_it(write: Any) -> None:
    document = read_document(write('{"a": {"b": 1}}'))
    assert document.position(("a", "missing", 3)) == (1, 7)


def test_both_spellings_give_the_same_value_and_paths(write: Any) -> None:
    as_json = read_document(write('{"a": [1, {"b": null}], "1": 2.5}'))
    as_yaml = read_document(write("a:\n  - 1\n  - b: ~\n1: 2.5\n", "test.yaml"))
    assert as_yaml.data == as_json.data
    assert as_yaml.position(("a", 1, "b")) == (3, 8)
    assert as_yaml.position(("1",), key=True) == (4, 1)


def test_crlf_and_bom_do_not_move_positions(write: Any) -> None:
    document = read_document(write('\ufeff{\r\n  "a": 1\r\n}'))
    assert document.position(("a",)) == (2, 8)


def test_paths_are_spelled_as_people_write_them() -> None:
    assert spell_path(("prompt", 2, "role")) == "$.prompt[2].role"
    assert spell_path(("a b", "$schema")) == '$["a b"].$schema'


def test_more_than_a_megabyte_is_refused(write: Any) -> None:
    path = write('{"a": "' + "x" * DOCUMENT_BYTES + '"}')
    with pytest.raises(SpecError, match="larger than 1 MB"):
        read_document(path)


def test_a_missing_file_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"can't be read: No such file"):
        read_document(tmp_path / "test.json")


def test_the_deepest_allowed_nesting_is_read() -> None:
    assert parse_json("[" * MAX_NESTING + "]" * MAX_NESTING)
    assert parse_yaml("[" * MAX_NESTING + "]" * MAX_NESTING)


@pytest.mark.parametrize("opening", ["[", '{"a":', "- ", "[{a: "])
@pytest.mark.parametrize("depth", [150, 100_000])
def test_deep_nesting_is_refused_without_a_crash(opening: str, depth: int) -> None:
    text = opening * depth
    with pytest.raises(TextError):
        parse_json(text)
    with pytest.raises(TextError):
        parse_yaml(text)


@given(JSON_VALUES)
def test_places_point_at_the_values(value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    lines = text.split("\n")
    places = json_places(text)
    for path in all_paths(value):
        line, column = places.of(path) or (0, 0)
        found, _ = json.JSONDecoder().raw_decode(
            "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        )
        assert found == at(value, path)


@settings(max_examples=examples(300))
@given(st.text(alphabet="{}[]:,\"\\ \n\t-&*<!#|>?a1.entrufals/'\ufeff\x00é", max_size=60))
def test_any_text_gives_a_value_or_findings(text: str) -> None:
    for findings in (findings_of(parse_json, text), findings_of(parse_yaml, text)):
        assert findings is None or findings
        assert all(finding.line >= 1 and finding.column >= 1 for finding in findings or ())


@given(st.text(alphabet="ab\r\n", max_size=40), st.data())
def test_a_line_index_agrees_with_counting(text: str, data: Any) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset]
    line, column = LineIndex(text).place(offset)
    assert line == before.count("\n") + 1
    assert column == len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_is_no_text(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(start + "ä".encode())
    assert read_text(path, folder=path.parent, max_bytes=1_000_000, hint="") == "ä"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xef\xbb\xbfa\xff", "a:1:2: not UTF-8 (save it as UTF-8)"),
        ("ä\nöb".encode() + b"\xff", "a:2:3: not UTF-8 (save it as UTF-8)"),
        (b"x" * 2_000_001, "a: larger than 2 MB (write less)"),
        (None, "a: can't be read: No such file or directory"),
    ],
)
def test_what_can_not_be_read_is_a_problem(
    content: bytes | None, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        read_text(path, folder=path.parent, max_bytes=2_000_000, hint="write less")
    assert str(caught.value) == problem
