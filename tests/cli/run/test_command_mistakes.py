"""`lve run`: what is refused before anything is sent, where things are put, how a run is
continued from where one stands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import Result
from support.command_line import call, lve
from support.folders import workspace, write_sums, write_test
from support.server import model_server

from lve.errors import SessionError


def run(*args: str, code: int = 0) -> Result:
    return lve("run", *args, code=code)


@pytest.mark.parametrize(
    "name", ["messages", "model", "n", "stream", "timeout", "api_key", "base_url", "extra_headers"]
)
def test_a_reserved_model_arg(root: Path, name: str) -> None:
    write_test(root / "t")
    result = run("t", "--model-arg", f"{name}=1", code=2)
    assert f"`{name}`" in result.stderr
    assert not (root / ".lve").exists()


@pytest.mark.parametrize(
    "options",
    [
        *(("--timeout", value) for value in ("0", "-1", "nan", "inf")),
        *(("--deadline", value) for value in ("0", "nan")),
        *(("--temperature", value) for value in ("-0.1", "nan", "inf")),
        *(("--max-cost", value) for value in ("-1", "nan")),
        ("--repeats", "0"),
        ("-j", "0"),
    ],
)
def test_a_number_out_of_range(root: Path, options: tuple[str, str]) -> None:
    write_test(root / "t")
    result = run("t", *options, code=2)
    assert result.stdout == ""


def test_without_a_marker_the_root_is_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(tmp_path / "suite" / "t")
    monkeypatch.chdir(tmp_path)
    assert "suite/t" in run("suite/t").stdout
    assert (tmp_path / ".lve").is_dir()
    assert not (tmp_path / "suite" / "t" / ".lve").exists()
    run("--resume")


def test_without_a_marker_nothing_is_put_into_a_test_folder_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(tmp_path / "suite" / "t")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    run("../suite/t")
    assert not (tmp_path / "suite" / "t" / ".lve").exists()


@pytest.mark.parametrize("where", [(), ("--session-dir", "sessions")])
@pytest.mark.parametrize("marked", [True, False])
def test_the_printed_hint_continues_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marked: bool, where: tuple[str, ...]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    suite = tmp_path / "the suite"
    write_sums(suite / "t", 4, model="openai/test")
    if marked:
        workspace(suite)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with model_server() as server:
        first = run(
            "../the suite/t", "--base-url", server.url, "--max-requests", "1", *where, code=6
        )
        assert "not run: about 3 results" in first.stdout
        hint = re.search(r"go on with a higher limit: lve run (.*) --max-requests N", first.stdout)
        assert hint is not None
        second = run(*shlex.split(hint.group(1)), "--max-requests", "9")
    assert "4/4 passed" in second.stdout, second.output


def test_an_empty_folder_starts_no_session(root: Path) -> None:
    result = run(code=5)
    assert result.stdout == ""
    assert "no tests in this folder: name a test.json" in result.stderr
    assert "or start with `lve init`" in result.stderr
    assert not (root / ".lve").exists()


def test_nothing_had_failed(root: Path) -> None:
    write_test(root / "t")
    run("t")
    result = run("--last-failed", code=5)
    assert "nothing failed" in result.stderr


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"version": 99}'])
def test_a_stray_folder_among_the_sessions(root: Path, content: str | None) -> None:
    write_test(root / "t")
    run("t")
    stray = root / ".lve" / "runs" / "zzz"
    stray.mkdir()
    if content is not None:
        (stray / "session.json").write_text(content)
    resumed = run("--resume")
    assert ("passed over" in resumed.stderr) == (content is not None)
    lve("score", "last")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--instances", "mian"), "no file of --instances is in its instances folder (there: main"),
        (("--index", "4"), "--index 4 is too large (0 to 3 are there)"),
    ],
)
def test_why_no_instance_was_run(root: Path, options: tuple[str, str], reason: str) -> None:
    write_sums(root / "t", 4, model="replay")
    assert reason in run("t", *options, code=5).stdout


def test_parameters_without_instances(root: Path) -> None:
    write_sums(root / "t", 0, model="replay")
    (root / "t" / "instances" / "main.jsonl").unlink()
    assert "give -p a=VALUE -p b=VALUE, or add instances/" in run("t", code=5).stdout


@pytest.mark.parametrize("verb", ["run", "check"])
def test_instances_being_a_file(root: Path, verb: str) -> None:
    write_test(root / "t")
    (root / "t" / "instances").write_text("{}\n")
    assert "t/instances: must be a folder" in lve(verb, "t", code=2).output


def test_a_long_reason_is_whole_in_a_pipe(root: Path) -> None:
    reason = "call " * 60 + "0700-END"
    checker = {"checker_name": "RegexChecker", "pattern": "x", "match_safe": True}
    write_test(root / "t", default_model_args={"response": reason}, checker_args=checker)
    shown = run("t", "-v", code=1).stdout
    assert "0700-END" in shown


def test_one_error_is_no_errors(root: Path) -> None:
    write_sums(root / "t", 1, model="openai/test")
    with model_server(lambda _: 404) as server:
        shown = run("t", "--base-url", server.url, code=3).stdout
    assert "1 errors" not in shown
    assert "1 error" in shown
    assert "tried again" not in shown


@pytest.mark.parametrize(
    ("pattern", "match_safe", "warns"),
    [("(right||left)", False, True), ("(right|left)", False, False), ("(a||b)", True, False)],
)
def test_a_pattern_that_is_in_every_text(
    root: Path, pattern: str, match_safe: bool, warns: bool
) -> None:
    checker = {"checker_name": "RegexChecker", "pattern": pattern, "match_safe": match_safe}
    write_test(root / "t", checker_args=checker)
    assert ("matches the empty text" in lve("check", "t").output) == warns


def test_a_provider_without_a_name(root: Path) -> None:
    write_test(root / "t")
    result = run("t", "-m", "openai/", code=2)
    assert "did you mean" not in str(result.exception)
    assert "write openai/NAME" in str(result.exception)


def test_a_document_of_null(root: Path) -> None:
    write_test(root / "t")
    (root / "t" / "test.json").write_text("null")
    assert "must hold an object" in lve("check", "t", code=2).output


def test_a_checker_whose_import_is_missing_is_skipped(root: Path) -> None:
    folder = write_test(root / "t", checker_args={"checker_name": "C"})
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text("import no_such_package_at_all\nclass C: ...\n")
    result = run("t", "--trust", code=5)
    assert "needs the Python package 'no_such_package_at_all'" in result.stdout, result.output
    assert "1 skipped" in result.stdout
    assert "invalid" not in result.stdout


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("options", {"parameters": "a"}, "$.options.parameters: must be an object"),
        ("options", {"models": [1]}, "$.options.models[0]: must be text"),
        ("options", None, "$.options"),
        ("paths", 3, "$.paths: must be a list"),
    ],
)
@pytest.mark.parametrize("verb", [["run", "--resume"], ["run", "--last-failed"], ["score", "last"]])
def test_a_damaged_session_is_told_with_its_file(
    root: Path, verb: list[str], key: str, value: object, expected: str
) -> None:
    write_test(root / "t")
    run("t")
    (file,) = root.glob(".lve/runs/*/session.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    with pytest.raises(SessionError) as refused:
        call(*verb)
    assert f"{file} was damaged: {expected}" in str(refused.value)


def test_where_a_session_is_kept_is_said_if_it_is_elsewhere(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write_test(root / "t")
    assert "are kept in" not in run("t").stderr
    monkeypatch.chdir(folder)
    assert "are kept in" not in run(".").stderr
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    note = f"lve: sessions and cache are kept in {root / '.lve'}, where the tests are"
    assert note in run(str(folder)).stderr
    assert note in lve("record", str(folder), "--model", "dummy/dummy").stderr
    assert "are kept in" not in run(str(folder), "--session-dir", "mine").stderr
