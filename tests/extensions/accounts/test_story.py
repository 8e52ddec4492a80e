"""`lve run --explain ROW`: the story of one row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace

ANSWERS = """\
default: "<think>Rome? No.</think> The answer is **Paris**. I counted 12 letters, then 7."
"""


def told(
    root: Path,
    checks: list[Any],
    *options: str,
    codes: Any = (0, 1),
    j: Any = None,
    **document: Any,
) -> str:
    """Return what `--explain 2` says about a test with these checks; `j` is another model."""
    model = {"provider": "scripted", "options": {"answers": "answers.yaml"}}
    args = {"top_p": 0.5}
    models = {"s": {**model, "args": args}, **({"j": j} if j else {})}
    workspace(root, json.dumps({"models": models, "model": "s"}))
    (root / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    (root / "t").mkdir()
    whole = {
        "description": "d",
        "prompt": "The capital of {country}?",
        "dataset": [{"country": "Peru", "city": "Lima"}, {"country": "France", "city": "Paris"}],
        "checks": checks,
        **document,
    }
    (root / "t" / "test.json").write_text(json.dumps(whole), encoding="utf-8")
    code, out, _ = call("run", "t", "--explain", "2", *options)
    assert code in codes
    return "\n".join(line.rstrip() for line in out.splitlines())


def test_it_tells_prompt_request_answer_checks_and_verdict(root: Path) -> None:
    out = told(root, [{"contains": "{city}"}], "--model-arg", "seed=3")
    assert out.startswith("t · test.json row 2 · s\n")
    for part in (
        "row       country = France\n            city = Paris\n",
        "prompt    as t/test.json has it\n            user: The capital of {country}?\n",
        "request   temperature 0.0 (default), top_p 0.5 (lve.yaml), seed 3 (command line)\n"
        "            user: The capital of France?\n",
        "answer    asked for now, 0.00 s",
        "            assistant: <think>Rome? No.</think> The answer is **Paris**.",
        '✓ contains: contains="{city}"\n              filled with the row: contains="Paris"\n',
        "verdict   passed, as expected: found 'Paris' at character ",
        "1 test: 1 passed\n",
    ):
        assert part in out


def test_it_tells_what_the_judge_said(root: Path) -> None:
    (root / "judge.yaml").write_text("default: |\n  No idea.\n  {}\n", encoding="utf-8")
    judge = {"provider": "scripted", "options": {"answers": "judge.yaml"}}
    out = told(root, [{"judge": "It is polite."}], "--role", "judge=j", codes=(3,), j=judge)
    assert "  said      judge j: No idea.\n              {}\n" in out


def test_it_tells_which_part_was_judged_and_why(root: Path) -> None:
    out = told(
        root,
        [
            {"contains": "7", "extract": ["strip-think", "int_last"]},
            {"number": 7},
            {"not_contains": "Lyon", "on": "all"},
        ],
    )
    assert "checks    all of these 3 must pass\n" in out
    assert "the last answer (no `on` names another): '<think>Rome?" in out
    assert "`extract: strip-think` takes 'The answer is **Paris**." in out
    assert "`extract: int_last` takes '7'\n" in out
    assert "without reasoning, introduction and marks: 'The answer is **Paris**." in out
    assert "it looks first where it names its answer: 'Paris" in out
    assert "answer 'response' (`on: all`)" in out


def test_each_check_has_its_own_verdict(root: Path) -> None:
    out = told(root, [{"contains": "Paris"}, {"contains": "Lyon"}])
    assert "✓ contains:" in out
    assert "✗ contains:" in out
    assert "failed: 'Lyon' doesn't occur in the answer\n" in out
    assert "verdict   failed, unexpected: " in out


def test_the_turns_of_a_conversation_are_told(root: Path) -> None:
    prompt = [
        {"content": "First?"},
        {"role": "assistant", "variable": "first"},
        {"content": "And {country}?"},
    ]
    out = told(root, [{"contains": "Paris", "on": "first"}], prompt=prompt)
    assert out.count("asked for now") == 2
    assert "assistant: [first: the model fills it]\n" in out
    assert "answer 'first' (`on: first`): " in out


def test_a_row_without_an_answer_has_a_story_too(root: Path) -> None:
    args = {"default_model_args": {"max_tokens": 5}}
    told(root, [{"contains": "x"}], **args)
    (root / "answers.yaml").write_text("default: {error: bad_request}\n", encoding="utf-8")
    code, out, _ = call("run", "t", "--explain", "2", "--no-cache")
    assert code == 3
    assert "  answer    none: " in out
    assert "  checks    none judged: there is no answer\n" in out
    assert "  verdict   error, unexpected: " in out


@pytest.mark.parametrize("other", ["--json", "--rows=1", "--resume", "--watch", "--dry-run"])
def test_what_makes_no_sense_beside_it_is_refused(root: Path, other: str) -> None:
    assert "don't go together" in lve("run", "t", "--explain", "1", other, code=2).output


def test_a_row_that_is_not_there_is_told(root: Path) -> None:
    told(root, [{"contains": "Paris"}])
    _, _, err = call("run", "t", "--explain", "9")
    assert "no row 9 of these tests has run [nothing_selected]" in err
    assert "must be row numbers" in lve("run", "t", "--explain", "x", code=2).output
