"""A check that judges answers by a script of promptfoo, and a filter that changes them by one."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass, field
from lve.errors import CheckerError
from lve.extensions.promptfoo_scripts.call_forms import ValueText, as_output
from lve.json_types import JsonValue
from lve.sandbox.rights import Sandbox

CHILD = "lve.extensions.promptfoo_scripts.script_child"
MEMORY_BYTES = 6_000_000_000
"""Of addresses: node reserves more than it uses."""
START_S = 30.0
MAX_S = 30.0
Language = Literal["javascript", "python"]
Form = Literal["inline", "file"]


@dataclass(frozen=True, slots=True)
class PromptfooScript(AnswerCheck):
    """Passes if a script says so, as promptfoo's assertions `javascript` and `python` do.

    It gives true, a number that reaches the threshold (or is above 0), or an object whose `pass` is
    true. It runs in the sandbox, without network and keys; the test has to be trusted: `--trust`.
    JavaScript needs node; without it the verdict is an error.
    """

    limit_s: ClassVar[float] = START_S + MAX_S + 5
    tier: ClassVar = "code"

    promptfoo_script: str
    """The script: an expression, several lines with a `return`, or a file's text."""
    written_in: Language = "javascript"
    """Its language."""
    form: Form = "inline"
    """Whether it is the text of a file, which exports a function or has `get_assert`."""
    function: str = ""
    """The function of the file, if it isn't the usual one."""
    threshold: float | None = None
    """The lowest number that passes; by default any above 0."""
    config: Mapping[str, object] = field(default_factory=dict)
    """What the script gets as `context.config`."""
    answer: Literal["text", "json"] = "text"
    """What the script gets as `output`: the answer, or its JSON where it is JSON; after `extract`
    with `promptfoo_calls` or a script, the value of that."""
    on_error: Literal["error", "failed"] = "error"
    """What an answer is for which the script throws or gives no verdict: an error, which decides
    nothing, or failed, as in promptfoo."""

    examples: ClassVar = (CheckExample({"promptfoo_script": "output.includes(context.vars.city)"}),)

    def __post_init__(self) -> None:
        if not self.promptfoo_script.strip():
            raise ArgumentError("promptfoo_script", "'promptfoo_script' is empty")

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return None

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        script = Script(self.promptfoo_script, self.written_in, self.form, self.function)
        transcript = context.transcripts[-1]
        prompt = next((m.content for m in reversed(transcript.messages[:-1]) if m.content), "")
        surroundings = {"vars": dict(context.parameters), "prompt": prompt, "config": self.config}
        said = script.run(_output(self.answer, response), surroundings)
        if "threw" in said:
            return self._unjudged(f"throws {said['threw']}")
        return self._judged(said.get("result"))

    def _judged(self, result: JsonValue) -> Verdict:
        if self.written_in == "python" and str(result).lower() in ("true", "false"):
            result = str(result).lower() == "true"
        match result:
            case bool():
                return judged(result, f"the script gives {str(result).lower()}")
            case {"pass": bool(good), **more} | {"pass_": bool(good), **more}:
                score, reason = _number(more.get("score")), more.get("reason")
                if score is None or not isinstance(reason, str):
                    return self._unjudged("gives an object without score or reason")
                if self.written_in == "python" and self.threshold:
                    good = good and score >= self.threshold
                return judged(good, f"{reason}: {'passes' if good else 'fails'}", score)
        number = _number(result)
        if number is None:
            return self._unjudged("gives neither a truth, a number nor an object")
        good = number >= self.threshold if self.threshold else number > 0
        return judged(good, f"the script gives {number:g}", number)

    def _unjudged(self, what: str) -> Verdict:
        if self.on_error == "error":
            raise CheckerError(f"the script {what}", code="checker_code")
        return judged(False, f"the script {what}")


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]  # mypy forgets it


def _output(answer: str, response: str) -> object:
    """Return what promptfoo gives a script as the answer."""
    if isinstance(response, ValueText):
        return response.value
    try:
        return json.loads(response) if answer == "json" else response
    except (ValueError, RecursionError):
        return response


@dataclass(frozen=True, slots=True)
class Script:
    """A script of promptfoo."""

    text: str
    written_in: Language
    form: Form
    function: str = ""

    def run(self, output: object, context: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return `{result}`, or `{threw}`, what it raised.

        Raises:
            CheckerError: node or a module isn't there, the script takes too long, or there is no
                process in a sandbox.
        """
        node = shutil.which("node") if self.written_in == "javascript" else None
        if self.written_in == "javascript" and node is None:
            message = "node isn't installed, which runs the JavaScript of this check"
            raise CheckerError(message, code="checker_process")
        request = {
            "script": self.text,
            "form": self.form,
            "name": self.function,
            "output": output,
            "context": context,
            "node": node,
            "nonce": secrets.token_hex(16),
        }
        try:
            sandbox = Sandbox(read=(node,) if node else ())
            child = Child(CHILD, shortest_s=0.1, sandbox=sandbox, memory_bytes=MEMORY_BYTES)
        except OSError as error:
            message = f"no process can be started: {error}"
            raise CheckerError(message, code="checker_process") from None
        try:
            child.ask({}, timeout_s=START_S)
            said = child.ask(request, timeout_s=MAX_S)
        except ChildEndedError as error:
            raise CheckerError(f"the script was ended: {error}", code="checker_process") from None
        finally:
            child.end()
        if "missing" in said:
            raise CheckerError(f"the script can't run: {said['missing']}", code="checker_process")
        return said


class Transform:
    """Changes an answer by a script, as promptfoo's `transform` does: a filter of `extract`."""

    def __init__(self, script: str, written_in: Language = "javascript", form: Form = "inline",
                 function: str = "", answer: str = "text") -> None:  # fmt: skip
        """Args:
        script, written_in, form, function, answer: as in `PromptfooScript`.
        """
        self._script, self._answer = Script(script, written_in, form, function), answer

    def __call__(self, text: str) -> str:
        """Return the changed text; values that aren't texts as JSON, which keeps the value.

        Raises:
            CheckerError: the script throws, or can't run.
        """
        said = self._script.run(_output(self._answer, text), {"vars": {}})
        if "threw" in said:
            raise CheckerError(f"the transform throws {said['threw']}", code="checker_process")
        if (result := said.get("result")) is None:
            raise CheckerError("the transform gives nothing", code="checker_process")
        return as_output(result)
