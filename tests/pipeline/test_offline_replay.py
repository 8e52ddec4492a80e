"""What is recorded is enough to judge again: without judge, embedder, simulated user or key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.judges import yes
from support.pytest_runs import run_apart, sessions
from support.server import ModelServer, model_server

from lve.api import run

ROLES = {"judge": "j", "embedding": "j"}


@pytest.fixture
def servers(root: Path) -> Iterator[tuple[ModelServer, ModelServer]]:
    """The tested model and who judges it; gone are they, and settings and keys, in a replay."""
    with model_server("Hello!") as tested, model_server(yes()) as judge:
        models = {
            name: {"base_url": server.url, "model": name}
            for name, server in (("m", tested), ("j", judge))
        }
        workspace(root, json.dumps({"models": models, "model": "m", "roles": ROLES}))
        yield tested, judge


def write(root: Path, **document: Any) -> Path:
    document = {"checker_args": None, "model": None, **document}
    folder: Path = write_test(root / "t", **document)
    return folder


def record(root: Path, *more: str) -> list[dict[str, Any]]:
    """Record the test, and return the lines. Then the settings name no model any more."""
    lve("record", "t", "--to", "x", "-y", *more)
    workspace(root, "{}")
    lines = (root / "t" / "instances" / "x.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def replay(*more: str) -> tuple[int, dict[str, Any]]:
    ran = lve("run", "t", "--model", "replay", "--json", *more, code=None)
    return ran.exit_code, json.loads(ran.stdout)


def asked_by(servers: tuple[ModelServer, ModelServer]) -> int:
    return sum(len(server.requests) for server in servers)


@pytest.mark.parametrize(
    ("check", "has"),
    [
        ({"judge": "It is kind."}, "text"),
        ({"judge": "It is kind.", "votes": 3}, "text"),
        ({"similar": ["Good day!", "Hello!"], "threshold": 0.99}, "vector"),
    ],
)
def test_what_others_said_is_recorded(
    root: Path, servers: tuple[ModelServer, ModelServer], check: Any, has: str
) -> None:
    write(root, check=check)
    (line,) = record(root)
    assert all(has in one and one["model"] == "j" for one in line["asked"])
    assert len({one["key"] for one in line["asked"]}) == (check.get("votes") or len(line["asked"]))
    before = asked_by(servers)
    code, report = replay()
    assert (code, report["summary"]["instances"]["passed"]) == (0, 1)
    assert asked_by(servers) == before


def test_another_question_is_not_answered_by_the_recording(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    write(root, check={"judge": "It is kind."})
    record(root)
    write(root, check={"judge": "It is rude."})
    code, report = replay()
    assert code == 3
    (result,) = report["tests"][0]["instances"]
    assert result["error_kind"] == "not_recorded"
    assert "no answer to its question is recorded" in result["reason"]
    assert "no model for the role `judge`" in result["reason"]
    assert report["summary"]["asked"]["answers"] == 0
    judged = lve("score", "last", code=3)
    assert "(`lve record` keeps it), and there is no model for the role" in judged.stdout
    assert "mend it" not in judged.output, "what is missing is a recording"
    assert "other roles" not in judged.output


def test_a_vector_that_was_damaged_is_asked_for_again(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    folder = write(root, check={"similar": ["Good day!", "Hello!"], "threshold": 0.99})
    (line,) = record(root)
    for damage in ("!", "AAAA", ""):
        line["asked"][0]["vector"] = damage
        (folder / "instances" / "x.jsonl").write_text(json.dumps(line) + "\n")
        code, report = replay()
        assert code == 3, damage
        assert report["summary"]["error_kinds"] == {"not_recorded": 1}


def test_all_repeats_are_recorded(root: Path, servers: tuple[ModelServer, ModelServer]) -> None:
    write(
        root,
        check={"contains": "Hello"},
        expect={"pass_rate": 0.5},
        repeats=8,
        default_model_args={"temperature": 1},
    )
    assert len(record(root)) == 8
    code, report = replay()
    assert (code, report["tests"][0]["verdict"]) == (0, "passed")
    assert report["summary"]["instances"]["passed"] == 8


CLAIM = {"pass_rate": 0.6, "claim": "population"}


def test_recorded_repeats_are_repeats_of_their_row(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    rows = [{"args": {"name": name}} for name in "abcdef"]
    warm = {"repeats": 5, "default_model_args": {"temperature": 1}, "expect": CLAIM}
    write(root, instances=rows, **GREET, **warm)
    asked = json.loads(lve("run", "t", "--json", code=4).stdout)["tests"][0]
    servers[0].requests.clear()
    assert len(record(root)) == 30
    _, report = replay()
    (again,) = report["tests"]
    assert (asked["verdict"], asked["rows"]) == ("inconclusive", 6)
    for name in ("verdict", "reason", "rows", "pass_rate", "population", "at_k"):
        assert again[name] == asked[name], name
    assert "30/30 passed (6 rows, 5 repeats each)" in lve("show", "last").output


def test_a_recorded_row_is_asked_once_more_not_once_per_answer(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    root: Path,
    servers: tuple[ModelServer, ModelServer],
) -> None:
    monkeypatch.chdir(root)
    rows = [{"args": {"name": name}} for name in "abc"]
    write(root, instances=rows, repeats=4, **GREET)
    settings = (root / "lve.yaml").read_text()
    assert len(record(root)) == 12
    (root / "lve.yaml").write_text(settings)
    servers[0].requests.clear()
    assert "12 results (3 rows, 4 repeats each): 12 passed" in lve("run", "t", "--no-cache").output
    assert len(servers[0].requests) == 12
    pytester.runpytest(root / "t", "--lve-no-cache").assert_outcomes(passed=3)
    assert len(servers[0].requests) == 24
    assert "3" in lve("list").output.split()
    assert "12 calls" in lve("run", "t", "--dry-run").output


def test_repeats_that_are_asked_again_are_repeats_of_their_row(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    rows = [{"args": {"name": name}} for name in "abc"]
    write(root, instances=rows, repeats=3, **GREET)
    settings = (root / "lve.yaml").read_text()
    record(root)
    (root / "lve.yaml").write_text(settings)
    write(root, repeats=3, **{**GREET, "prompt": [{"content": "Greet {name}."}]})
    servers[0].requests.clear()
    renewed = lve("record", "t", "--stale", "-y")
    assert "3 rows, 3 repeats each; pass rate 1" in renewed.output
    assert len(servers[0].requests) == 9
    assert replay()[0] == 0


def test_what_failed_in_a_replay_is_asked_of_another_model(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    lines = [{"args": {"name": "a"}, "response": text} for text in ("Hello", "Bye", "Bye")]
    write(root, instances=lines, **GREET)
    assert replay()[0] == 1
    ran = lve("run", "t", "--failed-in", "last", "--model", "m", "--no-cache")
    assert len(servers[0].requests) == 2, ran.output


def test_a_replay_of_repeats_that_ended_early_is_judged_as_strictly(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    """Looking at the rate after each repeat, one may stop at a lucky moment."""
    lines = [
        {"args": {}, "response": "Hello" if number else "Bye", "passed": bool(number)}
        for number in range(36)
    ]
    sometimes = {"check": {"contains": "Hello"}, "default_model_args": {"temperature": 1}}
    write(root, instances=lines, expect={"pass_rate": 0.85}, **sometimes)
    assert replay()[1]["tests"][0]["verdict"] == "inconclusive"
    write(root, instances=lines, expect={"pass_rate": 0.85}, repeats=36, **sometimes)
    assert replay()[1]["tests"][0]["verdict"] == "passed"


def test_repeats_of_the_command_line_win(
    root: Path, servers: tuple[ModelServer, ModelServer]
) -> None:
    write(root, check={"contains": "Hello"}, repeats=4, default_model_args={"temperature": 1})
    assert len(record(root, "--repeats", "2")) == 2


def test_a_simulated_user_is_replayed(root: Path, servers: tuple[ModelServer, ModelServer]) -> None:
    user = {"instructions": "Ask for a lamp.", "max_turns": 2}
    roles = {**ROLES, "user": "m"}
    models = {"m": {"base_url": servers[0].url, "model": "m"}}
    workspace(root, json.dumps({"models": models, "model": "m", "roles": roles}))
    write(root, simulated_user=user, prompt=[{"content": "Hi."}], check={"contains": "Hello"})
    record(root)
    code, report = replay()
    assert (code, report["summary"]["instances"]["passed"]) == (0, 1)


ROWS = [{"args": {"name": name}} for name in ("Ann", "Bob", "Cid", "Dan", "Eve")]
RECORDED = {"response": "Hello Ann", "passed": True}
GREET: dict[str, Any] = {
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
    "check": {"contains": "Hello"},
}


def test_rows_without_a_recording_are_counted_and_named(root: Path) -> None:
    rows = [{**ROWS[0], **RECORDED}, *ROWS[1:]]
    write(root, instances=rows, **GREET)
    ran = lve("run", "t", "--model", "replay")
    assert "4 rows are not recorded and were not judged" in ran.output
    assert "t/instances/main.jsonl:2, t/instances/main.jsonl:3" in ran.output
    assert replay()[1]["summary"]["not_recorded"] == 4
    code, out, _ = call("check", "t", "--recorded")
    assert code == 2
    assert out.count("has no recorded answer") == 4


def test_a_test_without_any_recording_is_skipped(root: Path) -> None:
    write(root, instances=ROWS, **GREET)
    code, report = replay()
    assert code == 5  # nothing was run
    assert report["summary"]["tests"]["skipped"] == 1
    assert "`lve record t --model MODEL`" in lve("run", "t", "--model", "replay", code=5).output


def test_pytest_skips_what_is_not_recorded(pytester: pytest.Pytester) -> None:
    rows = [{**ROWS[0], **RECORDED}, *ROWS[1:]]
    write(pytester.path, instances=rows, **GREET)
    (pytester.path / ".lverepo").touch()
    result = pytester.runpytest("t", "--lve-model", "replay", "-rs")
    result.assert_outcomes(passed=1, skipped=4)
    words = "lve: skipped rows of t: no answer is recorded: `lve record t --model MODEL` asks"
    assert words in str(result.stdout)
    assert "skipped t:" not in str(result.stdout), "one of its rows has passed"
    assert "no answer is recorded" in str(result.stdout)
    assert "4 rows are not recorded and were not judged" in str(result.stdout)
    write(pytester.path, instances=rows, expect={"at_least": 0.2}, **GREET)
    whole = run_apart(pytester, "t", "--lve-model", "replay")
    whole.assert_outcomes(passed=1)
    assert "4 rows are not recorded and were not judged" in str(whole.stdout)


@pytest.mark.parametrize("args", [(), ("-n", "2")])
def test_pytest_does_not_pass_a_share_of_what_happens_to_be_recorded(
    pytester: pytest.Pytester, args: tuple[str, ...]
) -> None:
    rows = [{**ROWS[0], **RECORDED}, *ROWS[1:]]
    write(pytester.path, instances=rows, expect={"at_least": 0.5}, **GREET)
    (pytester.path / ".lverepo").touch()
    result = run_apart(pytester, "t", "--lve-replay", *args)
    result.assert_outcomes(failed=1)
    assert "1 of 1 passed (100%), expected at least 50%; 4 rows have no" in str(result.stdout)
    assert sessions(pytester)[0]["summary"]["tests"]["inconclusive"] == 1
    allowed = run_apart(pytester, "t", "--lve-replay", "--lve-allow-inconclusive", *args)
    allowed.assert_outcomes(passed=1, warnings=1)


def test_a_share_is_judged_by_all_rows_at_every_door(root: Path) -> None:
    """2 of 2 recorded rows were "at least 75 %" of four."""
    rows = [{**row, **RECORDED} for row in ROWS[:2]] + ROWS[2:4]
    write(root, instances=rows, expect={"at_least": 0.75}, **GREET)
    undecided = "2 rows have no recorded answer, which could change that: `lve record t` asks"
    for command in (
        ("run", "t", "--model", "replay"),
        ("run", "--resume", "last", "--model", "replay"),
        ("score", "last"),
    ):
        assert undecided in lve(*command, code=4).output
    lve("report", "last", "-o", "report.md")
    assert undecided in lve("show", "last").output
    assert "could change that" in (root / "report.md").read_text()
    assert run(root / "t", model="replay").exit_code() == 4
    for shard in ("1/2", "2/2"):
        lve("run", "t", "--model", "replay", "--shard", shard, "--session-dir", "shards", code=None)
    code, _, said = call("session", "merge", *sorted((root / "shards" / "runs").iterdir()))
    assert (code, "1 test: 1 inconclusive;" in said) == (4, True), said
    assert undecided in lve("show", "last").output


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([ROWS[0]] * 4, 0),
        ([ROWS[0]] * 3, 0),
        ([ROWS[0]] * 2, 4),
        ([ROWS[0]] * 4 + [ROWS[1]] * 2, 0),
        ([ROWS[0]] * 3 + [ROWS[1]] * 2, 4),
    ],
)
def test_a_share_of_repeats_wants_all_of_them(
    root: Path, rows: list[dict[str, Any]], code: int
) -> None:
    recorded = [{**row, **RECORDED} for row in rows]
    write(root, instances=recorded, expect={"at_least": 0.75}, repeats=4, **GREET)
    lve("run", "t", "--model", "replay", code=code)
    lve("run", "t", "--model", "replay", "--repeats", "2", code=code)


def test_a_session_that_is_shown_or_merged_says_what_was_left_out(root: Path) -> None:
    others = [{"args": {"name": name}} for name in ("Fay", "Gus", "Hal")]
    rows = [{**row, **RECORDED} for row in ROWS[:4]] + ROWS[4:] + others
    write(root, instances=rows, **GREET)
    assert replay()[1]["summary"]["not_recorded"] == 4
    left_out = "4 rows are not recorded and were not judged"
    assert left_out in lve("show", "last").output
    assert left_out in lve("run", "--resume", "last", "--model", "replay").output
    assert left_out in lve("show", "last").output
    assert left_out in lve("score", "last").output
    for shard in ("1/2", "2/2"):
        lve("run", "t", "--model", "replay", "--shard", shard, "--session-dir", "shards", code=None)
    lve("session", "merge", *sorted((root / "shards" / "runs").iterdir()))
    assert left_out in lve("show", "last").output


def two_models(root: Path, n_says: str = "Hello") -> None:
    """Write a test of two rows with the answers of the models m and n in files of their own."""
    write(root, instances=[], **GREET)
    for name, response in (("m", "Hello"), ("n", n_says)):
        info = {"run_info": {"model": name}}
        lines = [{**row, "response": response, "passed": True, **info} for row in ROWS[:2]]
        file = root / "t" / "instances" / f"{name}.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


BOTH = "answers of 2 models: m 2, n 2; `--instances NAME` judges one file alone"


def test_every_report_names_the_models_that_answered_if_there_are_several(root: Path) -> None:
    two_models(root, "Bye")
    reports = ("r.md", "r.xml", "r.html", "r.json")
    outputs = [word for name in reports for word in ("-o", name)]
    assert BOTH in lve("run", "t", "--model", "replay", *outputs, code=1).output
    for name in reports:
        assert BOTH in (root / name).read_text("utf-8"), name
    for code, command in enumerate((("show", "last"), ("score", "last"))):
        assert BOTH in lve(*command, code=code).output, command
    for shard in ("1/2", "2/2"):
        lve("run", "t", "--model", "replay", "--shard", shard, "--session-dir", "shards", code=None)
    lve("session", "merge", *sorted((root / "shards" / "runs").iterdir()), code=1)
    assert BOTH in lve("show", "last").output
    assert "answers of" not in lve("run", "t", "-m", "replay", "--instances", "m.jsonl").output


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_pytest_names_the_models_that_answered(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    two_models(pytester.path)
    (pytester.path / ".lverepo").touch()
    printed = str(run_apart(pytester, "t", "--lve-model", "replay", *workers).stdout)
    assert f"lve: {BOTH}" in printed


def test_score_compares_with_the_verdicts_of_the_session(root: Path) -> None:
    two_models(root, "Bye")
    ran = lve("run", "t", "--model", "replay", code=1)
    assert "recorded verdicts: 2 of 4 the same, 2 passed and now fail" in ran.output
    scored = lve("score", "last", code=1).output
    assert "verdicts of the session: 4 of 4 the same" in scored
    assert "recorded verdicts" not in scored
    assert "as recorded" not in scored
    write(root, instances=[], **{**GREET, "check": {"contains": "Bye"}})
    changed = "verdicts of the session: 0 of 4 the same, 2 passed and now fail, 2 failed and now"
    assert changed in lve("score", "last", code=1).output
    summary = json.loads(lve("score", "last", "--json", code=1).stdout)["summary"]
    assert any(changed in one for one in summary["remarks"])


SAID = [
    "recorded verdicts: 1 of 2 the same, 1 passed and now fail",
    "t/instances/main.jsonl:2: passed before, failed now",
    "1 recorded answer is for another prompt and was not judged (stale)",
    "2 recorded answers don't say which prompt they are for (unbound)",
    "2 rows are not recorded and were not judged",
    "recorded answers, nothing was sent",
    "removed rows go unnoticed here without a baseline (`lve compare --save`)",
]
"""What each kind of report says of the replay of `write_some`."""


def write_some(root: Path, **document: Any) -> None:
    """Write a test with a row that passes as recorded, one that fails now, a stale one, and two
    that aren't recorded."""
    flipped = {"response": "Bye", "passed": True}
    stale = {**RECORDED, "sent": "0" * 64}
    rows = [{**ROWS[0], **RECORDED}, {**ROWS[1], **flipped}, {**ROWS[2], **stale}, *ROWS[3:]]
    write(root, instances=rows, **document, **GREET)


