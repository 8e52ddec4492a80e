"""Why a test's examples aren't judged until it runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.installed import Installed
from support.judging import spec_with

from lve.checkers.static import why_unjudged

EXAMPLES = [{"response": "Paris", "verdict": "passed"}]
CODE = "class Own:\n    def is_safe(self, response):\n        return True\n"


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ([{"contains": "x"}], None),
        ([{"contains": "x"}, {"judge": "Is it true?"}], "judge asks a model: name it with --role"),
        ([{"contains": "x"}, {"ToxicityChecker": {"threshold": 0.5}}], "ToxicityChecker loads a"),
        (
            [{"ToxicityChecker": {"threshold": 0.5}}, {"judge": "Is it true?"}],
            "judge asks a model: name it with --role judge=MODEL",
        ),
    ],
)
def test_examples_wait_for_a_model(checks: list[Any], reason: str | None, tmp_path: Path) -> None:
    spec = spec_with(tmp_path / "t", checker_args=None, checks=checks, examples=EXAMPLES)
    assert (why_unjudged(spec) or "None").startswith(str(reason))


def test_examples_wait_for_code_of_the_test(tmp_path: Path) -> None:
    (tmp_path / "t" / "checker").mkdir(parents=True)
    (tmp_path / "t" / "checker" / "checker.py").write_text(CODE, encoding="utf-8")
    spec = spec_with(
        tmp_path / "t",
        checker_args=None,
        checks=[{"judge": "Is it true?"}, {"Own": {}}],
        examples=EXAMPLES,
    )
    assert why_unjudged(spec) == "Own is code"


def test_without_examples_nothing_waits(tmp_path: Path) -> None:
    spec = spec_with(tmp_path / "t", checker_args=None, checks=[{"judge": "Is it true?"}])
    assert why_unjudged(spec) is None


@pytest.mark.parametrize("source", ["class Own(:\n", "\x00"])
def test_code_that_cannot_be_read_is_no_reason(source: str, tmp_path: Path) -> None:
    """It is a problem of the test, which is reported by itself."""
    (tmp_path / "t" / "checker").mkdir(parents=True)
    (tmp_path / "t" / "checker" / "checker.py").write_text(source, encoding="utf-8")
    spec = spec_with(tmp_path / "t", checker_args=None, checks=[{"Own": {}}], examples=EXAMPLES)
    assert why_unjudged(spec) is None


def test_a_broken_plugin_is_no_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a problem of the test, which is reported by itself."""
    installed = Installed(tmp_path / "site", monkeypatch)
    installed.add("lve-own", {"lve_own": "Own = 3"}, {"lve.checkers": {"Own": "lve_own:Own"}})
    spec = spec_with(tmp_path / "t", checker_args={"checker_name": "Own"}, examples=EXAMPLES)
    assert why_unjudged(replace(spec, plugins=("Own",))) is None
