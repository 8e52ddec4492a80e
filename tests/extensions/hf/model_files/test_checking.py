"""Models whose folder means harm, named by the user: errors of the instance, in bounded time.

What a folder's files may say is tested in test_model_rules.py; here is what happens
when they are loaded.
"""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lve.errors import PermanentModelError
from lve.extensions.hf import loading
from lve.extensions.hf.model_files import checking
from lve.extensions.hf.model_files.files import find_files
from lve.extensions.hf.sampling import HFOptions
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
Spoil = Callable[[Path], object]
PROMPT = "Say hello to aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"


def answered(folder: Path) -> Completion:
    async def run() -> Completion:
        model = create_model(f"hf/{folder}", Settings())
        try:
            return await model.complete(
                ChatRequest(prompt=PROMPT, args={"max_tokens": 3, "temperature": 0})
            )
        finally:
            await model.aclose()

    return asyncio.run(run())


def says(file: str, **values: Any) -> Spoil:
    """Return what changes keys of a JSON file."""

    def spoil(folder: Path) -> None:
        path = folder / file
        content = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**content, **values}))

    return spoil


def header_of(folder: Path) -> dict[str, Any]:
    content = (folder / "model.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8 : 8 + length])
    return header


def with_header(header: bytes) -> Spoil:
    return lambda folder: (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(header)) + header
    )


def pickled(folder: Path) -> None:
    """The index names a pickle, which `use_safetensors=True` doesn't prevent."""

    class Code:
        def __reduce__(self) -> Any:
            return (Path.touch, (folder.parent / "canary",))

    names = [name for name in header_of(folder) if name != "__metadata__"]
    (folder / "model.safetensors").unlink()
    (folder / "evil.bin").write_bytes(pickle.dumps(Code()))
    says("model.safetensors.index.json", metadata={}, weight_map=dict.fromkeys(names, "evil.bin"))(
        folder
    )


def damaged(folder: Path) -> None:
    path = folder / "model.safetensors"
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    path.write_bytes(content[:start] + b"\xff" * (len(content) - start))


NFC = {"type": "NFC"}
REPLACE = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}
BACKTRACKING = {"Regex": "(a+)+$|(\\w+\\s?)+$|(.*)*x"}
HOSTILE: dict[str, tuple[Spoil, str]] = {
    "pickle": (pickled, "names weights in `weight_map` that aren't safetensors"),
    "adapter": (says("adapter_config.json", peft_type="LORA"), "merge the adapter"),
    "weights elsewhere": (says("config.json", transformers_weights="../x.safetensors"), "elsewher"),
    "words elsewhere": (says("tokenizer_config.json", vocab_file="/etc/passwd"), "elsewhere in"),
    "layers": (says("config.json", num_hidden_layers=10**6), "no model has more than 10,000"),
    "parameters": (says("config.json", intermediate_size=10**9), r"describes [\d,]+ parameters"),
    "labels": (says("config.json", num_labels=2**31), "num_labels: 2,147,483,648, and no model"),
    "more layers": (says("config.json", num_hidden_layers=3), "its weights lack model.layers.2"),
    "no weights": (with_header(b'{"__metadata__": {"format": "pt"}}'), "its weights lack "),
    "many tensors": (with_header(b" " * 20_000_001), "a header of 20,000,001 bytes"),
    "header that isn't there": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 9),
        "a header of",
    ),
    "NaN": (damaged, "the model's scores are NaN"),
    "backtracking": (
        says("tokenizer.json", pre_tokenizer={"type": "Split", "pattern": BACKTRACKING,
             "behavior": "Isolated", "invert": False}),
        "PanicException",
    ),
    "panic": (
        says("tokenizer.json", normalizer={"type": "Precompiled", "precompiled_charsmap":
             base64.b64encode(b"\xff" * 400).decode()}),
        "can't be loaded: ",
    ),
    "growth": (
        says("tokenizer.json", normalizer={"type": "Sequence", "normalizers": [REPLACE] * 6}),
        "more than 1,000 times longer",
    ),
    "special tokens": (
        lambda folder: (folder / "special_tokens_map.json").write_text('"' + "x" * 10_000_001),
        "`special_tokens_map.json` is larger than 10 MB",
    ),
    "steps": (
        says("tokenizer.json", normalizer={"type": "Sequence", "normalizers": [NFC] * 100_000}),
        r"`tokenizer.json` has 100,\d+ objects",
    ),
    "many special tokens": (
        says("tokenizer_config.json", extra_special_tokens=[f"<{n}>" for n in range(10_001)]),
        "10,001 entries in `extra_special_tokens`",
    ),
    "several answers": (
        says("generation_config.json", num_return_sequences=50),
        "num_return_sequences",
    ),
    "nesting": (
        lambda folder: (folder / "generation_config.json").write_text("[" * 200_000),
        "`generation_config.json` can't be read: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_an_error_of_the_instance(
    name: str, tiny: Path, tmp_path: Path
) -> None:
    spoil, said = HOSTILE[name]
    folder = Path(shutil.copytree(tiny, tmp_path / "model"))
    spoil(folder)
    with pytest.raises(PermanentModelError, match=said):
        answered(folder)
    assert not (tmp_path / "canary").exists()


