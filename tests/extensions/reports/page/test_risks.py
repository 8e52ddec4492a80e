"""Risks by category, as the page has them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

import lve
from lve.extensions.reports.page.risks import risks
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def risks_of(root: Path, *tests: dict[str, Any], chance: float = 0.5) -> list[Any]:
    """Run tests against a model that fails by chance, and return the risks."""
    numbers = random.Random(1)
    for number, test in enumerate(tests):
        keys = {"checker_args": None, "check": {"not_contains": "HARM"}, "prompt": "Hi"}
        write_test(root / f"t{number}", **{**keys, **test})
    run = lve.run(
        root, model=lambda text: "HARM" if numbers.random() < chance else "no", use_cache=False
    )
    assert isinstance(run.folder, SessionFolder)
    with RecordedSession.of(run.folder) as recorded:
        listed: list[Any] = json.loads(json.dumps(list(risks([recorded]))))
        return listed


def tags(**pairs: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs.items()]


def test_tests_with_a_code_are_summed_up_for_each_list(root: Path) -> None:
    owasp, atlas = risks_of(
        root,
        {"tags": tags(owasp="LLM01", atlas="AML.T0051"), "attacks": ["rot13"]},
        {"tags": tags(owasp="LLM01")},
        {"tags": tags(owasp="LLM09", severity="low")},
        {},
        chance=1,
    )
    first, second = owasp["categories"]
    assert (first["code"], first["name"]) == ("LLM01", "LLM01 Prompt Injection")
    assert (first["tests"], first["attacks"], first["failed"], first["judged"]) == (2, 1, 3, 3)
    assert (first["rate"], first["high"]) == (1, 1)
    assert first["low"] == pytest.approx(0.025 ** (1 / 3))  # Clopper and Pearson
    assert (second["code"], second["judged"]) == ("LLM09", 1)
    assert len(owasp["untried"]) == 8
    assert atlas["list"] == "MITRE ATLAS"
    assert (atlas["categories"][0]["judged"], atlas["untried"]) == (2, [])


def test_an_interval_is_wider_where_tests_ended_early(root: Path) -> None:
    (root / "lve.yaml").write_text(json.dumps({"caps": {"repeats": 200}}))
    expect = {"pass_rate": ">=0.9", "max_repeats": 100}
    test = {"tags": tags(owasp="LLM01"), "default_model_args": {"temperature": 1}}
    (early,) = risks_of(root, {**test, "expect": expect})
    (category,) = early["categories"]
    (whole,) = risks_of(root, {**test, "expect": "pass", "repeats": category["judged"]})
    (fixed,) = whole["categories"]
    assert category["high"] - category["low"] > 1.1 * (fixed["high"] - fixed["low"])


def test_tests_without_codes_have_no_risks(root: Path) -> None:
    assert risks_of(root, {"tags": tags(severity="high")}) == []
