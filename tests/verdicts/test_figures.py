"""Statistics of repeats beside the verdict."""

from __future__ import annotations

from support.results import make_result

from lve.verdicts.figures import MAX_K, Figures, FlakyInstance
from lve.verdicts.per_instance import PerInstance


def figures(*instances: str) -> Figures:
    """Return the figures of instances, each with its results: `pfp`."""
    found = PerInstance()
    for line, letters in enumerate(instances, start=1):
        for repeat, letter in enumerate(letters):
            verdict = {"p": "passed", "f": "failed", "e": "error"}[letter]
            found.add(make_result(source="rows.csv", line=line, repeat=repeat, verdict=verdict))
    return Figures.of(found, None, 0.95)


def test_flaky_instances_are_named_with_their_results() -> None:
    found = figures("ppp", "pfp", "fff", "p", "epf")
    assert found.flakiness == (1, 1, 2, 1)
    assert [(one.line, one.passed, one.judged) for one in found.flaky] == [(2, 2, 3), (5, 1, 2)]
    assert isinstance(found.flaky[0], FlakyInstance)


def test_k_doubles_up_to_the_most_results_of_an_instance() -> None:
    assert [one.k for one in figures("p" * 9, "f").at_k] == [2, 4, 8]
    assert [one.k for one in figures("p" * 3).at_k] == [2]
    assert figures("p").at_k == ()
    assert figures("p" * 200).at_k[-1].k == MAX_K


def test_without_results_there_is_nothing() -> None:
    assert figures("e") == (None, (0, 0, 0, 0), (), (), None)
    assert not figures("p", "f").has_repeats
    assert figures("pp", "f").has_repeats
