"""docs/checks.md and the checks in the schema are what the checkers say."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.documents.validation.schema import schema_folder
from lve.spec.check_names import CHECKS

DOCS = Path(__file__).parents[2] / "docs"
RULES = runpy.run_path(str(DOCS / "generate_checks.py"))["RULES"]


def test_the_page_and_the_schema_are_up_to_date() -> None:
    page = runpy.run_path(str(DOCS / "generate_checks.py"))
    assert page["PAGE"].read_text(encoding="utf-8") == page["page"](), "run: make docs"
    found = runpy.run_path(str(DOCS / "generate_test_schema.py"))
    assert found["SCHEMA"].read_text(encoding="utf-8") == found["schema"](), "run: make docs"
    for file in schema_folder().iterdir():
        assert file.read_text(encoding="utf-8") == found["addressed"](file), "run: make docs"


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_has_a_section(name: str) -> None:
    assert f"\n### {name}\n" in (DOCS / "checks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.rule)
def test_each_rule_of_what_the_answer_is_holds(rule: Any, tmp_path: Path) -> None:
    verdict = judge_answers(judge_of(rule.check, tmp_path), rule.answer)
    assert verdict.outcome == ("passed" if rule.passes else "failed")
