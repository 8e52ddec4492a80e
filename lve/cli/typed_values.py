"""Click callbacks that parse or validate the value of an option.

An error names the option, or the environment variable that the value came from.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import click
from click.core import ParameterSource

from lve.options.option import Values


def number_callback(
    values: Values,
) -> Callable[[click.Context, click.Parameter, str | None], int | float | None]:
    """Return a callback that parses a number and refuses one that `values` doesn't accept."""

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> int | float | None:
        try:
            return None if text is None else values.number(text)
        except ValueError as error:
            raise _refused(ctx, param, str(error)) from None

    return read


def text_callback(
    values: Values,
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback that refuses a text that `values` doesn't accept."""

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
        if text is not None and (refusal := values.refusal(text)):
            raise _refused(ctx, param, refusal)
        return text

    return read


def _refused(ctx: click.Context, param: click.Parameter, refusal: str) -> click.BadParameter:
    """Return the error for a refused value."""
    place = None
    if ctx.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT:
        names = [param.envvar] if isinstance(param.envvar, str) else param.envvar or ()
        place = f"'{next(name for name in names if os.environ.get(name))}'"
    return click.BadParameter(f"must be {refusal}", ctx, param, place)
