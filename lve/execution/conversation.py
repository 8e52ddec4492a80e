"""Holds one conversation: fills its open turns one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from lve.errors import PermanentModelError
from lve.messages import Completion, Message, Role, Transcript
from lve.models.chat_model import ChatRequest
from lve.prompts.conversation import Conversation, Turns, turn_variable
from lve.prompts.size import MAX_CHARACTERS, MAX_SENT, message_size

Complete = Callable[[ChatRequest], Awaitable[Completion]]
"""Gets one completion, such as `Completer.complete`."""


async def hold_conversation(
    conversation: Conversation,
    complete: Complete,
    *,
    args: Mapping[str, Any],
    by_default: frozenset[str] = frozenset(),
    repeat: int = 0,
    recorded: str | Mapping[str, str] | None = None,
    stream: bool = False,
    timeout_s: float | None = None,
) -> Transcript:
    """Fill the open turns of a conversation in order. Each request holds all messages before.

    Args:
        conversation: the messages, some of them open turns.
        complete: gets one completion.
        args: model args.
        by_default: which of them nobody set.
        repeat: which repeat of the instance this is, from 0.
        recorded: the recorded answers: the text of the last one, or variable -> text.
        stream: whether to ask for streamed answers.
        timeout_s: seconds that one attempt may take.

    Raises:
        ModelError: a completion could not be had, or the conversation has become too long.
        BudgetError: the budget doesn't allow a completion.
        PromptError: an answer can't be inserted into the next request.
    """
    given: dict[str, Any] = {"args": args, "by_default": by_default, "repeat": repeat}
    given |= {"stream": stream, "timeout_s": timeout_s}
    if conversation.turns is not None:
        ask = partial(ChatRequest, **given)
        return await _hold_turns(conversation.turns, conversation.name, complete, ask, recorded)
    messages, turns = list(conversation.messages), list(conversation.open_turns)
    last = turns[-1]
    completions: list[Completion] = []
    history: _History | None = None
    for index in turns:
        if index != last or completions:
            history = history or _History()
            history.grow(messages[:index])
        turn = messages[index]
        variable = turn.variable or str(len(completions))
        request = ChatRequest(
            tuple(messages[:index]),
            **given,
            recorded=_recorded(recorded, variable, is_last=index >= last),
            prompt=conversation.prompt,
            score=conversation.score,
        )
        completion = await complete(request)
        messages[index] = Message(completion.text, turn.role, turn.variable, turn.image_url)
        completions.append(completion)
        if index == last and conversation.answer is not None:
            correction = await conversation.answer.repair_request(completion.text)
            if correction is not None:
                # The new turn has the variable of the corrected answer and replaces it.
                messages += (Message(content=correction), conversation.messages[-1])
                turns.append(len(messages) - 1)  # the loop continues with it
    return Transcript(tuple(messages), tuple(completions), conversation.name, tuple(turns))


async def _hold_turns(
    turns: Turns,
    name: str | None,
    complete: Complete,
    ask: Callable[..., ChatRequest],
    recorded: str | Mapping[str, str] | None,
) -> Transcript:
    """Hold a dialogue in which each request is made from the answers so far."""
    messages: list[Message] = []
    completions: list[Completion] = []
    answers: list[str] = []
    filled: list[int] = []
    history, before = _History(), None
    for number in range(len(turns)):
        request = turns.request(answers)
        history.send(request.messages)
        variable = turn_variable(number, len(turns))
        answer = _recorded(recorded, variable, is_last=number == len(turns) - 1)
        sent = ask(request.messages, prompt=request.prompt, recorded=answer)
        completions.append(await complete(sent))
        messages += request.new_messages(before, answers[-1] if answers else "")
        answers.append(completions[-1].text)
        filled.append(len(messages))
        messages.append(Message(answers[-1], Role.assistant, variable))
        before = request
    return Transcript(tuple(messages), tuple(completions), name, tuple(filled))


class _History:
    """Limits how much text the requests of a conversation send, one by one and together."""

    def __init__(self) -> None:
        self._counted = 0
        self._size = 0
        self._sent = 0

    def grow(self, messages: Sequence[Message]) -> None:
        """Count a request that repeats the one before and adds messages.

        Raises:
            PermanentModelError: the request, or all requests together, are too long.
        """
        new = messages[self._counted :]
        self._counted = len(messages)
        self._send(self._size + sum(map(message_size, new)))

    def send(self, messages: Sequence[Message]) -> None:
        """Count a request with its own messages; errors as in `grow`."""
        self._send(sum(map(message_size, messages)))

    def _send(self, size: int) -> None:
        self._size = size
        self._sent += size
        if self._size > MAX_CHARACTERS:
            what = f"its messages would have more than {MAX_CHARACTERS:,} characters"
        elif self._sent > MAX_SENT:
            what = f"its requests would send more than {MAX_SENT:,} characters together"
        else:
            return
        message = f"the conversation is too long: {what}; ask for fewer turns or shorter answers"
        raise PermanentModelError(message, kind="too_long", was_sent=False)


def _recorded(
    recorded: str | Mapping[str, str] | None, variable: str, *, is_last: bool
) -> str | None:
    if recorded is None or isinstance(recorded, str):
        return recorded if is_last else None
    return recorded.get(variable)
