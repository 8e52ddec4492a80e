"""Finds what failed in an earlier session (`--last-failed`, `--failed-in`), to run it again with
the same models or with others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lve.options.run_options import DEFAULTS, OPTIONS, RunOptions
from lve.pipeline.choosing.repeats import repeats_of
from lve.sessions.instance_result import REPLAY, InstanceResult, ResultId
from lve.sessions.resume import PreviousRun, changed_tests, written_args
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.stored_options import restored_options
from lve.settings.settings import Caps, Settings
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace

MODEL_OPTIONS = ("models", "base_url", "batch")
"""Options that belong to the models: with other models, the earlier session's don't hold."""


def take_failures(
    previous: PreviousRun,
    session: SessionFolder,
    specs: Iterable[Spec],
    options: RunOptions,
    settings: Settings,
) -> None:
    """Make a run repeat only the instances that failed in an earlier session.

    Args:
        previous: decides what runs; its fields about `only` are set.
        session: the earlier session.
        specs: the tests as they are now.
        options: the run's options. If they name other models than the earlier session, each of
            these models gets every instance that failed with any model, with all repeats.
        settings: the workspace's settings.

    Raises:
        SessionError: the session's results can't be read.
    """
    is_other = has_other_models(session.info()["options"], options.tested)
    tests = {spec.path: spec for spec in specs}
    only, pairs = dict[ResultId, int](), set[tuple[str, str]]()
    for result in session.results():
        spec = tests.get(result.test)
        if spec is None or not _is_failure(result, spec):
            continue
        if not is_other:
            failed = previous.id_of(result.test, result.model, result, result.repeat)
            only[failed] = only.get(failed, 0) + 1
            pairs.add((result.test, result.model))
            continue
        for model in options.tested:
            repeats = repeats_of(spec.for_model(model), options, settings)
            first = result.repeat * repeats if result.model == REPLAY else 0
            numbers = range(first, first + repeats)
            ids = (previous.id_of(result.test, model, result, number) for number in numbers)
            only.update(dict.fromkeys(ids, 1))
            pairs.add((result.test, model))
    previous.only, previous.only_pairs = Counter(only), pairs
    previous.only_total, previous.failures_of = sum(only.values()), session.id


class Failures:
    """Looks up which instances failed in an earlier session, for listing or collecting tests.

    An instance is identified by its file and line, or by its args if its test has changed since.
    """

    def __init__(self, session: SessionFolder) -> None:
        """Args:
        session: the earlier session.

        Raises:
            SessionError: its results can't be read.
        """
        self._info = session.info()
        self._changed: dict[str, bool] = {}
        self._models: set[tuple[str, str]] = set()
        """Tests and models that the session ran."""
        self._verdicts: dict[tuple[str, str], list[InstanceResult]] = {}
        for result in session.results():
            self._models.add((result.test, result.model))
            if result.verdict in ("passed", "failed") and not result.advisory:
                for key in (_place(result), written_args(result.args)):
                    self._verdicts.setdefault((result.test, key), []).append(result)

    @classmethod
    def of(cls, name: str, workspace: Workspace, state: Path | None) -> Failures:
        """Read the failures of a session.

        Args:
            name: the session's id, the beginning of one, or `last`.
            workspace: the session's workspace.
            state: the folder of sessions, if it isn't the workspace's.

        Raises:
            NoSessionError: there is no such session.
            SessionError: its results can't be read.
        """
        return cls(SessionFolder.find(state or workspace.session_dir, name))

    def has(self, spec: Spec, instance: Instance, model: str | None = None) -> bool:
        """Whether an instance failed with a model, or with any model if the session didn't use this
        one.

        Args:
            spec: the test.
            instance: an instance of the test.
            model: the model; None: any.
        """
        key = written_args(instance.args) if self._has_changed(spec) else None
        results = self._verdicts.get((spec.path, key or _place(instance)), ())
        is_own = (spec.path, model) in self._models
        return any(
            result.verdict == spec.expect_for(result.model).unwanted
            for result in results
            if not is_own or result.model == model
        )

    def _has_changed(self, spec: Spec) -> bool:
        if spec.path not in self._changed:
            self._changed[spec.path] = bool(changed_tests(self._info, [spec]))
        return self._changed[spec.path]


def _place(row: InstanceResult | Instance) -> str:
    return f"{row.source}:{row.line}"


def with_failures(options: RunOptions, workspace: Workspace) -> RunOptions:
    """Return options that select what failed in the session of `failed_in`, for commands that show
    tests without running them.

    Raises:
        NoSessionError, SessionError: it can't be read.
    """
    if options.failed_in is None:
        return options
    failures = Failures.of(options.failed_in, workspace, options.state)
    return replace(options, picked=failures.has)


def options_for_failures(info: SessionInfo, fields: Mapping[str, Any], caps: Caps) -> RunOptions:
    """Return the options of a run that repeats what failed in a session: the session's own,
    overridden by those that are given now.

    Args:
        info: the content of the session's `session.json`.
        fields: fields of `RunOptions` that are given now; they may name other models.
        caps: the settings' caps.

    Raises:
        UsageError: as `restored_options`.
    """
    if not has_other_models(info["options"], RunOptions(**fields).tested):
        return restored_options(info["options"], fields, session=info["session"], caps=caps)
    stored = {name: option for name, option in info["options"].items() if name not in MODEL_OPTIONS}
    own = {name: option for name, option in fields.items() if name in MODEL_OPTIONS}
    others = {name: option for name, option in fields.items() if name not in MODEL_OPTIONS}
    return replace(restored_options(stored, others, session=info["session"], caps=caps), **own)


def previous_failures(
    session: SessionFolder, specs: Iterable[Spec], options: RunOptions, workspace: Workspace
) -> PreviousRun:
    """Return a `PreviousRun` that makes a run repeat only the instances that failed in a session.

    Args:
        session: the earlier session.
        specs: the tests as they are now.
        options: as for `take_failures`.
        workspace: the run's workspace.

    Raises:
        SessionError: the session's results can't be read.
    """
    specs = list(specs)
    changed = changed_tests(session.info(), specs)
    previous = PreviousRun(changed=changed)
    take_failures(previous, session, specs, options, workspace.settings)
    return previous


def failures_to_run(
    options: RunOptions, workspace: Workspace
) -> tuple[RunOptions, Callable[[Iterable[Spec]], PreviousRun | None]]:
    """Return the options of a run from Python, and a function from its tests to the `PreviousRun`
    that makes it repeat only what failed in the session of `failed_in`, if that is given.

    Raises:
        UsageError: as `restored_options`.
        NoSessionError, SessionError: the session can't be read.
    """
    if options.failed_in is None:
        return options, lambda specs: None
    session = SessionFolder.find(options.state or workspace.session_dir, options.failed_in)
    values = {name: getattr(options, name) for name in OPTIONS if name != "failed_in"}
    fields = {name: option for name, option in values.items() if option != getattr(DEFAULTS, name)}
    restored = options_for_failures(session.info(), fields, workspace.settings.caps)
    restored = replace(restored, own_models=options.own_models)
    return restored, lambda specs: previous_failures(session, specs, restored, workspace)


def has_other_models(stored: Mapping[str, Any], tested: tuple[str, ...]) -> bool:
    """Whether a run uses other models than an earlier session.

    Args:
        stored: the options in the session's `session.json`.
        tested: the models that are named now; empty: those of the session.
    """
    earlier = RunOptions(models=tuple(stored.get("models", ())), roles=stored.get("roles", {}))
    return bool(tested) and tested != earlier.tested


def _is_failure(result: InstanceResult, spec: Spec) -> bool:
    unwanted = spec.expect_for(result.model).unwanted
    return result.verdict == unwanted and not result.advisory
