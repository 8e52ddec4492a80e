"""What the options of `lve run` and `lve record` say of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from lve.cli.options import parse_assignments, parse_model_args

SAME_NAME = (
    "models",
    "base_url",
    "instances",
    "index",
    "repeats",
    "max_connections",
    "max_tests",
    "trust",
    "refresh",
    "stream",
    "max_cost",
    "max_tokens_total",
    "max_requests",
)
"""Options of the command line that are fields of `RunOptions` under the same name."""


def given_options(ctx: click.Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `RunOptions` that were given on the command line.

    Args:
        ctx: of the verb; it tells what was given from what is a default.
        given: the values of all options that the verb has.

    Raises:
        click.UsageError: an option can't be used.
    """
    options = {name: given[name] for name in SAME_NAME if _is_given(ctx, name)}
    options |= {
        field: given[name]
        for name, field in (("timeout", "timeout_s"), ("deadline", "deadline_s"))
        if given[name] is not None
    }
    parameters = parse_assignments(given["parameters"], option="-p")
    if parameters:
        options["parameters"] = parameters
    model_args = _model_args(given)
    if model_args:
        options["model_args"] = model_args
    if given.get("no_cache"):
        options["use_cache"] = False
    if given.get("session_dir") is not None:
        options["state"] = Path(given["session_dir"]).absolute()
    return options


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def _model_args(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model args, those included that have an option of their own."""
    model_args = parse_model_args(given["model_args"])
    if given["temperature"] is not None:
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        model_args["temperature"] = given["temperature"]
    return model_args
