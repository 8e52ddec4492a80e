"""Rates and labels of two sessions side by side, through `lve compare`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_test
from support.recorded import session_folder
from support.results import make_result

from lve.documents.validation.schema import is_valid
from lve.extensions.breakdown.compared import (
    ABSENT,
    ATTACKS,
    SHOWN,
    ComparedBreakdown,
    ComparedTable,
    Line,
)
from lve.extensions.breakdown.labels import Measure
from lve.reporting.terminal import Terminal
from lve.sessions.session_tests import SessionTest
from lve.verdicts.rates.statistics import pass_rate


def sessions(state: Path, model: str = "m") -> None:
    for right in (3, 8):
        test = SessionTest("a", model, by=("topic",))
        results = [
            make_result(
                test="a",
                model=model,
                line=n + 1,
                args={"topic": "LLM01" if n % 2 else "x"},
                verdict="passed" if n < right else "failed",
                labels=("yes", "yes" if n < right else "no"),
            )
            for n in range(10)
        ]
        session_folder(state, results, [test], models=[model])


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lve.yaml").write_text("{}")
    sessions(tmp_path / ".lve")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_a_comparison_says_of_parts(workspace: Path) -> None:
    document = json.loads(lve("compare", "--json", "-o", "c.md", "-o", "c.json").stdout)
    assert is_valid(document, "comparison")
    rates, labels = document["breakdown"]
    assert (rates["what"], rates["models"]) == ("pass rates by topic", ["m", "m"])
    risk, other = rates["values"]
    assert (risk["value"], risk["name"]) == ("LLM01", "LLM01 Prompt Injection")
    assert (risk["before"]["value"], risk["now"]["value"]) == (1 / 5, 4 / 5)
    assert other["now"]["low"] == pass_rate(4, 5).low
    assert labels["what"] == "F1 of labels of a"
    [no, yes] = labels["values"]
    assert (no["value"], yes["before"]["value"]) == ("no", pytest.approx(2 * 0.3 / 1.3))
    assert "| `LLM01 Prompt Injection` | 20.0% (" in (workspace / "c.md").read_text()
    assert json.loads((workspace / "c.json").read_text())["breakdown"] == document["breakdown"]
    text = lve("compare").stdout
    assert "pass rates by topic, m (95 % intervals)\n    LLM01 Prompt Injection  20.0% (" in text


def test_another_column_can_be_named(workspace: Path) -> None:
    text = lve("compare", "last~1", "last", "--by", "nothing").stdout
    assert "pass rates by" not in text
    document = json.loads(lve("compare", "--by", "topic", "--json").stdout)
    assert next(table["what"] for table in document["breakdown"]) == "pass rates by topic"


def test_a_baseline_has_no_columns(workspace: Path) -> None:
    lve("compare", "--save")
    refused = lve("compare", "--against", "--by", "topic", code=2)
    assert "--by needs two sessions" in str(refused.exception)
    assert "breakdown" not in json.loads(lve("compare", "--against", "--json").stdout)


def test_two_models_are_compared_with_each_other(workspace: Path) -> None:
    sessions(workspace / ".lve", model="n")
    document = json.loads(lve("compare", "last~2", "last", "--models", "m", "n", "--json").stdout)
    assert [table["models"] for table in document["breakdown"]] == [["m", "n"]] * 2


def test_attacks_are_compared_by_their_success(root: Path) -> None:
    write_test(
        root / "t", prompt="Hi", checker_args=None, check={"not_contains": "x"},
        attacks=["hex"], benign=[{}],
    )  # fmt: skip
    for code, answer in enumerate(("fine", "x")):
        options = {"answers": {"default": answer}}
        models = {"m": {"provider": "scripted", "options": options}}
        (root / "lve.yaml").write_text(json.dumps({"models": models}))
        lve("run", "t", "-m", "m", code=code)
    text = lve("compare", "-o", "c.md").stdout.splitlines()
    assert text[0] == "success rates of attacks, m (95 % intervals)"
    assert [line[4:30].strip() for line in text[1:4]] == [
        "hex", "over-refusal (benign rows)", "(no attack)",
    ]  # fmt: skip
    assert "0.0% (0% to 98%)       -> 100.0% (3% to 100%)" in text[1]
    assert "| `over-refusal (benign rows)` |" in (root / "c.md").read_text()
    [table] = json.loads(lve("compare", "--json").stdout)["breakdown"]
    assert [value["value"] for value in table["values"]] == ["hex", "benign", "none"]


def test_what_changed_is_shown_of_many_values(tmp_path: Path) -> None:
    measures = {f"v{n:02}": Measure(0.5, 0.4, 0.6) for n in range(SHOWN + 5)}
    lines = [Line(name, same, same, name) for name, same in measures.items()]
    lines[-1] = lines[-1]._replace(now=Measure(0.9, 0.8, 1))
    lines.append(Line("none", ABSENT, ABSENT, "(no attack)"))
    table = ComparedTable(ATTACKS, ("m", "m"), lines)
    assert [line.name for line in table.main_lines][-3:] == ["v27", "v34", "(no attack)"]
    rest = "and 6 more values, which changed less"
    assert (
        list(ComparedBreakdown([table]).lines(Terminal(io.StringIO())))[-2]
        == f"    {rest} (`--json` has all)"
    )
    assert ComparedBreakdown([table]).markdown().endswith(f"|\n\n{rest}\n\n")
