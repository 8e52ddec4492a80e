"""The tests in repository/ themselves: complete, honest about their answers, and they replay."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from lve.checkers.custom.find import find_custom
from lve.data.instances import iter_instances
from lve.extensions.contributing.rules import RULES, broken_rules
from lve.options.run_options import RunOptions
from lve.pipeline.run import run_tests
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace
from lve.spec.spec import Spec

ROOT = Path(__file__).parents[1]
SPECS = [load_spec(file, ROOT) for file in discover([ROOT / "repository"], report=print)]
WORKSPACE = load_workspace(ROOT)
BASED = [spec for spec in SPECS if (spec.folder / "baselines").is_dir()]
MARKS = {"source", "model", "timestamp", "lve", "weights", "from"}
"""What the origin of a small model's answer says."""
LVE_CHECKERS = (
    *("LambdaChecker", "RegexChecker", "ExactMatchChecker", "FuzzyMatchChecker"),
    *("RefuseChecker", "MonotonicityChecker", "MultiRunLambdaChecker"),
    *("PII_Checker", "BiasChecker", "ToxicityChecker"),
)
CATEGORIES = {"privacy", "reliability", "responsibility", "security", "trust", "dummy"}


def each_spec() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.path)


def hold(spec: Spec, rule: str) -> None:
    """Hold a test to a rule of `lve check --contribute`."""
    told = [*broken_rules(spec, WORKSPACE, (rule,))]
    assert [str(problem) for problem in told if problem.severity == "error"] == []
    if told:
        pytest.skip(str(told[0]))


def test_every_rule_for_contributions_is_held_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [rule for rule in RULES if f'hold(spec, "{rule}")' not in text] == []


@each_spec()
def test_a_test_names_models_that_exist(spec: Spec) -> None:
    hold(spec, "models")


@each_spec()
def test_its_category_is_in_the_table(spec: Spec) -> None:
    hold(spec, "category")


@each_spec()
def test_it_is_complete(spec: Spec) -> None:
    hold(spec, "complete")


@each_spec()
def test_a_pattern_that_knows_not_knows_its_short_form(spec: Spec) -> None:
    patterns = spec.file.read_text(encoding="utf-8").replace("\\\\", "\\").split("examples")[0]
    assert "\\bnot\\W+" not in patterns or re.search(r"n(\.|\[['’]+\]\??)t", patterns)


@each_spec()
def test_what_it_expects_can_be_missed(spec: Spec) -> None:
    hold(spec, "expectation")


@each_spec()
def test_its_examples_prove_its_checkers(spec: Spec) -> None:
    hold(spec, "examples")


@each_spec()
def test_what_must_not_matter_changes_no_verdict(spec: Spec) -> None:
    hold(spec, "mutations")


@each_spec()
def test_its_recorded_answers_say_where_they_come_from(spec: Spec) -> None:
    hold(spec, "answers")


@each_spec()
def test_it_replays(spec: Spec) -> None:
    hold(spec, "replay")


def test_there_is_enough_of_everything() -> None:
    assert len(SPECS) >= 150
    assert {spec.category for spec in SPECS} >= CATEGORIES
    used = {checker.name for spec in SPECS for checker in spec.checkers}
    short = {"ExactMatchChecker": "contains", "RefuseChecker": "refusal"}
    assert used >= {short.get(name, name) for name in LVE_CHECKERS}
    assert {spec.file.suffix for spec in SPECS} == {".json", ".yaml"}
    assert {spec.expect.kind for spec in SPECS} == {"pass", "fail", "rate"}
    assert sum(spec.prompt_object is not None for spec in SPECS) >= 3
    assert sum(any(find_custom(spec, c.name) for c in spec.checkers) for spec in SPECS) >= 2
    assert (ROOT / "repository/privacy/test.json").is_file()


@pytest.mark.parametrize("spec", BASED, ids=lambda spec: spec.path)
def test_answers_of_a_small_model_are_judged_as_they_were(spec: Spec, tmp_path: Path) -> None:
    place = tmp_path / "repository" / spec.folder.name
    shutil.copytree(spec.folder, place, ignore=shutil.ignore_patterns("instances", "baselines"))
    shutil.copytree(spec.folder / "baselines", place / "instances")
    options = RunOptions(models=("replay",), keep=False, allow_inconclusive=True)
    copy = load_spec(place / spec.file.name, tmp_path)
    result = asyncio.run(run_tests([copy], options, warn=lambda text: None, keep_results=True))
    assert result.results
    assert [judged.verdict for judged in result.results] == [
        judged.recorded for judged in result.results
    ]
    assert all(origin.keys() >= MARKS for origin in _origins(place / "instances"))


def _origins(folder: Path) -> list[dict[str, str]]:
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.jsonl")]
    return [json.loads(line)["run_info"] for text in texts for line in text.splitlines()]


def test_every_trusted_file_is_as_it_was_read() -> None:
    trust = WORKSPACE.settings.trust
    assert trust
    for file in trust:
        content = (ROOT / file.path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file.sha256, file.path


def test_a_recording_is_read_once_even_if_a_rate_is_expected() -> None:
    options = RunOptions(models=("replay",), keep=False, allow_inconclusive=True)
    rated = next(spec for spec in SPECS if spec.expect.kind == "rate")
    result = asyncio.run(run_tests([rated], options, warn=lambda text: None))
    assert sum(result.summary.results().values()) == len(list(iter_instances(rated)))
