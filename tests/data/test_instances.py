from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.data import rows
from lve.data.instances import iter_instances, make_instance
from lve.documents.validation.schema import explain_value
from lve.errors import Problem
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "instances").mkdir()
    return tmp_path


def make_spec(folder: Path, **changes: Any) -> Spec:
    document = {
        "description": "Adds.",
        "prompt": [{"content": "What is {a} + {b}?"}],
        "prompt_parameters": ["a", "b"],
        "checker_args": {"checker_name": "RefuseChecker"},
        **changes,
    }
    (folder / "test.json").write_text(json.dumps(document))
    return load_spec(folder, folder)


def all_args(spec: Spec, names: list[str] | None = None) -> list[Any]:
    return [
        str(found.message) if isinstance(found, Problem) else found.args
        for found in iter_instances(spec, names)
    ]


def test_args_are_split_into_parameters_and_model_args(folder: Path) -> None:
    spec = make_spec(folder)
    args = {"a": 1, "b": None, "temperature": 0.0, "top_p": None}
    instance = make_instance(spec, args, "instances/x.jsonl", 3)
    assert instance.args == args
    assert instance.parameters == {"a": 1}
    assert instance.model_args == {"temperature": 0.0}


USUAL = {"args": {"a": "1", "b": "2"}, "response": "3", "passed": True, "run_info": {"n": None}}
VALUES = [None, 1, 1.5, True, "3", [], ["3"], {}, {"a": "1", "b": [10**30]}]


