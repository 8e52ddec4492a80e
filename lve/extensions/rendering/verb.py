"""The command `lve render`: shows the requests that a test would send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from lve.cli.find_tests import each_test, exit_code, view_of_tests
from lve.cli.printing import print_message, print_problem, print_view
from lve.cli.shared_options import (
    json_option,
    parameters_option,
    paths_argument,
    value_callback,
)
from lve.data_classes import dataclass
from lve.error_boundary import error_boundary
from lve.errors import Problem, UnexpectedError
from lve.escape import escape_line
from lve.extensions.rendering.rendered_text import rendered_lines
from lve.extensions.rendering.rendering import (
    Choose,
    Rendered,
    RenderSelection,
    render_test,
    rendered_json,
)
from lve.extensions.rendering.token_count import token_counter
from lve.options.run_options import RunOptions
from lve.options.values import ATTACKS
from lve.pipeline.choosing.all_problems import problems_of
from lve.pipeline.choosing.loading import choose_workspace, named_model
from lve.pipeline.engine import Engine
from lve.settings.settings import Settings
from lve.spec.discover import discover
from lve.spec.spec import Spec
from lve.workspace import Workspace, display_path

Shown = TypeVar("Shown", str, dict[str, Any])
NO_MODEL = "no model of the settings"


@click.command()
@paths_argument
@parameters_option
@click.option(
    "--instances",
    multiple=True,
    metavar="NAME",
    help="Only the rows of this file. Repeat for several.",
)
@click.option(
    "--prompts",
    "--prompt",
    multiple=True,
    metavar="NAME",
    help="Only this variant of the tests' prompts. Repeat for several.",
)
@click.option(
    "--attacks",
    callback=value_callback(ATTACKS),
    metavar="NAMES",
    help="Show these attacks, too, instead of those of the tests.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), metavar="N", help="At most N rows per test."
)
@click.option(
    "--model",
    metavar="NAME",
    help="For data sets: render for this model instead of the test's first one.",
)
@click.option(
    "--provenance", is_flag=True, help="For data sets: show where each character comes from."
)
@click.option(
    "--tokens",
    is_flag=True,
    help="Count tokens, with the tokenizer of hf/NAME or with tiktoken.",
)
@click.option(
    "--embed",
    is_flag=True,
    help="For data sets: SEND texts to the models that choose examples.",
)
@click.option("-i", "--interactive", is_flag=True, help="Choose test and model from menus.")
@json_option
def render(
    paths: tuple[str, ...],
    parameters: Mapping[str, str],
    instances: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> int:
    """Show exactly what would be sent to the model.

    Shows every message of every run of every row, as written and as filled in. For a data
    set, also shows the examples and the prompt before the meta template. Runs no code of the test.
    Without --embed, sends nothing and leaves out examples that a model would choose.

    \b
    lve render repository/privacy/test.json -n 1
    lve render TEST -p name=Ana -p year=1999
    lve render repository --json
    lve render repository/reliability/few_shot -n 1 --provenance
    """
    options = RenderOptions(**chosen)
    if options.interactive:
        paths = (str(choose_test(paths)),)
    workspace = choose_workspace(paths)
    if options.interactive:
        model = options.model or choose_model(workspace.settings)
        options = replace(options, model=model, limit=options.limit or choose_limit())
    with _asking(workspace) if options.embed else nullcontext() as choose:
        selection = RenderSelection(
            parameters, instances, options.limit, options.model, options.provenance, choose
        )
        return _render(paths, workspace, selection, options, as_json)


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Options of `lve render`."""

    prompts: tuple[str, ...]
    attacks: str | None
    limit: int | None
    model: str | None
    provenance: bool
    tokens: bool
    embed: bool
    interactive: bool


def _render(
    paths: tuple[str, ...],
    workspace: Workspace,
    selection: RenderSelection,
    options: RenderOptions,
    as_json: bool,
) -> int:
    settings = workspace.settings
    problems: list[Problem] = []
    documents: list[dict[str, object]] = []
    count = 0
    chosen = RunOptions(prompts=options.prompts, attacks=options.attacks)
    for spec in each_test(paths, workspace, problems, chosen):
        rendered = render_test(
            spec, settings, _with_counter(spec, settings, selection, options), problems
        )
        if rendered is None:
            continue
        count += 1
        if as_json:
            documents += _guarded(rendered, problems, lambda test: iter([rendered_json(test)]))
        else:
            for line in _guarded(rendered, problems, rendered_lines):
                click.echo(line)
    print_view(view_of_tests(documents, problems), as_json=as_json)
    return exit_code(count, problems, paths)


def _guarded(
    rendered: Rendered, problems: list[Problem], show: Callable[[Rendered], Iterator[Shown]]
) -> Iterator[Shown]:
    """Yield what `show` makes of a test. An unexpected error becomes a problem of this test; a
    mistake of the user (`-p` with a name that the test lacks) ends the command."""
    try:
        with error_boundary("rendering the test"):
            yield from show(rendered)
    except UnexpectedError as error:
        problems += problems_of(rendered.plan.spec.file, error)


@contextmanager
def _asking(workspace: Workspace) -> Iterator[Choose]:
    """Yield a function that asks models to choose the examples of an instance, and returns their
    positions. It uses the cache of `lve run`."""
    import asyncio

    # One loop for all requests, because connections belong to a loop.
    loop = asyncio.new_event_loop()
    engine = Engine(workspace, RunOptions(), warn=print_message)
    try:
        yield lambda plan, instance: loop.run_until_complete(
            plan.examples(instance, engine.models.example_models)
        )
    finally:
        loop.run_until_complete(engine.close())
        loop.close()


def _with_counter(
    spec: Spec, settings: Settings, selection: RenderSelection, options: RenderOptions
) -> RenderSelection:
    """Return the selection; with `--tokens`, with a token counter for the test's model."""
    if not options.tokens:
        return selection
    model = named_model(spec, settings, options.model)
    is_users = model in (options.model, settings.model) or model in settings.models
    return replace(selection, count=token_counter(model, settings, from_test=not is_users))


def choose_test(paths: Sequence[str]) -> Path:
    """Let the user choose one of the tests below some paths.

    Raises:
        UsageError: a path doesn't exist, or there is no test.
    """
    files = list(discover(paths or (".",), report=print_problem))
    if not files:
        raise click.UsageError("there are no tests here")
    return files[_choose("test", [str(display_path(file)) for file in files])]


def choose_model(settings: Settings) -> str | None:
    """Let the user choose one of the models of the settings, or none of them."""
    names = list(settings.models)
    if not names:
        return None
    return [None, *names][_choose("model", [NO_MODEL, *names])]


def choose_limit() -> int:
    """Let the user choose the number of rows."""
    count: int = click.prompt("rows", type=click.IntRange(min=1), default=1, err=True)
    return count


def _choose(what: str, names: Sequence[str]) -> int:
    """Return the position of the user's choice. Menus go to stderr, so that stdout can be piped."""
    for number, name in enumerate(names, 1):
        click.echo(f"{number:4} {escape_line(name)}", err=True)
    chosen: int = click.prompt(what, type=click.IntRange(1, len(names)), default=1, err=True)
    return chosen - 1
