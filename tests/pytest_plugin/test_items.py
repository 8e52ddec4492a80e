"""Test folders as pytest items: ids, verdicts, marks, failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.server import model_server

Write = Callable[..., Path]

IDS = [
    "repository/privacy/a/test.json::instances.jsonl[1]",
    "repository/privacy/a/test.json::instances.jsonl[2]",
]


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    result = pytester.runpytest_subprocess("--collect-only", "-q", *args)
    return [line for line in result.outlines if "::" in line]


def test_an_item_per_instance(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("privacy/a", [("Paris", True), ("Lyon", False)])
    assert collected(pytester, "repository") == IDS


def test_same_ids_from_the_document_itself(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("privacy/a", [("Paris", True), ("Lyon", False)])
    assert collected(pytester, "repository/privacy/a/test.json") == IDS
    assert collected(pytester, "repository/privacy") == IDS


def test_one_item_by_its_id(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("privacy/a", [("Paris", True), ("Lyon", False)])
    assert collected(pytester, IDS[1]) == [IDS[1]]


def test_several_models_are_part_of_the_id(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    found = collected(pytester, "--lve-model", "replay", "--lve-model", "dummy/dummy", "repository")
    assert found == [
        "repository/a/test.json::instances.jsonl[1][replay]",
        "repository/a/test.json::instances.jsonl[1][dummy/dummy]",
    ]


def test_verdicts(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)])
    result = pytester.runpytest_subprocess("repository")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*a/test.json:*: RegexChecker: *",
            "*model replay, instances/instances.jsonl line 2*",
            "*country = France 2*",
            "*user* What is the capital of France 2*",
            "*assistant* Lyon*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "lve/pytest_plugin" not in result.stdout.str()


def test_infrastructure_trouble_is_an_error(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    with model_server(401) as server:
        result = pytester.runpytest_subprocess(
            "repository", "--lve-model", "openai/m", "--lve-base-url", server.url
        )
    result.assert_outcomes(errors=1)
    assert "Traceback" not in result.stdout.str()


def test_expect_fail_is_a_strict_xfail(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Lyon", False), ("Paris", True)], expect="fail")
    result = pytester.runpytest_subprocess("repository")
    result.assert_outcomes(xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["*XPASS(strict)*known weakness*"])


def test_skip_gives_its_reason(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", skip="the provider is away")
    result = pytester.runpytest_subprocess("repository", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*the provider is away*"])


def test_invalid_folder_is_one_collection_error(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("good")
    write_test("bad", promt=[])
    result = pytester.runpytest_subprocess("repository", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*bad/test.json:*promt*"])
    assert "Traceback" not in result.stdout.str()


def test_tags_are_marks(pytester: pytest.Pytester, write_test: Write) -> None:
    tags = [{"name": "severity", "value": "high"}, {"name": "jailbreak", "value": "yes"}]
    write_test("a", tags=tags)
    write_test("b")
    for expression in ("severity_high", "jailbreak"):
        found = collected(pytester, "--strict-markers", "-m", expression, "repository")
        assert found == ["repository/a/test.json::instances.jsonl[1]"]


@pytest.mark.parametrize("word", ["privacy", "severity=high", "replay", "country=France", "high"])
def test_keywords_select(pytester: pytest.Pytester, write_test: Write, word: str) -> None:
    write_test("privacy/a", tags=[{"name": "severity", "value": "high"}])
    write_test(
        "other", model="dummy/dummy", prompt_parameters=["town"], prompt=[{"content": "{town}"}]
    )
    (pytester.path / "repository/other/instances/instances.jsonl").write_text(
        json.dumps({"args": {"town": "x"}, "response": "Paris", "passed": True, "run_info": {}})
    )
    if "=" in word:
        pytest.skip("pytest's -k takes words, not name=value")
    found = collected(pytester, "-k", word, "repository")
    assert found == ["repository/privacy/a/test.json::instances.jsonl[1]"]


def test_junit_has_the_facts(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.runpytest_subprocess("repository", "--junitxml", "out.xml")
    tree = ElementTree.parse(pytester.path / "out.xml")
    names = {p.get("name"): p.get("value") for p in tree.iter("property")}
    wanted = {
        "model",
        "repeats",
        "pass_rate",
        "pass_rate_low",
        "pass_rate_high",
        "tokens",
        "prompt_hash",
        "session",
    }
    assert wanted <= set(names)
    assert (names["model"], names["repeats"], names["pass_rate"]) == ("replay", "1", "1.0")


def test_last_failed(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)])
    pytester.runpytest_subprocess("repository")
    result = pytester.runpytest_subprocess("repository", "--lf")
    result.assert_outcomes(failed=1, deselected=1)


def test_reruns_are_refused(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.makeconftest(
        "def pytest_addoption(parser): parser.addoption('--reruns', type=int, default=0)"
    )
    result = pytester.runpytest_subprocess("repository", "--reruns", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--lve-repeats*"])


def test_large_data_sets_become_chunks(pytester: pytest.Pytester, write_test: Write) -> None:
    folder = write_test(
        "a",
        model="dummy/dummy",
        dataset="rows.csv",
        checker_args={"checker_name": "RegexChecker", "pattern": "Hello", "match_safe": True},
    )
    (folder / "instances" / "instances.jsonl").unlink()
    (folder / "rows.csv").write_text("country\n" + "".join(f"c{n}\n" for n in range(5)))
    found = collected(pytester, "-o", "lve_max_items=2", "repository")
    assert [line.partition("::")[2] for line in found] == [
        "rows-2-3",
        "rows-4-5",
        "rows-6-6",
    ]
    pytester.runpytest_subprocess("-o", "lve_max_items=2", "repository").assert_outcomes(passed=3)


def test_other_suites_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    folder = pytester.path / "fixtures"
    folder.mkdir()
    (folder / "test.json").write_text("[1, 2")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_opt_out(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    result = pytester.runpytest_subprocess("-p", "no:lve", "repository")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_paths_in_the_ini(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("in/a")
    write_test("out/b")
    pytester.makeini("[pytest]\nlve_paths = repository/in")
    assert collected(pytester, "repository") == ["repository/in/a/test.json::instances.jsonl[1]"]


def test_plugin_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    ours = sorted(m for m in sys.modules if m.split('.')[0] == 'lve')\n"
        "    assert ours == ['lve', 'lve.pytest_plugin', 'lve.pytest_plugin.options', 'lve.version']\n"
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_x_stops_sending(pytester: pytest.Pytester, write_test: Write, tmp_path: Path) -> None:
    write_test("a", [("Lyon", False)] * 3)
    result = pytester.runpytest_subprocess("repository", "-x")
    result.assert_outcomes(failed=1)


def test_a_checker_that_is_not_installed_skips_its_items(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    checker = {"checker_name": "ToxicityChecker", "toxicity_threshold": 0.5, "model": "no/such"}
    write_test("a", checker_args=checker)
    write_test("b")
    result = pytester.runpytest_subprocess("repository", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED *items.py*"])
