"""A model that answers from a script, for offline tests by lve and its users.

    model = ScriptedModel(["first answer", ScriptedAnswer("second", delay_s=0.01)])
    model = ScriptedModel({"What is 2 + 3?": "5"}, default="I don't know")
    model = ScriptedModel({"Weather?": [ScriptedAnswer(tool_calls=(call,)), "Sunny."]})
    model = ScriptedModel(lambda request: request.messages[-1].content.upper())

In settings (`answers` is a file beside lve.yaml, or the answers themselves):

    models:
      my/script: {provider: scripted, options: {answers: answers.yaml}}
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.errors import (
    ContentFilteredError,
    ModelError,
    PermanentModelError,
    SettingsError,
    TransientModelError,
)
from lve.escape import head
from lve.messages import Completion, Role, ToolCall, Usage
from lve.models.chat_model import ChatRequest

ERRORS: dict[str, type[ModelError]] = {
    "rate_limit": TransientModelError,
    "timeout": TransientModelError,
    "connection": TransientModelError,
    "server_error": TransientModelError,
    "malformed": TransientModelError,
    "empty": TransientModelError,
    "bad_request": PermanentModelError,
    "authentication": PermanentModelError,
    "not_found": PermanentModelError,
    "content_filter": ContentFilteredError,
}
"""Kind of failure that an answer may name -> the error to raise."""


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer with a delay, a failure or other properties besides its text."""

    text: str = ""
    delay_s: float = 0.0
    """Seconds until the answer comes."""
    error: str | None = None
    """A key of `ERRORS`: fail in this way instead of answering."""
    chunks: tuple[str, ...] = ()
    """The pieces of a streamed answer, in place of `text`."""
    finish_reason: str = "stop"
    retry_after_s: float | None = None
    """With `error`: the delay that the server requests."""
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()


Answer = str | ScriptedAnswer | ModelError
Steps = Sequence[Answer]
"""Several answers to one prompt: the first calls tools, the next follows the tools' results, and
so on. The last one is repeated."""
Script = Sequence[Answer] | Mapping[str, Answer | Steps] | Callable[[ChatRequest], Answer]


