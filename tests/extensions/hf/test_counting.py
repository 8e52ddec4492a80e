"""`lve render --tokens` with a model on this machine. (With tiktoken: test_rendering.py.)"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.errors import UsageError


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


def test_a_test_names_no_folder_elsewhere(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    Path("linked").symlink_to(tiny)
    write_test(tmp_path / "hello", prompt="Hello!", model="hf/linked")
    with pytest.raises(UsageError, match="a folder elsewhere is for --model"):
        call("render", "hello", "--tokens")
    own = Path(shutil.copytree(tiny, tmp_path / "own"))
    write_test(tmp_path / "hello", prompt="Hello!", model=f"hf/{own.name}")
    assert "tokens" in call("render", "hello", "--tokens")[1]


def test_a_tokenizer_that_panics_is_a_sentence(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "hello", prompt="a" * 40 + "!")
    own = Path(shutil.copytree(tiny, tmp_path / "own"))
    file = own / "tokenizer.json"
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$|(.*)*x"}, "behavior": "Isolated"}
    content = {**json.loads(file.read_text()), "pre_tokenizer": {**split, "invert": False}}
    file.write_text(json.dumps(content))
    with pytest.raises(UsageError, match="--tokens: the tokenizer fails: "):
        call("render", "hello", "--tokens", "--model", "hf/own")
