"""`lve show`: what a test is about."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_sums, write_test

from lve.errors import NoSessionError, UsageError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_test(
        tmp_path / "t",
        description="Numbers come out as they went in, whatever the words around them say. " * 2,
        author="Ana",
        prompt=None,
        multi_run_prompt=[
            {"name": "one", "prompt": [{"content": "{n}"}], "repetitions": 3},
            {
                "prompt": [
                    {"role": "system", "content": "x"},
                    {"role": "assistant", "variable": "first"},
                    {"content": "y"},
                ]
            },
        ],
        prompt_parameters=["n", "word"],
        prompt_parameters_validator=["int", "float"],
        tags=[{"name": "severity", "value": "low"}],
        instances=[{"args": {"n": "1", "word": "2"}, "response": ["1", "2"], "run_info": {}}],
        checker_args={"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: True"},
        expect={"pass_rate": ">=0.9"},
    )
    return tmp_path


def test_shows_what_a_reader_asks_first(root: Path) -> None:
    code, out, err = call("show", "t")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "t/test.json"
    assert max(map(len, lines)) <= 80
    assert "  author      Ana" in lines
    assert "  models      dummy/dummy" in lines
    assert "  prompt      one: user > [response] (3 times)" in lines
    assert "  prompt      system > [first] > user > [response]" in lines
    assert "  parameters  n (int), word (float)" in lines
    assert '  checker     MultiRunLambdaChecker func="lambda rs: True"' in lines
    assert "  expect      pass rate >= 0.9 (confidence 0.95)" in lines
    assert "  tags        severity=low" in lines
    assert "  rows        1 in instances/main.jsonl" in lines


def test_two_checkers_make_a_verdict_together(root: Path) -> None:
    checkers = [{"checker_name": "RegexChecker", "pattern": word} for word in ("a", "b")]
    write_test(root / "two", checker_args=None, checkers=checkers, pass_when="any")
    assert "  pass when   any of the checkers pass\n" in call("show", "two")[1]
    assert "pass when" not in call("show", "t")[1]


def test_a_word_with_hyphens_stays_on_one_line(root: Path) -> None:
    write_test(root / "wide", description=f"{'x' * 60} state-of-the-art-answers")
    assert "\n  state-of-the-art-answers\n" in call("show", "wide")[1]


def test_json_has_the_same(root: Path) -> None:
    (test,) = json.loads(call("show", "t", "--json")[1])["tests"]
    assert test["instances"] == {"instances/main.jsonl": 1}
    assert test["prompts"][0]["repetitions"] == 3
    assert test["checkers"] == [
        {"name": "MultiRunLambdaChecker", "args": {"func": "lambda rs: True"}}
    ]


def test_what_is_wrong_is_told_and_the_rest_is_shown(root: Path) -> None:
    write_test(root / "bad", prompt=[{"content": "{x}"}])
    (root / "t" / "instances" / "more.jsonl").write_text("{\n", encoding="utf-8")
    code, out, err = call("show", "bad", "t")
    assert code == 2
    assert out.startswith("t/test.json\n")
    assert [line.split(":")[1] for line in err.splitlines()] == [
        " bad/test.json", " t/instances/more.jsonl",
    ]  # fmt: skip


def test_a_test_with_a_template_says_so(root: Path) -> None:
    write_test(
        root / "template",
        prompt=None,
        dataset=[{"q": "x", "a": "y"}],
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        infer_cfg={
            "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    )
    assert (
        "  prompt      a template over a data set (GenInferencer)\n" in call("show", "template")[1]
    )


def test_showing_a_session_that_failed_has_worked(root: Path) -> None:
    never = {"checker_name": "ExactMatchChecker", "pattern": "Never", "match_safe": True}
    write_test(root / "bad", instances=[{"args": {}}], checker_args=never)
    assert call("run", "bad", "--model", "dummy/dummy", "--no-cache")[0] == 1
    code, out, _ = call("show", "last")
    assert (code, "1 test: 1 failed\n" in out) == (0, True)


def test_a_session_is_reported_again_with_its_own_verdicts(root: Path) -> None:
    write_test(root / "again", instances=[{"args": {}, "response": "Hello"}])
    code, before, _ = call("run", "again", "--model", "dummy/dummy")
    document = json.loads((root / "again/test.json").read_text())
    document["checker_args"]["pattern"] = "Never"
    (root / "again/test.json").write_text(json.dumps(document))
    shown, out, _ = call("show", "last")
    assert (code, shown) == (0, 0)
    assert [line.split(" s")[0] for line in out.splitlines()[:4]] == [
        line.split(" s")[0] for line in before.splitlines()[:4]
    ]
    assert "1 test: 1 passed\n" in out
    assert "1 request" in out
    [session] = [path.name for path in (root / ".lve/runs").iterdir()]
    assert call("show", session)[1] == out
    report = json.loads(call("show", session, "--json")[1])
    assert (report["session"], report["summary"]["tests"]["passed"]) == (session, 1)
    assert "1 failed" in call("score", "last")[1]


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ({"started": "2026-01-01T00:00:00+00:00", "ended": "2026-01-01T00:01:30+00:00"}, 90.0),
        ({"started": "2026-01-01T00:01:30+00:00", "ended": "2026-01-01T00:00:00+00:00"}, 0.0),
        ({"started": "2026-01-01T00:01:30+00:00", "ended": None}, 0.0),
    ],
)
def test_a_session_took_as_long_as_its_file_says(
    root: Path, times: dict[str, str | None], seconds: float
) -> None:
    write_test(root / "again", instances=[{"args": {}, "response": "Hello"}])
    call("run", "again", "--model", "dummy/dummy")
    [file] = (root / ".lve/runs").glob("*/session.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), **times}))
    report = json.loads(call("show", "last", "--json")[1])
    assert report["summary"]["seconds"] == seconds


def test_a_test_that_is_called_like_a_session_is_shown(root: Path) -> None:
    write_test(root / "last")
    assert call("show", "last")[1].startswith("last/test.json\n")


def test_a_session_that_is_not_there_is_said_to_be_missing(root: Path) -> None:
    with pytest.raises(NoSessionError, match="there is no session in"):
        call("show", "last")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_with_failures(bare: Path) -> None:
    """Run two tests; one has eight instances that fail."""
    never = {"checker_name": "RegexChecker", "pattern": "Never", "match_safe": True}
    rows = [{"args": {"n": str(n)}, "response": "x"} for n in range(8)]
    write_test(bare / "sums", instances=rows, prompt_parameters=["n"], checker_args=never)
    write_test(bare / "good", instances=[{"args": {}, "response": "Hello"}])
    code, out, _ = call("run", ".", "--model", "dummy/dummy")
    assert code == 1
    assert out.count("    instances/") == 5
    assert "    and 3 more\n" in out
    assert re.search(r"\nall failures, with transcripts: lve show \S+ --failures\n", out)


def test_all_failures_of_a_session_are_shown_with_their_transcripts(bare: Path) -> None:
    run_with_failures(bare)
    code, out, _ = call("show", "last", "--failures")
    assert code == 0
    assert out.count("[assistant] (answer)") == 8
    assert "good/instances" not in out
    assert "and 3 more" not in out


def test_transcripts_of_a_sessions_test_are_shown_those_that_passed_too(bare: Path) -> None:
    run_with_failures(bare)
    out = call("show", "last", "good")[1]
    assert out.count("[assistant] (answer)") == 1
    assert "sums" not in out


def test_failures_alone_can_be_seen_while_a_run_goes_on(bare: Path) -> None:
    write_sums(bare / "sums", 2)
    write_test(bare / "good", instances=[{"args": {}, "response": "Hello"}])
    out = call("run", ".", "--model", "dummy/dummy", "--failures")[1]
    assert out.count("[assistant] (answer)") == 2


def test_a_session_elsewhere_is_shown(bare: Path) -> None:
    write_test(bare / "good", instances=[{"args": {}, "response": "Hello"}])
    out = call("run", "good", "--model", "dummy/dummy", "--session-dir", "elsewhere")[1]
    named = re.search(r"\(lve show (.*)\)\n", out)
    assert named is not None
    assert "1 test: 1 passed\n" in call("show", *named[1].split())[1]


def test_what_a_session_skipped_and_could_not_use_is_shown_again(bare: Path) -> None:
    write_test(bare / "good", instances=[{"args": {}, "response": "Hello"}])
    write_test(bare / "later", skip="not now", instances=[{"args": {}, "response": "Hello"}])
    rate = {"pass_rate": ">=0.9", "max_repeats": 2}  # two runs can't tell
    write_test(bare / "few", expect=rate, instances=[{"args": {}, "response": "Hello"}])
    said = "3 tests: 1 passed, 1 skipped, 1 invalid\n"
    assert said in call("run", ".", "--model", "dummy/dummy")[1]
    (bare / "few/test.json").unlink()
    shown = call("show", "last")[1]
    assert said in shown
    assert "skipped: later: not now\n" in shown
    assert "invalid: few\n" in shown
    assert "1 test: 1 passed\n" in call("show", "last", "good")[1]
    assert "1 test: 1 skipped\n" in call("show", "last", "later")[1]


def test_a_session_is_shown_whose_tests_are_gone(bare: Path) -> None:
    run_with_failures(bare)
    with_tests = call("show", "last")[1].splitlines()
    [file] = (bare / ".lve/runs").glob("*/session.json")
    info = json.loads(file.read_text())
    for paths in (["gone"], ["/elsewhere/tests"]):
        file.write_text(json.dumps({**info, "paths": paths}))
        code, out, said = call("show", "last")
        assert code == 0
        assert sorted(out.splitlines()) == sorted(with_tests)
        assert "the report has only what the session itself recorded" in said
        assert call("show", "last", "--failures")[1].count("[assistant] (answer)") == 8
        assert json.loads(call("show", "last", "--json")[1])["summary"]["tests"]["failed"] == 1
        assert "--session-dir .lve --failures" in call("show", "last", "--session-dir", ".lve")[1]


def test_a_session_whose_tests_are_gone_says_how_to_go_on(bare: Path) -> None:
    rows = [{"args": {}, "response": "Hello"}]
    write_test(bare / "t", instances=rows)
    call("run", "t", "--model", "openai/x", "--base-url", "http://127.0.0.1:9", "--deadline", "0.1")
    (bare / "t/test.json").unlink()
    (bare / "t").rename(bare / "gone")
    shown = call("show", "last", "--session-dir", ".lve")[1]
    assert re.search(r"lve run --retry-errors \S+ --session-dir .lve\n", shown)


def test_a_session_is_shown_with_what_was_expected_then(bare: Path) -> None:
    rows = [{"args": {}, "response": "Hello"}]
    write_test(bare / "good", instances=rows)
    call("run", ".", "--model", "dummy/dummy")
    write_test(bare / "good", instances=rows, expect="fail")
    assert "1 test: 1 passed\n" in call("show", "last")[1]
    assert "1 test: 1 failed\n" in call("score", "last")[1]


@pytest.mark.parametrize("option", [("--failures",), ("--session-dir", "x")])
def test_options_of_sessions_are_refused_for_tests(bare: Path, option: tuple[str, ...]) -> None:
    write_test(bare / "t")
    with pytest.raises(UsageError, match="needs a session: `lve show last"):
        call("show", "t", *option)


def test_a_session_without_results_says_whose(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b")
    call("run", "a")
    shown = call("show", "last", "b")
    assert "has no results of these tests: there is nothing to judge\n" in shown[1]


@pytest.mark.parametrize("verb", ["show", "score", "report -o x.json", "run --resume"])
def test_a_session_may_be_named_by_its_folder(root: Path, verb: str) -> None:
    write_test(root / "u", instances=[{"args": {}, "response": "Hello world"}])
    assert call("run", "u", "--model", "dummy/dummy")[0] == 0
    (folder,) = Path(".lve/runs").iterdir()
    for name in (f"{folder}", f"{folder}/"):
        code, out, err = call(*verb.split(), name)
        assert code == 0, err
        assert folder.name in out or folder.name in (root / "x.json").read_text(encoding="utf-8")
