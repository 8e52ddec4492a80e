"""Checks a test's checkers without running any code of the test."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lve.check_names import CHECKS
from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.bind import argument_problem, bind, bind_all, bind_named
from lve.checkers.bound import BoundChecker, template_names, with_placeholders
from lve.checkers.builtin.names import load_builtin
from lve.checkers.contract import CheckContext
from lve.checkers.custom.find import find_custom
from lve.checkers.judge import Judge
from lve.checkers.names import Needs, known_names, names_in
from lve.errors import CheckerError, Problem, SpecError
from lve.messages import Message, Role, Transcript
from lve.prompts.plan import answer_of
from lve.spec.model import CheckerConfig, Example, Spec

EXAMPLES_S = 5.0
"""Seconds for judging the examples of a test. Honest ones take microseconds."""


class StaticCheckers(NamedTuple):
    """The checkers of a test, as far as they can be known without running its code."""

    here: list[BoundChecker | None]
    """Those that can be bound; None for one that can't judge without its code or a model."""
    needs: list[Needs]
    """What those that can be bound need of the instances."""
    problems: list[Problem]
    """Of those that can't be bound."""


def bind_statically(spec: Spec) -> StaticCheckers:
    """Return a test's checkers. Custom checkers are only looked for, not run."""
    bound, problems = bind_all(spec, lambda config: _bind(spec, config))
    return StaticCheckers([one for one, _ in bound], [needs for _, needs in bound], problems)


def check_statically(spec: Spec, checkers: StaticCheckers | None = None) -> list[Problem]:
    """Return what is wrong with a test's checkers.

    Checks names and arguments, and judges the test's `examples`. Custom checkers are only looked
    for, not run; checkers that need a model are not run either: then examples prove nothing yet.

    Args:
        spec: the test.
        checkers: what `bind_statically` returned for it, if it has been called.
    """
    found, _, problems = checkers or bind_statically(spec)
    bound = [checker for checker in found if checker is not None]
    if problems or len(bound) < len(found):
        return problems
    if bound and not _of_texts(bound):
        return _empty_matches(spec)
    try:
        judge = Judge(_of_texts(bound), pass_when=spec.pass_when, answer=answer_of(spec))
    except SpecError:  # problems of a prompt object are reported where prompts are checked
        return problems
    return [*_empty_matches(spec), *example_problems(spec, judge)]


def why_unjudged(spec: Spec) -> str | None:
    """Return why `check_statically` judges none of a test's examples, if it has any."""
    if not spec.examples:
        return None
    try:
        if name := _custom_name(spec):
            return f"{name} is code"
    except ArgumentErrors:  # reported as a problem
        return None
    kinds = filter(None, (load_builtin(config.name) for config in spec.checkers))
    slow = next((kind.shown_name() for kind in kinds if kind.needs_model), None)
    return slow and f"{slow} loads a model"


def has_code(spec: Spec) -> bool:
    """Return whether a checker of a test is custom code."""
    try:
        return _custom_name(spec) is not None
    except ArgumentErrors:  # reported as a problem
        return False


def _custom_name(spec: Spec) -> str | None:
    return next((c.name for c in spec.checkers if _is_custom(spec, c.name)), None)


def judged_examples(spec: Spec) -> list[Problem]:
    """Return the examples whose verdict is not what the test says, whatever it takes to judge them:
    custom checkers are run and models loaded.

    Raises:
        LveError: a checker can't be made.
    """
    from lve.checkers.resolve import resolve  # only --trust needs it, and it costs start-up time

    judge = resolve(spec, trusted=True)
    texts = _of_texts(judge.checkers)
    if judge.checkers and not texts:
        return []
    try:
        shorter = Judge(texts, pass_when=spec.pass_when, answer=answer_of(spec))
        return example_problems(spec, shorter)
    finally:
        judge.stop()


def _of_texts(checkers: Iterable[BoundChecker]) -> list[BoundChecker]:
    """Return the checkers that judge texts: an example has no latency and no tokens."""
    return [checker for checker in checkers if CHECKS.get(checker.name) != "measured"]


def argument_problems(spec: Spec) -> list[Problem]:
    """Return what is wrong with the names and arguments of a test's checkers, whatever the names of
    its parameters are."""
    return bind_all(spec, lambda config: _bind_alone(spec, config))[1]


def _bind_alone(spec: Spec, config: CheckerConfig) -> None:
    kind = load_builtin(config.name)
    if kind is None:
        _bind(spec, config)
    else:
        bind(kind, config.args, spec.folder)


def _empty_matches(spec: Spec) -> list[Problem]:
    """Return warnings of patterns that must not occur and occur in every text: `(a||b)`."""
    error = ArgumentError(
        "pattern",
        "matches the empty text, so it occurs in every answer and none can pass",
        hint="is there an empty alternative, as in (a||b)?",
    )
    return [
        replace(argument_problem(spec, index, error), severity="warning")
        for index, config in enumerate(spec.checkers)
        if config.name == "RegexChecker"
        and config.args.get("match_safe") is False
        and _matches_nothing(config.args)
    ]


def _matches_nothing(args: Mapping[str, Any]) -> bool:
    pattern = args.get("pattern")
    if not isinstance(pattern, str) or "{" in pattern:  # what instances fill in isn't known
        return False
    from lve.checkers.builtin.match import RegexChecker

    checker = RegexChecker(pattern, False, args.get("flags", 0))
    return checker.check_response("", CheckContext(())).outcome == "failed"


def _bind(spec: Spec, config: CheckerConfig) -> tuple[BoundChecker | None, Needs]:
    """Return a checker that can judge here, None for one that can't; and what it needs."""
    if _is_custom(spec, config.name):
        texts = with_placeholders(config.args, template_names(config.args, known_names(spec)))
        return None, Needs(config.name, names_in(config.args, texts))
    bound = bind_named(spec, config)
    return None if bound.is_slow else bound, bound.needs


def _is_custom(spec: Spec, name: str) -> bool:
    try:
        return find_custom(spec, name) is not None
    except CheckerError as error:
        raise ArgumentErrors([ArgumentError("checker_name", str(error))]) from error


def example_problems(spec: Spec, judge: Judge) -> list[Problem]:
    """Return the examples whose verdict is not what the test says, and note when the rest were
    skipped because judging took too long."""
    began = time.monotonic()
    problems: list[Problem] = []
    for number, example in enumerate(spec.examples):
        if number and time.monotonic() - began > EXAMPLES_S:
            message = (
                f"judging the {number} examples before this one took more than {EXAMPLES_S:.0f} s; "
                "this one and those after it were left out"
            )
            hint = "use fewer examples, or a quicker checker"
            problems.append(example.position.problem(message, hint))
            break
        problems += _example(spec, judge, example)
    return problems


def _example(spec: Spec, judge: Judge, example: Example) -> list[Problem]:
    runs = tuple(_transcript(response) for response in example.responses)
    parameters = {k: v for k, v in example.args.items() if k in spec.parameters}
    verdict = judge.judge(CheckContext(runs, parameters, example.reference, example.args))
    if verdict.outcome == example.verdict:
        return []
    must = "pass" if example.verdict == "passed" else "fail"
    message = f"this answer must {must}, and the checker says {verdict.outcome}: {verdict.reason}"
    return [example.position.problem(message)]


def _transcript(response: str | Mapping[str, str]) -> Transcript:
    texts = {"response": response} if isinstance(response, str) else response
    messages = [Message(text, Role.assistant, name) for name, text in texts.items()]
    return Transcript(tuple(messages), filled=tuple(range(len(messages))))
