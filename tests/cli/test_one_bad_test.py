"""A bug that one test meets is that test's error, at every stage and in every verb: the good test
beside it is handled, and nobody sees a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from support.folders import write_test
from support.packages import needs
from support.planted_bug import plant

from lve.cli.main import cli, exit_code_of
from lve.errors import LveError

RECURSION = "an unexpected RecursionError while "

STAGES = {
    "check": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.cli.check.checking.build_plan",
        "lve.cli.check.checking.iter_instances",
        "lve.cli.check.checking.bind_statically",
        "lve.cli.check.checking.check_statically",
        "lve.prompts.messages.plan.MessagePlan.preview",
    ),
    "list": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.extensions.lookup.list.count_instances",
    ),
    "show": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.cli.sessions.show.build_plan",
        "lve.cli.sessions.show.facts",
    ),
    "show --json": (2, "lve.cli.sessions.show.describe"),
    "render": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.extensions.rendering.rendering.build_plan",
        "lve.extensions.rendering.rendering.select_instances",
        "lve.prompts.messages.plan.MessagePlan.preview",
        "lve.extensions.rendering.rendered_text.message_text",
    ),
    "render --json": (
        2,
        "lve.extensions.rendering.verb.rendered_json",
        "lve.extensions.rendering.rendering._model_args",
    ),
    "run --dry-run": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.extensions.dry_run.estimate.build_plan",
        "lve.extensions.dry_run.estimate.select_instances",
        "lve.extensions.dry_run.estimate.request_args",
    ),
    "run --no-cache": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.pipeline.run.hashes_of",
        "lve.pipeline.run_of_test.Breakdown.of",
        "lve.pipeline.preparing.preparation.build_plan",
        "lve.pipeline.preparing.preparation.resolve_with",
        "lve.pipeline.preparing.reading.select_instances",
    ),
    "run --no-cache -v": (
        3,
        "lve.prompts.messages.prepared.PreparedPrompt.texts",
        "lve.pipeline.rows.ordinary_rows.answered_once",
        "lve.checkers.judge.verdict_of",
        "lve.pipeline.rows.run_instance.judge_and_redact",
        "lve.sessions.journal.journal.ordinary_line",
        "lve.sessions.journal.journal.result_line",
        "lve.reporting.text._meaning",
    ),
    "score last": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.extensions.scoring.rescore.resolve_with",
    ),
    "score last -v": (
        3,
        "lve.checkers.judge.verdict_of",
        "lve.pipeline.rejudging.rejudging.judge_and_redact",
    ),
    "record": (
        2,
        "lve.pipeline.choosing.loading.load_spec",
        "lve.pipeline.preparing.preparation.build_plan",
    ),
    "record --to x": (
        3,
        "lve.checkers.judge.verdict_of",
        "lve.extensions.recording.recording.append_instances",
    ),
}
"""Verb -> its exit code, and the functions that fail for the bad test, one at a time."""

GOOD_IS_HANDLED = {"check": "2 tests: 1 with problems", "record": "in good/instances/"}
"""Verb -> what it says then; the others say its name."""

CASES = [(verb, stage) for verb, (_, *stages) in STAGES.items() for stage in stages]


def lve(*words: str) -> tuple[int, str]:
    """Call the command line and return its exit code and everything it said."""
    result = CliRunner().invoke(cli, words, standalone_mode=False)
    error = result.exception
    if isinstance(error, LveError):  # of which `main` makes a line and an exit code
        return exit_code_of(error), f"{result.output}lve: {error}"
    if error is not None:
        raise error
    return result.return_value, result.output


@pytest.fixture
def two(root: Path) -> Path:
    """A workspace with a test that meets the bug, and one that doesn't."""
    for folder, word in (("bad", "wicked"), ("good", "kind")):
        write_test(
            root / folder,
            description=f"a {word} greeting",
            prompt=[{"role": "user", "content": "Say hello to {who}."}],
            prompt_parameters=["who"],
            checker_args={"checker_name": "RegexChecker", "pattern": ".", "match_safe": True},
            instances=[{"args": {"who": word}, "response": "Hello", "run_info": {}}],
        )
    return root


@pytest.mark.parametrize(("verb", "stage"), CASES)
def test_it_is_the_error_of_that_test_alone(
    two: Path, monkeypatch: pytest.MonkeyPatch, verb: str, stage: str
) -> None:
    if verb.startswith("score"):
        assert lve("run", ".")[0] == 0
    plant(monkeypatch, stage)
    words = verb.split()
    # `score` knows its tests, the others are told where to look.
    code, said = lve(*words, *([] if words[0] == "score" else ["."]))
    assert code == STAGES[verb][0], said
    assert RECURSION in said
    assert "Traceback" not in said
    assert GOOD_IS_HANDLED.get(words[0], "good") in said


def test_a_result_that_cannot_be_written_is_an_error_in_journal_and_report(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, "lve.sessions.journal.journal.result_line")
    assert lve("run", ".")[0] == 3
    monkeypatch.undo()
    monkeypatch.chdir(two)
    assert lve("run", "--retry-errors", "last")[0] == 0


@pytest.mark.parametrize("verb", ["check", "list", "run", "render", "show"])
def test_a_traceback_is_shown_on_demand(
    two: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    plant(monkeypatch, "lve.pipeline.choosing.loading.load_spec")
    monkeypatch.setenv("LVE_TRACEBACK", "1")
    assert "Traceback" in lve(verb, ".")[1]


UNUSABLE_MODELS = {
    "hf/nowhere": "is not on this machine",
    "hf/a\0b": "there is no folder",
    "azure/x": "has no endpoint",
    "nobody/knows": "nobody/knows",
    None: "names no model",
}


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=needs("torch", "transformers") if "hf/" in str(name) else ())
        for name in UNUSABLE_MODELS
    ],
)
def test_a_model_that_only_one_test_names(two: Path, model: str | None) -> None:
    write_test(two / "bad", model=model)
    code, said = lve("run", ".")
    assert code == 2
    assert "2 tests: 1 passed, 1 invalid" in said
    assert UNUSABLE_MODELS[model] in said
    alone = lve("run", "bad")
    assert alone[0] == 2
    assert "tests:" not in alone[1]


def test_a_folder_name_of_a_classifier_that_no_file_can_have(two: Path) -> None:
    checker = {"checker_name": "BiasChecker", "bias_threshold": 0.5, "model": "a" * 5000}
    write_test(two / "bad", checker_args=checker)
    for verb in ("check", "run"):
        code, said = lve(verb, ".")
        assert code == 2
        assert "is neither a name on the Hugging Face hub nor a folder inside" in said
