"""Reading `.prompt` files. What each form means is shown by the conformance vectors; here is where
problems are reported, and that no text can crash the parser."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import SpecError
from lve.files.inside import DOCUMENT_BYTES
from lve.messages import Role
from lve.prompts.messages.prompt_file import parse_prompt_file, read_prompt_file

FILE = Path("a.prompt")

jsonish = st.lists(
    st.one_of(
        st.text(max_size=10),
        st.sampled_from(
            ['{"content": "x"}', '{"role": "assistant"}', "{", "}", "[", "\n", "\r", '"', "null"]
        ),
    )
).map("".join)


@given(st.one_of(st.text(), jsonish))
def test_any_text_is_a_prompt_or_a_spec_error(text: str) -> None:
    try:
        parsed = parse_prompt_file(text, FILE)
    except SpecError:
        return
    assert parsed.messages
    assert len(parsed.snippets) == len(parsed.messages)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000, '{"content": 1' + "0" * 10_000 + "}"]
)
def test_monstrous_json_does_not_crash(text: str) -> None:
    with contextlib.suppress(SpecError):
        parse_prompt_file(text, FILE)


PROBLEMS = [
    ("", "a.prompt: the prompt has not been filled in (write the prompt into this file)"),
    (
        '{"content": "x"}\n\n  {"rol": "user", "content": "y"}',
        "a.prompt:3:11: $.rol: unknown key `rol` (did you mean `role`?)",
    ),
    (
        '{\n  "role": "human",\n  "content": "y"\n}',
        'a.prompt:2:11: $.role: must be `user`, `assistant`, `system` or `tool`, not "human"',
    ),
    (
        '{"role": "System", "content": "y"}',
        'a.prompt:1:10: $.role: must be `user`, `assistant`, `system` or `tool`, not "System" '
        "(did you mean `system`?)",
    ),
    (
        '{"role": "user"}',
        "a.prompt:1:1: `content` is missing",
    ),
    ('{"content": "x", "variable": 5}', "a.prompt:1:30: $.variable: must be text, not a number"),
    ('{"content": "x", "image_url": ""}', "a.prompt:1:31: $.image_url: must not be empty"),
    ('{"content": []}', "a.prompt:1:13: $.content: must not be empty"),
    (
        '{"content": [{"type": "text"}]}',
        "a.prompt:1:14: $.content[0]: `text` is missing",
    ),
    (
        '[{"content": "x"}]',
        "a.prompt:1:1: the prompt is a JSON array "
        "(write one JSON object per line, without brackets and commas around them)",
    ),
]


@pytest.mark.parametrize(("text", "message"), PROBLEMS)
def test_says_where_and_what(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_prompt_file(text, FILE)
    assert str(caught.value) == message


def test_reports_all_lines_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        parse_prompt_file('{"role": "x"}\n{"contents": "y"}', FILE)
    assert [problem.line for problem in caught.value.problems] == [1, 1, 2]


def test_says_why_a_line_is_no_message() -> None:
    with pytest.raises(SpecError, match="line 1 is a JSON message, but line 2 is not") as caught:
        parse_prompt_file('{"content": "x"}\n{"content": "y}', FILE)
    assert "Unterminated string" in str(caught.value)
    assert caught.value.problems[0].line == 2


def test_positions_of_text_count_lines_and_columns() -> None:
    parsed = parse_prompt_file("one\r\ntwo {x}", FILE)
    assert parsed.is_text
    position = parsed.position(0, "content", part="{x", offset=8)
    assert (position.line, position.column) == (2, 5)


def test_positions_in_json_point_into_the_value() -> None:
    parsed = parse_prompt_file('{"content": "a"}\n{"content": "b {x}", "role": "system"}', FILE)
    position = parsed.position(1, "content", part="{x", offset=2)
    assert (position.line, position.column) == (2, 16)
    assert parsed.messages[1].role is Role.system


def test_a_file_that_is_not_utf8_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a.prompt"
    path.write_bytes(b"one\ntw\xff")
    with pytest.raises(SpecError, match=r"a\.prompt:2:3: not UTF-8"):
        read_prompt_file(path, folder=tmp_path)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.prompt"
    path.write_bytes(b"x" * (DOCUMENT_BYTES + 1))
    with pytest.raises(SpecError, match="larger than 1 MB"):
        read_prompt_file(path, folder=tmp_path)


def test_a_missing_file_is_a_spec_error(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="can't be read"):
        read_prompt_file(tmp_path / "b.prompt", folder=tmp_path)
