"""What is asked of transformers: the network only where a download is allowed, no code, no
pickles."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lve.errors import MissingExtraError, PermanentModelError
from lve.extensions.hf import loading
from lve.extensions.hf.classifiers import load_classifier
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.sampling import HFOptions

Load = Callable[[ModelFiles], object]
Asked = list[tuple[str, dict[str, Any], bool]]
"""What each `from_pretrained` got, and whether the hub could not be asked meanwhile."""


class EndedError(Exception):
    """Nothing after the first file is of interest."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    seen: Asked = []

    def from_pretrained(source: str, **options: Any) -> None:
        seen.append((source, options, "HF_HUB_OFFLINE" in os.environ))
        raise EndedError("so far")

    monkeypatch.setattr(loading, "check_files", lambda files, names: None)  # asks the hub, too
    for name in ("AutoTokenizer", "AutoConfig", "AutoModelForSequenceClassification"):
        monkeypatch.setattr(getattr(transformers, name), "from_pretrained", from_pretrained)
    return seen


LOADS: dict[str, Load] = {
    "tokenizer": loading.load_tokenizer,
    "network": lambda files: loading.load_network(files, HFOptions(device="cpu")),
    "encoder": lambda files: loading.load_encoder(files, HFOptions(device="cpu")),
}


@pytest.mark.parametrize("revision", [None, "v2"])
@pytest.mark.parametrize("download", [False, True])
@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS)
def test_the_hub_is_asked_only_where_it_may_be(
    asked: Asked, load: Load, download: bool, revision: str | None
) -> None:
    with pytest.raises(PermanentModelError, match="so far") as error:
        load(ModelFiles("me/tiny", revision, None, download))
    assert error.value.kind == "model"
    [(source, options, offline)] = asked
    assert source == "me/tiny"
    assert options["revision"] == (revision or "main")
    assert options["local_files_only"] is not download
    assert options["trust_remote_code"] is False
    assert offline is not download


@pytest.mark.parametrize("kind", ["folder", "name"])
def test_a_classifier_in_a_folder_is_no_pickle(
    asked: Asked, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that the user has downloaded may be: the user chose them."""
    monkeypatch.setattr("lve.extensions.hf.classifiers._is_downloaded", lambda model: True)
    with pytest.raises(MissingExtraError, match="can't be loaded: so far") as error:
        load_classifier(str(tmp_path) if kind == "folder" else "me/tiny")
    assert ("`hf download me/tiny`" in str(error.value)) is (kind == "name")
    [(_, options, offline)] = asked
    assert options["use_safetensors"] is (True if kind == "folder" else None)
    assert (options["local_files_only"], options["trust_remote_code"]) == (True, False)
    assert options["output_loading_info"] is True
    assert offline
