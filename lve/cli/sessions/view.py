"""`lve view`: shows sessions in the browser while they go on."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lve.cli.printing import print_message, print_text, warn
from lve.cli.report_files import found_sessions
from lve.exit_code import ExitCode

if TYPE_CHECKING:
    import webbrowser


@click.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION...]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: any that is free]"
)
@click.option("--no-open", is_flag=True, help="Don't start a browser.")
@click.option("--author", metavar="NAME", help="Whose labels are kept.")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
def view(
    sessions: tuple[str, ...], port: int, no_open: bool, author: str | None, session_dir: str | None
) -> int:
    """Show sessions in the browser, also while they run.

    The page is that of `lve report -o report.html`; results and costs arrive as the session goes
    on. Answers can be labelled right or wrong, for `lve calibrate`: labels are kept in
    labels.jsonl in the session's folder. Only this machine can open the page, with the address that
    is printed. A SESSION is `last` (the default), `last~1`, an ID, the beginning of one, or a
    folder. Ctrl-C ends.

    \b
    lve view
    lve view last~1 last
    lve view 20261121 --port 8080 --no-open
    """
    from lve.pipeline.choosing.loading import choose_workspace
    from lve.view.server import ViewServer
    from lve.view.sessions import ViewedSessions

    folder = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    found = found_sessions(folder, sessions or ("last",))
    for one in found:
        one.info()  # says what is wrong with it before anybody looks
    viewed = ViewedSessions(found, checked_author(author), warn)
    with closing(viewed), ViewServer(viewed, port) as server:
        print_text(server.guard.home)
        sys.stdout.flush()
        print_message(f"shows {' '.join(one.id for one in found)}; Ctrl-C ends")
        if not no_open and sys.stdout.isatty():
            _open(server.guard.new_ticket())
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)
    return ExitCode.as_expected


def checked_author(name: str | None) -> str | None:
    """Return a name as labels may have it.

    Raises:
        click.BadParameter: it is empty or too long.
    """
    if name is not None and not 1 <= len(name) <= 200:
        raise click.BadParameter("1 to 200 characters", param_hint="'--author'")
    return name


def _open(address: str) -> None:
    """Start the user's browser. Some commands of browsers end only with them: they aren't waited
    for. A browser of the terminal couldn't show the page, and is only started if it was chosen.
    """
    import webbrowser

    with suppress(webbrowser.Error):
        found = webbrowser.get()
        if "BROWSER" in os.environ or type(found) is not webbrowser.GenericBrowser:
            threading.Thread(target=_start, args=(found, address), daemon=True).start()


def _start(browser: webbrowser.BaseBrowser, address: str) -> None:
    with suppress(Exception):  # the address is printed, so nothing is lost
        browser.open(address)
