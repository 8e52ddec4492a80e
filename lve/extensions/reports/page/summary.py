"""The summary, which the page shows first: verdicts, rates, errors, flaky instances.

web/src/report/types.ts has its types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from lve.checkers.contract import Outcome
from lve.escape import head
from lve.extension_table import extension_part
from lve.extensions.reports.page.chunks import Chunks
from lve.extensions.reports.page.details import snippet
from lve.extensions.reports.page.facts import session_facts
from lve.extensions.reports.page.inputs import Inputs
from lve.extensions.reports.page.latency import Latencies
from lve.extensions.reports.page.risks import risks
from lve.json_types import JsonValue
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import seconds_of
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation
from lve.verdicts.figures import MAX_FLAKY
from lve.verdicts.rates.at_k import AtK
from lve.verdicts.rates.clusters import Estimate, population_rate
from lve.verdicts.rates.statistics import Rate
from lve.verdicts.recorded_session import SummedSession
from lve.verdicts.replayed import replay_remarks
from lve.verdicts.tally import Tally
from lve.version import __version__

FORMAT = 1
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "error", "inconclusive")
WORST_FIRST: tuple[Outcome, ...] = ("failed", "error", "inconclusive", "passed")
MOST_REFUSED = 1000
"""Tests that are listed as skipped or invalid."""


class Errors:
    """Counts errors by kind, each with its first reason as an example."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def add(self, result: InstanceResult) -> None:
        """Count a result if it is an error."""
        if result.verdict == "error":
            kind = result.error_kind or "unknown"
            self.counts[kind] += 1
            self.examples.setdefault(kind, snippet(result.reason))

    def to_json(self) -> list[dict[str, object]]:
        """Return the kinds of errors, the most frequent first."""
        return [
            {"kind": kind, "count": count, "example": self.examples[kind]}
            for kind, count in self.counts.most_common()
        ]


def summary_of(
    sessions: Sequence[SummedSession], chunks: Chunks, errors: Errors, latencies: Latencies
) -> dict[str, object]:
    """Return the summary of a page.

    Args:
        sessions: the sessions of the page, at least one.
        chunks: the chunks with all their results. Tests and models without results are numbered
            here, too.
        errors: the errors among the results.
        latencies: the latencies of the results.
    """
    tallies = [(n, tally) for n, session in enumerate(sessions) for tally in session.tallies]
    for _, tally in tallies:
        chunks.tests.of(tally.test)
        chunks.models.of(tally.model)
    counts = sum((tally.counts for _, tally in tallies), Counter[Outcome]())
    session_tests = {test.test: test for session in sessions for test in session.tests.values()}
    flaky, more = _flaky(tallies, chunks)
    costs = [session.cost for session in sessions if session.cost is not None]
    return {
        "format": FORMAT,
        "lve": __version__,
        "title": title_of(sessions),
        "verdict": verdict_of(sessions),
        "headline": _headline(sessions),
        "details": [_detail(session, is_one=len(sessions) == 1) for session in sessions],
        "rows": chunks.rows,
        "data_rows": sum(session.summary.rows() for session in sessions),
        "counts": {outcome: counts[outcome] for outcome in OUTCOMES},
        "cost": sum(costs) if costs else None,
        "seconds": _seconds(sessions),
        "sessions": [session_facts(session) for session in sessions],
        "models": [_model(name, tallies) for name in chunks.models],
        "tests": [_test(path, session_tests[path], chunks.inputs) for path in chunks.tests],
        "parameters": chunks.inputs.names(),
        "shown": chunks.inputs.shown(),
        "sources": [*chunks.sources],
        "kinds": [*chunks.kinds],
        "cells": [_cell(n, tally, chunks) for n, tally in tallies],
        **_breakdown(sessions),
        "risks": list(risks(sessions)),
        "errors": errors.to_json(),
        "flaky": flaky,
        "flaky_more": more,
        "latency": latencies.to_json(),
        **_refused(sessions),
    }


def _breakdown(sessions: Sequence[SummedSession]) -> dict[str, list[dict[str, object]]]:
    """Return the tables of all sessions, each with the number of its session."""
    parts: dict[str, list[dict[str, object]]]
    parts = {name: [] for name in ("by", "labels", "scores", "unscored")}
    for number, session in enumerate(sessions):
        if session.summary.is_broken_down:
            own = extension_part("breakdown as JSON")(session.summary)
            for name, tables in parts.items():
                tables += [{"session": number, **table} for table in own[name]]
    return parts


def title_of(sessions: Sequence[SummedSession]) -> str:
    """Return the title of a report."""
    return f"Report of {', '.join(session.id for session in sessions)}"


def verdict_of(sessions: Sequence[SummedSession]) -> str:
    """Return the worst verdict of all tests that aren't advisory; `empty` if there are none."""
    verdicts: Counter[Outcome] = Counter()
    for session in sessions:
        verdicts += session.summary.verdicts()
        if session.summary.invalid:
            verdicts["error"] += 1
        if session.was_cut_short or session.is_running:
            verdicts["inconclusive"] += 1
    return next((verdict for verdict in WORST_FIRST if verdicts[verdict]), "empty")


def _headline(sessions: Sequence[SummedSession]) -> str:
    if len(sessions) > 1:
        return amount(len(sessions), "session")
    return sessions[0].summary.tests_text()


