""".github/workflows: strangers get no secrets there, and what the steps run does what it should."""

from __future__ import annotations

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
from extensions.contributing.contribution import git, write_clone, write_contribution
from support.forked import python
from support.server import model_server

from lve.extensions.authoring.verbs.init import ACTIONS, CI_FILE, files_of_workspace

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
TEXTS = {file.stem: file.read_text("utf-8") for file in sorted(FOLDER.iterdir())}
WORKFLOWS: dict[str, dict[Any, Any]] = {k: yaml.safe_load(text) for k, text in TEXTS.items()}
BIN = Path(sys.executable).parent
ON = True
"""What YAML 1.1 reads where `on` stands."""
KEY = "sk-of-the-maintainers"
MODEL = "openai/gpt-6-luna"
SETTINGS = f"models: {{{MODEL}: {{price: {{input: 0.1, output: 0.5}}}}}}\n"
"""lve knows the price at the address of OpenAI alone."""
each_workflow = pytest.mark.parametrize("name", WORKFLOWS)


def steps_of(name: str) -> list[dict[str, Any]]:
    return [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]


def own_steps(name: str) -> list[dict[str, Any]]:
    """The steps that run something, but for the installation."""
    return [s for s in steps_of(name) if "run" in s and not s["run"].startswith("pip install")]


def run_step(
    step: Mapping[str, Any], folder: Path, inputs: Mapping[str, str], **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: with its variables, and `bash -e`."""
    values = {f"${{{{ inputs.{key} }}}}": value for key, value in inputs.items()}
    values["${{ secrets.OPENAI_API_KEY }}"] = KEY
    command = f'lve() {{ {shlex.join(python())} -m lve "$@"; }}; {step["run"]}'
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env={
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "GITHUB_STEP_SUMMARY": str(folder / ".git" / "summary.md"),
            **{key: values[text] for key, text in step.get("env", {}).items()},
            **more,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_clone(tmp_path)
    (tmp_path / "lve.yaml").write_text(SETTINGS, "utf-8")
    git("commit", "--quiet", "--all", "--message", "prices")
    return tmp_path


def test_github_can_read_them() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    files = [str(FOLDER / f"{name}.yml") for name in WORKFLOWS]
    done = subprocess.run(
        [*command, "vendor.github-workflows", *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_auditor_of_workflows_finds_nothing() -> None:
    zizmor = shutil.which("zizmor", path=BIN)
    if zizmor is None:
        pytest.skip("zizmor is not installed")
    command = [zizmor, "--offline", "--persona", "pedantic", str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@each_workflow
def test_no_job_may_do_more_than_read(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        if "permissions" in job:  # it publishes, and runs no code of the repository
            assert job["permissions"].items() <= {"pages": "write", "id-token": "write"}.items()
            assert "environment" in job, "a maintainer may be asked"
            assert not any("run" in step for step in job["steps"])


@each_workflow
def test_secrets_wait_for_a_maintainer(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert not {"pull_request_target", "workflow_run"} & set(workflow[ON])
    assert "secrets" not in str({k: v for k, v in workflow.items() if k != "jobs"})
    for job in workflow["jobs"].values():
        if "secrets" in str(job):
            assert set(workflow[ON]) == {"workflow_dispatch"}
            assert job["environment"] == "live"
            assert "secrets" not in str(job.get("env")), "one step needs them"


@each_workflow
def test_actions_stay_what_they_were(name: str) -> None:
    used = re.findall(r"uses: (.*)", TEXTS[name])
    assert len(used) == sum("uses" in step for step in steps_of(name))
    for one in used:
        owners = "actions|pypa" if name == "release" else "actions"
        assert re.fullmatch(rf"({owners})/[a-z-]+@[0-9a-f]{{40}} # v\d+\.\d+\.\d+", one), one
    for step in steps_of(name):
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


@each_workflow
def test_what_somebody_types_is_no_part_of_a_script(name: str) -> None:
    assert [step["run"] for step in steps_of(name) if "${{" in step.get("run", "")] == []


def test_each_workflow_shown_or_written_has_the_versions_of_one_table() -> None:
    """Of the project, of its documentation, and those that `lve init` writes."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("repository/**/*.md")]
    texts = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in pages}
    texts |= TEXTS | files_of_workspace("dummy/dummy")
    used = {
        (name, action, pinned or tag)
        for name, text in texts.items()
        for action, tag, pinned in re.findall(r"uses: actions/([a-z-]+)@(\w+)(?: # (v\d+))?", text)
    }
    assert [one for one in sorted(used) if one[2] != ACTIONS.get(one[1])] == []
    assert {action for _, action, _ in used} == set(ACTIONS)
    assert {name for name, _, _ in used} >= {
        *TEXTS,
        CI_FILE,
        "docs/regression-suite.md",
        "docs/site.md",
    }


