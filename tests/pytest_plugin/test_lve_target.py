"""The fixture `lve_target` for test folders that pytest collects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lve.sessions.session_folder import SessionFolder

Write = Callable[..., Path]

APPLICATION = """
import pytest

calls = []

@pytest.fixture(scope="session")
def lve_target():
    def application(question):
        return "Paris" if "France 1" in question else "Lyon"

    calls.append(1)
    yield application
    print("closed after", len(calls))
"""


def models_in(state: Path) -> set[str]:
    (folder,) = (state / "runs").iterdir()
    return {result.model for result in SessionFolder(folder).results()}


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("repository", "--lve-session-dir=state", *options)


def test_a_function_is_asked_in_collected_folders(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a")
    write_test("deep/b", [("x", True), ("y", True)])
    pytester.makeconftest(APPLICATION)
    result = run(pytester, "-s", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*closed after 1*", "*model application*", "*Lyon*"])
    assert models_in(pytester.path / "state") == {"application"}


def test_the_workers_of_xdist_ask_it_too(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("x", True), ("y", True)])
    pytester.makeconftest(APPLICATION)
    run(pytester, "-n2").assert_outcomes(passed=1, failed=1)
    assert models_in(pytester.path / "state") == {"application"}


@pytest.mark.parametrize(
    ("option", "model"), [("--lve-model=dummy/dummy", "dummy/dummy"), ("--lve-replay", "replay")]
)
def test_the_command_line_is_stronger(
    pytester: pytest.Pytester, write_test: Write, option: str, model: str
) -> None:
    write_test("a")
    pytester.makeconftest(APPLICATION)
    run(pytester, option)
    assert models_in(pytester.path / "state") == {model}


def test_a_conftest_is_stronger_than_the_ini_and_may_name_a_model(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a")
    pytester.makeini("[pytest]\nlve_model = openai/other")
    pytester.makeconftest(TARGET.format(scope="session", body="return 'replay'"))
    run(pytester).assert_outcomes(passed=1)
    assert models_in(pytester.path / "state") == {"replay"}


def test_each_folder_has_the_target_of_its_conftest(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    for name in ("one", "two"):
        write_test(f"{name}/a")
        body = f"def {name}(question): return 'Paris'\n    return {name}"
        conftest = TARGET.format(scope="session", body=body)
        (pytester.path / "repository" / name / "conftest.py").write_text(conftest)
    write_test("three/a")
    run(pytester, "-o", "lve_model=replay").assert_outcomes(passed=3)
    assert models_in(pytester.path / "state") == {"one", "two", "replay"}


TARGET = """
import pytest

@pytest.fixture(scope="{scope}")
def lve_target():
    {body}
"""


@pytest.mark.parametrize(
    ("scope", "body", "outcomes", "lines"),
    [
        ("function", "return len", {"errors": 1}, ['*write @pytest.fixture(scope="session")*']),
        ("session", "return 3", {"errors": 2}, ["*model must be a name, a function or*, not int*"]),
        ("session", "return ['replay', 'dummy/dummy']", {"errors": 2}, ["*names 2 models*"]),
        ("session", "return None", {"errors": 2}, ["*returns None, and no model is named*"]),
        ("session", "raise ValueError('no server')", {"errors": 2}, ["E*ValueError: no server"]),
        ("session", "pytest.skip('no server')", {"skipped": 2}, ["*no server*"]),
    ],
)
def test_what_cannot_be_asked(
    pytester: pytest.Pytester,
    write_test: Write,
    scope: str,
    body: str,
    outcomes: dict[str, int],
    lines: Sequence[str],
) -> None:
    write_test("a", [("x", True), ("y", True)], model=None)
    pytester.makeconftest(TARGET.format(scope=scope, body=body))
    result = run(pytester, "-rs")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(lines)
    assert "Traceback" not in str(result.stdout)


def test_a_parametrized_fixture_is_refused(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.makeconftest(
        "import pytest\n"
        "@pytest.fixture(scope='session', params=['x', 'y'])\n"
        "def lve_target(request): return request.param\n"
    )
    run(pytester).stdout.fnmatch_lines(["*the fixture lve_target has params*"])


def test_what_is_expected_of_it_alone_holds(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("x", True)], model=None, models=[{"model": "application", "repeats": 3}])
    pytester.makeconftest(APPLICATION)
    run(pytester).assert_outcomes(passed=1)
    (folder,) = (pytester.path / "state" / "runs").iterdir()
    assert len([*SessionFolder(folder).results()]) == 3


def test_an_expectation_that_comes_too_late_is_refused(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", model=None, models=[{"model": "application", "expect": "fail"}])
    pytester.makeconftest(APPLICATION)
    result = run(pytester)
    result.stdout.fnmatch_lines(["*expects something else of application than*--lve-model*"])


def test_nothing_is_called_where_tests_are_only_listed(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a")
    pytester.makeconftest(TARGET.format(scope="session", body="raise SystemExit('called')"))
    result = run(pytester, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["repository/a/test.json::instances.jsonl*"])
    assert "called" not in str(result.stdout)
