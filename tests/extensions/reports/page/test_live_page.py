"""When a page reads its sessions again. What it has of them: `test_growing_session`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.results import make_result

from lve.extensions.reports.page import live_page
from lve.sessions.session_folder import SessionFolder


def add(folder: SessionFolder, **changes: Any) -> None:
    with closing(folder.open_journal()) as journal:
        journal.append(make_result(**changes))


def test_a_session_that_takes_long_to_read_again_is_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter(range(0, 10_000, 2))  # each look at the clock finds it two seconds later
    monkeypatch.setattr(live_page, "time", SimpleNamespace(monotonic=lambda: next(now)))
    folder = SessionFolder.create(tmp_path, {"options": {}, "tests": {"repository/a": {}}})
    page = live_page.LivePage([folder], lambda _: None)
    add(folder, verdict="failed")
    assert page.state()[0]["counts"] == {"failed": 1}
    add(folder)
    assert page.state()[0]["counts"] == {"passed": 1}
    add(folder, verdict="failed")
    add(folder, line=2)
    assert page.state()[0]["counts"] == {"passed": 1}
    arrived, absent = (make_result(line=line).id for line in (2, 3))
    assert (page.has(0, arrived), page.has(0, absent)) == (True, False)
    later = [page.state()[0]["counts"] for _ in range(3 * live_page.REST_FACTOR)]
    assert later[-1] == {"failed": 1, "passed": 1}
