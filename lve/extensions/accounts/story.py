"""`--explain ROW`: the story of one row, from its prompt to its verdict."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext
from lve.checkers.judge import verdict_of
from lve.data.row_places import place_of_row
from lve.errors import LveError
from lve.escape import escape, excerpt
from lve.extensions.accounts.config import test_values, value_text
from lve.extensions.accounts.judged_part import parts_judged
from lve.messages import Completion, Message, Transcript
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.rows.check_context import context_of
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session, Watcher
from lve.prompts.messages.plan import prompts_of
from lve.reporting.transcript import Cuts
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.spec.spec import CheckerConfig, Instance
from lve.workspace import display_path

LABEL_WIDTH = 10
SIGNS = {"passed": "✓", "failed": "✗", "error": "!", "inconclusive": "?"}


class Story(Watcher):
    """Tells what became of a row: a part of the story per line of its left margin."""

    def __init__(self, origins: Mapping[str, str], *, write: Callable[[str], None]) -> None:
        """Args:
        origins: where each field of the options was given.
        write: prints a line, or several.
        """
        self._origins = origins
        self._write = write
        self.is_told = False
        self._session: Session | None = None
        is_terminal = sys.stdout.isatty()
        self._cuts = Cuts(is_terminal)
        self._width = shutil.get_terminal_size().columns if is_terminal else None

    def on_start(self, session: Session) -> None:
        self._session = session

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        test, session = test_run.prepared, self._session
        if test is None or session is None:
            return
        self.is_told = True
        instance = _row(test, result, session)
        self._write(f"{result.test} · {place_of_row(result.source, result.line)} · {result.model}")
        self._part("row", _values(result.args) or ["no values"])
        self._part("prompt", self._prompt(test))
        args = {} if instance is None else test.model.args_of(instance)
        self._part("request", self._request(test, result, args, session))
        self._part("answer", self._answers(result))
        self._part("checks", self._checks(test, result, instance))
        self._part("said", [*self._said(result)])
        expected = "as expected" if result.verdict == test.spec.expect.wanted else "unexpected"
        advisory = ", advisory: it doesn't count" if result.advisory else ""
        self._part("verdict", [f"{result.verdict}, {expected}{advisory}: {result.reason}"])
        self._write("")

    def _part(self, label: str, lines: Sequence[str]) -> None:
        for number, line in enumerate(lines):
            start = f"  {label if number == 0 else '':{LABEL_WIDTH}}"
            self._write(self._wrapped(start, line))

    def _wrapped(self, start: str, line: str) -> str:
        """Return a line that continues below its own beginning where a terminal is too narrow."""
        if self._width is None:
            return f"{start}{line}".rstrip()  # `write` escapes it
        indent = len(line) - len(line.lstrip()) + 2
        further = " " * (len(start) + indent)
        return textwrap.fill(
            escape(line), self._width, initial_indent=start, subsequent_indent=further
        )

    def _prompt(self, test: PreparedTest) -> list[str]:
        """Return the prompt as the test has it, with its placeholders."""
        prompts = prompts_of(test.plan)
        place = display_path(test.spec.file)
        if not prompts:
            return [f"a template or prompt object of {place}: `lve render` shows how it is filled"]
        lines = [f"as {place} has it"]
        for prompt in prompts:
            lines += [line for message in prompt.messages for line in self._message(message)]
        return lines

    def _request(
        self,
        test: PreparedTest,
        result: InstanceResult,
        args: Mapping[str, object],
        session: Session,
    ) -> list[str]:
        """Return the model args, each with its origin, and the messages that were sent."""
        options, workspace = session.engine.options, session.engine.workspace
        values = test_values(test.spec, options, workspace, self._origins)
        origins = {value.name.strip(): value.origin for value in values}
        cap = session.engine.settings.caps.max_tokens
        if cap is not None and args.get("max_tokens") == cap:
            origins.setdefault("max_tokens", "the settings' caps")
        words = [f"{n} {value_text(v)} ({origins.get(n, 'the row')})" for n, v in args.items()]
        if test.model.is_replay:
            lines = ["nothing is sent: the answer is recorded"]
        else:
            lines = [", ".join(words) or "no model args"]
        for run in result.transcripts:
            first = min(run.filled, default=len(run.messages))
            lines += [line for message in run.messages[:first] for line in self._message(message)]
        return lines

    def _answers(self, result: InstanceResult) -> list[str]:
        lines: list[str] = []
        for run in result.transcripts:
            lines += self._run(run, is_replay=result.model == REPLAY)
        return lines or [f"none: {result.reason}"]

    def _run(self, run: Transcript, *, is_replay: bool) -> Iterator[str]:
        completions = dict(zip(run.filled, run.completions, strict=False))
        first = min(run.filled, default=len(run.messages))
        for index, message in enumerate(run.messages[first:], first):
            if index in completions:
                yield _facts(completions[index], is_replay=is_replay)
            yield from self._message(message)

    def _said(self, result: InstanceResult) -> Iterator[str]:
        """Yield what the models said that the checks asked, such as judges."""
        for answer in result.asked:
            text = answer.problem if answer.completion is None else answer.completion.text
            if answer.vector is None and text is not None:
                first, *others = [*self._cuts.lines(text)] or [""]
                yield f"{answer.role} {answer.model}: {first}"
                yield from (f"  {line}" for line in others)

    def _message(self, message: Message) -> Iterator[str]:
        content = message.content
        if content is None:
            yield f"{message.role}: [{message.variable or 'response'}: the model fills it]"
            return
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        calls = [call.as_text for call in message.tool_calls]
        lines = [*self._cuts.lines("\n".join([text, *calls] if text else calls))]
        yield f"{message.role}: {lines[0] if lines else ''}"
        yield from (f"{'':{len(message.role) + 2}}{line}" for line in lines[1:])

    def _checks(
        self, test: PreparedTest, result: InstanceResult, instance: Instance | None
    ) -> list[str]:
        checkers, judge = test.judge.checkers, test.judge
        if not result.transcripts or instance is None:
            return ["none judged: there is no answer"]
        if result.judged_by is not None:
            return ["a part of the answer was redacted, so it isn't judged again here"]
        several = f"{test.spec.pass_when} of these {len(checkers)} must pass"
        lines = [several] if len(checkers) > 1 else []
        if judge.answer is not None:
            lines.append("the answer must be JSON before any check (output_schema)")
        context = context_of(instance, result.transcripts, result.cost)
        for checker, written in zip(checkers, test.spec.checkers, strict=False):
            lines += _one_check(checker, written, context, result, is_only=len(checkers) == 1)
        return lines


def _one_check(
    checker: BoundChecker,
    written: CheckerConfig,
    context: CheckContext,
    result: InstanceResult,
    *,
    is_only: bool,
) -> Iterator[str]:
    """Yield a check's name and arguments, what it judges, and its verdict with the reason."""
    outcome, reason = result.verdict, result.reason
    if not is_only and checker.roles:
        outcome, reason = "inconclusive", "it asks a model: the verdict below has its reason"
    elif not is_only:
        verdict = verdict_of(checker, context, BoundChecker.check)
        outcome, reason = verdict.outcome, verdict.reason
    yield f"{SIGNS[outcome]} {checker.name}: {_arguments(written.args)}"
    filled = _filled(checker, context)
    if filled != dict(written.args):
        yield f"  filled with the row: {_arguments(filled)}"
    for step in parts_judged(checker, written.args, context):
        yield f"  {step}"
    yield f"  {outcome}: {reason}"


