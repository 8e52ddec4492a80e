"""Selects the answers that a checker judges (`on`), and the right answer to each of them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judging_limits import IN_PROCESS_S, LimitError, NeedsProcessError
from lve.errors import CheckerError, LveError
from lve.escape import listed
from lve.messages import Message, Role, Transcript
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.prompts.conversation import RESPONSE
from lve.spec.check_names import CONTEXTS, RETURNED

Turn = TypeVar("Turn")
ALL = "all"
TRANSCRIPT = "transcript"
MAX_IN_PROCESS_ANSWERS = 200
"""The most answers of an instance that lve's own process judges one by one."""
_RUN_OF_TURN = r"turn [1-9][0-9]*"
"""Name of a run that is one turn of a dialogue with a history from the data set."""
NO_REFERENCE = "the row has no right answer: name the column in reader_cfg.output_column"
Check = Callable[[CheckContext], Verdict]
"""Judges one view."""


class View(NamedTuple):
    """A part of an instance that a checker judges by itself, such as one answer."""

    label: str
    """How reasons call it: "answer 'first'". Empty for the whole instance."""
    context: CheckContext


class AnswerSelection(NamedTuple):
    """Which answers a checker judges."""

    on: tuple[str, ...] = ()
    """Variables of answers, `all`, or `transcript`. Empty for the checker's default."""
    together: bool = False
    """Whether the checker compares answers, so that it sees all of them at once."""
    by_reference: bool = False
    """Whether the checker uses the right answer; a list then has one for each turn of a
    dialogue."""
    fills_reference: bool = False
    """Whether the right answer is filled into the checker's arguments. Of a list, any answer may
    match."""
    late: frozenset[str] = frozenset()
    """Placeholders in the arguments that may be variables of answers, which differ by run."""

    def verdict(self, context: CheckContext, check: Check, *, in_process: bool) -> Verdict:
        """Return a checker's verdict on an instance: all of its views must pass.

        Args:
            context: the instance.
            check: judges one view.
            in_process: whether this is lve's own process, where everything else waits meanwhile.

        Raises:
            CheckerError: a selected answer doesn't exist.
            NeedsProcessError: raised by `check`, or judging all views takes too long in this
                process.
        """
        if (
            in_process
            and sum(len(run.filled) for run in context.transcripts) > MAX_IN_PROCESS_ANSWERS
        ):
            raise NeedsProcessError
        views = self.views(context)
        if self.fills_reference:
            check = partial(_check_any_reference, check)
        if len(views) == 1:
            label, only = views[0]
            verdict = check(only)
            return replace(verdict, reason=f"{label}: {verdict.reason}") if label else verdict
        began, verdicts = time.monotonic(), list[Verdict]()
        for view in views:
            if in_process and time.monotonic() - began > IN_PROCESS_S:
                raise NeedsProcessError
            verdicts.append(_verdict(view, check))
        return _joined(views, verdicts)

    def views(self, context: CheckContext) -> list[View]:
        """Return the parts of `context` that the checker judges one by one.

        Raises:
            CheckerError: a selected answer doesn't exist.
        """
        views = list(self._views(context))
        return [part for view in views for part in self._by_run(view)] if self.late else views

    def _views(self, context: CheckContext) -> Iterator[View]:
        runs, references = context.transcripts, self._references(context)
        if self.on == (TRANSCRIPT,):
            yield View(TRANSCRIPT, replace(context, transcripts=tuple(map(_as_answer, runs))))
        elif RETURNED.issuperset(self.on) and self.on and self.on[0] not in context.variables:
            yield View(self.on[0], replace(context, transcripts=_as_returned(context, self.on[0])))
        elif references and all(len(run.answers) <= 1 for run in runs):
            for number, (run, right) in enumerate(_paired(runs, references), 1):
                if right is not None:
                    narrowed = replace(context, transcripts=(run,), reference=right)
                    yield View(f"turn {number} of {len(runs)}", narrowed)
        elif self.on or references:
            yield from self._turns(context, references)
        else:
            yield View("", context)

    def _references(self, context: CheckContext) -> list[object]:
        """Return the right answer of each turn; an empty list if they share one.

        Raises:
            CheckerError: no turn has a right answer.
        """
        references, runs = context.reference, context.transcripts
        if not self.by_reference or not isinstance(references, list):
            return []
        is_dialogue = any(len(run.answers) > 1 for run in runs) or (
            len(runs) > 1 and all(re.fullmatch(_RUN_OF_TURN, run.name or "") for run in runs)
        )
        if is_dialogue and not any(reference is not None for reference in references):
            raise CheckerError("the row has no right answer for any turn", code="missing_reference")
        return references if is_dialogue else []

    def _turns(self, context: CheckContext, references: list[object]) -> Iterator[View]:
        """Yield a view of each selected answer, or one view of all if they are compared."""
        runs = context.transcripts
        positions = [answer_positions(run) for run in runs]
        names = list(dict.fromkeys(name for by_name in positions for name in by_name))
        rights = dict(_paired(names, references)) if references else {}
        transcripts: list[Transcript] = []
        for name in self._selected(names):
            if references and rights.get(name) is None:
                continue
            own = [(run, at) for run, at in zip(runs, positions, strict=True) if name in at]
            narrowed = tuple(up_to_answer(run, at[name]) for run, at in own)
            transcripts += narrowed
            if not self.together:
                reference = rights[name] if references else context.reference
                answers = own[-1][0].variables
                alone = replace(
                    context, transcripts=narrowed, reference=reference, other_answers=answers
                )
                number = f"turn {names.index(name) + 1} of {len(names)}"
                yield View(f"answer '{name}'" if self.on else number, alone)
        if self.together:
            yield View("", replace(context, transcripts=tuple(transcripts)))

    def _selected(self, names: list[str]) -> list[str]:
        if self.on in ((), (ALL,)):
            return names
        missing = [name for name in self.on if name not in names and name != RESPONSE]
        if missing:
            there = listed(names) or "none"
            raise CheckerError(
                f"there is no answer '{missing[0]}' to look at (answers: {there})",
                code="missing_answer",
            )
        return [name if name in names else names[-1] for name in self.on]

    def _by_run(self, view: View) -> Iterator[View]:
        """Yield a view for each run if the arguments contain answers, which differ by run."""
        label, context = view
        runs = context.transcripts
        if len(runs) < 2 or self.together or self.late <= {*context.args, *context.parameters}:
            yield view
            return
        for number, run in enumerate(runs, 1):
            where = f"run {number} of {len(runs)}"
            yield View(
                f"{where}, {label}" if label else where, replace(context, transcripts=(run,))
            )


