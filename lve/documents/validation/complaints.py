"""Turns jsonschema's errors into messages for users.

jsonschema's own messages contain the whole value and all branches of an `anyOf`. Those made here
say what was expected, what is there instead, and what was probably meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from lve.data_classes import dataclass
from lve.documents.position_types import JsonPath
from lve.documents.validation.bounded_errors import COUNTED, SchemaError
from lve.documents.validation.hints import hint_for_key, hint_for_number, hint_for_type
from lve.escape import excerpt, head
from lve.json_types import TYPE_WORDS, json_type, repeated
from lve.limits.problems import MAX_PROBLEMS
from lve.settings.reserved import refusal_of_key
from lve.suggest import closest, did_you_mean

_FORMATS = {
    "^[^{}\\[\\].!:]+$": "a parameter name can't be empty or have any of {}[].!: in it",
    "^https?://": "an address starts with http:// or https://",
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
    "^[A-Za-z0-9_.-]*[A-Za-z0-9_-](/[A-Za-z0-9_.-]*[A-Za-z0-9_-])*$": (
        "a folder below the workspace root, such as `tests/calibrations`"
    ),
    "^[A-Za-z0-9_-]{1,64}$": "a name of 1 to 64 letters, digits, `_` and `-`",
    "^[a-z][a-z0-9_-]{0,63}$": "a name of small letters, digits, `_` and `-`",
    "^[A-Za-z_][A-Za-z0-9_]*$": "the name of an environment variable, not the key itself",
}
WRONG_TYPE = "wrong_type"
MISSING_KEY = "missing_key"
CONFLICTING_KEYS = "conflicting_keys"
_RATE_HINT = 'write a comparison such as ">=0.9"'


@dataclass(frozen=True, slots=True)
class Complaint:
    """One mistake in a value."""

    message: str
    path: JsonPath
    hint: str | None = None
    at_key: bool = False
    """Whether the key is wrong rather than the value."""
    missing: tuple[str, ...] = ()
    """One of these keys is missing at `path`."""
    correction: str | None = None
    """The probable correct spelling, if the last key of `path` is misspelt."""
    code: str = "wrong_value"
    """As in `LveError`."""


def without_consequences(complaints: Iterable[Complaint]) -> list[Complaint]:
    """Return complaints without those that follow from another one: if a key is misspelt, the
    correct key is also reported missing."""
    complaints = list(complaints)
    misspelt = {
        (*complaint.path[:-1], complaint.correction)
        for complaint in complaints
        if complaint.correction
    }
    return [
        complaint
        for complaint in complaints
        if not any((*complaint.path, key) in misspelt for key in complaint.missing)
    ]


def explain_errors(errors: Iterable[SchemaError]) -> Iterator[Complaint]:
    """Yield one or more complaints for each of jsonschema's errors."""
    for error in errors:
        yield from _EXPLAINERS.get(error.validator, _other)(error)


def one_of(words: Iterable[str], *, last: str = "or") -> str:
    """Join words: "a, b or c"."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _path(error: SchemaError) -> JsonPath:
    return tuple(error.absolute_path)


def _short(value: object) -> str:
    if isinstance(value, str):
        value = head(value, 40)
    elif isinstance(value, list):
        value = value[:40]
    return excerpt(json.dumps(value, ensure_ascii=False), 40)


def _type(error: SchemaError) -> Iterator[Complaint]:
    schema_types = error.validator_value
    names = (
        [schema_types]
        if isinstance(schema_types, str)
        else [name for name in schema_types if name != "null"]
    )
    if error.instance is None and not error.absolute_path:
        yield Complaint("must hold an object; it is empty or null", (), code=WRONG_TYPE)
        return
    yield _wrong_type([TYPE_WORDS[name] for name in names], error)


def _wrong_type(type_words: Iterable[str], error: SchemaError) -> Complaint:
    words = [*dict.fromkeys(type_words)]
    expected = one_of(words)
    message = f"must be {expected}, not {json_type(error.instance)}"
    path = _path(error)
    hint = hint_for_type(path, error.instance) or _quoting(error.instance)
    if hint is None and words[0].endswith("number"):
        hint = hint_for_number(error.instance)
    return Complaint(message, path, hint, code=WRONG_TYPE)


def _quoting(value: object) -> str | None:
    """Return the hint for an unquoted `{name}`, which is a mapping in YAML; None for other
    values."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, inner),) = value.items()
    return f'put quotes around it: "{{{excerpt(name)}}}"' if inner is None else None


