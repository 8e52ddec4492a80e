"""`lve merge`: joins the sessions of a run's shards into one."""

from __future__ import annotations

from pathlib import Path

import click

from lve.cli.talk import say_line, tell, warn


@click.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option(
    "--session-dir",
    metavar="FOLDER",
    help="Folder that the merged session goes to.  [default: .lve]",
)
@click.option(
    "--allow-inconclusive",
    is_flag=True,
    help="A test that could not be decided doesn't make the merge fail.",
)
def merge(sessions: tuple[str, ...], session_dir: str | None, allow_inconclusive: bool) -> int:
    """Join the sessions of a run's shards into one.

    A SESSION is the folder of one (as CI artifacts bring them), or an ID. What comes out is what a
    single run would have written: verdicts, rates, what was spent. Prints the new session's ID;
    `lve show`, `lve report` and `lve compare` take it from there. The exit code is that of a single
    run, too.

    \b
    lve run tests --shard 1/2
    lve run tests --shard 2/2
    lve merge last~1 last
    lve show last
    """
    from lve.pipeline.loading import choose_workspace
    from lve.pipeline.merging import merge_sessions
    from lve.pipeline.result import RunResult
    from lve.redaction import own_redactor
    from lve.results.session import SessionFolder
    from lve.results.session_file import INFO_FILE
    from lve.verdicts.recorded import RecordedSession

    place = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    redact = own_redactor()
    folders = [
        SessionFolder(Path(name), redact)
        if (Path(name) / INFO_FILE).exists()
        else SessionFolder.find(place, name, redact=redact, warn=warn)
        for name in sessions
    ]
    merged = merge_sessions(folders, place)
    say_line(merged.id)
    with RecordedSession.of(merged, warn=warn) as recorded:
        summary, status = recorded.summary, recorded.info["status"]
    tell(f"merged {len(folders)} shards: {summary.tests_text()}; `lve show {merged.id}` says more")
    return RunResult(summary, status, merged, allow_inconclusive=allow_inconclusive).exit_code()
