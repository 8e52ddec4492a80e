"""What becomes of an item: passed, failed, error, xfail, skipped, a warning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.pytest_runs import run_apart
from support.server import model_server

Write = Callable[..., Path]
RATE = {"pass_rate": ">=0.9", "max_repeats": 30}
WARM = {"default_model_args": {"temperature": 1}}
ALLOWED = ("--lve-limit=1", "--lve-allow-inconclusive")
"""With fewer instances than a test has, it isn't refused for deciding too little."""


def test_a_failure_shows_transcript_reason_and_place(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)])
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*a/test.json:*: RegexChecker: *",
            "*model replay, instances/instances.jsonl:2, failed as recorded",
            "*country = France 2*",
            "*[[]user[]]*",
            "*What is the capital of France 2*",
            "*[[]assistant[]] (answer)",
            "*Lyon*",
            "FAILED repository/a/test.json::instances.jsonl[[]2[]] - *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin" not in result.stdout.str()


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "no", "auto"])
def test_no_style_shows_the_plugin(
    pytester: pytest.Pytester, write_test: Write, style: str
) -> None:
    write_test("a", [("Lyon\x1b[31m", False)])
    result = pytester.runpytest("repository", f"--tb={style}")
    result.assert_outcomes(failed=1)
    assert "pytest_plugin" not in result.stdout.str()
    assert "\x1b[31m" not in result.stdout.str()


def test_infrastructure_trouble_is_an_error(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    with model_server(401) as server:
        result = pytester.runpytest(
            "repository", "--lve-model", "openai/m", "--lve-base-url", server.url
        )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["repository/a/test.json: 401: *"])  # no checker has said so
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin" not in result.stdout.str()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"model": "no-such-model"}, "*no-such-model*"),
        ({"model": None}, "*names no model*--lve-model*"),
    ],
)
def test_a_test_that_cannot_run_is_an_error_of_its_own(
    pytester: pytest.Pytester, write_test: Write, keys: dict[str, object], message: str
) -> None:
    write_test("bad", **keys)
    write_test("good")
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([message])
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin" not in result.stdout.str()


@pytest.mark.parametrize("more", [[], ["-n1"]])
def test_a_test_whose_checker_is_not_trusted_is_skipped(
    pytester: pytest.Pytester, write_test: Write, more: list[str]
) -> None:
    foreign = write_test("foreign", checker_args={"checker_name": "OwnChecker"})
    (foreign / "checker").mkdir()
    (foreign / "checker" / "checker.py").write_text(
        "raise SystemError('ran')\nclass OwnChecker: ..."
    )
    write_test("good")
    result = pytester.runpytest("repository", *more)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["lve: skipped repository/foreign: its checker 'OwnChecker' *is not trusted*--lve-trust*"]
    )


