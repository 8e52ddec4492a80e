"""Commands as models."""

from __future__ import annotations

import ast
import asyncio
import json
import sys
from pathlib import Path

import pytest
from extensions.targets.targets import asked, conversation, target
from support.trust import trusted

from lve.errors import (
    ModelError,
    PermanentModelError,
    SettingsError,
    TransientModelError,
    TrustError,
)
from lve.messages import Message, Usage
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings
from lve.spec.settings_file import load_workspace

ECHO = """
import json, sys
request = json.load(sys.stdin)
print(json.dumps({"text": "said " + request["prompt"], "usage": {"prompt_tokens": 1}}))
"""
LINES = """
import json, sys
seen = {}
for line in sys.stdin:
    request = json.loads(line)
    turns = seen.setdefault(request["session"], [])
    turns.append(request["prompt"])
    print(json.dumps({"text": " ".join(turns), "session": request["session"]}), flush=True)
"""


def program(root: Path, source: str, name: str = "app.py") -> list[str]:
    (root / name).write_text(source, encoding="utf-8")
    return [sys.executable, name]


def test_a_command_gets_json_and_answers(tmp_path: Path) -> None:
    model = target(tmp_path, "exec", {"command": program(tmp_path, ECHO)})
    first, second = asked(model, "a", "b")
    assert (first.text, second.text) == ("said a", "said b")
    assert first.usage == Usage(1, 0)
    assert model.identity is None


def test_a_shell_script_answers_with_a_text(tmp_path: Path) -> None:
    command = ["sh", "-c", "cat >/dev/null; echo Paris; echo it thinks >&2"]
    [completion] = asked(target(tmp_path, "exec", {"command": command}), "capital?")
    assert completion.text == "Paris"


def test_a_command_that_stays_keeps_its_conversations_apart(tmp_path: Path) -> None:
    options = {"command": program(tmp_path, LINES), "lines": True, "workers": 1}
    model = target(tmp_path, "exec", options)
    assert conversation(model, ["a", "b"], stays_open=True) == ["a", "a b"]
    assert conversation(model, ["c"]) == ["c"]


@pytest.mark.parametrize(
    ("source", "error", "why"),
    [
        ("import sys; sys.exit('no key')", PermanentModelError, r"exit code 1.*no key"),
        ("import sys; print('busy', file=sys.stderr); sys.exit(75)", TransientModelError, "busy"),
        ("import os; os.kill(os.getpid(), 9)", PermanentModelError, "signal 9"),
        ("print('{\"txt\": 1}')", PermanentModelError, "unknown key 'txt'"),
        ("print('x' * 9_000_000)", PermanentModelError, "more than 8,388,608 bytes"),
        ("import time; time.sleep(60)", PermanentModelError, "within 2 s .*isn't asked again"),
        (
            "import os; os.write(1, b'caf\\xe9')",
            PermanentModelError,
            "no UTF-8: the byte 0xe9 at 3",
        ),
    ],
)
def test_a_command_that_fails_says_so(
    tmp_path: Path, source: str, error: type[ModelError], why: str
) -> None:
    options = {"command": program(tmp_path, source)}
    model = target(tmp_path, "exec", options, timeout_s=2)
    with pytest.raises(error, match=why):
        asked(model, "hi")


def test_a_line_that_is_no_json_is_shown(tmp_path: Path) -> None:
    source = "import sys\nfor line in sys.stdin: print('loading model', flush=True)"
    model = target(tmp_path, "exec", {"command": program(tmp_path, source), "lines": True})
    with pytest.raises(PermanentModelError, match=r"'loading model'.*stderr"):
        asked(model, "hi")


def test_what_it_left_running_does_not_keep_it_waiting(tmp_path: Path) -> None:
    command = ["sh", "-c", "cat >/dev/null; sleep 30 & echo done"]
    [completion] = asked(target(tmp_path, "exec", {"command": command}, timeout_s=10), "hi")
    assert completion.text == "done"
    assert completion.latency_s < 8


def test_it_starts_only_if_it_is_trusted(tmp_path: Path) -> None:
    command = program(tmp_path, ECHO)
    with pytest.raises(TrustError, match=r"would run `.* app.py` with your rights.*--trust"):
        target(tmp_path, "exec", {"command": command}, trusted=False)


