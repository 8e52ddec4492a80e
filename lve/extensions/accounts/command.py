"""`lve run --trace FILE` and `--explain ROW`: a run that gives an account of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice

import click

from lve.cli.printing import print_message, print_text
from lve.cli.run.command_options import RunRequest
from lve.cli.run.session import execute
from lve.data.row_places import place_of_row
from lve.errors import LveError, with_code
from lve.execution.completer import Completer
from lve.extensions.accounts.config import (
    DEFAULT,
    Value,
    option_values,
    origins_of,
    test_values,
    value_text,
    written_settings,
)
from lve.extensions.accounts.log import TraceLog
from lve.extensions.accounts.requests import FollowedModel
from lve.extensions.accounts.story import Story
from lve.models.chat_model import is_free
from lve.models.replay import ReplayModel
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.sessions.instance_result import InstanceResult
from lve.sessions.provenance import files_below
from lve.spec.location import names_in_app
from lve.spec.settings_file import settings_document
from lve.spec.spec import Spec
from lve.workspace import Workspace, display_path

MAX_TESTS = 1000
"""Tests and models whose files and values are listed when the run begins."""


class Trace(Watcher):
    """Writes what happens to a log."""

    def __init__(self, log: TraceLog, request: RunRequest, origins: Mapping[str, str]) -> None:
        """Args:
        log: gets it.
        request: what `lve run` is asked for.
        origins: where each field of the options was given.
        """
        self._log = log
        self._origins = origins
        self._options = RunOptions(**request.fields)
        workspace = choose_workspace(request.paths or (".",))
        workspace.note_keys()  # before anything is written
        self._begin(workspace)

    def _begin(self, workspace: Workspace) -> None:
        self._log.title(f"workspace {workspace.root}")
        document = settings_document(workspace.root)
        self._log.fact(f"settings: {display_path(document.path) if document else 'none'}")
        self._facts(written_settings(workspace))
        self._log.title("options that were given")
        self._facts(
            value
            for value in option_values(self._options, self._origins)
            if value.origin != DEFAULT
        )

    def _facts(self, values: Iterable[Value]) -> None:
        for value in values:
            self._log.fact(f"{value.name.strip()} = {value_text(value.value)}  ({value.origin})")

    def on_start(self, session: Session) -> None:
        models, options = session.engine.models, session.engine.options
        specs = {path: run.spec for (path, _), run in islice(session.test_runs.items(), MAX_TESTS)}
        for spec in specs.values():
            self._describe(spec, options, session.engine.workspace)
        self._log.title("models")
        folder = session.log.folder
        if folder is not None:
            self._log.fact(f"session {folder.id} in {display_path(folder.path)}")
        if options.ray or session.engine.settings.ray:
            self._log.fact("workers of a cluster ask the models: their requests aren't traced here")
        followed = _Followed(self, session)
        for name, completer in models.completers.items():
            followed[name] = completer
        models.completers = followed
        self._log.title("what happens")

    def _describe(self, spec: Spec, options: RunOptions, workspace: Workspace) -> None:
        self._log.title(f"test {spec.path}")
        self._log.fact(f"read: {', '.join(_files(spec))}")
        self._facts(test_values(spec, options, workspace, self._origins))

    def follow(self, name: str, completer: Completer, session: Session) -> None:
        """Write a model's price, and follow its requests from now on."""
        options = session.engine.options
        self._log.fact(f"{name}: {_price_text(name, completer, session)}")

        def lookup() -> str:
            if not options.use_cache:
                return "not looked at (--no-cache)"
            return "not looked at (--refresh)" if options.refresh else ""

        FollowedModel(name, completer, self._log, lookup=lookup)

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        cost = "" if result.cost is None else f", ${result.cost:.6f}"
        kind = "" if result.error_kind is None else f" ({result.error_kind})"
        verdict = f"{result.verdict}{kind}{cost}: {result.reason}"
        self._log.step(_place(result), f"repeat {result.repeat}, {result.model}: {verdict}")

    def on_previous_result(self, test_run: TestRun, result: InstanceResult) -> None:
        self._log.step(
            _place(result),
            f"repeat {result.repeat}: {result.verdict} already, in the session that goes on",
        )

    def on_done(self, test_run: TestRun) -> None:
        self._log.step(test_run.path, f"done with {test_run.model}")

    def on_refused(self, test_run: TestRun, error: LveError) -> None:
        self._log.step(test_run.path, f"can't run: {error}")


class _Followed(dict[str, Completer]):
    """The completers of a session: each is followed from the moment on in which it is made."""

    def __init__(self, trace: Trace, session: Session) -> None:
        super().__init__()
        self._trace, self._session = trace, session

    def __setitem__(self, name: str, completer: Completer) -> None:
        self._trace.follow(name, completer, self._session)
        super().__setitem__(name, completer)


def _place(result: InstanceResult) -> str:
    return f"{result.test} {place_of_row(result.source, result.line)}"


def _files(spec: Spec) -> list[str]:
    """Return the names of a test's files, which a run reads: its own, those of suites above it, and
    those of the application."""
    suites = [str(display_path(file)) for file in spec.suites.values()]
    return [*dict.fromkeys((*sorted(files_below(spec.folder)), *suites, *names_in_app(spec)))]


def _price_text(name: str, completer: Completer, session: Session) -> str:
    price = completer.price
    if price is None:
        is_priceless = is_free(completer.model) or isinstance(completer.model, ReplayModel)
        return "it costs nothing" if is_priceless else "no price is known: its answers have no cost"
    entry = session.engine.settings.models.get(name)
    origin = "the settings" if entry and entry.price else "lve's table of models"
    return f"${price.input:g} in, ${price.output:g} out per million tokens ({origin})"


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
