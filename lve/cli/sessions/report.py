"""`lve report`: writes reports of sessions to files."""

from __future__ import annotations

from pathlib import Path

import click

from lve.cli.report_files import find_sessions, write_reports
from lve.cli.shared_options import output_options
from lve.exit_code import ExitCode
from lve.pipeline.choosing.loading import choose_workspace
from lve.reporting.files.outputs import plan_outputs


@click.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION...]")
@output_options
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
def report(
    sessions: tuple[str, ...], output: tuple[str, ...], github: bool, session_dir: str | None
) -> int:
    """Write reports of sessions to files.

    A SESSION is `last` (the default), `last~1` for the one before it, an ID, the beginning of one,
    or the folder of a session. Several are reported together. Reads only the folders of the
    sessions, and runs nothing.

    \b
    -o report.html      a page with everything in it, for people
    -o comment.md       a summary, short enough for a comment
    -o results.csv      a table for spreadsheets
    -o results.xlsx     the same table, for Excel
    -o results.parquet  the same table, with types
    -o results.jsonl    a JSON line for each result
    -o log.eval         a log for Inspect's viewer
    -o report.json      everything, with the transcripts
    -o report.xml       JUnit's format, which CI systems read

    \b
    lve report -o report.html
    lve report last~1 last -o results.csv -o report.json
    """
    if not (output or github):
        raise click.UsageError(
            "give a file to write, such as -o report.html; `lve report --help` lists the suffixes"
        )
    files, workspace = plan_outputs(output), choose_workspace(())
    folder = Path(session_dir) if session_dir else workspace.session_dir
    folders = find_sessions(folder, sessions or ("last",))
    write_reports(files, folders, github=workspace.root if github else None)
    return ExitCode.as_expected
