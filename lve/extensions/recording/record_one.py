"""Records answers of one test as they arrive, for `lve record`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import click

from lve.cli.ask import can_ask
from lve.cli.printing import print_line, print_message, tell, warn
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.recording.record_args import ArgSources, args_to_record
from lve.extensions.recording.recorder import (
    Recorder,
    StreamPrinter,
    UserQuit,
    asked_instances,
    repeated,
)
from lve.extensions.recording.recording import Target, record_again
from lve.models.registry import provider_of
from lve.options.run_options import RunOptions
from lve.pipeline.background import BackgroundSession
from lve.pipeline.choosing.instances import check_selection, why_empty
from lve.pipeline.choosing.loading import models_of
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path


def record_test(
    specs: Sequence[Spec],
    workspace: Workspace,
    options: RunOptions,
    target: Target,
    words: Mapping[str, Any],
) -> int:
    """Record answers of one test, and return the exit code.

    Args:
        specs: the tests that the user names; must be only one.
        workspace: the workspace, for its settings.
        options: how the test is run.
        target: where answers are recorded.
        words: the values of all options of `lve record`.

    Raises:
        LveError: a mistake of the user, or the session can't go on.
        click.Abort: the user quits; recorded answers stay.
    """
    spec = _only_test(specs)
    check_selection(spec, options)
    is_interactive = can_ask() and not words["yes"]
    if words["loop"] and not is_interactive:
        why = "--loop needs a terminal to ask on; use -n N to record N answers"
        raise UsageError(why, code="not_a_terminal")
    models = models_of(spec, options, workspace.settings)
    provider = partial(provider_of, settings=workspace.settings, base_url=options.base_url)
    if any(provider(model) == "replay" for model in models):
        why = "replay only gives recorded answers; name the model to record"
        raise UsageError(why, code="nothing_to_record")
    if is_interactive or words["number"] or words["loop"]:  # each answer is one that is wanted
        options = replace(options, repeats=options.repeats or 1)
    printer = StreamPrinter()
    if is_interactive and _is_one_answer(spec, options):
        options = replace(options, stream=True, listen=printer.listen)
    if is_interactive or words["number"]:  # asked again, a model has to answer again
        options = replace(options, use_cache=False)
    instances = _instances(spec, options, workspace, words, asks=is_interactive)
    with BackgroundSession(workspace, options, warn=warn) as background:
        for model in models:
            background.prepare(model)
        recorder = Recorder(
            background=background,
            spec=spec,
            models=models,
            target=target,
            provider_of=provider,
            printer=printer,
            is_interactive=is_interactive,
            max_answers=words["number"],
        )
        code = _record(recorder, instances)
    if recorder.crashes:
        print_message(record_again(is_cached=options.use_cache))
    return code


def _is_one_answer(spec: Spec, options: RunOptions) -> bool:
    """Whether answers arrive one after the other, so that they can be shown while they arrive."""
    return not spec.is_multi_run and spec.infer_cfg is None and options.repeats == 1


def _only_test(specs: Sequence[Spec]) -> Spec:
    if len(specs) != 1:
        raise UsageError(
            f"--params, --dataset, -n and --loop are for one test, but there are {len(specs)}: "
            "name one of them",
            code="several_tests",
        )
    (spec,) = specs
    if spec.skip is not None:
        raise UsageError(f"{spec.path} is skipped: {spec.skip}", code="nothing_to_record")
    return spec


def _instances(
    spec: Spec,
    options: RunOptions,
    workspace: Workspace,
    words: Mapping[str, Any],
    *,
    asks: bool,
) -> Iterator[Instance]:
    """Return the instances to record.

    Raises:
        UsageError: parameters have no values, and the user can't be asked for them.
    """
    sources = ArgSources(words["params"], words["dataset"])
    rows = args_to_record(spec, options, workspace.settings, sources)
    typed_rows = asked_instances(spec, options.parameters, again=words["loop"])
    if words["loop"]:
        return chain(rows, typed_rows) if words["params"] or words["dataset"] else typed_rows
    first = next(rows, None)
    if first is None:
        if not asks:
            why = f"{spec.path}: nothing to record: {why_empty(spec, options)}"
            raise UsageError(why, code="nothing_to_record")
        return typed_rows
    rows = chain([first], rows)
    return repeated(rows) if words["number"] else rows


def _record(recorder: Recorder, instances: Iterator[Instance]) -> int:
    try:
        if recorder.is_interactive:
            recorder.record_each(instances)
        else:
            recorder.record_all(instances)
    except UserQuit:
        pass
    except (click.Abort, KeyboardInterrupt):
        recorder.background.is_cut_short = True
        recorder.background.cancel()
        click.echo(err=True)
        _print_recorded(recorder)
        raise
    _print_recorded(recorder)
    return ExitCode.errors if recorder.errors else ExitCode.as_expected


def _print_recorded(recorder: Recorder) -> None:
    sys.stdout.flush()
    tell(recorded={str(display_path(file)): n for file, n in recorder.recorded.items()})
    for file, count in recorder.recorded.items():
        print_line(f"recorded {count} in {display_path(file)}")
    if not recorder.recorded:
        print_message("nothing was recorded")
