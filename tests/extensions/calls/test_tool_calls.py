"""Checks of single calls, by labelled rows: names of tools, parameters, several runs and turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_of, run_of_calls

from lve.checkers.contract import CheckContext
from lve.checkers.static import check_statically
from lve.errors import SpecError
from lve.messages import Message, Role, ToolCall, Transcript
from lve.spec.load import load_spec

CASES = Path(__file__).parents[2] / "cases" / "calls"
TOOLS = [{"name": "search"}, {"name": "book"}]
MOCKS = {"search": {"result": "x"}}


def rows(file: str) -> Iterator[Any]:
    for case in json.loads((CASES / file).read_text(encoding="utf-8")):
        for outcome in ("passed", "failed"):
            for calls in case[outcome]:
                yield pytest.param(case["check"], calls, outcome)


def judged(check: Any, folder: Path, *runs: Transcript, **more: Any) -> Any:
    parameters = more.pop("parameters", {})
    judge = judge_of(check, folder, **more)
    return judge.judge(CheckContext(runs, parameters, args=parameters))


@pytest.mark.parametrize(("check", "calls", "outcome"), list(rows("called.json")))
def test_labelled_calls(check: Any, calls: str, outcome: str, tmp_path: Path) -> None:
    verdict = judged(check, tmp_path, run_of_calls(calls))
    assert verdict.outcome == outcome, verdict.reason


def test_reasons_say_what_was_called(tmp_path: Path) -> None:
    def reason(check: Any, calls: str) -> str:
        return str(judged(check, tmp_path, run_of_calls(calls)).reason)

    assert reason({"called": "a"}, "") == "no a: no tool was called"
    assert reason({"called": "a"}, 'b({"x": 1})') == 'no a: called b({"x": 1})'
    assert reason({"called": "a", "args": {"x": 2}}, "a({})\nb({})") == (
        "a was called with other arguments: called a({})"
    )
    assert reason({"called": "a", "times": 2}, "a({})") == (
        "1 such call of a, wanted 2: called a({})"
    )
    many = reason({"not_called": "a"}, "\n".join(["a({})"] * 9))
    assert many == f"called {', '.join(['a({})'] * 5)} and 4 more"
    assert len(reason({"called": "b"}, "a(" + "x" * 9999 + ")")) < 200


def test_only_the_models_own_calls_count(tmp_path: Path) -> None:
    asks = Message("", Role.assistant, tool_calls=(ToolCall("1", "search", "{}"),))
    given = (Message("q"), asks, Message("r", Role.tool, tool_call_id="1"))
    run = Transcript((*given, Message("no", Role.assistant)), filled=(3,))
    assert judged({"called": "search"}, tmp_path, run).outcome == "failed"


def test_all_runs_must_be_as_wanted(tmp_path: Path) -> None:
    runs = [run_of_calls("search({})"), run_of_calls("")]
    verdict = judged({"called": "search"}, tmp_path, *runs)
    assert (verdict.outcome, verdict.reason) == (
        "failed",
        "run 2 of 2: no search: no tool was called",
    )


def test_a_check_may_look_at_one_turn(tmp_path: Path) -> None:
    def asks(name: str) -> Message:
        return Message("", Role.assistant, tool_calls=(ToolCall("1", name, "{}"),))

    result = Message("r", Role.tool, tool_call_id="1")
    first = (Message("q"), asks("search"), result, Message("one", Role.assistant, "first"))
    second = (Message("r"), asks("book"), result, Message("two", Role.assistant, "response"))
    run = Transcript((*first, *second), filled=(1, 3, 5, 7))
    prompt = [{"content": "q"}, {"role": "assistant", "variable": "first"}, {"content": "r"}]
    for name, on, outcome in [
        ("search", "first", "passed"),
        ("book", "first", "failed"),
        ("book", "response", "passed"),
        ("search", "response", "failed"),
    ]:
        check = {"called": name, "on": on}
        assert judged(check, tmp_path, run, prompt=prompt).outcome == outcome
    both = [{"called": "search"}, {"called": "book"}]
    assert judged(both, tmp_path, run, prompt=prompt).outcome == "passed"


def test_arguments_are_filled_with_parameters(tmp_path: Path) -> None:
    check = {
        "called": "{tool}",
        "args": {"to": "{city}", "at": ["{n}"]},
        "where": "lambda args, n: args['at'][0] == int(n)",
    }
    more: dict[str, Any] = {"prompt_parameters": ["tool", "city", "n"]}
    for n, outcome in ((3, "passed"), (4, "failed")):
        run = run_of_calls('book({"to": "Oslo", "at": [3]})')
        values = {"tool": "book", "city": "Oslo", "n": n}
        verdict = judged(check, tmp_path, run, parameters=values, **more)
        assert verdict.outcome == outcome, verdict.reason


def test_a_call_that_can_not_be_judged_is_an_error(tmp_path: Path) -> None:
    verdict = judged({"called": "a", "where": "args['n'] > 1"}, tmp_path, run_of_calls("a({})"))
    assert verdict.outcome == "error"


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            {"called": "serach"},
            r"check.called: there is no tool 'serach' \(did you mean `search`\?\)",
        ),
        ({"not_called": ["book", "bok"]}, r"there is no tool 'bok' \(did you mean `book`\?\)"),
        ({"called_in_order": ["search", "x"]}, "there is no tool 'x'"),
        ({"calls_f1": [{"name": "boook"}]}, "there is no tool 'boook'"),
        ({"not": {"called": "serach"}}, r"not\.called: there is no tool 'serach'"),
        ({"called": ""}, "names no tool"),
        ({"called": []}, "names no tool"),
        ({"not_called": False}, "use min_calls: 1"),
        ({"called": "book", "times": 0}, "'times' is at least 1, not 0"),
        ({"called": "book", "args": {"a": "{x}"}}, "{x} names no parameter"),
        ({"called": "book", "args": {"a": "{"}}, "write {{ and }}"),
        ({"called": "book", "args": [1]}, "'args' is an object"),
        ({"called": "book", "args_schema": {"type": "x"}}, "not a usable JSON Schema"),
        ({"called": "book", "where": "args["}, "where"),
        ({"called": "book", "where": "lambda args, z: z"}, "argument 'z' is no parameter"),
        ({"called_in_order": []}, "names no tool"),
        ({"calls_f1": []}, "from 1 to 100 calls"),
        ({"calls_f1": [{"name": "book"}] * 101}, "from 1 to 100 calls"),
        ({"calls_f1": [{"tool": "book"}]}, "an expected call is"),
        ({"calls_f1": [{"name": "book", "args": 1}]}, "an expected call is"),
        ({"calls_f1": [{"name": "book", "args": {"a": "{x}"}}]}, "{x} names no parameter"),
        ({"calls_f1": [{"name": "book"}], "threshold": 0}, "more than 0 and at most 1"),
    ],
)
def test_mistakes_are_reported(check: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=message):
        judge_of(check, tmp_path, tools=TOOLS, mocks=MOCKS)


def test_without_tools_any_name_will_do(tmp_path: Path) -> None:
    assert judged({"called": "x"}, tmp_path, run_of_calls("x({})")).passed


def test_examples_have_calls(tmp_path: Path) -> None:
    good = {"tool_calls": [{"name": "search", "arguments": {"q": "tea"}}], "verdict": "passed"}
    bad = {"response": "Tea.", "verdict": "failed"}
    judge_of({"called": "search", "args": {"q": "tea"}}, tmp_path, examples=[good, bad])
    assert check_statically(load_spec(tmp_path, tmp_path)) == []
    judge_of({"called": "search", "args": {"q": "mate"}}, tmp_path, examples=[good, bad])
    (problem,) = check_statically(load_spec(tmp_path, tmp_path))
    assert problem.path == "$.examples[0]"
    texts = [{"called": "search"}, {"contains": "Tea"}]
    judge_of(texts, tmp_path, examples=[{**good, "response": "Tea."}])
    assert check_statically(load_spec(tmp_path, tmp_path)) == []


@pytest.mark.parametrize(
    ("check", "place"),
    [
        ({"called": "a", "where": "args['n'] === 1"}, "column 13 of"),
        ({"called": "a", "where": "args['n'] >"}, "column 12 of"),
        ({"called": "a", "where": "args.pop()"}, "column 1 of"),
        ({"expression": "foo(r)"}, "column 1 of"),
        ({"expression": "len(r"}, "column 4 of"),
        ({"expression": "r) or (True"}, "column 2 of"),
        ({"expression": " "}, "not a Python expression"),
    ],
)
def test_a_mistake_is_where_its_author_sees_it(check: Any, place: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=place):
        judge_of(check, tmp_path)
