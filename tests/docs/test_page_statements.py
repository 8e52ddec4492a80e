"""Promises of pages without a test of their own, each word for word and tried."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace
from support.page_statements import Statement, Statements, lines_of, results, rows, write

STATEMENTS = Statements()
says = STATEMENTS.says


@says("running", "node_modules`, `venv`, `build`, `dist` and")
def folders_that_are_no_tests_are_skipped(root: Path) -> None:
    for name in ("t", "node_modules/t", "venv/t", "build/t", "dist/t", ".hidden/t"):
        write(root / name)
    (root / "linked").symlink_to(root / "t")
    assert [test["path"] for test in json.loads(call("list", "--json")[1])["tests"]] == ["t"]


@says("running", "Of several values of one name")
def tags_are_alternatives_only_within_a_name(root: Path) -> None:
    def tag(**values: str) -> dict[str, Any]:
        return {"tags": [{"name": name, "value": value} for name, value in values.items()]}

    write(root / "a", **tag(severity="high", jailbreak="yes"))
    write(root / "b", **tag(severity="medium"))
    chosen = json.loads(
        call("list", "--json", "--tag", "severity=high", "--tag", "severity=medium")[1]
    )
    assert len(chosen["tests"]) == 2
    chosen = json.loads(call("list", "--json", "--tag", "severity", "--tag", "jailbreak=yes")[1])
    assert [test["path"] for test in chosen["tests"]] == ["a"]


@says("running", "The command line wins over the environment, the environment over the test")
def the_command_line_wins(root: Path) -> None:
    write(root / "t", repeats=2)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LVE_REPEATS", "3")
        assert len(results()) == 12
        assert len(results("--repeats", "1")) == 4


@says("running", "`--rows` numbers all rows, `--sample` draws from what the others leave")
def rows_are_numbered_before_others_choose(root: Path) -> None:
    write(root / "t", dataset=rows(9))
    assert lines_of("--rows", "4-6", "-k", "name=n5 or name=n6") == [5, 6]
    drawn = lines_of("--rows", "4-7", "--sample", "3")
    assert set(drawn) < {4, 5, 6, 7}
    assert len(lines_of("--rows", "4-7", "--sample", "3", "--limit", "2")) == 2


@says("running", "A smaller one is part of a larger one, and equal rows are drawn together.")
def a_smaller_sample_is_part_of_a_larger_one(root: Path) -> None:
    write(root / "t", dataset=rows(20))
    assert set(lines_of("--sample", "4")) < set(lines_of("--sample", "9"))


@says("running", "If several apply, the first of 130, 6, 2, 3, 1, 5, 4 is taken")
def an_invalid_test_counts_more_than_a_failed_one(root: Path) -> None:
    write(root / "failed", check={"contains": "Bye"})
    write(root / "invalid", checkk={})
    assert call("run", "failed", "--model", "dummy/dummy")[0] == 1
    code, out, _ = call("run", "failed", "invalid", "--model", "dummy/dummy")
    assert (code, "1 failed" in out) == (2, True)


@says("results", "The ends of `95 % interval 0.82 to 0.97` hold together")
def an_interval_has_two_ends(root: Path) -> None:
    write(root / "t")
    assert "pass rate 1, 95 % interval 0.398 to 1.000" in call("run", "t", "-m", "dummy/dummy")[1]


@says(
    "results",
    "A test with unusable lines in its files is invalid (exit code 2). Its other lines run",
)
def unusable_lines_make_a_test_invalid(root: Path) -> None:
    write(root / "t", dataset="rows.jsonl")
    (root / "t" / "rows.jsonl").write_text('{"name": "Ana"}\n{"name": \n', encoding="utf-8")
    code, out, _ = call("run", "t", "--model", "dummy/dummy")
    assert (code, "1 passed" in out) == (2, True)


@says("results", "A row is **flaky** if it passed in some repeats and failed in others.")
def a_flaky_row_is_one_that_differs(root: Path) -> None:
    args = {"random_responses": ["Hello", "Bye"], "temperature": 1}
    write(root / "t", dataset=rows(1), default_model_args=args, repeats=20)
    _, out, _ = call("run", "t", "-m", "dummy/dummy", "-v")
    assert "1 flaky: test.json row 1" in out


@says("results", "Session ids sort by time; an id's beginning, `last`, or `last~1`")
def sessions_are_named_by_their_age(root: Path) -> None:
    write(root / "t")
    ids = []
    for _ in range(2):
        call("run", "t", "-m", "dummy/dummy")
        ids = sorted(folder.name for folder in (root / ".lve" / "runs").iterdir())
    assert ids[1] in call("show", "last")[1]
    assert ids[0] in call("show", "last~1")[1]
    assert ids[0] in call("show", ids[0][:-2])[1]


@says("statistics", "Fewer than 6 rows are never enough, however many repeats they have.")
def five_rows_are_too_few_to_compare(root: Path) -> None:
    for count, sign in ((5, "?"), (6, "✗")):
        folder = write(root / f"t{count}", dataset=rows(count))
        call("run", folder.name, "-m", "dummy/dummy")
        document = json.loads((folder / "test.json").read_text("utf-8"))
        document["check"] = {"contains": "Bye"}
        (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
        call("run", folder.name, "-m", "dummy/dummy")
        assert f"{sign} {folder.name}\n" in call("compare", "-v")[1]


@says(
    "statistics",
    "so lve asks each row once (unless `repeats` says otherwise) and counts the results",
)
def repeats_that_are_alike_are_not_made(root: Path) -> None:
    write(root / "t", expect={"pass_rate": ">=0.9"})
    assert len(results("--model-arg", "temperature=0")) == 4
    assert len(results("--model-arg", "temperature=1")) > 4


@says("sessions", "**`--resume`** never runs a finished row twice.")
def a_resumed_session_repeats_nothing(root: Path) -> None:
    write(root / "t")
    call("run", "t", "-m", "dummy/dummy")
    _, out, _ = call("run", "--resume", "--json")
    assert json.loads(out)["summary"]["requests"] == 0
    journal = next((root / ".lve" / "runs").iterdir()) / "results.jsonl"
    assert len(journal.read_text("utf-8").splitlines()) == 4


@says("sessions", "In a test with `expect: fail` that is what *passed*.")
def what_failed_unexpectedly_runs_again(root: Path) -> None:
    write(root / "t", expect="fail")
    call("run", "t", "-m", "dummy/dummy")
    _, out, _ = call("run", "--last-failed", "--json")
    assert len(json.loads(out)["tests"][0]["instances"]) == 4


@says(
    "sessions",
    "lve refuses a `.lve/` that git tracks, that belongs to another user, or that is a link",
)
def a_linked_state_folder_is_refused(root: Path) -> None:
    write(root / "t")
    (root / "elsewhere").mkdir()
    (root / ".lve").symlink_to(root / "elsewhere")
    assert lve("run", "t", "-m", "dummy/dummy", code=2).exception is not None


@says("expectations", "With `at_least`, an error counts as neither passed nor failed")
def an_error_decides_nothing(root: Path) -> None:
    answers = {"Hi n1": {"error": "bad_request"}, "default": "Hello"}
    (root / "answers.yaml").write_text(json.dumps(answers), encoding="utf-8")
    options = {"provider": "scripted", "options": {"answers": "answers.yaml"}}
    workspace(root, json.dumps({"models": {"s": options}}))
    write(root / "t", expect={"at_least": 3}, model="s")
    write(root / "u", expect={"at_least": 4}, model="s")
    verdicts = {}
    for test in json.loads(call("run", "t", "u", "--json")[1])["tests"]:
        verdicts[test["path"]] = test["verdict"]
    assert verdicts == {"t": "passed", "u": "error"}


@says("expectations", "What is expected must be reachable: `at_least: 42` needs 42 results.")
def what_cannot_be_reached_is_a_problem(root: Path) -> None:
    write(root / "t", expect={"at_least": 42})
    code, out, err = call("check", "t")
    assert (code, "42" in out + err) == (2, True)


@says("reports", "All texts are quoted. The file is UTF-8 with a byte order mark")
def tables_are_made_for_spreadsheets(root: Path) -> None:
    write(root / "t", dataset=rows(1))
    call("run", "t", "-m", "dummy/dummy", "-o", "r.csv")
    content = (root / "r.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert b'"Hello world"' in content


@says("reports", "gets an apostrophe before it")
def a_formula_is_a_text(root: Path) -> None:
    write(root / "t", dataset=rows(1), default_model_args={"response": "=Hello()"})
    call("run", "t", "-m", "dummy/dummy", "-o", "r.csv")
    with (root / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["response"] == "'=Hello()"


@says("reports", "`lve report` exits with 0 when everything is written and with 2 for wrong input")
def a_report_of_failures_is_no_failure(root: Path) -> None:
    write(root / "t", check={"contains": "Bye"})
    assert call("run", "t", "-m", "dummy/dummy")[0] == 1
    assert call("report", "-o", "r.md")[0] == 0
    assert lve("report", "-o", "r.nothing", code=2).exit_code != 0


@says(
    "lambdas",
    "non-mutating methods of texts, lists, dicts, sets and matches, except `format` of texts",
)
def a_lambda_calls_no_format(root: Path) -> None:
    write(root / "t", check={"expression": "lambda r: '{}'.format(r)"})
    write(root / "u", check={"expression": "lambda r: r.upper().startswith('HELLO')"})
    assert call("check", "t")[0] == 2
    assert call("run", "u", "-m", "dummy/dummy")[0] == 0


@says("lambdas", "Beyond a limit the verdict is `error`.")
def a_lambda_has_limits(root: Path) -> None:
    write(root / "t", check={"expression": "lambda r: len([x for x in range(10 ** 9)]) > 0"})
    assert call("run", "t", "--rows", "1", "-m", "dummy/dummy")[0] == 3


@says("lve-format", "| `ExactMatchChecker`, `match_safe: true` | `contains` |")
def the_short_form_means_the_same(root: Path) -> None:
    checker = {"checker_name": "ExactMatchChecker", "pattern": "Hello", "match_safe": True}
    write(root / "t", check=None, checker_args=checker)
    document = json.loads((root / "t" / "test.json").read_text("utf-8"))
    del document["check"]
    (root / "t" / "test.json").write_text(json.dumps(document), encoding="utf-8")
    assert call("run", "t", "-m", "dummy/dummy")[0] == 0
    call("check", "t", "--modernize")
    assert '"contains"' in (root / "t" / "test.json").read_text("utf-8")


@says("concepts", "A failure and an error are different things.")
def errors_and_failures_are_counted_apart(root: Path) -> None:
    write(root / "t", check={"expression": "lambda r: int(r) > 0"})
    _, out, _ = call("run", "t", "-m", "dummy/dummy", "--json")
    counts = json.loads(out)["summary"]["results"]
    assert (counts["failed"], counts["error"]) == (0, 4)


@says("importing", "only into a new or empty folder")
def nothing_is_imported_into_a_full_folder(root: Path) -> None:
    config = "prompts: [Hi]\ntests: [{assert: [{type: contains, value: x}]}]\n"
    (root / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    assert call("import", "promptfoo", "promptfooconfig.yaml", "-o", "tests")[0] == 0
    again = lve("import", "promptfoo", "promptfooconfig.yaml", "-o", "tests", code=2)
    assert again.exit_code != 0 or again.exception is not None


@says("scaling", "* **Empty shards** exit with 5")
def a_shard_without_rows_exits_with_5(root: Path) -> None:
    write(root / "t", dataset=rows(1))
    codes = {call("run", "t", "-m", "dummy/dummy", "--shard", f"{n}/2")[0] for n in (1, 2)}
    assert codes == {0, 5}


@pytest.mark.parametrize("statement", [*STATEMENTS.cases()])
def test_a_line_is_on_its_page_and_true(
    statement: Statement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement.hold(tmp_path, monkeypatch)
