"""`action.yml`, and the action that comments: their steps run by bash, as GitHub runs them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.folders import write_test
from support.forked import python

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "action.yml", ROOT / ".github/actions/comment/action.yml")
TEXTS = [file.read_text("utf-8") for file in FILES]
RUN, COMMENT = (yaml.safe_load(text) for text in TEXTS)
MARK = "<!-- lve report -->"
GH = """\
import json, pathlib, sys
folder = pathlib.Path(__file__).parent
state = json.loads((folder / "gh.json").read_text())
with open(folder / "gh.log", "a") as log:
    print(json.dumps(sys.argv[1:]), file=log)
words = sys.argv[1:]
if words[0] == "run":
    if state["report"] is None:
        sys.exit("no artifact matches")
    to = pathlib.Path(words[words.index("--dir") + 1])
    to.mkdir()
    (to / "comment.md").write_text(state["report"])
elif "PATCH" in words or "POST" in words:
    body = next(word for word in words if word.startswith("body=@")).removeprefix("body=@")
    (folder / "posted.md").write_text(pathlib.Path(body).read_text())
elif words[-1].endswith("/pulls") or any(word.endswith("/pulls") for word in words):
    print(state["number"])
else:
    print(state["own"])
"""
SHA = "a" * 40


def step_of(action: Mapping[str, Any], name: str) -> dict[str, Any]:
    [step] = [step for step in action["runs"]["steps"] if step.get("name") == name]
    return dict(step)


def run_step(
    step: Mapping[str, Any], folder: Path, values: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a step of an action with its variables, whose expressions have the given values."""
    variables = {
        key: re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)
        for key, text in step.get("env", {}).items()
    }
    temp = folder / "temp"
    temp.mkdir(exist_ok=True)
    command = f'lve() {{ {shlex.join(python())} -m lve "$@"; }}; {step["run"]}'
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "RUNNER_TEMP": str(temp),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_REPOSITORY": "our/tests",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    defaults = {name: entry["default"] for name, entry in RUN["inputs"].items()}
    values = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
    return run_step(step_of(RUN, "check and run"), folder, values)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a test that passes and one that fails, on recorded answers."""
    (tmp_path / "lve.yaml").write_text("")
    for name, answer in (("good", "Hello."), ("bad", "Go away.")):
        row = {"args": {}, "response": answer, "is_safe": True}
        write_test(
            tmp_path / name,
            prompt=[{"role": "user", "content": "Greet me."}],
            checker_args=None,
            check={"contains": "Hello"},
            instances=[row],
        )
    return tmp_path


def test_github_can_read_them() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    done = subprocess.run(
        [*command, "vendor.github-actions", *map(str, FILES)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("text", TEXTS)
def test_actions_in_them_are_pinned_and_nothing_typed_is_part_of_a_script(text: str) -> None:
    for one in re.findall(r"^ +(?:- )?uses: (.*)", text, re.MULTILINE):
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one
    for step in yaml.safe_load(text)["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    assert "secrets." not in text


def test_an_auditor_of_workflows_finds_nothing() -> None:
    zizmor = shutil.which("zizmor", path=Path(sys.executable).parent)
    if zizmor is None:
        pytest.skip("zizmor is not installed")
    command = [zizmor, "--offline", "--persona", "pedantic", *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_judges_recorded_answers_and_leaves_a_report(folder: Path) -> None:
    done = run_action(folder, tests="good")
    assert done.returncode == 0, done.stdout + done.stderr
    report = Path((folder / "output").read_text().removeprefix("report=").strip())
    assert report.read_text().startswith(MARK)
    assert "good" in (folder / "summary.md").read_text()


def test_the_action_fails_with_the_tests_and_reports_all_the_same(folder: Path) -> None:
    done = run_action(folder, tests="good bad")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "bad" in (folder / "temp/lve/comment.md").read_text()


def test_what_is_typed_as_a_test_is_no_option(folder: Path) -> None:
    done = run_action(folder, tests="--trust; touch stolen")
    assert done.returncode == 2
    assert not (folder / "stolen").exists()


def comment(folder: Path, **state: object) -> tuple[int, list[list[str]], str]:
    """Run the action that comments, with GitHub as `state` has it: the exit code, the calls of
    `gh`, and the comment that was written."""
    (folder / "bin").mkdir()
    gh = folder / "bin" / "gh"
    gh.write_text(f"#!{sys.executable}\n{GH}")
    gh.chmod(0o700)
    known = {"report": f"{MARK}\nfine", "number": "7", "own": "", **state}
    (folder / "bin" / "gh.json").write_text(json.dumps(known))
    event = "github.event.workflow_run"
    values = {
        **{f"inputs.{name}": entry["default"] for name, entry in COMMENT["inputs"].items()},
        f"{event}.id": "123",
        f"{event}.head_sha": SHA,
        f"{event}.head_repository.owner.login": "stranger",
        f"{event}.head_branch": "patch-1",
    }
    done = run_step(step_of(COMMENT, "comment"), folder, values)
    log, posted = folder / "bin" / "gh.log", folder / "bin" / "posted.md"
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    return done.returncode, calls, posted.read_text() if posted.exists() else ""


def test_a_comment_is_written_on_the_pull_request_of_the_run(tmp_path: Path) -> None:
    code, calls, posted = comment(tmp_path)
    assert (code, posted) == (0, f"{MARK}\nfine\n\nOf commit {SHA}.\n")
    assert calls[0][6:8] == ["-f", "head=stranger:patch-1"]
    assert SHA in calls[0][-1]
    assert "repos/our/tests/issues/7/comments" in calls[-1]
    assert "POST" in calls[-1]


def test_a_comment_that_is_there_is_brought_up_to_date(tmp_path: Path) -> None:
    code, calls, posted = comment(tmp_path, own="99")
    assert (code, bool(posted)) == (0, True)
    assert {"PATCH", "repos/our/tests/issues/comments/99"} <= {*calls[-1]}


@pytest.mark.parametrize("state", [{"number": ""}, {"report": None}])
def test_without_a_pull_request_or_a_report_nothing_is_written(
    tmp_path: Path, state: dict[str, object]
) -> None:
    code, _, posted = comment(tmp_path, **state)
    assert (code, posted) == (0, "")


def test_a_strangers_report_mentions_nobody_and_is_short(tmp_path: Path) -> None:
    code, _, posted = comment(tmp_path, report=f"{MARK}\n@everyone {'x' * 100_000}")
    assert code == 0
    assert "@everyone" not in posted
    assert "@\u200beveryone" in posted
    assert len(posted) < 65_536