def test_errors_cost_no_formatting_of_tracebacks(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes 80 ms each, and nobody gets to see them."""
    write_test("a", [("Paris", True)] * 3)
    pytester.makeconftest(
        """
        import pathlib
        import shutil

        def pytest_runtestloop():
            shutil.rmtree(pathlib.Path("state"))
            pathlib.Path("state").touch()

        def pytest_runtest_makereport(item, call):
            if call.excinfo:
                item.user_properties.append(("depth", len(call.excinfo.traceback)))
        """
    )
    monkeypatch.setattr(pytest.ExceptionInfo, "getrepr", None)
    result = pytester.runpytest("repository", "--lve-session-dir=state", "--junitxml=x.xml")
    result.assert_outcomes(errors=3)
    found = ElementTree.parse(pytester.path / "x.xml").iterfind(".//property[@name='depth']")
    depths = {one.get("value") for one in found}
    assert len(depths) == 1, "a shared exception doesn't get longer with each item"


def test_expect_fail_is_a_strict_xfail(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Lyon", False), ("Paris", True)], expect="fail")
    result = pytester.runpytest("repository")
    result.assert_outcomes(xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["*[[]assistant[]] (answer)", "*Paris", "*XPASS(strict)*"])


def test_one_repeat_that_passes_breaks_expect_fail(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", expect="fail")
    with model_server(["Lyon", "Paris", "Lyon"]) as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}", "--lve-repeats=3"]
        result = pytester.runpytest("repository", *arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1 of 3 passed*"])


def test_an_error_is_no_known_weakness(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", expect="fail")
    with model_server(401) as server:
        result = pytester.runpytest("--lve-model=openai/m", f"--lve-base-url={server.url}")
    result.assert_outcomes(errors=1)


def test_runxfail_forgets_expectations(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Lyon", False), ("Paris", True)], expect="fail")
    pytester.runpytest("--runxfail").assert_outcomes(failed=1, passed=1)


def test_skip_gives_its_reason(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", skip="the provider is away")
    result = pytester.runpytest("repository", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*the provider is away*"])


def test_a_checker_whose_model_is_missing_skips_its_items(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    checker = {"checker_name": "ToxicityChecker", "toxicity_threshold": 0.5, "model": "no/such"}
    write_test("a", checker_args=checker)
    write_test("b")
    result = pytester.runpytest("repository", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED *a/test.json*'no/such' is not on this machine*"])


def test_inconclusive_is_a_failure_and_a_warning_where_it_is_allowed(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", expect=RATE)
    result = pytester.runpytest("repository", "--lve-limit=1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED *inconclusive: pass rate*"])
    result = pytester.runpytest("repository", *ALLOWED, "-W", "default")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*InconclusiveWarning*a/test.json*inconclusive: pass rate*"])


def test_a_rate_that_can_never_be_met_is_an_error_of_the_test(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", expect={"pass_rate": ">=0.9", "max_repeats": 10})
    result = pytester.runpytest("repository")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*a/test.json*$.expect: can't be met with 1 row*"])
    pytester.runpytest("repository", "--lve-replay").assert_outcomes(errors=1)


def test_the_end_says_what_passed_rates_are(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", [("Paris", True)] * 9, expect={"pass_rate": ">=0.5"})
    result = pytester.runpytest("repository", "--lve-replay")
    said = "pass rate 9/9 = 1 (at least 0.716 with 95 % confidence)"
    result.stdout.fnmatch_lines([f"lve: *a/test.json::pass-rate: {said}*"])


def test_a_failed_rate_says_what_its_repeats_tell(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", [("Paris", True), ("Lyon", False)] * 3, expect={"pass_rate": ">=0.9"})
    with model_server(["Paris", "Lyon", "Lyon"] * 99) as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}", "--lve-repeats=2"]
        result = pytester.runpytest("repository", *arguments, "--junitxml=report.xml", "-v")
        short = pytester.runpytest("repository", *arguments)
    result.assert_outcomes(failed=1)
    for word in ("rows like", "pass@", "always passed"):
        short.stdout.no_fnmatch_line(f"*{word}*")
    result.stdout.fnmatch_lines(["*rows like these 0.333 (95 % interval *from 6 rows"])
    result.stdout.fnmatch_lines(["*rows: * always passed, * always failed, * flaky*"])
    result.stdout.fnmatch_lines(["*of 2 answers: any passes * (pass@2), *"])
    report = (pytester.path / "report.xml").read_text(encoding="utf-8")
    for name in ("population_rate_low", "flaky_instances", "pass_at_2", "g_pass_at_2", "decision"):
        assert f'property name="{name}"' in report


def test_warnings_as_errors_show_no_plugin(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", expect=RATE)
    result = pytester.runpytest("repository", *ALLOWED, "-W", "error")
    result.assert_outcomes(failed=1)
    assert "pytest_plugin" not in result.stdout.str()


def test_repeats_of_a_rate_end_as_in_lve_run(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a", expect={"pass_rate": ">=0.5", "max_repeats": 30}, **WARM)
    with model_server("Paris") as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}"]
        pytester.runpytest("repository", *arguments).assert_outcomes(passed=1)
    assert 1 < len(server.requests) < 30


def test_a_rate_that_was_looked_at_often_is_judged_more_strictly(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", expect={"pass_rate": ">=0.8", "max_repeats": 17}, **WARM)
    with model_server("Paris") as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}", "--lve-limit=1"]
        result = pytester.runpytest("repository", *arguments)
    # All right. 17 are enough if one looks only at the end; if not, nothing can decide any more.
    assert len(server.requests) == 12
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED *a/test.json*inconclusive: pass rate 12/12*"])


def test_repeats_live_inside_an_item(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    with model_server(["Paris", "Lyon", "Paris"]) as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}", "--lve-repeats=3"]
        result = pytester.runpytest("repository", *arguments, "--lve-max-connections=1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*instances.jsonl:1 (country=France 1) (repeat 2): failed: *"])


def test_junit_has_the_facts(pytester: pytest.Pytester, write_test: Write) -> None:
    write_test("a")
    price = "models: {openai/m: {price: {input: 1.0, output: 2.0}}}"
    (pytester.path / "lve.yaml").write_text(price)
    with model_server("Paris") as server:
        arguments = ["--lve-model=openai/m", f"--lve-base-url={server.url}", "--lve-repeats=2"]
        pytester.runpytest("repository", "--junitxml", "out.xml", *arguments)
    tree = ElementTree.parse(pytester.path / "out.xml")
    facts = {p.get("name"): p.get("value") for p in tree.iter("property")}
    assert (facts["model"], facts["repeats"], facts["pass_rate"]) == ("openai/m", "2", "1.0")
    assert 0 < float(facts["pass_rate_low"] or 0) < float(facts["pass_rate_high"] or 0) == 1.0
    assert int(facts["tokens"] or 0) > 0
    assert float(facts["cost"] or 0) > 0
    assert len(facts["prompt_hash"] or "") == 16
    assert (pytester.path / ".lve" / "runs" / str(facts["session"])).is_dir()


@pytest.mark.parametrize("where", ["--reruns=2", "-oreruns=2", "marker"])
def test_reruns_are_refused(pytester: pytest.Pytester, write_test: Write, where: str) -> None:
    pytest.importorskip("pytest_rerunfailures")
    write_test("a", tags=[{"name": "flaky", "value": "yes"}])
    hook = "def pytest_collection_modifyitems(items):\n    [i.add_marker('flaky') for i in items]"
    if where == "marker":
        pytester.makeconftest(hook)
    more = [where] if where != "marker" else []
    result = pytester.runpytest("repository", "-p", "rerunfailures", *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--lve-repeats*"])


def test_reruns_of_other_tests_are_none_of_our_business(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_rerunfailures")
    pytester.makepyfile("n = []\ndef test_it():\n    n.append(1)\n    assert len(n) == 2")
    run_apart(pytester, "-p", "rerunfailures", "--reruns=2").assert_outcomes(passed=1)


def test_a_crash_of_a_checker_says_how_to_judge_again(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", checker_args={"checker_name": "LambdaChecker", "func": "lambda r: int(r) > 1"})
    result = pytester.runpytest("repository", "--lve-session-dir=o")
    result.stdout.fnmatch_lines(["lve: a checker couldn't judge: *lve score 2* --session-dir o"])
    fine = pytester.runpytest("repository", "-k", "nothing")
    fine.stdout.no_fnmatch_line("*lve score*")


def test_a_pass_rate_without_temperature_is_counted(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    answers = [("Paris", True)] * 3 + [("Lyon", False)]
    cold = {"temperature": 0}
    write_test("a", answers, expect={"pass_rate": 0.7}, default_model_args=cold)
    result = pytester.runpytest("repository", "--lve-replay")
    result.assert_outcomes(passed=1)
    counted = "counted, because repeats would be alike"
    result.stdout.fnmatch_lines([f"lve: *3 of 4 passed (75%), expected at least 70% ({counted})"])


def test_errors_that_the_test_allows_are_no_errors_of_pytest(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    for name, most in (("a", 1), ("b", 0)):
        expect = {"at_least": 0.5, "max_errors": most}
        crash = {"checker_name": "LambdaChecker", "func": "lambda r: 1 // (r != 'Lyon') == 1"}
        answers = [("Lyon", True), ("Paris", True), ("Paris", True)]
        write_test(name, answers, expect=expect, checker_args=crash)
    pytester.runpytest("repository/a", "--lve-replay").assert_outcomes(passed=1)
    pytester.runpytest("repository/b", "--lve-replay").assert_outcomes(passed=1, errors=1)
