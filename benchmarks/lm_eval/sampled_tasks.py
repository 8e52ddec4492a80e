"""How many of lm-eval's own tasks are imported: a random sample, over rows of our making.

    lve import --setup lm-eval
    python benchmarks/lm_eval/sampled_tasks.py             # seed 40, 200 tasks: about 3 minutes
    python benchmarks/lm_eval/sampled_tasks.py 7 50        # another seed and number

Writes the table of docs/importing.md, for the seed 40 and 200 tasks. The data sets can't be
downloaded everywhere: `made_rows.py` has rows in the columns that the tasks read.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lve.extensions.importing.lm_eval.importer import DUMP, TOOL, TaskImport

PAGE = Path(__file__).parents[2] / "docs" / "importing.md"
TABLE = re.compile(r"<!-- lm-eval -->\n.*?<!-- end -->", re.DOTALL)
SEED, COUNT = 40, 200


def sample(seed: int, count: int) -> list[dict[str, Any]]:
    """Return the lines of a sample of tasks."""
    TOOL.check()
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.jsonl")
        program = Path(__file__).with_name("made_rows.py")
        parts = (TOOL.python, program, DUMP, seed, count, lines)
        subprocess.run(list(map(str, parts)), check=True, capture_output=True)
        return [json.loads(line) for line in lines.read_text("utf-8").splitlines()]


def by_task(lines: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the lines of each task."""
    own: list[dict[str, Any]] = []
    for line in lines[1:-1]:
        if line["kind"] != "row" and own:
            yield own
            own = []
        own.append(line)
    if own:
        yield own


def outcome(tool: dict[str, Any], own: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """Return how far a task is imported, and what is left out of it."""
    if own[0]["kind"] == "left_out":
        needs = ("ModuleNotFoundError", "ImportError", "SystemExit")
        is_missing = own[0]["why"].startswith(needs)
        return ("needs other packages" if is_missing else "no rows fit", [own[0]["why"]])
    imported = TaskImport("sample").read([tool, *own, {"kind": "end"}])
    left_out = [str(text).partition("left out: ")[2] for text in imported.left_out]
    if not imported.tests:
        return "refused", left_out
    if left_out:
        return "with losses", left_out
    return "wholly", []


def main() -> None:
    """Measure, print what is left out, and write the table."""
    seed, count = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (SEED, COUNT)
    lines = sample(seed, count)
    numbers: Counter[str] = Counter()
    for own in by_task(lines):
        kind, left_out = outcome(lines[0], own)
        numbers[kind] += 1
        for why in left_out:
            print(f"{kind}: {own[0]['task']}: {why}")
    rows = [f"| {kind} | {number} |" for kind, number in numbers.most_common()]
    head = (
        f"| of {count} tasks of lm-eval {lines[0]['version']} (of {lines[0]['tasks']:,}) | tasks |"
    )
    table = "\n".join([head, "|---|---|", *rows])
    print(table)
    if (seed, count) == (SEED, COUNT):
        text = PAGE.read_text(encoding="utf-8")
        marked = f"<!-- lm-eval -->\n{table}\n<!-- end -->"
        PAGE.write_text(TABLE.sub(lambda match: marked, text), encoding="utf-8")


if __name__ == "__main__":
    main()
