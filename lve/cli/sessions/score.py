"""`lve score`: judges the answers of a session again."""

from __future__ import annotations

from typing import Any

import click

from lve.cli.run.command_options import given_options, run_options
from lve.cli.sessions.session_report import SessionRequest, execute
from lve.cli.shared_options import report_form, report_options
from lve.run_options import RunOptions


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
    session_dir: str | None,
    **given: Any,
) -> None:
    """Judge a session's answers again, without the tested model.

    Doesn't change the session. Compares the new verdicts with those of the session ("recorded").
    The session has the answers of judges, too: a judge gets only new questions, unless --role
    names another judge.

    \b
    lve score last                      after changing a checker
    lve score 20261121-1135 repository/privacy
    lve score last --role judge=groq/openai/gpt-oss-120b
    """
    name, detail = report_form(given)
    asking = RunOptions(**given_options(given))
    request = SessionRequest(
        session=session,
        format=name,
        detail=detail,
        judges=True,
        paths=paths,
        trust=asking.trust,
        session_dir=session_dir,
        allow_inconclusive=asking.allow_inconclusive,
        asking=asking,
    )
    ctx.exit(execute(request))
