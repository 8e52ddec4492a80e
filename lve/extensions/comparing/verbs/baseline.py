"""`lve compare --save`: keeps a session's verdicts in a file, to compare later runs with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from lve.cli.printing import View, print_message, tell, warn
from lve.cli.shared_options import shows
from lve.comparison.baseline import BaselineSide, baseline_of, read_baseline
from lve.comparison.session_side import SessionSide
from lve.comparison.side import Side
from lve.documents.json_lines import file_json, plain
from lve.errors import UsageError, with_code
from lve.escape import one_line
from lve.extensions.comparing.comparison_options import session_dir_option
from lve.files.atomic_file import replace_file, unwritable
from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.wording import percent
from lve.workspace import Workspace, display_path

Command = TypeVar("Command", bound=Callable[..., Any])


class BaselineCounts(NamedTuple):
    """The counts of a test and model in a baseline."""

    test: str
    model: str
    instances: int
    passed: int
    failed: int
    errors: int


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def baseline() -> None:
    """Keep a session's verdicts in a file, to compare later runs.

    The same as `lve compare --save`, `--update` and `--against`, and `lve show FILE`. The file is
    small and sorted, with one row per line: commit it, and review its changes.
    `lve compare --against FILE --gate`, `lve run --baseline FILE` and `pytest --lve-baseline FILE`
    compare with it.
    """


def _file_option(command: Command) -> Command:
    return click.option(
        "-o",
        "--output",
        "file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The baseline file.  [default: that of lve.yaml, or lve.baseline.json]",
    )(command)


session_argument = click.argument("session", default="last", metavar="[SESSION]")


@baseline.command()
@session_argument
@_file_option
@click.option("--force", is_flag=True, help="Replace an existing baseline.")
@session_dir_option
def save(session: str, file: Path | None, force: bool, session_dir: str | None) -> None:
    """Make a baseline of a session, the last one by default.

    \b
    lve compare --save
    lve compare 20261122 --save nightly.baseline.json
    """
    save_baseline(session, file, "replace" if force else "", session_dir)


def save_baseline(session: str, file: Path | None, existing: str, session_dir: str | None) -> None:
    """Write the verdicts of a session to a baseline.

    Args:
        session: its name.
        file: the baseline; by default that of the settings.
        existing: what becomes of a baseline that exists: `replace` it, `update` the session's tests
            in it and leave the others, or refuse (empty).
        session_dir: the folder of sessions; by default that of the workspace.

    Raises:
        UsageError: the baseline exists, or verdicts would be lost.
    """
    workspace, place = _baseline_file(file)
    if existing == "update":
        old = read_baseline(place)
        _write(_session(session, session_dir, workspace), place, old)
        return
    if place.exists() and not existing:
        raise UsageError(
            f"the baseline {display_path(place)} exists: --update updates the session's tests in "
            "it, --force replaces it",
            code="exists",
        )
    _write(_session(session, session_dir, workspace), place, None)


@baseline.command()
@session_argument
@_file_option
@session_dir_option
def update(session: str, file: Path | None, session_dir: str | None) -> None:
    """Update the tests of a session in the baseline; other tests stay unchanged.

    \b
    lve compare --save --update
    git diff lve.baseline.json
    """
    save_baseline(session, file, "update", session_dir)


@baseline.command()
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@shows
def show(file: Path | None) -> View:
    """Show the counts of each test and model in a baseline.

    \b
    lve show lve.baseline.json
    lve show nightly.baseline.json --json
    """
    return baseline_view(file)


def baseline_view(file: Path | None) -> View:
    """Return the counts of each test and model in a baseline, by default that of the settings."""
    _, place = _baseline_file(file)
    side = read_baseline(place)
    document = {
        "file": str(display_path(place)),
        "made": side.content["made"],
        "tests": [counts._asdict() for counts in _counts(side)],
    }
    return View(lambda: document, _lines(side))


def _lines(side: BaselineSide) -> Iterator[str]:
    origin = side.content["made"]
    yield f"made of {origin['from']}, {origin['started'][:16]}"
    for counts in _counts(side):
        judged = counts.passed + counts.failed
        rate = percent(counts.passed / judged, 1) if judged else "no verdict"
        errors = f", {amount(counts.errors, 'error')}" if counts.errors else ""
        yield (
            f"{one_line(counts.test)}  {one_line(counts.model)}: {counts.passed:,}/{judged:,} = "
            f"{rate} ({amount(counts.instances, 'row')}{errors})"
        )


def _baseline_file(file: Path | None) -> tuple[Workspace, Path]:
    """Return the workspace of the current folder, and the file of its baseline."""
    workspace = choose_workspace(())
    return workspace, file or workspace.root / workspace.settings.comparison.baseline


def baseline_file() -> Path:
    """Return the baseline of the current folder's workspace, whether or not it exists."""
    return _baseline_file(None)[1]


