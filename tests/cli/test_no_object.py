"""Documents whose top level is no object, through every command: a sentence, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from support.command_line import lve
from support.folders import write_test

from lve.cli.verbs import VERBS
from lve.errors import LveError

VALUES = ("[1, 2]", "7", "null", "", '"a"', "true", '[{"a": 1}]')
COMMANDS: dict[str, tuple[str, ...]] = {
    "init": (".",),
    "new": ("tests/n", "--description", "x"),
    "run": ("tests", "--no-cache"),
    "check": ("tests",),
    "render": ("tests",),
    "show": ("tests",),
    "report": ("last", "-o", "r.html"),
    "merge": ("last", "last"),
    "sessions": (),
    "view": ("nothing-like-this",),
    "compare": ("last", "last"),
    "export": ("avid", "last"),
    "baseline": ("update", "last"),
    "list": ("tests",),
    "models": (),
    "plugins": (),
    "import": ("promptfoo", "promptfooconfig.yaml", "-o", "out"),
    "record": ("tests/t",),
    "score": ("last",),
    "calibrate": ("last",),
    "site": ("build", "tests", "-o", "out-site"),
    "unit-test": ("tests",),
    "readme": ("tests/t",),
    "status": (),
    "commit": ("tests/t",),
    "pr": (),
    "doctor": (),
    "explain": ("syntax",),
    "attacks": ("base64", "x"),
    "cache": ("stats",),
    "prompt": ("show", "tests/v/p.json"),
    "schema": ("--editor", "vscode"),
    "completion": ("bash",),
    "watch": ("nothing-like-this",),
    "session": ("list",),
    "contrib": ("status",),
    "help": (),
}
"""Verb -> arguments with which it reads as much as it can."""
MORE = (
    ("run", "--resume", "last"),
    ("run", "tests", "--dry-run"),
    ("run", "tests", "--show-config"),
    ("run", "tests", "--failed-in", "last"),
    ("run", "tests", "--model", "replay"),
    ("check", "--contribute", "tests"),
    ("check", "--replay", "tests"),
    ("compare", "lve-baseline.json", "last"),
    ("show", "last"),
)
FILES: dict[str, tuple[tuple[str, ...], ...]] = {
    "lve.yaml": (*((verb, *COMMANDS[verb]) for verb in VERBS), *MORE),
    "pyproject.toml": (("check", "tests"), ("run", "tests", "--no-cache"), ("doctor",)),
    "suite.yaml": (("check", "tests"), ("run", "tests", "--no-cache"), ("list", "tests")),
    "tests/t/test.json": (*((verb, *COMMANDS[verb]) for verb in VERBS), *MORE),
    "tests/t/test.yaml": (("check", "tests"), ("run", "tests", "--no-cache"), ("show", "tests")),
    "tests/t/instances/a.jsonl": (("check", "tests"), ("run", "tests"), ("unit-test", "tests")),
    "tests/t/instances/b.json": (
        ("check", "tests"),
        ("run", "tests"),
        ("site", "build", "tests", "-o", "o"),
    ),
    "tests/v/p.json": (("check", "tests"), ("run", "tests"), ("prompt", "show", "tests/v/p.json")),
    "tests/w/s.json": (("check", "tests"), ("run", "tests", "--no-cache"), ("render", "tests")),
    "tests/x/d.json": (("check", "tests"), ("run", "tests", "--no-cache"), ("render", "tests")),
    "tests/calibrations/a.json": (("check", "tests"), ("run", "tests"), ("calibrate", "last")),
    "lve.models.json": (("models",), ("run", "tests"), ("doctor",)),
    "lve-baseline.json": (("compare", "lve-baseline.json", "last"), ("baseline", "show")),
    "promptfooconfig.yaml": (("import", "promptfoo", "promptfooconfig.yaml", "-o", "out"),),
    ".vscode/settings.json": (("schema", "--editor", "vscode"), ("init", ".")),
    "SESSION/session.json": (*((verb, *COMMANDS[verb]) for verb in VERBS), *MORE),
    "SESSION/results.jsonl": (("show", "last"), ("report", "last", "-o", "r.html"), *MORE[:1]),
    "SESSION/labels.jsonl": (("calibrate", "last"), ("show", "last"), ("score", "last")),
}
"""File -> commands that read it, or all."""


@pytest.fixture
def session(root: Path) -> Path:
    """The folder of a session of a workspace with a test."""
    write_test(
        root / "tests" / "t",
        prompt=[{"content": "Say {a}"}],
        prompt_parameters=["a"],
        instances=[{"args": {"a": 1}}],
    )
    lve("run", "tests", "--no-cache")
    (folder,) = (root / ".lve" / "runs").iterdir()
    return folder


def test_all_verbs_are_tried() -> None:
    assert set(COMMANDS) == set(VERBS)


@pytest.mark.parametrize("file", FILES)
def test_it_is_refused_in_a_sentence(file: str, root: Path, session: Path) -> None:
    path = session / file.removeprefix("SESSION/") if "SESSION" in file else root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_test_with(path)
    if file == "pyproject.toml":
        (root / "lve.yaml").unlink()  # settings are in one of the two
    for number, command in enumerate(FILES[file]):
        for value in VALUES if len(FILES[file]) < 9 else (VALUES[number % len(VALUES)],):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_spelled(file, value))
            result = lve(*command, code=None)
            said = f"{command} with {value!r}: {result.exception!r}: {result.output}"
            expected = LveError | click.ClickException | SystemExit | OSError | None
            assert isinstance(result.exception, expected), said
            assert "this is a bug in lve" not in result.output, said
            assert "Traceback" not in result.output, said


def _spelled(file: str, value: str) -> str:
    if file == "pyproject.toml":
        return f"tool.lve = {value if value not in ('', 'null') else '3'}\n"
    return f"{value}\n{value}\n" if file.endswith(".jsonl") else value


def _write_test_with(path: Path) -> None:
    """Write the test that names a file."""
    if path.parent.name == "v":
        write_test(path.parent, prompt=None, prompt_object="p.json")
    elif path.parent.name == "w":
        write_test(path.parent, output_schema="s.json")
    elif path.parent.name == "x":
        write_test(path.parent, dataset="d.json")


@pytest.mark.parametrize("value", VALUES)
def test_settings_say_what_they_must_be(value: str, root: Path) -> None:
    write_test(root / "t")
    (root / "lve.yaml").write_text(value)
    is_empty = value in ("", "null")
    result = lve("check", "t", code=0 if is_empty else 2)
    if not is_empty:
        kinds = {"[": "a list", "7": "a number", '"': "text", "t": "true"}
        assert str(result.exception) == f"lve.yaml:1:1: must be an object, not {kinds[value[0]]}"


def test_settings_in_pyproject_too(root: Path) -> None:
    write_test(root / "t")
    (root / "lve.yaml").unlink()
    (root / "pyproject.toml").write_text("tool.lve = 3\n")
    result = lve("check", "t", code=2)
    assert str(result.exception) == "pyproject.toml: must be an object, not a number"


def test_a_lve_json_is_no_settings_file(root: Path) -> None:
    write_test(root / "t")
    (root / "lve.json").write_text(json.dumps([1]))
    lve("check", "t")
