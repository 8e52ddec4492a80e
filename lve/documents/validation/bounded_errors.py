"""Finds the mistakes of a value with jsonschema, and describes only the first ones.

A document of 1 MB may have 90,000 wrong messages, and jsonschema needs a millisecond for each. So
the members of lists and objects are looked at by jsonschema-rs first, which takes a microsecond.
Only wrong ones go to jsonschema, and once enough of those have been described, the rest are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from lve.json_types import repeated
from lve.limits.effort import checkpoint
from lve.limits.problems import MAX_PROBLEMS
from lve.named_tuples import NamedTuple

if TYPE_CHECKING:
    from jsonschema import ValidationError

FEW = 20
"""Lists and objects up to this size go to jsonschema at once: preparing the fast validator for
their members takes a millisecond."""
COUNTED = "counted"
"""The `validator` of an error that stands for members that are only counted."""


class SchemaError(Protocol):
    """What jsonschema says about a mistake. The types that the package declares have a value for
    "unset" beside each, which no error has that a validator finds."""

    message: str
    validator: str
    """The keyword that the value breaks."""
    validator_value: Any
    """The keyword's value in the schema."""
    instance: Any
    """The wrong value."""
    schema: Mapping[str, Any]
    context: Sequence[SchemaError]
    """The errors in the branches of an `anyOf`."""
    absolute_path: Sequence[str | int]
    relative_path: Sequence[str | int]
    schema_path: Sequence[str | int]


class BoundedErrors(NamedTuple):
    """The mistakes of a value."""

    errors: list[SchemaError]
    """jsonschema's errors: all of them, or those of the first `MAX_PROBLEMS` wrong members."""
    more: int
    """The number of further wrong members."""


def bounded_errors(data: object, validator: Any, name: str) -> BoundedErrors:
    """Return the mistakes of a value.

    Args:
        data: the value.
        validator: jsonschema's validator, with the keywords of `BOUNDED`.
        name: the name of its schema, as for `lve.documents.validation.schema.load_schema`.
    """
    bounds = _Bounds(name, validator.schema)
    # `evolve` would take the class of the schema's `$schema`, without the keywords of `BOUNDED`
    bounded = type(validator)(validator.schema, format_checker=bounds)
    errors = list(bounded.iter_errors(data))
    return BoundedErrors(errors, sum(bounds.others.values()))


class _Bounds:
    """What is left to describe of one value.

    jsonschema hands a validator's format checker on to the validators of all parts, and lve
    checks no formats. So this stands there: the bounds of a value are those of its validator,
    whatever else is validated meanwhile, in this thread or another.
    """

    def __init__(self, name: str, root: Mapping[str, Any]) -> None:
        self.name = name
        self.definitions = root.get("$defs", {})
        self.left = MAX_PROBLEMS
        self.others: dict[tuple[int, str], int] = {}
        """List or object, and keyword -> the number of wrong members that are only counted. Each
        once, however many branches of an `anyOf` look at it."""

    def count_others(self, whole: object, keyword: str, count: int) -> None:
        """Count the mistakes of a list or an object that follow the described ones."""
        if count > MAX_PROBLEMS:
            self.others[id(whole), keyword] = count - MAX_PROBLEMS

    def fast_validator(self, schema: Any) -> Any:
        """Return the fast validator of a part of the schema."""
        return _fast(self.name, _Schema(schema, self.definitions))


class _Schema:
    """A part of a schema, as a key of the cache. The parts of a cached schema live for ever."""

    __slots__ = ("definitions", "part")

    def __init__(self, part: Any, definitions: Mapping[str, Any]) -> None:
        self.part = part
        self.definitions = definitions

    def __hash__(self) -> int:
        return id(self.part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema) and self.part is other.part


@cache
def _fast(name: str, schema: _Schema) -> Any:
    import jsonschema_rs

    whole = {"allOf": [schema.part], "$defs": schema.definitions}
    return jsonschema_rs.Draft202012Validator(whole)


def _members(
    validator: Any, schema: Any, whole: Any, keyword: str, members: Iterable[tuple[Any, Any]]
) -> Iterator[ValidationError]:
    """Yield the errors of the members of a list or an object, and one that stands for all others if
    there are too many.

    Args:
        validator: jsonschema's validator.
        schema: the schema of each member.
        whole: the list or object.
        keyword: the keyword that has this schema.
        members: place and value of each.
    """
    bounds, count = validator.format_checker, 0
    fast = bounds.fast_validator(schema) if len(whole) > FEW or bounds.left <= 0 else None
    for place, member in members:
        wrong = None if fast is None else _is_wrong(fast, member)
        if wrong is False:
            continue
        if bounds.left > 0:
            checkpoint("validating its document")
            errors = validator.descend(member, schema, path=place)
            error = next(errors, None)
            if error is not None:
                bounds.left -= 1
                yield error
                yield from errors
        elif wrong or not _is_valid(validator, schema, member):
            count += 1
    if count:
        bounds.others.setdefault((id(whole), keyword), count)
        yield _counted()


def _is_valid(validator: Any, schema: Any, member: object) -> bool:
    checkpoint("validating its document")
    return bool(validator.evolve(schema=schema).is_valid(member))


def _is_wrong(fast: Any, member: object) -> bool | None:
    """Return whether a member violates its schema; None if the fast validator can't say."""
    try:
        return not fast.is_valid(member)
    except (ValueError, OverflowError):  # a value that Rust can't represent
        return None


def _counted() -> ValidationError:
    """Return the error of members that are only counted. Without it, `anyOf` would take a branch
    for valid."""
    from jsonschema import ValidationError

    return ValidationError("more members are wrong", validator=COUNTED)


def _check_items(
    validator: Any, items: Any, value: object, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(value, list):
        return
    first = len(schema.get("prefixItems", ()))
    if items is not False:
        others = islice(enumerate(value), first, None)
        yield from _members(validator, items, value, "items", others)
    elif len(value) > first:
        from jsonschema import ValidationError

        yield ValidationError(f"more than {first} items")


def _check_names(validator: Any, names: Any, value: object, _: object) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        members = ((None, name) for name in value)
        yield from _members(validator, names, value, "propertyNames", members)


def _check_additional(
    validator: Any, allowed: Any, value: object, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Check the keyword `additionalProperties`, without `patternProperties` beside it."""
    if not isinstance(value, dict):
        return
    properties = schema.get("properties", {})
    if allowed is not False:
        others = ((name, inner) for name, inner in value.items() if name not in properties)
        yield from _members(validator, allowed, value, "additionalProperties", others)
        return
    from jsonschema import ValidationError

    count = sum(name not in properties for name in value)
    validator.format_checker.count_others(value, "additionalProperties", count)
    if count:
        yield ValidationError("unknown keys")


def _check_unique(
    validator: Any, must_be_unique: object, value: object, _: object
) -> Iterator[ValidationError]:
    """Check the keyword `uniqueItems` in linear time; jsonschema's own check is quadratic."""
    from jsonschema import ValidationError

    if not must_be_unique or not isinstance(value, list):
        return
    count = sum(1 for _ in repeated(value))
    validator.format_checker.count_others(value, "uniqueItems", count)
    if count:
        yield ValidationError("items are there twice")


BOUNDED: Mapping[str, Callable[..., Iterator[ValidationError]]] = {
    "items": _check_items,
    "propertyNames": _check_names,
    "additionalProperties": _check_additional,
    "uniqueItems": _check_unique,
    "format": lambda *_: iter(()),
}
"""Keyword -> what checks it within bounds: those that a value can break as often as it is long, and
the one that would ask a format checker."""
