"""Fills open turns in which the model may call tools: call, result, call, result, ..., answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from lve.execution.conversations.history import History
from lve.execution.tools.live_tools import LiveTools
from lve.messages import Completion, Message, Role, ToolCall, Transcript, filled_turn
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.tools.mocks import NO_MORE_CALLS
from lve.prompts.tools.toolbox import Toolbox
from lve.spec.recorded_row import RecordedTurn

MAX_DELAY_S = 60.0
"""Most seconds by which mocks may delay the results of one conversation, in total."""


class ToolTurns:
    """A conversation in progress, in which the model may call tools."""

    def __init__(
        self,
        toolbox: Toolbox | None,
        complete: Complete,
        make_request: Callable[..., ChatRequest],
        replayed: Sequence[RecordedTurn] = (),
        warn: Callable[[str], None] | None = None,
        live: LiveTools | None = None,
    ) -> None:
        """Args:
        toolbox: the tools; None if there are none.
        complete: returns the completion of a request.
        make_request: makes a request from messages.
        replayed: the model's recorded turns, in order; empty if the model is asked.
        warn: called with a description of each call that no mock answers.
        live: the tools that servers or code answer.
        """
        self.messages: list[Message] = []
        """All messages so far."""
        self.filled: list[int] = []
        """Indexes of the model's messages."""
        self._completions: list[Completion] = []
        self._max_calls = toolbox.max_turns if toolbox else 0
        self._complete = complete
        offered = toolbox.tools if toolbox else ()
        self._make_request = partial(make_request, tools=offered + (live.tools if live else ()))
        self._live = live
        self._tools = toolbox.session() if toolbox else None
        self._replayed = replayed
        self._warn = warn
        self._history = History()
        self._delay_s = MAX_DELAY_S

    async def fill(self, turn: Message, recorded: str | None, *, is_last: bool) -> None:
        """Fill an open turn: let the model call tools until it answers, or until the limit.

        Args:
            turn: the open turn, with its variable.
            recorded: the turn's recorded answer.
            is_last: whether the conversation ends with this turn.

        Raises:
            ModelError, BudgetError: as `hold_conversation`.
        """
        for call_round in count():
            self._history.grow(self.messages)
            replayed = self._next_replayed()
            completion = await self._complete(self._request(replayed, recorded))
            calls = self._with_ids(completion.tool_calls)
            if calls != completion.tool_calls:
                completion = replace(completion, tool_calls=calls)
            # A recorded turn without results was the last one.
            ends = not calls or self._tools is None or call_round >= self._max_calls
            ends = ends or (replayed is not None and not replayed.results)
            step = turn if ends else Message(role=Role.assistant)
            self.filled.append(len(self.messages))
            self._completions.append(completion)
            self.messages.append(filled_turn(step, completion))
            if not ends:
                await self._answer(calls, replayed)
                continue
            if not is_last:  # servers refuse calls without results
                self._refuse(calls)
            return

    def add_user_message(self, text: str, variable: str) -> None:
        """Add a message of the simulated user. The answer before it gets the variable `turn_N`,
        since it isn't the last one any more.

        Args:
            text: the message.
            variable: its variable, which tells it apart from messages of the prompt.
        """
        last = self.filled[-1]
        variables = {self.messages[index].variable for index in self.filled} - {None}
        names = (f"turn_{number}" for number in count(len(variables)))
        name = next(name for name in names if name not in variables)
        self.messages[last] = replace(self.messages[last], variable=name)
        self.messages.append(Message(text, Role.user, variable))

    def end(self) -> None:
        """End the conversation with the last answer: remove the refusals of its tool calls."""
        del self.messages[self.filled[-1] + 1 :]

    def recorded_user_message(self) -> str | None:
        """Return the simulated user's recorded message after the last answer, if there is one."""
        number = len(self.filled) - 1
        return self._replayed[number].user if number < len(self._replayed) else None

    def transcript(self, name: str | None) -> Transcript:
        """Return the conversation so far."""
        return Transcript(tuple(self.messages), tuple(self._completions), name, tuple(self.filled))

    def _next_replayed(self) -> RecordedTurn | None:
        number = len(self.filled)
        return self._replayed[number] if number < len(self._replayed) else None

    def _request(self, replayed: RecordedTurn | None, recorded: str | None) -> ChatRequest:
        messages, make = tuple(self.messages), self._make_request
        if replayed is None:
            return make(messages, recorded=None if self._replayed else recorded)
        return make(messages, recorded=replayed.text, recorded_calls=replayed.tool_calls)

    async def _answer(self, calls: Sequence[ToolCall], replayed: RecordedTurn | None) -> None:
        """Add the results of calls: recorded ones as far as there are any, then new ones."""
        recorded_results = replayed.results if replayed is not None else ()
        for index, call in enumerate(calls):
            text = (
                recorded_results[index]
                if index < len(recorded_results)
                else await self._result(call)
            )
            self.messages.append(Message(text, Role.tool, tool_call_id=call.id))

    def _refuse(self, calls: Sequence[ToolCall]) -> None:
        for call in calls:
            self.messages.append(Message(NO_MORE_CALLS, Role.tool, tool_call_id=call.id))

    async def _result(self, call: ToolCall) -> str:
        assert self._tools is not None
        if self._live is not None and call.name in self._live.servers:
            return await self._live.call(call)
        answer = self._tools.answer(call)
        if answer.problem is not None and self._live is not None and call.name in self._live.code:
            return await self._live.call(call)
        if answer.problem is not None and self._warn is not None:
            self._warn(answer.problem)
        delay_s = min(answer.delay_s, self._delay_s)
        if delay_s > 0:
            self._delay_s -= delay_s
            await asyncio.sleep(delay_s)
        return answer.text

    def _with_ids(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Return the calls with ids that are unique in the conversation: some servers send none, or
        the same id twice."""
        if not calls:
            return calls
        ids = {call.id for message in self.messages for call in message.tool_calls}
        calls_with_ids = []
        for call in calls:
            own = call.id
            if not own or own in ids:
                # Don't count from 1: thousands of calls may have the same id.
                numbers = count(len(ids) + 1)
                own = next(name for n in numbers if (name := f"{own or 'call'}_{n}") not in ids)
                call = call._replace(id=own)
            ids.add(own)
            calls_with_ids.append(call)
        return tuple(calls_with_ids)
