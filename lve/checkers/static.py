"""Checks a test's checkers without running any code of the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.binding.bind import argument_problem, bind, bind_all, bind_named
from lve.checkers.binding.bind_on import late_placeholders, without_on
from lve.checkers.binding.bound import BoundChecker, template_names, with_placeholders
from lve.checkers.binding.find_kind import find_kind
from lve.checkers.builtin.match import RegexChecker
from lve.checkers.contract import CheckContext
from lve.checkers.custom.find import find_custom
from lve.checkers.examples import count_unmeasured, example_problems, measured_name, text_checkers
from lve.checkers.judge import Judge
from lve.checkers.usable_names import REFERENCE, Needs, find_arg_names, names_in
from lve.errors import CheckerError, PluginError, Problem, SpecError
from lve.named_tuples import NamedTuple
from lve.prompts.plan import answer_format_of
from lve.settings.settings import Settings
from lve.spec.check_names import roles_of
from lve.spec.spec import CheckerConfig, Spec


class StaticCheckers(NamedTuple):
    """The checkers of a test, bound without running its code."""

    judgeable: list[BoundChecker | None]
    """The valid checkers; None for each that needs custom code or a model to judge."""
    needs: list[Needs]
    """What instances must have for the valid checkers."""
    problems: list[Problem]
    """The problems of the invalid checkers."""


def bind_statically(spec: Spec) -> StaticCheckers:
    """Return a test's checkers. Custom checkers are found by name, but not run."""
    bound, problems = bind_all(spec, lambda config: _bind(spec, config))
    return StaticCheckers(
        [checker for checker, _ in bound], [needs for _, needs in bound], problems
    )


def check_statically(spec: Spec, checkers: StaticCheckers | None = None) -> list[Problem]:
    """Return the problems of a test's checkers.

    Checks names and arguments, and judges the test's `examples`. Custom checkers and checkers that
    need a model are not run; a test with one has its examples judged only when it runs.

    Args:
        spec: the test.
        checkers: the result of `bind_statically`, if it has been called.
    """
    judgeable, _, problems = checkers or bind_statically(spec)
    bound = [checker for checker in judgeable if checker is not None]
    if problems or len(bound) < len(judgeable):
        return problems
    if bound and not text_checkers(bound):
        return _empty_matches(spec)
    try:
        judge = Judge(text_checkers(bound), pass_when=spec.pass_when, answer=answer_format_of(spec))
    except SpecError:  # problems of a prompt object are reported where prompts are checked
        return problems
    return [*_empty_matches(spec), *example_problems(spec, judge)]


class Unjudged(NamedTuple):
    """How many of a test's examples are not judged, and why."""

    examples: int = 0
    reason: str | None = None


def unjudged_examples(spec: Spec, checkers: StaticCheckers) -> Unjudged:
    """Return how many of a test's examples `check_statically` doesn't judge, and why."""
    if reason := why_unjudged(spec):
        return Unjudged(len(spec.examples), reason)
    name = measured_name(spec)
    if name is None or not spec.examples or checkers.problems:
        return Unjudged()
    bound = text_checkers(checker for checker in checkers.judgeable if checker is not None)
    judge = Judge(bound, pass_when=spec.pass_when, answer=answer_format_of(spec))
    count = count_unmeasured(spec, judge) if bound else len(spec.examples)
    return Unjudged(count, f"{name} judges what a server measures" if count else None)


def why_unjudged(spec: Spec) -> str | None:
    """Return why a test's examples can't be judged without custom code or a model; None if they
    can, or there are none."""
    if not spec.examples:
        return None
    try:
        if custom := _custom_name(spec):
            return f"{custom} is code"
        for config in spec.checkers:
            for role in roles_of(config.name, config.args):
                return f"{config.name} asks a model: name it with --role {role}=MODEL"
        kinds = [find_kind(config.name, spec) for config in spec.checkers]
    except (ArgumentErrors, PluginError):  # reported as a problem
        return None
    loading = [kind.shown_name() for kind in kinds if kind is not None and kind.needs_model]
    return f"{loading[0]} loads a model" if loading else None


def asking_checkers(spec: Spec) -> list[BoundChecker]:
    """Return the checkers of a test that ask models. No code of the test runs.

    Raises:
        SpecError: a checker can't be used.
    """
    asking = replace(spec, checkers=tuple(c for c in spec.checkers if roles_of(c.name, c.args)))
    bound, problems = bind_all(asking, partial(bind_named, asking))
    if problems:
        raise SpecError(problems)
    return bound


def asks_models(spec: Spec) -> bool:
    """Return whether a checker of a test asks a model."""
    return any(roles_of(config.name, config.args) for config in spec.checkers)


def has_code(spec: Spec) -> bool:
    """Return whether a checker of a test is custom code."""
    try:
        return _custom_name(spec) is not None
    except ArgumentErrors:  # reported as a problem
        return False


def _custom_name(spec: Spec) -> str | None:
    return next((c.name for c in spec.checkers if _is_custom(spec, c.name)), None)


def judged_examples(spec: Spec, settings: Settings) -> list[Problem]:
    """Return a problem for each example with an unexpected verdict. Runs custom checkers and loads
    models.

    Args:
        spec: the test.
        settings: the workspace's settings.

    Raises:
        LveError: a checker can't be made.
    """
    # late: only --trust needs it, and it costs start-up time
    from lve.checkers.resolve import resolve_with

    judge = resolve_with(spec, settings, trusted=True)
    texts = text_checkers(judge.checkers)
    if judge.checkers and not texts:
        return []
    try:
        text_judge = Judge(texts, pass_when=spec.pass_when, answer=judge.answer)
        return example_problems(spec, text_judge)
    finally:
        judge.stop()


def argument_problems(spec: Spec) -> list[Problem]:
    """Return the problems of the names and arguments of a test's checkers, without checking names
    of parameters."""
    return bind_all(spec, lambda config: _bind_alone(spec, config))[1]


def _bind_alone(spec: Spec, config: CheckerConfig) -> None:
    kind = find_kind(config.name, spec)
    if kind is None:
        _bind(spec, config)
    else:
        bind(kind, config.args, spec.folder)


def _empty_matches(spec: Spec) -> list[Problem]:
    """Return a warning for each pattern that must not occur but matches every text: `(a||b)`."""
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
    if not isinstance(pattern, str) or "{" in pattern:  # unknown until an instance fills it
        return False
    checker = RegexChecker(pattern, False, args.get("flags", 0))
    return checker.check_response("", CheckContext(())).outcome == "failed"


def _bind(spec: Spec, config: CheckerConfig) -> tuple[BoundChecker | None, Needs]:
    """Return a checker and its needs; None for a checker that needs custom code or a model."""
    if _is_custom(spec, config.name):
        args, arg_names = without_on(config.args, spec), find_arg_names(spec)
        names = names_in(args, with_placeholders(args, template_names(args, arg_names)))
        late = late_placeholders(names, spec, arg_names) - {REFERENCE}
        return None, Needs(config.name, names - late)
    bound = bind_named(spec, config)
    return None if bound.is_slow or bound.roles else bound, bound.needs


def _is_custom(spec: Spec, name: str) -> bool:
    try:
        return find_custom(spec, name) is not None
    except CheckerError as error:
        raise ArgumentErrors([ArgumentError("checker_name", str(error))]) from error
