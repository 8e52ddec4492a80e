"""`lve run --dry-run` and `lve check` say what a pass rate can decide."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import call
from support.folders import write_sums
from support.run_command import Run


def test_check_and_dry_run_say_what_is_decided_and_how_often(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9", "max_repeats": 30})
    code, out, _ = call("check", root)
    assert code == 0
    assert ">=0.9 with 5 instances, at most 30 repeats, decides at a true rate of\n" in out
    assert "    1 in 100% (45 runs on average), 0.95 in " in out
    shown = run("t", "--model", "dummy/dummy", "--dry-run").stdout
    assert "        1 in 100% (45 calls on average), 0.95 in " in shown
    assert "        to decide 0.95 in 80%: `max_repeats: " in shown


def test_json_has_the_same_numbers(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9", "max_repeats": 30})
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
    (dry,) = json.loads(run("t", "--model", "m/m", "--dry-run", "--json").stdout)["tests"]
    assert dry["prospect"] is None
    assert json.loads(call("check", root, "--json")[1])["tests"][0]["pass_rate"] is None


def test_a_run_with_other_repeats_is_what_is_told(root: Path, run: Run) -> None:
    write_sums(root / "t", 5, expect={"pass_rate": ">=0.9"})
    shown = run("t", "--model", "m/m", "--dry-run", "--repeats", "2").stdout
    assert "with 5 instances, at most 2 repeats," in shown
    assert "1 in 0% (10 calls on average)" in shown


def test_a_model_without_a_price_is_named(root: Path, run: Run) -> None:
    write_sums(root / "t", 5)
    assert "no price in lve.yaml for: m/m\n" in run("t", "--model", "m/m", "--dry-run").stderr
