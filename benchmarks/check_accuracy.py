"""How often each check agrees with the labelled answers of the conformance tests.

    .venv/bin/python benchmarks/check_accuracy.py [--write]

`--write` puts the table into docs/accuracy.md.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
actual = runpy.run_path(str(ROOT / "tests/conformance/verdicts.py"))["actual"]
PAGE = ROOT / "docs/accuracy.md"
VECTORS = ROOT / "tests/conformance/vectors/verdicts"


def table() -> str:
    """Return a line per check and file: rows, agreement, false passes, false failures."""
    pairs = defaultdict[tuple[str, str], list[tuple[str, str]]](list)
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted(VECTORS.glob("*.json")):
            for row in json.loads(file.read_text(encoding="utf-8")):
                verdict = actual(row, Path(folder))
                pairs[next(iter(row["check"])), file.stem].append((verdict, row["expected"]))
    lines = ["| check | rows of | rows | agreement | false passes | false failures |"]
    lines.append("|---|---|---|---|---|---|")
    for (check, source), verdicts in sorted(pairs.items()):
        right = sum(verdict == label for verdict, label in verdicts) / len(verdicts)
        false_passes = sum(pair == ("passed", "failed") for pair in verdicts)
        false_failures = sum(v != "passed" and label == "passed" for v, label in verdicts)
        lines.append(
            f"| `{check}` | {source} | {len(verdicts)} | {right:.1%} | {false_passes}"
            f" | {false_failures} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    lines_of_checks = table()
    print(lines_of_checks)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        marks = re.compile(r"(<!-- checks -->\n).*?(<!-- end -->)", re.DOTALL)
        PAGE.write_text(
            marks.sub(lambda m: f"{m[1]}{lines_of_checks}\n{m[2]}", page), encoding="utf-8"
        )
