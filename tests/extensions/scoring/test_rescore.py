"""Judging the results of a session again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support.folders import workspace, write_sums
from support.judging import spec_with
from support.results import make_result

from lve.extensions.scoring.rescore import planned_pairs, rescore
from lve.messages import Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_info import Unfinished
from lve.settings.settings import Settings
from lve.spec.load import load_spec

EXPECTS_BYE = {"checker_name": "ExactMatchChecker", "pattern": "bye", "match_safe": True}


def test_a_new_verdict_changes_nothing_else(tmp_path: Path) -> None:
    spec = spec_with(tmp_path, checker_args=EXPECTS_BYE)
    old = make_result(
        test=spec.path,
        line=3,
        repeat=2,
        usage=Usage(5, 6),
        cost=0.5,
        cached=True,
        recorded="failed",
    )
    new: list[InstanceResult] = []
    rescore(
        [old],
        {"status": "complete", "options": {}},
        [spec],
        Settings(),
        trust=False,
        statuses=None,
        on_result=new.append,
    )
    (judged,) = new
    assert judged == replace(old, verdict="failed", reason=judged.reason, recorded="passed")


def test_what_a_killed_session_may_have_left(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    specs = [
        load_spec(write_sums(root / "left", 1)),
        load_spec(write_sums(root / "skipped", 1, skip="slow")),
        load_spec(write_sums(root / "deselected", 1)),
        load_spec(write_sums(root / "new", 1)),
    ]
    info = {
        "status": "running",
        "options": {"models": ["m"]},
        "tests": {"left": {}, "skipped": {}, "deselected": {}},
        "selected": [{"test": "deselected", "model": "m", "instances": {}}],
    }
    assert not Unfinished.of(info).is_known
    assert [*planned_pairs(info, specs, Settings())] == [("left", "m")]
