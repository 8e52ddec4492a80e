"""`lve.report`."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from support.folders import write_test
from support.recorded import session_folder
from support.results import make_result

import lve
from lve.errors import NoSessionError, UsageError


def models(file: Path) -> list[str]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return [row["model"] for row in csv.DictReader(stream)]


def test_what_a_run_returned_and_what_is_named_can_be_reported(root: Path) -> None:
    write_test(root / "a")
    first = lve.run(root / "a", model="dummy/one")
    lve.run(root / "a", model="dummy/two")
    lve.report(first, "one.csv", root / "one.json")
    lve.report("last", "two.csv")
    lve.report([first, "last"], root / "both.csv")
    assert models(root / "one.csv") == ["dummy/one"]
    assert (root / "one.json").exists()
    assert models(root / "two.csv") == ["dummy/two"]
    assert models(root / "both.csv") == ["dummy/one", "dummy/two"]


def test_sessions_may_lie_elsewhere(root: Path) -> None:
    session_folder(root / "other", [make_result(model="m")])
    lve.report("last", root / "a.csv", session_dir=root / "other")
    assert models(root / "a.csv") == ["m"]
    with pytest.raises(NoSessionError):
        lve.report("last", root / "a.csv")


def test_what_cannot_be_reported_is_one_sentence(root: Path) -> None:
    write_test(root / "a")
    unkept = lve.run(root / "a", model="dummy/one", keep=False)
    with pytest.raises(UsageError, match="wasn't kept"):
        lve.report(unkept, root / "a.csv")
    with pytest.raises(UsageError, match="takes sessions, and the files"):
        lve.report("last")
    assert not (root / "a.csv").exists()


def test_an_older_session_is_reported_with_a_warning(root: Path) -> None:
    folder = session_folder(root / ".lve", [make_result()], [])
    with pytest.warns(UserWarning, match="doesn't say what 1 of its tests expect"):
        lve.report(folder.id, root / "a.csv")
