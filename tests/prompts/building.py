"""Small test folders whose prompts would be huge, and honest ones that come close."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.folders import write_dataset_test, write_test

BIG = "x" * 100_000
ROUND = [{"role": "HUMAN", "prompt": "{q}"}, {"role": "BOT", "prompt": "{a}"}]
READER = {"input_columns": ["q"], "output_column": "a"}
EXAMPLES = {
    "ice_template": {"type": "PromptTemplate", "template": {"round": ROUND}},
    "prompt_template": {
        "type": "PromptTemplate",
        "template": {"begin": ["</E>"], "round": ROUND},
        "ice_token": "</E>",
    },
}
"""A dialogue with examples."""


def rows_file(folder: Path, rows: list[Mapping[str, Any]], name: str = "rows.jsonl") -> str:
    """Write rows into a test folder and return the file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def template_test(
    folder: Path, template: Any, row: Mapping[str, Any], *, reader: Any = None, **infer: Any
) -> Path:
    """Write a test with one row and a `PromptTemplate` (or one written out), and return it."""
    written = template if isinstance(template, dict) and "type" in template else None
    return write_dataset_test(
        folder,
        rows_file(folder, [row]),
        reader_cfg=reader or READER,
        prompt_template=written or {"type": "PromptTemplate", "template": template},
        **infer,
    )


def message_test(folder: Path, content: str, values: Mapping[str, Any], **document: Any) -> Path:
    """Write a test with one user message and one instance, and return it."""
    document = {"prompt": [{"content": content}], "prompt_parameters": list(values)} | document
    return write_test(folder, instances=[{"args": values}], **document)
