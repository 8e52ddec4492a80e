"""Lets a second model play the user, who goes on with a conversation after the tested model's
answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby

from lve.execution.conversations.tool_turns import ToolTurns
from lve.messages import Message, Role
from lve.prompts.conversation import Conversation
from lve.spec.simulated_user import SimulatedUser

Say = Callable[[tuple[Message, ...]], Awaitable[str]]
"""Sends messages to the model that plays the user, and returns the user's next message."""
BEGIN = "(The assistant is waiting for you. Begin.)"
"""The first message if the user speaks first: servers want the first message to come from the other
side."""
SILENCE = "(The assistant says nothing.)"
"""Stands for an empty answer of the assistant: servers want the last message to come from the other
side."""
_TASK = """\
You play a person who talks to an assistant. The assistant's messages come as the user's here, and \
yours are the person's. Write only what the person says next, in their words, and never what the \
assistant would say.

"""
_END = """

When the person has nothing more to say, write only: """


async def talk_with_user(conversation: Conversation, turns: ToolTurns, say: Say | None) -> None:
    """Let the user and the tested model talk until the user ends it, or for the user's `max_turns`.

    Args:
        conversation: a conversation with a user, whose last message is an open turn.
        turns: the conversation so far, with its answers.
        say: asks the model that plays the user; None: the recorded messages are replayed.

    Raises:
        ModelError, BudgetError: as `hold_conversation`.
    """
    user, turn = conversation.user, conversation.messages[-1]
    assert user is not None
    for number in range(1, user.max_turns + 1):
        text = turns.recorded_user_message()
        if text is None and say is not None:
            text = await say(seen_by_user(user, turns.messages))
        if text is None or not text.strip() or (user.ends_with and user.ends_with in text):
            turns.end()
            return
        turns.add_user_message(text, f"user_{number}")
        await turns.fill(turn, None, is_last=number == user.max_turns)


def seen_by_user(user: SimulatedUser, messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation as it is sent to the model that plays the user.

    Roles are swapped: this model's own messages are the assistant's. Tool calls and the tested
    model's system message are left out.

    Args:
        user: the user to play.
        messages: the conversation so far.
    """
    end = f"{_END}{user.ends_with}" if user.ends_with else ""
    view = [Message(f"{_TASK}{user.instructions}{end}", Role.system)]
    sides = {Role.user: Role.assistant, Role.assistant: Role.user}
    spoken = [(sides[m.role], text) for m in messages if m.role in sides and (text := _said(m))]
    if not spoken or spoken[0][0] is Role.assistant:
        spoken.insert(0, (Role.user, BEGIN))
    if spoken[-1][0] is Role.assistant:
        spoken.append((Role.user, SILENCE))
    for role, several in groupby(spoken, key=lambda utterance: utterance[0]):
        view.append(Message("\n\n".join(text for _, text in several), role))
    return tuple(view)


def _said(message: Message) -> str:
    """Return a message's text, `SILENCE` for an empty answer; empty for a message with tool calls
    only."""
    text = _text(message)
    is_silent = message.role is Role.assistant and not message.tool_calls and not text.strip()
    return SILENCE if is_silent else text


def _text(message: Message) -> str:
    content = message.content
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content)
