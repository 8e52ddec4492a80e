"""Selects the instances of a test that run, with overridden parameters.

Instances are read one at a time, never all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from lve.data.instance_files import instance_files, is_named
from lve.data.instances import iter_instances, make_instance
from lve.data.missing_columns import with_all_columns
from lve.errors import Problem, SpecError, UsageError, with_code
from lve.limits.problems import limit_problems
from lve.options.run_options import RunOptions, spelled
from lve.options.shard_number import parse_shard
from lve.pipeline.choosing.limits_and_filters import choose, numbered, rows_in
from lve.pipeline.choosing.repeats import stays_whole
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec
from lve.suggest import did_you_mean

COMMAND_LINE = "command line"
"""Source of an instance whose parameters were all given on the command line."""


def check_selection(spec: Spec, options: RunOptions) -> None:
    """Check the options' parameters (`-p NAME=VALUE`) against a test.

    Raises:
        UsageError: the test has no such parameter, or the value has the wrong type.
    """
    for name in options.parameters:
        if name not in spec.parameters:
            raise UsageError(
                f"{spec.path} has no parameter {name!r}{_suggest(name, spec)}",
                code="unknown_parameter",
            )
    typed_parameters(spec, options.parameters)


def select_instances(
    spec: Spec,
    options: RunOptions,
    settings: Settings,
    *,
    model: str = "",
    once: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Iterator[Instance | Problem]:
    """Yield the instances of a test that the options ask for, and the problems of its files.

    Args:
        spec: the test, from `for_model`.
        options: the run's options.
        settings: the workspace's settings, with its caps.
        model: the model that the test runs against; it also determines an instance's shard.
        once: whether to leave out repeats, as for a model that is asked: of several recorded
            answers to the same args, only the first is a row.
        warn: called if the settings' cap leaves instances out.
    """
    instances = _selected(spec, options, settings, warn, once=once)
    if options.shard is None:
        return instances
    from lve.pipeline.choosing.sharding import in_shard  # late: few runs have any

    is_whole = stays_whole(spec, options, settings)
    return in_shard(spec, model, instances, parse_shard(options.shard), is_whole=is_whole)


def _selected(
    spec: Spec,
    options: RunOptions,
    settings: Settings,
    warn: Callable[[str], None] | None,
    *,
    once: bool,
) -> Iterator[Instance | Problem]:
    parameters = typed_parameters(spec, options.parameters)
    if parameters and set(parameters) == set(spec.parameters):
        yield make_instance(spec, parameters, COMMAND_LINE, 1)
        return
    rows = iter_instances(spec, options.instances or None, once=once)
    instances = limit_problems(with_all_columns(spec, rows, parameters))
    capped = islice(instances, settings.caps.rows)
    chosen: Iterator[Instance | Problem] = capped
    if options.index is not None:
        chosen = _only(instances, options.index)
    if parameters:
        chosen = (_override(spec, i, parameters) if isinstance(i, Instance) else i for i in chosen)
    if options.index is not None:
        yield from chosen
        return
    yield from choose(spec, chosen, options)
    if warn is None or _ends_before(settings.caps.rows, options):
        return
    if next(capped, None) is None and next(instances, None) is not None:
        warning = (
            f"{spec.path}: ends after row {settings.caps.rows:,} and has more: the settings' "
            "caps allow no more rows"
        )
        warn(with_code(warning, "cap"))


def why_empty(spec: Spec, options: RunOptions, *, takes_parameters: bool = True) -> str:
    """Return why the options select no instance of a test, and what to do about it.

    Args:
        spec: the test.
        options: the run's options.
        takes_parameters: whether parameters can be given on the command line.
    """
    try:
        files = instance_files(spec.folder)
    except SpecError as error:
        return str(error)
    if options.instances and not any(is_named(file, options.instances) for file in files):
        there = ", ".join(file.name for file in files) or "none"
        return f"no file of --instances is in its instances folder (there: {there})"
    if options.rows is not None or options.match is not None:
        filters = [
            f"{spelled(name)} {getattr(options, name)}"
            for name in ("rows", "match")
            if getattr(options, name) is not None
        ]
        return f"none of its rows is among those of {' and '.join(filters)}"
    if options.index is not None:
        instances = iter_instances(spec, options.instances or None)
        count = sum(isinstance(item, Instance) for item in instances)
        if count:
            return f"--index {options.index} is too large (0 to {count - 1} are there)"
    if spec.parameters:
        names = " ".join(f"-p {name}=VALUE" for name in spec.parameters)
        give = f"give {names}, or " if takes_parameters else ""
        return f"its prompt has parameters; {give}add instances/NAME.jsonl"
    return "its files have no rows"


def _only(instances: Iterator[Instance | Problem], index: int) -> Iterator[Instance | Problem]:
    return (item for number, item in numbered(instances) if number == index + 1)


def _ends_before(cap: int | None, options: RunOptions) -> bool:
    """Whether the options select no row beyond the settings' cap."""
    rows = None if options.rows is None else rows_in(options.rows).last
    ends = [end for end in (options.limit, rows) if end is not None]
    return bool(ends) and (cap is None or min(ends) <= cap)


def _override(spec: Spec, instance: Instance, parameters: Mapping[str, object]) -> Instance:
    """Return the instance with other parameters, and without its recorded answer, which belongs to
    another prompt."""
    return replace(
        instance,
        args={**instance.args, **parameters},
        parameters={**instance.parameters, **parameters},
        recorded=None,
    )


def typed_parameters(spec: Spec, parameters: Mapping[str, str]) -> dict[str, object]:
    """Return parameters from texts, converted to the types that the test declares.

    Raises:
        UsageError: one isn't a number and has to be.
    """
    return {name: _value(spec, name, text) for name, text in parameters.items()}


def _value(spec: Spec, name: str, text: str) -> object:
    kind = spec.parameter_types.get(name)
    if kind is None:
        return text
    try:
        return int(text) if kind == "int" else float(text)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"{spec.path}: parameter {name!r} must be {kind}, not {text!r}",
            code="unknown_parameter",
        ) from None


def _suggest(name: str, spec: Spec) -> str:
    if not spec.parameters and spec.dataset is not None:
        return ": columns of its data can be set once `prompt_parameters` names them"
    hint = did_you_mean(name, spec.parameters)
    return f": {hint}" if hint else f" (it has {', '.join(spec.parameters) or 'none'})"
