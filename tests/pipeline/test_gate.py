"""`--baseline`: a session that is compared with a baseline as soon as it has ended."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from support.command_line import lve as command
from support.folders import workspace, write_test

import lve
from lve.documents.validation.schema import load_schema
from lve.errors import UsageError
from lve.settings.settings import ComparisonSettings

FILE = "lve.baseline.json"
GOOD, BAD = "Hello!", "Go away!"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test that tolerates failures, a model that passes it and one that mostly fails it."""
    answers = {f"Greet {name}.": BAD for name in "ABCDEFGH"}
    models = {
        "good": {"provider": "scripted", "options": {"answers": {"default": GOOD}}},
        "bad": {"provider": "scripted", "options": {"answers": {**answers, "default": GOOD}}},
    }
    monkeypatch.chdir(workspace(tmp_path, json.dumps({"models": models})))
    write_test(
        tmp_path / "t",
        model=None,
        prompt=[{"content": "Greet {name}."}],
        prompt_parameters=["name"],
        default_model_args={"temperature": 1},
        expect={"pass_rate": ">=0.01", "max_repeats": 1},
        instances=[{"args": {"name": name}} for name in "ABCDEFGHIJKL"],
    )
    return tmp_path


@pytest.fixture
def baseline(root: Path) -> Path:
    """The baseline of the good model."""
    command("run", "t", "--model", "good")
    command("compare", "--save")
    return root / FILE


def test_a_regression_fails_a_run_whose_tests_pass(baseline: Path) -> None:
    result = command("run", "t", "--model", "bad", "-q")
    result = command("run", "t", "--model", "bad", "-q", "--baseline", str(baseline), code=1)
    assert f"compared with baseline {FILE}:" in result.stdout
    assert "    regressed: t" in result.stdout


def test_a_gate_that_does_not_pass_names_the_rows_as_compare_does(baseline: Path) -> None:
    run = command("run", "t", "--model", "bad", "-q", "--baseline", str(baseline), code=1).stdout
    compared = command("compare", FILE, "last", "--models", "good", "bad").stdout
    start, end = compared.index("broken: "), compared.index("and 3 more broken")
    rows = compared[start:end].splitlines()
    assert sum(line.startswith("broken: t/instances/") for line in rows) == 5
    assert "\n".join(f"    {line}".rstrip() for line in rows) in run
    assert "and 3 more broken" in run


@pytest.mark.usefixtures("baseline")
def test_a_gate_that_passes_names_no_rows() -> None:
    run = command("run", "t", "--model", "bad", "--baseline", FILE, "--max-broken", "8").stdout
    assert "broken: " not in run


def test_against_a_baseline_unchanged_answers_are_never_claimed(root: Path) -> None:
    command("run", "t", "--model", "good")
    command("compare", "--save")
    settings = json.loads((root / "lve.yaml").read_text())
    settings["models"]["good"] = settings["models"]["bad"]
    (root / "lve.yaml").write_text(json.dumps(settings))
    run = command("run", "t", "--model", "good", "-q", "--baseline", FILE, code=1)
    assert (
        "what changed, in 8 flips: can't be known 8 (the baseline keeps no answers)" in run.stdout
    )
    assert "    changed: nothing known of the test changed; the baseline keeps no" in run.stdout
    assert "nothing known changed" not in run.stdout


@pytest.mark.usefixtures("baseline")
def test_without_a_regression_the_exit_code_is_that_of_the_tests() -> None:
    result = command("run", "t", "--model", "good", "-q", "--baseline", FILE)
    assert "    no regression: none of 12 results broke" in result.stdout


@pytest.mark.usefixtures("baseline")
def test_the_settings_decide_what_a_regression_is(root: Path) -> None:
    settings = json.loads((root / "lve.yaml").read_text())
    strict = {"gate": "significant", "alpha": 0.001}
    (root / "lve.yaml").write_text(json.dumps({**settings, "comparison": strict}))
    bad = ("run", "t", "--model", "bad", "--baseline", FILE)
    result = command(*bad, code=4)
    assert "can't tell (too few rows to tell: with 12 rows, only a drop of" in result.stdout
    command(*bad, "--allow-inconclusive")
    command(*bad, "--max-broken", "8")
    command(*bad, "--max-broken", "7", code=1)
    command(*bad, "--gate", "any", code=1)


