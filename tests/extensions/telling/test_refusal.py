"""`--json`: also a verb that is refused prints one JSON document on stdout, and nothing else."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from extensions.telling.leaves import leaves
from support.folders import workspace, write_test
from support.forked import python

from lve.cli.main import cli
from lve.cli.printing import KeylessStream
from lve.errors import Problem, SpecError
from lve.exit_code import ExitCode
from lve.extensions.telling.refusal import print_refusal

SILENT = {"view", "watch", "new", "help", "completion"}
"""Verbs without `--json`, or with another meaning of it."""
VERBS = [words for words, _ in leaves(cli) if words not in SILENT]
MISTAKES = {
    "an option that there isn't": ("--nothing-like-this",),
    "too many words": ("nothing/like/this", "a", "b", "c", "d"),
    "a path that there isn't": ("nothing/like/this",),
    "a folder that can't be": ("/proc/nothing/like/this",),
    "a wrong test": ("wrong",),
    "nothing at all": (),
}
NEEDS = {
    "attacks": ("nothing-like-this",),
    "calibrate": ("{contains: x}", "nothing.jsonl"),
    "import": ("promptfoo", "nothing.yaml", "-o", "out"),
    "report": ("last", "-o", "out.nothing"),
    "session merge": ("last", "nothing"),
    "site build": ("wrong", "-o", "/proc/nothing"),
}
"""Verb -> words with which it reads its arguments, and finds them wrong."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a wrong test, and no git repository."""
    workspace(tmp_path)
    write_test(tmp_path / "wrong", description=None, describtion="x")
    return tmp_path


def run(root: Path, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal."""
    return subprocess.run(
        [*python(), "-m", "lve", *words],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


@pytest.mark.parametrize("verb", VERBS)
def test_stdout_is_one_document(verb: str, root: Path) -> None:
    tries = {**MISTAKES, "what it needs": NEEDS.get(verb, ())}
    refused = 0
    for mistake, words in tries.items():
        done = run(root, *verb.split(), *words, "--json")
        said = f"{verb} {words}, {mistake}: {done}"
        document = parsed(done.stdout, said)
        assert "Traceback" not in done.stderr, said
        if isinstance(document, dict) and "error" in document:
            refused += 1
            assert document["exit_code"] == done.returncode != 0, said
            assert document["error"]["message"].split("\n")[0] in done.stderr, said
            assert document["error"]["code"] in done.stderr, said
    assert refused, f"{verb} was never refused"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nothing-like-this",), "usage"),
        (("session", "nothing-like-this"), "usage"),
        (("session",), "usage"),
        (("view",), "usage"),
        (("run", "tests", "--model", "dummy/dummy", "-o", "a/b/c.nothing"), "output_file"),
    ],
)
def test_words_that_name_no_verb_too(words: tuple[str, ...], code: str, root: Path) -> None:
    done = run(root, *words, "--json")
    document = parsed(done.stdout, str(done))
    assert (document["error"]["code"], document["exit_code"]) == (code, done.returncode)


@pytest.mark.parametrize("verb", VERBS)
def test_wrong_settings_are_told_with_their_place(verb: str, root: Path) -> None:
    (root / "lve.yaml").write_text("modle: x\nmodels: 3\n", encoding="utf-8")
    done = run(root, *verb.split(), *NEEDS.get(verb, ()), "--json")
    document = parsed(done.stdout, str(done))
    if isinstance(document, dict) and document.get("error", {}).get("code") == "settings":
        assert "lve.yaml:1:1" in document["error"]["message"]


def test_each_problem_of_a_document_has_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    problem = Problem("is missing", Path("t/test.json"), 1, 2, code="missing_key")
    print_refusal(SpecError([problem]), 2, ["run", "--json"])
    document = parsed(capsys.readouterr().out, "")
    assert document["error"]["code"] == "missing_key"
    assert [(told["file"], told["column"]) for told in document["problems"]] == [("t/test.json", 2)]


@pytest.mark.parametrize(
    ("error", "says"), [(click.Abort(), "nobody is asked"), (KeyboardInterrupt(), "interrupted")]
)
def test_what_was_not_finished_is_told(
    error: BaseException, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_refusal(error, ExitCode.interrupted, ["record", "t", "--json"])
    document = parsed(capsys.readouterr().out, "")
    assert says in document["error"]["message"]
    assert document["meaning"] == "interrupted"


def test_what_comes_after_the_options_is_no_option(root: Path) -> None:
    assert run(root, "check", "--", "--json").stdout == ""


def test_the_json_of_a_new_test_is_a_format(root: Path) -> None:
    assert run(root, "new", "nothing", "--from", "nothing", "--json").stdout == ""


def parsed(text: str, said: str) -> Any:
    """Return what a verb printed, which must be one document."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pytest.fail(said)


def test_a_document_that_is_there_gets_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = io.StringIO()
    stream = KeylessStream(behind)
    monkeypatch.setattr("sys.stdout", stream)
    print_refusal(KeyboardInterrupt(), 130, ["run", "--json"])
    assert parsed(behind.getvalue(), "")["exit_code"] == 130
    print_refusal(KeyboardInterrupt(), 130, ["run", "--json"])
    assert parsed(behind.getvalue(), "")["exit_code"] == 130
