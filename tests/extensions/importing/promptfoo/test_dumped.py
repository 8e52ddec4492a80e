"""What promptfoo writes of a configuration, which may be anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.importing.boxes.box import BoxError, BoxOptions
from lve.extensions.importing.promptfoo import dumped
from lve.extensions.importing.promptfoo.dumped import EARLIER, HALF, Dump, request_of
from lve.extensions.importing.promptfoo.source import UnsupportedError

PROMPT = {"kind": "prompt", "number": 0, "entry": 0, "label": "p", "config": {"seed": 1}}
TEST = {"kind": "test", "number": 0, "entry": 3, "test": {"vars": {"a": "x"}}}
ROW = {"kind": "row", "number": 0, "of": 0, "prompt": "x?", "vars": {"a": "x"}, "config": {}}
END = {"kind": "end"}


def dump_of(monkeypatch: pytest.MonkeyPatch, *lines: Mapping[str, Any]) -> Dump:
    """Return what is taken of lines."""

    def run_in_box(*_arguments: Any, **_options: Any) -> Iterator[Mapping[str, Any]]:
        for line in lines:
            if line.get("kind") == "broken":
                raise BoxError("took too long")
            yield line

    monkeypatch.setattr(dumped, "run_in_box", run_in_box)
    dump = Dump()
    dump.answer = "ANSWER"
    dump.read({}, Path(), BoxOptions())
    return dump


def test_tests_have_their_rows_and_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**ROW, "vars": {"a": "y", "_conversation": []}, "prompt": "y?"}
    tool = {"kind": "tool", "version": "1" * 99}
    dump = dump_of(monkeypatch, tool, PROMPT, TEST, ROW, ROW, other, END)
    [test] = dump.tests
    assert (test.entry, test.why, dump.version) == (3, "", "1" * 40)
    assert [(row.variables, row.texts) for row in test.rows.values()] == [
        ({"a": "x"}, {0: "x?"}),
        ({"a": "y"}, {0: "y?"}),
    ]
    assert [(prompt.label, prompt.why) for prompt in dump.prompts] == [("p", "")]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([{**ROW, "prompt": "ANSWER!"}], EARLIER),
        ([{**ROW, "vars": {"a": ["ANSWER"]}}], EARLIER),
        ([ROW, {**ROW, "prompt": "other"}], "left out: each provider gets another text of it"),
        (
            [{**ROW, "config": {"top_p": 1}}, {**ROW, "vars": {"a": "x"}, "config": {"top_p": 2}}],
            "left out: it sets top_p of the model, not the same in all rows",
        ),
        ([{**ROW, "config": {"seed": 1, "top_p": 1}}], ""),
        ([{**ROW, "config": {"seed": 2}}], ""),
    ],
)
def test_a_prompt_that_cannot_be_kept_has_the_reason(
    monkeypatch: pytest.MonkeyPatch, lines: list[Any], why: str
) -> None:
    assert dump_of(monkeypatch, PROMPT, TEST, *lines, END).prompts[0].why == why


def test_two_prompts_may_have_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    dump = dump_of(monkeypatch, PROMPT, {**PROMPT, "number": 1}, END)
    assert [prompt.why for prompt in dump.prompts] == ["", ""]


def test_scripts_that_promptfoo_translates_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    line = {"kind": "script", "file": "a.ts", "text": "x"}
    dump = dump_of(monkeypatch, line, {**line, "file": 1}, {**line, "text": None}, END)
    assert dump.scripts == {"a.ts": "x"}


@pytest.mark.parametrize(
    "lines", [[{"kind": "tool"}], [{"kind": "refused", "why": "no"}, END], [{"kind": "broken"}]]
)
def test_without_an_end_nothing_is_taken(monkeypatch: pytest.MonkeyPatch, lines: list[Any]) -> None:
    with pytest.raises(UnsupportedError, match=r"^left out: promptfoo "):
        dump_of(monkeypatch, *lines)


@pytest.mark.parametrize(
    "line",
    [
        {**ROW, "of": 7},
        {**ROW, "of": "0"},
        {**ROW, "prompt": 1},
        {**ROW, "vars": []},
        {**ROW, "config": None},
    ],
)
def test_a_row_that_is_none_costs_its_test(
    monkeypatch: pytest.MonkeyPatch, line: Mapping[str, Any]
) -> None:
    [test] = dump_of(monkeypatch, PROMPT, TEST, line, END).tests
    assert test.why == "left out: promptfoo has written a row that is none"
    assert not test.rows


@pytest.mark.parametrize(
    "line",
    [
        {**ROW, "number": 5},
        {**ROW, "number": -1},
        {**ROW, "number": None},
        {**TEST, "number": 9},
        {**TEST, "test": []},
        {**PROMPT, "number": 9},
        {**PROMPT, "label": 1},
        {**PROMPT, "entry": None},
        {"kind": "failed", "number": 9, "why": "x"},
        {"kind": ["row"]},
        {},
    ],
)
def test_other_lines_say_nothing(monkeypatch: pytest.MonkeyPatch, line: Mapping[str, Any]) -> None:
    dump = dump_of(monkeypatch, PROMPT, TEST, line, END)
    assert (len(dump.tests), len(dump.prompts), dump.tests[0].rows) == (1, 1, {})


def test_a_test_without_a_prompt_has_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"kind": "failed", "number": 0, "why": "x" * 900}
    [test] = dump_of(monkeypatch, TEST, failed, END).tests
    [why] = test.failures.values()
    assert why.startswith("xxx")
    assert len(why) < 400


def test_promptfoo_gets_what_decides_what_is_asked() -> None:
    options: dict[str, Any] = {"prefix": "x", "transform": "y", "provider": "z"}
    test: dict[str, Any] = {"vars": {"a": "b"}, "assert": [1], "options": options, "provider": "p"}
    config: dict[str, Any] = {"env": {"A": "b"}, "redteam": {}, "defaultTest": test}
    asked = {"vars": {"a": "b"}, "options": {"prefix": "x"}}
    assert request_of(config, ["one", "two"], [test, "file.js"], [])["config"] == {
        "env": {"A": "b"},
        "defaultTest": asked,
        "prompts": ["lve prompt 0", "one", "lve prompt 1", "two"],
        "tests": [asked, "file.js"],
    }


def test_names_that_begin_with_an_underscore_are_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**ROW, "vars": {"_id": 1, "_conversation": [], "__evalStepId": "test-0"}}
    [test] = dump_of(monkeypatch, PROMPT, TEST, row, END).tests
    assert [each.variables for each in test.rows.values()] == [{"_id": 1}]


def test_half_of_a_character_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    half = "\ud800"
    for lines in ([TEST, {**ROW, "prompt": half}], [{**TEST, "test": {"vars": {"a": half}}}, ROW]):
        assert [test.why for test in dump_of(monkeypatch, PROMPT, *lines, END).tests] == [HALF]
    [prompt] = dump_of(monkeypatch, {**PROMPT, "label": half}, END).prompts
    assert prompt.why == HALF


@pytest.mark.parametrize(("line", "name"), [(PROMPT, "PROMPTS"), (TEST, "TESTS")])
def test_more_than_can_be_kept_is_refused(
    monkeypatch: pytest.MonkeyPatch, line: dict[str, Any], name: str
) -> None:
    monkeypatch.setattr(dumped, f"MAX_{name}", 1)
    dump_of(monkeypatch, line, END)
    with pytest.raises(UnsupportedError, match=f"makes more than 1 {name.lower()}"):
        dump_of(monkeypatch, line, {**line, "number": 1, "label": "other"}, END)
