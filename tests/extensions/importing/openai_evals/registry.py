"""Registries of OpenAI's `evals` for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from lve.extensions.importing.openai_evals import read_evals
from lve.importers import Imported

BASIC = "evals.elsuite.basic"
CLASSIFY = "evals.elsuite.modelgraded.classify:ModelBasedClassify"
TEMPLATE = {
    "prompt": "Right? {criteria}\n{input}\n{completion}\n{ideal}",
    "choice_strings": ["Yes", "No"],
    "choice_scores": {"Yes": 1.0, "No": 0.0},
    "input_outputs": {"input": "completion"},
}
PACKAGE = 'ANSWER_PROMPTS = {\n    "cot_classify": """\nThink. Then {choices}.\n""".strip(),\n}\n'


def chat(question: str, system: str = "Be {brief}.") -> list[dict[str, str]]:
    """Return a conversation of two messages."""
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


def empty_registry(package: Path) -> Path:
    """Make a package whose registry has a template, and return the registry."""
    folder = package / "registry"
    for name in ("evals", "data", "modelgraded"):
        (folder / name).mkdir(parents=True)
    graded = package / "elsuite" / "modelgraded"
    graded.mkdir(parents=True)
    (graded / "classify_utils.py").write_text(PACKAGE)
    (folder / "modelgraded" / "own.yaml").write_text(yaml.safe_dump({"own": TEMPLATE}))
    return folder


def imported(
    registry: Path, class_name: str, samples: list[Any], /, **args: Any
) -> tuple[Imported, list[str]]:
    """Write an eval, and return its tests and what is left out."""
    (registry / "data" / "s.jsonl").write_text("\n".join(map(json.dumps, samples)))
    entries = {
        "capitals": {"id": "capitals.dev.v0", "description": "Of\n countries."},
        "capitals.dev.v0": {"class": class_name, "args": {"samples_jsonl": "s.jsonl", **args}},
    }
    (registry / "evals" / "e.yaml").write_text(yaml.safe_dump(entries))
    result = read_evals(registry)
    return result, [*result.left_out]


def rows_of(result: Imported, number: int = 0) -> list[Any]:
    """Return the rows of a test."""
    return [
        json.loads(line) for line in str(result.tests[number].files["rows.jsonl"]).split("\n")[:-1]
    ]
