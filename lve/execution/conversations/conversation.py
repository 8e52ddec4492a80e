"""Holds one conversation with a model: fills its open turns, one after the other.

Nearly all conversations have one turn (`ask_once`). The others are of three kinds, each with its
own loop: plain messages (`_hold_messages`), messages with tools or a simulated user
(`_hold_in_steps`), and dialogues of data sets that write each request from the answers so far
(`_hold_turns`).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lve.execution.conversations.history import History
from lve.messages import Completion, Message, Role, Tool, ToolCall, Transcript, filled_turn
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.conversation import Conversation, MessagesWithAnswers, Turns, turn_variable
from lve.spec.recorded_row import RecordedTurn

if TYPE_CHECKING:
    from lve.execution.conversations.simulated_user import Say
    from lve.execution.conversations.tool_turns import ToolTurns
    from lve.execution.tools.live_tools import LiveTools


async def ask_once(
    conversation: Conversation, complete: Complete, request: ChatRequest
) -> Transcript:
    """Hold a conversation that one request answers, as `hold_conversation` would.

    Args:
        conversation: one that `asks_once`.
        complete: returns the completion of a request.
        request: has all messages before the open turn.

    Raises:
        ModelError, BudgetError: as `hold_conversation`.
    """
    turn = conversation.messages[-1]
    return answered_once(turn, conversation.name, request, await complete(request))


def answered_once(
    turn: Message, name: str | None, request: ChatRequest, completion: Completion
) -> Transcript:
    """Return the transcript of a conversation that one request answers (`ask_once`).

    Args:
        turn: its open turn.
        name: its name.
        request: has all messages before, which are texts.
        completion: the answer.
    """
    before = request.messages
    messages = (*before, filled_turn(turn, completion))
    transcript = Transcript(messages, (completion,), name, (len(before),))
    transcript.is_plain = completion.is_plain and name is None
    return transcript


def hold_conversation(
    conversation: Conversation,
    complete: Complete,
    *,
    args: Mapping[str, object],
    by_default: frozenset[str] = frozenset(),
    repeat: int = 0,
    recorded: str | Mapping[str, str] | None = None,
    stream: bool = False,
    listen: Callable[[], Callable[[str], None]] | None = None,
    timeout_s: float | None = None,
    replayed: Sequence[RecordedTurn] = (),
    warn_of_call: Callable[[str], None] | None = None,
    live_tools: LiveTools | None = None,
    say: Say | None = None,
) -> Coroutine[object, None, Transcript]:
    """Fill the open turns of a conversation in order. Each request has all messages before its
    turn.

    Args:
        conversation: the messages, some of them open turns.
        complete: returns the completion of a request.
        args: the model args of each request.
        by_default: names of the args that have lve's default value.
        repeat: the number of the instance's repeat, from 0.
        recorded: the recorded answers: the text of the last one, or variable -> text.
        stream: whether to ask for streamed answers.
        listen: as in `ChatRequest`.
        timeout_s: seconds that one attempt may take.
        replayed: all recorded turns of the model, if it is replayed and asked for tools.
        warn_of_call: called with a description of each tool call that the test's mocks don't
            answer.
        live_tools: the test's tools that servers or code answer.
        say: asks the model that plays the user; None: its messages are only replayed.

    Returns:
        A coroutine that returns the transcript.

    Raises:
        ModelError: the model gave no completion, or the conversation has become too long.
        BudgetError: the budget doesn't allow a request.
        PromptError: an answer can't be inserted into the next request.
    """
    # Not `async` itself: every step of every request would pass through one more coroutine.
    make_request = _request_maker(args, by_default, repeat, stream, listen, timeout_s)
    if conversation.turns is not None:
        return _hold_turns(conversation.turns, conversation.name, complete, make_request, recorded)
    if conversation.toolbox is not None or conversation.user is not None:
        from lve.execution.conversations.tool_turns import ToolTurns  # late: few tests need it

        tools = conversation.toolbox
        turns = ToolTurns(tools, complete, make_request, replayed, warn_of_call, live_tools)
        return _hold_in_steps(conversation, turns, recorded, say)
    return _hold_messages(conversation, complete, make_request, recorded)


def _request_maker(
    args: Mapping[str, object],
    by_default: frozenset[str],
    repeat: int,
    stream: bool,
    listen: Callable[[], Callable[[str], None]] | None,
    timeout_s: float | None,
) -> Callable[..., ChatRequest]:
    """Return a function that makes a request from messages, with all else that the requests of a
    conversation have in common."""

    def make_request(
        messages: tuple[Message, ...],
        *,
        recorded: str | None = None,
        recorded_calls: tuple[ToolCall, ...] = (),
        prompt: str | None = None,
        score: bool = False,
        tools: tuple[Tool, ...] = (),
    ) -> ChatRequest:
        # By position: with keyword arguments this function would take three times as long.
        return ChatRequest(
            messages,
            args,
            repeat,
            stream,
            timeout_s,
            recorded,
            recorded_calls,
            prompt,
            score,
            by_default,
            tools,
            listen,
        )

    return make_request


async def _hold_messages(
    conversation: Conversation,
    complete: Complete,
    make_request: Callable[..., ChatRequest],
    recorded: str | Mapping[str, str] | None,
) -> Transcript:
    """Hold a conversation without tools: ask for each open turn, and put the answer into it."""
    messages, turns = list(conversation.messages), list(conversation.open_turns)
    last = turns[-1]
    completions: list[Completion] = []
    history: History | None = None
    for index in turns:
        if index != last or completions:
            history = history or History()
            _repeat_answers(messages, conversation.with_answers, turns[: len(completions)], index)
            history.grow(messages[:index])
        variable = messages[index].variable or str(len(completions))
        request = make_request(
            tuple(messages[:index]),
            recorded=recorded_answer(recorded, variable, is_last=index >= last),
            prompt=conversation.prompt,
            score=conversation.score,
        )
        completion = await complete(request)
        messages[index] = filled_turn(messages[index], completion)
        if completion.tool_calls and messages[index].variable is None:
            messages[index].variable = variable  # an answer, with calls that the application made
        completions.append(completion)
        if index == last and conversation.answer is not None:
            correction = await conversation.answer.repair_request(completion.text)
            if correction is not None:
                # The new open turn has the same variable, so its answer replaces the wrong one.
                messages += (Message(content=correction), conversation.messages[-1])
                turns.append(len(messages) - 1)  # the loop continues with it
    return Transcript(tuple(messages), tuple(completions), conversation.name, tuple(turns))


def _repeat_answers(
    messages: list[Message],
    with_answers: MessagesWithAnswers | None,
    answered: Sequence[int],
    end: int,
) -> None:
    """Insert answers into the messages between the last answer and the next turn that repeat them.

    Args:
        messages: the conversation's messages.
        with_answers: the messages that repeat answers (`{variable}`); None if there are none.
        answered: indexes of the turns that the model has filled.
        end: index of the next turn.

    Raises:
        PromptError: an answer can't be inserted.
    """
    if with_answers is None or not answered:
        return
    answers = {str(messages[i].variable): str(messages[i].content) for i in answered}
    for index in with_answers.between(answered[-1], end):
        messages[index] = with_answers.filled(index, messages[index], answers)


async def _hold_in_steps(
    conversation: Conversation,
    turns: ToolTurns,
    recorded: str | Mapping[str, str] | None,
    say: Say | None,
) -> Transcript:
    """Hold a conversation with tools, a simulated user, or both: add its messages one by one, and
    fill the open turns as they come."""
    last, with_answers = conversation.open_turns[-1], conversation.with_answers
    has_user = conversation.user is not None
    for index, message in enumerate(conversation.messages):
        if with_answers is not None and with_answers.between(index, index + 1):
            message = with_answers.filled(index, message, turns.transcript(None).variables)
        if message.is_open:
            variable = message.variable or str(len(turns.filled))
            answer = recorded_answer(recorded, variable, is_last=index == last)
            turn = replace(message, variable=variable)
            await turns.fill(turn, answer, is_last=index == last and not has_user)
        else:
            turns.messages.append(message)
    if has_user:
        from lve.execution.conversations.simulated_user import talk_with_user

        await talk_with_user(conversation, turns, say)
    return turns.transcript(conversation.name)


async def _hold_turns(
    turns: Turns,
    name: str | None,
    complete: Complete,
    make_request: Callable[..., ChatRequest],
    recorded: str | Mapping[str, str] | None,
) -> Transcript:
    """Hold a dialogue in which each request is written from the answers so far."""
    messages: list[Message] = []
    completions: list[Completion] = []
    answers: list[str] = []
    filled: list[int] = []
    history, before = History(), None
    for number in range(len(turns)):
        request = turns.request(answers)
        history.send(request.messages)
        variable = turn_variable(number, len(turns))
        answer = recorded_answer(recorded, variable, is_last=number == len(turns) - 1)
        sent = make_request(request.messages, prompt=request.prompt, recorded=answer)
        completions.append(await complete(sent))
        messages += request.new_messages(before, answers[-1] if answers else "")
        answers.append(completions[-1].text)
        filled.append(len(messages))
        messages.append(
            filled_turn(Message(role=Role.assistant, variable=variable), completions[-1])
        )
        before = request
    return Transcript(tuple(messages), tuple(completions), name, tuple(filled))


def recorded_answer(
    recorded: str | Mapping[str, str] | None, variable: str, *, is_last: bool = True
) -> str | None:
    """Return the recorded answer for the turn that fills `variable`, if there is one."""
    if recorded is None or isinstance(recorded, str):
        return recorded if is_last else None
    return recorded.get(variable)
