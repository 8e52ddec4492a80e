"""What an application is asked: the prompt, the messages, and the session of the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from lve.errors import PermanentModelError
from lve.json_types import JsonValue
from lve.messages import Message, Role
from lve.models.chat_model import ChatRequest
from lve.models.openai.wire import message_body
from lve.models.text_only import text_of
from lve.named_tuples import NamedTuple

API = "target"
"""Name of the API in `provider_state`."""
PROMPT, MESSAGES, SYSTEM, SESSION, ARGS = "prompt", "messages", "system", "session", "args"
NAMES = (PROMPT, MESSAGES, SYSTEM, SESSION, ARGS)
"""What can be sent to an application."""


class Takes(NamedTuple):
    """What a target sends of a request."""

    names: frozenset[str] = frozenset(NAMES)
    """Those of `NAMES` that it sends."""
    own_session: bool = True
    """Whether lve makes the session's id, not the application."""
    how: str = "`{prompt}`"
    """How messages call what is sent if it is only the prompt."""
    is_function: bool = False
    """Whether it gets them as parameters, not in a template of the settings."""

    def remedy(self, *names: str) -> str:
        """Return what helps where only the prompt is sent and one of these is needed."""
        if self.is_function:
            return f"give the function a parameter {' or '.join(f'`{name}`' for name in names)}"
        return f"send {' or '.join(f'`{{{name}}}`' for name in names)}"

    @property
    def is_remembered(self) -> bool:
        """Whether the application itself remembers what was said before."""
        return SESSION in self.names and MESSAGES not in self.names


class AppRequest(NamedTuple):
    """A request to an application."""

    prompt: str
    """Text of the newest message of the user."""
    messages: Sequence[Mapping[str, JsonValue]]
    """The whole conversation, as OpenAI's API has it."""
    system: str | None
    session: str | None
    """None: the application begins one."""
    args: Mapping[str, Any]
    """The model args that the user or the test gave."""

    def values(self) -> dict[str, Any]:
        """Return name -> value."""
        return self._asdict()


def app_request(request: ChatRequest, target: str, takes: Takes) -> AppRequest:
    """Return a request in the form that applications get.

    Args:
        request: the request.
        target: the target's name.
        takes: what of it is sent.

    Raises:
        PermanentModelError: a part of it would be lost.
    """
    if request.score or request.tools:
        what = "rates no prompts" if request.score else "has its own tools, not those of a test"
        raise PermanentModelError(f"{target} is an application: it {what}", kind="not_supported")
    messages = request.messages
    if request.prompt is not None:
        messages = (Message(request.prompt),)
    session, new = _session(messages, target, takes)
    if MESSAGES not in takes.names:
        _check_nothing_lost(new, target, takes)
    return AppRequest(
        _prompt(new, target, takes) if PROMPT in takes.names else "",
        [_body(message, target) for message in messages],
        _system(messages),
        session,
        {name: value for name, value in request.args.items() if name not in request.by_default},
    )


def state_of(target: str, session: str | None) -> dict[str, str]:
    """Return the `provider_state` of an answer, by which the next request tells its session."""
    state = {"api": API, "target": target}
    return state if session is None else {**state, "session": session}


def _state(message: Message, target: str) -> Mapping[str, Any] | None:
    """Return the `provider_state` of a target's own answer; None for other messages."""
    state = message.provider_state
    is_own = isinstance(state, Mapping) and state.get("api") == API
    return state if is_own and state.get("target") == target else None


def _session(
    messages: Sequence[Message], target: str, takes: Takes
) -> tuple[str | None, Sequence[Message]]:
    """Return the session of a conversation, and the messages that are new in it."""
    for index in range(len(messages) - 1, -1, -1):
        state = _state(messages[index], target)
        if state is not None:
            session = state.get("session")
            return session, messages[index + 1 :] if takes.is_remembered else messages
    return (uuid4().hex if takes.own_session else None), messages


def _check_nothing_lost(new: Sequence[Message], target: str, takes: Takes) -> None:
    """Refuse messages that an application wouldn't get.

    Raises:
        PermanentModelError: there are some.
    """
    system = [message for message in new if message.role is Role.system]
    others = [message for message in new if message.role is not Role.system]
    if system and SYSTEM not in takes.names:
        raise _lost(target, takes, "the system message", takes.remedy(MESSAGES, SYSTEM))
    if len(others) > 1 or any(message.role is not Role.user for message in others):
        what = "the other messages of the conversation"
        remedy = takes.remedy(MESSAGES, SESSION)
        raise _lost(target, takes, what, f"{remedy} (with a session, it has to remember)")


def _lost(target: str, takes: Takes, what: str, remedy: str) -> PermanentModelError:
    message = f"{target} gets only {takes.how}, so {what} would be lost: {remedy}"
    return PermanentModelError(message, kind="not_supported")


def _prompt(messages: Sequence[Message], target: str, takes: Takes) -> str:
    """Return the text of the newest message of the user."""
    for message in reversed(messages):
        if message.role is Role.user:
            return _text(message, target, takes)
    return ""


def _system(messages: Sequence[Message]) -> str | None:
    texts = [str(message.content) for message in messages if message.role is Role.system]
    return "\n\n".join(texts) or None


def _text(message: Message, target: str, takes: Takes) -> str:
    remedy = takes.remedy(MESSAGES)
    what = f"{target} gets the prompt as text, and it has an image or a file"
    return text_of(message, f"{what}: {remedy}")


def _body(message: Message, target: str) -> dict[str, JsonValue]:
    """Return a message as JSON. The calls in the application's own answers were its own matter."""
    if message.role is Role.assistant and _state(message, target) is not None:
        return {"role": "assistant", "content": str(message.content or "")}
    return message_body(message)