@pytest.mark.usefixtures("baseline")
def test_rows_that_are_gone_or_have_lost_their_verdict_are_no_success(root: Path) -> None:
    good = ("run", "t", "--model", "good", "-q", "--baseline", FILE)
    rows = (root / "t" / "instances" / "main.jsonl").read_text().splitlines(keepends=True)
    (root / "t" / "instances" / "main.jsonl").write_text("".join(rows[:9]))
    result = command(*good, code=4)
    assert "not compared, in results: 3 gone" in result.stdout
    command(*good, "--allow-missing")
    (root / "t" / "instances" / "main.jsonl").write_text("".join(rows))
    result = command(*good, "--limit", "9")
    assert "3 gone, not chosen (limit)" in result.stdout


@pytest.mark.usefixtures("baseline")
def test_the_document_has_the_comparison() -> None:
    result = command("run", "t", "--model", "bad", "--json", "--baseline", FILE, code=1)
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("report"))
    found = document["summary"]["baseline"]
    jsonschema.validate(found["comparison"], load_schema("comparison"))
    assert (found["regressed"], found["problem"]) == (True, None)
    assert found["comparison"]["broken"] == 8
    plain = json.loads(command("run", "t", "--model", "good", "--json").stdout)
    assert plain["summary"]["baseline"] is None


def test_a_missing_baseline_is_found_before_anything_is_paid_for(root: Path) -> None:
    result = command("run", "t", "--model", "good", "--baseline", "none.json", code=2)
    assert "there is no baseline none.json" in str(result.exception)
    assert not (root / ".lve" / "runs").exists()


def test_what_can_not_be_compared_is_no_success(root: Path, baseline: Path) -> None:
    content = json.loads(baseline.read_text())
    content["tests"] = {"other": content["tests"]["t"]}
    baseline.write_text(json.dumps(content))
    result = command("run", "t", "--model", "good", "-q", "--baseline", FILE, code=2)
    assert "not compared: baseline lve.baseline.json and session" in result.stdout
    assert "1 test: 1 passed" in result.stdout


@pytest.mark.usefixtures("baseline")
def test_a_run_in_python_has_the_comparison() -> None:
    found = lve.run("t", model="bad", baseline=FILE)
    assert found.exit_code() == 1
    assert found.gated is not None
    assert found.gated.comparison is not None
    assert found.gated.comparison.broken == 8
    with pytest.raises(UsageError, match="keep=False"):
        lve.run("t", model="bad", baseline=FILE, keep=False)


@pytest.mark.usefixtures("baseline")
def test_a_resumed_session_is_compared_only_if_it_is_asked_for_again() -> None:
    words = ("run", "t", "--model", "bad", "-q", "--baseline", FILE)
    command(*words, "--max-requests", "3", "-j", "1", code=6)
    command("run", "--resume", "-q", "--max-requests", "50")
    command("run", "--resume", "-q", "--max-requests", "50", "--baseline", FILE, code=1)


EXCLUDE = "exclude each other"


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("baseline_file", [FILE, None])
def test_two_gates_are_refused_at_all_doors(baseline_file: str | None) -> None:
    more = () if baseline_file is None else ("--baseline", baseline_file)
    result = command(
        "run", "t", "--model", "good", "--gate", "any", "--max-broken", "1", *more, code=2
    )
    assert isinstance(result.exception, UsageError)
    assert EXCLUDE in str(result.exception)
    with pytest.raises(UsageError, match=EXCLUDE):
        lve.run("t", model="good", gate="any", max_broken=1, baseline=baseline_file)
    with pytest.raises(UsageError, match=EXCLUDE):
        lve.run("t", model="good", gate="auto", max_broken=0, baseline=baseline_file)


@pytest.mark.usefixtures("baseline")
def test_two_gates_in_the_settings_are_refused_with_their_place(root: Path) -> None:
    settings = (root / "lve.yaml").read_text()[:-1]
    doors = (("run", "t", "--model", "good"), ("compare", "last~1", "last", "--gate"))
    command(*doors[0])
    for max_broken, is_refused in (("2", True), ("null", False)):
        comparison = f'"comparison": {{"gate": "any", "max_broken": {max_broken}}}'
        (root / "lve.yaml").write_text(f"{settings},\n {comparison}}}")
        for words in doors:
            result = command(*words, code=2 if is_refused else 0)
            said = "lve.yaml:2:17: $.comparison.gate: `gate` and `max_broken` exclude each other"
            assert (said in str(result.exception)) == is_refused, result.output


def test_a_gate_and_a_number_of_rows_that_may_break_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        ComparisonSettings().with_chosen(gate="significant", max_broken=3)
    assert ComparisonSettings(max_broken=3).with_chosen(gate="any").max_broken is None
    assert ComparisonSettings(gate="any").with_chosen(max_broken=3).max_broken == 3
