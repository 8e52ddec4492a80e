"""Filters tests and instances by the user's options: tags, words, numbers, a limit, a sample."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lve.data.instances import iter_instances
from lve.documents.json_lines import canonical_json
from lve.errors import Problem
from lve.extension_table import extension_part
from lve.options.run_options import DEFAULTS, PICKING, RunOptions
from lve.settings.settings import Settings
from lve.spec.prompt_sources import each_variant
from lve.spec.recorded_row import row_key
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.options.match_expression import Holds, Truth
    from lve.options.row_numbers import RowNumbers

Instances = Iterator[Instance | Problem]


def is_chosen(spec: Spec, options: RunOptions) -> bool:
    """Whether a test has the tags that the options ask for, and whether its path or one of its
    instances matches their expression (`-k`).

    Instances are read only if the path doesn't decide, up to the first one that matches.
    """
    if options.tags and not _has_tags(spec, options.tags):
        return False
    if options.picked is not None and not any(
        isinstance(row, Instance) for row in _picked(spec, iter_instances(spec), options.picked)
    ):
        return False
    if options.match is None:
        return True
    holds = _parsed(options.match)
    has_values = bool(spec.parameters) or spec.dataset is not None
    answer = holds(_words_of_test(spec.path, is_all=not has_values))
    if answer is not None:
        return answer
    return any(isinstance(row, Instance) for row in _matching(spec, iter_instances(spec), holds))


def chosen_variants(spec: Spec, options: RunOptions | None, settings: Settings) -> Sequence[Spec]:
    """Return a test, or its variants, as far as the options select them.

    Raises:
        UsageError: the options name an attack that there isn't, or that the settings forbid.
        SpecError: another test has the path of a variant.
    """
    if options is None:
        return each_variant(spec)
    tests = each_variant(spec, options.prompts, options.attacks)
    if any(test.attack for test in tests):
        tests = allowed(tests, options, settings)
    return [test for test in tests if is_chosen(test, options)]


def allowed(tests: Sequence[Spec], options: RunOptions, settings: Settings) -> tuple[Spec, ...]:
    """Return tests, of which attacks are skipped unless settings and user allow them.

    Raises:
        UsageError: the options ask for attacks that the settings forbid.
    """
    judged: tuple[Spec, ...] = extension_part("allowed attacks")(tests, options, settings)
    return judged


def may_be_chosen(path: str, options: RunOptions) -> bool:
    """Whether the options may select a test that can't be read, so that only its path is known.

    Args:
        path: the test's path, relative to the workspace root.
        options: the run's options.
    """
    if options.match is None:
        return True
    return bool(_parsed(options.match)(_words_of_test(path, is_all=True)))


def _parsed(expression: str) -> Holds:
    from lve.options.match_expression import parse_expression  # late: few runs have an expression

    return parse_expression(expression)


def rows_in(text: str) -> RowNumbers:
    """Return the rows that `--rows` names."""
    from lve.options.row_numbers import parse_rows  # late, as `_parsed`

    return parse_rows(text)


def choose(spec: Spec, instances: Instances, options: RunOptions) -> Instances:
    """Yield the instances of a test that the options select, and the problems between them."""
    if options.rows is not None:
        instances = _at(instances, rows_in(options.rows))
    if options.match is not None:
        holds = _parsed(options.match)
        if holds(_words_of_test(spec.path, is_all=False)) is None:
            instances = _matching(spec, instances, holds)
    if options.picked is not None:
        instances = _picked(spec, instances, options.picked)
    if options.sample is not None:
        instances = _sampled(instances, options.sample, options.seed)
    return instances if options.limit is None else _first(instances, options.limit)


def chooses_instances(options: RunOptions) -> bool:
    """Whether the options may leave out some of a test's instances."""
    differences = (getattr(options, name) != getattr(DEFAULTS, name) for name in PICKING)
    return options.picked is not None or any(differences)