def test_a_listed_hash_is_trust_until_the_file_changes(tmp_path: Path) -> None:
    command = program(tmp_path, ECHO)
    entry = trusted(tmp_path, tmp_path / "app.py")._asdict()
    document = {
        "models": {"app/target": {"provider": "exec", "options": {"command": command}}},
        "trust": [{"path": entry["path"], "sha256": entry["sha256"]}],
    }
    (tmp_path / "lve.yaml").write_text(json.dumps(document), encoding="utf-8")
    settings = load_workspace(tmp_path).settings
    assert asked(create_model("app/target", settings), "a")[0].text == "said a"
    (tmp_path / "app.py").write_text(ECHO + "# changed", encoding="utf-8")
    with pytest.raises(TrustError):
        create_model("app/target", settings)
    outside = settings._replace(is_own=False)
    with pytest.raises(TrustError, match="you don't stand"):
        create_model("app/target", outside, trusted=True)


def test_it_runs_in_the_sandbox_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    secret = tmp_path / ".secret"
    secret.write_text("hidden", encoding="utf-8")
    command = ["sh", "-c", "cat >/dev/null; cat .secret"]
    open_ = target(tmp_path, "exec", {"command": command, "sandbox": False})
    assert asked(open_, "hi")[0].text == "hidden"
    from lve.sandbox.layers import missing_text

    if missing_text():
        pytest.skip("this machine has no complete sandbox")
    with pytest.raises(PermanentModelError, match="exit code"):
        asked(target(tmp_path, "exec", {"command": command}), "hi")


def test_a_test_can_not_define_a_command() -> None:
    with pytest.raises(SettingsError, match=r"defined in lve\.yaml"):
        create_model("exec/rm", Settings(), from_test=True, trusted=True)


def test_a_version_is_in_the_key_of_the_cache(tmp_path: Path) -> None:
    command = program(tmp_path, ECHO)
    by_text = target(tmp_path, "exec", {"command": command, "version": "2.1"})
    assert by_text.identity is not None
    assert by_text.identity["version"] == "2.1"
    printed = {"command": [sys.executable, "-c", "print('abc')"]}
    assert target(tmp_path, "exec", {"command": command, "version": printed}).identity == {
        **by_text.identity,
        "version": "abc",
    }
    options = {"command": command, "version": {"files": ["app.py"]}}
    before = target(tmp_path, "exec", options).identity
    program(tmp_path, ECHO + "# 2")
    assert target(tmp_path, "exec", options).identity != before


def test_an_interrupted_request_is_not_answered_later(tmp_path: Path) -> None:
    source = (
        "import json, sys, time\nfor line in sys.stdin:\n"
        "  r = json.loads(line)\n  time.sleep(1 if r['prompt'] == 'slow' else 0)\n"
        "  print(json.dumps({'text': r['prompt']}), flush=True)"
    )
    options = {"command": program(tmp_path, source), "lines": True, "workers": 1}
    model = target(tmp_path, "exec", options)

    async def ask() -> str:
        slow = asyncio.ensure_future(model.complete(ChatRequest((Message("slow"),))))
        await asyncio.sleep(0.5)
        slow.cancel()
        await asyncio.wait({slow})
        return (await model.complete(ChatRequest((Message("quick"),)))).text

    async def whole() -> str:
        try:
            return await ask()
        finally:
            await model.aclose()

    assert asyncio.run(whole()) == "quick"


def test_the_prompt_may_be_an_argument(tmp_path: Path) -> None:
    source = "import sys\nprint(sys.argv[1:])"
    command = [*program(tmp_path, source), "{prompt}", "{{x}}", "{print}", "a{session}"]
    first, second = asked(target(tmp_path, "exec", {"command": command}), "-v; rm\0 $X", "b")
    words = ast.literal_eval(first.text)
    assert words[:3] == ["-v; rm $X", "{{x}}", "{print}"]
    assert len(words[3]) == 33
    assert ast.literal_eval(second.text)[0] == "b"
    with pytest.raises(SettingsError, match="on stdin"):
        target(tmp_path, "exec", {"command": command, "lines": True})


def test_all_files_of_a_command_must_be_listed(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("", encoding="utf-8")
    command = [*program(tmp_path, ECHO), "other.py"]
    listed = trusted(tmp_path, tmp_path / "app.py")
    document = {
        "models": {"app/target": {"provider": "exec", "options": {"command": command}}},
        "trust": [{"path": listed.path, "sha256": listed.sha256}],
    }
    (tmp_path / "lve.yaml").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(TrustError):
        create_model("app/target", load_workspace(tmp_path).settings)
