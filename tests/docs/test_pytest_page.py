"""docs/pytest.md and docs/regression-suite.md: the suite runs, the options are the plugin's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from support.forked import python

from lve.pytest_plugin import options

ROOT = Path(__file__).parents[2]

PAGE, SUITE = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("pytest", "regression-suite")
)
FILES = dict(re.findall(r"```\w+ (\S+)\n(.*?)```", PAGE + SUITE, re.DOTALL))
ROME = '"response": "Rome."'


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """The page's files, in a folder of their own."""
    (pytester.path / ".lverepo").touch()
    for name, content in FILES.items():
        (pytester.path / name).parent.mkdir(parents=True, exist_ok=True)
        (pytester.path / name).write_text(content, encoding="utf-8")
    return pytester


def test_every_option_is_on_the_page() -> None:
    shown = re.findall(r"^\| `(--lve-[a-z-]+)", PAGE, re.MULTILINE)
    assert shown == ["--lve-" + one.name.replace("_", "-") for one in options.TABLE]


def test_the_commands_of_the_ci_file_run(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = yaml.safe_load(FILES[".github/workflows/models.yml"])["jobs"]
    commands = [job["steps"][-1]["run"].split() for job in jobs.values()]
    assert [command.pop(0) for command in commands] == ["pytest", "pytest"]
    suite.run(*python(), "-m", "pytest", *commands[0]).assert_outcomes(passed=2)
    for name, value in jobs["nightly"]["env"].items():
        monkeypatch.setenv(name, "replay" if name == "LVE_MODEL" else value)
    suite.run(*python(), "-m", "pytest", *commands[1]).assert_outcomes(passed=2)


def test_lve_is_installed_from_git_because_it_is_on_no_index() -> None:
    jobs = yaml.safe_load(FILES[".github/workflows/models.yml"])["jobs"]
    installed = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    installed = [command for command in installed if command.startswith("pip install")]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    [repository] = re.findall('^Documentation = "(.*)/tree/', project, re.MULTILINE)
    assert installed == [f'pip install "lve @ git+{repository}@main"'] * 2
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text("utf-8")
        assert not re.search(r"pip install lve\b", text), page
        # In a job nothing is installed yet: an extra of `lve` would be somebody else's package.
        assert not re.search(r"run: pip install [\"']?lve(\[\w+\])?[\"']?$", text, re.M), page


def test_the_python_tests_run(suite: pytest.Pytester) -> None:
    result = suite.run(*python(), "-m", "pytest", "test_models.py", "--lve-model=replay")
    result.assert_outcomes(passed=2)


def test_a_failure_below_the_threshold_is_one(suite: pytest.Pytester) -> None:
    file = suite.path / "repository/capitals/instances/main.jsonl"
    file.write_text(file.read_text().replace(ROME, '"response": "Milan."'))
    result = suite.run(*python(), "-m", "pytest", "repository")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_failure_above_the_threshold_is_allowed(suite: pytest.Pytester) -> None:
    document = suite.path / "repository/capitals/test.yaml"
    document.write_text(document.read_text().replace("value: high", "value: low"))
    file = suite.path / "repository/capitals/instances/main.jsonl"
    file.write_text(file.read_text() * 10 + file.read_text().replace(ROME, '"response": "Milan."'))
    result = suite.run(*python(), "-m", "pytest", "repository")
    result.assert_outcomes(passed=21, failed=1)
    assert result.ret == pytest.ExitCode.OK
