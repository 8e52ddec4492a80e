"""Holds one conversation: fills its open turns one after the other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lve.execution.conversations.history import History
from lve.messages import Completion, Message, Role, Tool, ToolCall, Transcript, filled_turn
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.conversation import Conversation, MessagesWithAnswers, Turns, turn_variable
from lve.spec.model import RecordedTurn

if TYPE_CHECKING:
    from lve.execution.conversations.simulated_user import Say
    from lve.execution.conversations.tool_turns import ToolTurns
    from lve.execution.tools.tool_servers import LiveTools


def hold_conversation(
    conversation: Conversation,
    complete: Complete,
    *,
    args: Mapping[str, Any],
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
) -> Coroutine[Any, Any, Transcript]:
    """Fill the open turns of a conversation in order. Each request holds all messages before.

    Args:
        conversation: the messages, some of them open turns.
        complete: gets one completion.
        args: model args.
        by_default: which of them nobody set.
        repeat: which repeat of the instance this is, from 0.
        recorded: the recorded answers: the text of the last one, or variable -> text.
        stream: whether to ask for streamed answers.
        listen: as of `ChatRequest`.
        timeout_s: seconds that one attempt may take.
        replayed: all that the model said, recorded, where it asked for tools and doesn't now.
        warn_of_call: gets the calls that a test's mocks don't answer.
        live_tools: the tools of servers that the test uses.
        say: asks the model that plays the user; None: its part is only replayed.

    Raises:
        ModelError: a completion could not be had, or the conversation has become too long.
        BudgetError: the budget doesn't allow a completion.
        PromptError: an answer can't be inserted into the next request.
    """
    # Not `async` itself: each step of each request would pass through one more coroutine.
    ask = _asking(args, by_default, repeat, stream, listen, timeout_s)
    if conversation.turns is not None:
        return _hold_turns(conversation.turns, conversation.name, complete, ask, recorded)
    if conversation.toolbox is not None or conversation.user is not None:
        from lve.execution.conversations.tool_turns import ToolTurns  # late: few tests need it

        box = conversation.toolbox
        held = ToolTurns(box, complete, ask, replayed, warn_of_call, live_tools)
        return _hold_in_steps(conversation, held, recorded, say)
    return _hold_messages(conversation, complete, ask, recorded)


def _asking(
    args: Mapping[str, Any],
    by_default: frozenset[str],
    repeat: int,
    stream: bool,
    listen: Callable[[], Callable[[str], None]] | None,
    timeout_s: float | None,
) -> Callable[..., ChatRequest]:
    """Return what makes the requests of a conversation of its messages."""

    def ask(
        messages: tuple[Message, ...],
        *,
        recorded: str | None = None,
        recorded_calls: tuple[ToolCall, ...] = (),
        prompt: str | None = None,
        score: bool = False,
        tools: tuple[Tool, ...] = (),
    ) -> ChatRequest:
        # By position: a class takes keywords as a dict, which takes twice as long as all this.
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

    return ask


async def _hold_messages(
    conversation: Conversation,
    complete: Complete,
    ask: Callable[..., ChatRequest],
    recorded: str | Mapping[str, str] | None,
) -> Transcript:
    """Hold a conversation whose messages are all there but for the answers."""
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
        request = ask(
            tuple(messages[:index]),
            recorded=_recorded(recorded, variable, is_last=index >= last),
            prompt=conversation.prompt,
            score=conversation.score,
        )
        completion = await complete(request)
        messages[index] = filled_turn(messages[index], completion)
        completions.append(completion)
        if index == last and conversation.answer is not None:
            correction = await conversation.answer.repair_request(completion.text)
            if correction is not None:
                # The new turn has the variable of the corrected answer and replaces it.
                messages += (Message(content=correction), conversation.messages[-1])
                turns.append(len(messages) - 1)  # the loop continues with it
    return Transcript(tuple(messages), tuple(completions), conversation.name, tuple(turns))


def _repeat_answers(
    messages: list[Message], later: MessagesWithAnswers | None, answered: Sequence[int], end: int
) -> None:
    """Fill the messages since the last answer that repeat answers.

    Args:
        messages: of the conversation.
        later: those that repeat answers; None if none does.
        answered: indexes of the turns that the model has filled.
        end: index of its next turn.

    Raises:
        PromptError: an answer can't be inserted.
    """
    if later is None or not answered:
        return
    answers = {str(messages[i].variable): str(messages[i].content) for i in answered}
    for index in later.between(answered[-1], end):
        messages[index] = later.filled(index, messages[index], answers)


async def _hold_in_steps(
    conversation: Conversation,
    held: ToolTurns,
    recorded: str | Mapping[str, str] | None,
    say: Say | None,
) -> Transcript:
    """Hold a conversation in whose open turns the model may ask for tools, or whose user is played
    by a model."""
    last, with_answers = conversation.open_turns[-1], conversation.with_answers
    is_all = conversation.user is None
    for index, message in enumerate(conversation.messages):
        if with_answers is not None and with_answers.between(index, index + 1):
            message = with_answers.filled(index, message, held.transcript(None).variables)
        if message.is_open:
            variable = message.variable or str(len(held.filled))
            answer = _recorded(recorded, variable, is_last=index == last)
            turn = replace(message, variable=variable)
            await held.fill(turn, answer, is_last=is_all and index == last)
        else:
            held.messages.append(message)
    if not is_all:
        from lve.execution.conversations.simulated_user import go_on

        await go_on(conversation, held, say)
    return held.transcript(conversation.name)


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
    history, before = History(), None
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
        messages.append(
            filled_turn(Message(role=Role.assistant, variable=variable), completions[-1])
        )
        before = request
    return Transcript(tuple(messages), tuple(completions), name, tuple(filled))


def _recorded(
    recorded: str | Mapping[str, str] | None, variable: str, *, is_last: bool
) -> str | None:
    if recorded is None or isinstance(recorded, str):
        return recorded if is_last else None
    return recorded.get(variable)
