"""The output of `lve check`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lve.cli.find_tests import problem_json
from lve.cli.printing import print_line, print_text
from lve.errors import Problem
from lve.escape import escape_line
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.spec.recorded_row import REMOVED_ROWS
from lve.workspace import display_path

if TYPE_CHECKING:
    from lve.cli.check.check_rate import CheckedRate

MAX_REASONS = 3
"""Reasons why examples were not judged that are printed at most."""


class FlipSearch(Protocol):
    """How the verdicts on a test's changed examples compare with those on its examples."""

    @property
    def judged(self) -> int:
        """Number of changed examples that were judged."""

    @property
    def flips(self) -> Sequence[object]:
        """The verdicts that flip."""

    def lines(self, file: Path) -> Iterator[str]:
        """Yield what is printed about the test with this document."""

    def to_json(self) -> dict[str, object]:
        """Return what `lve check --json` says of it."""


class Checked(NamedTuple):
    """The result of checking one test document."""

    file: Path
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()
    unjudged: int = 0
    """The number of examples that were not judged."""
    why_unjudged: str | None = None
    tried: FlipSearch | None = None
    """The verdicts of its changed examples (`--mutate`); None without that option."""
    rate: CheckedRate | None = None
    """What its pass rate can decide; None if it expects no pass rate."""

    def with_problems(self, more: Iterable[Problem]) -> Checked:
        """Return the result with further problems."""
        return self._replace(problems=(*self.problems, *more))

    @property
    def is_valid(self) -> bool:
        """Whether the test can be run."""
        return not any(problem.severity == "error" for problem in self.problems)


def print_checked(result: Checked, printed: set[str] | None = None) -> None:
    """Print a line for each problem and each verdict that flips.

    Args:
        result: the result of one test.
        printed: lines that were printed for other tests, which are not printed again: every test
            below a `suite.yaml` repeats its problems. The lines of this test are added.
    """
    printed = set() if printed is None else printed
    for line in (*(problem.message_with_code for problem in result.problems), *result.warnings):
        if line not in printed:
            printed.add(line)
            print_line(line)
    if result.rate and (lines := list(result.rate.lines())):
        print_text(
            "\n".join([f"{escape_line(str(display_path(result.file)))}: {lines[0]}", *lines[1:]])
        )
    for line in result.tried.lines(result.file) if result.tried else ():
        print_line(line)


def summary(checked: Sequence[Checked], *, trust: bool, recorded: bool = False) -> str:
    """Return the last line: the numbers of valid tests, flipped verdicts and unjudged examples, and
    which rows can't be missed if each must be `recorded`."""
    parts = [_validity(checked), _flipped(checked), _unjudged(checked, trust=trust)]
    parts += [REMOVED_ROWS] if recorded else []
    return "; ".join(part for part in parts if part)


def _flipped(checked: Sequence[Checked]) -> str:
    tried = [result.tried for result in checked if result.tried is not None]
    flips = sum(len(test.flips) for test in tried)
    judged = sum(test.judged for test in tried)
    if not tried:
        return ""
    flipped = "verdict flips" if flips < 2 else "verdicts flip"
    return f"{amount(judged, 'changed answer')}: {flips or 'no'} {flipped}"


def _validity(checked: Sequence[Checked]) -> str:
    invalid = sum(not result.is_valid for result in checked)
    tests = amount(len(checked), "test")
    return f"{tests}: all valid" if not invalid else f"{tests}: {invalid} with problems"


def _unjudged(checked: Sequence[Checked], *, trust: bool) -> str:
    unjudged = sum(result.unjudged for result in checked)
    if not unjudged:
        return ""
    reasons = list(dict.fromkeys(filter(None, (result.why_unjudged for result in checked))))
    more = f", and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else ""
    were = amount(unjudged, "example", "was")
    # `--trust` helps neither if a role has no model, nor if a check needs a server's measurements.
    helped = ["measures" not in reason and "--role" not in reason for reason in reasons]
    how_many = "all" if all(helped) else "more"
    hint = f" (`lve check --trust` judges {how_many})" if any(helped) and not trust else ""
    return f"{were} not judged: {', '.join(reasons[:MAX_REASONS])}{more}{hint}"


def document(checked: Sequence[Checked]) -> dict[str, Any]:
    """Return the JSON document of `lve check --json`."""
    return {
        "summary": {
            "tests": len(checked),
            "valid": sum(result.is_valid for result in checked),
            "invalid": sum(not result.is_valid for result in checked),
        },
        "tests": [
            {
                "path": str(display_path(result.file)),
                "valid": result.is_valid,
                "problems": [problem_json(problem) for problem in result.problems],
                "warnings": list(result.warnings),
                "unjudged_examples": result.unjudged,
                "why_unjudged": result.why_unjudged,
                "pass_rate": result.rate and result.rate.to_json(),
                "mutations": result.tried and result.tried.to_json(),
            }
            for result in checked
        ],
    }
