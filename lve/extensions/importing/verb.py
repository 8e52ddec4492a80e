"""`lve import`: converts the tests of another tool to test folders."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from lve.cli.check.check_output import Checked, document, print_checked, summary
from lve.cli.check.command import MAX_ROWS, each_checked
from lve.cli.printing import View, print_message, print_view, warn
from lve.cli.shared_options import json_option
from lve.errors import with_code
from lve.exit_code import ExitCode
from lve.extensions.importing.find import import_tests
from lve.extensions.importing.folders import write_tests

MAX_PRINTED = 100
"""Warnings about what was left out that are printed at most."""


@click.command("import")
@click.argument("format_", metavar="FORMAT")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the test folders here. It must be empty or not exist.",
)
@json_option
def import_(format_: str, source: Path, output: Path, as_json: bool) -> int:
    """Convert the tests of another tool to test folders.

    Prints what it leaves out, and checks each test like `lve check`. Runs no code of SOURCE. FORMAT
    is promptfoo, openai-evals, or the name of a plugin.

    \b
    lve import promptfoo promptfooconfig.yaml -o tests
    """
    imported = import_tests(format_, source)
    left_out = list(islice(imported.left_out, MAX_PRINTED))
    if more := len(imported.left_out) - len(left_out):
        left_out.append(f"{more:,} more things are left out")
    try:
        # Written first: if the reader of stdout is gone, printing ends the command.
        write_tests(imported.tests, output)
    finally:  # where nothing can be written, these say why
        if not as_json or not imported.tests:
            for sentence in left_out:
                warn(type(sentence)(with_code(sentence, "importer_left_out")))
    if not as_json:
        for note in islice(imported.notes, MAX_PRINTED):
            print_message(f"note: {note}")
    checked: list[Checked] = []
    for result in each_checked((str(output),), MAX_ROWS):
        checked.append(result)
        if not as_json:
            print_checked(result)
    lines = summary(checked, trust=False).split("\n")
    view = View(
        lambda: {**document(checked), "left_out": left_out, "notes": [*imported.notes]}, lines
    )
    print_view(view, as_json=as_json)
    is_valid = all(result.is_valid for result in checked)
    return ExitCode.as_expected if is_valid else ExitCode.invalid