def _enum(error: SchemaError) -> Iterator[Complaint]:
    choices = [str(choice) for choice in error.validator_value]
    instance = error.instance
    hint = did_you_mean(instance, choices) if isinstance(instance, str) else None
    hint = hint or hint_for_type(_path(error), instance)
    expected = one_of(f"`{choice}`" for choice in choices)
    yield Complaint(f"must be {expected}, not {_short(instance)}", _path(error), hint)


def _required(error: SchemaError) -> Iterator[Complaint]:
    missing = [key for key in error.validator_value if key not in error.instance]
    # jsonschema gives one error per missing key; only their messages differ
    key = next(key for key in missing if error.message.startswith(repr(key)))
    yield Complaint(f"`{key}` is missing", _path(error), missing=(key,), code=MISSING_KEY)


def _additional(error: SchemaError) -> Iterator[Complaint]:
    properties = error.schema.get("properties", {})
    for key in islice((key for key in error.instance if key not in properties), MAX_PROBLEMS):
        path = (*_path(error), key)
        refusal = refusal_of_key(key)
        if refusal:
            yield Complaint(refusal[0], path, refusal[1], at_key=True, code="reserved_name")
            continue
        correction = closest(key, (name for name in properties if name not in error.instance))
        hint = hint_for_key(key, properties) or (correction and f"did you mean `{correction}`?")
        message = f"unknown key `{excerpt(key)}`"
        yield Complaint(message, path, hint, at_key=True, correction=correction, code="unknown_key")


def _dependent(error: SchemaError) -> Iterator[Complaint]:
    for key, needed in error.validator_value.items():
        for other in needed:
            if key in error.instance and other not in error.instance:
                message = f"`{key}` needs `{other}`, too"
                yield Complaint(message, (*_path(error), key), at_key=True, code=MISSING_KEY)


def _choice(error: SchemaError) -> Iterator[Complaint]:
    branches = error.validator_value
    if all(set(branch) == {"required"} and len(branch["required"]) == 1 for branch in branches):
        if isinstance(error.instance, dict):
            yield from _choice_of_keys(error, [branch["required"][0] for branch in branches])
        return
    yield from explain_branch(error)


def _choice_of_keys(error: SchemaError, keys: list[str]) -> Iterator[Complaint]:
    path = _path(error)
    present = [key for key in error.instance if key in keys]
    names = one_of(f"`{key}`" for key in keys)
    if not present:
        yield Complaint(f"{names} is missing", path, missing=tuple(keys), code=MISSING_KEY)
        return
    conflict = one_of((f"`{key}`" for key in present), last="and")
    message, at = f"{conflict} exclude each other", (*path, present[1])
    yield Complaint(message, at, "keep one", at_key=True, code=CONFLICTING_KEYS)


