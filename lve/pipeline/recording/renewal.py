"""Asks a model again for the recorded answers whose prompt has changed: `lve record --stale`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lve.errors import PromptError, UsageError
from lve.pipeline.choosing.loading import models_of, named_model
from lve.pipeline.choosing.select import select_instances
from lve.pipeline.recording.recording import Recording
from lve.pipeline.sessions.resume import PreviousRun
from lve.prompts.plan import build_plan
from lve.prompts.sent import SentPrompts
from lve.redaction import Redactor
from lve.results.instance_lines import rewrite_instances
from lve.results.records import InstanceResult, ResultId, result_id
from lve.run_options import RunOptions
from lve.spec.model import Instance, Spec
from lve.workspace import Workspace

ANSWER = (
    "response",
    "passed",
    "run_info",
    "turns",
    "asked",
    "sent",
    "prompt",
    "prompt_in",
    "prompt_out",
)
"""The keys of an instance that a new answer replaces."""


class Renewal(Recording):
    """Collects new answers, each of which takes the place of a stale one."""

    def file_of(self, result: InstanceResult) -> Path:
        """Return the file that has the stale answer."""
        return self.specs[result.test].folder / result.source

    def put(self, file: Path, rows: list[tuple[int, dict[str, Any]]], redact: Redactor) -> None:
        """Replace answers in a file. An instance keeps its args, and whose it is unless it says."""
        changes = dict[int, dict[str, Any]]()
        for line, fields in rows:
            del fields["args"]
            if fields["author"] is None:
                del fields["author"]
            changes[line] = fields
        folder = file.parent.parent
        source = file.relative_to(folder).as_posix()
        rewrite_instances(folder, source, changes, without=ANSWER, redact=redact)


def stale_rows(specs: Iterable[Spec], options: RunOptions, workspace: Workspace) -> PreviousRun:
    """Return a `PreviousRun` that makes each test run exactly the rows with stale answers, once.

    Args:
        specs: the tests.
        options: of the run; they may choose rows.
        workspace: the workspace with the settings.

    Raises:
        UsageError: a test would ask several models for the same row.
        SpecError: a test's prompts can't be built.
    """
    wanted: Counter[ResultId] = Counter()
    for spec in specs:
        stale = list(_stale(spec, options, workspace))
        if not stale:
            continue
        models = models_of(spec, options, workspace.settings)
        if len(models) != 1:
            raise UsageError(
                f"{spec.path} has {len(models)} models, but a stale answer gets one new answer: "
                "choose one with --model",
                code="conflicting_options",
            )
        for instance in stale:
            wanted[result_id(spec.path, models[0], instance.source, instance.line, 0)] += 1
    return PreviousRun(only=wanted)


def _stale(spec: Spec, options: RunOptions, workspace: Workspace) -> Iterator[Instance]:
    entry = workspace.settings.entry(named_model(spec, workspace.settings))
    prompts = SentPrompts(build_plan(spec, model=entry), model=entry, redact=workspace.redactor())
    for instance in select_instances(spec, options, workspace.settings):
        if isinstance(instance, Instance):
            with suppress(PromptError):  # the run reports what can't be filled
                if prompts.change(instance) is not None:
                    yield instance
