"""Compares two sides: pairs results, tests differences, lists flips with their causes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from lve.comparison.causes import Causes
from lve.comparison.compared import ComparedTest, Comparison, Difference, Flip, Kind, Standing
from lve.comparison.counting import CountedPairs, FlipPosition, Pairs, count_pairs
from lve.comparison.pairing import Pairing
from lve.comparison.side import Side, SideFacts, stable_hash
from lve.errors import UsageError
from lve.escape import listed
from lve.plurals import amount
from lve.sessions.instance_result import REPLAY
from lve.settings.settings import ComparisonSettings
from lve.verdicts.rates.clusters import population_rate
from lve.verdicts.rates.detectable import min_detectable_drop, min_significant_changes
from lve.verdicts.rates.difference import difference_interval
from lve.verdicts.rates.paired import PValue, holm, paired_test

DEFAULTS = ComparisonSettings()
MAX_FLIPS = 2000
"""The most flips that are listed with causes."""


def compare(
    before: Side,
    now: Side,
    *,
    models: tuple[str, str] | None = None,
    settings: ComparisonSettings = DEFAULTS,
    most_flips: int = MAX_FLIPS,
) -> Comparison:
    """Compare two sides.

    Args:
        before: the earlier side.
        now: the later side.
        models: a model of the earlier side and one of the later side, to compare. By default each
            common model is compared with itself, or the only model of each side.
        settings: how differences are judged.
        most_flips: the most flips that are listed. For each, both results are read again.

    Raises:
        UsageError: the sides have no model or no instance in common.
        LveError: a side can't be read.
    """
    for side in (before, now):
        _require_results(side.facts)
    model_names = model_pairs(before.facts.models, now.facts.models, models)
    has_stable_hashes = before.facts.has_stable_hashes or now.facts.has_stable_hashes
    hash_of = stable_hash if has_stable_hashes else hash
    pairing = Pairing(before.rows(hash_of), now.rows(hash_of), model_names)
    counted = count_pairs(pairing)
    if not any(group.pairs or group.no_verdict for group in counted.groups):
        raise UsageError(_nothing_in_common(before, now, counted), code="nothing_to_compare")
    later = {old: new for new, old in model_names.items()}
    names = [(test, model, later[model]) for test, model in pairing.groups]
    causes = Causes(before.facts, now.facts)
    tests, overall = _tested(names, counted, settings.alpha, causes)
    flips = islice(_flips(counted, names, (before, now), causes), most_flips)
    return Comparison(
        (before, now),
        settings,
        tests,
        overall,
        tuple(sorted(flips, key=_place)),
        broken=sum(group.broken for group in counted.groups),
        fixed=sum(group.fixed for group in counted.groups),
        has_repeats=counted.has_repeats,
    )


def _require_results(facts: SideFacts) -> None:
    """Raise a `UsageError` for a side without results of a model."""
    if not facts.models:
        people = f": people wrote {amount(facts.left_out, 'answer')}" if facts.left_out else ""
        raise UsageError(
            f"{facts.name}: there is no result of a model{people}", code="nothing_to_compare"
        )


def model_pairs(
    before: Sequence[str], now: Sequence[str], chosen: tuple[str, str] | None = None
) -> dict[str, str]:
    """Return model now -> model before.

    Args:
        before: models of the earlier side.
        now: models of the later side.
        chosen: the user's choice: one of each.

    Raises:
        UsageError: a chosen model doesn't exist, or the choice isn't clear.
    """
    if chosen is not None:
        for name, there, side in zip(chosen, (before, now), ("earlier", "later"), strict=True):
            if name not in there:
                raise UsageError(
                    f"the {side} side has no model {name!r}: it has {listed(there)}",
                    code="unknown_name",
                )
        return _without_replay({chosen[1]: chosen[0]})
    common = [name for name in now if name in frozenset(before)]
    if common:
        return {name: name for name in common}
    if len(before) == len(now) == 1:
        return _without_replay({now[0]: before[0]})
    raise UsageError(
        f"no model is on both sides ({listed(before)} before, {listed(now)} now): "
        "say which to compare, --models BEFORE NOW",
        code="nothing_to_compare",
    )


def _without_replay(models: dict[str, str]) -> dict[str, str]:
    """Raise a `UsageError` if `replay` is compared with a model: people may have written its
    answers."""
    for now, before in models.items():
        if (now == REPLAY) != (before == REPLAY):
            raise UsageError(
                f"{before} and {now} can't be compared: `{REPLAY}` gives recorded answers, and "
                "people may have written them. Compare two sessions of models, or two of replay",
                code="nothing_to_compare",
            )
    return models


def _nothing_in_common(before: Side, now: Side, counted: CountedPairs) -> str:
    sides = (before.facts.name, now.facts.name)
    counts = (
        sum(group.gone for group in counted.groups),
        sum(group.new for group in counted.groups),
    )
    there = ", ".join(
        f"{count:,} result{'s' * (count != 1)} in {side}"
        for count, side in zip(counts, sides, strict=True)
    )
    return f"{sides[0]} and {sides[1]} have no row in common, so nothing can be compared: {there}"


def _tested(
    names: Sequence[tuple[str, str, str]], counted: CountedPairs, alpha: float, causes: Causes
) -> tuple[tuple[ComparedTest, ...], Difference | None]:
    """Return the tests with their differences, and the difference of all tests together."""
    by_instance = {
        index: group.by_instance() for index, group in enumerate(counted.groups) if group.pairs
    }
    values = {index: paired_test(pairs.differences) for index, pairs in by_instance.items()}
    binding = {
        test
        for (test, *_), group in zip(names, counted.groups, strict=True)
        if group.pairs and not group.advisory
    }
    together = counted.together() if len(binding) > 1 else None
    overall = paired_test(together.differences) if together else None
    adjusted = adjusted_p([value.p for value in values.values()], overall and overall.p)
    share = alpha / 2 if together else alpha
    differences = {
        index: difference(by_instance[index], value, adjusted[rank], alpha, share / len(values))
        for rank, (index, value) in enumerate(values.items())
    }
    tests = tuple(
        ComparedTest(
            *name,
            differences.get(index),
            group.no_verdict,
            group.new,
            group.gone,
            group.lost,
            is_advisory=group.advisory > 0,
            changes=causes.of_test(name[0], name[1:]),
        )
        for index, (name, group) in enumerate(zip(names, counted.groups, strict=True))
    )
    if together is None or overall is None:
        return tests, None
    return tests, difference(together, overall, min(1.0, 2 * overall.p), alpha, share)


def adjusted_p(tests: Sequence[float], overall: float | None) -> list[float]:
    """Return the p values of tests, adjusted for the comparison of all tests together and for each
    other.

    Half of alpha is for all tests together, half for the single ones (Holm's method). If all
    together differ, their half is passed on, and the tests share the whole (the fallback procedure
    of Wiens, Pharm. Stat. 2, 2003). So the chance of any false alarm is at most alpha.

    Args:
        tests: of the tests.
        overall: of all tests together; None if they aren't compared.
    """
    adjusted = holm(tests)
    if overall is None:
        return adjusted
    return [min(1.0, 2 * value, max(2 * overall, value)) for value in adjusted]


def difference(
    pairs: Pairs, value: PValue, adjusted: float, alpha: float, level: float
) -> Difference:
    """Return the difference of two rates.

    Args:
        pairs: the pairs.
        value: their p value.
        adjusted: the p value, adjusted for all tests of the comparison.
        alpha: the level of the whole comparison.
        level: the level that the smallest p value of the comparison must reach.
    """
    confidence = 1 - alpha
    before = population_rate(pairs.before, confidence=confidence)
    now = population_rate(pairs.now, confidence=confidence)
    change = difference_interval(pairs.differences, value.p, confidence=confidence)
    assert before is not None
    assert now is not None
    assert change is not None
    detectable = min_detectable_drop(pairs.differences, before=before.value, alpha=level)
    return Difference(
        pairs.counts,
        pairs.clusters,
        before,
        now,
        change,
        value,
        adjusted,
        detectable,
        _standing(change.value, adjusted <= alpha, pairs.clusters < min_significant_changes(level)),
    )


def _standing(change: float, is_significant: bool, is_small: bool) -> Standing:
    if is_significant and change:
        return "worse" if change < 0 else "better"
    return "blind" if is_small else "undecided"


def _flips(
    counted: CountedPairs,
    names: Sequence[tuple[str, str, str]],
    sides: tuple[Side, Side],
    causes: Causes,
) -> Iterator[Flip]:
    """Yield the first flips with their causes, broken ones first."""
    before, now = sides
    kinds: tuple[tuple[Kind, Sequence[FlipPosition]], ...] = (
        ("broken", counted.broken),
        ("fixed", counted.fixed),
    )
    each = chain.from_iterable(((kind, position) for position in some) for kind, some in kinds)
    for kind, (group, before_at, now_at) in each:
        test, model_before, model_now = names[group]
        old, new = before.result(before_at), now.result(now_at)
        result = new or old
        yield Flip(
            kind,
            test,
            model_before,
            model_now,
            result.source if result else "",
            result.line if result else 0,
            result.repeat if result else 0,
            causes.of(test, (model_before, model_now), old, new),
            before_at,
            now_at,
        )


def _place(flip: Flip) -> tuple[object, ...]:
    return flip.kind, flip.test, flip.model_now, flip.source, flip.line, flip.repeat
