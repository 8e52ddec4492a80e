"""`lve score`: judges the answers of a session again."""

from __future__ import annotations

import click

from lve.cli.run.command_options import run_options
from lve.cli.session_report import SessionRequest, execute
from lve.cli.shared_options import report_form, report_options


@click.command()
@click.argument("session", metavar="SESSION|last")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@run_options("score")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
@report_options
@click.pass_context
def score(
    ctx: click.Context,
    /,
    session: str,
    paths: tuple[str, ...],
    allow_inconclusive: bool,
    trust: bool,
    session_dir: str | None,
    **reporting: bool,
) -> None:
    """Judge a session's answers again, without asking a model.

    Writes nothing. Compares the new verdicts with those of the session ("recorded").

    \b
    lve score last                      after a change of a checker
    lve score 20261121-1135 repository/privacy
    """
    name, detail = report_form(reporting)
    request = SessionRequest(
        session, name, detail, True, paths, trust, session_dir, allow_inconclusive
    )
    ctx.exit(execute(request))
