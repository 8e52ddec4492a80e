"""`lve run --trace FILE` and `--explain ROW`: a run that gives an account of itself."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import click

from lve.cli.printing import print_message, print_text
from lve.cli.run.command_options import RunRequest
from lve.cli.run.session import execute
from lve.errors import with_code
from lve.extensions.accounts.config import origins_of
from lve.extensions.accounts.log import TraceLog
from lve.extensions.accounts.story import Story
from lve.extensions.accounts.trace import Trace
from lve.pipeline.session import Watcher


def give_account(ctx: click.Context, request: RunRequest) -> int:
    """Run the tests, write the log that `--trace` names, tell the story of the row that `--explain`
    names; return the exit code.

    Raises:
        LveError: a mistake of the user, or the log can't be written.
    """
    origins = origins_of(ctx, request)
    if request.explain is None:
        return _traced(request, origins, ())
    fields = {**request.fields, "rows": request.explain}
    story = Story(origins, write=print_text)
    code = _traced(request._replace(fields=fields, detail="quiet"), origins, (story,))
    if not story.is_told:
        message = f"there is no story to tell: no row {request.explain} of these tests has run"
        print_message(with_code(message, "nothing_selected"))
    return code


def _traced(request: RunRequest, origins: dict[str, str], watchers: Sequence[Watcher]) -> int:
    with ExitStack() as stack:
        if request.trace is not None:
            log = stack.enter_context(TraceLog.opened(request.trace))
            watchers = (*watchers, Trace(log, request, origins))
        return execute(request, watchers)
