"""`lve compare`: compares two runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

import click

from lve.cli.printing import View, print_message, print_view, warn
from lve.cli.report_files import find_session
from lve.cli.shared_options import json_option
from lve.comparison.compare import compare as compare_sides
from lve.comparison.compared import Comparison
from lve.comparison.comparison_json import comparison_json
from lve.comparison.gate_verdict import decide_gate
from lve.comparison.side import REVISION_PREFIX
from lve.documents.json_lines import file_json, plain
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.extensions.comparing.compared_markdown import comparison_markdown
from lve.extensions.comparing.comparison_options import (
    DEFAULT_FILE,
    GateCommand,
    alpha_option,
    gate_options,
    is_gate,
    session_dir_option,
    threshold_option,
    with_given,
)
from lve.extensions.comparing.comparison_text import comparison_lines
from lve.extensions.comparing.find_side import LATEST, find_sides, variant_sides
from lve.extensions.comparing.verbs.baseline import baseline_file, save_baseline
from lve.files.atomic_file import replace_file, unwritable
from lve.pipeline.choosing.loading import choose_workspace
from lve.reporting.terminal import Terminal


@click.command(cls=GateCommand)
@click.argument("sides", nargs=-1, metavar="[BEFORE [NOW]]")
@click.option(
    "--models",
    nargs=2,
    metavar="BEFORE NOW",
    help="Compare one model with another, within a session if only one is given.",
)
@click.option(
    "--variants",
    is_flag=True,
    help="Compare the variants of the tests' prompts: the first with each other.",
)
@click.option(
    "--prompts",
    nargs=2,
    metavar="BEFORE NOW",
    help="Compare one variant with another.",
)
@click.option(
    "--save",
    metavar="[FILE]",
    help="Keep the verdicts of a session (by default the last one) in FILE, to compare later runs. "
    "[default: the baseline of lve.yaml, or lve.baseline.json]",
)
@click.option(
    "--update", is_flag=True, help="With --save: update the session's tests in FILE, not others."
)
@click.option("--force", is_flag=True, help="With --save: replace FILE.")
@click.option(
    "--against",
    metavar="[FILE]",
    help="Compare a session (by default the last one) with what --save kept in FILE.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="Also compare the pass rates by the values of a column or tag, of two sessions.",
)
@alpha_option
@threshold_option
@gate_options
@click.option(
    "-o",
    "--output",
    multiple=True,
    metavar="FILE",
    help="Also write the comparison to a file: .md for a comment, or .json. Repeat for several.",
)
@session_dir_option
@json_option
@click.option("-v", "--verbose", is_flag=True, help="Print all tests, and all flips.")
@click.pass_context
def compare(ctx: click.Context, /, **words: Any) -> None:
    """Compare two runs: what broke, what was fixed, and why.

    Results are paired by row. BEFORE and NOW are sessions (`last`, `last~1`, an ID, the
    beginning of one), baselines (*.json), or rows recorded at a git revision (git:HEAD~1).
    NOW defaults to the last session, BEFORE to the latest one before it with a test in common.

    \b
    lve compare
    lve compare last~1 last --gate
    lve compare last~1 last --gate any
    lve compare last --models openai/gpt-6-luna openai/gpt-6-sol
    lve compare --variants
    lve compare last --prompts formal casual
    lve compare --by topic
    lve compare --save
    lve compare --against --gate
    """
    if words["save"]:
        _save(words)
        return
    if words["update"] or words["force"]:
        raise click.UsageError("--update and --force belong to --save")
    models = words["models"]
    sides = _sides(words)
    files = _plan_files(words["output"])
    comparison = _compared(sides, models, words)
    parts = _parts(sides, models, words)
    for file in files:
        _write(file, comparison, parts)
    view = _view(comparison, parts, shows_all=words["verbose"])
    print_view(view, as_json=words["as_json"])
    ctx.exit(_exit_code(comparison) if is_gate(words) else ExitCode.as_expected)


def _save(words: Mapping[str, Any]) -> None:
    """Write a baseline.

    Raises:
        click.UsageError: other options are given, which it can't do anything with.
    """
    others = (
        "models",
        "variants",
        "prompts",
        "against",
        "by",
        "output",
        "alpha",
        "threshold",
        "gate",
        "max_broken",
    )
    if any(words[name] for name in (*others, "allow_missing", "as_json", "verbose")):
        raise click.UsageError("--save only goes together with --update, --force, --session-dir")
    if words["update"] and words["force"]:
        raise click.UsageError("--update and --force don't go together")
    if len(words["sides"]) > 1:
        raise click.UsageError("--save takes one session")
    existing = "update" if words["update"] else "replace" if words["force"] else ""
    session = (*words["sides"], "last")[0]
    save_baseline(session, _file(words["save"]), existing, words["session_dir"])


def _file(name: str) -> Path | None:
    return None if name == DEFAULT_FILE else Path(name)


def _sides(words: Mapping[str, Any]) -> tuple[str, str]:
    """Return what is compared with what.

    Raises:
        click.UsageError: there are too many sides, or both are the same.
    """
    sides: tuple[str, ...] = words["sides"]
    if words["against"]:
        file = _file(words["against"]) or baseline_file()
        sides = (str(file), *(sides or ("last",)))
    if len(sides) > 2:
        raise click.UsageError(f"`lve compare` takes two runs, not {len(sides)}")
    within = words["models"] or words["prompts"] or words["variants"]
    if len(sides) < 2:
        alone = (sides or ("last",))[0]
        sides = (alone, alone) if within else (sides[0], "last") if sides else LATEST
    if sides[0] == sides[1] and not within:
        message = f"{sides[0]} is on both sides (NOW is the last session if left out): --models"
        raise click.UsageError(f"{message} compares two of its models, --variants its prompts")
    return sides[0], sides[1]


def _exit_code(comparison: Comparison) -> ExitCode:
    return decide_gate(comparison).verdict.value


def _plan_files(names: tuple[str, ...]) -> list[Path]:
    """Return the files to write.

    Raises:
        click.UsageError: a suffix is unknown.
    """
    files = [Path(name) for name in names]
    for file in files:
        if file.suffix not in (".md", ".json"):
            raise click.UsageError(f"{file}: a comparison is written to .md or .json")
    return files


def _write(file: Path, comparison: Comparison, parts: ComparedParts) -> None:
    """Write a comparison to a file.

    Raises:
        UsageError: it can't be written; an older one stays as it was.
    """
    import json

    if file.suffix == ".md":
        text = comparison_markdown(comparison) + parts.markdown()
    else:
        document = plain(_document(comparison, parts))
        text = file_json(document, partial(json.dumps, indent=2)) + "\n"
    try:
        replace_file(file, text.encode("utf-8", "replace"))
    except OSError as error:
        raise unwritable(file, error) from error
    print_message(f"wrote {file}")


def _compared(
    names: tuple[str, str], models: tuple[str, str] | None, words: dict[str, Any]
) -> Comparison:
    workspace = choose_workspace(())
    chosen = with_given(workspace.settings.comparison, words)
    session_dir = words["session_dir"]
    folder = Path(session_dir) if session_dir else workspace.session_dir
    sides = find_sides(names, workspace, folder, warn=warn)
    if words["variants"] or words["prompts"]:
        sides = variant_sides(*sides, words["prompts"])
    return compare_sides(*sides, models=models, settings=chosen)


def _parts(
    names: tuple[str, str], models: tuple[str, str] | None, words: Mapping[str, Any]
) -> ComparedParts:
    """Return the rates by column and tag, and the labels, of two sessions.

    Raises:
        UsageError: `--by` is given, and a side isn't a session.
        LveError: a session can't be read.
    """
    parts = extension_part("breakdown of two sessions")
    if not all(map(_is_session, names)):
        if words["by"]:
            message = "--by needs two sessions: a baseline or a revision has no columns and tags"
            raise UsageError(message, code="conflicting_options")
        return cast(ComparedParts, parts([]))
    if names[0] == names[1] and not models:  # two prompts of one session
        return cast(ComparedParts, parts([]))
    session_dir = words["session_dir"]
    place = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    before, now = (find_session(place, name) for name in names)
    return cast(ComparedParts, parts.of(before, now, by=words["by"], models=models))


def _is_session(name: str) -> bool:
    place = Path(name)
    return not (name.startswith(REVISION_PREFIX) or place.suffix == ".json" or place.is_file())


class ComparedParts(Protocol):
    """What is compared of parts of the results."""

    def to_json(self) -> list[dict[str, object]]:
        """Return it as in schemas/comparison.schema.json."""
        ...

    def lines(self, terminal: Terminal) -> Iterator[str]:
        """Yield lines of a text report."""
        ...

    def markdown(self) -> str:
        """Return it as Markdown."""
        ...


def _document(comparison: Comparison, parts: ComparedParts) -> dict[str, Any]:
    tables = parts.to_json()
    return {**comparison_json(comparison), **({"breakdown": tables} if tables else {})}


def _view(comparison: Comparison, parts: ComparedParts, *, shows_all: bool) -> View:
    terminal = Terminal.of(sys.stdout)
    lines = comparison_lines(comparison, terminal, shows_all=shows_all)
    return View(
        lambda: _document(comparison, parts),
        chain(parts.lines(terminal), lines),
        write=terminal.write,
    )
