"""A small workspace of test folders for pytest runs inside the tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write_test(pytester: pytest.Pytester) -> Write:
    """`write_test("privacy/x", answers=[("Paris", True)], **keys)` writes a test folder with one
    recorded instance per answer; the checker wants "Paris"."""
    (pytester.path / ".lverepo").touch()

    def write(
        name: str, answers: Sequence[tuple[str, bool]] = (("Paris", True),), **keys: Any
    ) -> Path:
        folder = pytester.path / "repository" / name
        folder.mkdir(parents=True)
        document = {
            "description": "capitals",
            "model": "replay",
            "prompt": [{"role": "user", "content": "What is the capital of {country}?"}],
            "prompt_parameters": ["country"],
            "checker_args": {
                "checker_name": "RegexChecker",
                "pattern": "Paris",
                "match_safe": True,
            },
            **keys,
        }
        text = json.dumps(document, indent=2)
        (folder / "test.json").write_text(text, encoding="utf-8")
        lines = [
            {
                "args": {"country": f"France {n}"},
                "response": answer,
                "passed": passed,
                "run_info": {"source": "handwritten"},
            }
            for n, (answer, passed) in enumerate(answers, 1)
        ]
        (folder / "instances").mkdir()
        (folder / "instances" / "instances.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
        )
        return folder

    return write
