"""Sessions record which prompt object they ran."""

from __future__ import annotations

import json
from pathlib import Path

from lve.extensions.ragas.saved_prompt import Prompt
from lve.sessions.provenance import hashes_of
from lve.spec.load import load_spec

RIVER = {"name": "r", "instruction": "i", "input_keys": ["river"], "output_key": "o"}


def sums(folder: Path, prompt: object, **keys: object) -> dict[str, str]:
    checker = {"checker_name": "RefuseChecker"}
    document = {"description": "d", "prompt_object": prompt, "checker_args": checker, **keys}
    (folder / "test.json").write_text(json.dumps(document))
    return hashes_of(load_spec(folder))


def test_it_changes_with_the_prompt_alone(tmp_path: Path) -> None:
    one = sums(tmp_path, RIVER)
    other_test = sums(tmp_path, RIVER, author="x")
    changed = sums(tmp_path, {**RIVER, "instruction": "j"})
    Prompt(**RIVER).save(tmp_path)
    saved = sums(tmp_path, "english/r.json")
    assert one["prompt_object"] == Prompt(**RIVER).content_hash
    assert one["prompt_object"] == other_test["prompt_object"] == saved["prompt_object"]
    assert one["document"] != other_test["document"]
    assert changed["prompt_object"] != one["prompt_object"]


def test_a_prompt_that_is_wrong_has_none(tmp_path: Path) -> None:
    assert "prompt_object" not in sums(tmp_path, {**RIVER, "output_type": "xml"})
