"""The options of verbs that compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from lve.cli.typed_values import number_callback
from lve.options.option import AMOUNT, Values
from lve.settings.settings import ComparisonSettings

LEAST_ALPHA, MOST_ALPHA = 1e-9, 0.5
"""As in schemas/settings.schema.json."""
ALPHA = Values(
    "number",
    f"a number from {LEAST_ALPHA:g} to {MOST_ALPHA:g}",
    lambda value: AMOUNT.accepts(value) and LEAST_ALPHA <= value <= MOST_ALPHA,
)
SHARE = Values("number", "a number from 0 to 1", lambda value: AMOUNT.accepts(value) and value <= 1)
alpha_option = click.option(
    "--alpha",
    callback=number_callback(ALPHA),
    metavar="P",
    help="The probability of a false alarm, over all tests.  [default: that of lve.yaml, or 0.05]",
)
threshold_option = click.option(
    "--threshold",
    callback=number_callback(SHARE),
    metavar="SHARE",
    help="Ignore smaller drops of a pass rate; 0.02 is 2 points.  "
    "[default: that of lve.yaml, or 0]",
)
session_dir_option = click.option(
    "--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]"
)


def with_given(settings: ComparisonSettings, given: Mapping[str, Any]) -> ComparisonSettings:
    """Return the settings, overridden by the options that are given."""
    alpha, threshold = given["alpha"], given["threshold"]
    return settings._replace(
        alpha=settings.alpha if alpha is None else alpha,
        threshold=settings.threshold if threshold is None else threshold,
    )
