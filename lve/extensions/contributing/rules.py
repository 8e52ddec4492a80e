"""The rules for contributed tests: `lve check --contribute`, and CI.

Each rule is a function from a test to its problems. tests/test_repository.py applies the same rules
to every test of this repository.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lve.checkers.examples import example_problems
from lve.checkers.resolve import resolve_with
from lve.checkers.static import check_statically
from lve.data.instances import iter_instances
from lve.data.problems import row_problem
from lve.error_boundary import error_boundary
from lve.errors import LveError, MissingExtraError, Problem, Severity, SpecError, TrustError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.files.inside import DOCUMENT_BYTES, is_missing, read_inside, reason_of
from lve.limits.problems import first_problems
from lve.models.known_models import known_model
from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import models_named
from lve.pipeline.prospects.idle_expectations import idle_expectation
from lve.pipeline.rows.bound_answers import RecordedRepeats
from lve.pipeline.run import run_tests
from lve.pipeline.spec_for_model import for_model
from lve.prompts.plan import build_plan
from lve.sessions.instance_result import InstanceResult
from lve.settings.settings import Settings
from lve.spec.location import names_in_app
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path

README = "README.md"
TABLE = "repository/README.md"
"""Its table has a line for each category."""
SCHEMA = "schemas/test.schema.json"
WRITTEN_BY_RECORD = {"source", "model", "timestamp", "lve"}
"""Keys that `lve record` always writes into `run_info`."""
SHOWN = 10
"""The most wrong recorded answers that are listed."""
SHOWN_REASON = 600
"""The most characters of why one is wrong: a stale one's says what changed, and then what to do."""

Rule = Callable[[Spec, Workspace], Iterator[Problem]]


