"""The `lve` command as a whole: speed of start, verbs, mistakes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.command_line import lve
from support.forked import python
from support.old_click import new_click

from lve.cli.main import cli, exit_code_of, print_system_error
from lve.cli.verbs import VERBS
from lve.errors import (
    AdaptError,
    BudgetError,
    LveError,
    NoSessionError,
    SessionError,
    SettingsError,
    SpecError,
    TransientModelError,
)
from lve.extensions.help.mistyped import ELSEWHERE, usage_error

HEAVY = (
    "openai",
    "jsonschema",
    "pytest",
    "yaml",
    "asyncio",
    "sqlite3",
    "httptools",
    "lve.spec.spec",
)


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lve", *args], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("statement", ["import lve", "from lve.cli.main import cli; cli.get_help"])
def test_start_imports_nothing_heavy(statement: str) -> None:
    code = f"import sys; {statement}; print([m for m in {HEAVY} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_help_imports_no_verb() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from lve.cli.main import cli\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0\n"
        "print(sorted(m[8:] for m in sys.modules if m.startswith('lve.cli.')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    # Every start prints, and is watched.
    assert result.stdout.strip() == str(["main", "printing", "verbs", "watchdog"])


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SettingsError("x"), 2),
        (SpecError([]), 2),
        (NoSessionError("x"), 2),
        (SessionError("x"), 3),
        (AdaptError("x"), 3),
        (TransientModelError("x", kind="timeout"), 3),
        (BudgetError("x"), 6),
    ],
)
def test_every_error_has_its_exit_code(error: LveError, expected: int) -> None:
    assert exit_code_of(error) == expected


def command_of(verb: str) -> click.Command:
    assert isinstance(cli, click.Group)
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    return command


@pytest.mark.parametrize("verb", VERBS)
def test_summary_in_the_list_is_the_verbs_own(verb: str) -> None:
    command = command_of(verb)
    assert command.name == verb
    assert command.get_short_help_str(limit=200) == VERBS[verb]


def test_every_option_has_a_help_text() -> None:
    silent = [
        f"{verb} {option.name}"
        for verb in VERBS
        for option in command_of(verb).params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_python_m_lve_works() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout.split()[0]) == (0, "lve,")


@pytest.mark.parametrize("verb", [(), ("session",), ("session", "cache")])
def test_without_a_verb_one_gets_the_help_and_nothing_else(verb: tuple[str, ...]) -> None:
    result = run(*verb)
    shown = result.stderr or result.stdout  # click before 8.2 doesn't take it for a mistake
    assert shown.startswith("Usage: lve ")
    assert shown.count("Usage:") == 1
    assert "rror:" not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("verb", ["init", "session merge"])
def test_what_the_system_refuses_is_a_sentence(verb: str, tmp_path: Path) -> None:
    name = "a" * 300
    result = run(*verb.split(), str(tmp_path / name))
    assert result.stderr.startswith("lve: ")
    if sys.version_info < (3, 14):
        assert result.stderr.endswith(" can't be used: File name too long [unreadable]\n")
    elif verb == "init":  # there, whether something is a folder conceals why it isn't
        assert result.stderr.endswith(" can't be written: File name too long [unwritable]\n")
    else:
        assert result.stderr.endswith(" [no_such_session]\n")
    assert result.stderr.count("\n") == 1
    assert result.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use can't be removed")
@pytest.mark.parametrize(
    "verb",
    [("run",), ("check",), ("list", "tests"), ("show",), ("models",), ("new", "t"), ("init",),
     ("record", "t"), ("session", "list"), ("session", "cache", "stats"), ("view",),
     ("check", "--replay")],
    ids="-".join,
)  # fmt: skip
def test_a_folder_that_is_gone_is_a_sentence(verb: tuple[str, ...], tmp_path: Path) -> None:
    """Somebody has removed the folder in which one stands, or checked out another branch."""
    script = (
        "import os, sys; os.chdir(sys.argv.pop(1)); os.rmdir(os.getcwd()); "
        "from lve.cli.main import main; main()"
    )
    result = subprocess.run(
        [*python(), "-c", script, str(tmp_path), *verb], capture_output=True, text=True, check=False
    )
    assert result.stderr == (
        "lve: the current folder has been removed: go to another one (`cd ..`) [no_such_path]\n"
    )
    assert result.returncode == 2


def test_an_error_of_the_system_that_names_no_file_is_a_bug() -> None:
    with pytest.raises(OSError, match="odd"):
        print_system_error(OSError(errno.EINVAL, "odd"))


def test_the_traceback_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LVE_TRACEBACK", "1")
    with pytest.raises(PermissionError):
        print_system_error(PermissionError(errno.EACCES, "no", "file"))


@pytest.mark.parametrize("package", ["click", "yaml"])
def test_an_interrupt_while_it_starts_is_quiet(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    (tmp_path / "test.yaml").touch()
    done = subprocess.run(
        [sys.executable, "-m", "lve", "check", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},  # where Python looks first
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def test_mistyped_verb_gets_a_suggestion() -> None:
    assert "did you mean `lve check`?" in lve("chekc", code=2).output


@new_click
def test_forgotten_verb_gets_a_suggestion() -> None:
    assert "did you mean `lve run .`?" in lve(".", code=2).output


def test_a_folder_wins_over_a_similar_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "did you mean `lve run repository`?" in lve("repository", code=2).output


@new_click
@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        ("--limt", "Did you mean '--limit'?"),
        ("--limits", "Did you mean '--limit'?"),
        ("--max-conections", "Did you mean '--max-connections'?"),
        ("--temperture", "Did you mean '--temperature'?"),
        (
            "--concurrency",
            "No such option '--concurrency'. Here it is `--max-connections N`. [usage]",
        ),
        ("--junitxml", "Here it is `-o FILE.xml`."),
        ("--xyzzy", "No such option '--xyzzy'. [usage]\n"),
    ],
)
def test_a_mistyped_option_gets_one_suggestion_or_none(
    mistake: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.NoSuchOption) as refused:
        cli.main(["run", "t", mistake, "1"], prog_name="lve", standalone_mode=False)
    usage_error(refused.value, cli).show()
    assert says in capsys.readouterr().err


def test_every_name_of_another_tool_has_an_option_here() -> None:
    run = cli.get_command(click.Context(cli), "run")
    assert run is not None
    spellings = {name for parameter in run.params for name in parameter.opts}
    assert {meant.split()[0] for meant in ELSEWHERE.values()} <= spellings
    assert not spellings & set(ELSEWHERE)


def test_a_verb_without_the_option_suggests_none() -> None:
    with pytest.raises(click.NoSuchOption) as refused:
        cli.main(["check", "t", "--workers", "1"], prog_name="lve", standalone_mode=False)
    assert "Here it is" not in usage_error(refused.value, cli).format_message()
