"""`lve readme`: the generated block in the READMEs of tests."""

from __future__ import annotations

import click

from lve.cli.find_tests import each_test, exit_code
from lve.cli.printing import print_line, print_text
from lve.cli.shared_options import paths_argument
from lve.contributing.readme import write_readme, written
from lve.contributing.rules import README
from lve.errors import LveError, Problem
from lve.exit_code import ExitCode
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import choose_workspace
from lve.workspace import display_path


@click.command()
@paths_argument
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if stale.")
def readme(paths: tuple[str, ...], only_check: bool) -> int:
    """Keep the generated part of each test's README up to date.

    It says what the document and its recorded answers say. The block stands between two markers;
    what you write around it stays. A README that is missing is begun.

    \b
    lve readme repository/privacy/my_test
    lve readme repository --check
    """
    problems: list[Problem] = []
    lines: list[str] = []
    found = 0
    for spec in each_test(paths, choose_workspace(paths), problems):
        found += 1
        place = display_path(spec.folder / README)
        try:
            if only_check:
                page, wanted = written(spec)
                changed = page != wanted
            else:
                changed = write_readme(spec)
        except LveError as error:
            problems += problems_of(spec.folder / README, error)
            continue
        if changed:
            lines.append(f"{place}: {'not up to date' if only_check else 'written'}")
    for line in lines:  # only now: a reader that goes away ends what is still to do
        print_line(line)
    if found and not lines and not problems:
        print_text("all up to date")
    code = exit_code(found, problems, paths)
    return ExitCode.failed if only_check and lines and code == ExitCode.as_expected else code
