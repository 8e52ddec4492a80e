"""Checkers with a model judge in a process without network, which asks neither the Hugging Face hub
nor an address in an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with
from support.server import model_server

from lve.checkers.builtin.classifiers import ToxicityChecker
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.checkers.resolve import resolve
from lve.errors import MissingExtraError

RECORDER = """
import sys
def record(event, details, keep=frozenset({keep})):
    if event in keep or event == "import" and details[0] in ("transformers", "presidio_analyzer"):
        with open({file!r}, "a") as file:
            print(event, details[0] if event == "import" else details, file=file)
sys.addaudithook(record)
"""
ASKING = {
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "socket.sendmsg",
}
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


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the processes started from now on write what they ask of the network."""
    log, folder = tmp_path / "heard.txt", tmp_path / "python"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(RECORDER.format(keep=ASKING, file=str(log)))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return log


def _heard(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if not line.startswith("import ")]


def test_a_classifier_by_name_is_looked_for_on_this_machine_only(
    heard: Path, tmp_path: Path
) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("torch")
    aside = OutOfProcessChecker(
        ToxicityChecker, {"toxicity_threshold": 0.5, "model": "lve-tests/no-such-model"}, tmp_path
    )
    with pytest.raises(MissingExtraError, match="not on this machine"):
        aside.prepare()
    assert "import transformers" in heard.read_text(), "the process was not looked at"
    assert _heard(heard) == []


def test_addresses_in_an_answer_are_found_without_the_network(heard: Path, tmp_path: Path) -> None:
    pytest.importorskip("presidio_analyzer")
    config: dict[str, Any] = {
        "checker_name": "PII_Checker",
        "entities": ["EMAIL_ADDRESS", "URL"],
        "model": "blank",
    }
    judge = resolve(spec_with(tmp_path / "t", checker_args=config))
    answer = "ana@lve-tests.co.uk or https://lve-tests.co.uk/a"
    assert judge_answers(judge, answer).outcome == "failed"
    assert judge.postprocess(answer) == "<EMAIL_ADDRESS> or <URL>"
    assert "import presidio_analyzer" in heard.read_text(), "the process was not looked at"
    assert _heard(heard) == []


def test_a_library_that_asks_all_the_same_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "tried.json"
    with model_server(["hello"]) as server:
        impostor = IMPOSTOR.format(port=int(server.url.split(":")[2].split("/")[0]), file=str(log))
        (tmp_path / "torch.py").write_text(impostor)
        monkeypatch.syspath_prepend(tmp_path)
        aside = OutOfProcessChecker(ToxicityChecker, {"toxicity_threshold": 0.5}, tmp_path)
        with pytest.raises(MissingExtraError, match="'torch'"):
            aside.prepare()
    tried = json.loads(log.read_text())
    assert tried.pop("offline") == "1"
    assert all("checkers have no network" in error for error in tried.values()), tried
    assert set(tried) == {"connect", "resolve", "send"}
