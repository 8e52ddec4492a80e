"""`lve score`: the checkers as they are now, on the answers that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lve.cli.options import json_option, trust_option

if TYPE_CHECKING:
    from lve.reporting import Detail


@click.command()
@click.argument("session", metavar="SESSION|last")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@trust_option
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
@click.option("--strict", is_flag=True, help="Exit with 4 when a test is inconclusive.")
@json_option
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print JSON lines.")
@click.option("-q", "--quiet", is_flag=True, help="Print the summary only.")
@click.option("-v", "--verbose", is_flag=True, help="Print every instance.")
@click.pass_context
def score(
    ctx: click.Context,
    session: str,
    paths: tuple[str, ...],
    trust: bool,
    session_dir: str | None,
    strict: bool,
    as_json: bool,
    as_jsonl: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Judge a session's recorded answers again, without a call.

    Nothing is written. Verdicts are compared with the session's: "recorded" is what it found.

    \b
    lve score last                      after a change of a checker
    lve score 20261121-1135 repository/privacy
    """
    from lve.cli.score_session import ScoreRequest, execute

    form = "json" if as_json else "jsonl" if as_jsonl else "text"
    detail: Detail = "quiet" if quiet else "verbose" if verbose else "normal"
    ctx.exit(execute(ScoreRequest(session, paths, trust, session_dir, strict, form, detail)))
