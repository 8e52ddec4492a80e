"""Reads the values of options, and refuses them with the place where they stand."""

from __future__ import annotations

import os
from collections.abc import Callable

import click
from click.core import ParameterSource

from lve.options.option import Values


def number_of(
    values: Values,
) -> Callable[[click.Context, click.Parameter, str | None], int | float | None]:
    """Return a callback that reads a number as an option takes it, and refuses others."""

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> int | float | None:
        try:
            return None if text is None else values.number(text)
        except ValueError as error:
            raise _refused(ctx, param, str(error)) from None

    return read


def text_of(
    values: Values,
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback that refuses texts that an option doesn't accept."""

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
        if text is not None and (refusal := values.refusal(text)):
            raise _refused(ctx, param, refusal)
        return text

    return read


def _refused(ctx: click.Context, param: click.Parameter, refusal: str) -> click.BadParameter:
    """Return the error about a value, with the place where it stands."""
    place = None
    if ctx.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT:
        names = [param.envvar] if isinstance(param.envvar, str) else param.envvar or ()
        place = f"'{next(name for name in names if os.environ.get(name))}'"
    return click.BadParameter(f"must be {refusal}", ctx, param, place)
