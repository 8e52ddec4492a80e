"""`lve view`: shows sessions in the browser, even while they run."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lve.cli.printing import print_message, print_text, warn
from lve.cli.report_files import find_sessions
from lve.exit_code import ExitCode
from lve.extensions.view.server import ViewServer
from lve.extensions.view.sessions import ViewedSessions
from lve.pipeline.choosing.loading import choose_workspace

if TYPE_CHECKING:
    import webbrowser


@click.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION...]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port of the server.  [default: any free port]",
)
@click.option("--follow", is_flag=True, help="Show the next session as soon as it begins.")
@click.option("--no-open", is_flag=True, help="Don't open a browser.")
@click.option("--author", metavar="NAME", help="Your name, for the labels that you give.")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
def view(
    sessions: tuple[str, ...],
    port: int,
    follow: bool,
    no_open: bool,
    author: str | None,
    session_dir: str | None,
) -> int:
    """Show sessions in the browser, even while they run.

    The page is that of `lve report -o report.html`; it updates while a session runs. You can label
    answers as right or wrong, for `lve calibrate`; the labels are written to labels.jsonl in the
    session's folder. Only this machine can open the page, at the printed address. A SESSION is
    `last` (the default), `last~1`, an ID, the beginning of one, or a folder. With --follow, `last`
    is the latest session at any time: beside `lve watch`, say. Press Ctrl-C to stop.

    \b
    lve view
    lve view --follow
    lve view last~1 last
    lve view 20261121 --port 8080 --no-open
    """
    folder = Path(session_dir) if session_dir else choose_workspace(()).session_dir
    names = sessions or ("last",)
    folders = find_sessions(folder, names)
    for session in folders:
        session.info()  # raises here if the session can't be read
    viewed = ViewedSessions(folders, checked_author(author), warn)
    if follow:
        viewed.follow(lambda: find_sessions(folder, names, warn=lambda _: None))
    with ViewServer(viewed, port) as server:
        print_text(server.guard.home)
        sys.stdout.flush()
        print_message(
            f"showing {' '.join(session.id for session in folders)}; press Ctrl-C to stop"
        )
        if not no_open and sys.stdout.isatty():
            _open(server.guard.new_ticket())
        viewed.read_ahead()
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)
    return ExitCode.as_expected


def checked_author(name: str | None) -> str | None:
    """Return the name if labels accept it.

    Raises:
        click.BadParameter: it is empty or too long.
    """
    if name is not None and not 1 <= len(name) <= 200:
        raise click.BadParameter("1 to 200 characters", param_hint="'--author'")
    return name


def _open(address: str) -> None:
    """Open the user's browser, without waiting for it: some commands end only with the browser.

    A browser for the terminal can't show the page, and is started only if `BROWSER` names it.
    """
    import webbrowser

    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if "BROWSER" in os.environ or type(browser) is not webbrowser.GenericBrowser:
            threading.Thread(target=_start, args=(browser, address), daemon=True).start()


def _start(browser: webbrowser.BaseBrowser, address: str) -> None:
    with suppress(Exception):  # the address is printed, so nothing is lost
        browser.open(address)
