"""The certificate of an imported test."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.extensions.importing.certificate import add_proof, changed_files, with_certificate
from lve.extensions.importing.folders import write_tests
from lve.importers import ImportedTest


def test_it_has_the_hashes_of_what_is_written(tmp_path: Path) -> None:
    document = {"description": "ä", "source": {"tool": "x"}}
    test = with_certificate(ImportedTest("a/b", document, {"rows.jsonl": "{}\n"}), rows=1)
    write_tests([test], tmp_path / "made")
    home = tmp_path / "made" / "a" / "b"
    certificate = json.loads((home / "import.json").read_text("utf-8"))
    assert certificate == {
        "source": {"tool": "x"},
        "rows": 1,
        "files": {
            name: sha256((home / name).read_bytes()).hexdigest()
            for name in ("rows.jsonl", "test.json")
        },
        "proof": None,
    }


def test_check_says_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    document = {
        "description": "x",
        "prompt": "{x}",
        "dataset": "rows.jsonl",
        "check": {"text": "x"},
    }
    test = with_certificate(ImportedTest("t", document, {"rows.jsonl": '{"x": "1"}\n'}), rows=1)
    write_tests([test], Path("made"))
    assert call("check", "made")[1] == "1 test: all valid\n"
    Path("made/t/rows.jsonl").write_text('{"x": "2"}\n')
    Path("made/t/test.json").write_text(json.dumps({**document, "expect": "fail"}))
    code, out, err = call("check", "made")
    assert code == 0
    for name in ("rows.jsonl", "test.json"):
        assert f"made/t/import.json: warning: {name} has changed since it was imported" in out + err
    err = call("run", "made", "--model", "dummy/dummy")[2]
    assert err.count("rows.jsonl has changed since it was imported") == 1
    Path("made/t/rows.jsonl").rename("made/t/others.jsonl")
    warnings = [problem.message for problem in changed_files(Path("made/t"))]
    assert "rows.jsonl was imported, and can't be read any more" in warnings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "the certificate can't be read"),
        ("[]", "the certificate has no hashes of files"),
        ('{"files": 3}', "the certificate has no hashes of files"),
        ('{"files": {"../../secret": "x"}}', "../../secret was imported, and can't be read"),
        ('{"files": {"rows.jsonl": [1]}}', "rows.jsonl has changed since it was imported"),
    ],
)
def test_a_hostile_certificate_is_a_warning(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "t" / "rows.jsonl").write_text("x")
    (tmp_path / "t" / "import.json").write_text(text)
    [warning] = changed_files(tmp_path / "t")
    assert said in warning.message
    assert warning.severity == "warning"


def test_a_certificate_that_is_a_link_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    write_test(tmp_path / "t")
    (tmp_path / "t" / "import.json").symlink_to("/dev/zero")
    _, out, _ = call("check", "t")
    assert "the certificate can't be read: outside its folder" in out


def test_a_proof_has_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-aB3dE-f8gH1jK2lM3nO4pQ5")
    (tmp_path / "import.json").write_text("{}")
    add_proof(tmp_path, {"differences": ["it said sk-aB3dE-f8gH1jK2lM3nO4pQ5, twice"]})
    proof = json.loads((tmp_path / "import.json").read_text("utf-8"))["proof"]
    assert proof == {"differences": ["it said [redacted], twice"]}


def test_a_proof_with_half_of_a_character_is_written(tmp_path: Path) -> None:
    (tmp_path / "import.json").write_text("{}")
    add_proof(tmp_path, {"differences": ["a\ud800"]})
    assert json.loads((tmp_path / "import.json").read_text("utf-8"))["proof"] == {
        "differences": ["a?"]
    }