def test_a_pull_request_is_checked_and_replayed(clone: Path) -> None:
    write_contribution(clone)
    steps = own_steps("tests")
    done = [run_step(step, clone, {}) for step in steps]
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]
    assert "2 rows: 2 passed" in done[1].stdout
    assert "greeting" in (clone / ".git/summary.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "failing"),
    [("README.md", "# ", "", 0), ("instances/main.jsonl", "Hello!", "Go away.", 1)],
)
def test_a_bad_one_fails(clone: Path, file: str, old: str, new: str, failing: int) -> None:
    changed = write_contribution(clone) / file
    changed.write_text(changed.read_text("utf-8").replace(old, new), "utf-8")
    done = run_step(own_steps("tests")[failing], clone, {})
    assert done.returncode in (1, 2)
    assert "courtesy/greeting" in done.stdout


def commit_of_a_stranger(clone: Path, address: str) -> str:
    """Push a test in another's place, with settings that send everything elsewhere."""
    replaced = write_contribution(clone, "replaced")
    git("add", "--all")
    git("commit", "--quiet", "--message", "another test")
    git("switch", "--quiet", "--create", "theirs")
    replaced.rename(replaced.with_name("greeting"))
    for file in ("lve.yaml", "repository/lve.yaml", "repository/courtesy/greeting/lve.yaml"):
        (clone / file).write_text(f"models: {{{MODEL}: {{base_url: '{address}'}}}}\n", "utf-8")
    git("add", "--all")
    git("commit", "--quiet", "--message", "a test")
    git("push", "--quiet", "origin", "theirs")
    commit = git("rev-parse", "HEAD").strip()
    git("switch", "--quiet", "main")
    git("branch", "--quiet", "-D", "theirs")
    return commit


def test_a_model_is_asked_about_the_tests_alone(clone: Path) -> None:
    take, ask = own_steps("live")
    with model_server("Hello!") as ours, model_server("Hello!") as theirs:
        commit = commit_of_a_stranger(clone, theirs.url)
        assert run_step(take, clone, {"commit": commit}).returncode == 0
        assert (clone / "repository/courtesy/greeting/test.yaml").is_file()
        assert (clone / "lve.yaml").read_text("utf-8") == SETTINGS, "settings are those of main"
        given = {"tests": "repository", "model": MODEL, "max_cost": "1"}
        done = run_step(ask, clone, given, OPENAI_BASE_URL=ours.url)
        assert done.returncode == 0, done.stderr
        assert (len(ours.requests), len(theirs.requests)) == (2, 0)
        assert {request.headers["authorization"] for request in ours.requests} == {f"Bearer {KEY}"}
    assert "2 rows: 2 passed" in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_the_budget_holds(clone: Path) -> None:
    write_contribution(clone)
    given = {"tests": "repository", "model": MODEL, "max_cost": "0"}
    with model_server("Hello!") as server:
        done = run_step(own_steps("live")[1], clone, given, OPENAI_BASE_URL=server.url)
        assert (done.returncode, server.requests) == (6, [])


@pytest.mark.parametrize("commit", ["main", "39c7eb8", "", "--upload-pack=x", "a" * 41, "$(id)"])
def test_only_a_whole_commit_is_taken(clone: Path, commit: str) -> None:
    take = own_steps("live")[0]
    done = run_step(take, clone, {"commit": commit})
    assert (done.returncode, done.stderr) == (2, "")
    assert "40 digits" in done.stdout
    assert git("status", "--porcelain") == ""


def test_what_is_typed_is_no_option(clone: Path) -> None:
    ask = own_steps("live")[1]
    given = {"tests": "--trust", "model": "replay", "max_cost": "1"}
    done = run_step(ask, clone, given)
    assert done.returncode == 2
    assert "--trust" in done.stderr


def test_what_it_asks_for_is_what_it_uses() -> None:
    inputs = WORKFLOWS["live"][ON]["workflow_dispatch"]["inputs"]
    used = set(re.findall(r"\$\{\{ inputs\.(\w+) \}\}", TEXTS["live"]))
    assert used == set(inputs)
    assert all("default" in inputs[name] for name in used - {"commit"})
