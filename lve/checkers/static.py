"""Checks a test's checkers without running any code of the test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from lve.check_names import roles_of
from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.binding.bind import argument_problem, bind, bind_all, bind_named
from lve.checkers.binding.bind_turns import late_names, own_args
from lve.checkers.binding.bound import BoundChecker, template_names, with_placeholders
from lve.checkers.binding.find_kind import find_kind
from lve.checkers.contract import CheckContext
from lve.checkers.custom.find import find_custom
from lve.checkers.examples import example_problems, measured_name, of_texts, unmeasured
from lve.checkers.judge import Judge
from lve.checkers.names import REFERENCE, Needs, known_names, names_in
from lve.errors import CheckerError, PluginError, Problem, SpecError
from lve.prompts.plan import answer_format_of
from lve.settings.settings import Settings
from lve.spec.model import CheckerConfig, Spec


class StaticCheckers(NamedTuple):
    """The checkers of a test, as far as they can be known without running its code."""

    here: list[BoundChecker | None]
    """Those that can be bound; None for one that needs its code or a model to judge."""
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
    if bound and not of_texts(bound):
        return _empty_matches(spec)
    try:
        judge = Judge(of_texts(bound), pass_when=spec.pass_when, answer=answer_format_of(spec))
    except SpecError:  # problems of a prompt object are reported where prompts are checked
        return problems
    return [*_empty_matches(spec), *example_problems(spec, judge)]


class Unjudged(NamedTuple):
    """Examples of a test that are not judged."""

    examples: int = 0
    reason: str | None = None


def unjudged_examples(spec: Spec, checkers: StaticCheckers) -> Unjudged:
    """Return how many of a test's examples `check_statically` doesn't judge, and why."""
    if reason := why_unjudged(spec):
        return Unjudged(len(spec.examples), reason)
    name = measured_name(spec)
    if name is None or not spec.examples or checkers.problems:
        return Unjudged()
    bound = of_texts(checker for checker in checkers.here if checker is not None)
    judge = Judge(bound, pass_when=spec.pass_when, answer=answer_format_of(spec))
    count = unmeasured(spec, judge) if bound else len(spec.examples)
    return Unjudged(count, f"{name} judges what a server measures" if count else None)


def why_unjudged(spec: Spec) -> str | None:
    """Return why no example of a test can be judged without its code or a model, if it has any."""
    if not spec.examples:
        return None
    try:
        if name := _custom_name(spec):
            return f"{name} is code"
    except ArgumentErrors:  # reported as a problem
        return None
    asking = ((one.name, role) for one in spec.checkers for role in roles_of(one.name, one.args))
    if asks := next(asking, None):
        return f"{asks[0]} asks a model: name it with --role {asks[1]}=MODEL"
    try:
        kinds = [kind for one in spec.checkers if (kind := find_kind(one.name, spec))]
    except PluginError:  # reported as a problem
        return None
    slow = next((kind.shown_name() for kind in kinds if kind.needs_model), None)
    return slow and f"{slow} loads a model"


def asking_checkers(spec: Spec) -> list[BoundChecker]:
    """Return the checkers of a test that ask models. No foreign code runs.

    Raises:
        SpecError: one can't be used.
    """
    asking = replace(spec, checkers=tuple(c for c in spec.checkers if roles_of(c.name, c.args)))
    bound, problems = bind_all(asking, partial(bind_named, asking))
    if problems:
        raise SpecError(problems)
    return bound


def asks_models(spec: Spec) -> bool:
    """Return whether a checker of a test asks a model."""
    return any(roles_of(one.name, one.args) for one in spec.checkers)


def has_code(spec: Spec) -> bool:
    """Return whether a checker of a test is custom code."""
    try:
        return _custom_name(spec) is not None
    except ArgumentErrors:  # reported as a problem
        return False


def _custom_name(spec: Spec) -> str | None:
    return next((c.name for c in spec.checkers if _is_custom(spec, c.name)), None)


def judged_examples(spec: Spec, settings: Settings) -> list[Problem]:
    """Return the examples whose verdict is not what the test says, whatever it takes to judge them:
    custom checkers are run and models loaded.

    Args:
        spec: the test.
        settings: of the workspace.

    Raises:
        LveError: a checker can't be made.
    """
    from lve.checkers.resolve import (
        resolve_with,
    )  # only --trust needs it, and it costs start-up time

    judge = resolve_with(spec, settings, trusted=True)
    texts = of_texts(judge.checkers)
    if judge.checkers and not texts:
        return []
    try:
        shorter = Judge(texts, pass_when=spec.pass_when, answer=judge.answer)
        return example_problems(spec, shorter)
    finally:
        judge.stop()


def argument_problems(spec: Spec) -> list[Problem]:
    """Return what is wrong with the names and arguments of a test's checkers, whatever the names of
    its parameters are."""
    return bind_all(spec, lambda config: _bind_alone(spec, config))[1]


def _bind_alone(spec: Spec, config: CheckerConfig) -> None:
    kind = find_kind(config.name, spec)
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
        args, known = own_args(config.args, spec), known_names(spec)
        names = names_in(args, with_placeholders(args, template_names(args, known)))
        late = late_names(names, spec, known) - {REFERENCE}
        return None, Needs(config.name, names - late)
    bound = bind_named(spec, config)
    return None if bound.is_slow or bound.roles else bound, bound.needs


def _is_custom(spec: Spec, name: str) -> bool:
    try:
        return find_custom(spec, name) is not None
    except CheckerError as error:
        raise ArgumentErrors([ArgumentError("checker_name", str(error))]) from error
