"""Divides the instances of a test into pytest items: one instance, many rows, or the whole test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lve.data_classes import dataclass
from lve.spec.spec import Instance, Spec


@dataclass(frozen=True, slots=True)
class Chunk:
    """The instances of one item."""

    name: str
    instances: tuple[Instance, ...]

    @classmethod
    def single(cls, instance: Instance) -> Chunk:
        """Return the chunk of one instance. Its name is like `instances.jsonl[3]` or `row-17`, or
        `instance` for a test without parameters."""
        folder, _, file = instance.source.partition("/")
        if folder == "instances":
            name = f"{file}[{instance.line}]"
        else:
            name = f"row-{instance.line}" if instance.args else "instance"
        return cls(name, (instance,))

    @classmethod
    def of_rows(cls, rows: Sequence[Instance]) -> Chunk:
        """Return the chunk of several rows. Its name is like `rows-1001-2000`."""
        return cls(f"rows-{rows[0].line}-{rows[-1].line}", tuple(rows))

    @classmethod
    def whole(cls, instances: Sequence[Instance]) -> Chunk:
        """Return the chunk `pass-rate` with all instances of a test that expects a pass rate.
        Single instances of such a test have no verdict."""
        return cls("pass-rate", tuple(instances))


def chunks_for_models(
    spec: Spec, models: Sequence[str | None], instances: Sequence[Instance], max_items: int
) -> Iterator[tuple[Spec, str | None, Chunk]]:
    """Yield one triple per item: the test as it applies to the model, the model, the instances."""
    if not spec.for_models:
        for chunk in _named(_chunks(spec, instances, max_items)):
            yield from ((spec, model, chunk) for model in models)
        return
    for model in models:  # the expectation may differ by model, and decides about the chunks
        spec_for_model = spec.for_model(model or "")
        yield from (
            (spec_for_model, model, chunk)
            for chunk in _named(_chunks(spec_for_model, instances, max_items))
        )


def _chunks(spec: Spec, instances: Sequence[Instance], max_items: int) -> Iterator[Chunk]:
    """Yield one chunk per instance. A data set of more than `max_items` rows is divided into chunks
    of `max_items`, so that a chunk's name doesn't change when rows are appended. A test with a pass
    rate is one chunk, because the rate is that of the whole test."""
    if spec.expect.kind == "rate":
        yield from [Chunk.whole(instances)] if instances else ()
        return
    rows = []
    for instance in instances:
        if instance.source.startswith("instances/"):
            yield Chunk.single(instance)
        else:
            rows.append(instance)
    if len(rows) <= max_items:
        yield from map(Chunk.single, rows)
        return
    for start in range(0, len(rows), max_items):
        yield Chunk.of_rows(rows[start : start + max_items])


def _named(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Make names unique: a list on one line has several instances with the same line number."""
    counts: dict[str, int] = {}
    for chunk in chunks:
        number = counts[chunk.name] = counts.get(chunk.name, 0) + 1
        yield chunk if number == 1 else Chunk(f"{chunk.name}~{number}", chunk.instances)
