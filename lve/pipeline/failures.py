"""What failed in an earlier session, to run again: with its own models, or with others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lve.pipeline.resume import PreviousRun
from lve.pipeline.select import repeats_of
from lve.results.records import InstanceResult, ResultId
from lve.results.session import SessionFolder
from lve.run_options import RunOptions
from lve.spec.model import Spec
from lve.workspace import Settings

OF_MODELS = ("models", "base_url", "batch")
"""Options that say where the models are. Those of another model are its own."""


def take_failures(
    previous: PreviousRun,
    session: SessionFolder,
    specs: Iterable[Spec],
    options: RunOptions,
    settings: Settings,
) -> None:
    """Have a run take up just the instances that failed in an earlier session.

    Args:
        previous: decides what runs.
        session: the earlier one.
        specs: the tests as they are now.
        options: of the run. Where they name other models than the earlier session's, each of these
            gets every instance that failed with any model, with all its repeats.
        settings: the workspace's.

    Raises:
        SessionError: its results can't be read.
    """
    is_other = has_other_models(session.info()["options"], options.tested)
    tests = {spec.path: spec for spec in specs}
    only, pairs = dict[ResultId, int](), set[tuple[str, str]]()
    for result in session.results():
        spec = tests.get(result.test)
        if spec is None or not _is_failure(result, spec):
            continue
        if not is_other:
            failed = previous.id_of(result, result.model, result.repeat)
            only[failed] = only.get(failed, 0) + 1
            pairs.add((result.test, result.model))
            continue
        for model in options.tested:
            repeats = range(repeats_of(spec.for_model(model), options, settings))
            only.update({previous.id_of(result, model, repeat): 1 for repeat in repeats})
            pairs.add((result.test, model))
    previous.only, previous.only_pairs = Counter(only), pairs
    previous.only_total, previous.failures_of = sum(only.values()), session.id


def has_other_models(stored: Mapping[str, Any], tested: tuple[str, ...]) -> bool:
    """Whether a run asks other models than an earlier session.

    Args:
        stored: the options in the session's file.
        tested: the models that are asked for now; none: those of then.
    """
    earlier = RunOptions(models=tuple(stored.get("models", ())), roles=stored.get("roles", {}))
    return bool(tested) and tested != earlier.tested


def _is_failure(result: InstanceResult, spec: Spec) -> bool:
    unwanted = spec.expect_for(result.model).unwanted
    return result.verdict == unwanted and not result.advisory