def _session(name: str, session_dir: str | None, workspace: Workspace) -> Side:
    folder = Path(session_dir) if session_dir else workspace.session_dir
    session = SessionFolder.find(folder, name, warn=warn)
    return SessionSide(session, warn=warn)


def _write(side: Side, place: Path, old: BaselineSide | None) -> None:
    saved = baseline_of(side, older=old.content if old else None)
    new = BaselineSide(place, saved.content)
    counts = _counts(new)
    if not any(row.passed or row.failed for row in counts):
        raise UsageError(
            f"{side.facts.name} has no verdict: there is nothing to compare with",
            code="nothing_to_compare",
        )
    if old is not None:
        _refuse_loss(side, old, new)
    write_baseline(place, saved.content)
    if side.facts.ended:
        warning = f"not everything has run in {side.facts.name} ({side.facts.ended}): the baseline"
        warn(with_code(f"{warning} has only the results that are there", "left_out"))
    if saved.left_out:
        warning = f"{amount(saved.left_out, 'result')} of high repeats left out"
        warn(with_code(warning, "left_out"))
    if errors := sum(row.errors for row in counts):
        warning = f"{amount(errors, 'result')} without a verdict, which can't be compared"
        warn(with_code(warning, "left_out"))
    if old is not None:
        print_message(_changes(old, new))
    tests = len({row.test for row in counts})
    tell(file=str(display_path(place)), tests=tests, session=side.facts.name)
    print_message(f"wrote {display_path(place)}: {amount(tests, 'test')} of {side.facts.name}")


def _refuse_loss(side: Side, old: BaselineSide, new: BaselineSide) -> None:
    """Refuse an update by a session that didn't run all rows, if it would lose verdicts.

    Raises:
        UsageError: it would.
    """
    why = ", ".join(filter(None, [*side.facts.picked, side.facts.ended]))
    lost = {row[:6] for row in old.rows()} - {row[:6] for row in new.rows()}
    if why and lost:
        raise UsageError(
            f"{side.facts.name} didn't run all rows ({why}): {amount(len(lost), 'verdict')} of the "
            "baseline would go; run all, or replace it with `lve compare --save --force`",
            code="nothing_to_compare",
        )


def _changes(old: BaselineSide, new: BaselineSide) -> str:
    """Return how many verdicts an update changes, adds and removes, in words."""
    before = {row[:6]: row.verdict for row in old.rows()}
    now = {row[:6]: row.verdict for row in new.rows()}
    changed = sum(before[key] != verdict for key, verdict in now.items() if key in before)
    added, lost = len(now.keys() - before.keys()), len(before.keys() - now.keys())
    return f"{amount(changed, 'verdict')} changed, {added:,} new, {lost:,} gone"


def _counts(side: BaselineSide) -> list[BaselineCounts]:
    return [
        BaselineCounts(
            test,
            model,
            len(instances),
            *(sum(letters.count(letter) for letters in instances.values()) for letter in "PFE"),
        )
        for test, content in side.content["tests"].items()
        for model, instances in content["models"].items()
    ]


def write_baseline(file: Path, content: JsonObject) -> None:
    """Write a baseline, replacing the file in one step.

    Raises:
        UsageError: the file can't be written; an older one is unchanged.
    """
    text = file_json(plain(content), partial(json.dumps, indent=1)) + "\n"
    try:
        replace_file(file, text.encode("ascii"))
    except OSError as error:
        raise unwritable(display_path(file), error) from error
