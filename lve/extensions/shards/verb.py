"""`lve session merge`: merges the sessions of a run's shards into one."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from lve.cli.printing import print_line, print_message, tell, warn
from lve.cli.report_files import find_session
from lve.escape import escape_line
from lve.extensions.shards.merge import merge_shards
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.result import RunResult
from lve.sessions.storage import storage_of
from lve.verdicts.recorded import RecordedSession


@click.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Write the merged session to this folder, which must not exist.  [default: a new session "
    "in --session-dir]",
)
@click.option(
    "--session-dir",
    metavar="FOLDER",
    help="Folder of sessions, also for the merged one.  [default: .lve]",
)
@click.option(
    "--allow-inconclusive",
    is_flag=True,
    help="Don't fail because of inconclusive tests.",
)
def merge(
    sessions: tuple[str, ...],
    output: str | None,
    session_dir: str | None,
    allow_inconclusive: bool,
) -> int:
    """Merge the sessions of a run's shards into one.

    A SESSION is an ID, or the folder of a session, such as a CI artifact. The merged session is
    what a single run would have written: verdicts, rates, costs. Prints its ID, or the folder of
    -o. `lve report`, `lve compare` and `lve view` accept both, other commands only the ID. The exit
    code is that of a single run, too.

    \b
    lve run tests --shard 1/2
    lve run tests --shard 2/2
    lve session merge last~1 last
    lve show last
    """
    workspace = choose_workspace(())
    place = Path(session_dir) if session_dir else workspace.session_dir
    folders = [find_session(place, name) for name in sessions]
    merged = merge_shards(folders, place, output=Path(output) if output else None, warn=warn)
    if output is None:
        storage_of(workspace.settings.cache).upload(merged.path, warn=warn)
    name, look = (output, "lve report") if output else (merged.id, "lve show")
    print_line(name)
    tell(session=name, shards=len(folders))
    with RecordedSession.of(merged, warn=warn) as recorded:
        summary, status = recorded.summary, recorded.info["status"]
    next_step = escape_line(shlex.join([*look.split(), name]))
    print_message(f"merged {len(folders)} shards: {summary.tests_text()}; `{next_step}` says more")
    if status != "complete":
        go_on = "run the shards that ended early again" if output else f"`lve run --resume {name}`"
        print_message(
            f"the session isn't complete, because a shard ended early ({status}): {go_on}"
        )
    return RunResult(summary, status, merged, allow_inconclusive=allow_inconclusive).exit_code()
