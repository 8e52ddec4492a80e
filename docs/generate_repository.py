"""Writes the tables of docs/repository.md (`make docs`). A test fails if they are stale.

They count the recorded answers of repository/: those written by hand, which show what a good answer
is, and those of a small model in `baselines/`, which benchmarks/repository_baseline.py recorded.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lve.extensions.breakdown.codes import spelled_out
from lve.named_tuples import NamedTuple
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.spec import Spec

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "repository.md"
OWASP = re.compile(r"LLM\d\d")


class Recordings(NamedTuple):
    """A test with the verdicts of its recorded answers."""

    spec: Spec
    written: Sequence[bool]
    """Of each answer that was written by hand: whether it passes."""
    small: Sequence[bool]
    """Of each answer of the small model."""

    @property
    def group(self) -> str:
        """The table's row: the first two folders below `repository/`."""
        return "/".join(self.spec.path.split("/")[1:3])

    @property
    def tells_them_apart(self) -> bool:
        """Whether all answers by hand pass and some of the small model don't."""
        return all(self.written) and not all(self.small)


def recordings() -> Iterator[Recordings]:
    """Yield the tests whose answers by hand must pass, and that the small model was asked."""
    for file in discover([ROOT / "repository"], report=print):
        spec = load_spec(file, ROOT)
        small = [*_verdicts(spec.folder / "baselines")]
        if small and spec.expect.kind != "fail" and spec.category != "dummy":
            yield Recordings(spec, [*_verdicts(spec.folder / "instances")], small)


def _verdicts(folder: Path) -> Iterator[bool]:
    for line in _lines(folder):
        if line.get("variant") != "benign":  # honest rows, which the small model wasn't asked
            yield line["passed"]


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def by_group(tests: Sequence[Recordings]) -> str:
    """Return the table of groups, with a line of sums."""
    groups: dict[str, list[Recordings]] = defaultdict(list)
    for test in tests:
        groups[test.group].append(test)
    rows = [_row(name, groups[name]) for name in sorted(groups)]
    head = (
        "| tests | number | written by hand: rows passed | SmolLM2-135M: rows passed | told apart |"
    )
    return "\n".join((head, "|---|---|---|---|---|", *rows, _row("**all**", tests)))


def _row(name: str, tests: Sequence[Recordings]) -> str:
    written = [verdict for test in tests for verdict in test.written]
    small = [verdict for test in tests for verdict in test.small]
    apart = sum(test.tells_them_apart for test in tests)
    share = f"{sum(small)} of {len(small)} ({sum(small) / len(small):.0%})"
    cells = (len(tests), f"{sum(written)} of {len(written)}", share, f"{apart} of {len(tests)}")
    return f"| {name} | {' | '.join(str(cell) for cell in cells)} |"


def by_code(specs: Sequence[Spec]) -> str:
    """Return the table of OWASP's ten, with the tests of each."""
    tests: dict[str, list[str]] = defaultdict(list)
    for spec in specs:
        for tag in spec.tags:
            if OWASP.fullmatch(str(tag.value)):
                tests[str(tag.value)].append(spec.path.removeprefix("repository/"))
    rows = [f"| {spelled_out(code)} | {len(tests[code])} |" for code in sorted(tests)]
    return "\n".join(("| risk | tests |", "|---|---|", *rows))


def alike(tests: Sequence[Recordings]) -> str:
    """Return the tests that the small model passes entirely, as a list."""
    names = [test.spec.path.removeprefix("repository/") for test in tests if all(test.small)]
    return "\n".join(f"* `{name}`" for name in names)


def page(text: str) -> str:
    """Return the page with the tables of today between its marks."""
    specs = [load_spec(file, ROOT) for file in discover([ROOT / "repository"], report=print)]
    tests = [*recordings()]
    parts = {"groups": by_group(tests), "owasp": by_code(specs), "alike": alike(tests)}
    for name, table in parts.items():
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = marks.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
