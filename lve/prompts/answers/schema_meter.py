"""Validates values with a JSON Schema within a budget of steps.

jsonschema is exact and explains its errors well, but its work is unbounded: `uniqueItems` compares
all pairs of items, each error spells out the whole value, and a schema that applies two schemas to
each list doubles the work with every level of the answer. The budget is in steps, not in seconds,
so that the verdict is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from lve import regexes
from lve.documents.validation.value_formats import has_format
from lve.json_types import repeated
from lve.prompts.answers.answer_schema import clipped

if TYPE_CHECKING:
    from jsonschema import ValidationError

MAX_STEPS = 200_000
"""Steps for one answer, about two seconds. An answer of 100 kB takes about 30,000."""
MAX_PATTERN_S = 1.0
"""Seconds for all patterns of a schema on all texts of an answer."""
MAX_STRETCH = 20_000_000
"""Comparisons that a search may make between two checks of its deadline: those of a pattern of 20
characters on a text of a million."""
STEPS_PER_ERROR = 20
CHARACTERS_PER_STEP = 100
"""Characters of an error's message, which spells out the whole value, that cost one step."""

Check: TypeAlias = "Callable[..., Iterator[ValidationError] | None]"


class TooManyStepsError(Exception):
    """Validating a value takes more steps than the budget has."""


class Meter:
    """A budget of steps, and of time for patterns."""

    def __init__(self, steps: int = MAX_STEPS, pattern_s: float = MAX_PATTERN_S) -> None:
        """Args:
        steps: for everything but patterns.
        pattern_s: seconds for all patterns.
        """
        self._left = steps
        self._pattern_s = pattern_s

    def pay(self, steps: int) -> None:
        """Use up steps.

        Raises:
            TooManyStepsError: so many aren't left.
        """
        self._left -= steps
        if self._left < 0:
            raise TooManyStepsError

    def search(self, pattern: regexes.Pattern, text: str) -> bool:
        """Return whether a pattern occurs in a text.

        Raises:
            PatternTimeoutError: it takes more time than is left for all patterns.
        """
        if regexes.longest_step(pattern, text) > MAX_STRETCH:
            raise regexes.PatternTimeoutError("a large pattern on a long text")
        started = perf_counter()
        try:
            return regexes.call(pattern, "search", text, seconds=self._pattern_s) is not None
        finally:
            self._pattern_s = max(self._pattern_s - (perf_counter() - started), 0.001)


_METER: ContextVar[Meter] = ContextVar("meter")


def best_error(schema: Mapping[str, Any] | bool, value: object, meter: Meter) -> Any:
    """Return jsonschema's most relevant error; None if the value fits.

    Raises:
        TooManyStepsError: the budget is used up.
        RecursionError: the value is nested too deeply.
        PatternTimeoutError: a pattern takes too long.
    """
    from jsonschema.exceptions import best_match
    from referencing import Registry

    token = _METER.set(meter)
    try:
        # An empty registry: the default one would fetch remote references.
        return best_match(_validator_class()(schema, registry=Registry()).iter_errors(value))
    finally:
        _METER.reset(token)


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    from attrs import evolve
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    bounded = {
        "format": _check_format,
        "multipleOf": _check_multiple,
        "pattern": _check_pattern,
        "uniqueItems": _check_unique,
    }
    checks = {**Draft202012Validator.VALIDATORS, **bounded}
    metered = {keyword: _metered(keyword, check) for keyword, check in checks.items()}
    kind = extend(  # type: ignore[no-untyped-call]  # untyped in the stubs
        Draft202012Validator, metered
    )
    descend = kind.descend

    def descend_metered(self: object, instance: object, schema: object, **more: object) -> Any:
        # The schema `false` has no keyword that would be metered, but its error spells out the
        # value, too.
        return descend(self, instance, {"not": {}} if schema is False else schema, **more)

    kind.descend = descend_metered
    kind.evolve = evolve  # The class's own changes to another class if a schema has `$schema`.
    return kind


def _metered(keyword: str, check: Check) -> Check:
    def run(
        validator: object, setting: object, value: object, schema: object
    ) -> Iterator[ValidationError]:
        meter = _METER.get()
        meter.pay(_steps(keyword, setting, value))
        for error in check(validator, setting, value, schema) or ():
            meter.pay(STEPS_PER_ERROR + len(error.message) // CHARACTERS_PER_STEP)
            error.message = clipped(error.message)
            yield error

    return run


def _steps(keyword: str, setting: object, value: object) -> int:
    """Return the steps that a keyword costs, without those of its subschemas."""
    length = len(value) if isinstance(value, dict | list) else 0
    if keyword in ("enum", "const"):
        return 1 + _size(setting) // 10
    if keyword == "uniqueItems":
        return 1 + _size(value)
    if keyword in ("unevaluatedItems", "unevaluatedProperties"):
        return 100 + length + length * length // 100
    if isinstance(setting, str) and keyword == "$ref" and not setting.startswith(("#/", "#")):
        return 100
    return 1 + (length + (len(setting) if isinstance(setting, dict | list) else 0)) // 4


def _size(value: object) -> int:
    """Return how many values there are in a value, itself included."""
    number, waiting = 0, [value]
    while waiting:
        inner = waiting.pop()
        number += 1
        if isinstance(inner, dict | list):
            waiting += inner.values() if isinstance(inner, dict) else inner
    return number


def _check_unique(
    _: object, must_be_unique: object, value: object, schema: object
) -> Iterator[ValidationError]:
    """Check the keyword `uniqueItems`."""
    from jsonschema import ValidationError

    if must_be_unique and isinstance(value, list) and any(True for _ in repeated(value)):
        yield ValidationError(f"{value!r} has non-unique elements")


def _check_multiple(
    _: object, divisor: Any, value: object, schema: object
) -> Iterator[ValidationError]:
    """Check the keyword `multipleOf`, also for numbers beyond the range of floats."""
    from jsonschema import ValidationError

    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    try:
        quotient = value / divisor if isinstance(divisor, float) else Fraction(value) / divisor
        is_multiple = int(quotient) == quotient
    except OverflowError:
        is_multiple = _is_exact_multiple(value, divisor)
    except ValueError:  # not a number
        is_multiple = False
    if not is_multiple:
        yield ValidationError(f"{value!r} is not a multiple of {divisor!r}")


def _is_exact_multiple(value: float, divisor: float) -> bool:
    try:
        return (Fraction(value) / Fraction(divisor)).denominator == 1
    except OverflowError:  # infinite
        return False


def _check_format(
    _: object, name: object, value: object, schema: object
) -> Iterator[ValidationError]:
    """Check the keyword `format`, which jsonschema by itself only asserts with further packages."""
    from jsonschema import ValidationError

    is_text = isinstance(value, str) and isinstance(name, str)
    if is_text and not has_format(str(value), str(name)):
        yield ValidationError(f"{value!r} is not a {name!r}")


def _check_pattern(
    _: object, pattern: str, value: object, schema: object
) -> Iterator[ValidationError]:
    """Check the keyword `pattern`, with a deadline.

    Raises:
        PatternTimeoutError: it takes too long. That ends the whole validation, because an answer
            may have many texts.
    """
    from jsonschema import ValidationError

    if not isinstance(value, str):
        return
    try:
        if not _METER.get().search(regexes.compile_pattern(pattern), value):
            yield ValidationError(f"does not match {pattern!r}: {value!r}")
    except regexes.PatternError as error:
        yield ValidationError(f"{pattern!r} can't be used: {error}")
