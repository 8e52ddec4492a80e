"""Finds what changed between two runs, as possible causes of flipped verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from lve.comparison.compared import ANSWER, NOTHING, UNKNOWN, Cause
from lve.comparison.side import SideFacts
from lve.json_types import JsonObject
from lve.messages import Transcript
from lve.sessions.instance_result import InstanceResult
from lve.sessions.provenance import PARTS_OF_DOCUMENT
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS

SHOWN_NAMES = 5


class Causes:
    """Compares the facts of two sides."""

    def __init__(self, before: SideFacts, now: SideFacts) -> None:
        self._before, self._now = before, now

    def of(
        self,
        test: str,
        models: tuple[str, str],
        before: InstanceResult | None,
        now: InstanceResult | None,
    ) -> tuple[Cause, ...]:
        """Return what changed between two results; `NOTHING` if no change is known, `UNKNOWN` if
        there may be one in the answers.

        Args:
            test: the test.
            models: its model before and now.
            before: the earlier result; None if its side doesn't keep results.
            now: the later result; None likewise.
        """
        before_facts, now_facts = self._before.of(test, models[0]), self._now.of(test, models[1])
        if before_facts is not self._before or now_facts is not self._now:
            return Causes(before_facts, now_facts).of(test, models, before, now)
        causes = [*self._of_test(test, models)]
        if before is not None and now is not None:
            may_differ = not self._has_same_messages(test)
            causes = [*_of_results(before, now, causes, may_differ)]
        else:
            causes += self._served(models)
        if not causes and before is not None and now is not None:
            return (NOTHING if before.responses == now.responses else ANSWER,)
        return tuple(causes) or (UNKNOWN,)

    def of_test(self, test: str, models: tuple[str, str]) -> tuple[Cause, ...]:
        """Return what changed of a test, as far as that is known without its results. Arguments
        as `of`."""
        sides = Causes(self._before.of(test, models[0]), self._now.of(test, models[1]))
        return (*sides._of_test(test, models), *sides._served(models))

    def _of_test(self, test: str, models: tuple[str, str]) -> Iterator[Cause]:
        """Yield changes that are known without the results."""
        if models[0] != models[1]:
            yield Cause("model", f"{models[0]} → {models[1]}")
        changed = self._changed_sums(test)
        if changed & {"messages", "prompts", "prompt_object", "files"}:
            yield Cause("prompt")
        if "model_args" in changed or (names := self._changed_args()):
            yield Cause("model args", "" if "model_args" in changed else _listed(names))
        if changed & {"checks", "checkers"}:
            yield Cause("checker")
        if self._before.roles.get("judge") != self._now.roles.get("judge"):
            judges = (side.roles.get("judge") or "none" for side in (self._before, self._now))
            yield Cause("judge", " → ".join(judges))
        if "data" in changed:
            yield Cause("data")
        if changed & {"document", "suites"} and not changed.intersection(PARTS_OF_DOCUMENT):
            yield Cause("document")
        if self._before.lve and self._now.lve and self._before.lve != self._now.lve:
            yield Cause("lve", f"{self._before.lve} → {self._now.lve}")

    def _changed_sums(self, test: str) -> set[str]:
        before, now = self._before.sums.get(test), self._now.sums.get(test)
        if before is None or now is None:
            return set()
        # Older sessions lack sums for parts of a document. That isn't a change.
        names = ({*before} | {*now}) - (set(PARTS_OF_DOCUMENT) - ({*before} & {*now}))
        for side in (self._before, self._now):
            names = names if side.known_sums is None else names & side.known_sums
        return {name for name in names if before.get(name) != now.get(name)}

    def _has_same_messages(self, test: str) -> bool:
        """Return whether the prompt in the test document is known to be unchanged."""
        sums = [side.sums.get(test, {}).get("messages") for side in (self._before, self._now)]
        return sums[0] is not None and sums[0] == sums[1]

    def _changed_args(self) -> list[str]:
        return _unlike(
            self._before.options.get("model_args") or {}, self._now.options.get("model_args") or {}
        )

    def _served(self, models: tuple[str, str]) -> Iterator[Cause]:
        before, now = self._before.served.get(models[0]), self._now.served.get(models[1])
        if before and now and models[0] == models[1] and before != now:
            yield Cause("served model", f"{_listed(before)} → {_listed(now)}")


def _of_results(
    before: InstanceResult, now: InstanceResult, test_causes: list[Cause], may_document_differ: bool
) -> Iterator[Cause]:
    """Yield the causes that two whole results show, together with the known causes of their test.

    Args:
        before: the earlier result.
        now: the later result.
        test_causes: the causes from `Causes._of_test`.
        may_document_differ: whether the prompt in the document may have changed.
    """
    names = _unlike(before.args, now.args)
    parameters = [name for name in names if name not in KNOWN_MODEL_ARGS]
    args = [name for name in names if name in KNOWN_MODEL_ARGS]
    is_known = bool(before.transcripts and now.transcripts)
    is_other_prompt = is_known and _sent(before) != _sent(now)
    names_of_document = ("document", "prompt") if may_document_differ else ("prompt",)
    says_document = any(cause.name in names_of_document for cause in test_causes)
    if is_other_prompt and (says_document or not parameters):
        yield Cause("prompt")
    if parameters:
        yield Cause("parameters", _listed(parameters))
    if args and not any(cause.name == "model args" for cause in test_causes):
        yield Cause("model args", _listed(args))
    # What was sent is known: the files of prompts, and the document, say no more about it.
    yield from (
        cause
        for cause in test_causes
        if not is_known
        or (cause.name != "prompt" and (cause.name != "document" or not is_other_prompt))
    )
    if before.model == now.model:
        yield from _of_answers(before, now, test_causes)


def _of_answers(
    before: InstanceResult, now: InstanceResult, test_causes: list[Cause]
) -> Iterator[Cause]:
    served = (_served_by(before), _served_by(now))
    if all(served) and served[0] != served[1]:
        yield Cause("served model", " → ".join(map(_listed, served)))
    same_answers = before.responses == now.responses
    same_judge = [answer.completion and answer.completion.text for answer in before.asked] == [
        answer.completion and answer.completion.text for answer in now.asked
    ]
    if same_answers and not same_judge and not any(cause.name == "judge" for cause in test_causes):
        yield Cause("judge", "it said something else about the same answer")


def _sent(result: InstanceResult) -> list[list[tuple[object, ...]]]:
    """Return the messages before the model's first answer, per run: later ones may repeat it."""
    return [_first_request(transcript) for transcript in result.transcripts]


def _first_request(transcript: Transcript) -> list[tuple[object, ...]]:
    filled = frozenset(transcript.filled)
    before = takewhile(lambda item: item[0] not in filled, enumerate(transcript.messages))
    return [(message.role, message.content, message.image_url) for _, message in before]


def _served_by(result: InstanceResult) -> list[str]:
    names = {completion.model for run in result.transcripts for completion in run.completions}
    return sorted(name for name in names if name)


def _unlike(before: JsonObject, now: JsonObject) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _listed(names: Any) -> str:
    texts = [str(name) for name in names]
    more = len(texts) - SHOWN_NAMES
    return ", ".join(texts[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
