"""Judging the results of a session again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support.judging import spec_with
from support.results import make_result

from lve.messages import Usage
from lve.pipeline.rejudging.rescore import rescore
from lve.pipeline.sessions.resume import Unfinished
from lve.results.records import InstanceResult
from lve.settings.settings import Settings

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
        [spec],
        Settings(),
        trust=False,
        statuses=None,
        unfinished=Unfinished("complete", frozenset(), is_exact=True),
        on_result=new.append,
    )
    (judged,) = new
    assert judged == replace(old, verdict="failed", reason=judged.reason, recorded="passed")
