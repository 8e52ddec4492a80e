"""`.xml`: what CI systems read of it."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.recorded import recorded
from support.results import any_text, make_result, make_transcript, results

from lve.extensions.reports import junit
from lve.extensions.reports.junit import write_junit
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation
from lve.verdicts.recorded_session import RecordedSession

SCHEMA = Path(__file__).parents[2] / "cases" / "reports" / "junit.xsd"
RATE = Expectation("rate", ">=", 0.5)


@cache
def schema() -> Any:
    """The schema of CI systems: compiled for the first test, not by each process that collects."""
    return pytest.importorskip("xmlschema").XMLSchema(SCHEMA)


def document(*sessions: RecordedSession) -> Any:
    """Return the document's root, checked against the schema and its own counts."""
    file = io.BytesIO()
    write_junit(sessions, file)
    for session in sessions:
        session.close()
    text = file.getvalue().decode("utf-8")
    schema().validate(text)
    root = ElementTree.fromstring(text)
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        for name, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name, "")) == len(suite.findall(f"testcase/{element}"))
    return root


def outcomes(root: Any) -> list[str]:
    """Return the outcome of each case: `passed`, or the name of its element."""
    found = [next((child.tag for child in case), "passed") for case in root.iter("testcase")]
    return ["passed" if one == "system-out" else one for one in found]


def properties(suite: Any) -> dict[str, str]:
    return {one.get("name"): one.get("value") for one in suite.iter("property")}


@given(st.lists(results, max_size=3), any_text, any_text)
@settings(max_examples=examples(12))
def test_every_reader_takes_it_whatever_models_and_tests_say(
    given_results: list[Any], name: str, said: str
) -> None:
    tests = [
        SessionTest(r.test, r.model, description=said, document=name or None, tags=((name, said),))
        for r in given_results
    ]
    tests += [SessionTest(f"skipped{name}", skipped=said), SessionTest("bad", problems=(said,))]
    with TemporaryDirectory() as folder:
        root = document(recorded(Path(folder), given_results, tests))
    count = len(list(root.iter("testcase")))
    assert count >= len({(r.test, r.model, r.source, r.line, r.repeat) for r in given_results})


VERDICTS = ["passed", "failed", "error", "inconclusive"]


@pytest.mark.parametrize(
    ("expect", "advisory", "wanted"),
    [
        (Expectation(), False, ["passed", "failure", "error", "error"]),
        (Expectation("fail"), False, ["failure", "passed", "error", "error"]),
        (Expectation(), True, ["passed", "skipped", "error", "skipped"]),
        (RATE, False, ["passed", "passed", "error", "passed", "error"]),
    ],
)
def test_an_instance_has_passed_if_it_is_as_its_test_expects(
    tmp_path: Path, expect: Expectation, advisory: bool, wanted: list[str]
) -> None:
    made = [
        make_result(test="a", model="m", line=n, verdict=verdict, advisory=advisory)
        for n, verdict in enumerate(VERDICTS, 1)
    ]
    session = recorded(tmp_path, made, [SessionTest("a", "m", expect=expect)])
    assert outcomes(document(session)) == wanted


@pytest.mark.parametrize(("passed", "wanted"), [(20, "passed"), (0, "failure"), (10, "error")])
def test_a_pass_rate_has_a_case_of_its_own(tmp_path: Path, passed: int, wanted: str) -> None:
    made = [
        make_result(test="a", model="m", line=n, verdict="passed" if n <= passed else "failed")
        for n in range(1, 21)
    ]
    root = document(recorded(tmp_path, made, [SessionTest("a", "m", expect=RATE)]))
    assert outcomes(root) == ["passed"] * 20 + [wanted]
    last = root.findall(".//testcase")[-1]
    assert last.get("name") == "verdict [m]"
    assert "pass rate" in "".join(last.itertext())


def test_a_test_that_is_not_through_is_no_success(tmp_path: Path) -> None:
    root = document(
        recorded(tmp_path, [make_result(test="a", model="m")], status="interrupted", unfinished=[
            {"test": "a", "model": "m"}
        ])
    )  # fmt: skip
    assert outcomes(root) == ["passed", "error"]
    assert "unfinished: 1 done" in root.findall(".//error")[0].get("message")


def test_a_test_without_results_is_no_success(tmp_path: Path) -> None:
    root = document(recorded(tmp_path, [], [SessionTest("a", "m")]))
    assert outcomes(root) == ["error"]


