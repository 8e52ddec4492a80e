"""What is asked of transformers: the network only where a download is allowed, no code, no
pickles."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

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


class PanicError(BaseException):
    """As tokenizers (Rust) raise it."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, PanicError, OSError, ValueError])
@pytest.mark.parametrize("text", ["", " damaged\nat line 2 "])
def test_whatever_damaged_files_raise_is_an_error_of_the_model_but_ctrl_c(
    asked: Asked, error: type[BaseException], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    transformers = pytest.importorskip("transformers")
    monkeypatch.setattr(
        transformers.AutoTokenizer, "from_pretrained", Mock(side_effect=error(text))
    )
    stops = issubclass(error, KeyboardInterrupt | SystemExit)
    with pytest.raises(error if stops else PermanentModelError) as caught:
        loading.load_tokenizer(ModelFiles("me/tiny", None, None, download=False))
    if not stops:
        assert str(caught.value).endswith(": damaged" if text else f": {error.__name__}")
        assert caught.value.__cause__ is not None


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


@pytest.mark.parametrize(
    ("options", "present", "device", "dtype"),
    [
        ({}, (), "cpu", "float32"),
        ({}, ("cuda",), "cuda", "auto"),
        ({}, ("mps",), "mps", "auto"),
        ({}, ("cuda", "mps"), "cuda", "auto"),
        ({"device": "cpu"}, ("cuda", "mps"), "cpu", "float32"),
        ({"device": "cuda:1"}, (), "cuda:1", "auto"),
        ({"device": "cpu", "dtype": "bfloat16"}, ("cuda",), "cpu", "bfloat16"),
        ({"dtype": "float16"}, ("cuda",), "cuda", "float16"),
    ],
)
@pytest.mark.parametrize("load", ["load_network", "load_encoder"])
def test_weights_go_where_they_are_fast_and_are_half_only_there(
    load: str,
    options: dict[str, str],
    present: tuple[str, ...],
    device: str,
    dtype: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    network = Mock(generation_config=transformers.GenerationConfig(num_beams=9, pad_token_id=3))
    network.eval.return_value = network
    from_pretrained = Mock(return_value=(network, {}))
    for name in ("AutoModel", "AutoModelForCausalLM"):
        monkeypatch.setattr(getattr(transformers, name), "from_pretrained", from_pretrained)
    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", Mock())
    for name in ("check_files", "check_size", "check_complete"):
        monkeypatch.setattr(loading, name, Mock())
    for backend in ("cuda", "mps"):
        where = torch.cuda if backend == "cuda" else torch.backends.mps
        monkeypatch.setattr(where, "is_available", lambda is_there=backend in present: is_there)
    files = ModelFiles("me/tiny", None, None, download=False)
    assert getattr(loading, load)(files, HFOptions(**options)) is network
    network.to.assert_called_once_with(device)
    network.eval.assert_called_once_with()
    asked = from_pretrained.call_args.kwargs
    assert asked["dtype"] == ("auto" if dtype == "auto" else getattr(torch, dtype))
    assert (asked["use_safetensors"], asked["output_loading_info"]) == (True, True)
    if load == "load_network":  # beams would multiply the work
        kept = network.generation_config
        assert kept.pad_token_id == 3
        assert kept.num_beams != 9
