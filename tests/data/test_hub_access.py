"""Nothing uses the network unless the settings allow downloads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from extensions.hf.downloads import download_folder
from extensions.hf.tiny_model import HIDDEN, make_tiny_model
from support.packages import needs

from lve.data.hub_access import hub_access

PARENT = """
import contextlib, importlib, json, os, sys, traceback
import torch
for name in (
    *("torch.distributed.tensor", "torch.distributed.checkpoint", "torch._dynamo.aot_compile"),
    "scipy.optimize",
):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)

assert not {"huggingface_hub", "transformers"} & set(sys.modules)
for name, code in json.loads(sys.argv[1]).items():
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    try:
        names = {}
        exec(code, names)
        print(json.dumps([name, names["done"], names["asked"], names["refused"]]), flush=True)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(0)
"""
"""Imports once, for all children, what takes transformers seconds to import and has nothing to do
with the hub."""
WATCHED = """
import asyncio, sys
done, asked, refused = 0, [], []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        asked.append([event, repr(arguments)])
        raise OSError("there is no network here")
sys.addaudithook(watch)
"""
MODEL = """
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

async def answers():
    model = create_model("hf/me/tiny", Settings())
    try:
        request = ChatRequest((Message("Hi"),), {"max_tokens": 2})
        return [(await model.complete(request)).text, await model.embed(["x"])]
    finally:
        await model.aclose()

done += len(asyncio.run(answers()))
"""
CLASSIFIER = """
from lve.extensions.hf.classifiers import load_classifier
from lve.errors import MissingExtraError

load_classifier("me/tiny")
done += 1
try:
    load_classifier("nobody/has-it")
except MissingExtraError:
    done += 1
"""
UNSAFE = """
import torch
for folder in sys.argv[2:]:
    torch.save({}, folder + "/pytorch_model.bin")
    try:
        load_classifier(folder)
    except MissingExtraError as error:
        refused.append(str(error))
"""
IMPORTED = "import huggingface_hub, transformers\n"
CHILDREN = {
    "imported by lve": WATCHED + MODEL + CLASSIFIER,
    "imported before": IMPORTED + WATCHED + MODEL + CLASSIFIER + UNSAFE,
}
"""Each imports transformers, which takes seconds."""


@dataclass(frozen=True)
class Told:
    """What the children told."""

    done: dict[str, list[Any]]
    """Name -> number of things that were done, accesses to the network, and why folders were
    refused."""
    errors: str
    ran: Path
    """The file that the code in an unsafe folder writes."""


def _add_classifier(weights: Path) -> None:
    """Add what makes a language model a classifier, too."""
    numpy, safetensors = pytest.importorskip("numpy"), pytest.importorskip("safetensors.numpy")
    score = {"score.weight": numpy.zeros((2, HIDDEN), "float32")}
    tensors = {**safetensors.load_file(weights), **score}
    safetensors.save_file(tensors, weights, {"format": "pt"})


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    if not hasattr(os, "fork"):
        pytest.skip("needs os.fork")
    home = tmp_path_factory.mktemp("hub")
    tiny = make_tiny_model(download_folder(home / "hub", "me/tiny"))
    _add_classifier(tiny / "model.safetensors")
    pickled, coded, ran = home / "pickled", home / "coded", home / "ran"
    for folder in pickled, coded:
        shutil.copytree(tiny, folder)
        (folder / "model.safetensors").unlink()
    config = json.loads((coded / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Mine"}}
    (coded / "config.json").write_text(json.dumps(config))
    (coded / "mine.py").write_text(f"open({str(ran)!r}, 'w')\nclass Mine: ...\n")

    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_"))}
    done = subprocess.run(
        [sys.executable, "-c", PARENT, json.dumps(CHILDREN), str(pickled), str(coded)],
        env={**kept, "HF_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return Told({name: rest for name, *rest in lines}, done.stderr, ran)


@needs("torch", "transformers")
@pytest.mark.parametrize("name", CHILDREN)
def test_a_model_on_this_machine_is_used_without_the_network(name: str, told: Told) -> None:
    assert name in told.done, told.errors
    assert told.done[name][:2] == [4, []]


@needs("torch", "transformers")
def test_neither_pickles_nor_code_of_a_folder_are_read(told: Told) -> None:
    assert "imported before" in told.done, told.errors
    pickled, coded = told.done["imported before"][2]
    assert "safetensors" in pickled
    assert "code" in coded
    assert not told.ran.exists()


def test_the_switch_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with hub_access(download=False):
        assert constants.HF_HUB_OFFLINE is True
        assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert constants.HF_HUB_OFFLINE is False
    assert "HF_HUB_OFFLINE" not in os.environ


def test_a_user_who_is_offline_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setenv("HF_HUB_OFFLINE", "yes")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with hub_access(download=True):
        assert constants.HF_HUB_OFFLINE is True
    with hub_access(download=False):
        pass
    assert (constants.HF_HUB_OFFLINE, os.environ["HF_HUB_OFFLINE"]) == (True, "yes")
