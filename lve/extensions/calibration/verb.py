"""The command `lve calibrate`: measures how well a check agrees with people's labels."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from lve.cli.printing import View, print_message, print_text, print_view, warn
from lve.cli.run.command_options import given_options, run_options
from lve.cli.shared_options import json_option
from lve.data_classes import dataclass
from lve.errors import SpecError, UsageError
from lve.exit_code import ExitCode
from lve.extensions.calibration.calibration_text import Report, lines, to_json
from lve.extensions.calibration.check_status import asks_judge, below_floor
from lve.extensions.calibration.judging import JudgedLabels, judge_labels, with_answers
from lve.extensions.calibration.label_targets import LabelTarget, target_of_check, target_of_test
from lve.extensions.calibration.labels import MAX_BYTES, Label, read_labels, repeated_labels
from lve.extensions.calibration.measure import Measurement, calibration_content, measure
from lve.extensions.calibration.record import binding_of, calibration_from_json, write_calibration
from lve.files.inside import read_regular
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.roles.roles import roles_of
from lve.plurals import amount
from lve.spec.check_names import JUDGE
from lve.workspace import Workspace


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """The parsed command line of `lve calibrate`."""

    target: str
    labels: Path
    check: str | None
    keeps: bool
    """Whether the calibration is written."""
    as_json: bool
    is_verbose: bool


@click.command()
@click.argument("target", metavar="TEST|CHECK")
@click.argument("labels", metavar="LABELS", type=click.Path(path_type=Path))
@click.option("--check", metavar="NAME", help="Which check, if the test has several.")
@click.option("--no-write", is_flag=True, help="Only measure; don't write the calibration.")
@run_options("calibrate")
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Show all labels that the check contradicts.")
@click.pass_context
def calibrate(ctx: click.Context, /, **options: Any) -> None:
    """Measure how well a check agrees with people's labels.

    Judges each labelled answer with the check, and compares the verdicts with the labels. Writes
    the result to the folder lve.calibrations. Later runs use it to correct pass rates, and to see
    whether the check reaches the floor in the settings.

    \b
    lve calibrate TEST labels.jsonl
    lve calibrate TEST labels.jsonl --role judge=openai/gpt-6-luna
    lve calibrate "{refusal: true}" labels.jsonl
    """
    request = LabelRequest(
        options["target"],
        options["labels"],
        options["check"],
        not options["no_write"],
        options["as_json"],
        options["verbose"],
    )
    ctx.exit(execute(request, given_options(options)))


def execute(request: LabelRequest, chosen: Mapping[str, Any]) -> int:
    """Measure the check, print the report, write the calibration, and return the exit code.

    Args:
        request: the parsed command line.
        chosen: the fields of `RunOptions` that were given.

    Raises:
        LveError: a mistake of the user.
    """
    is_test = os.path.exists(request.target)  # noqa: PTH110 (as it was typed)
    workspace = choose_workspace([request.target] if is_test else [])
    options = RunOptions(**chosen)
    labels = read_labels(request.labels)
    target = _target(request, labels, workspace, is_test=is_test)
    own = [row for row in labels if target.concerns(row)]
    if len(own) < len(labels):
        print_message(f"left out: {amount(len(labels) - len(own), 'label')} about something else")
    paired = with_answers(own, request.labels, warn)
    if problems := repeated_labels([label for label, _ in paired], request.labels):
        raise SpecError(problems)
    judging = judge_labels(target, paired, workspace, options, warn=warn, say=print_message)
    judged = asyncio.run(judging)
    return _report(request, target, workspace, options, judged, measure(judged.rows))


def _target(
    request: LabelRequest, labels: Sequence[Label], workspace: Workspace, *, is_test: bool
) -> LabelTarget:
    if is_test:
        return target_of_test(
            request.target,
            request.check,
            workspace,
            lambda problem: warn(problem.message_with_code),
        )
    if request.check is not None:
        raise UsageError(
            f"--check chooses a check of a test, but there is no test {request.target}",
            code="conflicting_options",
        )
    return target_of_check(request.target, labels, workspace)


def _report(
    request: LabelRequest,
    target: LabelTarget,
    workspace: Workspace,
    options: RunOptions,
    judged: JudgedLabels,
    measured: Measurement,
) -> int:
    content = _content(request, target, workspace, options, measured)
    file = None
    if judged.stopped_by is None and measured.is_usable and request.keeps:
        file = write_calibration(workspace, content)
    floor = workspace.settings.calibration.floor
    below = list(below_floor(calibration_from_json(content, ""), floor)) if measured.judged else []
    report = Report(target, request.labels, judged, measured, content, tuple(below), file)
    text = lines(report, is_verbose=request.is_verbose)
    view = View(lambda: to_json(report), text, _exit_code(report), write=print_text)
    return print_view(view, as_json=request.as_json)


def _content(
    request: LabelRequest,
    target: LabelTarget,
    workspace: Workspace,
    options: RunOptions,
    measured: Measurement,
) -> dict[str, object]:
    """Return the calibration."""
    spec, settings = target.spec, workspace.settings
    judge = roles_of(options, settings).get(JUDGE) if asks_judge(spec, target.index) else None
    binding = binding_of(spec, target.index, settings, judge)
    if not target.is_test:
        binding = binding._replace(test=None)
    return calibration_content(
        measured,
        binding,
        spec.checkers[target.index].args,
        labels_sum=sha256(read_regular(request.labels, MAX_BYTES)).hexdigest(),
        day=f"{datetime.now(UTC):%Y-%m-%d}",
    )


def _exit_code(report: Report) -> int:
    if report.judged.stopped_by is not None:
        is_budget = report.judged.stopped_by != "interrupted"
        return ExitCode.budget if is_budget else ExitCode.interrupted
    if report.measured.unjudged or not report.measured.judged:
        return ExitCode.errors
    return ExitCode.failed if report.below else ExitCode.as_expected
