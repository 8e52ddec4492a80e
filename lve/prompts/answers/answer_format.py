"""The format of answers that have to be JSON: parsing, validation, a request for correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from time import perf_counter
from typing import Any

from lve import regexes
from lve.data_classes import dataclass, field
from lve.documents.lenient_json import SearchEndedError, json_values, why_no_json
from lve.documents.mended_json import Mend
from lve.errors import CheckerError
from lve.json_types import JsonValue
from lve.limits.effort import Allowance
from lve.prompts.answers.answer_schema import clipped
from lve.prompts.answers.schema_meter import Meter, TooManyStepsError, best_error

MAX_CANDIDATES = 20
"""JSON values of one answer that are held against a schema."""
QUICK_CHARACTERS = 100_000
QUICK_STEPS = 2_000
QUICK_PATTERN_S = 0.05
"""Limits for an answer that is read in the event loop, about 20 ms: everything else waits."""
BRIEF_STEPS = 200
BRIEF_PATTERN_S = 0.001
"""The same limits once the answers of a test have used up their time in the event loop."""
MAX_EXCEEDED = 3
"""After so many answers in a row that took too much work, further ones aren't read."""

Validate = Callable[[Mapping[str, Any] | bool, Any, Meter], str | None]
"""Schema, value and budget -> why the value doesn't fit; None if it does."""


@dataclass(slots=True)
class JsonAnswer:
    """The JSON format that the last answer of a conversation must have."""

    schema: Mapping[str, Any] | bool | None = None
    """JSON Schema (draft 2020-12) of the value; None if any JSON will do."""
    repair: bool = False
    """Whether the model is asked once to correct an invalid answer."""
    _allowance: Allowance = field(default_factory=Allowance, init=False)
    """The time that reading answers may take in the event loop."""
    _exceeded: int = field(default=0, init=False)
    """Number of the last answers in a row that took too much work."""

    def read(self, text: str) -> Any:
        """Return the first JSON value in an answer that fits the schema.

        Raises:
            ValueError: there is no JSON in the answer, or none that fits.
            CheckerError: validating it is too much work, or was for several answers in a row.
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

    def read_quickly(self, text: str) -> object:
        """Do the same as `read` if it takes only milliseconds, for use in the event loop.

        Raises:
            ValueError: as `read`.
            TooManyStepsError: it may take longer: use `read`, in a thread.
        """
        if len(text) > QUICK_CHARACTERS:
            raise TooManyStepsError
        if self._allowance.is_used_up:
            meter = Meter(BRIEF_STEPS, BRIEF_PATTERN_S)
        else:
            meter = Meter(QUICK_STEPS, QUICK_PATTERN_S)
        began = perf_counter()
        try:
            return self._read(text, meter, _quick_mismatch)
        finally:
            self._allowance.take(perf_counter() - began)

    def _read(self, text: str, meter: Meter, validate: Validate) -> object:
        if self.schema is None:
            return _first_value(text)
        problem, undecided = None, None
        for value in islice(_values(text), MAX_CANDIDATES):
            try:
                why = validate(self.schema, value, meter)
            except CheckerError as error:
                undecided = undecided or error
                continue
            if why is None:
                return value
            problem = problem or why
        if undecided is not None:
            raise undecided
        if problem is None:
            _first_value(text)
        raise ValueError(f"the JSON of the answer does not fit output_schema: {problem}")

    async def repair_request(self, text: str) -> str | None:
        """Return the message that asks the model to correct an answer; None if the answer is valid,
        can't be validated in time, or `repair` is off."""
        if not self.repair:
            return None
        try:
            try:
                self.read_quickly(text)
            except TooManyStepsError:
                import asyncio

                await asyncio.to_thread(self.read, text)
        except ValueError as error:
            return f"Your answer can't be used: {error}. Return only the corrected JSON."
        except CheckerError:
            return None  # The checker reports it.
        return None


def _values(text: str) -> Iterator[JsonValue]:
    """Yield the JSON values in an answer, the likeliest first. Nothing is mended but line breaks,
    because the program that is to read such answers will mend nothing either."""
    with suppress(SearchEndedError):
        yield from json_values(text, Mend.breaks, fences_first=True)


def _first_value(text: str) -> JsonValue:
    """Return the likeliest JSON value of an answer.

    Raises:
        ValueError: there is none; the message says where plain parsing stopped.
    """
    for value in _values(text):
        return value
    raise ValueError(f"no JSON in the answer ({why_no_json(text)})")


def mismatch(
    schema: Mapping[str, object] | bool, value: object, meter: Meter | None = None
) -> str | None:
    """Return why a value doesn't fit a schema; None if it does.

    Args:
        schema: without `schema_problems`.
        value: of an answer.
        meter: the budget that is left for the answer; by default a full one.

    Raises:
        CheckerError: the value can't be validated, which isn't the answer's fault.
    """
    try:
        return _error_text(best_error(schema, value, meter or Meter()))
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


def _quick_mismatch(schema: Mapping[str, object] | bool, value: object, meter: Meter) -> str | None:
    """Do the same as `mismatch`, but raise TooManyStepsError if it takes too long: with more time,
    `read` may succeed."""
    try:
        return _error_text(best_error(schema, value, meter))
    except (RecursionError, regexes.PatternTimeoutError):
        raise TooManyStepsError from None


def _error_text(error: Any) -> str | None:
    return None if error is None else f"{error.json_path}: {clipped(error.message)}"
