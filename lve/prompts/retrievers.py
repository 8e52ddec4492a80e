"""Which examples go into the prompt of a row."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from lve.errors import TemplateError
from lve.prompts.bm25 import BM25, words
from lve.prompts.dialogue import kind_of
from lve.prompts.splits import Reader, Table, input_text


@dataclass(frozen=True)
class Examples:
    """What a retriever may look at."""

    train: Table
    test: Table
    reader: Reader
    dialect: str = "opencompass"


class Retriever(Protocol):
    """Picks examples. Its fields are the arguments of `retriever` in the test document."""

    @property
    def ice_separator(self) -> str:
        """Stands between examples that are texts."""
        ...

    @property
    def ice_eos_token(self) -> str:
        """Stands after the last example."""
        ...

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield, for each test row in order, the positions of its examples in `examples.train`.

        Raises:
            TemplateError: stage `retriever` or `retrieve`, with the first row.
        """
        ...


@dataclass(frozen=True)
class ZeroRetriever:
    """No examples."""

    ice_eos_token: str = ""
    ice_separator: str = ""

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield an empty list per test row."""
        for _ in _positions(examples.test):
            yield []


@dataclass(frozen=True)
class FixKRetriever:
    """The same examples for every row."""

    fix_id_list: Any
    ice_separator: str = "\n"
    ice_eos_token: str = "\n"
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield `fix_id_list` per test row."""
        if not isinstance(self.fix_id_list, list):
            raise _failed(f"`fix_id_list` must be a list, not {kind_of(self.fix_id_list)}")
        for position in self.fix_id_list:
            self._check(position, examples)
        for _ in _positions(examples.test):
            yield self.fix_id_list

    def _check(self, position: Any, examples: Examples) -> None:
        if not isinstance(position, int):
            raise _failed(f"`fix_id_list` holds {kind_of(position)}, it must hold numbers")
        if position < 0 and examples.dialect != "aisbench":
            return  # Counts from the end.
        if position < 0 or not _has(examples.train, position):
            raise _failed(f"`fix_id_list` names example {position}, which there isn't")


@dataclass(frozen=True)
class RandomRetriever:
    """Random examples, drawn anew for each row, the same in every run."""

    ice_separator: str = "\n"
    ice_eos_token: str = "\n"
    ice_num: Any = 1
    seed: Any = 43

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield `ice_num` positions per test row."""
        count = len(examples.train)
        wanted = _number(self.ice_num, "ice_num")
        if wanted > count:
            raise _failed(f"`ice_num` is {wanted}, but there are only {count} examples")
        draw = numpy_generator(self.seed)
        for _ in _positions(examples.test):
            yield permutation(count, draw)[:wanted]


@dataclass(frozen=True)
class SlidingWindowRetriever:
    """The `k` rows before this one; for the first rows filled up with the last ones."""

    k: Any
    ice_separator: str = "\n"
    ice_eos_token: str = "\n"
    ice_num: int = 1
    """Not used; upstream accepts it."""

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield `k` positions per test row."""
        k, count = _number(self.k, "k"), len(examples.train)
        for position in _positions(examples.test):
            missing = max(0, k - position)
            before = range(max(0, position - k), position)
            yield [*range(count - missing, count), *before]


@dataclass(frozen=True)
class BM25Retriever:
    """The examples whose input columns have the most in common with the row's (Okapi BM25)."""

    ice_separator: str = "\n"
    ice_eos_token: str = "\n"
    ice_num: Any = 1

    def retrieve(self, examples: Examples) -> Iterator[list[int]]:
        """Yield `ice_num` positions per test row, best first."""
        wanted = _number(self.ice_num, "ice_num")
        index = BM25([_words(examples.train, n, examples) for n in _positions(examples.train)])
        if not index.count:
            raise TemplateError("BM25Retriever has no examples", stage="retriever")
        for position in _positions(examples.test):
            yield index.top(_words(examples.test, position, examples), wanted)


RETRIEVERS: Mapping[str, type[Retriever]] = {
    "ZeroRetriever": ZeroRetriever,
    "FixKRetriever": FixKRetriever,
    "RandomRetriever": RandomRetriever,
    "SlidingWindowRetriever": SlidingWindowRetriever,
    "BM25Retriever": BM25Retriever,
}


def make_retriever(config: Any, *, dialect: str = "opencompass") -> Retriever:
    """Return the retriever that `infer_cfg.retriever` describes.

    Raises:
        TemplateError: stage `retriever`.
    """
    if not isinstance(config, Mapping):
        raise _wrong(f"`retriever` must be an object, not {kind_of(config)}")
    name = str(config.get("type", "ZeroRetriever")).rsplit(".", 1)[-1]
    if name not in RETRIEVERS:
        raise _wrong(f"there is no retriever {name!r}; there are {', '.join(RETRIEVERS)}")
    kind: Any = RETRIEVERS[name]
    arguments = {key: value for key, value in config.items() if key != "type"}
    known = [f.name for f in fields(kind)]
    if name == "ZeroRetriever" and dialect != "aisbench":
        known.remove("ice_separator")
    for key in arguments:
        if key not in known:
            raise _wrong(f"{name} has no argument {key!r}; it has {', '.join(known)}")
    for key in ("ice_separator", "ice_eos_token"):
        if not isinstance(arguments.get(key, ""), str):
            raise _wrong(f"`{key}` must be a text, not {kind_of(arguments[key])}")
    try:
        made: Retriever = kind(**arguments)
    except TypeError as error:
        raise _wrong(f"{name}: {error}") from error
    return made


def numpy_generator(seed: Any) -> random.Random:
    """Return a generator that gives the 32-bit numbers of numpy's `RandomState(seed)`.

    Python and numpy share the Mersenne Twister but seed it differently; without this, examples
    would need numpy to be the same as upstream's.
    """
    if not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise _failed("`seed` must be a number from 0 to 4294967295")
    word, state = int(seed), []
    for n in range(624):
        state.append(word)
        word = (1812433253 * (word ^ (word >> 30)) + n + 1) & 0xFFFFFFFF
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


def permutation(count: int, generator: random.Random) -> list[int]:
    """Return the numbers below `count`, shuffled as numpy's `RandomState.permutation` does."""
    result = list(range(count))
    for last in range(count - 1, 0, -1):
        bits = last.bit_length()
        mask = (1 << bits) - 1
        other = generator.getrandbits(32) & mask
        while other > last:
            other = generator.getrandbits(32) & mask
        result[last], result[other] = result[other], result[last]
    return result


def _positions(table: Table) -> Iterator[int]:
    yield from range(len(table))


def _has(table: Table, position: int) -> bool:
    try:
        table[position]
    except IndexError:
        return False
    return True


def _words(table: Table, position: int, examples: Examples) -> list[str]:
    try:
        return words(input_text(table[position], examples.reader.input_columns))
    except KeyError as error:
        raise TemplateError(f"there is no input column {error}", stage="retriever") from error


def _number(value: Any, name: str) -> int:
    if isinstance(value, int) and value >= 0:
        return value
    raise _failed(f"`{name}` must be a whole number from 0, not {value!r}")


def _failed(message: str) -> TemplateError:
    return TemplateError(message, stage="retrieve")


def _wrong(message: str) -> TemplateError:
    return TemplateError(message, stage="retriever")
