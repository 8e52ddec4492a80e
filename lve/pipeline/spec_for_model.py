"""A test as it is for one model: the expectation, repeats and timeout of its entry in `models`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from lve.options.run_options import RunOptions
from lve.pipeline.model_args import base_args, names_by_default
from lve.sessions.instance_result import REPLAY
from lve.settings.settings import Settings
from lve.spec.model_arg_names import are_alike
from lve.spec.spec import Expectation, Spec

WITHOUT_TEMPERATURE = frozenset(("dummy", "replay", "scripted"))
"""Providers that ignore the temperature, so that lve's default of 0 doesn't make repeats alike."""


def for_model(spec: Spec, model: str, options: RunOptions, settings: Settings) -> Spec:
    """Return a test with the expectation, repeats and timeout that it has for a model.

    The model args also decide whether repeats of an instance count as independent
    (`Expectation.has_alike_repeats`), also those of recorded answers: `replay` repeats what the
    test's first model said. Model args of single instances are ignored for that.

    Args:
        spec: the test.
        model: the model's name; an empty text if it isn't known.
        options: the run's options.
        settings: the workspace's settings.
    """
    spec = spec.for_model(model)
    if model == REPLAY:  # its answers are those of the model that the test is for
        model = next(iter(spec.models), settings.model) or ""
    args = {**base_args(settings, model, spec), **options.model_args}
    entry = settings.models.get(model)
    if (entry.provider if entry else model.partition("/")[0]) in WITHOUT_TEMPERATURE:
        for name in names_by_default(settings, model, spec, options):
            args.pop(name, None)
    expect = _expectation(spec.expect, are_alike(args))
    return replace(spec, expect=expect, by=spec.by or settings.by)


@lru_cache(maxsize=64)  # many tests expect the same, and share it
def _expectation(expect: Expectation, has_alike_repeats: bool) -> Expectation:
    return expect._replace(has_alike_repeats=has_alike_repeats)


class ForModel:
    """`for_model`, which remembers its last call: pytest submits the rows of a test one by one."""

    def __init__(self, options: RunOptions, settings: Settings) -> None:
        self._options, self._settings = options, settings
        self._latest: tuple[Spec, str, Spec] | None = None

    def __call__(self, spec: Spec, model: str) -> Spec:
        latest = self._latest
        if latest is None or latest[0] is not spec or latest[1] != model:
            changed = for_model(spec, model, self._options, self._settings)
            self._latest = latest = (spec, model, changed)
        return latest[2]