class ScriptedModel:
    """Answers from a list (in order), a mapping (by the last user message) or a function.

    Args:
        answers: the script. A `ModelError` in it is raised.
        default: the answer to prompts that aren't in the mapping.
        name: the model's name.

    Attributes:
        requests: all requests so far.
    """

    identity = None
    """None: answers aren't cached."""
    is_free = True

    def __init__(
        self, answers: Script, *, default: Answer | Steps | None = None, name: str = "scripted"
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._answers = answers
        self._default = default
        self._used = 0

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the next answer, or raise its error.

        Raises:
            PermanentModelError: the script has no answer (kind `not_scripted`).
        """
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, str):
            answer = ScriptedAnswer(answer)
        return await _play(answer, request, self.name)

    async def aclose(self) -> None:
        """Nothing to close."""

    def _answer(self, request: ChatRequest) -> Answer:
        if callable(self._answers):
            return self._answers(request)
        if isinstance(self._answers, Mapping):
            prompt = last_user_text(request)
            answer = self._answers.get(prompt, self._default)
            if answer is not None:
                return _step(answer, request)
            raise _not_scripted(f"no answer to {head(prompt, 60)!r} (add it, or a `default`)")
        if self._used >= len(self._answers):
            raise _not_scripted(f"no answer left ({len(self._answers)} in all)")
        self._used += 1
        return self._answers[self._used - 1]


def _step(answer: Answer | Steps, request: ChatRequest) -> Answer:
    """Return the step for this request: its number is that of the tool rounds since the user's last
    message."""
    if isinstance(answer, str | ScriptedAnswer | ModelError):
        return answer
    steps = 0
    for message in reversed(request.messages):
        if message.role is Role.user:
            break
        steps += bool(message.tool_calls)
    return answer[min(steps, len(answer) - 1)]


def last_user_text(request: ChatRequest) -> str:
    """Return the prompt or the text of the last user message; "" if there is none."""
    if request.prompt is not None:
        return request.prompt
    for message in reversed(request.messages):
        if message.role is Role.user and isinstance(message.content, str):
            return message.content
    return ""


async def _play(answer: ScriptedAnswer, request: ChatRequest, name: str) -> Completion:
    started = time.perf_counter()
    if answer.delay_s:
        import asyncio

        await asyncio.sleep(answer.delay_s)
    if answer.error is not None:
        raise ERRORS[answer.error](
            f"scripted failure: {answer.error}",
            kind=answer.error,
            retry_after_s=answer.retry_after_s,
        )
    passed = time.perf_counter() - started
    if request.stream and request.listen is not None:
        on_text = request.listen()
        for piece in answer.chunks or (answer.text,):
            on_text(piece)
    return Completion(
        answer.text or "".join(answer.chunks),
        finish_reason=answer.finish_reason,
        usage=answer.usage,
        latency_s=passed,
        first_token_s=passed if request.stream else None,
        model=name,
        tool_calls=answer.tool_calls,
    )


def _not_scripted(what: str) -> PermanentModelError:
    return PermanentModelError(f"the script has {what}", kind="not_scripted")


def script_from_data(data: object, where: str) -> tuple[Script, Answer | Steps | None]:
    """Read a script from JSON data.

    Args:
        data: a list of answers, or a mapping of prompt to answer with a `default` for other
            prompts.
        where: the origin of the data, for error messages.

    Returns:
        The script, and the default answer if there is one.

    Raises:
        SettingsError: the data have another form.
    """
    if isinstance(data, list):
        return [_answer_from_data(item, f"{where}[{n}]") for n, item in enumerate(data)], None
    if isinstance(data, Mapping):
        answers = {str(k): _steps_from_data(v, f"{where}.{k}") for k, v in data.items()}
        return answers, answers.pop("default", None)
    raise SettingsError(
        f"{where}: the answers must be a list or a mapping of prompt to answer", code="script"
    )


def _steps_from_data(data: object, where: str) -> Answer | Steps:
    if not isinstance(data, list):
        return _answer_from_data(data, where)
    if not data:
        raise SettingsError(f"{where}: an answer must be in the list", code="script")
    return [_answer_from_data(item, f"{where}[{n}]") for n, item in enumerate(data)]


def _answer_from_data(data: object, where: str) -> Answer:
    if isinstance(data, (str, int, float)) and not isinstance(data, bool):
        return str(data)
    if not isinstance(data, Mapping):
        raise SettingsError(f"{where}: an answer must be a text or a mapping", code="script")
    keys = ("text", "delay_s", "error", "chunks", "finish_reason", "retry_after_s", "tool_calls")
    for key in data:
        if key not in keys:
            raise SettingsError(
                f"{where}: unknown key {key!r} (known: {', '.join(keys)})", code="script"
            )
    error = data.get("error")
    if error is not None and (not isinstance(error, str) or error not in ERRORS):
        raise SettingsError(
            f"{where}: unknown error {error!r} (known: {', '.join(ERRORS)})", code="script"
        )
    values: dict[str, Any] = dict(data)
    chunks = values.get("chunks", ())
    if not isinstance(chunks, (list, tuple)) or not all(isinstance(c, str) for c in chunks):
        raise SettingsError(f"{where}: chunks must be a list of texts", code="script")
    for key in ("text", "finish_reason"):
        if not isinstance(values.get(key, ""), str):
            raise SettingsError(f"{where}: {key} must be a text", code="script")
    for key in ("delay_s", "retry_after_s"):
        value = values.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise SettingsError(f"{where}: {key} must be a number of seconds", code="script")
    calls = _calls_from_data(values.pop("tool_calls", []), f"{where}.tool_calls")
    if calls:
        values.setdefault("finish_reason", "tool_calls")
    return ScriptedAnswer(**{**values, "chunks": tuple(chunks), "tool_calls": calls})


def _calls_from_data(data: Any, where: str) -> tuple[ToolCall, ...]:
    is_list = isinstance(data, list) and all(isinstance(call, Mapping) for call in data)
    if not is_list or not all(isinstance(call.get("name"), str) for call in data):
        raise SettingsError(
            f"{where}: a list of objects such as {{name: f, arguments: {{}}}}", code="script"
        )
    for call in data:
        if call.keys() - {"name", "arguments", "id"}:
            raise SettingsError(
                f"{where}: a call has `name`, `arguments` and maybe an `id`", code="script"
            )
        if not isinstance(call.get("arguments", {}), str | Mapping):
            raise SettingsError(f"{where}: `arguments` must be an object or a text", code="script")
        if not isinstance(call.get("id", ""), str):
            raise SettingsError(f"{where}: `id` must be a text", code="script")
    return tuple(map(ToolCall.from_json, data))
