"""Custom checkers in their processes, which can't affect the run."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with, transcript
from support.trust import trusted

from lve.checkers.base import CheckContext
from lve.checkers.judge import Judge
from lve.checkers.processes import judging_process
from lve.checkers.resolve import resolve
from lve.errors import SpecError
from lve.messages import Completion, Usage
from lve.settings.trusted_file import TrustedFile

HEAD = """
    import os, sys, time
    from lve.checkers.base import CheckContext, Verdict
    class C:
        def check(self, context):
            text = context.response
"""


def _judge(folder: Path, body: str, *, timeout_s: float | None = None, **args: Any) -> Judge:
    """Return the judge of a test whose checker does this with an answer's `text`."""
    return _judge_of(folder, _checker(body), timeout_s=timeout_s, **args)


def _checker(body: str) -> str:
    return textwrap.dedent(HEAD) + textwrap.indent(textwrap.dedent(body), " " * 8)


def _judge_that_writes(folder: Path, body: str, *, write: Path) -> Judge:
    """Return the judge of a test whose checker may write to this place."""
    file = folder / "checker" / "checker.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_checker(body), encoding="utf-8")
    entry = trusted(folder, file, write=(str(write),))
    return resolve(spec_with(folder, checker_args={"checker_name": "C"}), trust=[entry])


def _judge_of(folder: Path, code: str, *, timeout_s: float | None = None, **args: Any) -> Judge:
    file = folder / "checker" / "checker.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(code), encoding="utf-8")
    spec = spec_with(folder, checker_args={"checker_name": "C", **args})
    return resolve(replace(spec, timeout_s=timeout_s), trusted=True)


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has asked for yet has ended."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # no /proc here, or it has just ended
        return not Path("/proc/self").exists()


def _ends(pid: int) -> bool:
    until = time.monotonic() + 5
    while _is_alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not _is_alive(pid)


def test_it_runs_in_another_process_and_keeps_it(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "return Verdict('passed', str(os.getpid()))")
    first, second = (judge_answers(judge, "x").reason for _ in range(2))
    assert first == second != str(os.getpid())


def test_checker_that_ends_its_process_is_an_error_and_the_next_instance_goes_on(
    tmp_path: Path,
) -> None:
    body = """
        if text == "exit":
            print("going, \\x1b[31m by")
            os._exit(0)
        if text == "crash":
            os.kill(os.getpid(), 11)
        return Verdict("passed", text)
    """
    judge = _judge(tmp_path, body)
    verdict = judge_answers(judge, "exit")
    assert verdict.outcome == "error"
    assert "checker.py: C ended its process (exit code 0); it printed last: going" in verdict.reason
    assert "\x1b" not in verdict.reason
    assert judge_answers(judge, "fine").passed
    assert "(signal 11)" in judge_answers(judge, "crash").reason
    assert judge_answers(judge, "fine").passed


def test_checker_whose_process_ends_again_and_again_is_given_up(tmp_path: Path) -> None:
    marker = tmp_path / "starts"
    marker.touch()
    body = f"""
        with open({str(marker)!r}, "a") as file:
            file.write("x")
        os._exit(3)
    """
    judge = _judge_that_writes(tmp_path, body, write=marker)
    reasons = [judge_answers(judge, "x").reason for _ in range(5)]
    assert all("(exit code 3)" in reason for reason in reasons[:3])
    assert all("not run any more" in reason for reason in reasons[3:])
    assert marker.read_text() == "xxx"


def test_checker_that_takes_too_long_is_stopped_with_what_it_started(tmp_path: Path) -> None:
    body = """
        if text == "sleep":
            import subprocess
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print(child.pid)
            time.sleep(600)
        return True
    """
    judge = _judge(tmp_path, body, timeout_s=0.3)
    reason = judge_answers(judge, "sleep").reason
    assert "took longer than 0.3 s and was stopped" in reason
    assert "`timeout_s` sets the limit" in reason
    started = int(reason.split("printed last: ")[1].split()[0])
    assert _ends(started)
    assert judge_answers(judge, "go on").passed


def test_what_it_prints_and_reads_goes_nowhere(tmp_path: Path, capfd: Any) -> None:
    body = """
        print("on stdout")
        print("on stderr", file=sys.stderr)
        os.write(1, b'{"verdict": {"outcome": "failed"}}\\n')
        os.system("echo from a program; cat")
        os.write(1, b"x" * 1_000_000)
        return Verdict("passed", repr(sys.stdin.read()))
    """
    judge = _judge(tmp_path, body)
    assert judge_answers(judge, "x").reason == "''"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_it_sees_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy")
    monkeypatch.setenv("HF_TOKEN", "hf-secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    judge = _judge(
        tmp_path, "return Verdict('passed', ' '.join(f'{k}={v}' for k, v in os.environ.items()))"
    )
    seen = judge_answers(judge, "x").reason
    assert "secret" not in seen
    assert "LC_ALL=C.UTF-8" in seen
    assert "PATH=" in seen


