"""Rows that were recorded with further model args (`lve record --temperature 1`) are recorded."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.data.instances import iter_instances
from lve.spec.load import load_spec
from lve.spec.spec import Instance

Args = Mapping[str, Any]
A, B = {"w": "a"}, {"w": "b"}
HOT, LONG = {"temperature": 1}, {"max_tokens": 5}


def not_recorded(
    folder: Path,
    rows: Sequence[Args],
    answers: Sequence[Args],
    *,
    once: bool = False,
    **document: Any,
) -> list[Args]:
    """Return the args of the rows without an answer."""
    recorded = [{"args": args, "response": "Hello", "passed": True} for args in answers]
    write_test(
        folder,
        **{
            "prompt": [{"content": "Say {w}."}],
            "prompt_parameters": ["w"],
            "dataset": rows,
            **document,
        },
        instances=recorded,
    )
    found = list(iter_instances(load_spec(folder), once=once))
    assert all(isinstance(one, Instance) for one in found)
    return [one.args for one in found if isinstance(one, Instance) and one.recorded is None]


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("parameters", [["w"], None])
@pytest.mark.parametrize(
    ("rows", "answers", "left"),
    [
        ([A, B], [A | HOT, B | HOT], []),
        ([A, B], [A | HOT | LONG], [B]),
        ([A | LONG, B], [A | LONG | HOT, B | HOT], []),
        ([A | LONG], [A | HOT], [A | LONG]),
        ([A | LONG], [A | HOT | {"max_tokens": 6}], [A | LONG]),
        ([A | LONG | HOT], [A | LONG | {"seed": 1}, A | HOT | {"seed": 1}], [A | LONG | HOT]),
        ([A, A | HOT], [A | HOT], [A]),
        ([A | HOT, A], [A | HOT], [A]),
        ([A, A | HOT], [A | HOT, A], []),
        ([A, A | LONG], [A | LONG | HOT], [A]),
        ([A, A | LONG], [A | LONG | HOT, A | HOT], []),
        ([A, A], [A, A | HOT], [A]),
        ([A, A], [A | HOT], [A]),
        ([A | {"temperature": ""}], [A | HOT], []),
        ([A | {"temperature": "1"}], [A | HOT], []),
        ([A | {"temperature": None}], [A | HOT], []),
    ],
)
def test_model_args_that_a_row_lacks_are_left_out(
    tmp_path: Path,
    rows: list[Args],
    answers: list[Args],
    left: list[Args],
    parameters: list[str] | None,
    *,
    once: bool,
) -> None:
    given = not_recorded(tmp_path, rows, answers, once=once, prompt_parameters=parameters)
    assert given == left


def test_equal_rows_need_an_answer_each(tmp_path: Path) -> None:
    assert not_recorded(tmp_path, [A, A], [A | HOT] * 2) == []
    assert not_recorded(tmp_path, [A, A | HOT], [A | HOT] * 2) == []
    assert not_recorded(tmp_path, [A, A], [A | HOT] * 3, repeats=2) == [A]
    assert not_recorded(tmp_path, [A, A], [A | HOT] * 4, repeats=2) == []
    assert not_recorded(tmp_path, [A, A], [A | HOT, A | LONG]) == [A], "one of each is for one row"


def test_columns_that_are_no_parameters_must_be_equal(tmp_path: Path) -> None:
    first, second = A | {"id": 1}, A | {"id": 2}
    assert not_recorded(tmp_path, [first, second], [second | HOT]) == [first]
    assert not_recorded(tmp_path, [first], [first | {"num_ctx": 8192}]) == [], "also unusual names"


def test_other_columns_of_a_test_without_parameters_are_no_model_args(tmp_path: Path) -> None:
    answers = [A | {"note": "x"}]
    assert not_recorded(tmp_path, [A], answers, prompt_parameters=None) == [A]


def test_many_rows_of_the_same_parameters_are_fast_to_tell_apart(tmp_path: Path) -> None:
    rows = [A | LONG | {"id": number} for number in range(6000)]
    start = time.process_time()
    assert not_recorded(tmp_path, rows, [row | HOT for row in rows[::2]]) == rows[1::2]
    assert time.process_time() - start < 5


def test_lines_without_an_answer_are_rows_too(tmp_path: Path) -> None:
    lines = [{"args": args} for args in (A, A | HOT, B)]
    (tmp_path / "instances").mkdir()
    (tmp_path / "instances" / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert not_recorded(tmp_path, [], [A | HOT, B | HOT], dataset=None) == [A]
    assert not_recorded(tmp_path, [A], [A | HOT] * 2 + [B | HOT]) == [A]
    assert not_recorded(tmp_path, [A], [A | HOT] * 3 + [B | HOT]) == []