def names_known_models(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """The test's models are known, and won't be shut down."""
    for name in spec.models:
        if name.startswith("dummy/"):
            continue
        model = known_model(name, Settings())
        if model is None or model.ends is not None:
            what = "isn't known" if model is None else f"is shut down on {model.ends}"
            hint = "`lve models` lists those that are; `lve models show NAME` says more"
            yield _problem(spec, f"the model {name} {what}", hint)


def has_category_in_table(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """The table of the repository's README has a line for the test's category."""
    page = read_page(workspace.root, TABLE)
    line = f"| [{spec.category}]({spec.category}) |"
    if page is not None and line not in page:
        file = display_path(workspace.root / TABLE)
        yield Problem(
            f"has no line for {spec.category}",
            file,
            hint=f"add `{line} ABOUT |`",
            code="contribution",
        )


def is_complete(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """The test has no warnings, and has a README, both kinds of examples, a `$schema` line, and all
    its files in its folder."""
    for name in names_in_app(spec):
        hint = "copy it into the folder: others don't have the application"
        yield _problem(spec, f"`{name}` is outside the test folder", hint)
    yield from build_plan(spec).warnings
    yield from (_problem(spec, warning) for warning in spec.warnings)
    page = read_page(spec.folder, README)
    if page is None or not page.startswith("# "):
        what = "is missing" if page is None else "doesn't begin with a title (`# ...`)"
        hint = "say what you test, why, and what a failure means (`lve contrib readme` begins one)"
        yield Problem(what, display_path(spec.folder / README), hint=hint, code="contribution")
    needed = set() if spec.attack == "benign" else {"passed", "failed"}  # it has another check
    for verdict in sorted(needed - {example.verdict for example in spec.examples}):
        hint = f"add one to `examples`, with `verdict: {verdict}`"
        yield _problem(spec, f"no example says what has {verdict}", hint)
    yield from _schema_line(spec, workspace)


def can_be_missed(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """The expectation means what it says, and there are results that don't meet it."""
    rows = sum(isinstance(problem, Instance) for problem in iter_instances(spec))
    models = models_named(spec, DEFAULTS, workspace.settings) or ("",)
    tests = [for_model(spec, model, DEFAULTS, workspace.settings) for model in models]
    problems = [
        problem for test in tests for problem in idle_expectation(test, rows, workspace.settings)
    ]
    yield from (replace(problem, severity="error") for problem in dict.fromkeys(problems))


def proves_its_checkers(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """Checkers are valid and judge the examples as the test expects."""
    problems = check_statically(spec)
    yield from problems
    if not problems:
        judge = resolve_with(spec, workspace.settings, trusted=False)
        yield from example_problems(spec, judge)


def keeps_its_verdicts(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """Irrelevant changes (markdown, spaces, ...) don't flip the verdict on an example."""
    tried = extension_part("changed examples")(spec, workspace.settings)
    if tried is None:
        return
    if tried.flips:
        hint = "`lve check --mutate` shows how"
        changes = sorted({flip.change for flip in tried.flips})
        yield _problem(spec, f"verdicts on examples flip with {', '.join(changes)}", hint)
    if tried.is_cut_short:
        yield _problem(spec, "its examples take too long to judge", "use fewer, or shorter ones")


def has_honest_answers(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """There are recorded answers, and each names its model or is marked as handwritten."""
    count = 0
    for instance in iter_instances(spec):
        count += 1
        if isinstance(instance, Problem):
            yield instance
        elif reason := _why_dishonest(spec, instance):
            hint = "`lve record` writes what is needed"
            yield row_problem(spec, instance, reason, hint=hint, code="contribution")
    if not count:
        hint = "`lve record` keeps answers of a model in instances/"
        yield _problem(spec, "has no recorded answers", hint)


def replays(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    """The recorded answers are judged as the test expects, and as they were when recorded."""
    options = RunOptions(models=("replay",), keep=False, allow_inconclusive=True)
    result = asyncio.run(run_tests([spec], options, warn=lambda text: None, keep_results=True))
    summary = result.summary
    if spec.path in summary.unavailable:
        message, _, code = summary.skipped[spec.path].removesuffix("]").rpartition(" [")
        file = display_path(spec.file)
        yield Problem(f"not replayed: {message}", file, severity="warning", code=code)
        return
    if spec.skip is not None:
        yield _problem(spec, f"it is skipped: {excerpt(spec.skip)}", severity="warning")
    if (missing := summary.not_recorded()).count:
        yield _problem(spec, str(missing), severity="warning")
    if few := RecordedRepeats(spec).add_all(iter_instances(spec)).problem("warning"):
        yield few
    for test in result.invalid:
        yield from test.problems
    wrong = [judged for judged in result.results if _is_wrong(judged, spec)]
    for judged in wrong[:SHOWN]:
        reason = excerpt(judged.reason, SHOWN_REASON)
        place = display_path(spec.folder / judged.source)
        message = f"the recorded answer {_how_wrong(judged)}: {reason}"
        yield Problem(message, place, judged.line, code=judged.error_kind or "contribution")
    if len(wrong) > SHOWN:
        yield _problem(spec, f"so do {len(wrong) - SHOWN} more recorded answers")
    if not (wrong or result.invalid or result.exit_code() == 0):
        verdicts = [tally.verdict() for tally in summary.tallies.values()]
        yield _problem(spec, "; ".join(f"{verdict}: {reason}" for verdict, reason in verdicts))


RULES: Mapping[str, Rule] = {
    "models": names_known_models,
    "category": has_category_in_table,
    "complete": is_complete,
    "expectation": can_be_missed,
    "examples": proves_its_checkers,
    "mutations": keeps_its_verdicts,
    "answers": has_honest_answers,
    "replay": replays,
}
"""Name -> rule."""
OF_ANSWERS = ("examples", "replay")
"""The rules of `lve check --replay`, which judge answers."""


def broken_rules(
    spec: Spec, workspace: Workspace, names: tuple[str, ...] = tuple(RULES)
) -> Iterator[Problem]:
    """Yield a test's problems. A rule that can't be checked on this machine gives a warning.

    Args:
        spec: the test.
        workspace: the workspace, with its settings.
        names: the names of the rules.
    """
    for name in names:
        try:
            with error_boundary(f"checking the rule `{name}`"):
                problems = first_problems(RULES[name](spec, workspace))
            yield from problems
        except MissingExtraError as error:
            yield _problem(spec, f"not checked here ({name}): {error}", severity="warning")
        except TrustError as error:
            hint = "a maintainer reads the code and trusts it; until then CI doesn't run it"
            yield _problem(spec, f"not checked ({name}): {error}", hint)
        except LveError as error:
            yield from problems_of(spec.file, error)


def _schema_line(spec: Spec, workspace: Workspace) -> Iterator[Problem]:
    text = read_inside(spec.folder, spec.file.name, DOCUMENT_BYTES).decode(errors="replace")
    reference = re.search(r"""\$schema["']?\s*[:=]\s*["']?([^\s"',]+)""", text)
    schema = workspace.root / SCHEMA
    way = Path(*[".."] * len(spec.folder.relative_to(workspace.root).parts), SCHEMA)
    if reference is None:
        hint = f"`$schema: {way.as_posix()}`: `lve check` and editors explain mistakes with it"
        yield _problem(spec, f"has no `$schema` line with the way to {SCHEMA}", hint)
    elif schema.exists() and (spec.folder / reference[1]).resolve() != schema.resolve():
        yield _problem(spec, f"`$schema` isn't {SCHEMA}", f"write {way.as_posix()}")


def _why_dishonest(spec: Spec, instance: Instance) -> str | None:
    recorded = instance.recorded
    if recorded is None:
        return "has no recorded answer to replay"
    if recorded.is_handwritten:
        if dict(recorded.run_info) != {"source": "handwritten"}:
            return 'a handwritten answer says just `"run_info": {"source": "handwritten"}`'
    elif reason := _missing_in_run_info(recorded):
        return reason
    if spec.expect.kind == "rate" or recorded.passed is (spec.expect.kind == "pass"):
        return None
    state = "is missing" if recorded.passed is None else f"is {str(recorded.passed).lower()}"
    return f"`passed` {state}, and the test expects every answer to {spec.expect.kind}"


def _missing_in_run_info(recorded: Recorded) -> str | None:
    missing = WRITTEN_BY_RECORD - recorded.run_info.keys()
    if missing:
        return f"`run_info` lacks {', '.join(sorted(missing))}: which model answered, and when?"
    if recorded.run_info["source"] == "replay":
        return "a replayed answer is no answer of a model"
    return None


def _is_wrong(result: InstanceResult, spec: Spec) -> bool:
    if result.verdict == "error":
        return True
    if result.recorded is not None and result.verdict in ("passed", "failed"):
        return result.verdict != result.recorded
    return spec.expect.kind != "rate" and result.verdict == spec.expect.unwanted


def _how_wrong(result: InstanceResult) -> str:
    if result.recorded is not None and result.verdict in ("passed", "failed"):
        return f"was recorded as {result.recorded} and is now {result.verdict}"
    return "can't be judged" if result.verdict == "error" else f"is {result.verdict}"


def _problem(
    spec: Spec, message: str, hint: str | None = None, *, severity: Severity = "error"
) -> Problem:
    return Problem(
        message, display_path(spec.file), hint=hint, severity=severity, code="contribution"
    )


def read_page(folder: Path, name: str) -> str | None:
    """Return the text of a Markdown file; None if it doesn't exist.

    Raises:
        LveError: the file can't be read.
    """
    try:
        return read_inside(folder, name, DOCUMENT_BYTES).decode("utf-8")
    except OSError as error:
        if is_missing(error):
            return None
        raise SpecError(
            [Problem(reason_of(error), display_path(folder / name), code="unreadable")]
        ) from None
    except UnicodeDecodeError:
        raise SpecError(
            [Problem("must be UTF-8", display_path(folder / name), code="encoding")]
        ) from None