def test_key_that_it_needs_is_named_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    judge = _judge(tmp_path, "return Verdict('passed', os.environ['OPENAI_API_KEY'])")
    reason = judge_answers(judge, "x").reason
    assert "KeyError: 'OPENAI_API_KEY'" in reason
    assert "`env: [OPENAI_API_KEY]` to the file's entry under `trust`" in reason

    digest = hashlib.sha256((tmp_path / "checker" / "checker.py").read_bytes()).hexdigest()
    trust = [TrustedFile("checker/checker.py", digest, ("OPENAI_API_KEY",))]
    spec = spec_with(tmp_path, checker_args={"checker_name": "C"})
    assert judge_answers(resolve(spec, trust=trust), "x").reason == "sk-secret"


def test_all_of_a_context_arrives(tmp_path: Path) -> None:
    body = """
        return Verdict("passed", repr(context), 0.5)
    """
    judge = _judge(tmp_path, body)
    [run] = [transcript("Grüße \U0001f600 \ud800 \u2028\n")]
    usage = Usage(3, 4)
    run = replace(run, completions=(Completion("x", usage=usage, logprobs=[{"a": -1.5}]),))
    parameters = {"n": 1.5, "list": [1, None, True], "name": "Ä"}
    context = CheckContext((run, run), parameters, ["B"], {"seed": 1})
    verdict = judge.judge(context)
    assert (verdict.reason, verdict.score) == (repr(context), 0.5)


def test_big_answers(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "return Verdict('passed', str(len(text)) + text)")
    reason = judge_answers(judge, "0123456789" * 500_000).reason
    assert reason.startswith("50000000123456789")
    assert reason.endswith("... (cut, of 5,000,007 characters)")


def test_long_errors_are_cut(tmp_path: Path) -> None:
    verdict = judge_answers(_judge(tmp_path, "raise ValueError('x' * 10**6)"), "x")
    assert verdict.outcome == "error"
    assert verdict.reason.endswith("xxx...")
    assert len(verdict.reason) < 11_000


def test_redaction_happens_there_and_costs_nothing_without_one(tmp_path: Path) -> None:
    code = """
        class C:
            def check(self, context): return True
            def postprocess_response(self, response):
                return response.replace("secret", "***")
    """
    judge = _judge_of(tmp_path / "a", code)
    assert judge.postprocess("a secret ä") == "a *** ä"
    plain = _judge(tmp_path / "b", "return True")
    plain.stop()  # a process that is gone can't be asked
    assert plain.postprocess("a secret") == "a secret"


def test_process_that_is_killed_in_between_is_started_again(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "return Verdict('passed', str(os.getpid()))")
    pid = int(judge_answers(judge, "x").reason)
    os.kill(pid, signal.SIGKILL)
    assert "(signal 9)" in judge_answers(judge, "x").reason
    assert int(judge_answers(judge, "x").reason) != pid


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return Verdict('pass')", "gave the verdict 'pass', which is none of passed"),
        ("return Verdict('passed', 'good', 'high')", "gave a score that is no number from"),
        ("return Verdict('passed', '', float('nan'))", "to 1,000,000: nan"),
        ("return Verdict('passed', '', float('-inf'))", "to 1,000,000: -inf"),
        ("return Verdict('passed', '', 10**5000)", "to 1,000,000: int"),
        ("return Verdict('passed', '', 10**400)", "to 1,000,000: 1000"),
        ("sys.exit()", "checker.py:7: SystemExit"),
        ("raise KeyboardInterrupt", "checker.py:7: KeyboardInterrupt"),
    ],
)
def test_what_is_no_verdict_is_an_error(body: str, reason: str, tmp_path: Path) -> None:
    judge = _judge(tmp_path, body)
    verdict = judge_answers(judge, "x")
    assert verdict.outcome == "error"
    assert reason in verdict.reason


def test_line_that_is_no_answer_ends_the_process(tmp_path: Path) -> None:
    body = """
        if text == "lie":
            for file in range(3, 10):
                try:
                    os.write(file, b"[1]\\n")
                except OSError:
                    pass
        return Verdict("passed", text)
    """
    judge = _judge(tmp_path, body)
    why = judge_answers(judge, "lie").reason
    assert "gave several answers to one request" in why or "no JSON object" in why
    assert judge_answers(judge, "x").reason == "x"


