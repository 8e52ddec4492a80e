"""Test folders for tests: a workspace with tests in it, written in one call each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SUM_CHECKER = {
    "checker_name": "LambdaChecker",
    "func": "lambda r, a, b: int(r) == int(a) + int(b)",
}


def workspace(root: Path, settings: str = "") -> Path:
    """Make `root` a workspace with these settings (YAML) and return it."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "lve.yaml").write_text(settings, encoding="utf-8")
    return root


def write_test(
    folder: Path,
    *,
    instances: Iterable[Mapping[str, Any]] | None = None,
    **document: Any,
) -> Path:
    """Write a test that asks for a greeting, changed by `document`, and return its folder.

    Args:
        folder: the test folder.
        instances: lines of `instances/main.jsonl`.
        document: keys of the test document; None takes one away.
    """
    whole = {
        "description": "says hello",
        "model": "dummy/dummy",
        "prompt": [{"role": "user", "content": "Say hello."}],
        "checker_args": {"checker_name": "RegexChecker", "pattern": "Hello", "match_safe": True},
        **document,
    }
    kept = {key: value for key, value in whole.items() if value is not None}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")
    if instances is not None:
        (folder / "instances").mkdir(exist_ok=True)
        lines = "".join(json.dumps(instance) + "\n" for instance in instances)
        (folder / "instances" / "main.jsonl").write_text(lines, encoding="utf-8")
    return folder


def write_dataset_test(
    folder: Path,
    dataset: Any,
    *,
    reader_cfg: Mapping[str, Any],
    model_args: Mapping[str, Any] | None = None,
    **infer_cfg: Any,
) -> Path:
    """Write a test of a data set, without examples and for a generation, changed by `infer_cfg`,
    and return its folder.

    Args:
        folder: the test folder.
        dataset: as in the test document.
        reader_cfg: as in the test document.
        model_args: `default_model_args` of the test document.
        infer_cfg: keys of it in the test document.
    """
    return write_test(
        folder,
        prompt=None,
        checker_args=None,
        dataset=dataset,
        default_model_args=model_args,
        reader_cfg=reader_cfg,
        infer_cfg={
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
            **infer_cfg,
        },
    )


def write_sums(folder: Path, n: int, **document: Any) -> Path:
    """Write a test of `n` sums, whose recorded answers are right, and return its folder."""
    rows = [
        {
            "args": {"a": str(i), "b": str(i * 7 % 10)},
            "response": str(i + i * 7 % 10),
            "passed": True,
            "run_info": {"source": "handwritten"},
        }
        for i in range(n)
    ]
    return write_test(
        folder,
        instances=rows,
        **{
            "description": "adds two numbers",
            "prompt": [{"role": "user", "content": "Compute {a} + {b}"}],
            "prompt_parameters": ["a", "b"],
            "checker_args": SUM_CHECKER,
            **document,
        },
    )
