"""Binds the recorded answers of tests to their prompts of today, for `lve record --accept`."""

from __future__ import annotations

from collections.abc import Sequence

from lve.cli.printing import print_error, print_line, print_message
from lve.error_boundary import error_boundary
from lve.errors import LveError
from lve.exit_code import ExitCode
from lve.pipeline.choosing.loading import named_model
from lve.pipeline.recording.accepting import accept_answers
from lve.prompts.plan import build_plan
from lve.prompts.sent import SentPrompts
from lve.spec.model import Spec
from lve.workspace import Workspace, display_path


def accept_tests(specs: Sequence[Spec], workspace: Workspace) -> ExitCode:
    """Bind all stale and unbound answers of tests, print the files, and return the exit code.

    Args:
        specs: the tests.
        workspace: the workspace with the settings.
    """
    code, count = ExitCode.as_expected, 0
    redact = workspace.redactor()
    for spec in specs:
        try:
            with error_boundary(f"accepting the answers of {spec.path}"):
                entry = workspace.settings.entry(named_model(spec, workspace.settings))
                plan = build_plan(spec, model=entry)
                prompts = SentPrompts(plan, model=entry, redact=redact)
                accepted = accept_answers(spec, prompts, redact=redact)
        except LveError as error:
            print_error(error)
            code = ExitCode.errors
            continue
        for source, number in accepted.items():
            count += number
            print_line(
                f"bound {number} to the prompt of today in {display_path(spec.folder / source)}"
            )
    if not count and code == ExitCode.as_expected:
        print_message("nothing to accept: every recorded answer is for the prompt of today")
    return code
