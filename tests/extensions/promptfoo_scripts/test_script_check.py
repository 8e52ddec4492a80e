"""`promptfoo_script`: scripts judge as in promptfoo, in the sandbox."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext, Verdict
from lve.errors import CheckerError
from lve.extensions.promptfoo_scripts import script_check
from lve.extensions.promptfoo_scripts.script_check import PromptfooScript, Transform
from lve.messages import Completion, Message, Role, Transcript
from lve.sandbox.layers import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason="this machine has no whole sandbox")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
PYTHON = {"written_in": "python"}


def verdict_of(script: str, said: str = "Paris", **options: Any) -> Verdict:
    """Return what a script says of an answer."""
    messages = (Message("Where?"), Message(said, Role.assistant))
    run = Transcript(messages, (Completion(said),), filled=(1,))
    context = CheckContext((run,), {"city": "Paris"})
    return PromptfooScript(script, **options).check_response(said, context)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("output == context['vars']['city']", "passed"),
        ("x = output\n  \nreturn len(x) > 9", "failed"),
        ("'True'", "passed"),
        ("0.5", "passed"),
        ("0", "failed"),
        ("None", "failed"),
        ("{'pass': True, 'score': 1, 'reason': 'fine'}", "passed"),
        ("{'pass_': True, 'score': 1, 'reason': 'fine'}", "passed"),
        ("{'pass': True}", "failed"),
        ("nothing", "failed"),
        ("if x", "failed"),
        ("exit(0)", "failed"),
    ],
)
def test_python(script: str, outcome: str) -> None:
    assert verdict_of(script, written_in="python", on_error="failed").outcome == outcome


@needs_node
@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("output === context.vars.city && context.prompt === 'Where?'", "passed"),
        ("const x = output;\nreturn x.length > 9;", "failed"),
        ("new Promise(done => done(1))", "passed"),
        ("({pass: true, score: 0.1, reason: 'r'})", "passed"),
        ("({pass: true})", "failed"),
        ("'true'", "failed"),
        ("undefined", "failed"),
        ("nothing.x", "failed"),
        ("if (", "failed"),
    ],
)
def test_javascript(script: str, outcome: str) -> None:
    assert verdict_of(script, threshold=0.5, on_error="failed").outcome == outcome


@needs_node
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("outptu.length", "throws outptu is not defined"),
        ("undefined", "gives neither a truth, a number nor an object"),
        ("({pass: true})", "gives an object without score or reason"),
    ],
)
def test_a_script_without_a_verdict_is_an_error_so_not_cannot_pass(script: str, why: str) -> None:
    with pytest.raises(CheckerError, match=why):
        verdict_of(script)


@needs_node
def test_a_script_that_leaves_a_timer_or_says_any_character_has_a_verdict() -> None:
    assert verdict_of("setTimeout(() => 0, 1e9), true").passed
    assert Transform("output + '\u2028' + '\x85'")("a") == "a\u2028\x85"


@needs_node
def test_files_have_functions_and_get_the_config() -> None:
    file = "module.exports = {mine: (o, c) => c.config.least <= o.length, other: () => false}"
    assert verdict_of(file, form="file", function="mine", config={"least": 5}).outcome == "passed"
    file = "def get_assert(output, context):\n    return context['config']['least']\n"
    own: dict[str, Any] = {"form": "file", "config": {"least": 0.4}, **PYTHON}
    assert verdict_of(file, **own).score == 0.4
    assert verdict_of(file, threshold=0.5, **own).outcome == "failed"


@needs_node
def test_what_a_script_gets_as_the_answer() -> None:
    assert verdict_of("output.a === 1", '{"a": 1}', answer="json").outcome == "passed"
    assert verdict_of("output === 'x'", "x", answer="json").outcome == "passed"


def test_what_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CheckerError, match="can't run: No module named 'nowhere'"):
        verdict_of("import nowhere\nreturn True", written_in="python")
    monkeypatch.setattr(script_check.shutil, "which", lambda _: None)
    with pytest.raises(CheckerError, match="node isn't installed"):
        verdict_of("true")
    with pytest.raises(ArgumentError, match="is empty"):
        PromptfooScript(" ")


@needs_node
def test_a_script_has_no_files_network_or_keys_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "hidden")
    (tmp_path / "secret").write_text("hidden")
    file = json.dumps(str(tmp_path / "secret"))
    with pytest.raises(CheckerError, match="throws E"):
        verdict_of(f"require('fs').readFileSync({file}, 'utf8') === 'hidden'")
    assert verdict_of("process.env.MY_API_KEY === undefined").outcome == "passed"
    with pytest.raises(CheckerError, match="throws PermissionError"):
        verdict_of(f"open({file}).read() == 'hidden'", written_in="python")
    monkeypatch.setattr(script_check, "MAX_S", 1.0)
    with pytest.raises(CheckerError, match="was ended"):
        verdict_of("while (true) {}\nreturn true")
    with pytest.raises(CheckerError, match="was ended"):
        verdict_of("while True: pass\nreturn True", written_in="python")


@needs_node
def test_a_transform_changes_the_answer() -> None:
    assert Transform("output.trim() + '!'")(" a ") == "a!"
    assert Transform("({a: output.b})", answer="json")('{"b": [1]}') == '{"a":[1]}'
    assert Transform("output.length", answer="json")("abc") == "3"
    for script, why in (("nothing.x", "the transform throws"), ("undefined", "gives nothing")):
        with pytest.raises(CheckerError, match=why):
            Transform(script)("a")


@needs_node
def test_a_test_with_a_script_has_to_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    change = {"type": "promptfoo_script", "script": "output + '!'"}
    checks = [{"promptfoo_script": "output.length > 1"}, {"ends_with": "!", "extract": change}]
    for name, check in (("a", checks[0]), ("b", checks[1]), ("c", {"not": checks[1]})):
        write_test(tmp_path / name, checker_args=None, check=check)
    code, out, _ = call("run", "a", "b", "c")
    assert "3 skipped" in out
    assert out.count("is not trusted") == 3
    assert code == 5
    code, out, _ = call("run", "a", "b", "--trust")
    assert code == 0, out
