"""Compares what mocks answer to the calls of a recorded conversation with what was answered then.

A mock is sent only as the result of a call. So one that no recorded call reaches may change, and
the recorded answer is still one to what is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lve.documents.json_lines import canonical_json
from lve.documents.json_text import decode_json
from lve.escape import excerpt
from lve.messages import ToolCall
from lve.named_tuples import NamedTuple
from lve.prompts.message_changes import changed_words
from lve.prompts.sent_parts import results_of, results_sum
from lve.prompts.tools.mocks import NO_MORE_CALLS
from lve.prompts.tools.toolbox import Toolbox, ToolSession
from lve.secrets.redaction import redact
from lve.spec.recorded_row import Recorded, RecordedTurn


class _Result(NamedTuple):
    """The results of a call in a recorded conversation; None: it isn't answered."""

    call: ToolCall
    recorded: str | None
    now: str | None

    @property
    def is_other(self) -> bool:
        """Whether it is another one today. The order of the keys of JSON says nothing."""
        if self.recorded is None or self.now is None or self.recorded == self.now:
            return self.recorded != self.now
        return _value_of(self.recorded) != _value_of(self.now)


def changed_result(recorded: Recorded, toolboxes: Sequence[Toolbox | None]) -> str | None:
    """Return the first result of a recorded call that is another one today, in words; None if there
    is none. What tool servers and code answer isn't known without asking them, nor what was
    redacted.

    Args:
        recorded: the answer, with its conversations.
        toolboxes: the tools of each run; None if it has none.
    """
    accepted = [*map(results_of, recorded.sent)]
    for number, results in enumerate(_runs(recorded, toolboxes)):
        before = accepted[number] if number < len(accepted) else None
        changes = [result for result in results if result.is_other]
        if changes and before != _sum(results):
            return _in_words(changes[0])
    return None


def accepted_results(recorded: Recorded, toolboxes: Sequence[Toolbox | None]) -> list[str | None]:
    """Return the sum of today's results for each run whose recorded ones are others, else None;
    arguments as `changed_result`."""
    sums: list[str | None] = [
        _sum(results) if any(result.is_other for result in results) else None
        for results in _runs(recorded, toolboxes)
    ]
    return sums + [None] * (len(toolboxes) - len(sums))


def _sum(results: Sequence[_Result]) -> str:
    return results_sum([result.now for result in results])


def _runs(recorded: Recorded, toolboxes: Sequence[Toolbox | None]) -> list[list[_Result]]:
    if "redacted" in recorded.run_info:
        return []
    return [
        [
            result._replace(now=result.now and redact(result.now))
            for result in _results(turns, toolbox)
        ]
        if toolbox is not None
        else []
        for turns, toolbox in zip(recorded.turns, toolboxes, strict=False)
    ]


def _results(turns: Sequence[RecordedTurn], toolbox: Toolbox) -> Iterator[_Result]:
    """Yield the calls whose results are known."""
    session, answered = toolbox.session(), 0
    for turn in turns:
        is_unanswered = bool(turn.tool_calls) and not turn.results
        if is_unanswered and (session is None or answered >= toolbox.max_turns):
            continue
        answered = answered + 1 if turn.tool_calls else 0
        results = (None,) * len(turn.tool_calls) if is_unanswered else turn.results
        for call, then in zip(turn.tool_calls, results, strict=False):
            if session is None:
                yield _Result(call, then, None)
            elif then != NO_MORE_CALLS and (now := _answer(session, call, toolbox)) is not None:
                yield _Result(call, then, now)


def _answer(session: ToolSession, call: ToolCall, toolbox: Toolbox) -> str | None:
    """Return what a call's result is today; None if a server or code gives it."""
    is_offered = any(tool.name == call.name for tool in toolbox.tools)
    if toolbox.servers and not is_offered:
        return None
    answer = session.answer(call)
    return None if answer.problem is not None and call.name in toolbox.code else answer.text


def _value_of(result: str) -> str:
    """Return the text of a value in JSON with sorted keys; another text as it is."""
    try:
        return canonical_json(decode_json(result))
    except ValueError:
        return result


def _in_words(result: _Result) -> str:
    tool = f"the tool '{excerpt(result.call.name)}'"
    if result.now is None:
        return f"calls of {tool} were answered, and aren't now"
    if result.recorded is None:
        return f"calls of {tool} weren't answered, and are now"
    return f"the result of {tool}: {changed_words(result.recorded, result.now)}"
