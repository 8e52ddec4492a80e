"""Limits the memory of a test's instances: pytest's items hold them until the session ends."""

from __future__ import annotations

from collections.abc import Iterator

from lve.data.problems import memory_of
from lve.errors import Problem, SpecError
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

MAX_KEPT_BYTES = 500_000_000
"""Bytes that the instances of one test may take."""
INSTANCE_BYTES = 168
"""Bytes of an instance without its args and responses."""


def within_memory(
    spec: Spec, instances: Iterator[Instance | Problem]
) -> Iterator[Instance | Problem]:
    """Yield the instances and problems in `instances`, as long as the instances fit into memory.

    Raises:
        SpecError: they don't fit. Running only some would give a wrong verdict on the test.
    """
    left, number = MAX_KEPT_BYTES, 0
    for instance in instances:
        if isinstance(instance, Instance):
            left -= _size(instance)
            if left < 0:
                raise _too_many(spec, number)
            number += 1
        yield instance


def _size(instance: Instance) -> int:
    responses = instance.recorded.responses if instance.recorded else ()
    return INSTANCE_BYTES + memory_of(instance.args) + memory_of(list(responses))


def _too_many(spec: Spec, fitting: int) -> SpecError:
    message = (
        f"pytest keeps all rows of a test, and only the first {fitting:,} of this one fit "
        f"into {MAX_KEPT_BYTES // 1_000_000} MB"
    )
    hint = "use `lve run`, which keeps none, or take fewer of them (`caps: {rows: N}` in lve.yaml)"
    return SpecError([Problem(message, display_path(spec.file), hint=hint, code="over_limit")])
