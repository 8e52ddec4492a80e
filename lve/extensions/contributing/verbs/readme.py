"""`lve contrib readme`: updates the generated block in the READMEs of tests."""

from __future__ import annotations

import click

from lve.cli.find_tests import each_test, exit_code
from lve.cli.printing import print_line, print_text, tell
from lve.cli.shared_options import paths_argument
from lve.errors import LveError, Problem
from lve.exit_code import ExitCode
from lve.extensions.contributing.description import write_readme, written
from lve.extensions.contributing.rules import README
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import choose_workspace
from lve.workspace import display_path


@click.command()
@paths_argument
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if a README is stale."
)
def readme(paths: tuple[str, ...], only_check: bool) -> int:
    """Update the generated part of each test's README.

    The part sums up the test document and its recorded answers. It is between two markers; the
    text around them stays unchanged. Makes a missing README.

    \b
    lve contrib readme repository/privacy/my_test
    lve contrib readme repository --check
    """
    problems: list[Problem] = []
    lines: list[str] = []
    stale: list[str] = []
    tests = 0
    for spec in each_test(paths, choose_workspace(paths), problems):
        tests += 1
        place = display_path(spec.folder / README)
        try:
            if only_check:
                page, updated = written(spec)
                changed = page != updated
            else:
                changed = write_readme(spec)
        except LveError as error:
            problems += problems_of(spec.folder / README, error)
            continue
        if changed:
            lines.append(f"{place}: {'not up to date' if only_check else 'written'}")
            stale.append(str(place))
    for line in lines:  # printed last: if the reader of stdout is gone, printing ends the command
        print_line(line)
    if tests and not lines and not problems:
        print_text("all up to date")
    tell(tests=tests, **{"stale" if only_check else "written": stale})
    code = exit_code(tests, problems, paths)
    return ExitCode.failed if only_check and lines and code == ExitCode.as_expected else code
