"""Answers that have to be JSON: read leniently, held against a schema, asked for once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from lve import regexes
from lve.allowance import Allowance
from lve.errors import CheckerError
from lve.prompts.answers.answer_schema import clipped
from lve.prompts.answers.json_lenient import find_json, json_candidates
from lve.prompts.answers.schema_meter import Meter, TooManyStepsError, best_error

MAX_CANDIDATES = 20
"""JSON values of one answer that are held against the schema."""
MOMENT_CHARACTERS = 100_000
MOMENT_STEPS = 2_000
MOMENT_PATTERN_S = 0.05
"""Limits of what is read in the event loop, some 20 ms: everything else waits meanwhile."""
BRIEF_STEPS = 200
BRIEF_PATTERN_S = 0.001
"""The same once the answers of a test have taken too much of its time."""
MAX_EXCEEDED = 3
"""So many answers in a row may take too much work."""

Mismatch = Callable[[Mapping[str, Any] | bool, Any, Meter], str | None]


@dataclass(slots=True)
class JsonAnswer:
    """The JSON format that the last answer of a conversation must have."""

    schema: Mapping[str, Any] | bool | None = None
    """JSON Schema (draft 2020-12) of the value; None if any JSON will do."""
    repair: bool = False
    """Whether an answer that can't be used is asked for once more."""
    _allowance: Allowance = field(default_factory=Allowance, init=False)
    """The time that it has in the event loop."""
    _exceeded: int = field(default=0, init=False)
    """So many answers in a row have taken too much work."""

    def read(self, text: str) -> Any:
        """Return the value in an answer: the first that fits the schema.

        Raises:
            ValueError: there is no JSON in it, or none that fits; says why.
            CheckerError: checking it against the schema is too much work, or was for several
                answers in a row.
        """
        if self._exceeded >= MAX_EXCEEDED:
            raise _undecided(f"that took too long {self._exceeded} times in a row")
        try:
            value = self._read(text, Meter(), mismatch)
        except CheckerError:
            self._exceeded += 1
            raise
        except ValueError:
            self._exceeded = 0
            raise
        self._exceeded = 0
        return value

    def read_in_a_moment(self, text: str) -> Any:
        """Return the value in an answer as `read` does, if that takes only a moment.

        Raises:
            ValueError: as `read`.
            TooManyStepsError: it may take longer. `read` does it, in a thread.
        """
        if len(text) > MOMENT_CHARACTERS:
            raise TooManyStepsError
        if self._allowance.is_used_up:
            meter = Meter(BRIEF_STEPS, BRIEF_PATTERN_S)
        else:
            meter = Meter(MOMENT_STEPS, MOMENT_PATTERN_S)
        began = perf_counter()
        try:
            return self._read(text, meter, _mismatch_in_a_moment)
        finally:
            self._allowance.take(perf_counter() - began)

    def _read(self, text: str, meter: Meter, mismatch: Mismatch) -> Any:
        if self.schema is None:
            return find_json(text)
        problem, undecided = None, None
        for _, value in zip(range(MAX_CANDIDATES), json_candidates(text), strict=False):
            try:
                why = mismatch(self.schema, value, meter)
            except CheckerError as error:
                undecided = undecided or error
                continue
            if why is None:
                return value
            problem = problem or why
        if undecided is not None:
            raise undecided
        if problem is None:
            find_json(text)
        raise ValueError(f"the JSON of the answer does not fit output_schema: {problem}")

    async def repair_request(self, text: str) -> str | None:
        """Return the message that asks the model to correct an answer. None if the answer is
        fine, may not be asked for again, or can't be judged in time."""
        if not self.repair:
            return None
        try:
            try:
                self.read_in_a_moment(text)
            except TooManyStepsError:
                import asyncio

                await asyncio.to_thread(self.read, text)
        except ValueError as error:
            return f"Your answer can't be used: {error}. Return only the corrected JSON."
        except CheckerError:
            return None  # judging says so
        return None


def mismatch(
    schema: Mapping[str, Any] | bool, value: Any, meter: Meter | None = None
) -> str | None:
    """Return why a value doesn't fit a schema; None if it does.

    Args:
        schema: in which `schema_problems` finds none.
        value: of an answer.
        meter: the steps that are left for the answer; by default as many as one has.

    Raises:
        CheckerError: checking it failed, which is not the answer's fault.
    """
    try:
        return _told(best_error(schema, value, meter or Meter()))
    except RecursionError as error:
        raise _undecided("it is nested too deeply") from error
    except TooManyStepsError as error:
        raise _undecided("that takes too much work; simplify the schema") from error
    except regexes.PatternTimeoutError as error:
        raise _undecided("a pattern takes too long on it") from error


def _undecided(why: str) -> CheckerError:
    return CheckerError(
        f"the JSON of the answer can't be held against output_schema: {why}", code="output_schema"
    )


def _mismatch_in_a_moment(
    schema: Mapping[str, Any] | bool, value: object, meter: Meter
) -> str | None:
    """Like `mismatch`, but raise TooManyStepsError where it takes too long: `read` may still
    decide."""
    try:
        return _told(best_error(schema, value, meter))
    except (RecursionError, regexes.PatternTimeoutError):
        raise TooManyStepsError from None


def _told(error: Any) -> str | None:
    return None if error is None else f"{error.json_path}: {clipped(error.message)}"
