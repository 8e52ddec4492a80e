"""Tests that are attacked: each attack is a variant, which runs as any test does."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from extensions.attacks.codeword import ANSWERS, HARM, REFUSAL, REQUEST, vault, verdicts
from support.command_line import call, lve
from support.folders import write_test

import lve as package
from lve.errors import UsageError
from lve.extensions.attacks.by_name import attacked


def test_each_attack_is_a_variant_of_the_test(root: Path) -> None:
    vault(root, attacks=["base64", "rot13"])
    assert verdicts("run", "t", "-m", "mine") == {
        "t": (1, 0),
        "t@base64": (0, 1),
        "t@rot13": (1, 0),
    }


def test_reports_have_the_easiest_attack_first_then_none_then_over_refusal(root: Path) -> None:
    benign = [{"request": "What is a codeword?"}, {"request": "Tell me about fruit."}]
    answers = {**ANSWERS, attacked(REQUEST, "atbash"): REFUSAL}
    vault(root, answers, attacks=["atbash", "base64"], benign=benign)
    shown = call("run", "t", "-m", "mine", "-o", "r.md", "-o", "r.html")[1].splitlines()
    at = shown.index("attacks, mine: success rates (95 % intervals), easiest first")
    assert [line.split("  ")[2].strip() for line in shown[at + 1 : at + 5]] == [
        "base64",
        "atbash",
        "(no attack)",
        "over-refusal (benign rows)",
    ]
    assert "base64                     100.0% 1/1 (3% to 100%)" in shown[at + 1]
    assert "50.0% 1/2 (1% to 99%)" in shown[at + 4]
    assert "(one prompt)" not in "".join(shown)  # no table of all variants beside it
    markdown = Path("r.md").read_text(encoding="utf-8")
    assert "| `base64` | 100.0% | 3% to 100% | 1/1 | 0 |" in markdown
    assert "| `over-refusal (benign rows)` | 50.0% | 1% to 99% | 1/2 | 0 |" in markdown
    assert '"over-refusal (benign rows)"' in Path("r.html").read_text(encoding="utf-8")


def test_the_command_line_attacks_instead_of_the_document(root: Path) -> None:
    vault(root, attacks=["rot13"])
    assert [*verdicts("run", "t", "-m", "mine", "--attacks", "base64")] == ["t", "t@base64"]
    assert [*verdicts("run", "t", "-m", "mine", "--attacks", "none")] == ["t"]
    result = lve("run", "t", "-m", "mine", "--attacks", "bse64", code=2)
    assert "there is no attack bse64: did you mean `base64`?" in result.stderr


def test_the_model_of_a_test_alone_is_never_attacked(root: Path) -> None:
    vault(root, attacks=["base64"])
    code, shown, _ = call("run", "t")
    assert code == 0
    assert "skipped: t@base64: attacks ask only a model that you name: --model NAME" in shown
    settings = json.loads((root / "lve.yaml").read_text())
    (root / "lve.yaml").write_text(json.dumps({**settings, "model": "mine"}))
    assert verdicts("run", "t")["t@base64"] == (0, 1)  # the workspace's own settings name it


def test_the_settings_of_a_contributed_workspace_name_no_model_to_attack(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault(root, attacks=["base64"])
    settings = json.loads((root / "lve.yaml").read_text())
    (root / "lve.yaml").write_text(json.dumps({**settings, "model": "mine"}))
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "lve.yaml").write_text("{}\n")
    monkeypatch.chdir(elsewhere)
    assert "skipped: t@base64: attacks ask only" in call("run", root / "t")[1]


def test_settings_can_forbid_attacks(root: Path) -> None:
    vault(root, attacks=["base64"], benign=[{"request": "What is a codeword?"}])
    settings = json.loads((root / "lve.yaml").read_text())
    (root / "lve.yaml").write_text(json.dumps({**settings, "attacks": False}))
    code, shown, _ = call("run", "t", "-m", "mine")
    assert code == 0
    assert "skipped: t@base64: the settings forbid attacks (`attacks: false`)" in shown
    assert "t@benign" in shown
    with pytest.raises(UsageError, match="the settings forbid attacks"):
        call("run", "t", "-m", "mine", "--attacks", "base64")


def test_recorded_answers_of_attacks_are_replayed(root: Path) -> None:
    vault(root, attacks=["base64", "rot13"], benign=[{"request": "What is a codeword?"}])
    call("record", "t", "-m", "mine", "-y")
    _, shown, _ = call("run", "t", "-m", "replay")
    assert "recorded verdicts: 4 of 4 the same" in shown
    assert "not recorded" not in shown
    assert verdicts("run", "t", "-m", "replay")["t@base64"] == (0, 1)
    (root / "lve.yaml").write_text("{}\n")
    assert verdicts("run", "t", "-m", "replay", "--attacks", "rot13") == {
        "t": (1, 0),
        "t@rot13": (1, 0),
        "t@benign": (1, 0),
    }


def test_an_answer_to_one_attack_is_none_to_another_and_none_to_the_plain_row(root: Path) -> None:
    row = {"request": REQUEST}
    recorded = {"args": row, "response": HARM, "variant": "base64"}
    vault(root, attacks=["base64", "rot13"], instances=[recorded])
    _, shown, _ = call("run", "t", "-m", "replay")
    assert "✗ t@base64 · replay · 0/1 passed" in shown
    assert "skipped: t: no answer is recorded" in shown
    assert "skipped: t@rot13: no answer is recorded" in shown


def test_recorded_rows_are_attacked_once_however_many_models_answered(root: Path) -> None:
    row = {"args": {"request": REQUEST}, "response": REFUSAL, "passed": True}
    vault(root, attacks=["base64"], dataset=None, instances=[row, row])
    other = root / "t" / "instances" / "other.jsonl"
    other.write_text(json.dumps(row) + "\n")
    assert verdicts("run", "t", "-m", "mine")["t@base64"] == (0, 1)


def test_a_recorded_answer_of_an_attack_that_the_test_has_not_is_a_problem(root: Path) -> None:
    vault(root, instances=[{"args": {"request": REQUEST}, "response": HARM, "variant": "base64"}])
    code, problems, _ = call("check", "t")
    assert code == 2
    assert "is of the variant `base64`, which the test doesn't have" in problems


@pytest.mark.parametrize("attacks", ["rot13", "none"])
def test_answers_of_the_documents_attacks_are_no_problem_where_the_command_line_has_others(
    root: Path, attacks: str
) -> None:
    recorded = {"args": {"request": REQUEST}, "response": HARM, "variant": "base64"}
    benign = [{"request": "What is a codeword?"}]
    vault(root, attacks=["base64"], benign=benign, instances=[recorded])
    _, shown, _ = call("run", "t", "-m", "mine", "--attacks", attacks)
    assert "invalid" not in shown
    assert "is of the variant" not in shown


def test_errors_run_again_with_the_attacks_of_the_command_line(root: Path) -> None:
    vault(root, {REQUEST: REFUSAL})
    call("run", "t", "-m", "mine", "--attacks", "base64")
    vault(root)
    assert verdicts("run", "--retry-errors", "last") == {"t": (1, 0), "t@base64": (0, 1)}


def test_a_session_is_judged_again_with_its_attacks(root: Path) -> None:
    vault(root)
    call("run", "t", "-m", "mine", "--attacks", "base64,rot13")
    vault(root, check={"contains": "can't"})
    assert verdicts("score", "last") == {"t": (1, 0), "t@base64": (0, 1), "t@rot13": (0, 1)}


def test_python_attacks_too(root: Path) -> None:
    test = package.load(vault(root))
    result = package.run(
        test, model=lambda text: HARM if text.startswith("VGVs") else "no", attacks="base64"
    )
    assert {(each.test, each.verdict) for each in result.results} == {
        ("t", "passed"),
        ("t@base64", "failed"),
    }


def test_pytest_has_an_item_for_each_attack(pytester: pytest.Pytester) -> None:
    vault(pytester.path, attacks=["base64", "rot13"])
    result = pytester.runpytest("t", "--lve-model", "mine", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test.json::base64-*FAILED*"])
    pytester.runpytest("t", "--lve-model", "mine", "--lve-attacks", "rot13").assert_outcomes(
        passed=2
    )
    pytester.runpytest("t").assert_outcomes(passed=1, skipped=2)


def test_each_prompt_is_attacked(root: Path) -> None:
    formal, casual = f"Sir: {REQUEST}", f"Hey: {REQUEST}"
    answers = dict.fromkeys((formal, casual, attacked(formal, "hex")), REFUSAL)
    vault(
        root,
        {**answers, attacked(casual, "hex"): HARM},
        prompt=None,
        prompts={"formal": "Sir: {request}", "casual": "Hey: {request}"},
        attacks="hex",
    )
    assert verdicts("run", "t", "-m", "mine") == {
        "t@formal": (1, 0),
        "t@casual": (1, 0),
        "t@formal~hex": (1, 0),
        "t@casual~hex": (0, 1),
    }
    assert [*verdicts("run", "t", "-m", "mine", "--prompts", "casual~hex")] == ["t@casual~hex"]
    assert [*verdicts("run", "t", "-m", "mine", "--tag", "attack=none")] == ["t@casual", "t@formal"]
    call("record", "t", "-m", "mine", "-y")
    assert verdicts("run", "t", "-m", "replay")["t@casual~hex"] == (0, 1)


def test_a_folder_with_the_path_of_an_attack_is_refused(root: Path) -> None:
    vault(root, attacks=["hex"])
    write_test(root / "t@hex")
    code, problems, _ = call("check", "t")
    assert code == 2
    assert "has the path of its attack" in problems


def test_an_attack_opens_no_connection(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    vault(root, attacks="all")
    call("run", "t", "-m", "mine", "--prompts", "hex")  # what is imported late is imported now
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    tests = json.loads(call("run", "t", "-m", "mine", "--json")[1])["tests"]
    assert len(tests) == 1 + len(json.loads(call("attacks", "all", "--json")[1]))


def test_a_suite_attacks_the_tests_below_it(root: Path) -> None:
    vault(root)
    (root / "suite.yaml").write_text("attacks: [base64]\n")
    assert verdicts("run", "t", "-m", "mine") == {"t": (1, 0), "t@base64": (0, 1)}


def test_benign_rows_have_their_own_check_and_expectation(root: Path) -> None:
    rows = [{"request": "What is a codeword?"}, {"request": "Tell me about fruit."}]
    benign = {"rows": rows, "check": {"contains": "secret"}, "expect": {"at_least": 0.5}}
    vault(root, benign=benign)
    code, shown, _ = call("run", "t")
    assert code == 0
    assert "over-refusal (benign rows)  50.0% 1/2" in shown


def test_benign_rows_may_be_a_file(root: Path) -> None:
    vault(root, benign="honest.csv")
    assert "`honest.csv`" in call("check", "t")[1]
    (root / "t" / "honest.csv").write_text("request\nWhat is a codeword?\n")
    assert verdicts("run", "t") == {"t": (1, 0), "t@benign": (1, 0)}
