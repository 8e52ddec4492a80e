"""What sessions say of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.results import make_result

from lve.errors import NoSessionError
from lve.extensions.site.recorded import session_results
from lve.sessions.session_folder import SessionFolder


def session(folder: Path, *results: dict[str, Any]) -> str:
    made = SessionFolder.create(folder, {"options": {}, "tests": {}})
    journal = made.open_journal()
    for number, changes in enumerate(results, 1):
        journal.append(make_result(line=number, **changes))
    journal.close()
    return made.id


def test_each_model_has_a_result_in_each_test_and_session(tmp_path: Path) -> None:
    first = session(
        tmp_path,
        {"model": "a", "verdict": "passed"},
        {"model": "a", "verdict": "failed"},
        {"model": "a", "verdict": "error", "error_kind": "checker"},
        {"model": "b", "verdict": "passed"},
        {"model": "replay", "verdict": "failed"},
    )
    second = session(tmp_path, {"model": "a", "test": "repository/b"})
    found = session_results([first, second, "last"], tmp_path, pytest.fail)
    assert {
        test: [(one.model, one.where, one.passed, one.failed, one.others) for one in results]
        for test, results in found.items()
    } == {
        "repository/a": [("a", first, 1, 1, 1), ("b", first, 1, 0, 0)],
        "repository/b": [("a", second, 1, 0, 0)],
    }
    estimate = found["repository/a"][0].estimate
    assert estimate is not None
    assert estimate.value == 0.5


def test_an_unknown_session_is_one_sentence(tmp_path: Path) -> None:
    session(tmp_path, {})
    with pytest.raises(NoSessionError, match="no session"):
        session_results(["20200101"], tmp_path, pytest.fail)
