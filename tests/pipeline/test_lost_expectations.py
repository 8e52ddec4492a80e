"""An expectation that counts results has failed once it is lost, at every door; what a stopped run
has reached is never passed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import lve
from support.folders import workspace, write_test

ROWS = [{"row": f"r{number}"} for number in range(1, 11)]


def write(root: Path, name: str = "t", **document: Any) -> None:
    """Write a test of ten rows, of which the first two fail."""
    models = {"my/m": {"provider": "scripted", "options": {"answers": "answers.yaml"}}}
    workspace(root, yaml.safe_dump({"models": models}))
    answers = {"r1": "no", "r2": "no", "default": "yes"}
    (root / "answers.yaml").write_text(yaml.safe_dump(answers), "utf-8")
    document = {"dataset": ROWS, **document}
    known: dict[str, Any] = {"model": "my/m", "prompt": [{"content": "{row}"}]}
    check = {"check": {"equals": "yes"}, "checker_args": None, "prompt_parameters": ["row"]}
    write_test(root / name, instances=None, **{**known, **check, **document})


def stopped(*more: str, requests: int = 5) -> str:
    """Run the tests up to a number of requests, and return the verdict."""
    lve("run", "t", "--max-requests", str(requests), "--max-connections", "1", *more, code=None)
    return verdict()


def verdict(*door: str) -> str:
    """Return the verdict on the first line of what a door prints of the last session."""
    text = lve(*(door or ("show", "last")), code=None).stdout
    return {"✓": "passed", "✗": "failed", "?": "inconclusive", "!": "error"}[text[0]]


@pytest.mark.parametrize(
    ("expect", "rows", "found"),
    [
        ({"at_least": 0.9}, ROWS, "failed"),
        ({"at_least": 0.8}, ROWS, "inconclusive"),
        ({"at_least": 9}, ROWS, "failed"),
        ({"at_least": 8}, ROWS, "inconclusive"),
        ({"at_least": 0.1}, ROWS, "inconclusive"),
        ({"at_most": 0.2}, ROWS, "failed"),
        ({"at_most": 0.4}, ROWS, "inconclusive"),
        ({"pass_rate": ">=0.9"}, ROWS, "failed"),
        ({"at_least": 0.9}, ROWS * 2, "inconclusive"),
    ],
)
def test_a_stopped_run_fails_what_the_rest_cannot_mend(
    root: Path, expect: dict[str, Any], rows: list[dict[str, Any]], found: str
) -> None:
    write(root, expect=expect, dataset=rows, default_model_args={"temperature": 0})
    assert stopped() == found
    assert verdict("score", "last") == found
    assert verdict("run", "--resume", "last", "--max-requests", "6") == found
    resumed = lve("run", "--resume", "last", "--max-requests", "99", code=None)
    assert resumed.exit_code in (0, 1)
    assert "unfinished" not in resumed.stdout


@pytest.mark.parametrize(
    ("more", "found"),
    [((), "inconclusive"), (("--repeats", "3"), "inconclusive"), (("--limit", "7"), "failed")],
)
def test_repeats_and_chosen_rows_are_counted(root: Path, more: tuple[str, ...], found: str) -> None:
    write(root, expect={"at_least": 0.8}, default_model_args={"temperature": 1})
    assert stopped(*more) == found


def test_unusable_rows_may_be_many(root: Path) -> None:
    """How many results they would be isn't known, so nothing is lost."""
    write(root, expect={"at_least": 0.9}, dataset="rows.jsonl")
    lines = [*map(json.dumps, ROWS), '{"row": ']
    (root / "t" / "rows.jsonl").write_text("\n".join(lines), "utf-8")
    assert stopped() == "inconclusive"


@pytest.mark.parametrize(("at_least", "found"), [(0.9, "failed"), (0.8, "inconclusive")])
def test_shards_know_together_what_is_left(root: Path, at_least: float, found: str) -> None:
    write(root, expect={"at_least": at_least})
    stopped("--shard", "1/2", requests=3)
    stopped("--shard", "2/2", requests=3)
    lve("session", "merge", "last", "last~1", code=6)
    assert verdict() in (found, "inconclusive")
    assert "unfinished" in lve("show", "last").stdout
    lines = (last(root) / "tests.jsonl").read_text("utf-8").splitlines()
    done = len((last(root) / "results.jsonl").read_text("utf-8").splitlines())
    assert json.loads(lines[-1])["left"] == 10 - done


def last(root: Path) -> Path:
    """Return the folder of the last session."""
    return max((root / ".lve" / "runs").iterdir())
