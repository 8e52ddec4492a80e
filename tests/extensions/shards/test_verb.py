"""`lve session merge`, and the example of docs/scaling.md."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call, lve
from support.folders import write_sums
from support.forked import python

from lve.errors import LveError


def session_names() -> list[str]:
    return [file.parent.name for file in Path(".lve/runs").glob("*/session.json")]


GUIDE = Path(__file__).parents[3] / "docs" / "scaling.md"


def test_shards_are_merged_by_their_ids(root: Path) -> None:
    write_sums(root / "sums", 20)
    for shard in ("1/2", "2/2"):
        lve("run", "sums", "--model", "replay", "--shard", shard)
    merged = lve("session", "merge", "last", "last~1")
    assert "merged 2 shards: 1 test: 1 passed; `lve show " in merged.stderr
    shown = lve("show", merged.stdout.strip())
    assert "20 rows: 20 passed" in shown.stdout
    lve("score", "last")
    lve("run", "sums", "--model", "replay")
    lve("compare", "last~1", "last")
    lve("report", "-o", "report.html")


def test_a_shard_without_rows_is_one_of_the_last(root: Path) -> None:
    write_sums(root / "sums", 1)
    for shard in ("1/2", "2/2"):
        lve("run", "sums", "--model", "replay", "--shard", shard, code=None)
    merged = lve("session", "merge", "last~1", "last")
    assert "merged 2 shards: 1 test: 1 passed" in merged.stderr


def test_the_merged_session_goes_where_it_is_wanted(root: Path) -> None:
    write_sums(root / "sums", 20)
    for shard in ("1/2", "2/2"):
        lve("run", "sums", "--model", "replay", "--shard", shard)
    names = session_names()
    code, said, told = call("session", "merge", *names, "-o", "here/mer ged")
    assert (code, said) == (0, "here/mer ged\n")
    assert "`lve report 'here/mer ged'` says more" in told
    assert session_names() == names, "it isn't among the others"
    assert [file.name for file in Path("here").iterdir()] == ["mer ged"]
    assert call("report", "here/mer ged", "-o", "report.json")[0] == 0
    assert (
        json.loads(Path("report.json").read_text())["sessions"][0]["summary"]["instances"]["total"]
        == 20
    )
    assert call("compare", "here/mer ged", names[0])[0] == 0
    with pytest.raises(LveError, match="mer ged exists: give a folder that doesn't"):
        call("session", "merge", *names, "-o", "here/mer ged")


def test_what_is_wrong_is_said(root: Path) -> None:
    write_sums(root / "sums", 4)
    lve("run", "sums", "--model", "replay", "--shard", "2/2")
    result = lve("session", "merge", "last", code=2)
    assert "missing: shard 1/2" in str(result.exception)
    lve("run", "sums", "--shard", "3/2", code=2)


def test_an_empty_shard_has_no_verdict_of_its_own(root: Path) -> None:
    write_sums(root / "sums", 1)
    done = [lve("run", "sums", "--model", "replay", "--shard", f"{n}/2", code=None) for n in (1, 2)]
    assert sorted(one.exit_code for one in done) == [0, 5]
    told = next(one.output for one in done if one.exit_code == 5)
    assert re.match(
        r"no row is in shard [12]/2: `lve session merge` needs it, too: \.lve/runs/2", told
    )
    assert call("session", "merge", *session_names())[0] == 0


def test_a_test_without_an_instance_in_a_shard_isnt_said_to_be_undecided(root: Path) -> None:
    write_sums(root / "large", 30)
    write_sums(root / "small", 1)
    told = []
    for shard in ("1/2", "2/2"):
        code, said, _ = call("run", ".", "--model", "replay", "--shard", shard)
        assert code == 0
        told.append(said)
    assert sorted("2 tests: 2 passed" in said for said in told) == [False, True]


def test_what_could_not_be_decided_may_be_allowed(root: Path) -> None:
    write_sums(root / "sums", 2, expect={"pass_rate": ">= 0.5"})
    for shard in ("1/2", "2/2"):
        lve("run", "sums", "--model", "replay", "--shard", shard, code=None)
    names = session_names()
    assert call("session", "merge", *names)[0] == 4
    assert call("session", "merge", *names, "--allow-inconclusive")[0] == 0


def example() -> dict[str, Any]:
    """Return the jobs of the guide's workflow."""
    text = re.findall(r"```yaml\n(jobs:.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    jobs: dict[str, Any] = yaml.safe_load(text[0])["jobs"]
    return jobs


def example_with_pytest() -> dict[str, Any]:
    """Return the jobs of the guide's workflow with the step that runs pytest."""
    jobs = example()
    text = re.findall(r"```yaml\n( +- run: pytest.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    (step,) = yaml.safe_load(text[0])
    found = jobs["shard"]["steps"]
    (at,) = (n for n, one in enumerate(found) if one.get("run", "").startswith("lve run "))
    found[at] = step
    return jobs


def commands(job: dict[str, Any], **values: Any) -> list[list[str]]:
    """Return the commands of lve and pytest in a job, as a shell splits them."""
    found = [step["run"] for step in job["steps"] if "run" in step]
    for name, value in values.items():
        found = [text.replace(f"${{{{ matrix.{name} }}}}", str(value)) for text in found]
    return [
        [
            part
            for word in shlex.split(text)
            for part in (sorted(map(str, Path().glob(word))) or [word])
        ]
        for text in found
        if text.startswith(("lve ", "pytest "))
    ]


def execute(words: list[str]) -> int:
    """Run a command of a workflow's step and return its exit code; lve's run in this process."""
    if words[0] == "lve":
        return call(*words[1:])[0]
    done = subprocess.run([*python(), "-m", *words], check=False, capture_output=True)
    return done.returncode


@pytest.mark.parametrize("jobs", [example, example_with_pytest])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_github_example_works(
    root: Path, wrong: bool, jobs: Callable[[], dict[str, Any]]
) -> None:
    write_sums(root / "tests" / "sums", 25)
    if wrong:
        file = root / "tests" / "sums" / "instances" / "main.jsonl"
        file.write_text(file.read_text().replace('"response": "0"', '"response": "9"', 1))
    shard, verdict = jobs()["shard"], jobs()["verdict"]
    upload = shard["steps"][-1]["with"]
    download = verdict["steps"][2]["with"]["path"]
    shard_codes = []
    for number in shard["strategy"]["matrix"]["shard"]:
        shard_codes += [execute(words) for words in commands(shard, shard=number)]
        name = upload["name"].replace("${{ matrix.shard }}", str(number))
        shutil.copytree(upload["path"], Path(download) / name)
        shutil.rmtree(upload["path"])
        shutil.rmtree("shard")
    assert sorted(shard_codes) == [0, 0, int(wrong)]
    merge, report = commands(verdict)
    assert (execute(merge), execute(report)) == (int(wrong), 0)
    assert Path("report.html").is_file()