def _check_any_reference(check: Check, context: CheckContext) -> Verdict:
    """Return the verdict for the first right answer that passes, or for the last one."""
    if not isinstance(context.reference, list):
        return check(context)
    rights = [reference for reference in context.reference if reference is not None]
    if not rights:
        raise CheckerError(NO_REFERENCE, code="missing_reference")
    for right in rights:
        verdict = check(replace(context, reference=right))
        if verdict.passed:
            break
    return verdict


def answer_positions(run: Transcript) -> Mapping[str, int]:
    """Return variable of an answer -> its index among the filled turns of a run. A correction
    replaces the answer that it corrects."""
    return {
        run.messages[i].variable or str(n): run.filled.index(i) for n, i in enumerate(run.answered)
    }


def up_to_answer(run: Transcript, number: int) -> Transcript:
    """Return `run` cut after the filled turn with index `number`. Only that answer, with the tool
    calls that led to it, counts as filled."""
    first = number
    while first and run.filled[first - 1] not in run.answered:
        first -= 1
    own = slice(first, number + 1)
    end = run.filled[number] + 1
    return Transcript(run.messages[:end], run.completions[own], run.name, run.filled[own])


def _as_returned(context: CheckContext, name: str) -> tuple[Transcript, ...]:
    """Return the runs, whose only answers are what the application returned beside its own."""
    runs = []
    for run in context.transcripts:
        value = replace(context, transcripts=(run,)).returned[name]
        text = "\n\n".join(value) if name == CONTEXTS else json.dumps(value, ensure_ascii=False)
        runs.append(Transcript((Message(text, Role.assistant, name),), (), run.name, (0,)))
    return tuple(runs)


def _as_answer(run: Transcript) -> Transcript:
    """Return a run whose only answer is the text of the whole conversation."""
    text = "\n\n".join(f"{message.role}: {_text(message)}" for message in run.messages)
    answer = Message(text, Role.assistant, TRANSCRIPT)
    return Transcript((answer,), run.completions, run.name, (0,))


def _text(message: Message) -> str:
    content = message.content
    calls = [call.as_text for call in message.tool_calls]
    if isinstance(content, str) or content is None:
        return "\n".join([content, *calls] if content else calls)
    return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))


def _paired(turns: Sequence[Turn], references: list[object]) -> list[tuple[Turn, object]]:
    """Return each turn with its right answer.

    Raises:
        CheckerError: the numbers of turns and right answers differ.
    """
    if len(turns) != len(references):
        raise CheckerError(
            f"the row has {amount(len(references), 'right answer')} for "
            f"{amount(len(turns), 'turn')}: give one for each (null: not judged; a list in the "
            "list: any of these)",
            code="missing_reference",
        )
    return list(zip(turns, references, strict=True))


def _verdict(view: View, check: Check) -> Verdict:
    try:
        return check(view.context)
    except LimitError:
        raise
    except LveError as error:
        return Verdict.of_error(error)


def _joined(views: list[View], verdicts: list[Verdict]) -> Verdict:
    """Return one verdict for all views. One `failed` decides."""
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    score = sum(scores) / len(scores) if len(scores) == len(verdicts) else None
    for outcome in ("failed", "error", "inconclusive"):
        for view, verdict in zip(views, verdicts, strict=True):
            if verdict.outcome == outcome:
                reason = f"{view.label}: {verdict.reason}"
                return replace(verdict, reason=reason, score=score, labels=None)
    what = "turns" if views[0].label.startswith("turn ") else "answers"
    return Verdict("passed", f"all {len(views)} {what}: {verdicts[0].reason}", score)


def references_of(context: CheckContext) -> list[str]:
    """Return the right answers as texts. If the output column has a list, each item is right.

    Raises:
        CheckerError: there is no right answer.
    """
    references = context.reference if isinstance(context.reference, list) else [context.reference]
    texts = [str(reference) for reference in references if reference is not None]
    if not texts:
        raise CheckerError(NO_REFERENCE, code="missing_reference")
    return texts