def _detail(session: SummedSession, *, is_one: bool) -> str:
    parts = [] if is_one else [session.id, session.summary.tests_text()]
    parts.append(session.summary.results_text())
    parts += [] if session.status == "complete" else [session.status]
    parts += [remark.text for remark in replay_remarks(session.summary)]
    return " · ".join(parts)


def _seconds(sessions: Sequence[SummedSession]) -> float | None:
    durations = [seconds_of(session.info) for session in sessions]
    return (
        sum(duration or 0.0 for duration in durations)
        if any(duration is not None for duration in durations)
        else None
    )


def _test(path: str, about: SessionTest, inputs: Inputs) -> dict[str, object]:
    return {
        "path": path or ".",
        "file": about.document or path,
        "category": about.category,
        "description": head(about.description, 2000),
        "expect": _expected(about.expect),
        "tags": [f"{name}: {value}" for name, value in about.tags],
        "variant": inputs.variants.get(path),
        "shown": inputs.shown_of(path),
    }


def _expected(expect: Expectation) -> str:
    if expect.kind != "rate":
        return f"all {expect.wanted}"
    if expect.counts_results:
        return expect.in_words
    whose = " of rows like these" if expect.claim == "population" else ""
    return f"pass rate{whose} {expect.comparison} {expect.threshold:g}"


def _cell(session: int, tally: Tally, chunks: Chunks) -> dict[str, object]:
    verdict, reason = tally.verdict()
    rate = tally.rate
    return {
        "session": session,
        "test": chunks.tests[tally.test],
        "model": chunks.models[tally.model],
        "verdict": verdict,
        "reason": reason,
        "advisory": tally.is_advisory,
        "counts": {outcome: tally.counts[outcome] for outcome in OUTCOMES},
        "data_rows": tally.instances.rows(),
        "repeats": tally.repeats,
        "at_k": _at_k(tally.figures().shown_at_k),
        "rate": None
        if rate.rate is None
        else _rate(rate.rate, rate, f"{rate.passed:,} of {rate.total:,}"),
    }


def _rate(value: float, ends: Rate | Estimate, of: str) -> dict[str, object]:
    return {
        "rate": value,
        "low": ends.low,
        "high": ends.high,
        "confidence": ends.confidence,
        "has_bounds": ends.has_bounds,
        "of": of,
    }


def _at_k(at_k: AtK | None) -> dict[str, object] | None:
    if at_k is None:
        return None
    return {
        "k": at_k.k,
        "data_rows": at_k.instances,
        "pass_at_k": at_k.any_passes.value,
        "pass_hat_k": at_k.all_pass.value,
        "majority_at_k": at_k.majority.value,
        "g_pass_at_k": at_k.share_passes.value,
        "g_pass_share": at_k.share,
    }


def _model(name: str, tallies: Sequence[tuple[int, Tally]]) -> dict[str, object]:
    own = [tally for _, tally in tallies if tally.model == name]
    answers = [of_model.answers for of_model in own]
    costs = [counts.cost for counts in answers if counts.cost is not None]
    return {
        "name": name,
        "served": sorted(set().union(*(counts.served for counts in answers))),
        "results": sum(of_model.total for of_model in own),
        "rate": _model_rate(own),
        "tokens_in": sum(counts.usage.prompt_tokens for counts in answers),
        "tokens_out": sum(counts.usage.completion_tokens for counts in answers),
        "cost": sum(costs) if costs else None,
    }


def _model_rate(own: Sequence[Tally]) -> dict[str, object] | None:
    """Return the estimated pass rate of tests like these; for one test, of rows like these."""
    if len(own) == 1:
        # An interval, also where the test's verdict takes one-sided bounds.
        estimate = population_rate(own[0].cluster_counts(), confidence=own[0].expect.confidence)
        unit = "row" if own[0].clusters is None else "cluster"
    else:
        counts = Counter((tally.counts["passed"], tally.judged) for tally in own)
        estimate, unit = population_rate(counts), "test"
    if estimate is None:
        return None
    return _rate(estimate.value, estimate, amount(estimate.clusters, unit))


def _flaky(
    tallies: Sequence[tuple[int, Tally]], chunks: Chunks
) -> tuple[list[dict[str, object]], int]:
    """Return the first flaky instances, and how many more there are."""
    entries, total = list[dict[str, object]](), 0
    for session, tally in tallies:
        figures = tally.figures()
        total += figures.flakiness.flaky
        place = {
            "session": session,
            "test": chunks.tests[tally.test],
            "model": chunks.models[tally.model],
        }
        entries += [
            {**place, **instance._asdict()}
            for instance in islice(figures.flaky, MAX_FLAKY - len(entries))
        ]
    return entries, total - len(entries)


def _refused(sessions: Sequence[SummedSession]) -> dict[str, JsonValue]:
    skipped = {path: why for session in sessions for path, why in session.summary.skipped.items()}
    invalid = {path: texts for each in sessions for path, texts in each.summary.invalid.items()}
    return {
        "skipped": [
            {"path": path, "reason": why} for path, why in islice(skipped.items(), MOST_REFUSED)
        ],
        "invalid": [
            {"path": path, "problems": list(texts)}
            for path, texts in islice(invalid.items(), MOST_REFUSED)
        ],
    }
