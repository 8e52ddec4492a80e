"""The command `lve record`: runs a test and keeps the answers in its `instances/` folder."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import click

from lve.cli.run.command_options import given_options, run_options, temperature_option
from lve.cli.shared_options import paths_argument, refuse_pairs, value_callback
from lve.options.run_options import RunOptions
from lve.options.values import COUNT


@click.command()
@paths_argument
@run_options("record")
@temperature_option
@click.option(
    "--repeats",
    callback=value_callback(COUNT),
    metavar="N",
    help=f"Record N answers of every row.  [{COUNT.range}; default: as the test asks]",
)
@click.option(
    "--to", "name", metavar="NAME", help="Name of the file in instances/.  [default: the model's]"
)
@click.option("--author", envvar="LVE_AUTHOR", help="Your name.  [default: that of LVE_AUTHOR]")
@click.option(
    "--params",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take parameters from the rows of this file (JSONL, CSV, JSON or YAML).",
)
@click.option(
    "--dataset", is_flag=True, help="Take parameters only from the rows of the test's data set."
)
@click.option(
    "-n",
    "--number",
    callback=value_callback(COUNT),
    metavar="N",
    help="Stop after N answers; repeat the sets of args until there are N.  [x>=1]",
)
@click.option(
    "--loop", is_flag=True, help="Ask for parameters, and for further ones after each answer."
)
@click.option("-y", "--yes", is_flag=True, help="Keep every answer without asking.")
@click.option(
    "--with-prompt/--without-prompt",
    default=True,
    help="Keep all messages, too (as prompt_out).  [default: with]",
)
@click.option(
    "--stale",
    is_flag=True,
    help="Ask the model again for its answers whose prompt has changed, and for no others; the new "
    "answers replace them.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Ask nothing: keep the recorded answers, which you have read, for the prompt of today.",
)
@click.option(
    "--from-session",
    metavar="SESSION",
    help="Ask nothing: keep the answers of this session: its id, the beginning of its id, or last.",
)
@click.option("--failed", is_flag=True, help="With --from-session: only those that failed.")
@click.pass_context
def record(ctx: click.Context, /, **words: Any) -> None:
    """Run a test and keep the answers in its instances folder.

    Appends the answers to instances/NAME.jsonl in the format of the LVE repository. Later, `lve
    run` compares new verdicts with them, and the model `replay` gives them as answers. They are for
    this prompt: once it has changed, they are stale (`stale_recording`), until --stale or --accept.
    Without -p, records an answer for every set of args of the test, or of its examples; as many as
    the test has `repeats`. What judges and embedders say is kept, too, so that the model `replay`
    gives the same verdict without a key. Errors are not recorded.

    On a terminal, with one test, it asks for missing parameters, shows each answer as it arrives
    and its verdict, and asks whether to keep it. A kept answer is written to disk at once.

    \b
    lve record TEST --loop
    lve record TEST --model openai/gpt-6-luna -p name=Ann
    lve record TEST --model openai/gpt-6-luna --repeats 5 --to samples
    lve record TEST --stale
    lve record TEST --accept
    lve record TEST --from-session last --failed
    """
    if words["name"] is not None and not _is_file_name(words["name"]):
        raise click.BadParameter("must be the name of a file, without folders", param_hint="'--to'")
    refuse_pairs(words, ("params", "dataset"), ("yes", "loop"), ("stale", "accept"))
    refuse_pairs(words, *product(("stale", "accept"), ("params", "dataset", "loop", "number")))
    refuse_pairs(words, ("stale", "name"))
    others = ("stale", "accept", "params", "dataset", "loop", "number", "repeats")
    refuse_pairs(words, *product(("from_session",), others))
    if words["from_session"] is not None:
        from lve.extensions.recording.from_session import record_session  # late: as below

        ctx.exit(record_session(words, RunOptions(**given_options(words))))
    if words["failed"]:
        raise click.UsageError("--failed is for --from-session alone")
    repeats = 1 if words["stale"] else words["repeats"]
    from lve.extensions.recording.record_tests import record_tests  # late: `--help` needs no run

    ctx.exit(record_tests(words, {**given_options(words), "repeats": repeats}))


def _is_file_name(name: str) -> bool:
    return bool(name) and not name.startswith(".") and not set(name) & set("/\\:\0")
