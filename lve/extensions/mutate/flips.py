"""Changes a test's examples and finds verdicts that flip.

Some changes show a brittle test: its author meant less than the check wants. A check such as
`starts_with` does what it says if an answer in bold fails. But a test that says `starts_with: Yes`
hardly means to fail it. Where a test is about the format, its `allow_changes` says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import Outcome, Verdict
from lve.checkers.examples import example_context, text_checkers
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve_with
from lve.checkers.static import bind_statically
from lve.data_classes import dataclass
from lve.errors import Problem
from lve.escape import excerpt
from lve.extensions.mutate.brittle import (
    LONGER_NUMBER,
    number_changes,
    revealing_changes,
)
from lve.extensions.mutate.changes import change_in_words, changed
from lve.extensions.mutate.table import JSON_ANSWER, changes_of
from lve.named_tuples import NamedTuple
from lve.prompts.plan import answer_format_of
from lve.settings.settings import Settings
from lve.spec.spec import Example, Spec
from lve.workspace import display_path

MUTATION_S = 10.0
"""Seconds for the changed examples of a test."""
SHOWN = 100
"""Characters of a changed answer that are shown."""
IN_JSON = 2_000


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that flips after a change that must not matter, or stays after one that must."""

    checker: str
    change: str
    """Name of the change."""
    example: Example
    before: Outcome
    after: Verdict
    answer: str
    """The changed answer."""

    def problem(self) -> Problem:
        """Return the problem that the change flips the verdict, or that it doesn't."""
        shown = excerpt(self.answer, SHOWN)
        is_kept = self.after.outcome == self.before
        what = "stays" if is_kept else "becomes"
        message = (
            f"{self.checker}, {self.change}: {self.before} {what} {self.after.outcome} for "
            f"'{shown}': {excerpt(self.after.reason, SHOWN)}"
        )
        hint = (
            "it must matter: The number is a part of another one."
            if is_kept
            else f"it must not matter: {change_in_words(self.change)}"
        )
        return self.example.position.problem(message, hint, code="example_flips")

    def to_json(self) -> dict[str, Any]:
        """Return what `lve check --json` says of it."""
        return {
            "checker": self.checker,
            "change": self.change,
            "path": self.example.position.path,
            "before": self.before,
            "after": self.after.outcome,
            "reason": self.after.reason,
            "answer": excerpt(self.answer, IN_JSON),
        }


class FlipSearch(NamedTuple):
    """The result of judging a test's changed examples."""

    judged: int
    """Number of changed examples that were judged."""
    flips: tuple[Flip, ...]
    is_cut_short: bool = False
    """Whether there was no time for some changes."""

    def lines(self, file: Path) -> Iterator[str]:
        """Yield a line for each flip, and one if there was no time for some changes.

        Args:
            file: the document of the test.
        """
        yield from (flip.problem().message_with_code for flip in self.flips)
        if self.is_cut_short:
            yield (
                f"{display_path(file)}: warning: only the first {self.judged:,} changed answers "
                "were judged: it took too long"
            )

    def to_json(self) -> dict[str, Any]:
        """Return what `lve check --json` says of it."""
        return {
            "judged": self.judged,
            "complete": not self.is_cut_short,
            "flips": [flip.to_json() for flip in self.flips],
        }


def find_flips(spec: Spec, settings: Settings, *, trust: bool = False) -> FlipSearch | None:
    """Judge a test's changed examples with its checkers.

    Args:
        spec: the test.
        settings: the workspace's settings.
        trust: whether to run custom checkers and load models.

    Returns:
        None if no checker can judge.

    Raises:
        LveError: a checker can't be made.
    """
    if not trust:
        checkers = [checker for checker in bind_statically(spec).judgeable if checker is not None]
        return flips_of(spec, text_checkers(checkers)) if checkers else None
    judge = resolve_with(spec, settings, trusted=True)
    try:
        return flips_of(spec, text_checkers(judge.checkers))
    finally:
        judge.stop()


def flips_of(spec: Spec, checkers: Sequence[BoundChecker]) -> FlipSearch:
    """Judge each example before and after its changes, with each checker alone.

    Args:
        spec: the test.
        checkers: its checkers that judge texts.
    """
    began, judged, flips = time.monotonic(), 0, list[Flip]()
    answer = answer_format_of(spec)
    for checker in checkers:
        judge = Judge([checker], answer=answer)
        for example in spec.examples:
            before = judge.judge(example_context(spec, example))
            for name, other in _tried(spec, judge, checker, example, before.outcome):
                if time.monotonic() - began > MUTATION_S:
                    return FlipSearch(judged, tuple(flips), is_cut_short=True)
                after = judge.judge(example_context(spec, other))
                judged += 1
                if (after.outcome == before.outcome) is (name == LONGER_NUMBER):
                    text = _last_text(other)
                    flips.append(Flip(checker.name, name, example, before.outcome, after, text))
    return FlipSearch(judged, tuple(flips))


def _tried(
    spec: Spec, judge: Judge, checker: BoundChecker, example: Example, before: Outcome
) -> Iterator[tuple[str, Example]]:
    """Yield the name of each change that the test doesn't allow to matter, and the changed
    example."""
    names: tuple[str, ...] = JSON_ANSWER
    args = checker.arguments.values
    if answer_format_of(spec) is None:
        names = (*changes_of(checker.name, args), *revealing_changes(checker.name, args))
    allowed = {*spec.allow_changes}
    yield from _changed_examples(example, [n for n in dict.fromkeys(names) if n not in allowed])
    only = example.responses[0]
    if LONGER_NUMBER in allowed or len(example.responses) > 1 or not isinstance(only, str):
        return
    for another, longer in number_changes(checker.name, args, example.args, only):
        other = example._replace(responses=(another,))
        if judge.judge(example_context(spec, other)).outcome == before:
            continue  # the number doesn't matter
        for text in longer:
            yield LONGER_NUMBER, example._replace(responses=(text,))


def _changed_examples(example: Example, names: Sequence[str]) -> Iterator[tuple[str, Example]]:
    """Yield the name of a change and the example with all answers changed, for each form of each
    change."""
    texts = [_texts(response) for response in example.responses]
    for name in names:
        forms = [{key: changed(name, text) for key, text in answers.items()} for answers in texts]
        count = max((len(changes) for by_key in forms for changes in by_key.values()), default=0)
        for number in range(count):
            responses = tuple(
                _with_form(response, form, number)
                for response, form in zip(example.responses, forms, strict=True)
            )
            yield name, example._replace(responses=responses)


def _texts(response: str | Mapping[str, str]) -> Mapping[str, str]:
    return {"": response} if isinstance(response, str) else response


def _with_form(
    response: str | Mapping[str, str], forms: Mapping[str, list[str]], number: int
) -> str | Mapping[str, str]:
    """Return the answers of a run in the changed form `number`; unchanged where there is none."""
    texts = _texts(response)
    changed_texts = {
        key: forms[key][number] if number < len(forms[key]) else text for key, text in texts.items()
    }
    return changed_texts[""] if isinstance(response, str) else changed_texts


def _last_text(example: Example) -> str:
    last = example.responses[-1]
    return last if isinstance(last, str) else [*last.values(), ""][-2]