HARMLESS: dict[str, Spoil] = {
    "beams": says("generation_config.json", num_beams=100_000),
    "contrastive search, which is code on the hub": says(
        "generation_config.json", penalty_alpha=0.6, top_k=4
    ),
    "code on the hub": says("generation_config.json", dola_layers="high"),
    "a cache that needs a package": says(
        "generation_config.json", cache_implementation="quantized"
    ),
    "texts that end it": says("generation_config.json", stop_strings=["a"], max_time=0),
    "a kernel from the hub": says("config.json", attn_implementation="owner/repo"),
    "a kernel from the hub, by its other name": says(
        "config.json", _attn_implementation="owner/repo"
    ),
    "code beside it": lambda folder: [
        (folder / "evil.py").write_text("raise SystemExit"),
        says("config.json", auto_map={"AutoModelForCausalLM": "evil.X"})(folder),
    ],
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_else_a_folder_wants_changes_nothing(name: str, tiny: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "model"))
    HARMLESS[name](folder)
    assert answered(folder).text == answered(tiny).text


def test_what_changes_the_scores_of_tokens_is_kept(tiny: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "model"))
    first = answered(tiny).text[0]
    token = json.loads((tiny / "tokenizer.json").read_text())["model"]["vocab"]
    says("generation_config.json", suppress_tokens=[
        number for text, number in token.items() if text.startswith(first)
    ])(folder)  # fmt: skip
    assert answered(folder).text[:1] != first


def test_ctrl_c_while_a_tokenizer_is_loaded_stays_one(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`lve render --tokens` loads it in the main thread."""
    from transformers import AutoTokenizer

    from lve.extensions.hf.model_files.files import find_files

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", interrupted)
    with pytest.raises(KeyboardInterrupt):
        loading.load_tokenizer(find_files(str(tiny), folder=tiny))


def test_a_network_of_endless_tensors_is_refused(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number of layers that no name of a key tells: it is making the network that is stopped."""
    folder = Path(shutil.copytree(tiny, tmp_path / "model"))
    config = {"model_type": "funnel", "architectures": ["FunnelModel"], "block_sizes": [1_000_000]}
    (folder / "config.json").write_text(json.dumps({**config, "d_model": 8, "d_inner": 8}))
    monkeypatch.setattr(checking, "MAX_TENSORS", 2_000)
    files = find_files(str(folder), folder=tmp_path)
    with pytest.raises(PermanentModelError, match="describes more than 2,000 tensors"):
        loading.load_encoder(files, HFOptions())
    shutil.copy(tiny / "config.json", folder)
    monkeypatch.setattr(checking, "MAX_TENSORS", 100_000)
    loading.load_network(find_files(str(folder), folder=tmp_path), HFOptions())
