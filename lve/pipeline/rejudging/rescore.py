"""Judging recorded completions again with the checkers as they are now.

No tested model is asked. What checkers ask a model stands in the journal, too; only new questions
are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from lve.calibration.check_status import CheckStatuses
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve_with
from lve.error_boundary import error_boundary
from lve.errors import LveError, UnavailableError
from lve.pipeline.choosing.loading import InvalidTest
from lve.pipeline.choosing.select import repeat_plan
from lve.pipeline.model_args import for_model
from lve.pipeline.rejudging.rejudging import Rejudge, rejudged_results
from lve.pipeline.sessions.resume import Unfinished
from lve.redaction import own_redactor
from lve.results.records import InstanceResult
from lve.run_options import DEFAULTS, RunOptions
from lve.settings.settings import Settings
from lve.spec.model import Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.pipeline.rejudging.role_session import RoleSession

WINDOW = 64
"""Results that are judged together: models are asked about all of them at once."""


@dataclass(slots=True)
class Rescoring:
    """What came out."""

    summary: Summary
    invalid: dict[str, InvalidTest]
    missing: set[str]
    """Tests of the session that aren't there any more, or weren't asked for."""


def rescore(
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    settings: Settings,
    *,
    trust: bool,
    statuses: CheckStatuses,
    unfinished: Unfinished,
    options: RunOptions = DEFAULTS,
    asks: RoleSession | None = None,
    on_result: Callable[[InstanceResult], None],
) -> Rescoring:
    """Judge results again.

    A redacted answer keeps its verdict; where the checkers have changed since, it has none any
    more. Instances that have no completion (an error of the model) keep their error. `recorded` of
    a new result is the session's old verdict.

    Args:
        results: of a session.
        specs: the tests to judge; results of others are left out.
        settings: the workspace's.
        trust: whether the tests' own checker code may run.
        statuses: tell which checks are advisory, and the known errors of others.
        unfinished: tests of the session that aren't through: new verdicts don't end them.
        options: that the session was given, as far as they make repeats count.
        asks: asks models for checkers whose questions aren't answered in the results.
        on_result: gets every new result.
    """
    done = Rescoring(Summary(), {}, set())
    judges: dict[str, Judge | None] = {}

    def judge_of(spec: Spec, model: str) -> Judge | None:
        if spec.path not in judges:
            judges[spec.path] = _judge(spec, model, settings, trust, statuses, done)
        return judges[spec.path]

    rejudged = partial(rejudged_results, judge_of=judge_of, redact=own_redactor(), asks=asks)
    begin = partial(_begin, done.summary, unfinished, options, settings, statuses)
    _count(done, results, specs, begin, on_result, rejudged)
    _add_unbegun(done, unfinished, specs, begin)
    return done


def recount(
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    settings: Settings,
    *,
    statuses: CheckStatuses,
    unfinished: Unfinished,
    options: RunOptions = DEFAULTS,
    on_result: Callable[[InstanceResult], None],
) -> Rescoring:
    """Count results with the verdicts that they have. Arguments as for `rescore`."""
    done = Rescoring(Summary(), {}, set())
    begin = partial(_begin, done.summary, unfinished, options, settings, statuses)
    _count(done, results, specs, begin, on_result, lambda found: [result for result, _ in found])
    _add_unbegun(done, unfinished, specs, begin)
    return done


def _count(
    done: Rescoring,
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    begin: Callable[[Spec, str], Tally],
    on_result: Callable[[InstanceResult], None],
    rejudge: Rejudge,
) -> None:
    """Count what `rejudge` makes of the results; None is left out."""
    known = {spec.path: spec for spec in specs}
    left = iter(results)
    while window := list(islice(left, WINDOW)):
        done.missing.update(result.test for result in window if result.test not in known)
        found = [(result, known[result.test]) for result in window if result.test in known]
        for (_, spec), new in zip(found, rejudge(found), strict=True):
            if new is None:
                continue
            tally = done.summary.tallies.get((spec.path, new.model))
            if tally is None:
                tally = begin(spec, new.model)
            tally.add(new)
            on_result(new)


def _begin(
    summary: Summary,
    unfinished: Unfinished,
    options: RunOptions,
    settings: Settings,
    statuses: CheckStatuses,
    spec: Spec,
    model: str,
) -> Tally:
    """Return the tally of a test. Its pass rate is judged as strictly as the session judged it."""
    spec = for_model(spec, model, options, settings)
    plan = repeat_plan(spec, options, settings, is_replay=model == "replay")
    tally = summary.expect(
        spec.path,
        model,
        spec.expect,
        numbers=Breakdown.of(spec),
        sequential=plan.is_sequential,
        failures_only=unfinished.has_failures_only,
        errors=statuses.errors(spec),
    )
    if not unfinished.has(spec.path, model):
        tally.complete()
    return tally


def _add_unbegun(
    done: Rescoring,
    unfinished: Unfinished,
    specs: Sequence[Spec],
    begin: Callable[[Spec, str], Tally],
) -> None:
    """Take note of tests of the session that have no result yet."""
    known = {spec.path: spec for spec in specs}
    for test, model in sorted(unfinished.pairs):
        spec = known.get(test)
        if spec is None:
            done.missing.add(test)
        elif test in done.invalid or test in done.summary.skipped:
            continue
        elif (test, model) not in done.summary.tallies:
            begin(spec, model)


def _judge(
    spec: Spec,
    model: str,
    settings: Settings,
    trust: bool,
    statuses: CheckStatuses,
    done: Rescoring,
) -> Judge | None:
    try:
        with error_boundary("making the checkers"):
            advisory = statuses.advisory(spec)
            return resolve_with(spec, settings, trusted=trust, advisory=advisory)
    except UnavailableError as error:
        done.summary.skip_unavailable(spec.path, model, error.message_with_code)
        return None
    except LveError as error:
        invalid = InvalidTest.of(spec.path, spec.file, error)
        done.invalid[spec.path] = invalid
        done.summary.invalid[spec.path] = tuple(
            problem.message_with_code for problem in invalid.problems
        )
        return None
