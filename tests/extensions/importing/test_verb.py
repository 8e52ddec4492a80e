"""`lve import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace
from support.installed import Installed

SOURCE = """
from lve.importers import Imported, ImportedTest
GOOD = {"description": "x", "prompt": [{"content": "x"}], "check": {"contains": "x"}}
def read(source):
    tests = [ImportedTest("good", GOOD), ImportedTest("bad", {**GOOD, "descriptoin": "x"})]
    return Imported(tests, [f"\\x1b[2J{n}" for n in range(102)])
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    Path("source").touch()
    points = {"lve.importers": {"own": "lve_i:read", "promptfoo": "lve_i:read"}}
    Installed(tmp_path / "site", monkeypatch).add("lve-i", {"lve_i": SOURCE}, points)


def test_each_test_is_checked_and_what_is_left_out_is_told() -> None:
    code, out, err = call("import", "own", "source", "-o", "made")
    assert code == 2
    assert "made/bad/test.json:11:3: $.descriptoin: " in out
    assert out.endswith("2 tests: 1 with problems\n")
    lines = err.splitlines()
    assert len(lines) == 101
    assert lines[0] == "lve: warning: \\x1b[2J0 [importer_left_out]"
    assert lines[-1] == "lve: warning: 2 more things are left out [importer_left_out]"


def test_the_json_document_has_all_of_it() -> None:
    code, out, err = call("import", "own", "source", "-o", "made", "--json")
    document = json.loads(out)
    assert (code, err) == (2, "")
    assert document["summary"]["valid"] == 1
    assert len(document["left_out"]) == 101


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_where_nothing_can_be_imported_it_says_why(more: list[str]) -> None:
    Path("promptfooconfig.yaml").write_text(
        "prompts: ['{{q}}']\nproviders: []\ntests: [{vars: {q: x}, assert: [{type: python}]}]\n"
    )
    result = lve("import", "promptfoo", "promptfooconfig.yaml", "-o", "made", *more, code=2)
    assert str(result.exception).startswith("the source has no test that can be imported")
    assert any(
        "promptfooconfig.yaml:3:33: warning: " in line and "left out: " in line
        for line in result.output.splitlines()
    ), result.output
    assert not Path("made").exists()


@pytest.mark.parametrize("missing", [["-o", "made", "own", "gone"], ["own", "source"]])
def test_source_and_folder_are_needed(missing: list[str]) -> None:
    lve("import", *missing, code=2)
    assert not Path("made").exists()


def test_lves_own_importer_is_not_taken_over() -> None:
    out = call("plugins")[1]
    assert "importer · own · lve-i · 1.0\n" in out
    assert "importer · promptfoo · lve-i · 1.0 · not used: lve itself has this name\n" in out
    assert any(
        line.startswith("importer · promptfoo · lve · ") and "tests may" not in line
        for line in out.splitlines()
    )
    assert "configuration" in str(
        lve("import", "promptfoo", "source", "-o", "made", code=2).exception
    )
