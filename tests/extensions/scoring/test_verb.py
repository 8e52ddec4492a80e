"""`lve score`: new verdicts on old answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_sums, write_test
from support.recorded_answers import STALE
from support.server import Received, model_server

from lve.sessions.session_folder import SessionFolder


def test_the_new_checker_judges_the_old_answers(root: Path) -> None:
    write_sums(root / "t", 4)
    with model_server() as server:
        lve("run", "t", "--model", "openai/m", "--base-url", server.url)
        write_sums(
            root / "t",
            4,
            checker_args={"checker_name": "LambdaChecker", "func": "lambda r, **_: int(r) > 8"},
        )
        result = lve("score", "last", "--json", code=1)
        assert len(server.requests) == 4
    (test,) = json.loads(result.stdout)["tests"]
    assert {one["recorded"] for one in test["instances"]} == {"passed"}
    sums = [int(one["responses"][0]) for one in test["instances"]]
    assert [one["verdict"] for one in test["instances"]] == [
        "passed" if total > 8 else "failed" for total in sums
    ]


SUM = {"content": "Compute {a} + {b}"}
ANYTHING = {"checker_name": "RegexChecker", "pattern": ".", "match_safe": True}


@pytest.mark.parametrize(
    ("part", "change", "is_stale"),
    [
        ("messages", {"prompt": [{"content": "What is {a}+{b}? Only the number."}]}, True),
        ("messages", {"prompt": [SUM, {"role": "assistant"}, {"content": "Sure?"}]}, True),
        ("messages", {"prompt": [{**SUM, "role": "user"}, {"role": "assistant"}]}, False),
        ("messages", {"prompt": [{**SUM, "role": "system"}]}, True),
        ("messages", {"prompt_file": "x.prompt", "prompt": None}, False),
        ("data", {"n": 1}, False),
        ("model_args", {"default_model_args": {"temperature": 1}}, False),
        ("inputs", {"simulated_user": {"instructions": "Ask on."}}, True),
        ("inputs", {"tools": [{"name": "add", "description": "adds"}]}, True),
        ("inputs", {"output_schema": {"type": "integer"}}, True),
        (None, {"description": "about sums"}, False),
        (None, {"checker_args": ANYTHING}, False),
    ],
)
def test_answers_to_what_is_not_asked_any_more_are_told(
    root: Path, part: str | None, change: dict[str, object], is_stale: bool
) -> None:
    write_sums(root / "t", 2)
    with model_server() as server:
        lve("run", "t", "--model", "openai/m", "--base-url", server.url)
    write_sums(root / "t", **{"n": 2, **change})
    (root / "t/x.prompt").write_text("Compute {a} + {b}\n" * ("prompt_file" in change))
    if part != "messages":
        (root / "t/x.prompt").unlink()
    for paths in ([], ["t"]):
        result = lve("score", "last", *paths, code=3 if is_stale else 0)
        assert ("2 stale_recording" in result.stdout) == is_stale
        told = [line for line in result.stderr.splitlines() if line]
        changed = [line for line in told if "t has changed since the session (" in line]
        assert len(changed) == (part is not None), told
        assert part is None or (f"({part}" in changed[0] and "tests_changed" in changed[0])


def test_sessions_of_an_lve_without_some_part_are_compared_without_it(root: Path) -> None:
    write_sums(root / "t", 2)
    with model_server() as server:
        lve("run", "t", "--model", "openai/m", "--base-url", server.url)
    (file,) = (root / ".lve").rglob("session.json")
    info = json.loads(file.read_text())
    del info["tests"]["t"]["inputs"]
    file.write_text(json.dumps(info))
    assert "has changed" not in lve("score", "last").stderr


def test_errors_stay_errors(root: Path) -> None:
    write_test(root / "t", instances=[STALE])
    lve("run", "t", "--model", "replay", code=3)
    lve("score", "last", "--json", code=3)


def test_paths_choose_tests(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b")
    lve("run", ".")
    document = json.loads(lve("score", "last", "b", "--json").stdout)
    assert [test["path"] for test in document["tests"]] == ["b"]


def test_a_test_that_is_gone_is_told(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b")
    lve("run", ".")
    (root / "b" / "test.json").unlink()
    result = lve("score", "last")
    assert "b is in the session" in result.stderr


def test_of_many_tests_that_are_gone_the_first_are_named(root: Path) -> None:
    write_test(root / "t")
    lve("run", "t")
    journal = next((root / ".lve/runs").iterdir()) / "results.jsonl"
    line = journal.read_text()
    journal.write_text("".join(line.replace('"test":"t"', f'"test":"t{n}"') for n in range(100)))
    said = lve("score", "last", code=5).stderr.splitlines()
    assert len(said) < 30
    assert any("and 80 more tests of the session" in one for one in said)


def test_nothing_is_written(root: Path) -> None:
    write_test(root / "t")
    lve("run", "t")
    before = sorted((root / ".lve").rglob("*"))
    lve("score", "last")
    assert sorted((root / ".lve").rglob("*")) == before


def test_how_to_go_on_names_the_folder_of_sessions(root: Path) -> None:
    write_test(root / "t")
    nobody = ("--model", "openai/x", "--base-url", "http://[::1]:9/v1")
    lve("run", "t", *nobody, "--session-dir", "my runs", code=3)
    result = lve("score", "last", "--session-dir", "my runs", code=3)
    assert result.stdout.splitlines()[-1].endswith(" --session-dir 'my runs'")


@pytest.mark.parametrize("options", [("--json", "--jsonl"), ("--quiet", "--verbose")])
def test_reports_that_contradict_each_other(root: Path, options: tuple[str, str]) -> None:
    result = lve("score", "last", *options, code=2)
    assert f"{options[0]} and {options[1]} don't go together" in result.stderr


def test_a_path_that_is_not_there_is_told_before_the_session_is_looked_for(root: Path) -> None:
    result = lve("score", "last", "/nowhere/at/all", code=2)
    assert "does not exist" in str(result.exception)


def test_a_pass_rate_is_judged_as_strictly_as_in_the_session(root: Path) -> None:
    expect = {"pass_rate": ">=0.5", "max_repeats": 8}  # looked at after 4 and after 8
    write_sums(root / "t", 6, expect=expect, default_model_args={"temperature": 1})
    wrong = {"Compute 0 + 0": "1", "Compute 1 + 7": "1"}

    def answer(request: Received) -> str:
        a, b = request.prompt.removeprefix("Compute ").split(" + ")
        return wrong.get(request.prompt, str(int(a) + int(b)))

    with model_server(answer) as server:
        ran = lve("run", "t", "--model", "openai/m", "--base-url", server.url, code=4)
    assert "? t · openai/m · 32/48 passed (6 rows, 8 repeats each)\n" in ran.stdout
    lines = ran.stdout.splitlines()[:2]
    assert lve("score", "last", code=4).stdout.splitlines()[:2] == lines


def test_a_session_without_results_says_so(root: Path) -> None:
    write_test(root / "a")
    write_test(root / "b")
    lve("run", "a")
    other = lve("score", "last", "b", code=5)
    assert "has no results of these tests: there is nothing to judge\n" in other.stdout
    (root / "a" / "test.json").unlink()
    gone = lve("score", "last", code=5)
    assert "has no results of tests that are still there: " in gone.stdout
    write_test(root / "a", instances=[])
    lve("run", "--model", "replay", "--index", "7", "--session-dir", "empty", code=5)
    empty = lve("score", "last", "--session-dir", "empty", code=5)
    assert empty.stdout.endswith(" has no results: there is nothing to judge\n")
    for result in (other, gone, empty):
        assert result.exit_code == 5
        assert "give a path" not in result.stdout


@pytest.mark.parametrize("dataset", ["rows.csv", {"path": "rows.csv"}, {"test": "rows.csv"}])
def test_rows_of_a_data_set_are_judged_with_their_references(root: Path, dataset: object) -> None:
    folder = write_test(
        root / "t",
        dataset=dataset,
        reader_cfg={"input_columns": ["name"], "output_column": "answer"},
        prompt=[{"role": "user", "content": "Hello {name}"}],
        prompt_parameters=["name"],
        checker_args={"checker_name": "AnswerChecker", "extract": "last-number"},
    )
    (folder / "rows.csv").write_text("name,answer\na,4\nb,4\n")
    with model_server("it is 4") as server:
        lve("run", "t", "--model", "openai/m", "--base-url", server.url)
    result = lve("score", "last", "-q")
    assert "2 rows: 2 passed" in result.stdout


def test_what_a_checker_could_not_judge_is_told_at_every_door(root: Path) -> None:
    """The way is `lve score`, which takes the answers that are there."""
    crashing = {"checker_name": "LambdaChecker", "func": "lambda r: int(r) > 1"}
    write_test(root / "t", checker_args=crashing)
    for asked in (["run", "t"], ["run", "t", "--json"], ["show", "last"], ["score", "last"]):
        result = lve(*asked, code=0 if "show" in asked else 3)
        place = result.stderr if "--json" in asked else result.stdout
        assert "mend it, then judge the same answers with: lve score 2" in place
        assert "--retry-errors" not in place
    write_test(root / "t")
    judged = lve("score", "last")
    assert "couldn't judge" not in judged.stdout


def test_an_invalid_test_is_invalid_again(root: Path) -> None:
    """It has no answers, so what the session said of it stays."""
    write_test(root / "good", model="dummy/dummy")
    write_test(root / "bad", model="dummy/dummy", prompt="{nobody}")
    ran = lve("run", ".", code=2)
    scored = lve("score", "last", code=2)
    invalid = [line for line in ran.stdout.splitlines() if "bad" in line]
    assert len(invalid) == 2
    assert set(invalid) <= {*scored.stdout.splitlines()}
    assert "2 tests: 1 passed, 1 invalid\n" in scored.stdout
    lve("score", "last", "good")
    lve("score", "last", "bad", code=2)


def test_an_invalid_test_of_a_killed_session_is_no_undecided_one(root: Path) -> None:
    write_test(root / "good", model="dummy/dummy")
    write_test(root / "bad", model="dummy/dummy", prompt="{nobody}")
    lve("run", ".", code=2)
    session = SessionFolder.find(root / ".lve")
    session.update(status="running")
    file = session.path / "tests.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "problems" not in line))
    scored = lve("score", "last", code=130)
    assert "invalid: bad\n    bad/test.json:" in scored.stdout
    assert "2 tests: 1 inconclusive, 1 invalid\n" in scored.stdout


def test_a_skipped_test_is_skipped_again(root: Path) -> None:
    write_test(root / "t", model="dummy/dummy", skip="not today")
    ran, scored = lve("run", "."), lve("score", "last")
    assert "not today" in ran.stdout
    assert ran.exit_code == scored.exit_code
    assert "1 test: 1 skipped\n" in scored.stdout
