"""The fixture `lve_target` for the test folders that pytest collects: what a `conftest.py` names is
asked in place of a model.

A fixture can't run while tests are collected. So an item is collected for the model `lve_target`,
and gets the real one before the first item runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

# Not documented, but pytest's own doctests get their fixtures so, in pytest 8.2 to 9.x.
from _pytest.fixtures import TopRequest

from lve.errors import UsageError
from lve.escape import excerpt
from lve.models.chat_model import ChatModel
from lve.options.python_arguments import named_models
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import models_named
from lve.pytest_plugin.items import TARGET, InstanceItem
from lve.settings.settings import Settings


def collected_for(fixture: pytest.FixtureDef[Any], options: RunOptions) -> RunOptions:
    """Return the options with which a test is collected that a fixture names the model of.

    Args:
        fixture: overrides lve's own.
        options: the options of the session.

    Raises:
        UsageError: the fixture can't be used for all rows of a test.
    """
    if fixture.scope != "session":
        raise UsageError(
            f"the fixture {TARGET} has the scope {fixture.scope}, but all rows are asked at once: "
            'write @pytest.fixture(scope="session")',
            code="python_argument",
        )
    if fixture.params:
        raise UsageError(
            f"the fixture {TARGET} has params, but a test is collected before they are known: "
            "give the applications names in lve.yaml, and run pytest with --lve-model for each",
            code="python_argument",
        )
    return replace(options, models=(TARGET,))


def bind(items: Sequence[InstanceItem], options: RunOptions, settings: Settings) -> RunOptions:
    """Give all items that were collected for the fixture the model that it returns; return the
    options of a session with these models.

    An item whose fixture raises has no model: `ask` raises the same once more, when it is its turn.

    Args:
        items: all items of the session.
        options: its options.
        settings: those of the workspace.

    Raises:
        UsageError: what a fixture returns isn't a model, or a test expects something else of it.
    """
    names: dict[pytest.FixtureDef[Any], str | None] = {}
    own: dict[str, ChatModel] = {}
    for item in items:
        if item.model == TARGET:
            fixture = _fixture_of(item)
            if fixture not in names:
                names[fixture] = _name_of(item, options, settings, own)
            _give(item, names[fixture])
    models = dict.fromkeys(item.model for item in items if item.model)
    return replace(options, models=tuple(models), own_models=own)


def ask(item: InstanceItem) -> object:
    """Return what the fixture returns for an item. pytest calls its function only once.

    Raises:
        BaseException: what the fixture raises, as for a test in Python.
    """
    manager = item.session._fixturemanager
    vars(item)["_fixtureinfo"] = manager.getfixtureinfo(node=item, func=None, cls=None)
    request: Any = TopRequest(item, _ispytest=True)  # type: ignore[arg-type] # an item will do
    return request.getfixturevalue(TARGET)


def _fixture_of(item: InstanceItem) -> pytest.FixtureDef[Any]:
    fixtures = item.session._fixturemanager.getfixturedefs(TARGET, item) or ()
    return fixtures[-1]


def _name_of(
    item: InstanceItem, options: RunOptions, settings: Settings, own: dict[str, ChatModel]
) -> str | None:
    """Return the name of what the fixture of an item returns; None if it raises. Adds a model that
    was made in Python to `own`."""
    target: object = None
    with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):
        target = ask(item) or models_named(item.spec, options, settings)
    if target is None:
        return None
    names, models = named_models(target)  # type: ignore[arg-type] # it says what it must be
    if len(names) != 1:
        several = f"names {len(names)} models" if names else "returns None, and no model is named"
        raise UsageError(f"the fixture {TARGET} {several}: it has to be one", code="no_model")
    for name, model in models.items():
        if own.setdefault(name, model) is not model:
            raise UsageError(
                f"two fixtures {TARGET} return functions with the name {excerpt(name)}: give each "
                "a name of its own",
                code="python_argument",
            )
    return names[0]


def _give(item: InstanceItem, name: str | None) -> None:
    """Give an item its model, and the test as it applies to that."""
    item.model = name
    if name is None or not item.spec.for_models:
        return
    spec = item.spec.for_model(name)
    if spec.expect.kind != item.spec.expect.kind:
        raise UsageError(
            f"{item.spec.path} expects something else of {excerpt(name)} than of other models, so "
            f"its name has to be known when tests are collected: --lve-model {excerpt(name)}",
            code="usage",
        )
    item.spec = spec
