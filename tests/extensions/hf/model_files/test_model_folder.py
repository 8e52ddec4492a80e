"""The models that a test document may name for its checkers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.judging import spec_with

from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import SpecError
from lve.extensions.hf.model_files.model_folder import model_of_test


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a test folder with a model in it, and another model beside the folder."""
    for place in ("test/model", "private/model"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "config.json").write_text('{"model_type": "bert"}')
        (tmp_path / place / "tokenizer_config.json").write_text('{"name_or_path": "/home/a"}')
    monkeypatch.chdir(tmp_path)
    return tmp_path / "test"


@pytest.mark.parametrize("name", ["bert-base", "owner/name", "s-nlp/roberta_toxicity_classifier"])
def test_a_name_on_the_hub_stays_what_it_is(name: str, folder: Path) -> None:
    assert model_of_test(name, folder) == name


@pytest.mark.parametrize("name", ["model", "./model", "model/", "linked"])
def test_a_folder_inside_is_loaded_from_there(name: str, folder: Path) -> None:
    (folder / "linked").symlink_to("model")
    assert model_of_test(name, folder) == str(folder / "model")


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", "~", "~/model", "..", "../private/model", "model/../../private/model"),
        *("/etc", "./missing", "a/b/c", "owner/..", "model\0", "C:\\model", "-x", "out"),
        *("{OUTSIDE}/private/model", "file:///etc", "hf://owner/name"),
    ],
)
def test_everything_else_is_refused(name: str, folder: Path) -> None:
    (folder / "out").symlink_to("../private/model")
    with pytest.raises(ValueError, match=r"neither a name on|outside its folder"):
        model_of_test(name.replace("{OUTSIDE}", str(folder.parent)), folder)


def test_a_folder_where_one_stands_is_not_taken_for_a_name_on_the_hub(folder: Path) -> None:
    with pytest.raises(ValueError, match="the folder you stand in"):
        model_of_test("private/model", folder)


def _link(file: Path) -> None:
    file.symlink_to("/etc/passwd")


def _template(file: Path) -> None:
    folder = file.with_name("additional_chat_templates")
    folder.mkdir()
    (folder / "a.jinja").symlink_to("/etc/passwd")


def _adapter(file: Path) -> None:
    file.with_name("adapter_config.json").write_text('{"base_model_name_or_path": "/private"}')


def _index(file: Path) -> None:
    file.with_name("model.safetensors.index.json").write_text(
        '{"weight_map": {"a": "../../private/model.safetensors"}}'
    )


def _weights(file: Path) -> None:
    """Files in subfolders aren't checked, so nothing may name them."""
    file.with_name("config.json").write_text('{"transformers_weights": "sub/x.safetensors"}')


def _large(file: Path) -> None:
    with file.with_name("tokenizer.json").open("wb") as stream:
        stream.truncate(100_000_001)


def _steps(file: Path) -> None:
    file.with_name("tokenizer.json").write_text('[{"type": "NFC"}' + ',{"type": "NFC"}' * 100_000)


def _special(file: Path) -> None:
    tokens = json.dumps({"additional_special_tokens": [f"<{n}>" for n in range(10_001)]})
    file.with_name("tokenizer_config.json").write_text(tokens)


def _words(file: Path) -> None:
    file.with_name("tokenizer_config.json").write_text('{"a": {"vocab_file": "/etc/passwd"}}')


def _tokenizers(file: Path) -> None:
    config = '{"fast_tokenizer_files": ["../../private/tokenizer.1.0.0.json"]}'
    file.with_name("tokenizer_config.json").write_text(config)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_link, "`model/vocab.txt` can't be used: outside its folder"),
        (_template, "`model/additional_chat_templates/a.jinja` can't be used: outside its folder"),
        (os.mkfifo, "`model/vocab.txt` can't be used: not a regular file"),
        (_adapter, "`model/adapter_config.json` names another model"),
        (_index, "`model/model.safetensors.index.json` names a file elsewhere in `weight_map`"),
        (_weights, "`model/config.json` names a file elsewhere in `transformers_weights`"),
        (_large, "`model/tokenizer.json` is larger than 100 MB"),
        (_steps, "`model/tokenizer.json` has 100,001 objects"),
        (_special, "`model/tokenizer_config.json` has 10,001 entries"),
        (_words, "`model/tokenizer_config.json` names a file elsewhere in `vocab_file`"),
        (_tokenizers, "names a file elsewhere in `fast_tokenizer_files`"),
        (lambda file: file.with_name("config.json").write_text("{"), "`model/config.json` can't"),
    ],
)
def test_a_folder_inside_that_leads_out_is_refused(
    spoil: Callable[[Path], object], said: str, folder: Path
) -> None:
    spoil(folder / "model" / "vocab.txt")
    with pytest.raises(ValueError) as caught:
        model_of_test("model", folder)
    assert said in str(caught.value)


@pytest.mark.parametrize("checker", ["BiasChecker", "ToxicityChecker"])
def test_check_and_run_both_refuse_with_the_place(checker: str, tmp_path: Path) -> None:
    threshold = f"{checker.removesuffix('Checker').lower()}_threshold"
    config = {"checker_name": checker, threshold: 0.5, "model": "/srv/model"}
    spec = spec_with(tmp_path / "t", checker_args=config)
    [problem] = check_statically(spec)
    assert problem.path == "$.checker_args.model"
    assert "neither a name on the Hugging Face hub nor a folder inside" in problem.message
    with pytest.raises(SpecError, match="neither a name"):
        resolve(spec)


def test_what_an_honest_folder_has_is_no_reason_to_refuse_it(folder: Path) -> None:
    model = folder / "model"
    (model / ".git").mkdir()
    (model / ".git" / "config").symlink_to("/etc/passwd")  # nobody opens it
    (model / "model.safetensors.index.json").write_text('{"weight_map": {"a": "a-1.safetensors"}}')
    (model / "vocab.json").write_text('{"_file": 1, "../x_files": 2}')
    (model / "tokenizer_config.json").write_text(
        '{"vocab_file": "vocab.json", "tokenizer_file": null, "special_tokens_map_file": "/a/b"}'
    )
    assert model_of_test("model", folder) == str(model)
