"""Writes a run's answers to the tests' `instances/` folders: what `lve record` does."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.json_lines import canonical_json
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, UsageError
from lve.extensions.recording.instance_writer import append_instances, has_secret, instance_to_json
from lve.file_names import INSTANCE_FOLDER
from lve.json_types import JsonValue
from lve.models.registry import provider_of
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import check_selection, select_instances
from lve.pipeline.choosing.loading import models_of
from lve.pipeline.choosing.repeats import repeats_of
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Watcher
from lve.sessions.instance_result import InstanceResult, ResultId, result_id
from lve.sessions.resume import PreviousRun
from lve.settings.settings import Settings
from lve.spec.spec import Spec
from lve.version import __version__
from lve.workspace import display_path

FAKE_PROVIDERS = ("scripted", "dummy")
"""Providers whose answers don't come from a model."""


@dataclass(frozen=True, slots=True)
class Target:
    """The file of recorded instances, and what is written to it beside the answers."""

    name: str | None = None
    """Name of the instances file; None: the model's name."""
    author: str | None = None
    with_prompt: bool = True
    """Whether all messages are written, as `prompt_out`."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Model args of the command line. They become part of the instances' args: without them, the
    instances could not be repeated."""

    def file(self, spec: Spec, model: str) -> Path:
        """Return the instances file of a test and a model."""
        name = self.name or _file_name(model)
        return spec.folder / INSTANCE_FOLDER / f"{name.removesuffix('.jsonl')}.jsonl"


def _file_name(model: str) -> str:
    """Return the name of a model's file. If characters of the model's name must be replaced, a hash
    is appended, so that `a b` and `a"b` get different files."""
    name = re.sub(r"[^\w.-]+", "-", model.replace("/", "--"))
    if name.replace("--", "/") == model:
        return name
    return f"{name}-{sha256(model.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class Recording(Watcher):
    """Collects the results of a run, to write them to instance files at the end."""

    def __init__(
        self, specs: Iterable[Spec], target: Target, *, provider_of: Callable[[str], str]
    ) -> None:
        self.specs = {spec.path: spec for spec in specs}
        self._provider_of = provider_of
        self._target = target
        self._rows: dict[Path, list[tuple[tuple[str, int, int], dict[str, Any]]]] = {}
        self.left_out = 0
        """Number of results that aren't recorded because they have no verdict."""
        self.with_secrets = 0
        """Number of results that aren't recorded because their args have a secret."""
        self.failures: list[LveError] = []
        """Why files couldn't be written."""

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        """Record a result."""
        self.take(result)

    def take(self, result: InstanceResult) -> None:
        """Record a result."""
        if result.verdict not in ("passed", "failed"):
            self.left_out += 1
            return
        spec, target = self.specs[result.test], self._target
        fields = instance_to_json(
            result,
            is_multi_run=spec.is_multi_run,
            author=target.author,
            run_info=run_info(result, provider=self._provider_of(result.model)),
            with_prompt=target.with_prompt,
        )
        fields["args"] = {**result.args, **target.model_args}
        if spec.variant is not None:
            fields["variant"] = spec.variant
        order = (result.source, result.line, result.repeat)
        self._rows.setdefault(self.file_of(result), []).append((order, fields))

    def file_of(self, result: InstanceResult) -> Path:
        """Return the file to which a result is written."""
        return self._target.file(self.specs[result.test], result.model)

    def put(self, file: Path, rows: list[tuple[int, dict[str, object]]]) -> None:
        """Write instances to a file.

        Args:
            file: the file.
            rows: line of the instance that was run, and what is recorded.

        Raises:
            LveError: the file can't be written.
        """
        append_instances(file, [fields for _, fields in rows])

    def write(self) -> dict[Path, int]:
        """Write the results to instance files, in the order of the instances. An error of a file
        is added to `failures`.

        Returns:
            File -> number of results.
        """
        written: dict[Path, int] = {}
        for file, rows in self._rows.items():
            rows.sort(key=lambda row: row[0])
            fit = [(at[1], fields) for at, fields in rows if not has_secret(fields)]
            self.with_secrets += len(rows) - len(fit)
            if not fit:
                continue
            try:
                with error_boundary(f"writing {display_path(file)}"):
                    self.put(file, fit)
            except LveError as error:
                self.failures.append(error)  # the other files can still be written
            else:
                written[file] = len(fit)
        return written


def run_info(result: InstanceResult, *, provider: str) -> dict[str, Any]:
    """Return the `run_info` of a recorded instance: whether a model answered, its name and the id
    that its server reported, the time, and the version of lve.

    Args:
        result: the result.
        provider: the model's provider; `scripted` and `dummy` are no models.
    """
    completions = [c for transcript in result.transcripts for c in transcript.completions]
    served = sorted({c.model for c in completions if c.model is not None})
    info: dict[str, JsonValue] = {
        "source": provider if provider in FAKE_PROVIDERS else "model",
        "model": result.model,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "lve": __version__,
    }
    if result.judged_by is not None:
        info["redacted"] = {"judged_by": result.judged_by}
    if served:
        info["served_model"] = served[0] if len(served) == 1 else served
    return info


def record_again(*, is_cached: bool) -> str:
    """Return what to do if a checker has crashed while answers were recorded.

    Args:
        is_cached: whether the answers are in the cache.
    """
    free = ": the answers come from the cache and cost nothing" if is_cached else ""
    return f"a checker couldn't judge: mend it and record again{free}"


def each_args_once(specs: Iterable[Spec], options: RunOptions, settings: Settings) -> PreviousRun:
    """Return a `PreviousRun` that makes each test run each row once.

    A test's instances may be several recordings of the same args, of several models or from earlier
    times. Recording all of them again would double the file each time.

    Raises:
        UsageError: there is nothing to record, or the model is `replay`.
    """
    results: Counter[ResultId] = Counter()
    for spec in specs:
        check_selection(spec, options)
        places = _places(spec, options, settings)
        for model in models_of(spec, options, settings):
            if provider_of(model, settings, base_url=options.base_url) == "replay":
                raise UsageError(
                    "replay only says what is recorded; name the model to record",
                    code="nothing_to_record",
                )
            repeats = range(repeats_of(spec.for_model(model), options, settings))
            results.update(
                result_id(spec.path, model, source, line, repeat)
                for source, line in places
                for repeat in repeats
            )
    if not results:
        raise UsageError(
            "nothing to record: the tests have no rows; give all parameters with -p NAME=VALUE",
            code="nothing_to_record",
        )
    return PreviousRun(only=results)


def _places(spec: Spec, options: RunOptions, settings: Settings) -> list[tuple[str, int]]:
    """Return file and line of each row without an answer, and of one of the answers to the same
    args."""
    rows: list[tuple[str, int]] = []
    last: dict[str, tuple[str, int]] = {}
    # The run itself reports what can't be read.
    with suppress(LveError), error_boundary("reading the rows"):
        for item in select_instances(spec, options, settings, once=True):
            if isinstance(item, Problem):
                continue
            if item.recorded is None:
                rows.append((item.source, item.line))
            else:
                args = canonical_json({**item.args, **options.model_args})
                last[args] = (item.source, item.line)
    return [*last.values(), *rows]
