"""The tests in repository/ themselves: complete, honest about their answers, and they replay."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from lve.checkers.custom.find import find_custom
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically, example_problems
from lve.data.instances import iter_instances
from lve.errors import MissingExtraError
from lve.models.known import known_model
from lve.pipeline.run import run_tests
from lve.prompts.plan import build_plan
from lve.run_options import RunOptions
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.model import Instance, Spec
from lve.spec.settings import load_workspace
from lve.workspace import Settings

ROOT = Path(__file__).parents[1]
SPECS = [load_spec(file, ROOT) for file in discover([ROOT / "repository"], report=print)]
LVE_CHECKERS = (
    *("LambdaChecker", "RegexChecker", "ExactMatchChecker", "FuzzyMatchChecker"),
    *("RefuseChecker", "MonotonicityChecker", "MultiRunLambdaChecker"),
    *("PII_Checker", "BiasChecker", "ToxicityChecker"),
)
CATEGORIES = {"privacy", "reliability", "responsibility", "security", "trust", "dummy"}


def each_spec() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.path)


@each_spec()
def test_a_test_names_models_that_exist(spec: Spec) -> None:
    for name in spec.models:
        known = known_model(name, Settings())
        assert name.startswith("dummy/") or (known is not None and known.ends is None), name


def test_there_is_enough_of_everything() -> None:
    assert len(SPECS) >= 24
    assert {spec.category for spec in SPECS} >= CATEGORIES
    used = {checker.name for spec in SPECS for checker in spec.checkers}
    assert used >= set(LVE_CHECKERS)
    assert {spec.file.suffix for spec in SPECS} == {".json", ".yaml"}
    assert {spec.expect.kind for spec in SPECS} == {"pass", "fail", "rate"}
    assert sum(spec.prompt_object is not None for spec in SPECS) >= 3
    assert sum(any(find_custom(spec, c.name) for c in spec.checkers) for spec in SPECS) >= 2
    assert (ROOT / "repository/privacy/test.json").is_file()


@each_spec()
def test_its_category_is_in_the_table(spec: Spec) -> None:
    page = (ROOT / "repository/README.md").read_text(encoding="utf-8")
    assert f"| [{spec.category}]({spec.category}) |" in page


@each_spec()
def test_it_is_complete(spec: Spec) -> None:
    assert build_plan(spec).warnings == ()
    assert spec.warnings == ()
    assert (spec.folder / "README.md").read_text(encoding="utf-8").startswith("# ")
    assert {example.verdict for example in spec.examples} == {"passed", "failed"}
    schema = spec.file.read_text(encoding="utf-8").split("$schema", 1)[1].split('"')
    address = next(part for part in "".join(schema).split() if part.strip(":,").endswith(".json"))
    assert (spec.folder / address.strip(":,=")).resolve() == ROOT / "schemas/test.schema.json"


@each_spec()
def test_its_examples_prove_its_checkers(spec: Spec) -> None:
    assert check_statically(spec) == []
    try:
        judge = resolve(spec, trust=load_workspace(ROOT).settings.trust)
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert example_problems(spec, judge) == []


@each_spec()
def test_its_recorded_answers_say_where_they_come_from(spec: Spec) -> None:
    instances = list(iter_instances(spec))
    assert instances
    for instance in instances:
        assert isinstance(instance, Instance), instance
        assert instance.recorded is not None, f"{instance.source}:{instance.line} can't be replayed"
        info = instance.recorded.run_info
        if info.get("source") != "handwritten":
            assert info.keys() >= {"source", "model", "timestamp", "lve"}  # as `lve record` writes
            assert info["source"] != "replay"
        else:
            assert info == {"source": "handwritten"}
        if spec.expect.kind != "rate":
            assert instance.recorded.passed is (spec.expect.kind == "pass")


def test_every_trusted_file_is_as_it_was_read() -> None:
    trust = load_workspace(ROOT).settings.trust
    assert trust
    for file in trust:
        content = (ROOT / file.path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file.sha256, file.path


def test_a_recording_is_read_once_even_if_a_rate_is_expected() -> None:
    options = RunOptions(models=("replay",), keep=False, allow_inconclusive=True)
    rated = next(spec for spec in SPECS if spec.expect.kind == "rate")
    result = asyncio.run(run_tests([rated], options, warn=lambda text: None))
    assert sum(result.summary.instances().values()) == len(list(iter_instances(rated)))


@each_spec()
def test_it_replays(spec: Spec) -> None:
    options = RunOptions(models=("replay",), keep=False, allow_inconclusive=True)
    result = asyncio.run(run_tests([spec], options, warn=lambda text: None))
    summary = result.summary
    if spec.path in summary.unavailable:
        pytest.skip(summary.skipped[spec.path])
    assert result.exit_code() == 0
    assert (summary.agreement().now_failed, summary.agreement().now_passed) == (0, 0)
    assert summary.verdicts().keys() <= {"passed", "inconclusive"}  # few answers decide no rate
