"""Asks a model again for the recorded answers whose prompt has changed: `lve record --stale`."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lve.data.row_places import place_of_row
from lve.data_classes import dataclass, field
from lve.errors import PromptError
from lve.escape import excerpt
from lve.extensions.recording.instance_writer import rewrite_instances
from lve.extensions.recording.recording import Recording
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.loading import models_named, named_model
from lve.prompts.plan import build_plan
from lve.prompts.sent import SentPrompts
from lve.sessions.instance_result import InstanceResult, ResultId, result_id
from lve.sessions.resume import PreviousRun
from lve.spec.spec import Instance, Spec
from lve.verdicts.wording import amount
from lve.workspace import Workspace, display_path

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
SHOWN = 3
"""Places that a line names."""


class Renewal(Recording):
    """Collects new answers, each of which takes the place of a stale one."""

    def file_of(self, result: InstanceResult) -> Path:
        """Return the file that has the stale answer."""
        return self.specs[result.test].folder / result.source

    def put(self, file: Path, rows: list[tuple[int, dict[str, object]]]) -> None:
        """Replace answers in a file. An instance keeps its args, and whose it is unless it says."""
        changes = dict[int, dict[str, object]]()
        for line, fields in rows:
            del fields["args"]
            if fields["author"] is None:
                del fields["author"]
            changes[line] = fields
        folder = file.parent.parent
        source = file.relative_to(folder).as_posix()
        rewrite_instances(folder, source, changes, without=ANSWER)


@dataclass(slots=True)
class StaleAnswers:
    """The stale answers of tests: which are asked again, and which stay as they are."""

    renewable: Counter[ResultId] = field(default_factory=Counter)
    staying: dict[tuple[str, str | None], list[str]] = field(default_factory=dict)
    """Folder of a test, and a model that isn't asked or None where the file names none -> places of
    their answers."""

    def add(self, spec: Spec, instance: Instance, models: Collection[str]) -> None:
        """Add the stale answer of an instance.

        Args:
            spec: the test.
            instance: with the answer.
            asked: the models that are asked. An answer gets a new one from its own model alone.
        """
        model = instance.recorded.model if instance.recorded is not None else None
        if model is not None and model in models:
            self.renewable[
                result_id(spec.path, model, instance.source, instance.line, instance.repeat)
            ] += 1
            return
        folder = str(display_path(spec.folder))
        place = f"{folder}/{place_of_row(instance.source, instance.line)}"
        self.staying.setdefault((folder, model), []).append(place)

    @property
    def selection(self) -> PreviousRun:
        """What makes each test run exactly the rows that are asked again, once."""
        return PreviousRun(only=self.renewable)

    def lines(self) -> Iterator[str]:
        """Yield which stale answers stay as they are, and what to do about them."""
        for (folder, model), places in self.staying.items():
            record = f"lve record {shlex.quote(excerpt(folder))}"
            if model is None:
                why = " that no model gave, as far as its file says,"
                do = f"Read it: `{record} --accept` keeps it for the prompt of today"
            else:
                why = f" of {excerpt(model)}"
                do = f"`{record} --stale --model {shlex.quote(excerpt(model))}` asks it again"
            yield f"{_stay(places, why)}. {do}"


def _stay(places: Sequence[str], whose: str) -> str:
    stays = "stays as it is" if len(places) == 1 else "stay as they are"
    named_places = ", ".join(places[:SHOWN]) + ", ..." * (len(places) > SHOWN)
    return f"{amount(len(places), 'stale answer')}{whose} {stays}: {named_places}"


def stale_answers(specs: Iterable[Spec], options: RunOptions, workspace: Workspace) -> StaleAnswers:
    """Return the stale answers of tests. Those of the models that the tests run against are asked
    again, each of its own model.

    Args:
        specs: the tests.
        options: of the run; they may choose rows and models.
        workspace: the workspace with the settings.

    Raises:
        SpecError: a test's prompts can't be built.
    """
    answers = StaleAnswers()
    for spec in specs:
        for instance in _stale(spec, options, workspace):
            answers.add(spec, instance, models_named(spec, options, workspace.settings))
    return answers


def _stale(spec: Spec, options: RunOptions, workspace: Workspace) -> Iterator[Instance]:
    entry = workspace.settings.entry(named_model(spec, workspace.settings))
    prompts = SentPrompts(build_plan(spec, model=entry), model=entry)
    for instance in select_instances(spec, options, workspace.settings):
        if isinstance(instance, Instance):
            with suppress(PromptError):  # the run reports what can't be filled
                if prompts.change(instance) is not None:
                    yield instance
