"""`lve run --dry-run` and `lve check` say what a pass rate can decide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from support.command_line import call, lve
from support.folders import write_sums, write_test
from support.run_command import Run

WARM = {"default_model_args": {"temperature": 1}}


@pytest.fixture
def run(root: Path) -> Run:
    """`lve run` in an empty workspace."""

    def invoke(*args: str, code: int = 0) -> Result:
        return lve("run", *args, code=code)

    return invoke


def test_check_and_dry_run_say_what_is_decided_and_how_often(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9", "max_repeats": 30}, **WARM)
    code, out, _ = call("check", root)
    assert code == 0
    assert ">=0.9 with 5 rows, at most 30 repeats, decides at a true rate of\n" in out
    assert "    1 in 100% (45 runs on average), 0.95 in " in out
    shown = run("t", "--model", "dummy/dummy", "--dry-run").stdout
    assert "        1 in 100% (45 calls on average), 0.95 in " in shown
    assert "        to decide 0.95 in 80%: `max_repeats: " in shown


def test_json_has_the_same_numbers(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9", "max_repeats": 30}, **WARM)
    (checked,) = json.loads(call("check", root, "--json")[1])["tests"]
    (dry,) = json.loads(run("t", "--model", "m/m", "--dry-run", "--json").stdout)["tests"]
    assert checked["pass_rate"] == dry["prospect"]
    assert checked["pass_rate"]["chances"][0] == {
        "rate": 1.0,
        "passed": 1.0,
        "failed": 0.0,
        "runs": 45.0,
    }


def test_no_instances_no_prospect(root: Path, run: Run) -> None:
    write_sums(root / "t", 0, expect={"pass_rate": ">=0.9"})
    (dry,) = json.loads(run("t", "--model", "m/m", "--dry-run", "--json", code=5).stdout)["tests"]
    assert dry["prospect"] is None
    assert json.loads(call("check", root, "--json")[1])["tests"][0]["pass_rate"] is None


def test_a_run_with_other_repeats_is_what_is_told(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9"}, **WARM)
    shown = run("t", "--model", "m/m", "--dry-run", "--repeats", "2").stdout
    assert "with 5 rows, at most 2 repeats," in shown
    assert "1 in 0% (10 calls on average)" in shown


def test_a_model_without_a_price_is_named(root: Path, run: Run) -> None:
    write_sums(root / "t", 5)
    assert "no price in lve.yaml for: m/m\n" in run("t", "--model", "m/m", "--dry-run").stderr


def test_clusters_count_instead_of_their_instances(root: Path, run: Run) -> None:
    claim = {"pass_rate": ">=0.9", "claim": "population", "cluster": "a"}
    folder = write_sums(root / "t", 40, expect=claim)
    assert call("check", root)[0] == 0
    (rows,) = (folder / "instances").iterdir()
    one = rows.read_text().splitlines()[0]
    rows.write_text(f"{one}\n" * 40)
    for shown in (call("check", root)[1], run("t", "--model", "m/m", "--dry-run", code=2).stderr):
        assert (
            "can't be met with 1 cluster by a and at most 1 repeat: even if all runs pass" in shown
        )


def test_more_instances_than_are_checked_are_read_to_see_if_they_are_enough(root: Path) -> None:
    rate = {"pass_rate": ">=0.9999", "max_repeats": 1}
    folder = write_sums(root / "t", 1, expect=rate)
    (rows,) = (folder / "instances").iterdir()
    row = json.loads(rows.read_text())
    text = "".join(json.dumps({**row, "args": {"a": n, "b": 1}}) + "\n" for n in range(30_003))
    lines = text.splitlines(keepends=True)
    rows.write_text("".join(lines[:10_001]))
    code, out, _ = call("check", root)
    assert (code, "can't be met" in out) == (2, True)
    rows.write_text(text)
    assert call("check", root)[0] == 0


def test_a_rate_that_everything_meets_can_never_fail(root: Path) -> None:
    write_sums(root / "t", 2, expect={"pass_rate": ">=0"})
    assert "it can never fail: no number of runs shows such a rate\n" in call("check", root)[1]


def test_what_counts_once_is_not_said_to_be_repeated(root: Path) -> None:
    column = "\x1bred"
    claim = {"pass_rate": ">=0.01", "claim": "population", "cluster": column}
    write_sums(root / "t", 9, expect=claim, repeats=3, prompt_parameters=["a", "b", column])
    shown = call("check", root)[1]
    assert ">=0.01 with 1 cluster by \\x1bred" in shown
    write_sums(root / "t", 9, expect={"pass_rate": ">=0.3", "claim": "population"}, repeats=3)
    shown = call("check", root)[1]
    assert ">=0.3 with 9 rows, each counted once, decides" in shown
    assert "(27 runs on average)" in shown


def test_messages_of_a_search_are_estimated_alone(root: Path) -> None:
    write_test(root / "t", prompt="Tell me.", attacks={"names": ["best_of_n"], "turns": 50})
    shown = call("run", "t", "-m", "dummy/dummy", "--prompts", "best_of_n", "--dry-run")[1]
    (line,) = [line for line in shown.splitlines() if line.startswith("t@best_of_n")]
    assert "at most 51 calls, about " in line
    assert int(line.split("about ")[1].split()[0]) < 51 * 20
