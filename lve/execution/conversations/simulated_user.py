"""Lets a model play the user: it goes on with a conversation after the model's last answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby

from lve.execution.conversations.tool_turns import ToolTurns
from lve.messages import Message, Role
from lve.prompts.conversation import Conversation
from lve.spec.simulated_user import SimulatedUser

Say = Callable[[tuple[Message, ...]], Awaitable[str]]
"""Gets the next message of the user from its model, to which these are sent."""
BEGIN = "(The assistant is waiting for you. Begin.)"
"""Stands first where the user speaks first: servers want a conversation to begin with the other
side."""
SILENCE = "(The assistant says nothing.)"
"""Stands for an empty answer: servers want it to be the other side's turn."""
_TASK = """\
You play a person who talks to an assistant. The assistant's messages come as the user's here, and \
yours are the person's. Write only what the person says next, in their words, and never what the \
assistant would say.

"""
_END = """

When the person has nothing more to say, write only: """


async def go_on(conversation: Conversation, held: ToolTurns, say: Say | None) -> None:
    """Let the user and the model talk until the user ends it or has spoken often enough.

    Args:
        conversation: has a user, and its last message is an open turn.
        held: the conversation so far, with its answers.
        say: asks the model that plays the user; None: only what is recorded is said again.

    Raises:
        ModelError, BudgetError: as `hold_conversation`.
    """
    user, turn = conversation.user, conversation.messages[-1]
    assert user is not None
    for number in range(1, user.max_turns + 1):
        text = held.said_by_user()
        if text is None and say is not None:
            text = await say(seen_by_user(user, held.messages))
        if text is None or not text.strip() or (user.ends_with and user.ends_with in text):
            held.end()
            return
        held.go_on(text, f"user_{number}")
        await held.fill(turn, None, is_last=number == user.max_turns)


def seen_by_user(user: SimulatedUser, messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation as the model sees it that plays the user: its own messages are the
    assistant's there. Tools, and what the system says to the model under test, aren't its business.

    Args:
        user: the user.
        messages: the conversation so far.
    """
    end = f"{_END}{user.ends_with}" if user.ends_with else ""
    seen = [Message(f"{_TASK}{user.instructions}{end}", Role.system)]
    sides = {Role.user: Role.assistant, Role.assistant: Role.user}
    spoken = [(sides[m.role], text) for m in messages if m.role in sides and (text := _said(m))]
    if not spoken or spoken[0][0] is Role.assistant:
        spoken.insert(0, (Role.user, BEGIN))
    if spoken[-1][0] is Role.assistant:
        spoken.append((Role.user, SILENCE))
    for role, several in groupby(spoken, key=lambda one: one[0]):
        seen.append(Message("\n\n".join(text for _, text in several), role))
    return tuple(seen)


def _said(message: Message) -> str:
    text = _text(message)
    is_silent = message.role is Role.assistant and not message.tool_calls and not text.strip()
    return SILENCE if is_silent else text


def _text(message: Message) -> str:
    content = message.content
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content)
