"""`lve check` looks at what judges said of recorded answers, and asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.judges import yes
from support.server import ModelServer, model_server

ROWS = [{"args": {"name": name}} for name in ("Ann", "Bob")]
STALE = "the judge's answer to today's question isn't recorded"
ELSE = f"{STALE}: it was asked something else"
NOTHING = f"{STALE}: nothing is"


@pytest.fixture
def judge(root: Path) -> Iterator[ModelServer]:
    """Who judges and embeds, beside the tested model."""
    with model_server("Hello!") as tested, model_server(yes()) as judge:
        models = {
            name: {"base_url": server.url, "model": name}
            for name, server in (("m", tested), ("j", judge))
        }
        roles = {"judge": "j", "embedding": "j"}
        workspace(root, json.dumps({"models": models, "model": "m", "roles": roles}))
        yield judge


def write(root: Path, **document: Any) -> None:
    given = {
        "prompt": [{"content": "Greet {name}."}],
        "prompt_parameters": ["name"],
        "dataset": [one["args"] for one in ROWS],
    }
    write_test(root / "t", model=None, checker_args=None, **{**given, **document})


def record(root: Path, **document: Any) -> Path:
    """Record a test, and return the file."""
    write(root, **document)
    lve("record", "t", "--to", "x", "-y")
    return root / "t" / "instances" / "x.jsonl"


@pytest.mark.parametrize(
    ("before", "now", "who"),
    [
        ({"judge": "It is kind."}, {"judge": "It is rude."}, "judge"),
        ({"judge": "It is kind."}, {"judge": "It is kind.", "votes": 3}, "judge"),
        ({"similar": "Hello!"}, {"similar": "Good day!"}, "embedding"),
        (
            {"any": [{"contains": "Bye"}, {"judge": "It is kind."}]},
            {"any": [{"contains": "Bye"}, {"judge": "It is rude."}]},
            "judge",
        ),
    ],
)
def test_another_question_is_a_problem_and_nobody_is_asked(
    root: Path, judge: ModelServer, before: dict[str, Any], now: dict[str, Any], who: str
) -> None:
    record(root, check=before)
    judge.requests.clear()
    for more in ((), ("--recorded",)):
        assert call("check", "t", *more)[0] == 0
    write(root, check=now)
    for more in ((), ("--recorded",)):
        code, output, _ = call("check", "t", *more)
        assert code == 2
        lines = output.splitlines()
        said = ELSE.replace("judge", who)
        assert [line.partition(":")[0] for line in lines if said in line] == [
            "t/instances/x.jsonl"
        ] * 2
        assert "[not_recorded]" in output
    assert judge.requests == []


def test_a_judge_that_is_not_asked_need_not_have_said_anything(
    root: Path, judge: ModelServer
) -> None:
    """A check before it decides, as in the recording."""
    check = {"any": [{"contains": "Hello"}, {"judge": "It is kind."}]}
    record(root, check=check)
    judge.requests.clear()
    assert call("check", "t", "--recorded")[0] == 0
    check["any"][1] = {"judge": "It is rude."}
    write(root, check=check)
    assert call("check", "t", "--recorded")[0] == 0
    assert judge.requests == []


def test_only_recorded_needs_what_was_never_kept(root: Path, judge: ModelServer) -> None:
    file = record(root, check={"judge": "It is kind."})
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps({**row, "asked": []}) + "\n" for row in rows))
    judge.requests.clear()
    assert call("check", "t")[0] == 0
    code, output, _ = call("check", "t", "--recorded")
    assert (code, output.count(NOTHING)) == (2, 2)
    assert call("check", "t", "--recorded", "--limit", "1")[1].count(NOTHING) == 1
    assert judge.requests == []


def test_code_beside_a_judge_does_not_run(root: Path, judge: ModelServer) -> None:
    (root / "t" / "checker").mkdir(parents=True)
    code = 'open("ran", "w")\nclass Own:\n    def check_response(self, r): return True\n'
    (root / "t" / "checker" / "checker.py").write_text(code)
    kind, rude = ({"checker_name": "judge", "judge": one} for one in ("It is kind.", "It is rude."))
    own = {"checker_name": "Own"}
    file = record(root, check={"judge": "It is kind."})
    write(root, checkers=[kind, own])
    assert call("check", "t")[0] == 0
    write(root, checkers=[rude, own])
    code, output, _ = call("check", "t")
    assert (code, output.count(ELSE)) == (2, 2)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps({**row, "asked": []}) + "\n" for row in rows))
    assert NOTHING not in call("check", "t", "--recorded")[1]
    assert not (root / "ran").exists()
    assert judge.requests


def test_that_a_row_is_gone_is_left_to_a_baseline(root: Path) -> None:
    removed = "removed rows go unnoticed here without a baseline (`lve compare --save`)"
    workspace(root)
    rows = [{"args": {"name": name}, "response": "Hello", "passed": True} for name in ("Ann", "Bo")]
    folder = write_test(
        root / "t",
        prompt=[{"content": "Greet {name}."}],
        prompt_parameters=["name"],
        instances=rows,
    )
    assert removed not in call("check", "t")[1]
    assert removed in call("check", "t", "--recorded")[1]
    assert removed in call("run", "t", "--model", "replay")[1].splitlines()
    call("compare", "--save", "b.json")
    file = folder / "instances" / "main.jsonl"
    file.write_text(file.read_text().partition("\n")[0] + "\n")
    assert call("check", "t", "--recorded")[0] == call("run", "t", "--model", "replay")[0] == 0
    code, output, _ = call("run", "t", "--model", "replay", "--baseline", "b.json")
    assert (code, removed in output) == (4, False)
