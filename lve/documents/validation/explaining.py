"""Says what is wrong with a value that its schema refuses.

It loads jsonschema, so it is imported when the first value is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from lve.documents.position_types import spell_path
from lve.documents.validation.bounded_errors import BOUNDED, bounded_errors
from lve.documents.validation.complaints import Complaint, explain_errors, without_consequences
from lve.limits.problems import MAX_PROBLEMS

MAX_COMPLAINTS = 10 * MAX_PROBLEMS
"""Maximum number of problems of a value that are put into words, to sort them by position."""
MAX_EXPLAINED = 20
"""Maximum number of problems reported for a value that is one line of a file."""
SchemaOf = Callable[[str], dict[str, Any]]
"""Returns the schema of a name, as it is used in validation."""


def complaints_about(
    data: object, schema_name: str, schema_of: SchemaOf
) -> tuple[list[Complaint], int]:
    """Return the first problems of a value, and the number of further wrong members of lists and
    objects.

    Args:
        data: the value.
        schema_name: as for `schema.complaints_about`.
        schema_of: returns the schema.
    """
    errors, more = bounded_errors(data, _validator(schema_name, schema_of), schema_name)
    complaints = islice(explain_errors(errors), MAX_COMPLAINTS)
    return without_consequences(complaints), more


def explained(data: object, schema_name: str, schema_of: SchemaOf) -> list[str]:
    """Return the first problems of a value, each as `$.path: message (hint)`; arguments as
    `complaints_about`."""
    errors, _ = bounded_errors(data, _validator(schema_name, schema_of), schema_name)
    return [
        f"{spell_path(c.path)}: {c.message}" + (f" ({c.hint})" if c.hint else "")
        for c in islice(explain_errors(errors), MAX_EXPLAINED)
    ]


@cache
def _validator(name: str, schema_of: SchemaOf) -> object:
    kind = extend(Draft202012Validator, BOUNDED)  # type: ignore[no-untyped-call]  # open in stubs
    return kind(schema_of(name))
