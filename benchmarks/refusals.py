"""How well the check `refusal` finds the refusals of XSTest's labelled answers.

    git clone https://github.com/paul-rottger/xstest
    .venv/bin/python benchmarks/refusals.py xstest

Prints the share of full refusals found and of full answers taken for one, for all of the folder's
models together. The answers aren't part of this repository.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from lve.checkers.contract import CheckContext
from lve.extensions.refusals.refusing import Refusal


def main(arguments: list[str]) -> int:
    """Measure on the files of one folder."""
    files = [
        file
        for name in arguments[:1]
        for file in sorted(Path(name).glob("model_completions/*.csv"))
    ]
    if not files:
        print(__doc__, file=sys.stderr)
        return 2
    check, nothing, counts = Refusal(True), CheckContext(()), Counter[tuple[str, bool]]()
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                found = check.check_response(row["completion"], nothing).passed
                counts[row["final_label"], found] += 1
    for label, said in (("2_full_refusal", "full refusals found"), ("1_full_compliance", "alarms")):
        number, all_ = counts[label, True], counts[label, True] + counts[label, False]
        print(f"{said}: {number} of {all_} ({number / max(all_, 1):.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