def test_reports_of_all_kinds_say_what_was_not_judged(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_some(root)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(root / "step.md"))
    reports = ("r.md", "r.xml", "r.html", "r.json")
    outputs = [word for name in reports for word in ("-o", name)]
    lve("run", "t", "--model", "replay", *outputs, "--github", code=3)
    for name in ("r.md", "step.md", "r.html"):
        text = (root / name).read_text("utf-8")
        assert [line for line in SAID if line not in text] == [], name
    report = json.loads((root / "r.json").read_text("utf-8"))
    assert [
        one.partition(": t/inst")[0] for one in report["sessions"][0]["summary"]["remarks"]
    ] == SAID
    suite = ElementTree.fromstring((root / "r.xml").read_text("utf-8"))[0]
    assert (suite.findtext("system-out") or "").splitlines() == SAID
    assert [_value(one) for one in suite.iter("property")][-len(SAID) :] == SAID


def _value(element: ElementTree.Element) -> str:
    return element.get("value") or ""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_pytest_and_its_report_say_what_was_not_judged(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write_some(pytester.path)
    (pytester.path / ".lverepo").touch()
    asked = ("t", "--lve-model", "replay", "--junitxml", "r.xml", *workers)
    printed = str(run_apart(pytester, *asked).stdout)
    assert [line for line in SAID if f"lve: {line}" not in printed] == []
    assert "not judged: t/instances/main.jsonl:4, t/instances/main.jsonl:5\n" in printed
    root = ElementTree.fromstring((pytester.path / "r.xml").read_text("utf-8"))
    values = {_value(one) for one in root.iter("property")}
    one_by_one = {
        "recorded verdicts: 0 of 1 the same, 1 passed and now fail",
        SAID[1],
        SAID[2],
        "1 recorded answer doesn't say which prompt it is for (unbound)",
        SAID[5],
    }
    assert one_by_one <= values
    write_some(pytester.path, expect={"at_least": 1})
    run_apart(pytester, *asked)
    root = ElementTree.fromstring((pytester.path / "r.xml").read_text("utf-8"))
    values = {_value(one).partition(": t/inst")[0] for one in root.iter("property")}
    assert {*SAID} <= values
