"""Checkers with a model judge in a process without network, which asks neither the Hugging Face hub
nor an address in an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.hf.downloads import write_download
from support.packages import needs
from support.server import model_server
from support.shared_processes import stop_shared_processes

from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.errors import MissingExtraError
from lve.extensions.hf.classifiers import ToxicityChecker

IMPOSTOR = """
import json, os, socket
def tried(call, *args):
    try:
        return str(call(*args))
    except OSError as error:
        return str(error)
found = {{
    "connect": tried(socket.create_connection, ("127.0.0.1", {port})),
    "resolve": tried(socket.getaddrinfo, "localhost", 80),
    "send": tried(socket.socket(type=socket.SOCK_DGRAM).sendto, b"hello", ("127.0.0.1", 9)),
    "offline": os.environ.get("HF_HUB_OFFLINE"),
}}
with open({file!r}, "w") as file:
    json.dump(found, file)
raise ModuleNotFoundError("not here", name="torch")
"""


@needs("transformers")
def test_a_library_that_asks_all_the_same_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "tried.json"
    with model_server(["hello"]) as server:
        impostor = IMPOSTOR.format(port=int(server.url.split(":")[2].split("/")[0]), file=str(log))
        (tmp_path / "torch.py").write_text(impostor)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
        args = {"toxicity_threshold": 0.5, "model": write_download(tmp_path, "{}")}
        aside = OutOfProcessChecker(ToxicityChecker, args, tmp_path)
        stop_shared_processes()
        with pytest.raises(MissingExtraError, match="'torch'"):
            aside.prepare()
    stop_shared_processes()
    tried = json.loads(log.read_text())
    assert tried.pop("offline") == "1"
    assert all("checkers have no network" in error for error in tried.values()), tried
    assert set(tried) == {"connect", "resolve", "send"}