def _has_tags(spec: Spec, tags: Sequence[str]) -> bool:
    """Whether a test has each tag that is asked for: `NAME`, or `NAME=VALUE` with one of the
    values."""
    values: dict[str, set[str]] = {}
    for text in tags:
        name, equals, value = text.partition("=")
        values.setdefault(name.strip(), set()).update([value.strip()] if equals else ())
    has: dict[str, set[str]] = {}
    for tag in spec.tags:
        has.setdefault(tag.name, set()).add(str(tag.value))
    return all(
        name in has and (not wished or bool(wished & has[name])) for name, wished in values.items()
    )


def _words_of_test(path: str, *, is_all: bool) -> Any:
    """Return a function that says whether a word occurs in a test, from its path alone: True, or
    None if it may still occur in an instance.

    Args:
        path: the test's path.
        is_all: whether the test has no other text: then the function returns False, not None.
    """
    text = path.lower()

    def has_word(word: str) -> Truth:
        return True if word in text else False if is_all else None

    return has_word


def _matching(spec: Spec, instances: Instances, holds: Holds) -> Instances:
    path = spec.path.lower()
    for instance in instances:
        if not isinstance(instance, Instance):
            yield instance
            continue
        texts = [path, *(text.lower() for text in _texts(instance.parameters))]
        if holds(lambda word, texts=texts: any(word in text for text in texts)):  # type: ignore[misc]
            yield instance


def _picked(
    spec: Spec, instances: Instances, is_picked: Callable[[Spec, Instance], bool]
) -> Instances:
    yield from (
        instance
        for instance in instances
        if not isinstance(instance, Instance) or is_picked(spec, instance)
    )


def _texts(parameters: Mapping[str, object]) -> Iterator[str]:
    for name, value in parameters.items():
        text = (
            value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
        )
        yield f"{name}={text}"


def numbered(instances: Instances) -> Iterator[tuple[int, Instance | Problem]]:
    """Yield the instances, each with the number of its row, from 1, and the problems with 0.
    Several recorded answers to the same args have one number."""
    numbers: dict[int, int] = {}
    last = 0
    for item in instances:
        if not isinstance(item, Instance):
            yield 0, item
        elif item.repeat:
            yield numbers.get(row_key(item.args), last), item
        else:
            last += 1
            if item.recorded is not None:
                numbers[row_key(item.args)] = last
            yield last, item


def _at(instances: Instances, rows: RowNumbers) -> Instances:
    """Yield the rows with these numbers, and read nothing behind the last of them, unless its other
    recorded answers may follow."""
    return _up_to(instances, rows.last, lambda number: number in rows)


def _first(instances: Instances, limit: int) -> Instances:
    """Yield the first `limit` rows; read as `_at`."""
    return _up_to(instances, limit, lambda number: number <= limit)


def _up_to(instances: Instances, last: int | None, is_chosen: Callable[[int], bool]) -> Instances:
    reached = 0
    for number, item in numbered(instances):
        reached = max(reached, number)
        is_behind = last is not None and reached >= last
        if is_chosen(number) if number else not is_behind:
            yield item
        if is_behind and isinstance(item, Instance) and item.recorded is None:
            return


def _sampled(instances: Instances, size: int, seed: int) -> Instances:
    """Yield a random sample of the rows, in their order.

    Those with the lowest hashes of args and seed are drawn, so that adding or moving rows changes
    the sample as little as possible.
    """
    import heapq  # late, as `_parsed`

    lots: list[tuple[int, int]] = []
    drawn: dict[int, list[tuple[int, Instance]]] = {}
    for place, (number, item) in enumerate(numbered(instances)):
        if not isinstance(item, Instance):
            yield item
        elif item.repeat:
            drawn.get(number, []).append((place, item))
        else:
            heapq.heappush(lots, (-_lot(item, seed), -number))
            drawn[number] = [(place, item)]
            if len(lots) > size:
                del drawn[-heapq.heappop(lots)[1]]
    in_order = sorted(itertools.chain(*drawn.values()), key=lambda pair: pair[0])
    yield from (item for _, item in in_order)


def _lot(instance: Instance, seed: int) -> int:
    from hashlib import blake2b  # late: it loads OpenSSL, and only samples are drawn

    text = canonical_json({"seed": seed, "args": dict(instance.args)})
    return int.from_bytes(
        blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "big"
    )
