"""What `lve import opencompass --prove` finds in a random sample of OpenCompass' configurations, or
AISBench's.

    .venv/bin/lve import --setup opencompass
    .venv/bin/python benchmarks/opencompass_proofs.py [FILES [SEED [aisbench]]]

The data sets can't be had everywhere, so their rows are of our making, in the columns that the
configuration reads: letters where the evaluator compares choices, asserts where it runs programs,
else numbers. The files are those of the installed package.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lve.errors import LveError
from lve.extensions.importing.boxes.box import TOOLS, BoxOptions
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.opencompass import read_configs
from lve.extensions.importing.opencompass.conversion import short
from lve.extensions.importing.opencompass.data_sets import DataSet, open_source
from lve.extensions.importing.opencompass.prove import Configs
from lve.extensions.importing.opencompass.rows import columns_of, split_names

ROWS = 6
TIMEOUT_S = 1800.0
MOST_SETS = 4
"""Files with more data sets are as many times the same, and are left out of the sample."""
LETTERS = "ABCD"
TAGGED = "<AIS_TEXT_START>text {}<AIS_CONTENT_TAG>"
"""What AISBench's templates with images have as content."""
ASSERTS = ("assert 1 + 1 == 2", "assert 'a' in 'abc'", "assert not []")


def rows_of(data_set: DataSet) -> list[dict[str, object]]:
    """Return rows in the columns of a data set and of its templates."""
    infer = data_set.part("infer_cfg")
    columns = {*re.findall(r"\{(\w+)\}", json.dumps(infer)), *columns_of(data_set)}
    prompt = infer.get("prompt_template")
    template = prompt.get("template") if isinstance(prompt, dict) else None
    labels = list(template) if isinstance(template, dict) and "round" not in template else []
    evaluator = short(data_set.part("eval_cfg").get("evaluator"))
    rights: Sequence[object] = labels if len(labels) > 1 else ["7", "12", "3.5"]
    if "Acc" in evaluator and len(labels) < 2:
        rights = LETTERS
    elif "PassK" in evaluator:
        rights = [{"test_list_2": each, "task_id": each} for each in ASSERTS]
    elif "MBPP" in evaluator:
        rights = ASSERTS
    output = data_set.part("reader_cfg").get("output_column")
    rows = []
    for number in range(ROWS):
        row: dict[str, object] = {name: f"{name} {number}" for name in sorted(columns)}
        row |= {"choices": ["x", "y"], "cont": "x"} if "choices" in columns else {}
        row |= {"content": TAGGED.format(number)} if "MMPromptTemplate" in str(prompt) else {}
        rows.append({**row, str(output): rights[number % len(rights)]} if output else row)
    return rows


def imported(file: Path, number: int) -> Configs:
    """Import a file with rows of our making; its tests are in a folder of their own."""
    with tempfile.TemporaryDirectory() as data:
        for data_set in open_source(file).data_sets():
            home = Path(data, re.sub(r"[^\w.-]+", "_", data_set.abbr))
            home.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{json.dumps(row)}\n" for row in rows_of(data_set))
            for split in split_names(data_set).values():
                (home / f"{split}.jsonl").write_text(text, encoding="utf-8")
        own = read_configs(file, Path(data))
    tests = [replace(test, folder=f"{number}/{test.folder}") for test in own.tests]
    origins = {f"{number}/{home}": data_set for home, data_set in own.origins.items()}
    return Configs(tests, origins=origins)


CONFIGS = {
    "opencompass": "opencompass/configs/datasets",
    "aisbench": "ais_bench/benchmark/configs/datasets",
}


def main(count: int, seed: int, tool: str) -> None:
    """Print the figures of a sample."""
    packages = next(TOOLS[tool].folder.glob("lib/*/site-packages"))
    every = sorted((packages / CONFIGS[tool]).rglob("*.py"))
    random.Random(seed).shuffle(every)
    files = [each for each in every if 0 < _number_of_sets(each) <= MOST_SETS][:count]
    each = [imported(file, number) for number, file in enumerate(files)]
    tests = [test for own in each for test in own.tests]
    origins = {home: data_set for own in each for home, data_set in own.origins.items()}
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "made")
        write_tests(tests, folder)
        whole = Configs(tests, origins=origins, options=BoxOptions(timeout_s=TIMEOUT_S))
        for home, proof in whole.prove(folder):
            kind = "differ" if proof.differences else "equal" if proof.scores else "no scores"
            totals[f"tests: {kind}"] += 1
            totals["prompts"] += proof.prompts
            totals["scores"] += proof.scores
            totals["differences"] += len(proof.differences)
            shown = json.dumps(proof.differences[:2], ensure_ascii=False)[:400]
            print(home, proof.prompts, proof.scores, kind, proof.why[:200], shown)
    for name, number in sorted(totals.items()):
        print(f"{number:6,} {name}")


def _number_of_sets(file: Path) -> int:
    try:
        return sum(1 for _ in open_source(file).data_sets())
    except LveError:
        return 0


if __name__ == "__main__":
    count, seed, tool = [*sys.argv[1:], *("40", "40", "opencompass")[len(sys.argv) - 1 :]]
    main(int(count), int(seed), tool)
