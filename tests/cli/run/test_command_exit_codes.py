"""Exit codes of `lve run`, one by one."""

from __future__ import annotations

from pathlib import Path

from support.command_line import lve
from support.folders import write_sums, write_test
from support.recorded_answers import STALE
from support.run_command import Run, at, document, instances
from support.server import ModelServer


def test_0_when_all_is_as_expected(root: Path, run: Run) -> None:
    write_test(root / "t")
    result = run("t")
    assert result.stderr == ""
    assert "1 test: 1 passed" in result.stdout


def test_0_when_a_known_weakness_shows(root: Path, run: Run) -> None:
    write_test(root / "t", default_model_args={"response": "no"}, expect="fail")
    run("t")


def test_1_when_a_test_fails(root: Path, run: Run) -> None:
    write_test(root / "t", default_model_args={"response": "no"})
    run("t", code=1)


def test_1_when_a_known_weakness_is_gone(root: Path, run: Run) -> None:
    write_test(root / "t", expect="fail")
    run("t", code=1)


def test_2_for_wrong_usage(root: Path, run: Run) -> None:
    write_test(root / "t")
    run("--no-such-option", code=2)
    run("t", "--json", "--jsonl", code=2)


def test_2_when_a_test_is_invalid_and_the_others_run(root: Path, run: Run) -> None:
    write_test(root / "good")
    write_test(root / "bad", prompt=None)
    result = run(".", "--json", code=2)
    assert [test["verdict"] for test in document(result)["tests"]] == ["passed"]
    (invalid,) = document(result)["summary"]["invalid"]
    assert invalid["path"] == "bad"
    assert "bad/test.json:1:1" in invalid["problems"][0]


def test_0_when_a_test_is_skipped_because_its_code_is_not_trusted(root: Path, run: Run) -> None:
    write_test(root / "good")
    bad = write_test(root / "bad", checker_args={"checker_name": "Mine"})
    (bad / "checker").mkdir()
    (bad / "checker" / "checker.py").write_text("class Mine: ...\n")
    result = run(".")
    assert "2 tests: 1 passed, 1 skipped" in result.stdout
    assert "is Python code" in result.output


def test_2_when_a_line_of_instances_is_invalid_and_the_others_run(root: Path, run: Run) -> None:
    folder = write_sums(root / "t", 2)
    with (folder / "instances" / "main.jsonl").open("a") as file:
        file.write("{\n")
    result = run("t", "--model", "replay", "--json", code=2)
    assert [one["verdict"] for one in instances(result)] == ["passed", "passed"]
    assert "main.jsonl:3" in document(result)["summary"]["invalid"][0]["problems"][0]


def test_a_test_of_which_only_a_part_ran_has_not_passed_and_is_counted_once(
    root: Path, run: Run
) -> None:
    folder = write_sums(root / "t", 2)
    with (folder / "instances" / "main.jsonl").open("a") as file:
        file.write("{\n")
    text = run("t", "--model", "replay", code=2).stdout
    assert (
        "? t · replay · 2/2 passed (pass rate 1, 95 % interval 0.158 to 1.000)\n"
        "    unfinished: 2 done, the rest can't be used\n" in text
    )
    assert "\ninvalid: t (2 other results ran)\n    t/instances/main.jsonl:3:1: " in text
    assert "\n1 test: 1 invalid\n2 rows: 2 passed\n" in text
    whole = document(run("t", "--model", "replay", "--json", code=2))
    assert whole["summary"]["tests"]["total"] == 0
    assert whole["summary"]["tests"]["invalid"] == 1
    assert [test["verdict"] for test in whole["tests"]] == ["inconclusive"]


def test_a_test_of_which_no_line_can_be_used_is_invalid_and_nothing_else(
    root: Path, run: Run
) -> None:
    folder = write_sums(root / "t", 0)
    (folder / "instances" / "main.jsonl").write_text("{\n")
    result = run("t", "--model", "replay", code=2)
    assert result.stdout.startswith("invalid: t\n    t/instances/main.jsonl:1:1: ")
    assert "\n1 test: 1 invalid\n0 rows: none was run\n" in result.stdout


def test_3_when_errors_are_left(root: Path, run: Run) -> None:
    write_test(root / "t", instances=[STALE])
    result = run("t", "--model", "replay", "--json", code=3)
    (only,) = instances(result)
    assert (only["verdict"], only["error_kind"]) == ("error", "stale_recording")


def test_4_when_inconclusive_unless_that_is_allowed(root: Path, run: Run) -> None:
    write_test(root / "t", expect={"pass_rate": ">=0.9"})
    run("t", "--repeats", "2", code=4)
    run("t", "--repeats", "2", "--allow-inconclusive")


def test_a_resumed_or_judged_session_says_4_again(root: Path, run: Run) -> None:
    write_test(root / "t", expect={"pass_rate": ">=0.9"})
    run("t", "--repeats", "2", "--allow-inconclusive")
    run("--resume", code=4)
    run("--resume", "--allow-inconclusive")
    lve("score", "last", code=4)
    lve("score", "last", "--allow-inconclusive")


def test_a_test_without_instances_beside_others_is_inconclusive(root: Path, run: Run) -> None:
    write_sums(root / "t" / "empty", 0)
    write_sums(root / "t" / "full", 1)
    run("t", "--model", "replay", code=4)
    run("t", "--model", "replay", "--allow-inconclusive")


def test_5_when_nothing_is_selected(root: Path, run: Run) -> None:
    (root / "empty").mkdir()
    result = run("empty", code=5)
    assert "no tests in empty" in result.stderr


def test_5_when_no_instance_is_selected(root: Path, run: Run) -> None:
    write_sums(root / "t", 2)
    run("t", "--model", "replay", "--index", "7", code=5)


def test_6_when_the_budget_is_reached(root: Path, run: Run, server: ModelServer) -> None:
    write_sums(root / "t", 20)
    result = run("t", *at(server), "--max-requests", "7", "--json", code=6)
    assert len(server.requests) == 7
    assert len(instances(result)) == 7
    assert "7 of 7 requests" in document(result)["summary"]["stopped_by"]


def test_skipped_tests_are_told_and_not_run(root: Path, run: Run) -> None:
    write_test(root / "t", skip="too slow")
    result = run("t", "--json")
    assert document(result)["summary"]["skipped"] == [{"path": "t", "reason": "too slow"}]
    assert document(result)["tests"] == []
