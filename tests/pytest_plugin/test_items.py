"""Test folders as pytest items: ids, and what invalid folders do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_sums
from support.pytest_runs import collected

Write = Callable[..., Path]

IDS = [
    "repository/privacy/a/test.json::instances.jsonl[1]",
    "repository/privacy/a/test.json::instances.jsonl[2]",
]
TWO = [("Paris", True), ("Lyon", False)]
HELLO = {
    "model": "dummy/dummy",
    "checker_args": {"checker_name": "RegexChecker", "pattern": "Hello", "match_safe": True},
}


def names(found: list[str]) -> list[str]:
    return [line.partition("::")[2] for line in found]


@pytest.mark.parametrize(
    "path",
    [
        "repository",
        "repository/privacy",
        "repository/privacy/a",
        "repository/privacy/a/test.json",
        "repository/privacy/a/test.json::instances.jsonl",
        ".",
    ],
)
def test_an_item_per_instance(pytester: pytest.Pytester, write_test: Write, path: str) -> None:
    write_test("privacy/a", TWO)
    assert collected(pytester, path) == IDS


def test_one_item_by_its_id(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("privacy/a", TWO)
    assert collected(pytester, IDS[1]) == [IDS[1]]


def test_a_python_test_beside_changes_no_id(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test("privacy/a", TWO).parent
    (folder / "test_more.py").write_text("def test_it(): pass", encoding="utf-8")
    (pytester.path / "repository" / "conftest.py").touch()
    found = collected(pytester, "repository")
    assert found == [*IDS, "repository/privacy/test_more.py::test_it"]


def test_the_order_is_that_of_the_folders(pytester: pytest.Pytester, write_test: Write) -> None:
    for name in ("b", "a/z", "a/b"):
        write_test(name)
    assert [line.partition("/test.json")[0] for line in collected(pytester, "repository")] == [
        "repository/a/b",
        "repository/a/z",
        "repository/b",
    ]


def test_yaml_and_a_test_without_parameters(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test(
        "a", (), prompt=[{"content": "Say hello."}], prompt_parameters=None, **HELLO
    )
    document = (folder / "test.json").read_text(encoding="utf-8")
    (folder / "test.json").unlink()
    (folder / "test.yaml").write_text(document, encoding="utf-8")
    assert collected(pytester) == ["repository/a/test.yaml::instance"]
    pytester.runpytest().assert_outcomes(passed=1)


def test_several_models_are_part_of_the_id(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    models = ["--lve-model", "replay", "--lve-model", "dummy/dummy"]
    found = collected(pytester, *models, "repository")
    assert names(found) == ["instances.jsonl[1][replay]", "instances.jsonl[1][dummy/dummy]"]
    assert collected(pytester, *models, found[1]) == [found[1]]


def test_what_is_given_twice_is_collected_once(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("privacy/a", TWO)
    document = "repository/privacy/a/test.json"
    assert collected(pytester, document, document) == IDS
    assert sorted(set(collected(pytester, "repository", document))) == IDS


def test_two_instances_on_one_line_have_two_names(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("a")
    line = {"args": {"country": "x"}, "response": "Paris", "passed": True, "run_info": {}}
    (folder / "instances" / "instances.jsonl").write_text(json.dumps([line, line]))
    assert names(collected(pytester)) == ["instances.jsonl[1]", "instances.jsonl[1]~2"]


def test_a_row_of_a_data_set_is_an_item(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test("a", (), dataset="rows.csv", **HELLO)
    (folder / "rows.csv").write_text("country\nx\ny\n")
    assert names(collected(pytester)) == ["row-2", "row-3"]


def test_large_data_sets_become_chunks(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test("a", (), dataset="rows.csv", **HELLO)
    (folder / "rows.csv").write_text("country\n" + "".join(f"c{n}\n" for n in range(5)))
    found = collected(pytester, "-o", "lve_max_items=2", "repository")
    assert names(found) == ["rows-2-3", "rows-4-5", "rows-6-6"]
    pytester.runpytest("-o", "lve_max_items=2", "repository").assert_outcomes(passed=3)


def test_a_chunk_reports_every_row_that_failed(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    checker = {"checker_name": "LambdaChecker", "func": "lambda r, country: country != 'bad'"}
    folder = write_test("a", (), dataset="rows.csv", model="dummy/dummy", checker_args=checker)
    (folder / "rows.csv").write_text("country\ngood\nbad\ngood\nbad\n")
    result = pytester.runpytest("-o", "lve_max_items=3")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*a/test.json:*: LambdaChecker: 1 of 3 failed",
            "  rows.csv:3 (country=bad): failed: *",
            "  country = bad",
            "FAILED repository/a/test.json::rows-2-4 - 1 of 3 failed",
        ]
    )
    result.stdout.no_fnmatch_line("*rows.csv:2: *")


def spoil_document(folder: Path) -> None:
    document = json.loads((folder / "test.json").read_text())
    (folder / "test.json").write_text(json.dumps({**document, "promt": []}, indent=1))


def spoil_checker(folder: Path) -> None:
    document = json.loads((folder / "test.json").read_text())
    document["checker_args"]["pattern"] = "("
    (folder / "test.json").write_text(json.dumps(document, indent=1))


def spoil_prompt(folder: Path) -> None:
    document = json.loads((folder / "test.json").read_text())
    document["prompt"][0]["content"] = "{county}"
    (folder / "test.json").write_text(json.dumps(document, indent=1))


def spoil_instances(folder: Path) -> None:
    with (folder / "instances" / "instances.jsonl").open("a") as file:
        file.write("{\n")


def spoil_everything(folder: Path) -> None:
    (folder / "test.json").write_text("{")


def two_documents(folder: Path) -> None:
    (folder / "test.yaml").write_text("description: x")


SPOILT = {
    "document": (spoil_document, "*document/test.json:*promt*"),
    "checker": (spoil_checker, "*checker/test.json:*pattern*"),
    "prompt": (spoil_prompt, "*prompt/test.json:*county*"),
    "instances": (spoil_instances, "*instances/instances/instances.jsonl:2:*"),
    "everything": (spoil_everything, "*everything/test.json:1:*"),
    "two": (two_documents, "*two/test.json: *test.yaml beside*"),
}


@pytest.mark.parametrize("native", [False, True], ids=["tree", "native"])
def test_an_invalid_folder_is_one_collection_error(
    pytester: pytest.Pytester, write_test: Write, native: bool
) -> None:
    write_test("good")
    for name, (spoil, _) in SPOILT.items():
        spoil(write_test(name))
    if native:
        (pytester.path / "repository" / "conftest.py").touch()
    result = pytester.runpytest("repository", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=len(SPOILT))
    for name, (_, message) in SPOILT.items():
        result.stdout.fnmatch_lines([f"*ERROR collecting*{name}/test.json*", message])
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin" not in result.stdout.str()


def test_other_suites_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    folder = pytester.path / "fixtures"
    folder.mkdir()
    (folder / "test.json").write_text("[1, 2")
    pytester.runpytest().assert_outcomes(passed=1)
    assert not (pytester.path / ".lve").exists()


def test_instances_called_test_json_are_no_test(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("a")
    (folder / "instances" / "instances.jsonl").rename(folder / "instances" / "test.json")
    for native in (False, True):
        if native:
            (pytester.path / "conftest.py").touch()
            (pytester.path / "repository" / "conftest.py").touch()
        assert collected(pytester) == ["repository/a/test.json::test.json[1]"]


def test_opt_out(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    result = pytester.runpytest("-p", "no:lve", "repository")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_paths_in_the_ini(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("in/a")
    write_test("out/b")
    pytester.makeini("[pytest]\nlve_paths = repository/in")
    assert collected(pytester, ".") == ["repository/in/a/test.json::instances.jsonl[1]"]
    assert collected(pytester, "repository/out/b/test.json") == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--ignore=repository/out"],
        ["--ignore-glob=*/out"],
        ["-o", "norecursedirs=out"],
        ["-o", "norecursedirs=repository/out"],
        ["--deselect", "repository/out"],
    ],
)
def test_folders_are_left_out_as_usual(
    pytester: pytest.Pytester, write_test: Write, arguments: list[str]
) -> None:
    write_test("in/a")
    write_test("out/b")
    found = collected(pytester, "repository", *arguments)
    assert found == ["repository/in/a/test.json::instances.jsonl[1]"]


def test_collect_ignore_in_a_conftest(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("in/a")
    write_test("out/b")
    pytester.makeconftest("collect_ignore = ['repository/out']")
    assert len(collected(pytester)) == 1


def test_other_plugins_still_collect_their_files(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("a").parent
    (folder / "test_doc.txt").write_text(">>> 1 + 1\n2\n")
    assert len(collected(pytester)) == 2


def test_the_plugin_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    ours = {m for m in sys.modules if m.split('.')[0] == 'lve'}\n"
        "    table = {'lve.' + m for m in ('options', 'options.run_options', "
        "'options.model_options', 'options.option', 'options.match_expression', "
        "'options.row_numbers', 'options.values', 'escape')}\n"
        "    assert ours - table - {'lve', 'lve.version', 'lve.file_names', "
        "'lve.data_classes', 'lve.named_tuples', 'lve.late'} == "
        "{'lve.pytest_plugin', *('lve.pytest_plugin.' + m for m in ('finding', "
        "'finding.blocked_python', 'finding.folders', 'item_protocol', 'foreign_ini', 'options', "
        "'imports', 'session', 'session.session_end', 'session.workers'))}\n"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("named", "more"),
    [
        ("capital", []),
        ("capital/test.json", []),
        ("capital/test.json::instances/main.jsonl", []),
        ("above", []),
        ("above/capital", []),
        ("above/capital", ["-n1"]),
    ],
)
def test_tests_outside_of_lve_paths_are_said_not_to_be_collected(
    pytester: pytest.Pytester, write_test: Write, named: str, more: list[str]
) -> None:
    write_test("in")
    for folder in ("capital", "above/capital"):
        shutil.copytree(pytester.path / "repository/in", pytester.path / folder)
    pytester.makeini("[pytest]\nlve_paths = repository/in")
    result = pytester.runpytest(named, *more)
    folder = named.partition("::")[0]
    note = (
        f"lve: tests in {folder} are not collected, because `lve_paths` of the ini is repository/in"
    )
    assert note in result.stdout.lines
    assert result.ret in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR)


@pytest.mark.parametrize("named", [[], ["."], ["repository"], ["repository/in"], ["empty"]])
def test_nothing_is_said_of_lve_paths_otherwise(
    pytester: pytest.Pytester, write_test: Write, named: list[str]
) -> None:
    write_test("in")
    write_test("out")
    (pytester.path / "empty").mkdir()
    pytester.makeini("[pytest]\nlve_paths = repository/in")
    assert "`lve_paths`" not in str(pytester.runpytest(*named).stdout)


def test_each_model_has_the_expectation_of_its_entry(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    rate = {"pass_rate": 0.2, "max_repeats": 3}
    entries = [{"model": "dummy/a", "expect": "fail"}, {"model": "dummy/b", "expect": rate}]
    write_test("privacy/a", TWO, models=[*entries, "dummy/c"], model=None)
    assert names(collected(pytester, "repository")) == [
        "instances.jsonl[1][dummy/a]",
        "instances.jsonl[2][dummy/a]",
        "pass-rate[dummy/b]",
        "instances.jsonl[1][dummy/c]",
        "instances.jsonl[2][dummy/c]",
    ]
    result = pytester.runpytest("repository", "-k", "not dummy/b")
    result.assert_outcomes(xfailed=2, failed=2)


def test_items_forget_their_results_once_they_are_reported(pytester: pytest.Pytester) -> None:
    write_sums(pytester.path / "t", 3)
    seen: list[tuple[object, ...]] = []

    class Watcher:
        def pytest_runtest_teardown(self, item: Any) -> None:
            seen.append((len(item.verdict.results), bool(item.user_properties)))

        def pytest_sessionfinish(self, session: pytest.Session) -> None:
            for item in session.items:
                verdict: Any = getattr(item, "verdict")  # noqa: B009 (not of pytest's items)
                seen.append((verdict.outcome, verdict.results, verdict.properties))

    pytester.inline_run("--lve-model", "replay", plugins=[Watcher()]).assertoutcome(passed=3)
    assert seen == [(1, True)] * 3 + [("passed", (), [])] * 3
