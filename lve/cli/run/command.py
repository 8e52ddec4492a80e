"""`lve run`: the options, and what becomes of them."""

from __future__ import annotations

from typing import Any

import click

from lve.cli.options import (
    not_negative,
    parameters_option,
    paths_argument,
    report_options,
    seconds,
    together,
    trust_option,
)
from lve.conventions import DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_TESTS

POSITIVE = click.IntRange(min=1)


selection_options = together(
    click.option("--instances", multiple=True, metavar="NAME", help="Only this instances file."),
    click.option(
        "--index",
        type=click.IntRange(min=0),
        help="Only this instance of every test, from 0.",
    ),
    parameters_option,
    click.option("--repeats", type=POSITIVE, help="Execute every instance N times."),
    click.option(
        "--resume",
        is_flag=False,
        flag_value="last",
        metavar="[SESSION]",
        help="Continue a session: ask only for what is missing. Default: the last one.",
    ),
    click.option(
        "--retry-errors",
        is_flag=False,
        flag_value="last",
        metavar="[SESSION]",
        help="Continue a session: run again only what ended in an error.",
    ),
    click.option(
        "--session-dir",
        metavar="FOLDER",
        help="Folder of sessions and cache.  [default: .lve in the workspace]",
    ),
    click.option("--last-failed", is_flag=True, help="Run only what failed in the last session."),
)
"""What is run."""


model_options = together(
    click.option(
        "--model",
        "-m",
        "models",
        multiple=True,
        metavar="MODEL",
        help="Model to ask, such as openai/gpt-4o-mini, dummy/dummy, or replay for the "
        "recorded answers. Repeat for several.",
    ),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible server."),
    click.option(
        "--temperature",
        type=float,
        callback=not_negative,
        metavar="T",
        help="Short for --model-arg temperature=T.",
    ),
    click.option(
        "--model-arg",
        "model_args",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a model arg (YAML value; null takes it away). Repeat for several.",
    ),
    click.option("--stream", is_flag=True, help="Stream answers: time to first token."),
    click.option(
        "--timeout",
        type=float,
        callback=seconds,
        metavar="SECONDS",
        help="For one attempt.",
    ),
    click.option(
        "--deadline",
        type=float,
        callback=seconds,
        metavar="SECONDS",
        help="For one completion, with all its attempts.  [default: 600]",
    ),
    click.option(
        "-j",
        "--max-connections",
        type=POSITIVE,
        help="Requests under way at once, per model; at most its max_connections in "
        f"lve.yaml.  [default: that, or {DEFAULT_MAX_CONNECTIONS}]",
    ),
    click.option(
        "--max-tests",
        type=POSITIVE,
        default=DEFAULT_MAX_TESTS,
        show_default=True,
        help="Tests under way at once, per model.",
    ),
)
"""What answers, and how it is asked."""


budget_options = together(
    click.option(
        "--max-cost",
        type=float,
        callback=not_negative,
        metavar="DOLLARS",
        help="Stop before the session costs more (prices: lve.yaml).",
    ),
    click.option(
        "--max-tokens-total",
        type=POSITIVE,
        metavar="N",
        help="Stop before the session takes more tokens, in and out.",
    ),
    click.option(
        "--max-requests",
        type=POSITIVE,
        metavar="N",
        help="Stop before the session sends more requests, retries included.",
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Send nothing; print calls, estimated tokens and cost.",
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option("--refresh", is_flag=True, help="Write the cache, but don't read it."),
)
"""What it may cost."""


@click.command()
@paths_argument
@model_options
@selection_options
@budget_options
@trust_option
@report_options
@click.pass_context
def run(ctx: click.Context, /, **given: Any) -> None:
    """Run tests against models and report what passed.

    \b
    lve run repository --model replay
    lve run repository/privacy/test.json --model openai/gpt-4o-mini
    lve run TEST --model my/model --base-url http://localhost:8000/v1
    lve run --resume                   continue after Ctrl-C or a crash

    \b
    Exit codes: 0 all as expected, 1 a test failed, 2 usage or invalid test,
    3 errors left, 4 inconclusive (--strict), 5 nothing selected,
    6 budget reached, 130 interrupted. Where several apply, the first of
    130, 6, 2, 3, 1, 4, 5.
    """
    from lve.cli.run.session import RunRequest, execute

    ctx.exit(execute(RunRequest.read(ctx, given)))