def explain_branch(error: SchemaError) -> Iterator[Complaint]:
    """Yield complaints for the branch of an `anyOf` or `oneOf` that was probably meant: of those
    with the right type, the one with the fewest errors."""
    branches: dict[str | int, list[SchemaError]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [errors for errors in branches.values() if not any(map(_is_type_error, errors))]
    if fitting:
        distances = [_distance(errors) for errors in fitting]
        yield from explain_errors(fitting[distances.index(min(distances))])
        return
    yield _wrong_type(_wanted_types(error.context), error)


def _is_type_error(inner: SchemaError) -> bool:
    """Return whether an error says that the value itself has the wrong type, in every branch."""
    if inner.relative_path:
        return False
    if inner.validator in ("anyOf", "oneOf"):
        return all(_is_type_error(deeper) for deeper in inner.context)
    if inner.validator == "enum":
        return not any(json_type(c) == json_type(inner.instance) for c in inner.validator_value)
    return bool(inner.validator == "type")


def _wanted_types(errors: Iterable[SchemaError]) -> Iterator[str]:
    for inner in errors:
        if inner.validator == "type":
            schema_types = inner.validator_value
            names = [schema_types] if isinstance(schema_types, str) else schema_types
            yield from (TYPE_WORDS[name] for name in names if name != "null")
        elif inner.validator == "enum":
            yield from (f"`{choice}`" for choice in inner.validator_value)
        elif inner.context:
            yield from _wanted_types(inner.context)


def _distance(errors: list[SchemaError]) -> tuple[int, int]:
    shallow = sum(1 for error in errors if not error.relative_path)
    return shallow, len(errors)


def _pattern(error: SchemaError) -> Iterator[Complaint]:
    hint = _FORMATS.get(error.validator_value)
    if hint is None and "pass_rate" in _path(error):
        hint = _RATE_HINT
    yield Complaint(f"{_short(error.instance)} isn't allowed here", _path(error), hint)


def _const(error: SchemaError) -> Iterator[Complaint]:
    constant = json.dumps(error.validator_value, ensure_ascii=False)
    yield Complaint(f"must be {constant}, not {_short(error.instance)}", _path(error))


def _unique(error: SchemaError) -> Iterator[Complaint]:
    for index in islice(repeated(error.instance), MAX_PROBLEMS):
        message = f"{_short(error.instance[index])} occurs twice"
        yield Complaint(message, (*_path(error), index))


def _not(error: SchemaError) -> Iterator[Complaint]:
    if error.validator_value == {"type": "null"}:
        hint = "only an assistant message may be left to the model"
        yield Complaint("must not be null", _path(error), hint)
        return
    excluding = error.validator_value.get("required", ())
    if len(excluding) == 2:
        key, other_key = excluding
        message = f"`{key}` and `{other_key}` exclude each other"
        is_short = other_key in ("role", "content")
        alone = f"`{key}: TEXT` alone is a whole message" if is_short else None
        at = (*_path(error), other_key)
        yield Complaint(message, at, alone, at_key=True, code=CONFLICTING_KEYS)
        return
    yield from _other(error)


def _size(words: str) -> Callable[[SchemaError], Iterator[Complaint]]:
    def complain(error: SchemaError) -> Iterator[Complaint]:
        message = words.format(limit=error.validator_value, value=_short(error.instance))
        yield Complaint(message, _path(error))

    return complain


def _other(error: SchemaError) -> Iterator[Complaint]:
    yield Complaint(f"breaks the rule `{error.validator}` of the schema", _path(error))


_EXPLAINERS: Mapping[str, Callable[[SchemaError], Iterator[Complaint]]] = {
    COUNTED: lambda _: iter(()),
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "additionalProperties": _additional,
    "dependentRequired": _dependent,
    "anyOf": _choice,
    "oneOf": _choice,
    "pattern": _pattern,
    "uniqueItems": _unique,
    "not": _not,
    "maxItems": _size("must have at most {limit} items"),
    "maxLength": _size("must have at most {limit} characters"),
    "maxProperties": _size("must have at most {limit} names"),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), _size("must not be empty")),
    "minimum": _size("must be at least {limit}, not {value}"),
    "maximum": _size("must be at most {limit}, not {value}"),
    "exclusiveMinimum": _size("must be more than {limit}, not {value}"),
    "exclusiveMaximum": _size("must be less than {limit}, not {value}"),
}
