"""The fixtures, `lve.params` and `lve.assert_passed` in tests that are written in Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


def test_lve_run_uses_the_options_of_the_session(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)])
    pytester.makepyfile(
        """
        def test_it(lve_run, lve_model):
            result = lve_run("repository/a")
            assert lve_model == "replay"
            assert [one.model for one in result.results] == ["replay"] * 2  # each answer once
            assert not result.passed
            assert result.folder.path.parent.parent.name == "state"

        def test_another_model(lve_run):
            assert lve_run("repository/a", model="dummy/dummy", keep=False).folder is None

        def test_a_double(lve_run):
            import lve

            model = lve.ScriptedModel(lambda request: "Paris", name="double")
            assert lve_run("repository/a", model=model).passed
            assert len(model.requests) == 4
        """
    )
    options = ["--lve-replay", "--lve-repeats=2", "--lve-session-dir=state", "-Wdefault"]
    file = "test_lve_run_uses_the_options_of_the_session.py"
    pytester.runpytest(file, *options).assert_outcomes(passed=3)


def test_lve_run_in_a_running_event_loop(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.makepyfile(
        """
        import asyncio

        def test_it(lve_run):
            async def call():
                return lve_run("repository/a"), await lve_run.arun("repository/a", keep=False)

            one, other = asyncio.run(call())
            assert one.passed and one.folder is not None
            assert other.passed and other.folder is None
        """
    )
    file = "test_lve_run_in_a_running_event_loop.py"
    pytester.runpytest(file, "--lve-replay").assert_outcomes(passed=1)


def test_lve_model_skips_where_there_is_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(lve_model): pass")
    result = pytester.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*--lve-model*"])


def test_params_and_assert_passed(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("good/a")
    write_test("bad/b", [("Lyon", False)])
    pytester.makepyfile(
        test_all="""
        import lve, pytest

        @pytest.mark.parametrize("case", lve.params("repository/**/test.json"))
        def test_case(case, lve_run):
            lve.assert_passed(lve_run(case, model="replay"))
        """
    )
    result = pytester.runpytest("test_all.py", "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "test_all.py::test_case[[]repository/bad/b[]] FAILED*",
            "test_all.py::test_case[[]repository/good/a[]] PASSED*",
            ">*lve.assert_passed(lve_run(case, model=*",
            "E*AssertionError: 1 test: 1 failed (exit code 1)",
            "*'Paris' doesn't occur in the response*",
            "*What is the capital of France 1?*",
            "*Lyon*",
        ]
    )
    assert "def assert_passed" not in str(result.stdout)


def test_lve_target_is_what_lve_run_tests(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def lve_target():
            def application(question):
                return "Paris"

            return application
        """
    )
    pytester.makepyfile(
        """
        def models(result):
            return {one.model for one in result.results}

        def test_it(lve_run, pytestconfig):
            chosen = pytestconfig.option.lve_model
            assert models(lve_run("repository/a")) == {chosen[0] if chosen else "application"}

        def test_the_call_names_another(lve_run):
            assert models(lve_run("repository/a", model="dummy/dummy")) == {"dummy/dummy"}
        """
    )
    file = "test_lve_target_is_what_lve_run_tests.py"
    pytester.runpytest(file).assert_outcomes(passed=2)
    pytester.runpytest(file, "--lve-model=replay").assert_outcomes(passed=2)
