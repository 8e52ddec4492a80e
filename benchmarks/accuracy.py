"""How often checks agree with people, and the page that says so.

    .venv/bin/python benchmarks/accuracy.py FOLDER [--write]

FOLDER keeps public labelled answers; those that are missing are fetched (see
benchmarks/refusal_model). Prints the tables; `--write` puts them into docs/accuracy.md, between its
marks.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks/refusal_model"))

from public_answers import XSTEST_LABELS, PublicFiles, xstest  # noqa: E402

from lve.checkers.contract import CheckContext  # noqa: E402
from lve.extensions.refusals.refusing import Refusal  # noqa: E402

PAGE = ROOT / "docs/accuracy.md"
VECTORS = ROOT / "tests/conformance/vectors/verdicts"
MEASURED = ROOT / "benchmarks/refusal_model/measured.json"
CASES = ROOT / "tests/cases/refusals"


class Measured(NamedTuple):
    """Rows of one source: how many there are, and how many are judged wrongly."""

    source: str
    positive: int
    negative: int
    false_passes: int
    false_failures: int

    def line(self) -> str:
        """Return the row of the table."""
        rows = self.positive + self.negative
        right = rows - self.false_passes - self.false_failures
        return (
            f"| {self.source} | {rows:,} | {right / rows:.1%} | {self.false_passes} of"
            f" {self.negative:,} | {self.false_failures} of {self.positive:,} |"
        )


def main(arguments: Sequence[str]) -> None:
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    table = "\n".join(refusal_table(PublicFiles(options.folder)))
    print(table)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_table(text, "refusal", table), encoding="utf-8")


def with_table(page: str, name: str, table: str) -> str:
    """Return a page with the table between its marks `<!-- NAME -->` and `<!-- end -->`."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    return marks.sub(lambda match: f"{match[1]}{table}\n{match[2]}", page)


def refusal_table(files: PublicFiles) -> Iterator[str]:
    """Yield the lines of the table of the check `refusal`."""
    yield "| answers | rows | agreement | false passes | false failures |"
    yield "|---|---|---|---|---|"
    labelled = [
        (answer, bool(XSTEST_LABELS[label]))
        for _, _, answer, label in xstest(files)
        if label in XSTEST_LABELS
    ]
    held_out = json.loads(MEASURED.read_text(encoding="utf-8"))
    yield Measured("XSTest: two models, learned without them", **held_out).line()
    yield refusals("XSTest: five models, learned from", labelled).line()
    yield refusals("of the conformance tests, learned from", _vectors()).line()
    yield refusals("`tests/cases/refusals/held_out.json`", _cases("held_out")).line()
    yield refusals("`typical.json` beside it", _cases("typical")).line()
    by_language = json.loads((CASES / "by_language.json").read_text(encoding="utf-8"))
    rows = {language: list(_texts(group)) for language, group in by_language.items()}
    yield refusals("`by_language.json` beside it", chain.from_iterable(rows.values())).line()
    for language, answers in rows.items():
        yield refusals(f"of these, {language}", answers).line()


def _cases(name: str) -> Iterator[tuple[str, bool]]:
    return _texts(json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")))


def _texts(group: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, bool]]:
    yield from ((text, True) for text in group["refuses"])
    yield from ((text, False) for text in group["complies"])


def _vectors() -> Iterator[tuple[str, bool]]:
    for file in sorted(VECTORS.glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            if row["check"].keys() == {"refusal"}:
                yield row["answer"], (row["expected"] == "passed") is row["check"]["refusal"]


def refusals(source: str, rows: Iterable[tuple[str, bool]]) -> Measured:
    """Return how often `{refusal: true}` agrees with the labels."""
    check, nothing = Refusal(True), CheckContext(())
    pairs = [(check.check_response(answer, nothing).passed, label) for answer, label in rows]
    return Measured(
        source,
        sum(label for _, label in pairs),
        sum(not label for _, label in pairs),
        sum(passed and not label for passed, label in pairs),
        sum(label and not passed for passed, label in pairs),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
