"""What is one item of pytest: an instance, a chunk of many rows, or a whole test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lve.spec.model import Instance, Spec


@dataclass(frozen=True, slots=True)
class Chunk:
    """The instances that one item stands for."""

    name: str
    instances: tuple[Instance, ...]

    @classmethod
    def single(cls, instance: Instance) -> Chunk:
        """Return the chunk of one instance: `instances.jsonl[3]`, `row-17`, or `instance` for that
        of a test without parameters."""
        folder, _, file = instance.source.partition("/")
        if folder == "instances":
            name = f"{file}[{instance.line}]"
        else:
            name = f"row-{instance.line}" if instance.args else "instance"
        return cls(name, (instance,))

    @classmethod
    def of_rows(cls, rows: Sequence[Instance]) -> Chunk:
        """Return the chunk of several rows: `rows-1001-2000`."""
        return cls(f"rows-{rows[0].line}-{rows[-1].line}", tuple(rows))

    @classmethod
    def whole(cls, instances: Sequence[Instance]) -> Chunk:
        """Return the chunk of a test that expects a pass rate: `pass-rate`. One instance of it has
        no verdict of its own."""
        return cls("pass-rate", tuple(instances))


def chunks_for_models(
    spec: Spec, models: Sequence[str | None], instances: Sequence[Instance], max_items: int
) -> Iterator[tuple[Spec, str | None, Chunk]]:
    """Yield what is one item: a test as it is for a model, the model, and the instances."""
    if not spec.for_models:
        for chunk in _named(_chunks(spec, instances, max_items)):
            yield from ((spec, model, chunk) for model in models)
        return
    for model in models:  # each may expect something else, which decides what is one item
        one = spec.for_model(model or "")
        yield from ((one, model, chunk) for chunk in _named(_chunks(one, instances, max_items)))


def _chunks(spec: Spec, instances: Sequence[Instance], max_items: int) -> Iterator[Chunk]:
    """Yield the instances one by one; a data set of more than `max_items` rows, in chunks of that
    many, so that names don't depend on how many rows come later. A pass rate is that of the whole
    test, which therefore is one chunk."""
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
    """Make names unique: a list on one line has several instances with the same number."""
    seen: dict[str, int] = {}
    for chunk in chunks:
        number = seen[chunk.name] = seen.get(chunk.name, 0) + 1
        yield chunk if number == 1 else Chunk(f"{chunk.name}~{number}", chunk.instances)
