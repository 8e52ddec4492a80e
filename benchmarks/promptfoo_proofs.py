"""What `lve import promptfoo` keeps of promptfoo's own examples, and what `--prove` finds in it.

    git clone https://github.com/promptfoo/promptfoo && git -C promptfoo checkout 0.112.7
    .venv/bin/lve import --setup promptfoo
    .venv/bin/python benchmarks/promptfoo_proofs.py promptfoo/examples [--only csv] [--processes 2]

Imports each configuration, reading only and with --loaders, has promptfoo render and judge what was
imported, and prints what is left out, differs or can't be compared; then the table of
docs/importing.md, which it writes if no configuration is left away (about half an hour).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from imports import CONFIGS, configurations

from lve.errors import LveError
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.proof import Proof, ProvenTests
from lve.extensions.importing.verb import import_tests
from lve.importers import Imported

PAGE = Path(__file__).parents[1] / "docs" / "importing.md"
TABLE = re.compile(r"<!-- promptfoo -->\n.*?<!-- end -->", re.DOTALL)
BOX = BoxOptions(loads=True, prove=True, timeout_s=600)
MAX_LINES = 20
ROWS = {
    "read": "wholly",
    "wholly": "wholly with `--loaders`",
    "applications": "of these, ask an application of `lve.yaml`",
    "with losses": "with losses",
    "attacks": "not at all: attacks that promptfoo would generate",
    "not at all": "not at all, for other reasons",
    "equal": "of those imported, with equal prompts and verdicts",
    "no verdicts": "with equal prompts, whose assertions all ask models",
    "nothing compared": "with nothing to compare",
    "different": "with differences",
    "prompts": "prompts compared, those of judges among them",
    "different prompts": "of these, different",
    "verdicts": "verdicts compared",
    "different verdicts": "of these, different",
    "not compared": "verdicts not compared",
}
"""What is counted -> its row in the table."""


def main() -> None:
    """Import, compare, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a part of the names of configurations")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    every = list(configurations(options.folder, CONFIGS["promptfoo"]))
    files = [file for file in every if options.only in str(file)]
    totals: Counter[str] = Counter()
    with ProcessPoolExecutor(options.processes) as pool:
        for counts, lines in pool.map(partial(proven, options.folder), files):
            totals += counts
            for line in lines:
                print(line, flush=True)
    lines = [
        f"| of {len(files)} configurations in promptfoo's examples (May 2025) | |",
        "|---|---|",
    ]
    lines += [f"| {text} | {totals[name]:,} |" for name, text in ROWS.items()]
    print(*lines, sep="\n")
    if files == every:
        table = "\n".join(["<!-- promptfoo -->", *lines, "<!-- end -->"])
        PAGE.write_text(TABLE.sub(lambda _: table, PAGE.read_text("utf-8")), "utf-8")


def proven(folder: Path, file: Path) -> tuple[Counter[str], list[str]]:
    """Return the counts of a configuration, and a line about each of its tests."""
    name = str(file.relative_to(folder))
    try:
        read = import_tests("promptfoo", file)
        imported = import_tests("promptfoo", file, BOX)
    except LveError as error:
        return Counter({"not at all": 1}), [f"{name} can't be read: {error}"]
    counts = Counter({"read": int(bool(read.tests) and not read.left_out)})
    lines = [f"{name} left out: {why}" for why in imported.left_out[:MAX_LINES]]
    if not imported.tests:
        is_attack = any("$.redteam" in why for why in imported.left_out)
        counts["attacks" if is_attack else "not at all"] += 1
        return counts, lines
    counts["with losses" if imported.left_out else "wholly"] += 1
    counts["applications"] += not imported.left_out and _asks_application(imported)
    proofs = _proofs(imported)
    counts[_kind(list(proofs.values()))] += 1
    for proof in proofs.values():
        different = sum("answer" not in each for each in proof.differences)
        counts["prompts"] += proof.prompts
        counts["verdicts"] += proof.scores
        counts["not compared"] += proof.not_compared
        counts["different prompts"] += different
        counts["different verdicts"] += len(proof.differences) - different
    return counts, lines + [f"{name} {home} {_line(proof)}" for home, proof in proofs.items()]


def _asks_application(imported: Imported) -> bool:
    return "app/" in json.dumps(
        [[test.document.get(key) for key in ("model", "models")] for test in imported.tests]
    )


def _proofs(imported: Imported) -> dict[str, Proof]:
    assert isinstance(imported, ProvenTests)
    with tempfile.TemporaryDirectory() as temporary:
        write_tests(imported.tests, Path(temporary, "made"))
        return dict(imported.prove(Path(temporary, "made")))


def _kind(proofs: list[Proof]) -> str:
    if any(proof.differences for proof in proofs):
        return "different"
    if any(proof.scores for proof in proofs):
        return "equal"
    return "no verdicts" if any(proof.prompts for proof in proofs) else "nothing compared"


def _line(proof: Proof) -> str:
    shown = json.dumps(proof.differences[:3], ensure_ascii=False)[:1500]
    kind = _kind([proof])
    return f"{kind} {proof.prompts} {proof.scores} {proof.not_compared} {proof.why[:300]} {shown}"


if __name__ == "__main__":
    main()
