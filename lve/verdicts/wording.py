"""Texts about counts and rates, and what to do after a checker has crashed."""

from __future__ import annotations

from collections.abc import Mapping

from lve.checkers.contract import Outcome

_WORDS: tuple[tuple[Outcome, str], ...] = (
    ("passed", "passed"),
    ("failed", "failed"),
    ("error", "with errors"),
    ("inconclusive", "inconclusive"),
)


def amount(count: int, noun: str) -> str:
    """Return a number with its noun: `1 error`, `2,000 errors`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def unbound_text(count: int) -> str:
    """Return that recorded answers may be for another prompt.

    Args:
        count: of the answers, from 1.
    """
    is_for = (
        "doesn't say which prompt it is for"
        if count == 1
        else "don't say which prompt they are for"
    )
    return f"{amount(count, 'recorded answer')} {is_for} (unbound)"


def judge_again(session: str) -> str:
    """Return what to do if a checker has crashed: judge the existing answers again.

    Args:
        session: the arguments of `lve score` for the session.
    """
    return (
        f"a checker couldn't judge: mend it, then judge the same answers with: lve score {session}"
    )


def record_again(*, is_cached: bool) -> str:
    """Return what to do if a checker has crashed while answers were recorded.

    Args:
        is_cached: whether the answers are in the cache.
    """
    free = ": the answers come from the cache and cost nothing" if is_cached else ""
    return f"a checker couldn't judge: mend it and record again{free}"


def bound(value: float) -> str:
    """Format the end of an interval with 3 decimals, or with 6 if that would round it to 0 or 1."""
    text = f"{value:.3f}"
    return f"{value:.6f}" if float(text) in (0, 1) and value not in (0, 1) else text


def tests_text(
    verdicts: Mapping[Outcome, int],
    *,
    advisory: Mapping[Outcome, int],
    tests: int,
    models: int,
    skipped: int,
    invalid: int,
) -> str:
    """Return the numbers of tests by verdict: `3 tests: 2 passed, 1 with errors`.

    Args:
        verdicts: verdict -> number of tests (times models).
        advisory: the same for advisory verdicts.
        tests: number of tests with a verdict.
        models: number of models that they ran against.
        skipped: number of skipped tests.
        invalid: number of invalid tests.
    """
    parts = [f"{verdicts[outcome]} {word}" for outcome, word in _WORDS if verdicts[outcome]]
    advice = sum(advisory.values())
    parts += [f"{advice} advisory{_advice(advisory)}"] if advice else []
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [f"{invalid} invalid"] if invalid else []
    against = f" against {models} models" if models > 1 else ""
    return f"{amount(tests + skipped + invalid, 'test')}{against}: {', '.join(parts)}"


def _advice(verdicts: Mapping[Outcome, int]) -> str:
    parts = [f"{verdicts[outcome]} {word}" for outcome, word in _WORDS if verdicts[outcome]]
    return f" ({', '.join(parts)})"


def instances_text(verdicts: Mapping[Outcome, int], *, expected_failures: int) -> str:
    """Return the numbers of instances by verdict, with expected failures counted separately."""
    shown = {**verdicts, "failed": verdicts["failed"] - expected_failures}
    parts = [
        amount(count, "error") if outcome == "error" else f"{count} {word}"
        for outcome, word in _WORDS
        if (count := shown.get(outcome, 0))
    ]
    parts += [f"{expected_failures} failed as expected"] if expected_failures else []
    return f"{amount(sum(verdicts.values()), 'instance')}: {', '.join(parts) or 'none was run'}"
