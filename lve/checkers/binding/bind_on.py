"""Reads and checks the `on` argument of a checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.checkers.answer_selection import ALL, TRANSCRIPT, AnswerSelection
from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.by_name import load_builtin
from lve.checkers.usable_names import REFERENCE, AnswerNames, ArgNames, answer_count, answer_names
from lve.spec.check_names import CONTEXTS, ON, RETURNED
from lve.spec.spec import Spec
from lve.suggest import did_you_mean

MAX_NAMED = 1000
"""The most variables in a list."""


def selection_of(
    kind: type[BuiltinChecker] | None, on: Any, late: frozenset[str]
) -> AnswerSelection | None:
    """Return which answers a checker judges; None for those that it judges by default.

    Args:
        kind: the checker's class; None for a custom checker.
        on: the argument, already checked.
        late: names of placeholders that may be variables of answers.
    """
    variables = () if on is None else (on,) if isinstance(on, str) else tuple(on)
    together = kind is not None and kind.compares_answers
    by_reference = kind is not None and (kind.by_turn or REFERENCE in late)
    if not (variables or by_reference or late):
        return None
    return AnswerSelection(variables, together, by_reference, REFERENCE in late, late - {REFERENCE})


def on_errors(
    kind: type[BuiltinChecker] | None, args: Mapping[str, object], spec: Spec | None
) -> list[ArgumentError]:
    """Return what is wrong with the `on` argument of a checker.

    Args:
        kind: the checker's class; None for a custom checker.
        args: the arguments, as the test document has them.
        spec: the test; None skips the checks of variable names.
    """
    on = args.get(ON)
    if ON not in args:
        return _single_answer_errors(kind, on, spec)
    listed: list[Any] = on if isinstance(on, list) else [on]
    if not listed or len(listed) > MAX_NAMED or not all(isinstance(n, str) for n in listed):
        what = "the variable of an answer, a list of variables"
        return [ArgumentError(ON, f"'{ON}' is {what}, `{ALL}` or `{TRANSCRIPT}`")]
    if kind is not None and not kind.takes_on:
        message = f"{kind.shown_name()} has no '{ON}': it looks at all answers by itself"
        return [ArgumentError(ON, message)]
    if kind is not None and kind.combines:
        for inner in _inner(kind, args.get(kind.shown_name())):
            if ON in inner:
                hint = "give it to the whole check, or to the checks inside it"
                message = f"a check inside this one has an '{ON}', too"
                return [ArgumentError(ON, message, hint=hint)]
    errors = [] if spec is None else _name_errors(listed, answer_names(spec))
    return errors or _single_answer_errors(kind, on, spec)


def _single_answer_errors(
    kind: type[BuiltinChecker] | None, on: object, spec: Spec | None
) -> list[ArgumentError]:
    """Return the error of a check that compares answers in a test with only one."""
    if kind is None or not kind.needs_several or spec is None:
        return []
    one_each = isinstance(on, str) and on != ALL
    if answer_count(spec, one_each=one_each, listed=on if isinstance(on, list) else ()) != 1:
        return []
    message = f"'{kind.shown_name()}' compares answers, and there is only one"
    hint = (
        "ask several times with `multi_run_prompt: {prompt: ..., repetitions: 5}` (`repeats` are"
        " judged one by one), or in several turns"
    )
    return [ArgumentError(kind.shown_name(), message, hint=hint)]


def _inner(kind: type[BuiltinChecker], value: object) -> Iterator[Mapping[str, object]]:
    """Yield the checks inside a combining check with the main value `value`, at any depth."""
    for check in kind.checks_in(value):
        if not isinstance(check, Mapping):
            continue
        yield check
        for name, inner in check.items():
            inner_kind = load_builtin(name) if isinstance(name, str) else None
            if inner_kind is not None and inner_kind.combines:
                yield from _inner(inner_kind, inner)


def _name_errors(listed: list[str], variables: AnswerNames) -> list[ArgumentError]:
    errors = []
    for name in dict.fromkeys(listed):
        if name in RETURNED and name not in variables and len(listed) == 1:
            continue
        if name in (ALL, TRANSCRIPT):
            if len(listed) > 1:
                errors.append(ArgumentError(ON, f"'{name}' stands alone, not in a list"))
            elif name in variables:
                message = f"'{name}' means something else here: it is also a variable of the test"
                errors.append(ArgumentError(ON, message, hint="give that answer another name"))
        elif name not in variables:
            hint = did_you_mean(name, [*variables.names, ALL, TRANSCRIPT])
            there = f"there are {variables.listed()}; `{ALL}` and `{TRANSCRIPT}` look at more"
            message = f"'{name}' is no variable of an answer"
            errors.append(ArgumentError(ON, message, hint=hint or there))
    return errors


def late_placeholders(
    names: frozenset[str], spec: Spec | None, arg_names: ArgNames | None
) -> frozenset[str]:
    """Return the placeholders whose values may be unknown until the model has answered: variables
    of answers, and `reference`.

    Args:
        names: all placeholders.
        spec: the test; None if it is unknown: then all of `names` are returned.
        arg_names: names that instances' args can have.
    """
    if spec is None:
        return names
    unsure = (
        names if arg_names is None else frozenset(name for name in names if name not in arg_names)
    )
    answers = answer_names(spec) if unsure else None
    turns = frozenset(name for name in unsure if answers is not None and answers.is_turn(name))
    return (names & {REFERENCE}) | (unsure & {CONTEXTS}) | turns


def without_on(args: Mapping[str, object], spec: Spec) -> Mapping[str, object]:
    """Return the arguments of a custom checker without `on`, which lve handles itself.

    Raises:
        ArgumentErrors: `on` is invalid.
    """
    if errors := on_errors(None, args, spec):
        raise ArgumentErrors(errors)
    return {name: value for name, value in args.items() if name != ON}