def test_skipped_and_invalid_tests_are_suites(tmp_path: Path) -> None:
    tests = [SessionTest("a", skipped="later"), SessionTest("b", problems=("b.json:3:1: wrong",))]
    root = document(recorded(tmp_path, [], tests))
    assert outcomes(root) == ["error", "skipped"]
    assert root.findall(".//skipped")[0].get("message") == "later"
    assert root.findall(".//error")[0].get("message") == "b.json:3:1: wrong"


def test_a_test_with_a_bad_row_shows_its_results_and_what_is_wrong(tmp_path: Path) -> None:
    tests = [SessionTest("a", "m"), SessionTest("a", problems=("a/x.jsonl:3: no JSON",))]
    unfinished = [{"test": "a", "model": "m"}]
    made = [make_result(test="a", model="m")]
    root = document(recorded(tmp_path, made, tests, unfinished=unfinished))
    assert outcomes(root) == ["passed", "error", "error"]
    assert [suite.get("name") for suite in root] == ["a [m]", "a"]


def test_a_suite_says_what_a_reader_wants_to_know(tmp_path: Path) -> None:
    test = SessionTest(
        "privacy/names",
        "openai/m",
        document="privacy/names/test.yaml",
        description="no names",
        tags=(("severity", "high"),),
    )
    made = [
        make_result(
            test="privacy/names", line=n, repeat=n - 1, verdict=verdict, cost=0.25, latency_s=1.5,
            reason="found <Ann>",
        )
        for n, verdict in ((1, "passed"), (2, "failed"))
    ]  # fmt: skip
    session = recorded(tmp_path, made, [test])
    name = session.id
    [suite] = document(session)
    known = properties(suite)
    assert (known["session"], known["model"], known["served models"]) == (name, "openai/m", "m-1")
    assert (known["pass rate"], known["confidence"], known["judged"]) == ("0.5", "0.95", "2")
    assert 0 < float(known["pass rate low"]) < 0.5 < float(known["pass rate high"]) < 1
    assert (known["prompt tokens"], known["completion tokens"]) == ("6", "8")
    assert (known["cost in US dollars"], known["tag severity"]) == ("0.500000", "high")
    assert (suite.get("name"), suite.get("time")) == ("privacy/names [openai/m]", "3.000")
    case = suite.findall("testcase")[1]
    assert case.get("name") == "instances/x.jsonl:2 repeat 2 [openai/m]"
    assert (case.get("classname"), case.get("time")) == ("privacy.names", "1.500")
    assert case.get("file") == "privacy/names/test.yaml"
    [failure] = case
    assert (failure.get("message"), failure.get("type")) == ("found <Ann>", "failed")
    assert failure.text == "found <Ann>\n\n[user]\nhi\n\n[answer]\nhello"


def test_cases_of_several_sessions_are_told_apart(tmp_path: Path) -> None:
    one, two = (recorded(tmp_path, [make_result()]) for _ in range(2))
    names = [case.get("name") for case in document(one, two).iter("testcase")]
    assert len(set(names)) == 2


def test_a_failure_beyond_the_limit_is_short_and_a_passed_case_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(junit, "MAX_CASES", 3)
    monkeypatch.setattr(junit, "MAX_DETAILED", 2)
    made = [
        make_result(line=n, verdict="failed" if n % 2 else "passed", reason="r")
        for n in range(1, 9)
    ]
    [suite] = document(recorded(tmp_path, made))
    assert [case.text for case in suite.iter("failure")][2:] == ["r", "r"]
    assert (suite.get("tests"), suite.get("failures")) == ("5", "4")
    assert properties(suite)["passed cases left out"] == "3"


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\u202e", "\ufffe", "\uffff", "\r"])
def test_what_xml_has_not_is_spelled(tmp_path: Path, sign: str) -> None:
    made = [make_result(verdict="failed", reason=f"a{sign}b", responses=(f"c{sign}d",))]
    root = document(recorded(tmp_path, made))
    [failure] = root.iter("failure")
    spelled = (failure.get("message").removeprefix("a\\")).removesuffix("b")
    assert spelled.lstrip("xu") in (f"{ord(sign):02x}", f"{ord(sign):04x}", "r")
    assert sign not in failure.text


def test_long_texts_are_cut(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    result = make_result(
        verdict="failed", reason=long, responses=(long,), transcripts=(make_transcript(long, long),)
    )
    file = io.BytesIO()
    with recorded(tmp_path, [result]) as session:
        write_junit([session], file)
    assert len(file.getvalue()) < 20_000
    assert b"more characters" in file.getvalue()
