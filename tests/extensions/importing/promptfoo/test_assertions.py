"""Assertions as checks. tests/cases/importers/promptfoo/checks and left_out have most of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.checkers.arguments import build
from lve.checkers.by_name import load_builtin
from lve.extensions.importing.promptfoo.assertions import MAKERS, VALID, Checks
from lve.extensions.importing.promptfoo.source import AnswerKind, CallForm, UnsupportedError
from lve.prompts.fill_texts import as_literal

CALLS = ("openai-tools-call", "openai-function-call", "function-call")


def test_every_assertion_has_a_case() -> None:
    case = Path(__file__).parents[3] / "cases/importers/promptfoo/checks/promptfooconfig.yaml"
    text = case.read_text("utf-8")
    left = [kind for kind in MAKERS if f"type: {kind}" not in text and f"not-{kind}" not in text]
    graded = ["g-eval", "answer-relevance"]  # which are below, as they need variables
    graded += ["context-faithfulness", "context-recall", "context-relevance"]
    valid = [f"is-valid-{kind}" for kind in CALLS]  # which need tools: test_config, and below
    assert left == ["is-sql", *graded, *valid]  # SQL needs lve[sql] to be checked


@pytest.mark.parametrize(
    ("kind", "form", "schema", "checked"),
    [
        ("openai-tools-call", "chat", {"a": 1}, {"a": 1}),
        ("openai-tools-call", "chat", {}, {"not": {}}),  # which fails there, too
        ("function-call", "google", {"a": 1}, {"minProperties": 1, "a": 1}),
        ("openai-function-call", "live", {}, {"maxProperties": 0}),
        ("openai-function-call", "chat", {"a": 1}, None),
        ("openai-tools-call", "blocks", {"a": 1}, None),
    ],
)
def test_calls_are_valid_where_they_are_for_promptfoo(
    tmp_path: Path, kind: str, form: str, schema: Any, checked: Any
) -> None:
    checks = Checks(source_in(tmp_path)[0], calls=CallForm(form, {"get": schema}))
    assertion = {"type": f"is-valid-{kind}"}
    if checked is None:
        with pytest.raises(UnsupportedError, match="no answer of these models passes it"):
            checks.convert(assertion)
    else:
        assert checks.convert(assertion) == {"valid_calls": {"get": checked}}


def test_calls_are_looked_at_before_any_but_one_transform(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0], calls=CallForm("chat", {"get": {}}))
    checks.transforms = [{"lower": True}]
    assert VALID in checks.convert({"type": "is-valid-openai-tools-call"})
    checks.transforms = [{"lower": True}, {"upper": True}]
    with pytest.raises(UnsupportedError, match="calls after a transform"):
        checks.convert({"type": "is-valid-openai-tools-call"})


def test_calls_of_several_tools_are_left_out(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0], calls=CallForm("chat", {}))
    with pytest.raises(UnsupportedError, match="several tools"):
        checks.convert({"type": "is-valid-openai-tools-call"})


def test_sql_has_no_further_conditions(tmp_path: Path) -> None:
    assert Checks(source_in(tmp_path)[0]).convert({"type": "is-sql"}) == {
        "all": [{"is_sql": True}, {"regex": r"^\s*[^`\s]"}]
    }


def test_a_text_alone_is_equality(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0])
    assert checks.convert("Lima {{x}}{") == {"exact_match": "Lima {x}{{", "normalise": "none"}
    assert list(checks.names) == ["x"]


def test_a_text_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Li{ma")
    assert Checks(source_in(tmp_path)[0]).convert(
        {"type": "contains", "value": "file://x.txt"}
    ) == {"contains": "Li{{ma"}


@pytest.mark.parametrize("value", ["file://x.js", "file://gone.txt", "file://../x.txt", None, {}])
def test_another_value_is_no_text(tmp_path: Path, value: object) -> None:
    with pytest.raises(UnsupportedError):
        Checks(source_in(tmp_path / "in")[0]).convert({"type": "contains", "value": value})


@pytest.mark.parametrize("threshold", [None, True, "1", 10**400, float("nan"), float("inf"), [1]])
def test_a_threshold_is_a_number(tmp_path: Path, threshold: object) -> None:
    with pytest.raises(UnsupportedError, match="its threshold isn't a number"):
        Checks(source_in(tmp_path)[0]).convert({"type": "latency", "threshold": threshold})


@pytest.mark.parametrize(
    ("kind", "threshold"),
    [("latency", -1), ("latency", 0), ("latency", 1e10), ("similar", 1.5), ("similar", -1)],
)
def test_a_threshold_that_lve_has_not_is_left_out(
    tmp_path: Path, kind: str, threshold: float
) -> None:
    asserted = {"type": kind, "value": "a", "threshold": threshold}
    with pytest.raises(UnsupportedError, match="; lve has above"):
        Checks(source_in(tmp_path)[0]).convert(asserted)


@pytest.mark.parametrize(
    ("threshold", "text"), [(500, "500"), (1234567, "1234567"), (0.00025, "0.00025")]
)
def test_a_latency_keeps_its_digits(tmp_path: Path, threshold: float, text: str) -> None:
    asserted = {"type": "latency", "threshold": threshold}
    check = Checks(source_in(tmp_path)[0]).convert(asserted)
    assert check == {"max_latency": f"{text} ms"}
    kind = load_builtin("max_latency")
    assert kind is not None
    build(kind, check)


def test_a_pattern_with_a_variable_is_left_to_the_run(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0])
    assert checks.convert({"type": "regex", "value": "({{x}}"}) == {"regex": "({x}"}


def test_the_judges_name_is_told_once_and_its_config_never(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path)
    for value in ("a", "b"):
        asserted = {"type": "llm-rubric", "value": value, "provider": {"apiKey": "hidden"}}
        assert Checks(source).convert(asserted) == {"judge": value}
    assert source.told == [
        "llm-rubric asks the judge that you name: --role judge=MODEL, or in lve.yaml"
    ]
    assert source.left_out == []


@pytest.mark.parametrize(
    ("answers", "assertion", "check"),
    [
        (
            "text",
            {"type": "javascript", "value": "output.length > 3"},
            "lambda output: ([len(v) + len(re.findall('[\\\\U00010000-\\\\U0010ffff]', v)) "
            "for v in [output]][0] > 3.0)",
        ),
        (
            "text",
            {"type": "python", "value": "len(output)", "threshold": 4},
            "lambda output: (len(output)) >= 4",
        ),
        (
            "text",
            {"type": "javascript", "value": "output === '{{'.trim() + '}'"},
            None,
        ),
        ("text", {"type": "javascript", "value": "file://x.js"}, None),
        ("text", {"type": "python", "value": "file://x.py"}, None),
        ("text", {"type": "javascript"}, None),
        ("text", {"type": "ruby", "value": "output"}, None),
    ],
)
def test_scripts_of_one_expression_are_lambdas(
    tmp_path: Path, answers: AnswerKind, assertion: dict[str, object], check: str | None
) -> None:
    source, _ = source_in(tmp_path)
    source.answers = answers
    if check is None:
        with pytest.raises(UnsupportedError):
            Checks(source).convert(assertion)
    else:
        made = Checks(source).convert(assertion)
        assert made == {"expression": as_literal(check), "on_error": "failed"}


def test_a_script_that_throws_has_failed_also_where_it_must_not_hold(tmp_path: Path) -> None:
    asserted = {"type": "not-javascript", "value": "JSON.parse(output) === 3"}
    made = Checks(source_in(tmp_path)[0]).convert(asserted)
    assert set(made["not"]) == {"expression"}, "an error in it is an error, not a pass"


def test_a_reference_in_a_circle_ends(tmp_path: Path) -> None:
    root = {"a": {"type": "assert-set", "assert": [{"$ref": "#/a"}]}}
    with pytest.raises(UnsupportedError, match="lve has no check for assert-set"):
        Checks(source_in(tmp_path, root)[0]).convert({"$ref": "#/a"})
