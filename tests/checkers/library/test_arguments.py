"""What each check says with each of its arguments set to each kind of value, word for word.

Beside the verdict on a few answers, or the problem with the value: the work that judging is, by
which it goes to another process. `make records` writes tests/cases/recorded_calls/arguments.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from checkers.library.test_reasons import REASONS
from support.judging import context_of, run_of_calls
from support.recorded_calls import Calls, changed, record

from lve.checkers.arguments import ArgumentError, build, fields_of, matches, type_hints_of
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.contract import CheckContext
from lve.errors import LveError
from lve.spec.check_names import CHECKS

VALUES = (
    *(True, False, None, 0, 1, 2, -1, 0.5, 1.0, 1.5, 1_000_000_001),
    *("", "a", "Paris", "{a}", "(", [], ["Paris"], ["a", "b"], [1, 2], [2, 1], ["a", "a"], [""]),
    *({}, {"a": 1}, {"contains": "Paris"}, [{"contains": "Paris"}, {"contains": "a"}]),
)
ANSWERS = json.loads((REASONS / "answers.json").read_text(encoding="utf-8"))[3::7]
OF_LVE: dict[str, dict[str, Any]] = {
    "LambdaChecker": {"func": "lambda r, a: a in r"},
    "MultiRunLambdaChecker": {"func": "lambda rs: len(rs) == 1"},
    "RegexChecker": {"pattern": "Paris|4", "match_safe": True},
    "ExactMatchChecker": {"pattern": "Paris", "match_safe": True},
    "FuzzyMatchChecker": {"text": "Paris", "threshold": 0.5},
}
"""Arguments of checks that have no examples."""
NEED_MORE = (
    "max_toxicity",
    "max_bias",
    "ToxicityChecker",
    "BiasChecker",
    "PII_Checker",
    "scorer",
    "promptfoo_script",
)


def arguments(name: str) -> Iterator[dict[str, Any]]:
    """Yield arguments of a check: those of its example with another value for each of them."""
    kind = load_builtin(name)
    assert kind is not None
    example: dict[str, Any] = dict(kind.examples[0][0]) if kind.examples else OF_LVE.get(name, {})
    yield example
    for argument in fields_of(kind):
        hint: Any = type_hints_of(kind)[argument]
        named = get_args(hint) if get_origin(hint) is Literal else ()
        fitting = [value for value in VALUES if matches(value, hint)]
        other = next((value for value in VALUES if not matches(value, hint)), None)
        for value in (*fitting, other, *named):
            yield {**example, argument: value}
        yield {key: value for key, value in example.items() if key != argument}
    yield {**example, "nothing": 1}


def contexts() -> list[CheckContext]:
    args = {"a": "Paris", "b": 2}
    answers = [context_of(answer, args=args, reference="Paris") for answer in ANSWERS]
    calls = run_of_calls('add({"a": 1})\nadd({"a": 2})\n\nfind({"city": "Paris"})')
    runs = context_of("It is Paris.", "Paris", "Lyon", args=args, reference="Paris")
    return [*answers, CheckContext((calls,), args), runs]


def verdicts(name: str, args: dict[str, Any], answers: list[CheckContext]) -> Iterator[str]:
    """Yield what a check says of each answer, and how much work that is."""
    kind = load_builtin(name)
    assert kind is not None
    try:
        check = build(kind, args)
    except ArgumentError as error:
        yield str(error)
        return
    for context in answers:
        try:
            verdict = check.check(context)
        except Exception as error:  # a placeholder that is not filled, or a question to a model
            text = str(error) if isinstance(error, LveError) else ""
            yield f"{type(error).__name__} {text}"
            continue
        score = "" if verdict.score is None else f" {verdict.score:.9g}"
        yield f"{verdict.outcome}{score}: {verdict.reason} ({check.work(context)})"


def all_calls() -> Calls:
    answers = contexts()
    names = [name for name in (*CHECKS, *BUILTIN_CHECKERS) if name not in NEED_MORE]
    return {
        f"{name} {json.dumps(args)}": " | ".join(verdicts(name, args, answers))
        for name in names
        for args in arguments(name)
    }


def test_each_argument_says_what_is_recorded() -> None:
    assert changed("arguments", all_calls()) == {}


if __name__ == "__main__":
    record("arguments", all_calls())
