"""docs/site.md: its commands work, its workflow can be read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import lve

from lve.extensions.site.verb import build

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "site.md").read_text(encoding="utf-8")


def workflow() -> dict[str, Any]:
    found = re.search(r"```yaml .github/workflows/site.yml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    value: dict[str, Any] = yaml.safe_load(found[1])
    return value


def test_the_example_is_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repository").symlink_to(ROOT / "repository")
    (tmp_path / ".lverepo").touch()
    monkeypatch.chdir(tmp_path)
    found = re.search(r"\$ lve (site build .*)\n(.*)\n", PAGE)
    assert found is not None
    result = lve(*shlex.split(found[1]))
    assert re.sub(r"[\d.]+ MB", "", result.stdout.strip()) == re.sub(r"[\d.]+ MB", "", found[2])


def test_the_page_has_all_options() -> None:
    names = {name for one in build.params for name in one.opts if name.startswith("--")}
    missing = {name for name in names if f"`{name}" not in PAGE}
    assert missing - {"--json"} == {"--output", "--session-dir"}


def test_the_workflow_is_one_and_runs_what_there_is(tmp_path: Path) -> None:
    document = workflow()
    assert set(document) == {"name", True, "permissions", "concurrency", "jobs"}  # YAML: on is true
    (job,) = document["jobs"].values()
    steps = job["steps"]
    for step in steps:
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/x@v1"))
    assert document["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("lve ")]
    uploaded = next(step for step in steps if "upload-pages" in step.get("uses", ""))
    arguments = shlex.split(command)[1:]
    assert arguments[arguments.index("-o") + 1] == uploaded["with"]["path"]
    given = {
        "repository": ROOT / "repository",
        "site": tmp_path / "site",
        "$SOURCE": "https://x.org",
    }
    lve("site", *(given.get(one, one) for one in arguments[1:]))
    used = set(re.findall(r"\$\{\{ (\w+)\.", str(document)))
    assert used == {"steps", "github"}
    assert any(step.get("id") == "publish" for step in steps)