def _filled(checker: BoundChecker, context: CheckContext) -> Mapping[str, Any]:
    """Return the arguments with the row's values; unfilled if a value is missing."""
    try:
        return checker.arguments.filled(context)
    except LveError:
        return checker.arguments.values


def _arguments(args: Mapping[str, Any]) -> str:
    texts = (f"{n}={json.dumps(v, ensure_ascii=False, default=str)}" for n, v in args.items())
    return excerpt(", ".join(texts), 400) or "no arguments"


def _values(args: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {excerpt(str(value), 400)}" for name, value in args.items()]


def _facts(completion: Completion, *, is_replay: bool) -> str:
    """Return where an answer came from, and what it took."""
    origin = "from the cache" if completion.cached else "asked for now"
    usage, words = completion.usage, ["recorded" if is_replay else origin]
    words.append(f"{completion.latency_s:.2f} s")
    if usage is not None:
        words.append(f"{usage.prompt_tokens} + {usage.completion_tokens} tokens")
    if completion.finish_reason is not None:
        words.append(f"finish reason {completion.finish_reason}")
    if completion.model is not None:
        words.append(f"by {completion.model}")
    return ", ".join(words)


def _row(test: PreparedTest, result: InstanceResult, session: Session) -> Instance | None:
    """Return the row that a result is of; None if its file has changed meanwhile."""
    options, settings = session.engine.options, session.engine.settings
    for instance in select_instances(test.spec, options, settings, model=result.model):
        if isinstance(instance, Instance) and (instance.source, instance.line) == (
            result.source,
            result.line,
        ):
            return instance
    return None