def test_two_tests_with_the_same_class_name_have_their_own(tmp_path: Path) -> None:
    judges = [
        _judge(tmp_path / name, f"return Verdict('passed', '{name}' + str(os.getpid()))")
        for name in "ab"
    ]
    first, second = (judge_answers(judge, "x").reason for judge in judges)
    assert (first[0], second[0]) == ("a", "b")
    assert first[1:] != second[1:]


def test_same_class_with_the_same_arguments_shares_a_process(tmp_path: Path) -> None:
    bodies = ["return Verdict('passed', str(os.getpid()))"] * 2
    first, second = (_judge(tmp_path, body) for body in bodies)
    assert judge_answers(first, "x").reason == judge_answers(second, "x").reason


def test_what_was_trusted_runs_even_if_the_file_changes(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "return Verdict('passed', str(os.getpid()))")
    pid = int(judge_answers(judge, "x").reason)
    os.kill(pid, signal.SIGKILL)
    (tmp_path / "checker" / "checker.py").write_text("raise SystemExit('changed')")
    assert judge_answers(judge, "x").outcome == "error"
    assert int(judge_answers(judge, "x").reason) != pid


def test_file_that_exits_while_it_is_loaded_is_a_problem_of_the_test(tmp_path: Path) -> None:
    code = "import os\nclass C:\n    def check(self, context): ...\nos._exit(0)\n"
    with pytest.raises(SpecError, match=r"C ended its process \(exit code 0\)"):
        _judge_of(tmp_path, code)


def test_many_checkers_keep_few_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_process.CHECKERS, "most", 2)
    body = "return Verdict('passed', str(os.getpid()))"
    judges = [_judge(tmp_path / str(n), body) for n in range(4)]
    pids = [int(judge_answers(judge, "x").reason) for judge in judges]
    assert [_is_alive(pid) for pid in pids] == [False, False, True, True]


def test_stop_ends_waiting_calls(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "time.sleep(600)")
    reasons: list[str] = []
    waiting = threading.Thread(target=lambda: reasons.append(judge_answers(judge, "x").reason))
    waiting.start()
    judge.stop()
    waiting.join(5)
    assert [reason[-7:] for reason in reasons] == ["stopped"]


def test_process_ends_with_the_last_test_that_uses_it(tmp_path: Path) -> None:
    judge = _judge(tmp_path, "return Verdict('passed', str(os.getpid()))")
    pid = int(judge_answers(judge, "x").reason)
    del judge
    assert _ends(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="no lifeline there")
@pytest.mark.parametrize(
    "busy", ["time.sleep(600)", "import re; re.match('(a|a)*$', 'a' * 60 + 'b')"]
)
def test_process_ends_when_lve_is_killed(busy: str, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    body = f"""
        with open({str(marker) + ".new"!r}, "w") as file:
            file.write(str(os.getpid()))
        os.rename({str(marker) + ".new"!r}, {str(marker)!r})
        {busy}
    """
    _judge_that_writes(tmp_path, body, write=tmp_path).stop()
    script = """
        import hashlib, pathlib, sys
        from lve.api import load
        from lve.checkers.contract import CheckContext
        from lve.checkers.resolve import resolve
        from lve.messages import Message, Role, Transcript
        from lve.settings.trusted_file import TrustedFile
        run = Transcript((Message("x", Role.assistant),), filled=(0,))
        source = pathlib.Path(sys.argv[1], "checker", "checker.py").read_bytes()
        digest = hashlib.sha256(source).hexdigest()
        entry = TrustedFile("checker/checker.py", digest, write=(sys.argv[1],))
        judge = resolve(load(sys.argv[1]), trusted=True, trust=[entry])
        judge.judge(CheckContext((run,)))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # whose temporary folder stays
    lve = subprocess.Popen(command, cwd=tmp_path, env=environment)
    try:
        until = time.monotonic() + 10
        while not marker.exists() and lve.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        pid = int(marker.read_text())
        assert _is_alive(pid)
    finally:
        lve.kill()
        lve.wait()
    assert _ends(pid)


def test_a_slow_start_does_not_lengthen_the_deadline(tmp_path: Path) -> None:
    code = """
        import time
        time.sleep(0.7)
        class C:
            def check(self, context):
                time.sleep(60)
    """
    judge = _judge_of(tmp_path, code, timeout_s=0.3)
    before = time.monotonic()
    assert "took longer than 0.3 s" in judge_answers(judge, "x").reason
    assert time.monotonic() - before < 20
