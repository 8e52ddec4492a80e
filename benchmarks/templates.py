"""How fast and in how much memory a data set renders: `python benchmarks/templates.py [N]`.

Writes N rows (default 1,000,000) as JSONL and renders each, read from the file, with a 5-shot text
template and with a 5-shot dialogue, each in a process of its own. Memory is the peak over that of
the same process with one row.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TEXT = ("Q: {question}\nA: {answer}", "Solve.\n</E>Q: {question}\nA: {answer}")
ROUND = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
DIALOGUE: tuple[Any, Any] = ({"round": ROUND}, {"begin": ["</E>"], "round": ROUND})
CASES = {"text": TEXT, "dialogue": DIALOGUE}


def write_test(folder: Path, templates: tuple[Any, Any], rows: Path) -> None:
    ice, prompt = ({"type": "PromptTemplate", "template": template} for template in templates)
    train = [{"question": f"{n} + {n} = ?", "answer": str(2 * n)} for n in range(5)]
    document = {
        "description": "sums",
        "model": "dummy/dummy",
        "dataset": {"train": train, "test": rows.name},
        "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
        "infer_cfg": {
            "ice_template": ice,
            "prompt_template": {**prompt, "ice_token": "</E>"},
            "retriever": {"type": "FixKRetriever", "fix_id_list": [0, 1, 2, 3, 4]},
            "inferencer": {"type": "GenInferencer"},
        },
    }
    folder.mkdir(parents=True)
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    os.link(rows, folder / rows.name)


def write_rows(file: Path, count: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for n in range(count):
            question = f"What is {n} plus {n * 7 % 100}? Think about it for a moment."
            stream.write(json.dumps({"question": question, "answer": str(n + n * 7 % 100)}) + "\n")


def render(folder: Path) -> None:
    """Render all rows of a test; print prompts, seconds and peak memory in MB as JSON."""
    import resource

    from lve.data.instances import iter_instances
    from lve.prompts.plan import build_plan
    from lve.spec.load import load_spec
    from lve.spec.spec import Instance

    spec = load_spec(folder, root=folder)
    plan = build_plan(spec)
    start, count = time.perf_counter(), 0
    for instance in iter_instances(spec):
        assert isinstance(instance, Instance)
        plan.preview(instance)
        count += 1
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([count, seconds, peak]))


def measured(folder: Path) -> tuple[int, float, float]:
    command = [sys.executable, __file__, "--render", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    count, seconds, peak = json.loads(done.stdout)
    return count, seconds, peak


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        one, many = root / "one.jsonl", root / "many.jsonl"
        write_rows(one, 1)
        write_rows(many, count)
        for name, templates in CASES.items():
            write_test(root / name / "one", templates, one)
            write_test(root / name / "many", templates, many)
            _, _, base = measured(root / name / "one")
            prompts, seconds, peak = measured(root / name / "many")
            print(
                f"{name:9} {prompts} rows: {prompts / seconds:,.0f} prompts/s with reading, "
                f"peak RSS {peak:.0f} MB, {peak - base:.0f} MB more than one row"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--render"]:
        render(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
