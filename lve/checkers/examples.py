"""Judges a test's `examples`: answers that must pass, and answers that must fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.example_runs import example_runs, unknown_answers
from lve.checkers.judge import Judge
from lve.errors import Problem
from lve.spec.check_names import CHECKS, COMBINING, ShortFormError, named_check
from lve.spec.spec import Example, Spec

EXAMPLES_S = 5.0
"""Seconds for judging a test's examples. Usual ones take microseconds."""


def text_checkers(checkers: Iterable[BoundChecker]) -> list[BoundChecker]:
    """Return the checkers that judge texts, without those that judge a server's measurements.
    Examples have no latency and no tokens."""
    return [checker for checker in checkers if CHECKS.get(checker.name) != "measured"]


def example_problems(spec: Spec, judge: Judge) -> list[Problem]:
    """Return a problem for each example with an unexpected verdict, and one if the rest were
    skipped because judging took too long."""
    began = time.monotonic()
    problems: list[Problem] = []
    for number, example in enumerate(spec.examples):
        if number and time.monotonic() - began > EXAMPLES_S:
            message = (
                f"judging those before it ({number}) took more than {EXAMPLES_S:.0f} s; "
                "this one and those after it were left out"
            )
            hint = "use fewer examples, or a quicker checker"
            problems.append(example.position.problem(message, hint, code="example"))
            break
        problems += _example(spec, judge.judge, example)
    return problems


def all_example_problems(spec: Spec, judge: Callable[[CheckContext], Verdict]) -> list[Problem]:
    """Return a problem for each example with an unexpected verdict, without a time limit.

    Args:
        spec: the test.
        judge: judges one context; it may ask models.
    """
    return [problem for example in spec.examples for problem in _example(spec, judge, example)]


def _example(
    spec: Spec, judge: Callable[[CheckContext], Verdict], example: Example
) -> list[Problem]:
    if unknown := unknown_answers(spec, example):
        return unknown
    verdict = judge(example_context(spec, example))
    if verdict.outcome == example.verdict or _is_unmeasured(spec, verdict):
        return []
    must = "pass" if example.verdict == "passed" else "fail"
    message = f"this answer must {must}, and the checker says {verdict.outcome}: {verdict.reason}"
    return [example.position.problem(message, code="example")]


def count_unmeasured(spec: Spec, judge: Judge) -> int:
    """Return how many examples can't be judged because their verdict depends on a server's
    measurements."""
    if measured_name(spec) is None:
        return 0
    verdicts = (judge.judge(example_context(spec, example)) for example in spec.examples)
    return sum(_is_unmeasured(spec, verdict) for verdict in verdicts)


def _is_unmeasured(spec: Spec, verdict: Verdict) -> bool:
    return verdict.code == "unmeasured" and measured_name(spec) is not None


def measured_name(spec: Spec) -> str | None:
    """Return the name of the test's first check that judges a server's measurements (time,
    tokens), or None."""
    names = (name for config in spec.checkers for name in _names(config.name, config.args))
    return next((name for name in names if CHECKS.get(name) == "measured"), None)


def _names(name: str, args: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of a check and of the checks inside it."""
    yield name
    parts = args.get(name) if name in COMBINING else ()
    for part in parts if isinstance(parts, list) else [parts]:
        if not isinstance(part, Mapping):
            continue
        try:
            yield from _names(*named_check({k: v for k, v in part.items() if k != "weight"}))
        except ShortFormError:  # reported as a problem
            continue


def example_context(spec: Spec, example: Example) -> CheckContext:
    """Return an example as checkers see it."""
    runs = example_runs(spec, example)
    parameters = {k: v for k, v in example.args.items() if k in spec.parameters}
    return CheckContext(runs, parameters, example.reference, example.args)
