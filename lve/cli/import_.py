"""`lve import`: turns the tests of another tool into test folders."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from lve.cli.check.check_output import Checked, document, print_checked, summary
from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import print_json, print_text, warn
from lve.cli.shared_options import json_option
from lve.errors import with_code
from lve.exit_code import ExitCode
from lve.importers.find import import_tests
from lve.importers.folders import write_tests

MAX_TOLD = 100
"""Most things left out that are told."""


@click.command("import")
@click.argument("format_", metavar="FORMAT")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Where the test folders go. It must not exist, or be empty.",
)
@json_option
def import_(format_: str, source: Path, output: Path, as_json: bool) -> int:
    """Turn the tests of another tool into test folders.

    Says what it leaves out, and checks each test as `lve check` does. Runs nothing of the source.
    FORMAT is promptfoo, or what a plugin brings.

    \b
    lve import promptfoo promptfooconfig.yaml -o tests
    """
    imported = import_tests(format_, source)
    told = list(islice(imported.left_out, MAX_TOLD))
    if more := len(imported.left_out) - len(told):
        told.append(f"{more:,} more things are left out")
    write_tests(imported.tests, output)  # first: a reader that goes away ends what is still to do
    if not as_json:
        for sentence in told:
            warn(with_code(sentence, "importer_left_out"))
    checked: list[Checked] = []
    for result in each_checked((str(output),), MAX_ROWS):
        checked.append(result)
        if not as_json:
            print_checked(result)
    if as_json:
        print_json({**document(checked), "left_out": told})
    else:
        print_text(summary(checked, trust=False))
    is_valid = all(result.is_valid for result in checked)
    return ExitCode.as_expected if is_valid else ExitCode.invalid
