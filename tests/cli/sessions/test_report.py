"""`lve report`, and `-o` of `lve run`."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import write_sums, write_test

from lve.errors import NoSessionError, UsageError
from lve.reporting.files.outputs import WRITERS


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_run_writes_its_reports(root: Path) -> None:
    write_sums(root / "t", 4)
    result = lve("run", "t", "--model", "replay", "-o", "out/a.csv", "-o", "a.json")
    assert "wrote out/a.csv" in result.stderr
    assert len(rows(root / "out" / "a.csv")) == 4
    document = json.loads((root / "a.json").read_text())
    assert document["sessions"][0]["summary"]["exit_code"] == result.exit_code


def test_a_report_needs_only_the_session(root: Path) -> None:
    folder = write_test(root / "a", expect="fail")
    lve("run", "a", "--model", "dummy/dummy", code=1)
    (folder / "test.json").unlink()
    code, out, told = call("report", "-o", "a.csv")
    assert (code, out) == (0, "")
    assert "lve: wrote a.csv (" in told
    [row] = rows(root / "a.csv")
    assert (row["verdict"], row["as_expected"]) == ("passed", "false")


def test_several_sessions_are_named_by_place_and_id(root: Path) -> None:
    write_test(root / "a")
    for model in ("dummy/one", "dummy/two", "dummy/three"):
        lve("run", "a", "--model", model)
    assert call("report", "last~1", "last", "last", "-o", "a.csv")[0] == 0
    assert [row["model"] for row in rows(root / "a.csv")] == ["dummy/two", "dummy/three"]
    oldest = rows(root / "a.csv")[0]["session"]
    assert call("report", oldest, "-o", "b.csv")[0] == 0
    assert [row["model"] for row in rows(root / "b.csv")] == ["dummy/two"]
    with pytest.raises(NoSessionError, match="there is no session last~3"):
        call("report", "last~3", "-o", "b.csv")


def test_a_session_in_which_nothing_ran_is_not_counted_back(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b", skip="not now")
    lve("run", "a", "--model", "dummy/one")
    lve("run", "b", "--model", "dummy/none")
    lve("run", "a", "--model", "dummy/two")
    call("report", "last~1", "-o", "a.csv")
    assert [row["model"] for row in rows(root / "a.csv")] == ["dummy/one"]


def test_a_file_that_cannot_be_written_stops_a_run_before_it_begins(root: Path) -> None:
    write_test(root / "a")
    with pytest.raises(UsageError, match=r"no report has the suffix '\.docx'"):
        call("run", "a", "--model", "dummy/dummy", "-o", "a.docx")
    assert not (root / ".lve").exists()


def test_every_suffix_is_explained() -> None:
    told = lve("report", "--help").stdout
    documented = (Path(__file__).parents[3] / "docs" / "reports.md").read_text(encoding="utf-8")
    for suffix in WRITERS:
        assert re.search(rf"-o \w+\{suffix} ", told), suffix
        assert f"| `{suffix}` |" in documented


def test_without_a_file_nothing_is_written(root: Path) -> None:
    result = lve("report", code=2)
    assert "-o report.html" in result.stderr


def test_dry_runs_write_nothing(root: Path) -> None:
    write_test(root / "a")
    result = lve("run", "a", "--model", "dummy/dummy", "--dry-run", "-o", "a.csv", code=2)
    assert "--dry-run and --output don't go together" in result.stderr


def test_github_is_told_of_a_run_and_of_a_session(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(root / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root))
    write_test(root / "a", expect="fail")
    ran = lve("run", "a", "--model", "dummy/dummy", "--github", "--json", code=1)
    command = "::error file=a/test.json,line="
    assert command in ran.stderr
    assert json.loads(ran.stdout)["summary"]["exit_code"] == 1
    assert (root / "summary.md").read_text().count("### ❌ 1 test: 1 failed") == 1
    code, out, told = call("report", "--github")
    assert (code, out) == (0, "")
    assert command in told
    assert (root / "summary.md").read_text().count("### ❌ 1 test: 1 failed") == 2


def test_outside_of_github_there_is_no_summary(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    write_test(root / "a")
    result = lve("run", "a", "--model", "dummy/dummy", "--github")
    assert "GITHUB_STEP_SUMMARY isn't set" in result.stderr


def test_a_report_that_fails_at_the_end_costs_no_result(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(root / "gone" / "summary.md"))
    write_test(root / "a")
    result = lve("run", "a", "--model", "dummy/dummy", "--github", code=2)
    assert "summary can't be written: No such file" in result.stderr
    again = result.stderr.partition("`lve report ")[2].partition("`")[0].split()
    assert call("report", *again[:-1], "a.csv")[0] == 0
    assert len(rows(root / "a.csv")) == 1
