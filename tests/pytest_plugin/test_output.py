"""`--lve-output`: reports of a pytest session."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.pytest_runs import against
from support.server import model_server

Write = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("tests")


@pytest.fixture
def tests(write_test: Write) -> None:
    write_test("a", [("Paris", True)] * 3)
    write_test("b", [("Paris", True)] * 2, expect="fail")


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_reports_are_written_at_the_end(pytester: pytest.Pytester, workers: list[str]) -> None:
    with model_server("Paris") as server:
        asked = ["--lve-output=out/a.csv", "--lve-output=a.xml", *workers]
        result = pytester.runpytest(*against(server.url, *asked))
    result.stdout.fnmatch_lines(["lve: wrote out/a.csv", "lve: wrote a.xml"])
    found = rows(pytester.path / "out" / "a.csv")
    assert len(found) == 5
    assert [row["as_expected"] for row in found] == ["true"] * 3 + ["false"] * 2
    assert 'failures="2"' in (pytester.path / "a.xml").read_text()


def test_a_report_that_cannot_be_written_stops_before_the_first_test(
    pytester: pytest.Pytester,
) -> None:
    for workers in ([], ["-n1"]):
        with model_server("Paris") as server:
            result = pytester.runpytest(*against(server.url, "--lve-output=a.docx", *workers))
            assert server.requests == []
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        told = result.stdout.str() + result.stderr.str()
        assert "--lve-output: no report has the suffix '.docx'" in told
        assert "Traceback" not in told


def test_a_report_that_cannot_be_written_any_more_fails_the_run(
    pytester: pytest.Pytester, tests: None
) -> None:
    """Its place is taken while the tests run."""
    pytester.makeconftest(
        "from pathlib import Path\n"
        "def pytest_collection_finish(session):\n"
        "    Path('a.csv').unlink(missing_ok=True)\n"
        "    Path('a.csv').mkdir()\n"
    )
    shutil.rmtree(pytester.path / "repository" / "b")  # the only test that fails
    with model_server("Paris") as server:
        result = pytester.runpytest(*against(server.url, "--lve-output=a.csv"))
    assert result.parseoutcomes() == {"passed": 3}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["lve: *a.csv*"])
    assert "wrote" not in result.stdout.str()


def test_without_tests_of_models_there_is_no_report(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest(file, "--lve-output=a.csv")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["lve: no report is written, because no test of a model ran"])
    assert not (pytester.path / "a.csv").exists()


def test_an_ini_file_that_came_with_tests_writes_nothing(pytester: pytest.Pytester) -> None:
    folder = pytester.path / "contributed"
    folder.mkdir()
    (pytester.path / "repository" / "a").rename(folder / "a")
    (folder / "pytest.ini").write_text("[pytest]\nlve_output = owned.csv\n")
    pytester.runpytest("contributed", "--lve-replay")
    assert not list(pytester.path.rglob("owned.csv"))
