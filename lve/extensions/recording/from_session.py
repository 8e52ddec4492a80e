"""`lve record --from-session`: keeps answers that a session has, without asking again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lve.cli.printing import print_error, print_line, print_message, print_problems, warn
from lve.data.instances import iter_instances
from lve.documents.json_lines import canonical_json
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.recording.recording import Recording, Target
from lve.json_types import JsonObject
from lve.models.registry import provider_of
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import LoadedTests, choose_workspace, load_test, load_tests
from lve.secrets.secret_values import REDACTED
from lve.sessions.instance_result import REPLAY
from lve.sessions.resume import session_paths
from lve.sessions.session_folder import SessionFolder
from lve.settings.reserved import refusal_of_typed_arg
from lve.spec.prompt_sources import each_variant
from lve.spec.recorded_row import row_key
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path

Kept = tuple[int, str | None, str]
"""Key of a row's args, model, and the answers as JSON."""


def record_session(words: Mapping[str, Any], options: RunOptions) -> int:
    """Record the answers of a session, or those that failed. Return the exit code.

    Args:
        words: the values of the verb's options.
        options: those of a run that were given, too.

    Raises:
        LveError: the session can't be read, or there is nothing to record.
    """
    workspace = choose_workspace(list(words["paths"]) or ["."])
    place = Path(options.state) if options.state else workspace.session_dir
    folder = SessionFolder.find(place, words["from_session"], warn=warn)
    info = folder.info()
    attacks = info["options"].get("attacks")
    chosen = RunOptions(attacks=attacks, models=(REPLAY,)) if attacks else None
    paths = list(words["paths"]) or session_paths(info, workspace)
    loaded = load_tests(paths, workspace, warn=warn, options=chosen)
    target = Target(words["name"], words["author"], model_args=_model_args(info["options"]))
    recording = Recording(
        loaded.specs,
        target,
        provider_of=partial(provider_of, settings=workspace.settings, base_url=None),
    )
    tests = _take(recording, folder, target, only_failed=words["failed"])
    written = recording.write()
    if not written and not recording.failures:
        raise UsageError(
            f"session {folder.id} has no such answers that aren't recorded yet",
            code="nothing_to_record",
        )
    for line in _missing_attacks(tests, workspace):
        print_message(line)
    return _report(recording, written, loaded)


def _model_args(options: JsonObject) -> JsonObject:
    """Return the model args of a session's command line, such as the seed of an attack, but for
    those that are secret or that nobody may type."""
    brought: Any = options.get("model_args", {})
    return {
        name: value
        for name, value in brought.items()
        if REDACTED not in str(value) and not refusal_of_typed_arg(name)
    }


def _take(
    recording: Recording, folder: SessionFolder, target: Target, *, only_failed: bool
) -> list[Spec]:
    """Take the results of a session that aren't recorded yet, and return their tests."""
    tests: dict[str, Spec] = {}
    there: dict[str, set[Kept]] = {}
    for result in folder.results():
        spec = recording.specs.get(result.test)
        if spec is None or result.model == REPLAY or (only_failed and result.verdict != "failed"):
            continue
        if spec.path not in there:
            there[spec.path] = set(_recorded(spec))
        args = {**result.args, **target.model_args}
        key = row_key(args), result.model, canonical_json(list(result.responses))
        if key not in there[spec.path]:
            recording.take(result)
            tests[spec.path] = spec
    return [*tests.values()]


def _recorded(spec: Spec) -> Iterator[Kept]:
    for instance in iter_instances(spec):
        if isinstance(instance, Instance) and (recorded := instance.recorded) is not None:
            answers = canonical_json(list(recorded.responses))
            yield row_key(instance.args), recorded.model, answers


def _report(recording: Recording, written: Mapping[Path, int], loaded: LoadedTests) -> int:
    """Print what was recorded and what not, and return the exit code."""
    for file, count in written.items():
        print_line(f"recorded {count} in {display_path(file)}")
    if recording.left_out:
        print_message(f"{recording.left_out} without a verdict are not recorded")
    if recording.with_secrets:
        print_message(f"{recording.with_secrets} with a secret among their args are not recorded")
    for failure in recording.failures:
        print_error(failure)
    print_problems(problem for test in loaded.invalid for problem in test.problems)
    if loaded.invalid:
        return ExitCode.invalid
    return ExitCode.errors if recording.failures else ExitCode.as_expected


def _missing_attacks(tests: Sequence[Spec], workspace: Workspace) -> Iterator[str]:
    """Yield what to do about attacks of the command line, which the documents don't have."""
    missing: dict[Path, list[str]] = {}
    for spec in tests:
        if spec.attack not in (None, "none", "benign") and spec.path not in {
            each.path for each in each_variant(load_test(spec.file, workspace))
        }:
            missing.setdefault(spec.file, []).append(str(spec.attack))
    for file, names in missing.items():
        listed = ", ".join(names)
        yield f"add `attacks: [{listed}]` to {display_path(file)}: only then are they replayed"
