"""`lve export inspect` and `lve export jsonl`: the results of a session."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from lve.cli.printing import warn
from lve.cli.report_files import find_session, write_reports
from lve.documents.json_lines import file_json
from lve.errors import Problem, UsageError
from lve.extension_table import extension_part
from lve.extensions.exporting.losses import CODE, Losses, write_text
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.reporting.files.outputs import plan_outputs
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession
from lve.workspace import display_path

ENDING = ".eval"
session_argument = click.argument("session", default="last")
folder_option = click.option(
    "--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]"
)


def session_of(session: str, session_dir: str | None) -> SessionFolder:
    """Return the folder of a session that the command line names."""
    place = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    return find_session(place, session)


@click.command()
@session_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="The log to write: NAME.eval.")
@folder_option
def inspect(session: str, output: str, session_dir: str | None) -> None:
    """Write a session as a log of Inspect.

    Its viewer and its functions read it.

    \b
    lve export inspect last -o logs/last.eval
    inspect view --log-dir logs
    """
    if not output.endswith(ENDING):
        raise UsageError(f"Inspect reads files that end with {ENDING}", code="output_file")
    folder = session_of(session, session_dir)
    losses = Losses()
    with RecordedSession.of(folder, on_result=partial(_lost, losses), warn=warn) as recorded:
        _check_results(recorded)
        for test in recorded.tests.values():
            if test.expect.kind != "pass":
                place = display_path((test.document and Path(test.document)) or folder.path)
                losses.add(Problem(f"expect: {test.expect.in_words}", place, code=CODE))
    write_reports(plan_outputs([output]), [folder])
    losses.print()


def _lost(losses: Losses, result: InstanceResult, _: object) -> None:
    """Add what Inspect's samples have no place for."""
    place = Path(result.test, result.source)
    runs = len(result.transcripts)
    whys = {
        "all runs of a row but its last one": runs > 1,
        "the answers of judges": bool(result.asked),
        "what a row adds to metrics over all rows": bool(result.parts),
    }
    for why in (why for why, applies in whys.items() if applies):
        losses.add(Problem(why, place, result.line, code=CODE))


@click.command()
@session_argument
@click.option("-o", "--output", metavar="FILE", help="Write this new file, instead of printing.")
@folder_option
def jsonl(session: str, output: str | None, session_dir: str | None) -> None:
    """Write the results of a session as flat JSON lines.

    There is one per row and repeat.

    The keys are the columns of the reports' tables (`lve report -o results.csv`).

    \b
    lve export jsonl last -o results.jsonl
    lve export jsonl | jq -r 'select(.verdict == "failed") | .response'
    """
    folder = session_of(session, session_dir)
    with RecordedSession.of(folder, warn=warn) as recorded:
        _check_results(recorded)
        flat = extension_part("flat rows")([recorded])
        count = write_text((file_json(row) for row in flat), output)
    if output is not None:
        click.echo(f"{amount(count, 'result')} in {output}", err=True)


def _check_results(recorded: RecordedSession) -> None:
    if not recorded.index.pairs:
        raise UsageError("the session has no results", code="nothing_to_export")
