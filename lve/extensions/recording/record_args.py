"""Selects the instances that `lve record` runs: the values of a test's parameters, and their
source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lve.data.instances import iter_instances, make_instance
from lve.data.rows import ROW_READERS, iter_rows
from lve.data_classes import dataclass
from lve.documents.json_lines import canonical_json, plain
from lve.errors import Problem, SpecError, UsageError
from lve.file_names import INSTANCE_FOLDER
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import COMMAND_LINE, select_instances, typed_parameters
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec
from lve.suggest import did_you_mean
from lve.workspace import display_path

EXAMPLES = "examples"
"""Source of an instance whose args are those of an example."""


@dataclass(frozen=True, slots=True)
class ArgSources:
    """Where the values of parameters come from, as the user chooses."""

    params: Path | None = None
    """A file of rows."""
    only_dataset: bool = False
    """Whether only the data set is used, and recorded instances aren't."""


def lacks_instances(specs: Sequence[Spec], options: RunOptions, settings: Settings) -> bool:
    """Whether there is one test, which has no instances, so that only its examples can be
    recorded."""
    if len(specs) != 1:
        return False
    return next(select_instances(specs[0], options, settings), None) is None


def args_to_record(
    spec: Spec, options: RunOptions, settings: Settings, sources: ArgSources
) -> Iterator[Instance]:
    """Yield the instances to record: each row of the test, and each other set of args once; none if
    no source has any.

    They come from the file of rows if there is one; else from the command line and the test's
    instances and data set; else from its examples.

    Args:
        spec: the test.
        options: the run's options.
        settings: the workspace's settings.
        sources: where the values come from.

    Raises:
        SpecError, UsageError: a file can't be read, or has wrong rows.
    """
    if sources.params is not None:
        instances = _of_file(spec, sources.params, options)
    else:
        instances = _of_test(spec, options, settings, sources)
    recorded_args: set[str] = set()
    for instance in instances:
        args = canonical_json(plain({**instance.args, **options.model_args}))
        if args not in recorded_args or (sources.params is None and _is_row(instance)):
            recorded_args.add(args)
            yield instance


def _is_row(instance: Instance) -> bool:
    """Whether it is a row of the test without an answer; rows with equal args stay apart."""
    return instance.recorded is None and instance.source not in (COMMAND_LINE, EXAMPLES)


def _of_file(spec: Spec, file: Path, options: RunOptions) -> Iterator[Instance]:
    if file.suffix.lower() not in ROW_READERS:
        suffixes = ", ".join(sorted(ROW_READERS))
        raise UsageError(
            f"{display_path(file)}: parameters are read from {suffixes}", code="wrong_suffix"
        )
    parameters = typed_parameters(spec, options.parameters)
    for row in iter_rows(file.absolute(), file.absolute().parent):
        if isinstance(row, Problem):
            raise SpecError([row])
        values = {**_checked(spec, row.values, f"{display_path(file)}:{row.line}"), **parameters}
        if missing := [name for name in spec.parameters if values.get(name) is None]:
            raise UsageError(
                f"{display_path(file)}:{row.line}: lacks {', '.join(missing)}",
                code="missing_column",
            )
        yield make_instance(spec, values, COMMAND_LINE, row.line)


def _checked(spec: Spec, values: Mapping[str, object], place: str) -> dict[str, object]:
    for name in values:
        if name not in spec.parameters:
            has = f"it has {', '.join(spec.parameters) or 'none'}"
            hint = did_you_mean(name, spec.parameters) or has
            raise UsageError(
                f"{place}: the test has no parameter {name!r} ({hint})", code="unknown_parameter"
            )
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    return {**values, **typed_parameters(spec, texts)}


def _of_test(
    spec: Spec, options: RunOptions, settings: Settings, sources: ArgSources
) -> Iterator[Instance]:
    """Yield the test's instances, or the args of its examples if it has none."""
    rows: Iterator[Instance | Problem]
    if sources.only_dataset:
        rows = filter(_is_no_recording, iter_instances(spec))
        if spec.dataset is None:
            raise UsageError(
                f"{spec.path} has no data set: leave --dataset out", code="conflicting_options"
            )
    else:
        rows = select_instances(spec, options, settings)
    has_any = False
    for row in rows:
        if isinstance(row, Problem):
            raise SpecError([row])
        has_any = True
        yield row
    if not has_any:
        yield from _of_examples(spec, options)


def _is_no_recording(item: Instance | Problem) -> bool:
    return isinstance(item, Problem) or not item.source.startswith(f"{INSTANCE_FOLDER}/")


def _of_examples(spec: Spec, options: RunOptions) -> Iterator[Instance]:
    parameters = typed_parameters(spec, options.parameters)
    for number, example in enumerate(spec.examples, 1):
        values = {name: example.args.get(name) for name in spec.parameters} | parameters
        if all(value is not None for value in values.values()):
            yield make_instance(spec, values, EXAMPLES, number)
