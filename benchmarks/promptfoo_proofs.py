"""What `lve import promptfoo --loaders --prove` finds in promptfoo's own examples.

    git clone --depth 1 --branch 0.112.7 https://github.com/promptfoo/promptfoo
    .venv/bin/lve import --setup promptfoo
    .venv/bin/python benchmarks/promptfoo_proofs.py promptfoo/examples [--sample 70] [--processes 2]

Imports each configuration, or a random sample (seed 40), has promptfoo render and judge what was
imported, and prints what differs or can't be compared; then the table of docs/importing.md.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from imports import CONFIGS, configurations

from lve.errors import LveError
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.find import import_tests
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.proof import Proof, ProvenTests

BOX = BoxOptions(loads=True, prove=True, timeout_s=600)
SEED = 40
ROWS = {
    "wholly": "with `--loaders`",
    "equal": "of these, with equal prompts and verdicts",
    "no verdicts": "with equal prompts, whose assertions all ask models",
    "different": "with differences",
    "prompts": "prompts compared",
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
    parser.add_argument("--sample", type=int)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    every = configurations(options.folder, CONFIGS["promptfoo"])
    files = [file for file in every if options.only in str(file)]
    if options.sample is not None:
        files = random.Random(SEED).sample(files, options.sample)
    totals: Counter[str] = Counter()
    with ProcessPoolExecutor(options.processes) as pool:
        for counts, lines in pool.map(partial(proven, options.folder), files):
            totals += counts
            for line in lines:
                print(line, flush=True)
    print(f"| of {len(files)} configurations in promptfoo's examples | |\n|---|---|")
    for name, text in ROWS.items():
        print(f"| {text} | {totals[name]:,} |")


def proven(folder: Path, file: Path) -> tuple[Counter[str], list[str]]:
    """Return the counts of a configuration, and a line about each of its tests."""
    name = file.relative_to(folder)
    try:
        imported = import_tests("promptfoo", file, BOX)
    except LveError as error:
        return Counter(), [f"{name} can't be read: {error}"]
    if not imported.tests:
        return Counter(), [f"{name} not at all: {imported.left_out[:1]}"]
    assert isinstance(imported, ProvenTests)
    with tempfile.TemporaryDirectory() as temporary:
        write_tests(imported.tests, Path(temporary, "made"))
        proofs = dict(imported.prove(Path(temporary, "made")))
    end = "with losses" if imported.left_out else "wholly"
    counts: Counter[str] = Counter({end: 1})
    if end == "wholly":
        counts[_kind(list(proofs.values()))] += 1
    for proof in proofs.values():
        different = sum("answer" not in each for each in proof.differences)
        counts["prompts"] += proof.prompts
        counts["verdicts"] += proof.scores
        counts["not compared"] += proof.not_compared
        counts["different prompts"] += different
        counts["different verdicts"] += len(proof.differences) - different
    lines = [f"{name} {end} {home} {_line(proof)}" for home, proof in proofs.items()]
    return counts, lines


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
