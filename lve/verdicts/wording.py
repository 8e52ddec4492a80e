"""Counts in words."""

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


def judge_again(session: str) -> str:
    """Return what to do when checkers have crashed: the answers are there, and cost nothing again.

    Args:
        session: what `lve score` needs to find it.
    """
    return (
        f"a checker couldn't judge: mend it, then judge the same answers with: lve score {session}"
    )


def record_again(*, is_cached: bool) -> str:
    """Return what to do when checkers have crashed while answers were recorded.

    Args:
        is_cached: whether the cache gives the answers again.
    """
    free = ": the answers come from the cache and cost nothing" if is_cached else ""
    return f"a checker couldn't judge: mend it and record again{free}"


def bound(value: float) -> str:
    """Return the end of an interval: 0 and 1 only where it is just that."""
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
    """Return how many tests have which verdict: `3 tests: 2 passed, 1 with errors`.

    Args:
        verdicts: of each test against each model.
        advisory: the same, of tests that can't fail a session.
        tests: that have a verdict.
        models: that they ran against.
        skipped: tests.
        invalid: tests.
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
    """Return how many instances have which verdict; expected failures are counted apart."""
    shown = {**verdicts, "failed": verdicts["failed"] - expected_failures}
    parts = [
        amount(count, "error") if outcome == "error" else f"{count} {word}"
        for outcome, word in _WORDS
        if (count := shown.get(outcome, 0))
    ]
    parts += [f"{expected_failures} failed as expected"] if expected_failures else []
    return f"{amount(sum(verdicts.values()), 'instance')}: {', '.join(parts) or 'none was run'}"
