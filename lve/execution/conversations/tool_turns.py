"""Fills open turns in which the model may ask for tools: call, result, call, ..., answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from lve.execution.conversations.history import History
from lve.execution.tools.tool_servers import LiveTools
from lve.messages import Completion, Message, Role, ToolCall, Transcript, filled_turn
from lve.models.chat_model import ChatRequest, Complete
from lve.prompts.tools.mocks import error_of
from lve.prompts.tools.toolbox import Toolbox
from lve.spec.model import RecordedTurn

MOST_DELAY_S = 60.0
"""Seconds that all results of one conversation may be late together."""


class ToolTurns:
    """A conversation with tools while it is held."""

    def __init__(
        self,
        toolbox: Toolbox | None,
        complete: Complete,
        ask: Callable[..., ChatRequest],
        replayed: Sequence[RecordedTurn] = (),
        warn: Callable[[str], None] | None = None,
        live: LiveTools | None = None,
    ) -> None:
        """Args:
        toolbox: the tools; None if the model may ask for none.
        complete: gets one completion.
        ask: makes a request of messages.
        replayed: what the model said when it was recorded, in order; empty if it is asked now.
        warn: gets the calls that no mock answers.
        live: the tools of servers.
        """
        self.messages: list[Message] = []
        """All messages so far."""
        self.filled: list[int] = []
        """Indexes of those that the model said."""
        self._completions: list[Completion] = []
        self._most = toolbox.max_turns if toolbox else 0
        self._complete = complete
        offered = toolbox.tools if toolbox else ()
        self._ask = partial(ask, tools=offered + (live.tools if live else ()))
        self._live = live
        self._tools = toolbox.session() if toolbox else None
        self._replayed = replayed
        self._warn = warn
        self._history = History()
        self._delay_s = MOST_DELAY_S

    async def fill(self, turn: Message, recorded: str | None, *, is_last: bool) -> None:
        """Fill an open turn: let the model ask for tools until it answers, or too often.

        Args:
            turn: the open turn, with its variable.
            recorded: its recorded answer.
            is_last: whether nothing comes after it.

        Raises:
            ModelError, BudgetError: as `hold_conversation`.
        """
        for asked in count():
            self._history.grow(self.messages)
            earlier = self._earlier()
            completion = await self._complete(self._request(earlier, recorded))
            calls = self._with_ids(completion.tool_calls)
            if calls != completion.tool_calls:
                completion = replace(completion, tool_calls=calls)
            # Without results, what was replayed ended there.
            ends = not calls or self._tools is None or asked >= self._most
            ends = ends or (earlier is not None and not earlier.results)
            step = turn if ends else Message(role=Role.assistant)
            self.filled.append(len(self.messages))
            self._completions.append(completion)
            self.messages.append(filled_turn(step, completion))
            if not ends:
                await self._answer(calls, earlier)
                continue
            if not is_last:  # servers refuse calls without results
                self._refuse(calls)
            return

    def go_on(self, text: str, variable: str) -> None:
        """Add a message of the simulated user; the answer before it is the last one no more.

        Args:
            text: the message.
            variable: its name, which tells it from messages of the prompt.
        """
        last = self.filled[-1]
        said = [self.messages[index].variable for index in self.filled]
        answers = [name for name in said if name is not None]
        names = (f"turn_{number}" for number in count(len(answers)))
        name = next(name for name in names if name not in answers)
        self.messages[last] = replace(self.messages[last], variable=name)
        self.messages.append(Message(text, Role.user, variable))

    def end(self) -> None:
        """End with the last answer: what it asked for in vain is left out."""
        del self.messages[self.filled[-1] + 1 :]

    def said_by_user(self) -> str | None:
        """Return what the simulated user said to the last answer, in a recording."""
        number = len(self.filled) - 1
        return self._replayed[number].user if number < len(self._replayed) else None

    def transcript(self, name: str | None) -> Transcript:
        """Return what was said."""
        return Transcript(tuple(self.messages), tuple(self._completions), name, tuple(self.filled))

    def _earlier(self) -> RecordedTurn | None:
        number = len(self.filled)
        return self._replayed[number] if number < len(self._replayed) else None

    def _request(self, earlier: RecordedTurn | None, recorded: str | None) -> ChatRequest:
        messages = tuple(self.messages)
        if earlier is None:
            return self._ask(messages, recorded=None if self._replayed else recorded)
        return self._ask(messages, recorded=earlier.text, recorded_calls=earlier.tool_calls)

    async def _answer(self, calls: Sequence[ToolCall], earlier: RecordedTurn | None) -> None:
        """Add the results of calls."""
        known = earlier.results if earlier is not None else ()
        for index, call in enumerate(calls):
            text = known[index] if index < len(known) else await self._result(call)
            self.messages.append(Message(text, Role.tool, tool_call_id=call.id))

    def _refuse(self, calls: Sequence[ToolCall]) -> None:
        for call in calls:
            text = error_of("no more calls are answered").text
            self.messages.append(Message(text, Role.tool, tool_call_id=call.id))

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
        """Return calls whose ids differ from all others of the conversation: some servers send
        none, or the same ones again."""
        if not calls:
            return calls
        taken = {call.id for message in self.messages for call in message.tool_calls}
        named = []
        for call in calls:
            own = call.id
            if not own or own in taken:
                # Not from 1 on: thousands of calls may have the same id.
                numbers = count(len(taken) + 1)
                own = next(name for n in numbers if (name := f"{own or 'call'}_{n}") not in taken)
                call = call._replace(id=own)
            taken.add(own)
            named.append(call)
        return tuple(named)
