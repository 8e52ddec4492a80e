"""`lve render --tokens` with a model on this machine. (With tiktoken: test_rendering.py.)"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test


def test_a_local_model_counts_with_its_own_tokenizer(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "hello")
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(tiny))
    first, *rest = tokenizer("Say hello.")["input_ids"]
    assert first == tokenizer.bos_token_id  # which the text itself doesn't have
    _, out, err = call("render", "hello", "--tokens", "--model", f"hf/{tiny}")
    assert f", {len(rest)} tokens\n" in out, err
