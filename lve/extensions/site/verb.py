"""`lve site`: makes a static site of tests."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from lve.cli.find_tests import print_no_tests
from lve.cli.printing import print_line, print_message, print_problem, tell
from lve.cli.shared_options import paths_argument
from lve.errors import Problem, UsageError
from lve.escape import excerpt
from lve.exit_code import ExitCode
from lve.extensions.site.build import SiteBuilder, SiteOptions
from lve.extensions.site.output import SiteFolder, refuse_among_tests
from lve.extensions.site.recorded import Results, session_results
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.spec.discover import discover
from lve.workspace import Workspace, display_path

TITLE = "Tests of language models"
MAX_PRINTED = 10
"""Problems that are printed; the site lists all."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def site() -> None:
    """Make a static site of tests."""


@site.command()
@paths_argument
@click.option(
    "-o", "--output", required=True, metavar="FOLDER", help="Write the site to this folder."
)
@click.option("--title", default=TITLE, show_default=True, help="Title of the site.")
@click.option(
    "--source-url",
    metavar="URL",
    help="Web address of the workspace's files, for links to tests.",
)
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="SESSION",
    help="Also show the results of this session (`last` or an ID). Repeat for several.",
)
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
def build(
    paths: tuple[str, ...],
    output: str,
    title: str,
    source_url: str | None,
    sessions: tuple[str, ...],
    session_dir: str | None,
) -> int:
    """Write a static site of tests.

    The site has a list with search, and a page for each test: prompt, checkers, recorded answers,
    results by model, how to run it. It needs no server and no network. Invalid tests are listed
    with their problems. FOLDER is replaced at the end, and only if lve made everything in it.

    \b
    lve site build repository -o site
    lve site build repository -o site --session last
    lve site build -o site --source-url https://github.com/OWNER/NAME/blob/main
    """
    workspace = choose_workspace(paths)
    source = None if source_url is None else checked_url(source_url)
    warnings: list[Problem] = []
    files = list(discover(paths or (".",), report=warnings.append))
    if not files:
        print_no_tests(paths)
        return ExitCode.nothing_selected
    refuse_among_tests(Path(output), {file.parent for file in files}, workspace.root)
    results = _results(sessions, session_dir, workspace)
    with _ended_in_order(), SiteFolder(Path(output)) as folder:
        builder = SiteBuilder(workspace, folder, SiteOptions(title, source), results)
        builder.problems += warnings
        for file in files:
            builder.add(file)
        builder.finish()
        _report(builder, folder.place, len(folder.files), folder.bytes)
    return ExitCode.as_expected


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the command like Ctrl-C, which removes drafts. CI systems send it to a
    cancelled job."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def checked_url(url: str) -> str:
    """Return the URL if it is a web address without user, query and fragment.

    Raises:
        UsageError: it isn't.
    """
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web or parts.username is not None or parts.query or parts.fragment:
        hint = "https://github.com/OWNER/NAME/blob/main"
        raise UsageError(f"--source-url {excerpt(url)} is not an address like {hint}", code="usage")
    return url


def _results(names: tuple[str, ...], session_dir: str | None, workspace: Workspace) -> Results:
    if not names:
        return {}
    return session_results(names, Path(session_dir or workspace.session_dir), print_message)


def _report(builder: SiteBuilder, place: Path, files: int, size: int) -> None:
    for problem in builder.problems[:MAX_PRINTED]:
        print_problem(problem)
    if len(builder.problems) > MAX_PRINTED:
        print_message(
            f"{amount(len(builder.problems) - MAX_PRINTED, 'more problem')}: the site lists them"
        )
    if builder.broken:
        print_message(
            f"{amount(len(builder.broken), 'test')} without a page: `lve check` says what to do"
        )
    folder = display_path(place)
    tell(folder=str(folder), tests=len(builder.tests), files=files, bytes=size)
    tests = amount(len(builder.tests), "test")
    print_line(f"{tests} in {amount(files, 'file')}, {size / 1e6:.1f} MB: open {folder}/index.html")
