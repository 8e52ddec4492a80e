"""What `lve import openai-evals --prove` finds in the registry of OpenAI's own package.

    .venv/bin/lve import --setup openai-evals
    .venv/bin/python benchmarks/openai_evals_proofs.py [--sample 60]

Imports the registry that comes with the package, has the package ask and judge what was imported
(all tests, or a random sample: seed 40), and prints what differs or can't be compared; then the
figures of docs/importing.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import Counter
from pathlib import Path

from lve.extensions.importing.boxes.box import TOOLS, BoxOptions
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.openai_evals import read_evals
from lve.extensions.importing.openai_evals.evals import CLASSES
from lve.extensions.importing.openai_evals.registry import open_registry

SEED = 40


def main() -> None:
    """Import, compare, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int)
    options = parser.parse_args()
    [folder] = TOOLS["openai-evals"].folder.glob("lib/*/site-packages/evals/registry")
    every = [each for each in open_registry(folder).evals() if each.class_name in CLASSES]
    imported = read_evals(folder, BoxOptions(prove=True))
    names = {name for name, _ in imported.origins.values()}
    print(
        f"{len(every)} evals of these classes, {len(names)} imported: {len(imported.tests)} tests"
    )
    homes = list(imported.origins)
    if options.sample is not None:
        homes = random.Random(SEED).sample(homes, options.sample)
    for home in set(imported.origins) - set(homes):
        del imported.origins[home]  # type: ignore[attr-defined]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        write_tests([test for test in imported.tests if test.folder in homes], Path("made"))
        for home, proof in imported.prove(Path("made")):
            counts["tests"] += 1
            counts["rows"] += proof.rows
            counts["prompts, with those of judges"] += proof.prompts
            counts["scores"] += proof.scores
            counts["not compared"] += proof.not_compared
            counts["tests with differences"] += bool(proof.differences)
            counts["tests not compared wholly"] += bool(proof.why)
            if proof.differences or proof.why:
                print(home, proof.why, json.dumps(proof.differences[:3])[:1500])
    for name, count in counts.items():
        print(f"{count:,} {name}")


if __name__ == "__main__":
    main()
