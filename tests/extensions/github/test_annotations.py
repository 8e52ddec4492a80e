"""What GitHub reads: workflow commands and the summary of a step."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.recorded import recorded
from support.results import make_result

from lve.errors import UsageError
from lve.extensions.github.annotations import (
    MAX_ANNOTATIONS,
    MAX_SUMMARY_BYTES,
    annotation_lines,
    append_summary,
)
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation

TEXTS = json.loads((Path(__file__).parents[2] / "cases" / "reports" / "texts.json").read_text())
DOCUMENT = "description: d\nprompt: [{content: hi}]\n\ncheck: {contains: x}\nexpect: fail\n"
COMMAND = re.compile(r"::(error|warning) ((?:\w+=[^,:\r\n]*)(?:,\w+=[^,:\r\n]*)*)::([^\r\n]*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """Read a workflow command as the runner does."""
    found = COMMAND.fullmatch(line)
    assert found, line
    properties = dict(part.split("=", 1) for part in found[2].split(","))
    for name, value in properties.items():
        properties[name] = value.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    return found[1], properties, found[3].replace("%25", "%")


def lines(root: Path, made: list[InstanceResult], *tests: SessionTest) -> list[str]:
    with recorded(root / ".lve", made, tests) as session:
        return annotation_lines([session], root, {"GITHUB_WORKSPACE": str(root.parent)})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo" / "a").mkdir(parents=True)
    (tmp_path / "repo" / "a" / "test.yaml").write_text(DOCUMENT)
    return tmp_path / "repo"


def failed(**more: object) -> InstanceResult:
    return make_result(test="a", model="m", verdict="failed", reason="found no x", **more)


@pytest.mark.parametrize(("kind", "line"), [("pass", "4"), ("rate", "5")])
def test_a_failure_stands_at_the_line_that_says_what_should_come_out(
    root: Path, kind: str, line: str
) -> None:
    expect = Expectation("rate", ">=", 0.9) if kind == "rate" else Expectation()
    made = [failed(line=n) for n in range(1, 40)]
    [told] = lines(root, made, SessionTest("a", "m", document="a/test.yaml", expect=expect))
    level, properties, message = read(told)
    assert level == "error"
    assert properties == {"file": "repo/a/test.yaml", "line": line, "title": "lve: a failed (m)"}
    assert "instances/x.jsonl:1: found no x" in message


def test_what_is_as_expected_is_not_annotated(root: Path) -> None:
    weakness = SessionTest("a", "m", document="a/test.yaml", expect=Expectation("fail"))
    assert lines(root, [failed()], weakness) == []


def test_advice_and_what_could_not_be_decided_are_warnings(root: Path) -> None:
    test = SessionTest("a", "m", document="a/test.yaml")
    assert read(lines(root, [failed(advisory=True)], test)[0])[0] == "warning"
    rate = SessionTest("a", "m", document="a/test.yaml", expect=Expectation("rate", ">=", 0.5))
    assert read(lines(root, [failed()], rate)[0])[0] == "warning"


def test_an_invalid_test_stands_where_its_problem_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    test = SessionTest("b", problems=("b/test.yaml:3:7: $.prompt: wrong: very",))
    level, properties, message = read(lines(root, [], test)[0])
    assert (level, properties["file"], properties["line"]) == ("error", "repo/b/test.yaml", "3")
    assert message == "$.prompt: wrong: very"
    told = lines(root, [], SessionTest("c", problems=("it has no document",)))[0]
    assert "file" not in read(told)[1]
    monkeypatch.chdir("/")
    assert "file" not in read(lines(root, [], test)[0])[1], "it isn't in the checkout"


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_stay_inside_of_a_command(root: Path, text: str) -> None:
    made = make_result(test=text, model=text, source=text, verdict="failed", reason=text)
    test = SessionTest(text, text, document=text)
    for line in lines(root, [made], test, SessionTest(f"i{text}", problems=(text,))):
        assert line.isprintable()
        assert read(line)[1].keys() <= {"file", "line", "title"}


@pytest.mark.parametrize(
    "document",
    ["../outside/test.yaml", "/etc/passwd", "a/../../outside/test.yaml", "link/test.yaml"],
)
def test_nothing_outside_of_the_workspace_is_read(root: Path, document: str) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "test.yaml").write_text(DOCUMENT)
    (root / "link").symlink_to(outside)
    [told] = lines(root, [failed()], SessionTest("a", "m", document=document))
    wanted = {"title", "file"} if document.startswith("link") else {"title"}
    assert read(told)[1].keys() == wanted


@pytest.mark.parametrize("text", [None, "", "[not a mapping]", "a: [", "description: d\n"])
def test_a_document_that_has_changed_or_gone_costs_only_the_line(
    root: Path, text: str | None
) -> None:
    file = root / "a" / "test.yaml"
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    [told] = lines(root, [failed()], SessionTest("a", "m", document="a/test.yaml"))
    assert read(told)[1]["file"] == "repo/a/test.yaml"


def test_more_than_github_shows_are_counted_in_the_last(root: Path) -> None:
    made = [make_result(test=f"t{n}", model="m", verdict="failed") for n in range(25)]
    told = lines(root, made)
    assert len(told) == MAX_ANNOTATIONS
    assert read(told[-1])[2] == "16 more tests like these; the step's summary has them"
    assert len(lines(root, made[:10])) == 10
    assert "more" not in lines(root, made[:10])[-1]


def test_a_long_reason_is_cut(root: Path) -> None:
    told = lines(root, [make_result(test="a", model="m", verdict="failed", reason="x" * 10**6)])
    assert len(told[0]) < 2000


def test_the_summary_is_appended_within_its_limit(root: Path) -> None:
    file = root / "summary.md"
    file.write_text("# another command's\n")
    with recorded(root / ".lve", [failed()]) as session:
        append_summary([session], file)
        assert file.read_text().startswith("# another command's\n<!-- lve report -->")
        for before in (MAX_SUMMARY_BYTES - 5000, MAX_SUMMARY_BYTES, 2 * MAX_SUMMARY_BYTES):
            file.write_bytes(b"x" * before)
            append_summary([session], file)
            assert file.stat().st_size <= max(MAX_SUMMARY_BYTES, before)


def test_a_summary_that_cannot_be_written_is_one_sentence(root: Path) -> None:
    with (
        recorded(root / ".lve", []) as session,
        pytest.raises(UsageError, match="can't be written"),
    ):
        append_summary([session], root / "gone" / "summary.md")
