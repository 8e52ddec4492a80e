"""Codes of published lists of risks."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.breakdown.codes import code_tables, spelled_out, unknown_code
from lve.spec.load import load_spec


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("LLM01", "LLM01 Prompt Injection"),
        ("llm10:2025", "llm10:2025 Unbounded Consumption"),
        ("owasp:llm06", "owasp:llm06 Excessive Agency"),
        ("AML.T0051.000", "AML.T0051.000 LLM Prompt Injection: Direct"),
        ("AML.TA0002", "AML.TA0002 Reconnaissance"),
        ("NIST-AI-600-1:2.2", "NIST-AI-600-1:2.2 Confabulation"),
        ("NIST AI 600-1 2.12", "NIST AI 600-1 2.12 Value Chain and Component Integration"),
        ("MS-2.7-001", "MS-2.7-001 Measure 2.7"),
        ("S0403", "S0403 Adversarial Example"),
        ("avid-effect:security:S0301", "avid-effect:security:S0301 Information Leak"),
        (
            "CWE-79",
            "CWE-79 Improper Neutralization of Input During Web Page Generation "
            "('Cross-site Scripting')",
        ),
        ("S0501", "S0501 Model inversion"),
        ("CWE-1434", "CWE-1434 Insecure Setting of Generative AI/ML Model Inference Parameters"),
        ("cwe:1427", "cwe:1427 Improper Neutralization of Input Used for LLM Prompting"),
    ],
)
def test_a_code_is_spelled_out(value: str, name: str) -> None:
    assert spelled_out(value) == name
    assert unknown_code(value) is None


@pytest.mark.parametrize("value", ["", "high", "LLM", "LLM01 and LLM02", "CWE", "x" * 100, "S9"])
def test_other_texts_are_no_codes(value: str) -> None:
    assert spelled_out(value) == value
    assert unknown_code(value) is None


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("LLM11", "LLM1"),
        ("AML.T0999", "AML.T0"),
        ("CWE-40079", ""),
        ("E0303", "E0"),
        ("MS-2.14-001", ""),
    ],
)
def test_a_code_that_does_not_exist(value: str, hint: str) -> None:
    wrong = unknown_code(value)
    assert wrong is not None
    assert value.split("-001")[0] in wrong[0]
    assert hint in (wrong[1] or "")
    assert spelled_out(value) == value


def test_a_number_beyond_the_last_one_may_be_new() -> None:
    assert unknown_code("CWE-1899") is None


def test_the_lists_are_whole() -> None:
    sizes = {name: len(table) for name, table in code_tables().items()}
    assert sizes["owasp"] == 10
    assert sizes["nist"] == 12
    assert sizes["nist_actions"] == 72
    assert sizes["avid"] == 48
    assert sizes["atlas"] > 200
    assert sizes["cwe"] > 1300
    assert all(name for table in code_tables().values() for name in table.values())


def test_tags_are_free_and_codes_among_them_are_checked(tmp_path: Path) -> None:
    tags = "[{name: team, value: red}, {name: owasp, value: LLM99}, {name: CWE-9999, value: x}]"
    document = tmp_path / "test.yaml"
    document.write_text(
        f"description: d\nmodel: m\nprompt: p\ncheck: {{contains: x}}\ntags: {tags}\n"
    )
    wrong, name = load_spec(document, tmp_path).warnings
    assert "has no code `LLM99` (did you mean `LLM09`?)" in wrong
    assert "$.tags[1].value" in wrong
    assert "has no code `CWE-9999`" in name