@pytest.mark.parametrize("key", [*USUAL, "score", "sent", "turns", "anything"])
def test_a_line_is_wrong_exactly_if_its_schema_says_so(folder: Path, key: str) -> None:
    spec = make_spec(folder)
    lines = [{**USUAL, key: value} for value in VALUES]
    lines += [USUAL, {name: value for name, value in USUAL.items() if name != key}]
    (folder / "instances" / "x.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in lines))
    wrong = {each.line for each in iter_instances(spec) if isinstance(each, Problem)}
    said = {number for number, row in enumerate(lines, 1) if explain_value(row, "instance")}
    assert said <= wrong
    assert key == "args" or wrong == said, "args must fit the test, too"


@pytest.mark.parametrize("in_dataset", [False, True])
def test_args_are_checked_in_each_line(folder: Path, in_dataset: bool) -> None:
    rows: list[dict[str, Any]] = [{"a": "1", "b": "2"}, {"a": "x", "b": "2"}, {"a": "3", "b": None}]
    plain: list[dict[str, Any]] = [{"a": "1", "b": "2", "api_key": "k"}, {"a": "x", "b": "2"}]
    typed = make_spec(folder, prompt_parameters_validator=["int", "float"])
    file = folder / "instances" / "x.jsonl"
    if in_dataset:
        file = folder / "rows.jsonl"
        file.touch()
        typed = make_spec(folder, dataset=file.name, prompt_parameters_validator=["int", "float"])
    file.write_text("".join(json.dumps(r if in_dataset else {"args": r}) + "\n" for r in rows))
    assert all_args(typed)[1] == "must read as int, not 'x'"
    assert all_args(typed)[::2] == [rows[0], rows[2]]
    if not in_dataset:
        file.write_text("".join(json.dumps({"args": row}) + "\n" for row in plain))
        refused, taken = all_args(make_spec(folder))
        assert "api_key" in refused or "key" in refused
        assert taken == plain[1]


def test_a_test_without_parameters_and_instances_has_one(folder: Path) -> None:
    spec = make_spec(folder, prompt_parameters=[])
    (instance,) = iter_instances(spec)
    assert isinstance(instance, Instance)
    assert (instance.args, instance.source, instance.line) == ({}, "test.json", 1)


def test_a_test_with_parameters_but_no_instances_has_none(folder: Path) -> None:
    assert all_args(make_spec(folder)) == []


@pytest.mark.parametrize("name", ["x", "x.jsonl", "instances/x.jsonl"])
def test_instances_are_chosen_by_file(folder: Path, name: str) -> None:
    for stem in "xy":
        (folder / "instances" / f"{stem}.jsonl").write_text(json.dumps({"args": {"a": stem}}))
    spec = make_spec(folder)
    assert all_args(spec, [name]) == [{"a": "x"}]
    assert all_args(spec) == [{"a": "x"}, {"a": "y"}]
    assert all_args(spec, ["z"]) == []


def test_a_data_set_is_chosen_by_its_file(folder: Path) -> None:
    (folder / "rows.csv").write_text("a,b\n1,2\n")
    (folder / "instances" / "x.jsonl").write_text('{"args": {"a": 7}}')
    spec = make_spec(folder, dataset="rows.csv")
    assert all_args(spec, ["rows.csv"]) == [{"a": "1", "b": "2"}]
    assert all_args(spec, ["x"]) == [{"a": 7}]


def test_a_cell_in_quotes_may_have_lines(folder: Path) -> None:
    (folder / "rows.csv").write_text('a,b\n"xy","two\nlines"\n1,"last"')
    spec = make_spec(folder, dataset="rows.csv")
    assert all_args(spec) == [{"a": "xy", "b": "two\nlines"}, {"a": "1", "b": "last"}]


def read(spec: Spec, *, once: bool = False) -> list[tuple[Any, int, bool]]:
    """Return the arg `a` of each instance, the number of its repeat, and whether it is recorded."""
    return [
        (item.args["a"], item.repeat, item.recorded is not None)
        for item in iter_instances(spec, once=once)
        if isinstance(item, Instance)
    ]


def lines(folder: Path, name: str, *values: str) -> None:
    """Write an instance file; `1!` is an answer to `{"a": 1}`, and `1` its args alone."""
    entries = (
        {"args": {"a": int(value[0])}, **({"response": "x"} if "!" in value else {})}
        for value in values
    )
    (folder / "instances" / name).write_text("\n".join(map(json.dumps, entries)))


def test_answers_to_the_same_args_are_repeats_of_one_row(folder: Path) -> None:
    lines(folder, "x.jsonl", "1!", "2!", "1!")
    lines(folder, "y.jsonl", "2!", "1!")
    spec = make_spec(folder)
    assert read(spec) == [(1, 0, True), (2, 0, True), (1, 1, True), (2, 1, True), (1, 2, True)]
    assert read(spec, once=True) == [(1, 0, True), (2, 0, True)]


def test_a_row_whose_answer_stands_in_another_line_is_recorded(folder: Path) -> None:
    lines(folder, "a.jsonl", "1", "2", "3", "3")
    lines(folder, "b.jsonl", "4", "3!", "1!", "1!")
    spec = make_spec(folder)
    expected = [(2, 0, False), (3, 0, False), (4, 0, False), (3, 0, True), (1, 0, True)]
    assert read(spec) == [*expected, (1, 1, True)]
    assert read(spec, once=True) == expected


def test_rows_that_are_alike_stay_apart(folder: Path) -> None:
    lines(folder, "x.jsonl", "1!", "1!", "1!")
    spec = make_spec(
        folder,
        dataset=[{"a": 1}, {"a": 1}, {"a": 2}],
        prompt_parameters=["a"],
        prompt=[{"content": "What is {a}?"}],
    )
    assert read(spec, once=True) == [(1, 0, True), (1, 0, False), (2, 0, False)]


@pytest.mark.parametrize(
    ("answers", "left"),
    [(["m"] * 3, 2), (["m"] * 4, 1), (["m"] * 6, 0), (["m"] * 3 + ["n"] * 3, 2), (["m"], 2)],
)
def test_equal_rows_are_recorded_with_enough_answers_of_a_model(
    folder: Path, answers: list[str], left: int
) -> None:
    entries = [
        {"args": {"a": 1}, "response": "x", "run_info": {"model": model}} for model in answers
    ]
    text = "\n".join(map(json.dumps, [*entries, {"args": {"a": 1}}]))
    (folder / "instances" / "x.jsonl").write_text(text)
    spec = make_spec(
        folder,
        dataset=[{"a": 1}, {"a": 1}],
        prompt_parameters=["a"],
        prompt=[{"content": "What is {a}?"}],
        repeats=2,
    )
    assert [recorded for *_, recorded in read(spec)].count(False) == left
    assert len(read(spec, once=True)) == 3, "a run asks each of them"


def test_lines_are_read_one_at_a_time(folder: Path) -> None:
    line = json.dumps({"args": {"a": "x" * 1000}}) + "\n"
    (folder / "instances" / "x.jsonl").write_text(line * 5000)
    spec = make_spec(folder)
    next(iter_instances(spec))
    tracemalloc.start()
    count = sum(1 for _ in iter_instances(spec))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5000
    assert peak < 1_000_000


def test_a_row_that_waits_takes_few_bytes(folder: Path) -> None:
    """pytest holds the rows of its items: a hundred thousand, that is."""
    lines = "".join(json.dumps({"a": number + 1000}) + "\n" for number in range(2000))
    (folder / "rows.jsonl").write_text(lines)
    spec = make_spec(folder, dataset="rows.jsonl", prompt_parameters=["a"])
    next(iter_instances(spec))
    tracemalloc.start()
    waiting = [*iter_instances(spec)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(waiting) == 2000
    assert 200 < taken / 2000 < 700


def test_a_line_that_is_too_long_is_a_problem_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_LINE_BYTES", 1_000_000)
    lines = [
        '{"args": {"a": 1}}',
        json.dumps({"args": {"a": "x" * 3_000_000}}),
        '{"args": {"a": 2}}',
    ]
    (folder / "instances" / "x.jsonl").write_text("\n".join(lines))
    assert all_args(make_spec(folder)) == [{"a": 1}, "the line is longer than 1 MB", {"a": 2}]


@pytest.mark.parametrize("depth", [150, 100_000])
def test_a_deeply_nested_line_is_a_problem(folder: Path, depth: int) -> None:
    lines = ['{"args": ' + '{"a":' * depth, '{"args": {"a": 1}}']
    (folder / "instances" / "x.jsonl").write_text("\n".join(lines))
    bad, good = all_args(make_spec(folder))
    assert isinstance(bad, str)
    assert good == {"a": 1}


def test_a_link_out_of_the_test_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text('{"args": {"a": "secret"}}')
    folder = tmp_path / "t"
    (folder / "instances").mkdir(parents=True)
    (folder / "instances" / "x.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (folder / "instances" / "y.jsonl").write_text('{"args": {"a": 1}}')
    assert all_args(make_spec(folder)) == ["is outside the test folder", {"a": 1}]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(150))
@given(st.lists(st.binary(max_size=30) | st.just(b'{"args": {"a": 1}}\n'), max_size=5))
def test_no_instance_file_crashes(folder: Path, chunks: list[bytes]) -> None:
    spec = make_spec(folder)
    for name in ("x.jsonl", "y.json"):
        (folder / "instances" / name).write_bytes(b"".join(chunks))
    assert all(isinstance(found, Instance | Problem) for found in iter_instances(spec))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(150))
@given(st.text(alphabet='{}[],:"\r\n aargs1.e\x00é\ufeff', max_size=80))
def test_no_data_file_crashes(folder: Path, text: str) -> None:
    for name in ("rows.csv", "rows.jsonl"):
        (folder / name).write_text(text, encoding="utf-8", newline="")
        spec = make_spec(folder, dataset=name)
        assert all(isinstance(found, Instance | Problem) for found in iter_instances(spec))


def test_a_model_arg_in_a_table_is_a_number_a_word_or_left_out(folder: Path) -> None:
    names = ("a", "temperature", "reasoning_effort", "stop", "seed")
    (folder / "rows.csv").write_text(f"{','.join(names)}\n7,0.5,low,3,\n")
    spec = make_spec(
        folder, dataset="rows.csv", prompt=[{"content": "{a}"}], prompt_parameters=["a"]
    )
    [instance] = iter_instances(spec)
    assert isinstance(instance, Instance)
    assert instance.parameters == {"a": "7"}
    args = {"temperature": 0.5, "reasoning_effort": "low", "stop": "3"}
    assert instance.model_args == args
