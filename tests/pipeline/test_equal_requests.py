"""Rows with the same request at the same moment: one of them asks the model, the others wait."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.pytest_runs import run_apart
from support.server import ModelServer, model_server

import lve

ROWS = 12


def write_equal(root: Path, server: ModelServer, *names: str, **document: Any) -> None:
    """Write tests whose rows differ in what their check expects alone."""
    settings = {"models": {"m": {"base_url": server.url, "model": "m"}}}
    workspace(root, json.dumps(settings))
    for name in names:
        write_test(
            root / "t" / name,
            **{
                "model": "m",
                "prompt_parameters": ["most"],
                "checker_args": {
                    "checker_name": "LambdaChecker",
                    "func": "lambda r, most: len(r) < int(most)",
                },
                "instances": [{"args": {"most": str(10 + row)}} for row in range(ROWS)],
                **document,
            },
        )


def verdicts(outcome: lve.RunResult) -> Counter[str]:
    return Counter(result.verdict for result in outcome.results)


def test_rows_of_all_tests_ask_once(tmp_path: Path) -> None:
    with model_server("Hello", latency_s=0.1) as server:
        write_equal(tmp_path, server, "a", "b")
        outcome = lve.run(tmp_path / "t", max_connections=8)
        assert verdicts(outcome) == {"passed": 2 * ROWS}
        assert len(server.requests) == 1
    fresh = [r for r in outcome.results if not r.transcripts[0].completions[0].cached]
    assert len(fresh) == 1, "who waited has an answer of the cache, which costs nothing"


def test_so_it_is_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("Hello", latency_s=0.1) as server:
        write_equal(tmp_path, server, "a", "b")
        monkeypatch.chdir(tmp_path)
        code, out, _ = call("run", "t", "--json", "-j", "8")
    assert (code, json.loads(out)["summary"]["requests"]) == (0, 1)


def test_so_it_is_in_pytest(pytester: pytest.Pytester) -> None:
    with model_server("Hello", latency_s=0.1) as server:
        write_equal(pytester.path, server, "a", "b")
        run_apart(pytester, "-q", "t").assert_outcomes(passed=2 * ROWS)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("options", "document", "requests"),
    [
        ({}, {"repeats": 3}, 3),  # other answers to the same prompt are wanted
        ({"use_cache": False}, {}, ROWS),
        ({"refresh": True}, {}, ROWS),
        (
            {},
            {
                "prompt": [
                    {"content": "One"},
                    {"role": "assistant", "variable": "v"},
                    {"content": "Two"},
                ]
            },
            2,
        ),
        (
            {},
            {
                "prompt": None,
                "multi_run_prompt": [{"prompt": [{"content": "One"}], "repetitions": 2}],
                "checker_args": {
                    "checker_name": "MultiRunLambdaChecker",
                    "func": "lambda rs, most: len(rs) == 2",
                },
            },
            2,
        ),
    ],
    ids=["repeats", "no cache", "refresh", "turns", "repetitions"],
)
def test_what_is_another_request_is_asked(
    tmp_path: Path, options: dict[str, Any], document: dict[str, Any], requests: int
) -> None:
    with model_server("Hello", latency_s=0.05) as server:
        write_equal(tmp_path, server, "a", **document)
        outcome = lve.run(tmp_path / "t", max_connections=8, **options)
        assert set(verdicts(outcome)) == {"passed"}
        assert len(server.requests) == requests


def test_if_a_row_gets_no_answer_the_others_ask_at_once(tmp_path: Path) -> None:
    with model_server("Hello", faults=["400"], latency_s=0.05) as server:
        write_equal(tmp_path, server, "a")
        outcome = lve.run(tmp_path / "t", max_connections=8)
        assert verdicts(outcome) == {"error": 1, "passed": ROWS - 1}
        assert len(server.requests) == ROWS
