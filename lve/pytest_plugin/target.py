"""The fixture `lve_target` of a `conftest.py`, which names what is tested in place of a model."""

from __future__ import annotations

import pytest

from lve.extension_table import extension_part
from lve.options.run_options import RunOptions
from lve.pytest_plugin.options import is_model_chosen, options_of

TARGET = "lve_target"
"""The model of items whose `conftest.py` names what is tested, until the first one runs."""


def options_for(node: pytest.Collector) -> RunOptions:
    """Return the options for collecting: with the fixture as the model if a `conftest.py` overrides
    it, and the command line names no model."""
    options = options_of(node.config).run_of_all_shards
    fixtures = node.session._fixturemanager.getfixturedefs(TARGET, node) or ()
    if len(fixtures) < 2 or is_model_chosen(node.config):
        return options
    for_target: RunOptions = extension_part("collected for lve_target")(fixtures[-1], options)
    return for_target
