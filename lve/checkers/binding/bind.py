"""Finds built-in checkers by name and binds their arguments. Problems have positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from lve.checkers.arguments import (
    ArgumentError,
    ArgumentErrors,
    argument_errors,
    build,
    build_collecting_errors,
    fields_of,
)
from lve.checkers.binding.bind_extract import extracting, is_own_extract
from lve.checkers.binding.bind_on import late_placeholders, on_errors, selection_of
from lve.checkers.binding.bound import (
    BoundChecker,
    CheckerArguments,
    filled,
    text_arguments,
    with_placeholders,
)
from lve.checkers.binding.find_kind import find_kind, why_not_usable
from lve.checkers.binding.placeholders import placeholder_errors, row_value, slots_of
from lve.checkers.builtin_checker import BuiltinChecker, Check
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.contract import InnerCheck
from lve.checkers.custom.find import custom_names
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.checkers.usable_names import LATE, REFERENCE, Needs, find_arg_names, names_in
from lve.errors import CheckerError, PluginError, Problem
from lve.limits.problems import MAX_PROBLEMS
from lve.spec.check_names import CHECKS, ON, ShortFormError, hint_for_check, named_check, roles_of
from lve.spec.spec import CheckerConfig, Spec

if TYPE_CHECKING:
    from lve.checkers.library.combined.meta import Combining  # imported when a test needs it

BoundT = TypeVar("BoundT")


UNKNOWN_CHECKER = "unknown_checker"


def bind_all(
    spec: Spec, bind_one: Callable[[CheckerConfig], BoundT]
) -> tuple[list[BoundT], list[Problem]]:
    """Return the checkers of a test, and the problems of those that can't be bound.

    Args:
        spec: the test.
        bind_one: binds one checker; may raise ArgumentErrors, CheckerError and PluginError.
    """
    bound: list[BoundT] = []
    problems: list[Problem] = []
    for index, config in enumerate(spec.checkers):
        try:
            bound.append(bind_one(config))
        except ArgumentErrors as errors:
            problems += [argument_problem(spec, index, error) for error in errors.errors]
        except (CheckerError, PluginError) as error:
            problems.append(argument_problem(spec, index, ArgumentError(None, str(error))))
    return bound, problems


def bind_named(spec: Spec, config: CheckerConfig) -> BoundChecker:
    """Return a built-in or plugin checker of a test, with its arguments checked. No code of the
    test runs.

    Raises:
        ArgumentErrors: the name or an argument is wrong.
        PluginError: the checker's plugin can't be used.
    """
    kind = find_kind(config.name, spec)
    if kind is None:
        raise ArgumentErrors([_unknown_checker(spec, config.name)])
    out_of_process = OutOfProcessChecker(kind, config.args, spec.folder)
    return bind(kind, config.args, spec.folder, spec=spec, out_of_process=out_of_process)


def bind(
    kind: type[BuiltinChecker],
    args: Mapping[str, object],
    folder: Path,
    *,
    spec: Spec | None = None,
    out_of_process: OutOfProcessChecker | None = None,
) -> BoundChecker:
    """Return a built-in checker with its arguments.

    Args:
        kind: the checker's class.
        args: the arguments, as the test document has them.
        folder: the test's folder.
        spec: the test; None skips the checks of parameter names.
        out_of_process: runs long judgements in another process; None runs them in this one.

    Raises:
        ArgumentErrors: an argument is wrong.
    """
    wrong = on_errors(kind, args, spec)
    own = args if ON not in args else {name: v for name, v in args.items() if name != ON}
    on = None if wrong else args.get(ON)
    try:
        if kind.checks_in(own.get(kind.shown_name())):
            combining = cast("type[Combining]", kind)
            bound = _bind_combining(
                combining, own, folder, on, spec=spec, out_of_process=out_of_process
            )
        else:
            bound = _bind_simple(kind, own, folder, on, spec=spec, out_of_process=out_of_process)
    except ArgumentErrors as error:
        raise ArgumentErrors([*error.errors, *wrong]) from None
    _raise_if_any(wrong)
    return bound


def _bind_simple(
    kind: type[BuiltinChecker],
    args: Mapping[str, object],
    folder: Path,
    on: object,
    *,
    spec: Spec | None,
    out_of_process: OutOfProcessChecker | None,
) -> BoundChecker:
    """Bind a checker that combines no others. Arguments and errors are those of `bind`."""
    arg_names = None if spec is None else find_arg_names(spec)
    own = dict(args)
    extract = None if is_own_extract(kind, args) else own.pop("extract", None)
    templates = text_arguments(own, kind.own_templates, lists=issubclass(kind, Check))
    errors = placeholder_errors(own, templates, arg_names, kind)
    open_texts = _open_texts(own, templates, errors)
    errors += argument_errors(kind, own, placeholders=open_texts)

    def make(values: Mapping[str, object]) -> BuiltinChecker:
        texts = {n: row_value(kind, n, v) for n, v in values.items() if n in open_texts}
        return build(kind, {**values, **texts}).in_folder(folder)

    filled_args = filled({n: v for n, v in own.items() if n not in open_texts}, templates)
    usable = _without_wrong(kind, filled_args, errors)
    checker, wrong = build_collecting_errors(kind, usable, make)
    errors += wrong
    if checker is not None and spec is not None:
        errors += [e for e in checker.name_errors(spec, arg_names) if e.argument in usable]
    try:
        wrap = extracting(extract)
    except ArgumentError as error:
        errors.append(error)
    _raise_if_any(errors)
    constant, names = None if open_texts else checker, names_in(own, open_texts)
    late = late_placeholders(names, spec, arg_names)
    late &= names if kind.takes_answers else LATE
    lists = issubclass(kind, Check) and not roles_of(kind.shown_name(), args)
    slots = slots_of(kind, own, open_texts) if lists or kind.patterns else frozenset()
    names -= late - {REFERENCE} if spec is not None else frozenset()
    if constant is not None and spec is not None:
        names |= constant.needed_names(spec, arg_names)
    return BoundChecker(
        name=kind.shown_name(),
        make=make if extract is None else lambda values: wrap(make(values)),
        arguments=CheckerArguments(own, templates, late, kind.patterns, lists),
        constant=None if constant is None else wrap(constant),
        needs=Needs(kind.shown_name(), names, kind.needs_reference, slots),
        roles=roles_of(kind.shown_name(), args),
        postprocesses=kind.postprocess_response is not BuiltinChecker.postprocess_response,
        is_slow=kind.needs_model,
        out_of_process=out_of_process,
        selection=selection_of(kind, on, late),
    )


def _bind_combining(
    kind: type[Combining],
    args: Mapping[str, object],
    folder: Path,
    on: object,
    *,
    spec: Spec | None,
    out_of_process: OutOfProcessChecker | None,
) -> BoundChecker:
    """Bind a checker that combines others. Arguments and errors are those of `bind`."""
    name, own = kind.shown_name(), dict(args)
    errors = argument_errors(kind, args)
    usable = _without_wrong(kind, own, errors)
    is_list = isinstance(own.get(name), list)
    listed = kind.checks_in(own[name]) if name in usable else []
    parts: list[InnerCheck] = []
    needs: list[Needs] = []
    for index, document in enumerate(listed):
        if len(errors) > MAX_PROBLEMS:  # reported in any case
            break
        try:
            part = _bind_inner(kind, document, folder, spec)
            parts.append(kind.inner_check(part, document))
            needs.append(part.needs)
        except (ArgumentErrors, ArgumentError) as error:
            part_errors = error.errors if isinstance(error, ArgumentErrors) else [error]
            place = (name, index) if is_list else (name,)
            errors += [problem.within(place) for problem in part_errors]
    if parts:
        usable[name] = parts if is_list else parts[0]
    elif listed:
        del usable[name]
    checker, wrong = build_collecting_errors(kind, usable, partial(build, kind))
    errors += wrong
    _raise_if_any(errors)
    assert checker is not None
    return BoundChecker(
        name=name,
        make=lambda _: checker,
        arguments=CheckerArguments(args),
        constant=checker,
        needs=_needs_of(kind, needs),
        roles=roles_of(name, args),
        postprocesses=False,
        out_of_process=out_of_process,
        selection=selection_of(kind, on, frozenset()),
    )


def _needs_of(kind: type[Combining], needs: list[Needs]) -> Needs:
    join = frozenset[str].union if kind.needs_all else frozenset[str].intersection
    names = join(*(part.names for part in needs))
    references = [part.reference for part in needs]
    reference = any(references) if kind.needs_all else all(references)
    slots = frozenset(slot for part in needs for slot in part.slots)
    return Needs(kind.shown_name(), names, reference, slots)


def _bind_inner(
    kind: type[Combining], document: Mapping[str, object], folder: Path, spec: Spec | None
) -> BoundChecker:
    """Bind `document`, a check inside a check of class `kind`.

    Raises:
        ArgumentErrors: its name or arguments are wrong.
    """
    try:
        name, args = named_check({k: v for k, v in document.items() if k not in kind.outer_keys})
    except ShortFormError as error:
        wrong = ArgumentError(None, str(error), hint=error.hint, code="check_text")
        raise ArgumentErrors([wrong]) from error
    inner = load_builtin(name)
    if inner is None:
        hint = hint_for_check(name, [*CHECKS, *BUILTIN_CHECKERS])
        hint = hint or "a custom checker stands in `checks`, not inside another check"
        message = f"there is no checker '{name}'"
        raise ArgumentErrors([ArgumentError(None, message, hint=hint, code=UNKNOWN_CHECKER)])
    if inner.needs_model:
        why = f"'{name}' loads a model, so it can't stand inside another check"
        raise ArgumentErrors([ArgumentError(None, why, hint="put it into `checks`")])
    return bind(inner, args, folder, spec=spec)


def _raise_if_any(errors: list[ArgumentError]) -> None:
    if errors:
        raise ArgumentErrors(errors)


def _open_texts(
    args: Mapping[str, object], templates: frozenset[str], errors: list[ArgumentError]
) -> frozenset[str]:
    """Return the names of text arguments whose values are unknown until an instance fills them."""
    broken = frozenset(error.argument for error in errors if error.argument is not None)
    return with_placeholders(args, templates - broken) | broken


def _without_wrong(
    kind: type, args: Mapping[str, object], errors: list[ArgumentError]
) -> dict[str, object]:
    wrong, fields = {error.argument for error in errors}, fields_of(kind)
    return {n: value for n, value in args.items() if n in fields and n not in wrong}


def _unknown_checker(spec: Spec, name: str) -> ArgumentError:
    candidates = [*CHECKS, *BUILTIN_CHECKERS, *custom_names(spec)]
    docs = "docs/checkers.md lists the built-in ones; your own goes into checker/checker.py"
    hint = why_not_usable(name, spec) or hint_for_check(name, candidates) or docs
    message = f"there is no checker '{name}'"
    return ArgumentError("checker_name", message, hint=hint, code=UNKNOWN_CHECKER)


def argument_problem(spec: Spec, index: int, error: ArgumentError) -> Problem:
    """Return `error` as a problem with its position, for the test's checker number `index`."""
    config = spec.checkers[index]
    base = (*config.path, *error.inside)
    is_short = error.argument == "checker_name" and base[0] in ("check", "checks")
    is_named = error.argument is not None and not is_short
    path = (*base, str(error.argument)) if is_named else base
    if error.argument == ON and base and base[-1] == config.name:
        path = (*base[:-1], ON)  # the short form has `on` beside the checker's name
    position = config.position._replace(keys=path)  # its file may be a suite
    return position.problem(str(error), error.hint, code=error.code)
